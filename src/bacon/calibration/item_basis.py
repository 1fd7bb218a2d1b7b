"""What intervals and flags of items rest on: predictions, and labels that the model has not seen.

Out of fold, every label calibrates, held against a model that was fitted without it; the models
behind the other items are those models' mixture, so that the level is approximate. Split, one half
of the labels trains a single model and the other half calibrates it: the level is exact under
independent and simple draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bacon.arrays import blocks, freeze
from bacon.data.notice import Notice
from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.domains import domain_design
from bacon.items.conformal import selection_weights
from bacon.outcome.folds import label_folds
from bacon.outcome.models import fit_named
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.survey_design import SurveyDesign
    from bacon.outcome.base import FittedModel

__all__ = ["Basis", "Method", "basis_of", "check_method"]

Method = Literal["split", "out-of-fold"]

LEAST_TO_SPLIT = 4
"""Labels (or labelled clusters) that a split needs: two to train, two to calibrate."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Predictions of items and the labels that calibrate them.

    Parameters
    ----------
    method : {"split", "out-of-fold"}
        How the labels calibrate.
    f : (N,) or (N, C) float64
        Prediction of every item; at calibrating labels by a model that has not seen them.
    variance : (N,) float64 or None
        Predicted variance of the outcome, within the models; None for classes.
    inside : (K,) int64
        The items that calibrate or have no label: all but those that trained a split's model.
    design : SurveyDesign
        Design of the calibrating labels among `inside`.
    y : (m,) float64
        The calibrating labels.
    own : (N,) float64
        Weight of each item, were it the one without a label.
    notices : tuple of Notice
        What a reader must know.
    """

    method: Method
    f: FloatArray
    variance: FloatArray | None
    inside: IntArray
    design: SurveyDesign
    y: FloatArray
    own: FloatArray
    notices: tuple[Notice, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "f", "variance", "inside", "y", "own")

    @property
    def rows(self) -> IntArray:
        """Pool rows (m,) of the calibrating labels."""
        return self.inside[self.design.rows]

    @property
    def weights(self) -> FloatArray:
        """Weights (m,) with which the calibrating labels stand for items without one."""
        return selection_weights(self.design.pi)


def check_method(method: str) -> Method:
    """Return the way labels calibrate; auto is out of fold, so that every label is used."""
    if method not in ("auto", *get_args(Method)):
        raise InputError(
            'method must be "auto", "split" (half of the labels train, half calibrate) or '
            f'"out-of-fold" (all do both); got {method!r}.'
        )
    return "split" if method == "split" else "out-of-fold"


def basis_of(cal: Calibration, method: Method) -> Basis:
    """Return what intervals and flags of a calibration rest on.

    Raises
    ------
    TooFewLabelsError
        There are too few labels to split.
    """
    return _split(cal) if method == "split" else _out_of_fold(cal)


def _out_of_fold(cal: Calibration) -> Basis:
    """Return the cross-fitted predictions, with every label."""
    predictions = cal.fitted.predictions
    variance = None
    if cal.levels is None:
        variance = np.zeros(cal.pool.n_items)
        for k, model in enumerate(cal.fitted.models):
            items, share = predictions.shares(k)
            variance[items] += share * _variances(model, cal.fitter.x, items)
    everyone = np.arange(cal.pool.n_items)
    own, told = _own_weights(cal, cal.aligned.design, everyone, 1.0)
    return Basis(
        "out-of-fold",
        predictions.mean,
        variance,
        everyone,
        cal.aligned.design,
        cal.aligned.y,
        own,
        told,
    )


def _split(cal: Calibration) -> Basis:
    """Return the predictions of one model fitted to half of the labels, with the other half."""
    aligned, fitter = cal.aligned, cal.fitter
    rows, psu = aligned.design.rows, aligned.design.psu
    units = cal.pool.rank[rows] if psu is None else psu
    n_units = len(np.unique(units))
    if n_units < LEAST_TO_SPLIT:
        what = "labels" if psu is None else "labelled clusters"
        raise TooFewLabelsError(
            f"{n_units} {what} cannot be split in two; take --method out-of-fold "
            '(method="out-of-fold" in Python) or label more items.'
        )
    rng = stream(cal.seed, "items split")
    calibrates = label_folds(units, aligned.design.stratum, 2, rng) == 1
    train = fitter.order[~calibrates[fitter.order]]
    model = fit_named(fitter.model, fitter.x[rows[train]], aligned.y[train], fitter.task)
    everyone = np.arange(cal.pool.n_items)
    inside = np.setdiff1d(everyone, rows[train])
    share = float(np.mean(calibrates))
    design = domain_design(aligned.design, inside, stratum=aligned.stratum, psu=aligned.psu)[0]
    if design.kind in ("poisson", "fixed"):
        design = replace(design, pi=_left_to_calibrate(aligned.design.pi[calibrates], share))
    own, told = _own_weights(cal, design, inside, share)
    text = (
        f"{len(train):,} of the {len(rows):,} labels trained the model behind the scores, and the "
        f"other {int(calibrates.sum()):,} calibrate it."
    )
    return Basis(
        "split",
        np.asarray(model.predict(fitter.x)),
        _variances(model, fitter.x, everyone) if cal.levels is None else None,
        inside,
        design,
        aligned.y[calibrates],
        own,
        (Notice("items_split", text), *told),
    )


def _left_to_calibrate(pi: FloatArray, share: float) -> FloatArray:
    """Return the chance to be drawn and to calibrate, given that the item does not train.

    A `share` of the labels calibrates; the others train.
    """
    return np.asarray(pi * share / (1.0 - pi * (1.0 - share)))


def _variances(model: FittedModel, x: FloatArray, items: IntArray) -> FloatArray:
    """Return the variance that a fitted model predicts for `items` (k,), a block at a time."""
    found = np.empty(len(items))
    for part in blocks(len(items)):
        found[part] = model.distribution(x[items[part]]).variance()
    return found


def _own_weights(
    cal: Calibration, design: SurveyDesign, inside: IntArray, share: float
) -> tuple[FloatArray, tuple[Notice, ...]]:
    """Return the weight (N,) of every item, were it the one without a label.

    Parameters
    ----------
    design : SurveyDesign
        Of the calibrating labels among the items `inside`.
    share : float
        Share of the labels that calibrates.

    Notes
    -----
    Drawn clusters are whole or not drawn at all: every item of a cluster without labels is unknown
    at once, so that each weighs as much as its cluster does.
    """
    aligned, n_items = cal.aligned, cal.pool.n_items
    weights = selection_weights(design.pi)
    heaviest = float(weights.max())
    if design.psu is not None and aligned.psu is not None:
        return heaviest * np.bincount(aligned.psu)[aligned.psu].astype(np.float64), ()
    if design.kind == "simple":
        return np.full(n_items, heaviest), ()
    if design.kind == "stratified" and aligned.stratum is not None:
        of_stratum = np.full(int(aligned.stratum.max()) + 1, heaviest)
        of_stratum[aligned.stratum[inside[design.rows]]] = weights
        return of_stratum[aligned.stratum], ()
    if aligned.pi is not None:
        return selection_weights(_left_to_calibrate(aligned.pi, share)), ()
    text = (
        "The chances of items without a label to be drawn or answered are not known here, so that "
        "each counts as much as the heaviest labelled one: intervals are a little too wide. Read "
        "the pool with the column of their chances (pi=, --pi)."
    )
    return np.full(n_items, heaviest), (Notice("items_chances_unknown", text),)
