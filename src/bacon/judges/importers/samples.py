"""What a reader of foreign scores gives: samples with their scores, and rows that are broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from bacon.judges.records import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.data.notice import Notice
    from bacon.judges.prompt import Prompt

__all__ = ["Broken", "Choices", "Found", "Sample", "Score", "lookup"]


@dataclass(frozen=True, slots=True)
class Choices:
    """What a user says of the files.

    Parameters
    ----------
    item, judge, run, reason : str or None
        Names of the fields that hold them, where a format leaves that open; a dot leads into
        nested objects.
    scores : tuple of str
        Names and globs of the scorers, metrics or columns that are wanted; all of them where
        there is none.
    levels : mapping of str to float or None
        Words that stand for a number, or for no score.
    scale : tuple of (float, float) or None
        Lowest and highest possible score; what lies outside is no score.
    prompt : Prompt or None
        By which the texts of a batch are read.
    format : str
        Of all files; auto looks at each.
    name : str or None
        Name of the judge, where there is one; else judges are called ``judge_<scorer>``.
    repeats : {"refuse", "runs", "first"}
        What to do where an item, judge and run come twice: refuse, take the second as the next
        run, or leave it out.
    skip_broken : bool
        Leave out rows that cannot be read, and count them, rather than refuse.
    """

    item: str | None = None
    judge: str | None = None
    run: str | None = None
    reason: str | None = None
    scores: tuple[str, ...] = ()
    levels: Mapping[str, float | None] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    prompt: Prompt | None = None
    format: str = "auto"
    name: str | None = None
    repeats: str = "refuse"
    skip_broken: bool = False

    def wants(self, name: str) -> bool:
        """Whether the scores of this name are wanted."""
        return not self.scores or any(
            name == pattern or fnmatchcase(name, pattern) for pattern in self.scores
        )


@dataclass(frozen=True, slots=True)
class Score:
    """What one scorer said of a sample.

    Parameters
    ----------
    scores : tuple of float or None
        One for each outcome.
    reason : str or None
        Why one is missing, from a short list.
    told : str
        What stood there, for a message.
    outcomes : tuple of str
        Names of the scores, where there are several.
    reading : Reading
        Uncertainty.
    prompt_tokens, completion_tokens : int or None
        Tokens of the judge.
    cost : float or None
        Money for this score.
    model, fingerprint, prompt_version : str or None
        Of the judge.
    """

    scores: tuple[float | None, ...]
    reason: str | None = None
    told: str = ""
    outcomes: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    model: str | None = None
    fingerprint: str | None = None
    prompt_version: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of a log, with everything that was said of it.

    Parameters
    ----------
    row : int
        Where it stands in its file, from 1.
    item : str
        Its id.
    run : int or None
        Number of the run; None where the format has none: the next one.
    scores : dict of str to Score
        By scorer.
    reason : str or None
        Why scorers are missing here which others of the same kind have.
    parts : tuple of (str, str)
        What else tells items apart where several logs are read: the task, the system judged.
    kind : str or None
        Samples of one kind have the same scorers: where one is missing, it failed. None where
        that is not so.
    """

    row: int
    item: str
    run: int | None
    scores: dict[str, Score]
    reason: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    kind: str | None = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that cannot be used: where it stands in its file, from 1, and why."""

    row: int
    why: str


if TYPE_CHECKING:
    Found = Sample | Broken | Notice
    """What a reader yields."""
else:
    Found = object


def lookup(record: Any, path: str) -> Any:
    """Return a field of a record, None where there is none; a dot leads into nested objects.

    Examples
    --------
    >>> lookup({"a.b": 1, "a": {"b": 2, "c": 3}}, "a.b"), lookup({"a": {"c": 3}}, "a.c")
    (1, 3)
    """
    if isinstance(record, dict) and path in record:
        return record[path]
    for name in path.split("."):
        if not isinstance(record, dict):
            return None
        record = record.get(name)
    return record
