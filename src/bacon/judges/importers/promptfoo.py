"""Results of promptfoo, JSON or JSON lines: named scores are judges, repeats are runs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.judges.importers.samples import Broken, Sample, lookup
from bacon.judges.importers.values import failed, item_id, read_score
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bacon.judges.importers.samples import Choices, Found, Score

__all__ = ["OVERALL", "in_order", "is_promptfoo", "is_result", "read_results", "results_of"]

OVERALL = "score"
"""Scorer of the score of all assertions together."""

ERROR = 2
"""The reason of a failure by which promptfoo marks a test that ended in an error."""

DEEPEST = 16


def results_of(document: Any) -> list[Any] | None:
    """Return the list of results of a file; None where it holds none."""
    results = document.get("results") if isinstance(document, dict) else None
    inner = results.get("results") if isinstance(results, dict) else results
    return inner if isinstance(inner, list) else None


def in_order(results: list[Any]) -> list[tuple[int, Any]]:
    """Return results with their rows, in the order of the tests rather than that of the answers."""

    def number(entry: tuple[int, Any]) -> tuple[float, int]:
        row, result = entry
        index = result.get("testIdx") if isinstance(result, dict) else None
        return (index if isinstance(index, int) else float("inf"), row)

    return sorted(enumerate(results, 1), key=number)


def is_promptfoo(document: Any) -> bool:
    """Whether JSON is a file of promptfoo."""
    results = results_of(document)
    return results is not None and all(map(is_result, results[:1]))


def is_result(record: Any) -> bool:
    """Whether JSON is one result of promptfoo."""
    return isinstance(record, dict) and (
        "testIdx" in record or ("gradingResult" in record and "vars" in record)
    )


def read_results(
    records: Iterable[tuple[int, Any] | Broken], name: str, choices: Choices
) -> Iterator[Found]:
    """Yield the samples of promptfoo's results.

    promptfoo numbers a repeated test anew: results of one provider and prompt whose tests have
    the same variables, description and assertions are runs of one item. The item is the number
    of the first of these tests, unless a variable is named that tells the items apart.
    """
    first: dict[bytes, str] = {}
    runs: dict[tuple[bytes, str, str], int] = {}
    repeated = 0
    for record in records:
        if isinstance(record, Broken):
            yield record
            continue
        row, result = record
        if not isinstance(result, dict):
            yield Broken(row, "it is no JSON object")
            continue
        test = _digest(result)
        if choices.item:
            given = lookup(result.get("vars"), choices.item)
            given = lookup(result, choices.item) if given is None else given
            item = item_id(given)
        else:
            number = item_id(result.get("testIdx", row - 1))
            item = None if number is None else first.setdefault(test, number)
        if item is None:
            yield Broken(row, f"it has no {choices.item or 'testIdx'} that can be an id")
            continue
        system, prompt = _system(result), item_id(result.get("promptIdx")) or "0"
        run = runs[test, system, prompt] = runs.get((test, system, prompt), 0) + 1
        repeated += run > 1
        parts = (("system", system), ("prompt", prompt))
        reason = _reason(result)
        yield Sample(row, item, run, _scores(result, reason, choices), reason, parts)
    if repeated:
        message = (
            f"{name}: {repeated:,} results are of tests that came before with the same variables, "
            "provider and prompt; they are taken as further runs."
        )
        yield Notice("repeats_as_runs", message)


def _digest(result: dict[str, Any]) -> bytes:
    """Return what is the same for repeats of one test."""
    case = result.get("testCase")
    case = case if isinstance(case, dict) else {}
    variables = case.get("vars", result.get("vars"))
    if isinstance(variables, dict):
        # Names with a leading underscore are set by promptfoo while it runs.
        variables = {k: v for k, v in variables.items() if not k.startswith("_")}
        variables.pop("sessionId", None)
    same = [variables, case.get("description"), case.get("assert")]
    if all(part is None for part in same):
        same = [result.get("testIdx")]
    return hashlib.blake2b(json.dumps(same, sort_keys=True).encode(), digest_size=16).digest()


def _system(result: dict[str, Any]) -> str:
    """Return the provider that was tested."""
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return shown(provider, 100) if isinstance(provider, str) and provider else "unknown"


def _reason(result: dict[str, Any]) -> str | None:
    """Return why a result has no score; None where it has one."""
    if result.get("failureReason") == ERROR:
        return "test failed"
    if not isinstance(result.get("gradingResult"), dict):
        # promptfoo writes the score 0 for a test that ended before anything was graded.
        if result.get("error"):
            return "test failed"
        if "failureReason" not in result:
            return "not graded"
    return None


def _scores(result: dict[str, Any], reason: str | None, choices: Choices) -> dict[str, Score]:
    """Return the scores of a result."""
    named = result.get("namedScores")
    values = {OVERALL: result.get("score"), **(named if isinstance(named, dict) else {})}
    wanted = {scorer: value for scorer, value in values.items() if choices.wants(scorer)}
    if reason is not None:
        return dict.fromkeys(wanted, failed(reason))
    broken = _broken_graders(result.get("gradingResult"), 0)
    return {
        scorer: failed("grader failed")
        if scorer in broken or (broken and scorer == OVERALL)
        else read_score(value, choices)
        for scorer, value in wanted.items()
    }


def _broken_graders(grading: Any, depth: int) -> set[str | None]:
    """Return the metrics of assertions whose grader failed, None for one without a metric.

    promptfoo gives them the score 0, and says in the metadata that it is none.
    """
    if not isinstance(grading, dict) or depth > DEEPEST:
        return set()
    metadata, assertion = grading.get("metadata"), grading.get("assertion")
    found: set[str | None] = set()
    if isinstance(metadata, dict) and metadata.get("graderError"):
        metric = assertion.get("metric") if isinstance(assertion, dict) else None
        found.add(metric if isinstance(metric, str) else None)
    parts = grading.get("componentResults")
    for part in parts if isinstance(parts, list) else []:
        found |= _broken_graders(part, depth + 1)
    return found
