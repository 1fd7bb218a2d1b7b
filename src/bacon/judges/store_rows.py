"""Answers as rows of a store and back, with what a hostile endpoint may send made harmless."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.checks import LARGEST
from bacon.errors import InputError
from bacon.judges.records import Answer, Call, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.judges.records import Status

__all__ = ["COLUMNS", "MOST_TEXT", "Row", "answer_of", "cell", "outcomes_of", "row_of", "text_of"]

COLUMNS = (
    "kept",
    "key",
    "judge",
    "item",
    "run",
    "status",
    "reason",
    "scores",
    "logprob",
    "entropy",
    "expected",
    "off_scale",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency",
    "attempts",
    "model",
    "fingerprint",
    "prompt_version",
    "changed",
)
"""Columns of the table of answers, without its id."""

MOST_TEXT = 100_000
"""Characters kept of what a judge wrote."""

MOST_NAME = 200
"""Characters kept of a reason, and of names that an endpoint returns."""

MOST_WHOLE = 2**53
"""Larger counts are no counts of tokens."""

NO_SCORE = "score out of range"


@dataclass(frozen=True, slots=True)
class Row:
    """An answer as the store keeps it.

    Parameters
    ----------
    cells : tuple
        One for each of `COLUMNS` after ``kept``.
    text : str, bytes or None
        What the judge wrote, as a cell.
    tally : tuple
        What the answer is counted under: judge, status, reason, outcomes, changed.
    amounts : tuple
        Its calls, tokens, money and whether its price is unknown.
    """

    cells: tuple[Any, ...]
    text: str | bytes | None
    tally: tuple[Any, ...]
    amounts: tuple[int, int, float, int]


def cell(text: str) -> str | bytes:
    """Return text as SQLite can hold it: half of a surrogate pair is no UTF-8, so as bytes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def text_of(value: str | bytes) -> str:
    """Return the text that a cell holds."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def outcomes_of(answer: Answer) -> tuple[str, ...]:
    """Return the names of the scores of an answer: ``score`` where it has one without a name.

    Raises
    ------
    InputError
        Scores and names do not go together.
    """
    names = answer.outcomes or ("score",)
    fitting = len(answer.scores) in (0, len(names))
    if not fitting or len({*names}) < len(names) or not all(names):
        raise InputError(
            f"judge {answer.call.judge}, item {answer.call.item}: {len(answer.scores)} scores for "
            f"the outcomes {', '.join(names)}; give each score an outcome with a name of its own."
        )
    return names


def row_of(answer: Answer) -> Row:
    """Return an answer as a row.

    Texts beyond their limits are cut, and numbers that no table can hold become missing; both
    are marked. An answer that loses a score that way is na.
    """
    names = outcomes_of(answer)
    given = answer.scores or (None,) * len(names)
    scores = dict(zip(names, map(_number, given), strict=True))
    status, reason = answer.status, answer.reason
    if [*scores.values()].count(None) > given.count(None):
        status, reason = "na", reason or NO_SCORE
    reading = answer.reading
    measured = (reading.logprob, reading.entropy, reading.expected, reading.off_scale)
    counted = (answer.prompt_tokens, answer.completion_tokens)
    numbers = [_number(value) for value in (*measured, answer.cost, answer.latency)]
    whole = [_whole(value) for value in counted]
    marks = []
    if answer.text is not None and len(answer.text) > MOST_TEXT:
        marks.append("text")
    if [*scores.values(), *numbers, *whole] != [
        *given, *measured, answer.cost, answer.latency, *counted
    ]:  # fmt: skip
        marks.append("numbers")
    changed = ",".join(marks)
    judge = cell(answer.call.judge)
    short = None if reason is None else cell(reason[:MOST_NAME])
    cells = (
        cell(answer.call.key),
        judge,
        cell(answer.call.item),
        answer.call.run,
        status,
        short,
        _json(scores),
        *numbers[:4],
        *whole,
        *numbers[4:],
        answer.attempts,
        _name(answer.model),
        _name(answer.fingerprint),
        _name(answer.prompt_version),
        changed,
    )
    money = numbers[4]
    return Row(
        cells,
        None if answer.text is None else cell(answer.text[:MOST_TEXT]),
        (judge, status, "" if short is None else short, _json(list(names)), changed),
        (1, sum(count or 0 for count in whole), money or 0.0, int(money is None)),
    )


def answer_of(values: Sequence[Any], text: str | bytes | None) -> Answer:
    """Return the answer of a row: all of it but the body of the request, which is not kept.

    Parameters
    ----------
    values : sequence
        One for each of `COLUMNS`.
    text : str, bytes or None
        What the judge wrote.
    """
    row = dict(zip(COLUMNS, values, strict=True))
    for name, value in row.items():
        if isinstance(value, bytes):
            row[name] = text_of(value)
    scores: dict[str, float | None] = json.loads(row["scores"])
    status: Status = "ok" if row["status"] == "ok" else "na"
    return Answer(
        Call(row["key"], row["judge"], row["item"], row["run"], b""),
        status,
        row["reason"],
        None if text is None else text_of(text),
        tuple(scores.values()),
        Reading(row["logprob"], row["entropy"], row["expected"], row["off_scale"]),
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        cost=row["cost"],
        latency=row["latency"],
        attempts=row["attempts"],
        model=row["model"],
        fingerprint=row["fingerprint"],
        prompt_version=row["prompt_version"],
        outcomes=() if [*scores] == ["score"] else tuple(scores),
    )


_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""Writes JSON that gives back every float exactly; made once, not for each value."""


def _number(value: float | None) -> float | None:
    """Return a number, None where it is not finite or overflows when squared."""
    if value is None or not abs(value) <= LARGEST:
        return None
    return float(value)


def _whole(value: int | None) -> int | None:
    """Return a count, None where it is none."""
    return value if value is not None and 0 <= value <= MOST_WHOLE else None


def _name(text: str | None) -> str | bytes | None:
    """Return a name that an endpoint sent, cut to a sensible length."""
    return None if text is None else cell(text[:MOST_NAME])
