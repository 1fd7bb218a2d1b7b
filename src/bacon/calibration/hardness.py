"""How hard every item is to predict, learnt from the residuals of the labels so far.

The variance of the estimate is least with chances e in proportion to the root of E[(y - f)^2 | x]
(the paper, appendix D.2). What stands in the weight of a pilot item must not depend on its own
label: in-sample hardness is large where a residual happens to be large, and pulls the estimate. So
beside the vector that draws there is one without each fold of the outcome model, for which neither
that model, nor the regression of its squared residuals, nor the share of equal chances has seen
the fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bacon.calibration.hardness_columns import HardnessColumns, predicted_size, squared_errors
from bacon.checks import is_number
from bacon.data.hardness import Hardness
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.outcome.forest_fit import fit_forest
from bacon.outcome.gamma_fit import TRIMMED, fit_nested_gamma
from bacon.outcome.user_fit import check_user_model, fit_user
from bacon.sampling.budget import Bounds, joint_probabilities
from bacon.sampling.propensity import fit_propensity

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration

__all__ = ["HardnessKind", "fit_hardness"]

HardnessKind = Literal["gamma", "optimal", "logistic", "uniform"]
KINDS = ("gamma", "optimal", "logistic", "uniform")

UNIFORM_SHARES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.0)
"""Weights of equal chances tried in the mixture with the hardness."""

LEAST_LABELS = 10
"""With fewer labels all items count as equally hard."""

LEAST_SQUARE = 0.01
"""A regressor's predicted squares are at least this share of the mean one."""

STANDING_IN = 20_000
"""Items of a large pool that stand for all of it where the share of equal chances is chosen."""

LATER_FLOOR = 0.1
"""Least chance in a third or later stage, as a share of the average one."""


@dataclass(frozen=True, eq=False)
class _Stage:
    """What the next stage has to spend.

    `rate` and `pilot` as of :func:`bacon.sampling.budget.joint_probabilities`, `weights` (m,) of
    the labels, 1 / pi with mean 1.
    """

    rate: float
    pilot: float
    weights: FloatArray

    @classmethod
    def of(cls, cal: Calibration, rate: float) -> _Stage:
        """Return the stage after the labels of `cal`, refusing a budget that they have spent."""
        design, n_items = cal.aligned.design, cal.pool.n_items
        share = design.n_labels / n_items
        if not is_number(rate) or not share < rate < 1.0:
            raise InputError(
                f"rate must lie above {share:.4g}, the share of the {n_items:,} items that is "
                f"labelled already, and below 1; got {rate!r}."
            )
        weights = 1.0 / design.pi
        if float(np.ptp(design.pi)) <= 1e-9:
            return cls(float(rate), share, np.ones(design.n_labels))
        # After unequal chances the rest of the pool is one of its own, with nothing drawn yet.
        left = (rate - share) / (1.0 - share)
        return cls(left, 0.0, weights / weights.mean())

    def chances(self, hardness: FloatArray) -> FloatArray:
        """Return the chance of every item under the budget."""
        bounds = Bounds(floor=0.0 if self.pilot > 0.0 else LATER_FLOOR)
        return joint_probabilities(hardness, rate=self.rate, pilot=self.pilot, bounds=bounds)


