"""Results of deepeval: test runs and evaluation results; metrics are judges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bacon.judges.importers.samples import Broken, Sample, lookup
from bacon.judges.importers.values import failed, item_id, model_name, money, read_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.judges.importers.samples import Choices, Found, Score

__all__ = ["cases_of", "is_deepeval", "read_cases"]

CASES = ("testCases", "test_cases", "test_results", "testResults", "conversationalTestCases")
METRICS = ("metricsData", "metrics_data", "metricsMetadata", "metrics_metadata")
"""Names that versions of deepeval have used."""


def cases_of(document: Any) -> list[Any] | None:
    """Return the test cases of a file; None where it holds none."""
    if isinstance(document, dict) and isinstance(document.get("testRunData"), dict):
        document = document["testRunData"]
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return None
    found = [document[name] for name in CASES if isinstance(document.get(name), list)]
    return [case for cases in found for case in cases] if found else None


def is_deepeval(document: Any) -> bool:
    """Whether JSON holds results of deepeval."""
    cases = cases_of(document)
    return bool(cases) and any(isinstance(case, dict) and _metrics(case) for case in cases or ())


def read_cases(document: Any, choices: Choices) -> Iterator[Found]:
    """Yield the samples of deepeval's test cases; the item is the name of the test case."""
    for row, case in enumerate(cases_of(document) or [], 1):
        if not isinstance(case, dict):
            yield Broken(row, "it is no JSON object")
            continue
        given = case.get("name")
        if choices.item:
            given = lookup(case, choices.item)
            for inner in ("metadata", "additionalMetadata", "additional_metadata"):
                given = lookup(case.get(inner), choices.item) if given is None else given
        elif given is None:
            given = case.get("order", case.get("index"))
        item = item_id(given)
        if item is None:
            yield Broken(row, f"it has no {choices.item or 'name'} that can be an id")
            continue
        scores: dict[str, Score] = {}
        for metric in _metrics(case):
            name = metric.get("name", metric.get("metric"))
            name = name if isinstance(name, str) and name.strip() else "metric"
            if not choices.wants(name):
                continue
            k = 2
            while name in scores:
                name = f"{metric.get('name')} {k}"
                k += 1
            scores[name] = _score(metric, choices)
        yield Sample(row, item, None, scores, "not measured")


def _metrics(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics of a test case."""
    for name in METRICS:
        metrics = case.get(name)
        if isinstance(metrics, list):
            return [metric for metric in metrics if isinstance(metric, dict)]
    return []


def _score(metric: dict[str, Any], choices: Choices) -> Score:
    """Return what a metric gave; one that ended in an error gave nothing, whatever its score."""
    score = read_score(metric.get("score"), choices)
    if metric.get("error"):
        score = failed("metric failed")
    elif metric.get("skipped"):
        score = failed("metric skipped")
    return replace(
        score,
        model=model_name(metric.get("evaluationModel", metric.get("evaluation_model"))),
        cost=money(metric.get("evaluationCost", metric.get("evaluation_cost"))),
    )
