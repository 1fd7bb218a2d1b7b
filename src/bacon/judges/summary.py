"""What a run of the judges came to: every call is ok, NA with its reason, or left for later."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.data.notice import Notice
    from bacon.judges.records import Answer

__all__ = ["JudgeSummary", "Summary", "Tally"]

MOST_REASONS = 50
OTHER = "other reasons"
MOST_EXAMPLES = 3


@dataclass(slots=True)
class Tally:
    """Counts of one judge while it runs; see `JudgeSummary` for what they mean."""

    total: int | None = None
    seen: int = 0
    before: int = 0
    repeated: int = 0
    elsewhere: int = 0
    ok: int = 0
    na: int = 0
    attempts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    unpriced: int = 0
    uncounted: int = 0
    odd: int = 0
    by_reason: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    stopped: str | None = None
    waiting: str | None = None

    @property
    def done(self) -> int:
        """Calls that have an answer, from this run or before."""
        return self.before + self.repeated + self.ok + self.na

    def stored(self, answer: Answer) -> None:
        """Count an answer that the store has taken."""
        if answer.status == "ok":
            self.ok += 1
        else:
            self.na += 1
            reason = answer.reason or OTHER
            full = len(self.by_reason) >= MOST_REASONS and reason not in self.by_reason
            self.by_reason[OTHER if full else reason] += 1
        self.tokens_in += answer.prompt_tokens or 0
        self.tokens_out += answer.completion_tokens or 0
        self.money += answer.cost or 0.0
        self.unpriced += answer.cost is None

    def tell(self, text: str) -> None:
        """Keep one of the first things that went wrong, in words."""
        if text and len(self.examples) < MOST_EXAMPLES and text not in self.examples:
            self.examples.append(shown(text, 240))


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """How the calls of one judge ended.

    Parameters
    ----------
    name : str
        The judge.
    asked : int
        Calls that were wanted and had no answer before: ``ok + na + left``.
    ok, na, left : int
        With every score; stored without one; not made, or not answered, and so left for the next
        run.
    before, repeated : int
        Calls that had an answer already; calls that the same items asked for once more.
    by_reason, left_by_reason : dict of str to int
        Why answers are NA, and why calls are left, the most frequent first.
    attempts : int
        Requests made.
    tokens_in, tokens_out : int
        As the endpoint counted them.
    money : float
        By the judge's prices.
    unpriced : int
        Answers whose price is not known.
    stopped : str or None
        Why the judge ended before its items did.
    unread : bool
        Whether there may be more items, of an unknown number, that nobody has read.
    examples : tuple of str
        The first things that went wrong, as the endpoint put them.
    """

    name: str
    asked: int
    ok: int
    na: int
    left: int
    before: int
    repeated: int
    by_reason: Mapping[str, int]
    left_by_reason: Mapping[str, int]
    attempts: int
    tokens_in: int
    tokens_out: int
    money: float
    unpriced: int
    stopped: str | None = None
    unread: bool = False
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, tally: Tally) -> JudgeSummary:
        """Return the final counts of a judge."""
        total = tally.seen if tally.total is None else tally.total
        asked = max(total - tally.before - tally.repeated, tally.ok + tally.na)
        left = asked - tally.ok - tally.na
        why: dict[str, int] = {}
        elsewhere = min(tally.elsewhere, left)
        if elsewhere:
            why["another process is at it"] = elsewhere
        if left > elsewhere:
            why[tally.stopped or "not answered"] = left - elsewhere
        return cls(
            name=name,
            asked=asked,
            ok=tally.ok,
            na=tally.na,
            left=left,
            before=tally.before,
            repeated=tally.repeated,
            by_reason=dict(tally.by_reason.most_common()),
            left_by_reason=why,
            attempts=tally.attempts,
            tokens_in=tally.tokens_in,
            tokens_out=tally.tokens_out,
            money=tally.money,
            unpriced=tally.unpriced,
            stopped=tally.stopped,
            unread=tally.total is None and tally.stopped is not None,
            examples=tuple(tally.examples),
        )

    def __str__(self) -> str:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.by_reason.items())
        parts = [f"{self.ok:,} ok", f"{self.na:,} NA" + (f" ({reasons})" if reasons else "")]
        if self.left:
            left = ", ".join(f"{count:,} {reason}" for reason, count in self.left_by_reason.items())
            parts.append(f"{self.left:,}{' or more' if self.unread else ''} left ({left})")
        if self.before:
            parts.append(f"{self.before:,} answered before")
        return shown(f"{self.name}: {', '.join(parts)}", 1_000)


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended.

    Parameters
    ----------
    judges : tuple of JudgeSummary
        In the order in which they were given.
    seconds : float
        How long it took.
    interrupted : bool
        Whether it was stopped from outside: Ctrl-C, a signal, `stop`.
    notices : tuple of Notice
        What a reader must know.
    """

    judges: tuple[JudgeSummary, ...]
    seconds: float
    interrupted: bool = False
    notices: tuple[Notice, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every call has an answer, ok or NA."""
        return not any(judge.left or judge.unread for judge in self.judges)

    def __str__(self) -> str:
        lines = [str(judge) for judge in self.judges]
        if not self.complete:
            lines.append("The same command goes on where this run stopped.")
        return "\n".join(lines)