@dataclass(frozen=True, eq=False)
class _Fitter:
    """What fits one hardness vector: to all labels, or to those outside a fold."""

    cal: Calibration
    kind: str
    stage: _Stage
    columns: HardnessColumns
    regressor: Any

    @property
    def spread(self) -> float:
        """How far labels differ."""
        return _spread(self.cal)

    def fit(
        self, labels: IntArray, f: FloatArray, held_out: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the hardness (N,) and the share of equal chances in it.

        Parameters
        ----------
        labels : (n,) int64
            Positions of the labels used.
        f : (N,) or (N, C) float64
            Predictions of all items.
        held_out : (n,) or (n, C) float64
            Predictions of the labels used, each without its own.
        """
        squares = squared_errors(self.cal.aligned.y[labels], held_out)
        if _alike(squares, self.spread):
            return np.ones(len(f)), 1.0
        rows = self.cal.aligned.design.rows[labels]
        x = self.columns.with_predictions(predicted_size(f))
        own = self.columns.of_labels(rows, predicted_size(f), predicted_size(held_out))
        if self.kind == "logistic":
            told = fit_propensity(x, squares, rows, rate=self.stage.rate, pilot=self.stage.pilot)
            return told.e, 0.0
        hard, own_hard = self._roots(x, own, squares)
        share = _uniform_share(self.stage, squares, self.stage.weights[labels], hard, own_hard)
        return _mixed(hard, share), share

    def _roots(
        self, x: FloatArray, own: FloatArray, squares: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the roots of predicted squares of all items, and held out of the labels."""
        if self.kind == "gamma":
            fit = fit_nested_gamma(own, squares, self.columns.sizes)
            return np.sqrt(fit.predict(x)), np.sqrt(fit.held_out_)
        told = np.minimum(squares, np.quantile(squares, TRIMMED))
        seed = self.cal.seed
        found: Any
        if self.regressor is None:
            found = fit_forest(own, told, seed)
        else:
            found = fit_user(self.regressor, own, told, seed)
        least = LEAST_SQUARE * float(told.mean())
        return (
            np.sqrt(np.maximum(found.predict(x), least)),
            np.sqrt(np.maximum(found.held_out_, least)),
        )


def fit_hardness(
    cal: Calibration,
    kind: HardnessKind = "gamma",
    *,
    rate: float,
    regressor: Any = None,
) -> Hardness:
    """Learn from the labels so far how hard every item is to predict.

    Parameters
    ----------
    cal : Calibration
        Calibrated on the labels so far, a simple random pilot.
    kind : {"gamma", "optimal", "logistic", "uniform"}
        gamma: penalised gamma regression of squared residuals with a log link, mixed with equal
        chances as far as the pilot asks for. optimal: the same mixture with squares predicted by
        any regressor. logistic: the paper's propensities. uniform: equal chances.
    rate : float
        Budget of all stages together, as a share of the pool.
    regressor : object, optional
        For optimal, a scikit-learn regressor; a forest by default.

    Returns
    -------
    Hardness
        `drawing` (N,), `held_out` (K, N) and `fold` (N,), in the order of the pool's rows; for
        equal chances without a label, no `held_out`.

    Raises
    ------
    InputError
        An unknown kind, a regressor that is none or not asked for, or a budget that is spent.

    Notes
    -----
    The paper, appendix D. The share of equal chances has the least mean of r^2 / e over the
    labels, e held out, plus one standard error of its difference from equal chances: a gain has to
    show. For classes r^2 is the sum of squared errors of their probabilities.

    Examples
    --------
    >>> import bacon, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judge = rng.uniform(-2, 2, 400)
    >>> human = judge + np.exp(judge) * rng.normal(size=400)
    >>> table = {"item_id": list(range(400)), "judge_a": judge}
    >>> pool = bacon.read_pool(table)
    >>> pilot = bacon.UniformDesign(n=100).draw(pool, seed=1)
    >>> labels = bacon.read_labels({"item_id": pilot.ids, "human": human[pilot.ids]}, value="human")
    >>> cal = bacon.calibrate(pool, labels, sample=pilot, model="ridge")
    >>> hard = fit_hardness(cal, rate=0.4).drawing
    >>> bool(hard[judge > 1].mean() > 2 * hard[judge < -1].mean())
    True
    """
    if kind not in KINDS:
        raise InputError(f"hardness must be one of {', '.join(KINDS)}; got {kind!r}.")
    if regressor is not None:
        if kind != "optimal":
            raise InputError(f'regressor goes with kind "optimal"; got kind {kind!r}.')
        check_user_model(regressor)
    stage = _Stage.of(cal, rate)
    equal = np.ones(cal.pool.n_items)
    if kind == "uniform":
        return Hardness(equal, model="uniform", uniform_share=1.0)
    lacking = _lacking(cal)
    if lacking:
        told = Notice("hardness_uniform", f"All items count as equally hard: {lacking}.")
        return Hardness(equal, model="uniform", uniform_share=1.0, notices=(told,))
    return _learnt(cal, _Fitter(cal, kind, stage, HardnessColumns.of(cal), regressor))


def _learnt(cal: Calibration, fitter: _Fitter) -> Hardness:
    """Return the vector from all labels, and one without each fold."""
    plan, rows = cal.fitter.plan, cal.aligned.design.rows
    if plan is None:
        raise ValueError("a calibration without folds has no held-out hardness")
    fold = np.full(cal.pool.n_items, -1, dtype=np.int64)
    fold[rows] = plan.fold[rows]
    drawing, share = fitter.fit(np.arange(len(rows)), cal.f, cal.f[rows])
    held_out = np.empty((plan.k, cal.pool.n_items))
    order = cal.fitter.order
    for k, model in enumerate(cal.fitted.models[: plan.k]):
        train = order[fold[rows[order]] != k]
        held_out[k] = fitter.fit(train, model.predict(cal.fitter.x), model.held_out_)[0]
    told: tuple[Notice, ...] = ()
    if share == 1.0:
        told = (
            Notice(
                "hardness_uniform",
                f"The {len(rows):,} labels so far show no gain from labelling some items more "
                "often than others: the next stage is drawn with equal chances.",
            ),
        )
    return Hardness(drawing, held_out, fold, fitter.kind, share, told)


def _lacking(cal: Calibration) -> str:
    """Return why nothing can be learnt, empty where something can."""
    n_labels = cal.n_labels
    if n_labels < LEAST_LABELS:
        return f"{n_labels} labels are too few to learn more (at least {LEAST_LABELS})"
    if cal.fitter.plan is None:
        return "the model human-only has no predictions to be wrong"
    squares = squared_errors(cal.aligned.y, cal.f[cal.aligned.design.rows])
    if _alike(squares, _spread(cal)):
        return f"the predictions are equally far from all {n_labels:,} labels"
    return ""


def _spread(cal: Calibration) -> float:
    """Return how far labels differ, 1 of classes."""
    return 1.0 if cal.levels is not None else float(np.ptp(cal.aligned.y))


def _alike(squares: FloatArray, spread: float) -> bool:
    """Whether squared residuals are the same but for rounding of labels with this spread."""
    return float(np.ptp(squares)) <= max(1e-9 * float(squares.max()), (1e-9 * spread) ** 2)


def _mixed(hard: FloatArray, share: float) -> FloatArray:
    """Return hardness with a share of equal chances, on average 1."""
    return np.asarray(share + (1.0 - share) * hard / hard.mean())


def _uniform_share(
    stage: _Stage, squares: FloatArray, weights: FloatArray, hard: FloatArray, own: FloatArray
) -> float:
    """Return the share of equal chances with the least error plus one standard error.

    Parameters
    ----------
    squares, weights : (n,) float64
        Squared residuals of the labels, and what the labels weigh.
    hard : (N,) float64
        Hardness of all items.
    own : (n,) float64
        Held-out hardness of the labels.
    """
    n = len(own)
    together = np.concatenate([hard[:: max(1, len(hard) // STANDING_IN)], own])
    best, chosen = 0.0, UNIFORM_SHARES[0]
    for share in UNIFORM_SHARES[1:]:
        e = stage.chances(_mixed(together, share))[-n:]
        # What is paired with equal chances has little noise of its own.
        gap = weights * squares * (1.0 / e - 1.0 / stage.rate)
        bound = float(gap.mean()) + float(gap.std(ddof=1)) / np.sqrt(n)
        if bound < best:
            best, chosen = bound, share
    return chosen
