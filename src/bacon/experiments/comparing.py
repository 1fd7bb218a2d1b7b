"""Two designs of one experiment held against each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from bacon.errors import InputError
from bacon.experiments.montecarlo import Figure, paired
from bacon.experiments.plan import design_name

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.experiments.plan import Design
    from bacon.experiments.run import Measured

__all__ = ["DesignComparison", "compare_designs"]


class DesignComparison(NamedTuple):
    """One design's error as a share of another's.

    Parameters
    ----------
    variance : Figure
        Ratio of averaged design variances; NaN where one of them has none.
    errors : Figure
        Ratio of mean squared errors.
    trials : int
        Trials that both have.
    """

    variance: Figure
    errors: Figure
    trials: int


def compare_designs(
    measured: Measured,
    a: Design | str,
    b: Design | str,
    configuration: str,
    *,
    against: str | None = None,
    estimand: str | None = None,
    power: float = 1.0,
) -> DesignComparison:
    """Return the error under design `a` as a share of that under `b`, paired by trial.

    The two designs should label equally many items: nothing is made good for a larger budget.

    Parameters
    ----------
    measured : Measured
        What :func:`bacon.experiments.run.simulate` gave for a plan with both designs.
    a, b : design or str
        The designs, or their names in the results.
    configuration : str
        Configuration under `a`.
    against : str, optional
        Configuration under `b`; the same by default.
    estimand : str, optional
        Estimand; the first of the experiment by default.
    power : float
        1 for ratios of variances and mean squared errors, 0.5 for those of their roots.

    Returns
    -------
    DesignComparison
        Ratios with 99 % Monte Carlo intervals.

    Raises
    ------
    InputError
        The experiment holds no draws of a design and configuration.

    Examples
    --------
    >>> import bacon
    >>> from bacon.experiments.plan import Plan
    >>> from bacon.experiments.run import simulate
    >>> from bacon.experiments.simulators import simulated_pool
    >>> one, two = bacon.UniformDesign(n=60), bacon.TwoStageDesign(rate=0.3, pilot=0.1)
    >>> plan = Plan(simulated_pool("mqm", n_items=200), [one, two], ["ridge"])
    >>> compare_designs(simulate(plan, trials=5), two, one, "ridge").trials
    5
    """
    chosen = estimand or measured.results["estimand"][0]
    ours = _of(measured.results, a, configuration, chosen)
    theirs = _of(measured.results, b, against or configuration, chosen)
    both = ours.join(theirs, on="trial", suffix="_b").sort("trial")
    return DesignComparison(
        variance=paired(
            _values(both, "design_variance"), _values(both, "design_variance_b"), power=power
        ),
        errors=paired(_values(both, "error") ** 2, _values(both, "error_b") ** 2, power=power),
        trials=both.height,
    )


def _of(
    results: pl.DataFrame, design: Design | str, configuration: str, estimand: str
) -> pl.DataFrame:
    """Return trial, error and design variance of one design and configuration."""
    import polars as pl

    name = design if isinstance(design, str) else design_name(design)
    cell = results.filter(
        (pl.col("design") == name)
        & (pl.col("configuration") == configuration)
        & (pl.col("estimand") == estimand)
        & pl.col("group").is_null()
    )
    if cell.height == 0:
        raise InputError(
            f"the experiment holds no draws of {estimand} by {name}, configuration "
            f"{configuration}; its designs are {', '.join(results['design'].unique().sort())}, "
            f"its configurations {', '.join(results['configuration'].unique().sort())}."
        )
    return cell.select("trial", "error", "design_variance")


def _values(table: pl.DataFrame, name: str) -> FloatArray:
    """Return a column of numbers (m,), NaN where there is none."""
    values: FloatArray = table[name].fill_null(math.nan).to_numpy()
    return values
