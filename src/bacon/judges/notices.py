"""What a reader of a run's counts must know besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bacon.judges.budget import Ledger
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.summary import JudgeSummary, Tally

__all__ = ["INTERRUPTED", "notices_of"]

INTERRUPTED = "interrupted"
"""Why judges stopped that somebody stopped."""


def notices_of(
    judges: Sequence[JudgeSummary],
    tallies: Mapping[str, Tally],
    specs: Sequence[JudgeSpec],
    ledger: Ledger,
) -> Iterator[Notice]:
    """Yield what happened beyond the counts.

    Parameters
    ----------
    judges : sequence of JudgeSummary
        The counts.
    tallies : mapping of str to Tally
        As they were kept.
    specs : sequence of JudgeSpec
        The judges.
    ledger : Ledger
        What was spent.
    """
    for judge in judges:
        if judge.stopped and judge.stopped != INTERRUPTED:
            said = f" ({judge.examples[-1]})" if judge.examples else ""
            yield Notice(
                "judge_stopped",
                f"{judge.name} was stopped: {judge.stopped}{said}; {_left(judge)}. "
                "Once that is mended, the same command goes on.",
            )
    free = [spec.name for spec in specs if spec.price_in is None or spec.price_out is None]
    if ledger.budget.money is not None and free:
        yield Notice(
            "judge_unpriced",
            f"The budget of money does not hold for {listed(free)}, whose prices are not known; "
            "give price_in and price_out.",
        )
    uncounted = {name: tally.uncounted for name, tally in tallies.items()}
    if any(uncounted.values()):
        yield Notice(
            "judge_tokens_uncounted",
            f"Answers came without their counts of tokens from {_counted(uncounted)}: what they "
            "cost is not known, and this run's budget took them at a guess.",
        )
    odd = {name: tally.odd for name, tally in tallies.items()}
    if any(odd.values()):
        yield Notice(
            "judge_answers_odd",
            f"Answers were read that were not quite as asked for, from {_counted(odd)}.",
        )
    for name in ledger.exceeded():
        yield Notice(
            "judge_budget_exceeded",
            f"The budget of {name} was exceeded: calls cost more than they had been taken for, or "
            "more was spent before.",
        )


def _left(judge: JudgeSummary) -> str:
    """Say how many calls are left, as far as that is known."""
    more = ", and those of items that were not read" if judge.unread else ""
    return f"{judge.left:,} calls are left{more}"


def _counted(counts: Mapping[str, int]) -> str:
    return listed(f"{name} ({count:,})" for name, count in counts.items() if count)
