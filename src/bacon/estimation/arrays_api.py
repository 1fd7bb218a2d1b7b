"""The array function: estimates from a user's own out-of-fold predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bacon.checks import (
    check_on_scale,
    check_probabilities,
    check_scale,
    check_vector,
    first_row,
)
from bacon.data.notice import Notice
from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.designs import (
    cluster_design,
    probability_design,
    simple_design,
    stratified_design,
)
from bacon.estimation.distributions import FunctionDistribution, ResidualDistribution
from bacon.estimation.estimands import (
    Setting,
    mean_estimate,
    proportion_estimate,
    sd_estimate,
    variance_estimate,
)
from bacon.estimation.events import Cut, event_of
from bacon.estimation.quantiles import quantile_estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.survey_design import DesignKind, SurveyDesign
    from bacon.estimation.results import Estimate

__all__ = ["aee"]

Estimand = Literal["mean", "proportion", "variance", "sd", "quantile"]


def aee(  # noqa: PLR0913 (one keyword per part of a design)
    y: npt.ArrayLike,
    f: npt.ArrayLike,
    *,
    s: npt.ArrayLike | None = None,
    pi: npt.ArrayLike | None = None,
    design: DesignKind = "simple",
    strata: npt.ArrayLike | None = None,
    psu: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    estimand: Estimand = "mean",
    tau: float | None = None,
    cut: Cut | float | None = None,
    scale: tuple[float, float] | None = None,
    phi: Callable[[float], FloatArray] | None = None,
) -> Estimate:
    """Estimate from labels and your own predictions by the augmented estimating equation.

    Parameters
    ----------
    y : (N,) array_like
        Human outcome, NaN where not labelled.
    f : (N,) array_like
        Prediction of every item. It must not have seen the item's own label: use out-of-fold
        predictions for labelled items. For a proportion, the predicted probability. Referred
        to and not copied: change it afterwards, and ``influence()`` changes with it.
    s : (N,) array_like of bool, optional
        Which items are labelled; by default those where `y` is not NaN.
    pi : (N,) array_like, optional
        Inclusion probabilities in (0, 1]; needed for designs poisson and fixed.
    design : {"simple", "poisson", "fixed", "stratified", "clusters"}
        How the labelled items were drawn: exactly n of N, independently with `pi`, a fixed
        number with unequal `pi`, simply within `strata`, or as whole `psu`.
    strata, psu, cluster : (N,) array_like, optional
        Stratum of every item; drawn unit of every item; unit that items share (prompt,
        document), which widens the population variance and leaves the pool's alone.
    estimand : {"mean", "proportion", "variance", "sd", "quantile"}
        What to estimate.
    tau : float, optional
        Level of the quantile in (0, 1).
    cut : tuple or float, optional
        Event of a proportion: ``("ge", 4)``, ``("le", 2)``, ``("between", 2, 4)``,
        ``("eq", 3)``; a number alone means at least that. By default `y` is 0 or 1.
    scale : (float, float), optional
        Lowest and highest possible label.
    phi : callable, optional
        theta -> (N,) values of P(Y <= theta | X), for a quantile. By default `f` plus the
        labelled residuals.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        An argument is not usable; the message names it, the position and the mend.
    DesignError
        The labels do not fit the design.
    TooFewLabelsError
        Fewer than two labels.

    Notes
    -----
    theta = sum_s w (y - f) / sum_s w + mean f, w = 1/pi (paper, section 2.3).

    Examples
    --------
    >>> import numpy as np, bacon
    >>> y = np.array([3.0, np.nan, 5.0, np.nan, 4.0, np.nan])
    >>> f = np.array([2.0, 3.0, 5.0, 4.0, 3.0, 1.0])
    >>> est = bacon.aee(y, f)
    >>> round(est.value, 4), round(est.se(), 4)
    (3.6667, 0.2357)
    """
    f_ = check_vector("f", f)
    n_items = len(f_)
    if n_items < 2:
        raise InputError(f"f must hold at least 2 items; got {n_items}.")
    y_ = check_vector("y", y, length=n_items, missing=True)
    check_scale(scale)
    _check_estimand(estimand, tau=tau, cut=cut, phi=phi)
    rows, set_aside = _labelled_rows(y_, s)
    survey, told = _survey_design(design, rows, n_items, pi=pi, strata=strata, psu=psu)
    codes = None if cluster is None else _codes("cluster", cluster, n_items)
    if codes is not None and codes.max() == 0:
        raise InputError("cluster: every item is in the same cluster; leave cluster out.")
    setting = Setting(survey, cluster=codes, scale=scale)
    y_m = y_[rows]
    check_on_scale(y_m, rows, scale)
    estimate = _estimate(estimand, y_m, f_, setting, tau=tau, cut=cut, phi=phi)
    return estimate.with_notices(set_aside + told)


def _check_estimand(
    estimand: str, *, tau: object = None, cut: object = None, phi: object = None
) -> None:
    """Refuse an unknown estimand, and arguments that it lacks or does not use."""
    uses: dict[str, Sequence[str]] = {
        "mean": (),
        "variance": (),
        "sd": (),
        "proportion": ("cut",),
        "quantile": ("tau", "phi"),
    }
    if estimand not in uses:
        raise InputError(f"estimand must be one of {', '.join(uses)}; got {estimand!r}.")
    for name, value in {"tau": tau, "cut": cut, "phi": phi}.items():
        if value is not None and name not in uses[estimand]:
            raise InputError(f'estimand="{estimand}" does not use {name}=.')
    if estimand == "quantile" and not isinstance(tau, int | float | np.number):
        raise InputError(f"a quantile needs its level: tau=0.5 is the median; got tau={tau!r}.")
    if phi is not None and not callable(phi):
        raise InputError(f"phi must be a function of theta; got {type(phi).__name__}.")


def _estimate(
    estimand: str,
    y: FloatArray,
    f: FloatArray,
    setting: Setting,
    *,
    tau: float | None,
    cut: Cut | float | None,
    phi: Callable[[float], FloatArray] | None,
) -> Estimate:
    """Hand the moment of `estimand` to its estimator."""
    rows = setting.design.rows
    if estimand == "mean":
        return mean_estimate(y, f, setting)
    if estimand in ("variance", "sd"):
        build = variance_estimate if estimand == "variance" else sd_estimate
        return build(y, f, np.zeros(1), setting)
    if estimand == "proportion":
        name, event = event_of(y, ("eq", 1.0) if cut is None else cut)
        if cut is None and not np.isin(y, (0.0, 1.0)).all():
            raise InputError(
                'a proportion without cut needs labels 0 and 1; give cut=("ge", value) or the like.'
            )
        bad = (f < 0.0) | (f > 1.0)
        if bad.any():
            row = first_row(bad)
            raise InputError(
                f"f[{row}] = {f[row]:g}: for a proportion f is the predicted probability of the "
                "event, between 0 and 1."
            )
        return proportion_estimate(name, event, f, setting)
    level = 0.5 if tau is None else tau
    if phi is not None:
        return quantile_estimate(level, y, FunctionDistribution(phi, rows, len(f)), setting)
    return quantile_estimate(level, y, ResidualDistribution.of(y, f, f[rows]), setting)


def _labelled_rows(y: FloatArray, s: npt.ArrayLike | None) -> tuple[IntArray, tuple[Notice, ...]]:
    """Return the labelled rows, refusing a mask that claims labels which `y` lacks."""
    told: tuple[Notice, ...] = ()
    if s is None:
        rows = np.flatnonzero(~np.isnan(y))
    else:
        mask: npt.NDArray[Any] = np.asarray(s)
        whole = mask.dtype.kind in "ui"
        is_mask = mask.dtype.kind == "b" or (whole and bool(np.isin(mask, (0, 1)).all()))
        if mask.shape != y.shape or not is_mask:
            raise InputError(
                f"s must be a true/false vector with {len(y):,} values; got shape {mask.shape} "
                f"of type {mask.dtype}."
            )
        rows = np.flatnonzero(mask)
        missing: BoolArray = np.isnan(y[rows])
        if missing.any():
            row = int(rows[first_row(missing)])
            raise InputError(f"s[{row}] says labelled but y[{row}] is missing; mend one of them.")
        beside = int(np.count_nonzero(~np.isnan(y))) - len(rows)
        if beside > 0:
            told = (
                Notice(
                    "labels_set_aside",
                    f"{beside:,} values of y are not used, because s says they are not labelled.",
                ),
            )
    if len(rows) == 0:
        raise TooFewLabelsError("y holds no label (every value is NaN); at least 2 are needed.")
    return rows.astype(np.int64, copy=False), told


def _codes(name: str, values: npt.ArrayLike, n_items: int) -> IntArray:
    """Return categories of every item as codes 0, 1, ... in sorted order."""
    array: npt.NDArray[Any] = np.asarray(values)
    if array.shape != (n_items,):
        raise InputError(f"{name} must have {n_items:,} values, one an item; got {array.shape}.")
    if array.dtype.kind == "O":
        gone = np.array([not isinstance(value, str | int | np.integer) for value in array])
    else:
        gone = np.isnan(array) if array.dtype.kind == "f" else np.zeros(n_items, dtype=bool)
    if gone.any():
        row = first_row(gone)
        raise InputError(
            f"{name}[{row}] = {array[row]!r} is missing or no category; every item needs a text "
            "or a whole number."
        )
    if array.dtype.kind == "O":
        array = array.astype(str)
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def _survey_design(
    kind: DesignKind,
    rows: IntArray,
    n_items: int,
    *,
    pi: npt.ArrayLike | None,
    strata: npt.ArrayLike | None,
    psu: npt.ArrayLike | None,
) -> tuple[SurveyDesign, tuple[Notice, ...]]:
    """Return the design of the labelled rows from per-item arguments."""
    given = {"pi": pi, "strata": strata, "psu": psu}
    needs: dict[str, Sequence[str]] = {
        "simple": (),
        "poisson": ("pi",),
        "fixed": ("pi",),
        "stratified": ("strata",),
        "clusters": ("psu",),
    }
    if kind not in needs:
        raise InputError(f"design must be one of {', '.join(needs)}; got {kind!r}.")
    for name, value in given.items():
        if (value is not None) != (name in needs[kind]):
            verb = "needs" if name in needs[kind] else "does not use"
            raise InputError(f'design="{kind}" {verb} {name}=.')
    if kind in ("poisson", "fixed"):
        pi_ = check_vector("pi", pi if pi is not None else (), length=n_items)
        check_probabilities("pi", pi_)
        return probability_design(kind, pi_, rows)
    if kind == "stratified":
        codes = _codes("strata", strata if strata is not None else (), n_items)
        return stratified_design(codes, rows)
    if kind == "clusters":
        codes = _codes("psu", psu if psu is not None else (), n_items)
        return cluster_design(codes, rows), ()
    return simple_design(rows, n_items), ()
