"""Coefficients of a solved equation as estimates: named, transformed, with their intervals."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.designs import is_census
from bacon.estimation.estimands import build
from bacon.estimation.influence import Influence
from bacon.estimation.rules import TRule
from bacon.estimation.sandwich import degrees_of_freedom
from bacon.estimation.units import drawn_units
from bacon.estimation.vector import Estimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.data.notice import Notice
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.augmented_score import Solution
    from bacon.estimation.estimands import Setting
    from bacon.estimation.results import Estimate
    from bacon.estimation.sandwich import Variances

__all__ = ["basis_of", "coefficient_estimates", "collinear", "need_labels"]

DEPENDENT = 1e-9
"""Length, as a share of a column's own, that others leave of it when they determine it."""


def collinear(x: FloatArray) -> list[int]:
    """Return the columns (positions) that together determine one another; empty if none do."""
    found = _dependent(x)
    if found and (x[:, 0] == 1.0).all():
        # Beside an intercept only differences from the mean count, however far off zero they lie.
        centred = np.column_stack([x[:, :1], x[:, 1:] - x[:, 1:].mean(axis=0)])
        return found if _dependent(centred) else []
    return found


def _dependent(x: FloatArray) -> list[int]:
    """Return the columns that together come to nothing, as they stand."""
    length = np.linalg.norm(x, axis=0)
    if not length.all():
        return np.flatnonzero(length == 0.0).tolist()
    triangle = np.linalg.qr(x / length, mode="r")
    _, singular, vectors = np.linalg.svd(triangle)
    if len(singular) == x.shape[1] and singular[-1] > DEPENDENT * singular[0]:
        return []
    weights = np.abs(vectors[-1])
    return np.flatnonzero(weights > 1e-6 * weights.max()).tolist()


def basis_of(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal columns (N, q), times sqrt(N), and what turns their coefficients back.

    Parameters
    ----------
    x : (N, q) float64
        Columns of which none follows from the others.

    Returns
    -------
    basis : (N, q) float64
        Spans the same; Newton's method hardly rounds in it, whatever the columns' units.
    back : (q, q) float64
        Coefficients of `x` are ``back @`` those of the basis.
    """
    q, triangle = np.linalg.qr(x)
    root = np.sqrt(len(x))
    return q * root, np.linalg.inv(triangle) * root


def need_labels(setting: Setting, n_coefficients: int) -> None:
    """Refuse fewer labels than coefficients and one."""
    design = setting.design
    n, what = design.n_labels, "labels"
    if design.psu is not None:
        n, what = int(design.psu.max()) + 1, "labelled clusters"
    if n <= n_coefficients and not is_census(design):
        raise TooFewLabelsError(
            f"{n:,} {what} cannot show the error of {n_coefficients:,} coefficients: at least "
            f"{n_coefficients + 1:,} are needed. Label more items or take fewer columns."
        )


def coefficient_estimates(
    kind: str,
    names: Sequence[str],
    turn: FloatArray,
    solution: Solution,
    setting: Setting,
    *,
    alike: bool,
    notices: tuple[Notice, ...] = (),
) -> Estimates:
    """Return linear functions of solved coefficients as estimates.

    Parameters
    ----------
    kind : str
        What the names are.
    names : sequence of K str
        Names of the estimates.
    turn : (K, q) float64
        Each estimate as a combination of the coefficients.
    solution : Solution
        The coefficients with their influence values.
    setting : Setting
        Design and what goes with it.
    alike : bool
        The labels are all alike and show nothing of the error.
    notices : tuple of Notice
        What a reader must know.
    """
    twice = {name for name in names if list(names).count(name) > 1}
    if twice:
        raise InputError(
            f"two coefficients would be called {min(twice)!r}: a column or value has the name of "
            "another coefficient; rename it."
        )
    values = turn @ solution.theta
    residual = np.asfortranarray(solution.residual @ turn.T)
    prediction = np.asfortranarray(solution.prediction @ turn.T)
    rounding = (1e-14 * (np.abs(turn) @ solution.largest)) ** 2
    df = _degrees_of_freedom(turn, solution, setting.design)
    members: dict[str, Estimate] = {}
    for k, name in enumerate(names):
        g = prediction[:, k]
        members[name] = _one(
            f"{kind}:{name}",
            float(values[k]),
            Influence(residual[:, k], ((1.0, g),), -float(g.mean())),
            setting,
            float(df[k]),
            float(rounding[k]),
            alike,
        )
    told = dict.fromkeys(n for member in members.values() for n in member.notices)
    return Estimates(
        kind,
        MappingProxyType(members),
        n_claims=len(members),
        notices=(*told, *notices),
    )


def _degrees_of_freedom(turn: FloatArray, solution: Solution, design: SurveyDesign) -> FloatArray:
    """Return the degrees of freedom (K,) of the estimates' variances.

    Satterthwaite's (sum a)^2 / sum a^2 - 1 with a the parts of drawn units were errors as the
    family has them: a slope rests on the items far out, a group's coefficient on its own. Between
    1 and those of the design, less one for each further coefficient (Imbens and Kolesar 2016).
    """
    units = drawn_units(design)
    parts = sum((units.weights[:, None] * spread @ turn.T) ** 2 for spread in solution.spreads)
    unseen = np.ones(len(units.pi)) if is_census(design) else 1.0 - units.pi
    a = np.zeros((len(units.pi), len(turn)))
    np.add.at(a, units.of_row, parts)
    a *= unseen[:, None]
    total = a.sum(axis=0)
    own = np.divide(total**2, (a**2).sum(axis=0), out=np.ones(len(turn)), where=total > 0.0)
    most = degrees_of_freedom(design) - (len(solution.theta) - 1)
    return np.asarray(np.maximum(np.minimum(own - 1.0, most), 1.0))


def _one(
    name: str,
    value: float,
    influence: Influence,
    setting: Setting,
    df: float,
    rounding: float,
    alike: bool,
) -> Estimate:
    """Return one coefficient with its own degrees of freedom."""

    def own(found: Variances) -> Variances:
        uneven = None if found.df_uneven is None else min(found.df_uneven, df)
        return replace(found, df=df, df_uneven=uneven)

    made = build(
        name,
        value,
        influence,
        setting,
        rule=lambda found: TRule(value, own(found), setting.design),
        rounding=rounding,
        alike=alike,
    )
    return replace(made, variances=own(made.variances))
