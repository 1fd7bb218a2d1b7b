"""How a run is going: bars on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol, TextIO

from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from bacon.judges.asking import JudgeRun
    from bacon.judges.budget import Ledger
    from bacon.judges.summary import Tally

__all__ = ["Bars", "Lines", "Progress", "Silent", "progress_on", "status_line"]

RATE_SECONDS = 10.0
"""Rates are of about this long."""


class Progress(Protocol):
    """What a run tells of itself while it runs."""

    def start(self, judges: Mapping[str, JudgeRun], ledger: Ledger) -> None:
        """Note the judges, before anything is asked."""

    def tell(self, text: str) -> None:
        """Show a sentence."""

    def show(self, now: float) -> None:
        """Show how it goes; called a few times a second, `now` on a monotonic clock."""

    def end(self) -> None:
        """Show how it ended."""


class Silent:
    """Shows nothing."""

    def start(self, judges: Mapping[str, JudgeRun], ledger: Ledger) -> None:
        """Do nothing."""

    def tell(self, text: str) -> None:
        """Do nothing."""

    def show(self, now: float) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class _Rates:
    """Calls a second of each judge, over the last seconds."""

    def __init__(self) -> None:
        self._marks: dict[str, list[tuple[float, int]]] = {}

    def rate(self, name: str, tally: Tally, now: float) -> float | None:
        """Return the rate; None at the start."""
        marks = self._marks.setdefault(name, [])
        made = tally.ok + tally.na
        if not marks or now - marks[-1][0] >= 1.0:
            marks.append((now, made))
        while len(marks) > 2 and marks[1][0] < now - RATE_SECONDS:
            marks.pop(0)
        elapsed = now - marks[0][0]
        return (made - marks[0][1]) / elapsed if elapsed >= 1.0 else None


def status_line(tally: Tally, rate: float | None, budget: float | None) -> str:
    """Return counts of one judge: answers, rate, what is NA and why, money.

    Parameters
    ----------
    tally : Tally
        Its counts.
    rate : float or None
        Calls a second.
    budget : float or None
        Money that all judges together may spend.
    """
    total = "" if tally.total is None else f" / {tally.total:,}"
    parts = [f"{tally.done:,}{total}"]
    if tally.stopped:
        parts.append(f"stopped: {tally.stopped}")
    elif tally.waiting:
        parts.append(tally.waiting)
    elif rate:
        parts.append(f"{rate:,.0f} /s" if rate >= 10 else f"{rate:.1f} /s")
    if tally.na:
        reasons = [f"{count:,} {reason}" for reason, count in tally.by_reason.most_common(3)]
        more = ", ..." if len(tally.by_reason) > 3 else ""
        parts.append(f"{tally.na:,} NA ({', '.join(reasons)}{more})")
    if tally.money or (budget is not None and not tally.unpriced):
        parts.append(
            f"{tally.money:.2f}" + ("" if budget is None else f" of {budget:.2f}") + " spent"
        )
    return shown("   ".join(parts), 300)


class Lines:
    """Writes a line for each judge every some seconds.

    Parameters
    ----------
    file : file of text, optional
        Where to; the standard error stream by default.
    every : float
        Seconds between lines.
    """

    def __init__(self, file: TextIO | None = None, *, every: float = 10.0) -> None:
        self._file = file or sys.stderr
        self._every = every
        self._judges: Mapping[str, JudgeRun] = {}
        self._money: float | None = None
        self._rates = _Rates()
        self._next = 0.0
        self._last: dict[str, str] = {}

    def start(self, judges: Mapping[str, JudgeRun], ledger: Ledger) -> None:
        """Note the judges."""
        self._judges, self._money = judges, ledger.budget.money
        self._next = time.monotonic() + self._every

    def tell(self, text: str) -> None:
        """Write a sentence."""
        self._write(shown(text, 1_000))

    def show(self, now: float) -> None:
        """Write a line for each judge, if it is time."""
        due = now >= self._next
        for name, judge in self._judges.items():
            rate = self._rates.rate(name, judge.tally, now)
            if due:
                self._line(name, status_line(judge.tally, rate, self._money))
        if due:
            self._next = now + self._every

    def end(self) -> None:
        """Write the last counts."""
        for name, judge in self._judges.items():
            self._line(name, status_line(judge.tally, None, self._money))

    def _line(self, name: str, line: str) -> None:
        # Judges that have ended say nothing more.
        if self._last.get(name) != line:
            self._last[name] = line
            self._write(f"{shown(name, 40)}   {line}")

    def _write(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()


class Bars:
    """Draws a bar for each judge on a terminal.

    Parameters
    ----------
    file : file of text, optional
        The terminal; the standard error stream by default.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stderr
        self._judges: Mapping[str, JudgeRun] = {}
        self._money: float | None = None
        self._rates = _Rates()
        self._bars: RichProgress | None = None
        self._tasks: dict[str, TaskID] = {}

    def start(self, judges: Mapping[str, JudgeRun], ledger: Ledger) -> None:
        """Draw empty bars."""
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._judges, self._money = judges, ledger.budget.money
        self._bars = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(20),
            TextColumn("{task.fields[line]}", markup=False),
            console=Console(file=self._file, markup=False, highlight=False),
            auto_refresh=False,
        )
        for name, judge in judges.items():
            line = status_line(judge.tally, None, self._money)
            total = judge.tally.total
            self._tasks[name] = self._bars.add_task(shown(name, 40), total=total, line=line)
        self._bars.start()

    def tell(self, text: str) -> None:
        """Write a sentence above the bars."""
        if self._bars is not None:
            self._bars.console.print(shown(text, 1_000))

    def show(self, now: float) -> None:
        """Draw the bars anew."""
        if self._bars is None:
            return
        for name, judge in self._judges.items():
            rate = self._rates.rate(name, judge.tally, now)
            line = status_line(judge.tally, rate, self._money)
            self._bars.update(self._tasks[name], completed=judge.tally.done, line=line)
        self._bars.refresh()

    def end(self) -> None:
        """Draw the last counts and leave the terminal as it was."""
        if self._bars is not None:
            for name, judge in self._judges.items():
                line = status_line(judge.tally, None, self._money)
                self._bars.update(self._tasks[name], completed=judge.tally.done, line=line)
            self._bars.stop()
            self._bars = None


def progress_on(file: TextIO | None = None) -> Progress:
    """Return bars where the file, by default the standard error stream, is a terminal, or lines."""
    file = file or sys.stderr
    return Bars(file) if file.isatty() else Lines(file)
