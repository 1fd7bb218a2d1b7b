"""Coefficients of the human outcome on features of the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import EstimationError, InputError
from bacon.estimation.augmented_score import solve
from bacon.estimation.coefficients import (
    basis_of,
    coefficient_estimates,
    collinear,
    need_labels,
)
from bacon.estimation.families import FAMILIES
from bacon.estimation.score_equation import NoFiniteRoot, ScoreEquation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.estimation.estimands import Setting
    from bacon.estimation.families import Family
    from bacon.estimation.vector import Estimates

__all__ = ["family_called", "regression_estimates"]

SHOWN = 0.3
"""Share of the largest part of a direction from which a column is named in a message."""


def family_called(name: str) -> Family:
    """Return the family of a regression by its name."""
    if name not in FAMILIES:
        raise InputError(f"family must be one of {', '.join(FAMILIES)}; got {name!r}.")
    return FAMILIES[name]


def regression_estimates(
    names: Sequence[str],
    x: FloatArray,
    y: FloatArray,
    f: FloatArray | None,
    setting: Setting,
    *,
    family: str = "linear",
    adjust: bool = True,
) -> Estimates:
    """Estimate the coefficients that a regression of all N human outcomes would have.

    Parameters
    ----------
    names : sequence of p str
        Names of the columns.
    x : (N, p) float64
        Columns of every item; a column of ones is the intercept.
    y : (m,) float64
        Outcome at the labelled rows; in [0, 1] for logistic, at least 0 for Poisson.
    f : (N,) float64 or None
        Prediction E[Y | X] of every item, out of fold at the labelled ones; None for the
        labels alone.
    setting : Setting
        Design and what goes with it.
    family : {"linear", "logistic", "poisson"}
        OLS, or the canonical link of the family.
    adjust : bool
        Adjust the predictions by the labels' own regression first; see
        :mod:`bacon.estimation.augmented_score`.

    Returns
    -------
    Estimates
        Of kind "coefficient", by name.

    Raises
    ------
    InputError
        Labels the family does not have, collinear columns, or too few labels.
    EstimationError
        No finite coefficients: the columns separate the outcomes.

    Notes
    -----
    The claim is of the best fit of this family to all items (or to more items like them); it
    asks for no model to be true.

    Examples
    --------
    >>> import numpy as np
    >>> from bacon.estimation.designs import simple_design
    >>> from bacon.estimation.estimands import Setting
    >>> length = np.arange(8.0)
    >>> x = np.column_stack([np.ones(8), length])
    >>> rows = np.array([0, 2, 3, 5, 7])
    >>> setting = Setting(simple_design(rows, 8))
    >>> f = 1.0 + 0.5 * length
    >>> y = f[rows] + np.array([0.1, -0.1, 0.2, -0.1, 0.0])
    >>> found = regression_estimates(["intercept", "length"], x, y, f, setting)
    >>> {name: round(one.value, 3) for name, one in found.items()}
    {'intercept': 1.071, 'length': 0.485}
    """
    kind = family_called(family)
    _check_labels(y, setting, family)
    rows = setting.design.rows
    _check_columns(names, x, "all items")
    need_labels(setting, x.shape[1])
    _check_columns(names, x[rows], "the labelled items")
    basis, back = basis_of(x)
    equation = ScoreEquation(kind, (basis,))
    own_f = None if f is None else f[:, None]
    try:
        solution = solve(y[:, None], own_f, equation, setting.design, adjust=adjust)
    except NoFiniteRoot as error:
        raise _separated(names, x, back @ error.direction, family) from None
    told = () if solution.adjusted or not adjust else (_not_adjusted(),)
    return coefficient_estimates(
        "coefficient",
        names,
        back,
        solution,
        setting,
        alike=float(np.ptp(y)) == 0.0,
        notices=told,
    )


def _check_labels(y: FloatArray, setting: Setting, family: str) -> None:
    """Refuse labels that the family does not have."""
    if family == "linear":
        return
    bad = (y < 0.0) if family == "poisson" else (y < 0.0) | (y > 1.0)
    if not bad.any():
        return
    k = int(np.argmax(bad))
    wanted = "counts or amounts from 0 up" if family == "poisson" else "0 or 1, or shares between"
    raise InputError(
        f"the label of row {int(setting.design.rows[k]) + 1:,} is {y[k]:g} ({int(bad.sum()):,} "
        f"such labels), but a {family} regression needs {wanted}; recode the labels or take "
        'family="linear".'
    )


def _check_columns(names: Sequence[str], x: FloatArray, where: str) -> None:
    """Refuse columns that determine one another over all items, or over the labelled ones."""
    found = collinear(x)
    if not found:
        return
    listed = ", ".join(names[k] for k in found)
    mend = "leave one of them out" if len(found) > 1 else "leave it out"
    if where != "all items":
        mend += ", or label items in which they differ: without them the answer would rest on the "
        mend += "predictions alone"
    what = "do not differ apart from one another" if len(found) > 1 else "is 0 everywhere"
    raise InputError(f"columns {listed}: over {where} their values {what}; {mend}.")


def _separated(
    names: Sequence[str], x: FloatArray, direction: FloatArray, family: str
) -> EstimationError:
    """Return the error for coefficients without a finite value, naming the columns behind it."""
    size = np.abs(direction) * x.std(axis=0)
    if not size.any():
        size = np.abs(direction)
    behind = [names[k] for k in np.argsort(-size) if size[k] > SHOWN * size.max()]
    ends = "0 from 1" if family == "logistic" else "0 from the rest"
    return EstimationError(
        f"the {family} regression has no finite coefficients: {', '.join(behind)} separate "
        f"outcomes {ends}. Leave a column out, join rare categories, label more items, or take "
        'family="linear".'
    )


def _not_adjusted() -> Notice:
    """Tell that predictions were corrected without the labels' own regression."""
    return Notice(
        "predictions_not_adjusted",
        "The labels alone have no finite coefficients (a column separates their outcomes), so the "
        "predictions were corrected by the labels' mean errors only, and the answer leans on the "
        "predictions. Label more items.",
    )
