"""Logs of inspect-ai: .eval archives and .json files; scorers are judges, epochs are runs."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.judges.importers.archives import Archive, BrokenMemberError
from bacon.judges.importers.json_files import NotJsonError, parse_json
from bacon.judges.importers.samples import Broken, Sample, lookup
from bacon.judges.importers.values import (
    NO_SCORE,
    TRUTH,
    failed,
    item_id,
    read_score,
    run_number,
)
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.judges.importers.samples import Choices, Found, Score

__all__ = ["is_inspect", "read_archive", "read_log"]

GRADES: dict[str, float | None] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, **TRUTH}
"""Correct, partly correct, incorrect, no answer, and words for truth, as inspect counts them."""

HEADS = ("header.json", "_journal/start.json", "start.json")
"""Where an archive tells of the evaluation; all but the first, of one that did not end."""

MOST_VALUES = 100
"""Values taken from one score that holds several."""


def is_inspect(document: Any) -> bool:
    """Whether JSON is a log of inspect-ai."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict)


def read_archive(path: Path, choices: Choices) -> Iterator[Found]:
    """Yield the samples of an .eval archive; one sample at a time is in memory."""
    with Archive(path) as archive:
        names = archive.names
        head: dict[str, Any] = {}
        for name in HEADS:
            if name in names:
                head = _member(archive, name)
                break
        reader = _Samples(path.name, head, choices)
        samples = [n for n in names if n.startswith("samples/") and n.endswith(".json")]
        for row, name in enumerate(samples, 1):
            try:
                sample = parse_json(archive.read(name))
            except (BrokenMemberError, NotJsonError) as error:
                yield Broken(row, f"{shown(name, 60)}: {error}")
                continue
            yield reader.sample(row, sample)
        yield from reader.notices()
        if archive.repeated:
            message = (
                f"{path.name} holds {archive.repeated:,} files with the name of a later one; the "
                "last of each name counts."
            )
            yield Notice("archive_names_repeated", message)


def _member(archive: Archive, name: str) -> dict[str, Any]:
    """Return the object of a member, empty where it cannot be read."""
    try:
        found = parse_json(archive.read(name))
    except (BrokenMemberError, NotJsonError):
        return {}
    return found if isinstance(found, dict) else {}


def read_log(document: dict[str, Any], name: str, choices: Choices) -> Iterator[Found]:
    """Yield the samples of a .json log."""
    reader = _Samples(name, document, choices)
    samples = document.get("samples")
    for row, sample in enumerate(samples if isinstance(samples, list) else [], 1):
        yield reader.sample(row, sample)
    yield from reader.notices()


class _Samples:
    """Reads the samples of one log."""

    def __init__(self, name: str, head: dict[str, Any], choices: Choices) -> None:
        self.name = name
        self.choices = choices
        self.status = head.get("status")
        told = head.get("eval")
        told = told if isinstance(told, dict) else {}
        self.parts = tuple(
            (part, shown(value, 100) if isinstance(value, str) else "unknown")
            for part, value in (("task", told.get("task")), ("system", told.get("model")))
        )
        self.n_samples = 0
        self.grades: Counter[str] = Counter()

    def sample(self, row: int, record: Any) -> Sample | Broken:
        """Return one sample of the log."""
        if not isinstance(record, dict):
            return Broken(row, "it is no JSON object")
        self.n_samples += 1
        given = record.get("id")
        if self.choices.item:
            given = lookup(record, self.choices.item)
            if given is None:
                given = lookup(record.get("metadata"), self.choices.item)
        item = item_id(given)
        run = run_number(record.get("epoch", 1))
        if item is None:
            return Broken(row, f"it has no {self.choices.item or 'id'} of one line of text")
        if run is None:
            return Broken(row, "its epoch is no whole number from 1")
        scores, reason = self._scores(record), self._reason(record)
        if record.get("invalidation"):
            scores = dict.fromkeys(scores, failed("sample invalidated"))
        return Sample(row, item, run, scores, reason, self.parts)

    def _reason(self, record: dict[str, Any]) -> str:
        """Return why a scorer of the log says nothing of a sample."""
        if record.get("invalidation"):
            return "sample invalidated"
        if record.get("error"):
            return "sample failed"
        limit = record.get("limit")
        if limit:
            kind = limit.get("type") if isinstance(limit, dict) else limit
            known = ("message", "token", "time", "working", "cost", "context", "operator", "custom")
            return f"{kind} limit" if kind in known else "limit reached"
        return NO_SCORE

    def _scores(self, record: dict[str, Any]) -> dict[str, Score]:
        """Return what the scorers said; a score with several values is one for each."""
        given = record.get("scores")
        if not isinstance(given, dict):
            given = {} if record.get("score") is None else {"score": record["score"]}
        scores: dict[str, Score] = {}
        for scorer, score in given.items():
            value = score.get("value") if isinstance(score, dict) else score
            values: dict[str, Any] = {scorer: value}
            if isinstance(value, list):
                value = dict(enumerate(value, 1))
            if isinstance(value, dict):
                several = islice(value.items(), MOST_VALUES)
                values = {f"{scorer}_{name}": one for name, one in several}
            for name, one in values.items():
                if self.choices.wants(name) or self.choices.wants(scorer):
                    scores[name] = self._read(one)
        return scores

    def _read(self, value: Any) -> Score:
        """Return one value as a score."""
        if isinstance(value, str) and value.strip().lower() in TRUTH:
            value = value.strip().lower()
        score = read_score(value, self.choices, GRADES)
        if isinstance(value, str) and value in GRADES and value not in self.choices.levels:
            self.grades[value] += 1
        return score

    def notices(self) -> Iterator[Notice]:
        """Tell what grades were counted as, and whether the evaluation came to its end."""
        if self.grades:
            told = ", ".join(
                f"{grade} as {GRADES[grade]:g} ({self.grades[grade]:,})"
                for grade in GRADES
                if self.grades[grade]
            )
            message = f"{self.name}: grades are counted as inspect does: {told}."
            if self.grades["N"]:
                message += " N means no answer or a refusal; --level N=na makes it missing."
            yield Notice("grades_as_numbers", message)
        if self.status != "success":
            how = self.status if isinstance(self.status, str) else "unknown"
            message = (
                f"{self.name}: the evaluation did not come to its end (status {shown(how, 20)}); "
                f"samples that it never reached are not among the {self.n_samples:,} read."
            )
            yield Notice("log_unfinished", message)
