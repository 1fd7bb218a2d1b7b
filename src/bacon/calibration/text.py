"""The result as a person reads it: a small table, then plain sentences."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from bacon.calibration.diagnostics.diagnose import diagnose, gain_between
from bacon.calibration.diagnostics.sentences import gain_sentence
from bacon.calibration.estimand import Estimand, parse_estimand
from bacon.calibration.practice import for_these
from bacon.calibration.practice_text import practice_lines
from bacon.calibration.record import no_worth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.calibration import Calibration
    from bacon.estimation.intervals import Interval, Target
    from bacon.estimation.results import Estimate
    from bacon.estimation.vector import Estimates

__all__ = ["aligned", "decimals", "ends_text", "summary_text"]

MOST_NAMED = 6
"""Classes named in a sentence; the table has all of them."""


def decimals(*values: float) -> int:
    """Return how many decimals show the smallest of `values` with two digits."""
    sizes = [abs(value) for value in values if math.isfinite(value) and value != 0.0]
    if not sizes:
        return 2
    return min(max(1 - math.floor(math.log10(min(sizes))), 0), 8)


def ends_text(interval: Interval, digits: int) -> str:
    """Return low - high, or that there is none."""
    if math.isnan(interval.low):
        return "(no valid interval)"
    return f"{_end(interval.low, digits)} - {_end(interval.high, digits)}"


def _end(value: float, digits: int) -> str:
    """Return an end of an interval, which may be open."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "no bound"


def _table(rows: list[tuple[str, str, str, str]], title: str, level: float) -> list[str]:
    """Lay out the three rows in columns."""
    return aligned([("", title, f"{level * 100:g} % interval", "half-width"), *rows])


