"""Scores in long form, JSON lines or CSV: one row an item and judge, or an item with its scores."""

from __future__ import annotations

import csv
import re
from typing import IO, TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.judges.importers.json_files import json_lines, lines
from bacon.judges.importers.samples import Broken, Sample, Score, lookup
from bacon.judges.importers.values import NO_SCORE, item_id, read_score, run_number
from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bacon.judges.importers.samples import Choices, Found

__all__ = ["read_csv", "read_jsonl"]

ITEMS = ("item_id", "item", "id", "sample_id", "doc_id")
JUDGES = ("judge", "scorer", "metric", "judge_name")
RUNS = ("run", "epoch", "repeat")
SCORES = ("score", "value", "rating")
REASONS = ("reason", "error", "status")
"""Usual names, taken where none is given."""

LONGEST_REASON = 60


def read_jsonl(path: Path, choices: Choices) -> Iterator[Found]:
    """Yield the samples of JSON lines."""
    return _read(json_lines(path), path.name, choices, whole=False)


def read_csv(path: Path, choices: Choices) -> Iterator[Found]:
    """Yield the samples of a CSV or TSV file: UTF-8, with a header."""
    return _read(_csv_records(path), path.name, choices, whole=True)


def _csv_records(path: Path) -> Iterator[tuple[int, dict[str, Any]] | Broken]:
    """Yield the rows of a CSV file as records, row 1 the first after the header."""
    separator = _separator(path)
    csv.field_size_limit(2**31 - 1)
    with path.open("rb") as file:
        reader = csv.reader(_text_lines(file, path.name), delimiter=separator, strict=True)
        header: list[str] | None = None
        row = 0
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise InputError(
                    f"{path.name} row {row + 1:,} has a broken quote ({error}); close it, and "
                    "double a quote that belongs to the text."
                ) from None
            if cells is None:
                return
            if header is None:
                header = _checked(cells, path.name)
            elif cells:
                row += 1
                if len(cells) == len(header):
                    yield row, dict(zip(header, cells, strict=True))
                else:
                    why = f"it has {len(cells)} fields where the header has {len(header)}"
                    yield Broken(row, why)


def _checked(header: list[str], name: str) -> list[str]:
    """Return the header, refusing one with a name twice."""
    if len(set(header)) < len(header):
        raise InputError(
            f"{name} has a column name twice in its header; give every column its own name."
        )
    return header


def _text_lines(file: IO[bytes], name: str) -> Iterator[str]:
    """Yield the lines of a text file, refusing what is no UTF-8."""
    for line in lines(file, blank=True):
        if isinstance(line, Broken):
            raise InputError(f"{name} line {line.row:,} cannot be used: {line.why}; mend the file.")
        number, _, data = line
        try:
            yield data.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name} line {number:,} is not UTF-8 (byte 0x{data[error.start]:02x}); save it "
                f"as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 {name})."
            ) from None


def _separator(path: Path) -> str:
    """Return the sign between fields: by the ending, or the header's most frequent."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open("rb") as file:
        header = next(_text_lines(file, path.name), "")
    return max(",;\t", key=header.count)


class _Fields:
    """Which fields of a record hold what; `whole` says that every record has the same fields."""

    def __init__(self, names: list[str], source: str, choices: Choices, *, whole: bool) -> None:
        plain = [name for name in choices.scores if not any(sign in name for sign in "*?[")]
        for name in (choices.item, choices.judge, choices.run, choices.reason, *plain):
            if whole and name is not None and name not in names:
                raise InputError(
                    f"{source} has no column {name}; its columns are {listed(names, 12)}."
                )
        self.item = choices.item or _usual(ITEMS, names)
        self.judge = choices.judge or _usual(JUDGES, names)
        self.run = choices.run or _usual(RUNS, names)
        self.reason = choices.reason or _usual(REASONS, names)
        if self.item is None:
            raise InputError(
                f"{source} has no column for the items; name it with --item-column (it has "
                f"{listed(names, 12)})."
            )
        taken = (self.item, self.judge, self.run, self.reason)
        if choices.scores:
            self.scores = [n for n in names if choices.wants(n) and n not in taken]
            # A dotted name leads into objects and stands nowhere among the names.
            self.scores += [name for name in plain if name not in names]
        else:
            usual = _usual(SCORES, names)
            self.scores = [usual] if usual else []
        if not self.scores:
            raise InputError(
                f"{source} has no column for the scores; name it with --score-column (it has "
                f"{listed(names, 12)})."
            )
        if self.judge is not None and len(self.scores) > 1:
            raise InputError(
                f"{source} names the judge in column {self.judge}, and --score-column names "
                f"{listed(self.scores)}; with a column of judges there is one of scores."
            )


def _usual(usual: Iterable[str], names: list[str]) -> str | None:
    return next((name for name in usual if name in names), None)


def _read(
    records: Iterable[tuple[int, dict[str, Any]] | Broken],
    source: str,
    choices: Choices,
    *,
    whole: bool,
) -> Iterator[Found]:
    """Yield the samples of records, each with one score or one for each column of scores."""
    fields: _Fields | None = None
    for record in records:
        if isinstance(record, Broken):
            yield record
            continue
        row, values = record
        if fields is None:
            fields = _Fields(list(values), source, choices, whole=whole)
            found = {"item": fields.item, "judge": fields.judge, "run": fields.run}
            told = ", ".join(f"{role} {name}" for role, name in found.items() if name)
            message = f"{source}: columns are {told}, score {listed(fields.scores)}."
            yield Notice("columns_taken", message)
        yield _sample(row, values, fields, choices)


def _sample(row: int, values: dict[str, Any], fields: _Fields, choices: Choices) -> Sample | Broken:
    """Return the sample of one record."""
    item = item_id(lookup(values, str(fields.item)))
    if item is None:
        return Broken(row, f"column {fields.item} holds no id of one number or text")
    run = None
    if fields.run is not None:
        run = run_number(lookup(values, fields.run))
        if run is None:
            return Broken(row, f"column {fields.run} is no whole number from 1")
    names = fields.scores
    if fields.judge is not None:
        judge = lookup(values, fields.judge)
        if not isinstance(judge, str) or not judge.strip():
            return Broken(row, f"column {fields.judge} names no judge")
        names = [judge.strip()]
    scores: dict[str, Score] = {}
    for name, column in zip(names, fields.scores, strict=True):
        score = read_score(lookup(values, column), choices)
        if score.reason == NO_SCORE and fields.reason is not None:
            score = Score((None,), _reason(lookup(values, fields.reason)))
        scores[name] = score
    return Sample(row, item, run, scores, kind=None)


def _reason(given: Any) -> str:
    """Return why there is no score, as a file of the user's tells it."""
    if not isinstance(given, str) or given.strip().lower() in ("", "ok", "na"):
        return NO_SCORE
    return shown(re.sub(r"\s+", " ", given.strip()), LONGEST_REASON)
