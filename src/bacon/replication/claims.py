"""What a study is held to: the paper's pattern, checked on every budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scipy import stats

from bacon.experiments.markdown import told
from bacon.experiments.montecarlo import Z99

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from bacon.experiments.run import Measured

__all__ = ["BIAS_ERRORS", "Claim", "claim_lines", "claims_of", "claims_said", "errors_off"]

BIAS_ERRORS = 3.5
"""Monte Carlo standard errors that a bias may reach by chance in one of so many cells; with few
draws the quantile of Student's t that is as far out."""

TELLING = 10
"""Draws that do not all err alike by chance."""

ROUNDING = 1e-9
"""Of a figure: less than this is no difference."""

CALIBRATED = ("full", "judges", "embeddings")
JOINT = (0.94, 0.98)


@dataclass(frozen=True)
class Claim:
    """One claim with what was found.

    Parameters
    ----------
    text : str
        What is claimed.
    held : bool or None
        Whether it holds, within Monte Carlo error where it says so; None where nothing can
        tell.
    found : str
        The figures, or why there are none.
    agrees : bool
        Whether the figures themselves agree, and not only their Monte Carlo intervals.
    """

    text: str
    held: bool | None
    found: str
    agrees: bool = True

    @property
    def verdict(self) -> str:
        """Yes, no, within error, or not judged."""
        if self.held is None:
            return "not judged"
        if not self.held:
            return "**NO**"
        return "yes" if self.agrees else "within Monte Carlo error"


def claim_lines(claims: Sequence[Claim]) -> list[str]:
    """Return the claims as a Markdown list."""
    return [f"- {one.verdict}: {one.text}. {one.found}." for one in claims]