def aligned(cells: Sequence[tuple[str, ...]]) -> list[str]:
    """Lay out rows in columns."""
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return [
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _row(name: str, value: float, interval: Interval, digits: int) -> tuple[str, str, str, str]:
    """Return one row of the table."""
    half = "" if not math.isfinite(interval.half_width) else f"{interval.half_width:.{digits}f}"
    return name, f"{value:.{digits}f}", ends_text(interval, digits), half


def _about(asked: Estimand, n_items: int, value: str) -> str:
    """Return the sentence's beginning: what is said of the pool."""
    these = f"these {n_items:,} items"
    if asked.kind == "mean":
        return f"People would score {these} {value} on average"
    if asked.label is not None:
        return f"By people's word, {value} of {these} would be {asked.label!r}"
    if asked.cut is not None:
        relation, first, last = asked.cut[0], asked.cut[1], asked.cut[-1]
        event = {"ge": f"at least {first:g}", "le": f"at most {first:g}", "eq": f"{first:g}"}
        between = f"between {first:g} and {last:g}"
        return f"By people's word, {value} of {these} would be {event.get(relation, between)}"
    if asked.kind == "quantile":
        return f"The {asked.tau:g} quantile of people's scores of {these} is {value}"
    words = {"sd": "standard deviation", "variance": "variance"}[asked.kind]
    return f"The {words} of people's scores of {these} is {value}"


def _worth(
    cal: Calibration, estimate: Estimate, alone: Estimate, *, level: float, target: Target
) -> str:
    """Say what the labels were worth with the judges, and without where the design counts too."""
    worth, bare = estimate.effective_labels(target), alone.effective_labels(target)
    n = cal.n_labels
    if cal.model == "human-only":
        return f"The {n:,} labels speak alone; the judges are ignored."
    if math.isnan(worth):
        return f"What your labels are worth cannot be told: {no_worth(estimate)}."
    has_fit = estimate.name == "mean" and not math.isnan(cal.r2)
    fit = f": R2 {cal.r2:.2f} out of fold" if has_fit else ""
    # The share of an event comes from a stack of its own, whose weights are other ones.
    models = "" if estimate.name.startswith("proportion") and cal.levels is None else _models(cal)
    text = f"Your {n:,} labels worked like {worth:,.0f}{fit}{models}."
    if not math.isnan(bare) and abs(bare / n - 1.0) > 0.02:
        text += f" Without the judges, as they were drawn, like {bare:,.0f}."
    gain = gain_between(cal, [estimate], [alone], name=estimate.name, level=level, target=target)
    return f"{text} {gain_sentence(gain, with_worth=False)}"


def _models(cal: Calibration) -> str:
    """Name the outcome model, and the members of a stack by falling weight."""
    weights = cal.model_weights
    if list(weights) == [cal.model]:
        return f"; model: {cal.model}"
    shown = [f"{name} {weight * 100:.0f} %" for name, weight in weights.items() if weight >= 0.01]
    return f"; models by weight: {', '.join(shown)}"


def _share_lines(cal: Calibration, *, level: float, target: Target) -> list[str]:
    """Return table and sentences of the shares of all classes."""
    found, alone = cal.shares(), cal.shares(labels_alone=True)
    joint = found.simultaneous(level, target)
    own = {name: one.interval(level, target) for name, one in found.items()}
    digits = decimals(*(interval.half_width for interval in own.values()))
    raw = {n: cal.raw.estimate(parse_estimand(e.name, cal.levels)) for n, e in found.items()}
    judged = all(value is not None for value in raw.values())
    percent = f"{level * 100:g} %"
    cells = [("", "share", f"{percent} interval", "all at once", "labels alone", "judges")]
    for name, one in found.items():
        theirs = alone[name]
        cells.append(
            (
                name,
                f"{one.value:.{digits}f}",
                ends_text(own[name], digits),
                ends_text(joint[name], digits),
                f"{theirs.value:.{digits}f}  {ends_text(theirs.interval(level, target), digits)}",
                f"{raw[name]:.{digits}f}" if judged else "",
            )
        )
    lines = aligned(cells if judged else [row[:-1] for row in cells])
    largest = sorted(found, key=lambda name: -found[name].value)[:MOST_NAMED]
    said = ", ".join(f"{found[name].value:.{digits}f} {name!r}" for name in largest)
    more = f" and {len(found) - len(largest)} smaller classes" if len(found) > MOST_NAMED else ""
    lines.append(f"By people's word these {cal.pool.n_items:,} items would be {said}{more}.")
    lines.append(
        f"Each interval holds with {percent} by itself; those under all at once hold together."
    )
    others = {name: found[name].interval(level, "population") for name in largest}
    told = ", ".join(f"{_to(ends, digits)} {name!r}" for name, ends in others.items())
    lines.append(f"For items like them that you have not seen: {told}.")
    if judged:
        answers = ", ".join(f"{raw[name]:.{digits}f} {name!r}" for name in largest)
        lines.append(f"The judges alone{_of_judges(cal)} would have said {answers}.")
    lines.append(_shares_worth(cal, found, alone, largest, level=level, target=target))
    lines += [f"Note: {notice.message}" for notice in found.notices]
    return lines


def _shares_worth(
    cal: Calibration,
    found: Estimates,
    alone: Estimates,
    names: list[str],
    *,
    level: float,
    target: Target,
) -> str:
    """Say what the labels were worth for each class."""
    if cal.model == "human-only":
        return f"The {cal.n_labels:,} labels speak alone; the judges are ignored."
    worth = {name: found[name].effective_labels(target) for name in names}
    told = ", ".join(f"{w:,.0f} for {name!r}" for name, w in worth.items() if not math.isnan(w))
    if not told:
        return f"What your labels are worth cannot be told: {no_worth(found[names[0]])}."
    text = f"Your {cal.n_labels:,} labels worked like {told}{_models(cal)}."
    members, others = list(found.values()), list(alone.values())
    gain = gain_between(cal, members, others, name="shares", level=level, target=target)
    return f"{text} {gain_sentence(gain, with_worth=False)}"


def _estimand_lines(cal: Calibration, name: str, *, level: float, target: Target) -> list[str]:
    """Return table and sentences of one estimand."""
    asked = parse_estimand(name, cal.levels)
    estimate = cal.estimate(name)
    alone = cal.estimate(name, labels_alone=True)
    ours, theirs = estimate.interval(level, target), alone.interval(level, target)
    digits = decimals(ours.half_width, theirs.half_width)
    if all(math.isnan(interval.low) for interval in (ours, theirs)):
        digits = decimals(estimate.value)
    raw = cal.raw.estimate(asked)
    rows = [
        _row("BACON", estimate.value, ours, digits),
        _row("labels alone", alone.value, theirs, digits),
    ]
    if raw is not None:
        rows.append(("judges, raw average", f"{raw:.{digits}f}", "(no valid interval)", ""))
    lines = _table(rows, name, level)
    begin = _about(asked, cal.pool.n_items, f"{estimate.value:.{digits}f}")
    pool, population = (estimate.interval(level, t) for t in ("pool", "population"))
    percent = f"{level * 100:g} %"
    if math.isnan(pool.low):
        lines.append(f"{begin}; there is no valid interval: {pool.reason}.")
    else:
        lines.append(f"{begin} ({percent} interval {_to(pool, digits)}).")
    if not math.isnan(population.low):
        lines.append(f"For items like them that you have not seen: {_to(population, digits)}.")
    if raw is not None:
        lines.append(
            f"{_who(cal, asked)} would have said {raw:.{digits}f}, {_off(raw, estimate, digits)}."
        )
    elif cal.raw.reason is not None and asked.label is None:
        lines.append(f"The judges alone say nothing on this scale: {cal.raw.reason}.")
    these = for_these(cal, asked, estimate), for_these(cal, asked, alone, labels_alone=True)
    lines.append(_worth(cal, *these, level=level, target=target))
    lines += practice_lines(cal, asked, estimate, level=level, target=target, digits=digits)
    lines += [f"Note: {notice.message}" for notice in estimate.notices]
    return lines


def _who(cal: Calibration, asked: Estimand) -> str:
    """Name the judges whose raw scores are read, if not all are."""
    plain = asked.kind == "mean" or asked.label is not None
    return ("The judges alone" if plain else "The judges' average score") + _of_judges(cal)


def _of_judges(cal: Calibration) -> str:
    """Say which judges are read, if not all are."""
    n_used = len(cal.raw.used)
    if n_used == cal.pool.n_judges:
        return ""
    which = "on the labels' scale" if cal.levels is None else "that answer with the classes"
    return f" ({n_used} of {cal.pool.n_judges}, those {which})"


def _off(raw: float, estimate: Estimate, digits: int) -> str:
    """Say how far the raw judges are from the estimate, in the digits shown."""
    gap = round(raw - estimate.value, digits)
    if gap == 0.0:
        return "the same"
    return f"{abs(gap):.{digits}f} too {'high' if gap > 0.0 else 'low'}"


def _to(interval: Interval, digits: int) -> str:
    """Return low to high."""
    return f"{_end(interval.low, digits)} to {_end(interval.high, digits)}"


def summary_text(
    cal: Calibration, estimands: tuple[str, ...], *, level: float, target: Target
) -> str:
    """Return what is assumed, then a table and sentences for each estimand, then the rest."""
    first = [n for n in cal.notices if n.code in _FIRST]
    rest = [n for n in cal.notices if n.code not in _FIRST]
    lines = [notice.message for notice in first]
    for name in estimands or cal.default_estimands():
        of_name = _share_lines if name == "shares" else partial(_estimand_lines, name=name)
        lines += of_name(cal, level=level, target=target)
    lines += diagnose(cal, None, level=level).short()
    lines += [f"Note: {notice.message}" for notice in rest]
    return "\n".join(lines)


_FIRST = (
    "assumed_sample",
    "labels_not_random",
    "labels_outside_sample",
    "missing_follows_labels",
    "probabilities_do_not_fit",
    "unanswered",
)
"""Notices that bear on whether the claim holds at all, printed before the numbers."""
