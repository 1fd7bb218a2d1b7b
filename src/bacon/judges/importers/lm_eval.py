"""Samples of lm-evaluation-harness: one JSON line a document and filter; metrics are judges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bacon.judges.importers.json_files import json_lines
from bacon.judges.importers.samples import Broken, Sample, lookup
from bacon.judges.importers.values import item_id, read_score
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.judges.importers.samples import Choices, Found

__all__ = ["is_lm_eval", "read_samples_file"]

OTHERS = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "request_hash", "input", "prompt"),
    )
)
"""Fields of a sample that are no metric, for versions that do not list the metrics."""

_NAME = re.compile(r"(?:samples|pretrained.*?_samples)_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?")


def is_lm_eval(record: Any) -> bool:
    """Whether JSON is a sample of lm-evaluation-harness."""
    return (
        isinstance(record, dict)
        and "doc_id" in record
        and ("filtered_resps" in record or "resps" in record)
    )


def read_samples_file(path: Path, choices: Choices) -> Iterator[Found]:
    """Yield the samples of a file.

    The item is ``doc_id`` and the judge the metric, with the filter's name behind it where there
    is one. The task stands in the name of the file, the model in that of its folder.
    """
    matched = _NAME.fullmatch(path.stem)
    task = shown(matched["task"], 100) if matched else shown(path.stem, 100)
    parts = (("task", task), ("system", shown(path.absolute().parent.name, 100)))
    for line in json_lines(path):
        if isinstance(line, Broken):
            yield line
            continue
        row, record = line
        given = record.get("doc_id")
        if choices.item:
            given = lookup(record.get("doc"), choices.item)
            given = lookup(record, choices.item) if given is None else given
        item = item_id(given)
        if item is None:
            yield Broken(row, f"it has no {choices.item or 'doc_id'} that can be an id")
            continue
        kind = record.get("filter")
        kind = shown(kind, 60) if isinstance(kind, str) and kind != "none" else ""
        scores = {}
        for metric in _metrics(record):
            name = f"{metric} {kind}" if kind else metric
            if choices.wants(name) or choices.wants(metric):
                scores[name] = read_score(record.get(metric), choices)
        yield Sample(row, item, 1, scores, None, parts, kind)


def _metrics(record: dict[str, Any]) -> list[str]:
    """Return the names of the metrics of a sample."""
    listed = record.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str)]
    return [name for name, value in record.items() if name not in OTHERS and _is_plain(value)]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float)