def claims_said(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield how many claims hold, then those that do not."""
    judged = [one for one in claims if one.held is not None]
    if not judged:
        return
    holding = sum(bool(one.held) and one.agrees for one in judged)
    near = sum(bool(one.held) and not one.agrees for one in judged)
    more = f", {near} more within Monte Carlo error: further draws would tell" if near else ""
    yield f"{holding} of {len(judged)} claims hold{more}."
    for one in judged:
        if not one.held:
            yield f"  Does not hold: {one.text}. {one.found}."


def claims_of(measured: Measured) -> list[Claim]:
    """Return the pattern of the paper's figures, each held against this experiment.

    Bias: every cell (budget, configuration, system) within 3.5 Monte Carlo standard errors of
    0. Error: the full model better than the intercept alone at every budget. With systems:
    rankings no worse at any budget, and intervals that hold for all at once in 94 to 98 % of
    the draws (a claim fails when the 99 % Monte Carlo interval excludes it).
    """
    import polars as pl

    names = set(measured.summary["configuration"])
    modelled = [name for name in CALIBRATED if name in names]
    if not modelled:
        return []
    cells = measured.summary.filter(
        pl.col("configuration").is_in([*modelled, "human-only"]) & pl.col("bias").is_not_null()
    )
    # Where every item of a system is labelled its mean errs by rounding alone.
    size = float(measured.results.select(pl.col("truth_pool").abs().max()).item() or 0.0)
    exact = pl.col("rmse") <= ROUNDING * size
    cells = cells.with_columns(
        pl.when(exact).then(0.0).otherwise(pl.col(name)).alias(name)
        for name in ("bias", "bias_low", "bias_high")
    )
    whole = measured.summary.filter(pl.col("group").is_null())
    found = [_bias(cells), *(_better(whole, name) for name in modelled)]
    for name in modelled if measured.ranking.height else []:
        found += [_ranks(measured.ranking, name), _joint(measured.ranking, name)]
    return found


def _bias(cells: pl.DataFrame) -> Claim:
    """Return whether no bias is more than chance."""
    text = (
        f"no bias beyond {BIAS_ERRORS} Monte Carlo standard errors in any of {cells.height:,} "
        "cells of budget, configuration and system"
    )
    worst, found = -1.0, "too few draws show a bias"
    for row in cells.iter_rows(named=True):
        if row["trials"] < 2 or _is_untold(row):
            continue
        size, limit = errors_off(row["bias"], row["bias_low"], row["bias_high"], row["trials"])
        if size / limit > worst:
            worst = size / limit
            of = f", {row['group']}" if row["group"] else ""
            where = f"{row['configuration']}, {row['design']}{of}: {row['bias']:+.4f}"
            found = f"the largest is {size:.2f} of {limit:.2f} with {row['trials']} draws ({where})"
    return Claim(text, None if worst < 0.0 else worst <= 1.0, found)


def _is_untold(row: dict[str, Any]) -> bool:
    """Whether too few draws err alike by chance, as a mean of few whole labels does."""
    alike = float(row["bias_high"] - row["bias_low"]) <= ROUNDING * abs(float(row["bias"]))
    return alike and row["bias"] != 0.0 and row["trials"] < TELLING


def errors_off(bias: float, low: float, high: float, trials: int) -> tuple[float, float]:
    """Return how many Monte Carlo standard errors a bias is off, and how many chance allows.

    From the ends of its 99 % interval over two or more draws; infinite where all draws err alike.
    """
    limit = float(stats.t.isf(stats.norm.sf(BIAS_ERRORS), trials - 1))
    se = (high - low) / 2.0 / Z99
    if se > 0.0:
        return abs(bias) / se, limit
    return (0.0 if bias == 0.0 else math.inf), limit


def _better(whole: pl.DataFrame, name: str) -> Claim:
    """Return whether a configuration errs less than the labels alone at every budget.

    By design variances where they are known, which are far more precise than errors.
    """
    import polars as pl

    text = f"{name}: less error than the intercept alone at every budget"
    rows = whole.filter(pl.col("configuration") == name)
    ratios = [
        (row, figure)
        for row in rows.iter_rows(named=True)
        if (figure := _first(row, "design_ratio", "rmse_ratio")) is not None
    ]
    if not ratios:
        return Claim(text, None, "labels alone do not err, or every draw was refused")
    return Claim(
        text,
        all(row[f"{figure}_low"] < 1.0 for row, figure in ratios),
        "RMSE as a share of it: " + ", ".join(told(row, figure) for row, figure in ratios),
        agrees=all(row[figure] < 1.0 for row, figure in ratios),
    )


def _ranks(ranking: pl.DataFrame, name: str) -> Claim:
    """Return whether systems are ranked better than by labels alone at every budget."""
    import polars as pl

    ours = ranking.filter(pl.col("configuration") == name)
    base = ranking.filter(pl.col("configuration") == "human-only")
    text = f"{name}: systems ranked better than by the intercept alone at every budget"
    pairs = [
        (one, other)
        for one, other in zip(ours.iter_rows(named=True), base.iter_rows(named=True), strict=True)
        if one["spearman"] is not None and other["spearman"] is not None
    ]
    if not pairs:
        return Claim(text, None, "fewer than three systems differ, so that no ranking correlates")
    return Claim(
        text,
        all(one["spearman_high"] >= other["spearman_low"] for one, other in pairs),
        "Spearman: "
        + ", ".join(
            f"{one['spearman']:.3f} against {other['spearman']:.3f}" for one, other in pairs
        ),
        agrees=all(one["spearman"] > other["spearman"] for one, other in pairs),
    )


def _joint(ranking: pl.DataFrame, name: str) -> Claim:
    """Return whether intervals hold for all systems at once as often as they should."""
    import polars as pl

    rows = [
        row
        for row in ranking.filter(pl.col("configuration") == name).iter_rows(named=True)
        if row["coverage_joint"] is not None
    ]
    least, most = JOINT
    text = f"{name}: intervals of all systems hold at once in {JOINT[0]:.0%} to {JOINT[1]:.0%}"
    if not rows:
        return Claim(text, None, "no draw has an interval for every system")
    return Claim(
        text,
        all(r["coverage_joint_low"] <= most and r["coverage_joint_high"] >= least for r in rows),
        ", ".join(told(row, "coverage_joint") for row in rows),
        agrees=all(least <= row["coverage_joint"] <= most for row in rows),
    )


def _first(row: dict[str, Any], *names: str) -> str | None:
    """Return the first figure that the row has."""
    return next((one for one in names if row[one] is not None), None)
