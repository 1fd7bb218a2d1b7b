"""What is claimed of the synthetic study, each held against the points that were drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.experiments.markdown import number, told
from bacon.replication.claims import BIAS_ERRORS, Claim, errors_off
from bacon.replication.synthetic_figures import STUDY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

__all__ = ["claims_of_cells"]

LIMITS = {3.0: 0.25, 1.5: 0.55}
"""Lambda -> most of one stage's mean squared error that two stages may have."""

NEVER_ABOVE = 1.05
"""The same for any point of the grids."""

TENTH = 0.1


def claims_of_cells(table: pl.DataFrame) -> Iterator[Claim]:
    """Yield what is claimed of the study, as far as its points are there.

    Bias within 3.5 Monte Carlo standard errors of 0 at every point; the mean squared error of two
    stages, by design, never above 1.05 of one stage's (a claim fails when the 99 % Monte Carlo
    interval excludes it), and at most 0.25 and 0.55 at lambda 3 and 1.5. Then what the text of
    the paper's appendix D.3 says: below a tenth of the labels' alone at lambda 3, a pilot of 0.15
    the best, the smallest budget better than the labels alone at the largest, and the gain over
    one stage largest there.
    """
    rows = [row for row in table.iter_rows(named=True) if row["design_ratio_low"] is not None]
    if not rows:
        return
    lam, pilot, budget = STUDY
    yield _unbiased(rows)
    yield _never_above(rows)
    for one, limit in LIMITS.items():
        for row in _at(rows, pilot=pilot, budget=budget, **{"lambda": one}):
            yield Claim(
                f"at lambda {one:g} it is at most {limit} of one stage's"
                + (" (the paper: about half)" if one == max(LIMITS) else ""),
                row["design_ratio"] <= limit,
                f"by design {told(row, 'design_ratio')}, by errors {told(row, 'error_ratio')}",
            )
    for row in _at(rows, pilot=pilot, budget=budget, **{"lambda": max(LIMITS)}):
        yield Claim(
            f"at lambda {max(LIMITS):g} it is below a tenth of the labels' alone (paper)",
            row["alone_ratio_low"] <= TENTH,
            f"by errors {told(row, 'alone_ratio')}",
            agrees=row["alone_ratio"] <= TENTH,
        )
    pilots = _at(rows, budget=budget, **{"lambda": lam})
    text = f"a pilot of {pilot:g} is the best"
    yield _best(pilots, "pilot", pilot, "variance_two", text) if len(pilots) > 1 else _not(text)
    budgets = _at(rows, pilot=pilot, **{"lambda": lam})
    if len(budgets) < 2:
        yield _not("two stages at the least budget err less than labels alone at the largest")
        yield _not("the gain over one stage is largest at the least budget")
        return
    yield _cheaper(budgets)
    least = min(row["budget"] for row in budgets)
    text = f"the gain over one stage is largest at a budget of {least:g}"
    yield _best(budgets, "budget", least, "design_ratio", text)


def _not(text: str) -> Claim:
    """Return a claim whose points were not drawn."""
    return Claim(f"{text} (paper)", None, "not run: its points are not among those drawn")


def _at(rows: list[dict[str, Any]], **place: float) -> list[dict[str, Any]]:
    """Return the points of a place."""
    return [row for row in rows if all(row[name] == value for name, value in place.items())]


def _unbiased(rows: list[dict[str, Any]]) -> Claim:
    """Return whether no point is off by more than chance."""
    text = (
        f"two stages are unbiased at every point, within {BIAS_ERRORS} Monte Carlo standard errors"
    )
    known = [row for row in rows if row["bias_two_low"] is not None]
    if not known:
        return Claim(text, None, "too few draws show a bias")
    ends = ("bias_two", "bias_two_low", "bias_two_high", "trials")
    off = [errors_off(*(row[name] for name in ends)) for row in known]
    size, limit = max(off, key=lambda one: one[0] / one[1])
    found = f"{len(off)} points, the farthest {size:.1f} of {limit:.1f} standard errors off"
    return Claim(text, size <= limit, found)


def _never_above(rows: list[dict[str, Any]]) -> Claim:
    """Return whether two stages never lose to one."""
    worst = max(rows, key=lambda row: row["design_ratio_low"])
    place = f"lambda {worst['lambda']:g}, pilot {worst['pilot']:g}, budget {worst['budget']:g}"
    return Claim(
        f"their mean squared error is never above {NEVER_ABOVE} of one stage's",
        worst["design_ratio_low"] <= NEVER_ABOVE,
        f"at most {told(worst, 'design_ratio')}, at {place}",
    )


def _best(rows: list[dict[str, Any]], axis: str, at: float, name: str, text: str) -> Claim:
    """Return whether a figure is the least of its sweep at one point."""
    claimed = next(row for row in rows if row[axis] == at)
    others = [row for row in rows if row[axis] != at]
    best = min(rows, key=lambda row: (row[name], row[axis] != at))
    return Claim(
        f"{text} (paper)",
        all(claimed[f"{name}_low"] <= row[f"{name}_high"] for row in others),
        f"{_figure(claimed, name)} there, the least {_figure(best, name)} at {best[axis]:g}",
        agrees=best is claimed,
    )


def _cheaper(rows: list[dict[str, Any]]) -> Claim:
    """Return whether two stages on the least budget err less than labels alone on the most."""
    least = min(rows, key=lambda row: row["budget"])
    most = max(rows, key=lambda row: row["budget"])
    ours, theirs = least["variance_two"], most["variance_direct"]
    return Claim(
        f"two stages at a budget of {least['budget']:g} err less than labels alone at "
        f"{most['budget']:g} (paper)",
        least["variance_two_low"] <= most["variance_direct_high"],
        f"by design {_figure(least, 'variance_two')} against {_figure(most, 'variance_direct')}",
        agrees=ours < theirs,
    )


def _figure(row: Mapping[str, Any], name: str) -> str:
    """Return a ratio or a variance, which is small, with its interval."""
    digits = 3 if name.endswith("ratio") else 6
    value, low, high = (number(row[f"{name}{end}"], digits) for end in ("", "_low", "_high"))
    return f"{value} ({low}-{high})"
