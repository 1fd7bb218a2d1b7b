"""The main job: calibrate a pool of judge scores on human labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bacon.calibration.alignment import align
from bacon.calibration.calibration import Calibration
from bacon.calibration.entry_checks import check_kinds, check_labels, listed
from bacon.calibration.fitting import Fitter, fold_plan
from bacon.calibration.model_choice import (
    check_model,
    check_model_fits,
    constant_notice,
    model_name,
    no_forest_notice,
    task_of,
)
from bacon.calibration.nonresponse import check_treatment, with_response
from bacon.calibration.outcomes import outcome_kind
from bacon.calibration.randomness import columns_following_labels
from bacon.calibration.raters import check_claim, need_raters, row_ratings
from bacon.checks import check_scale, check_seed
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.features.feature_map import feature_matrix, features_of, fit_feature_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.nonresponse import Treatment
    from bacon.calibration.raters import Claim
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.outcome.crossfit import CrossFitMode

__all__ = ["calibrate"]


@overload
def calibrate(
    pool: Pool,
    labels: Labels,
    *,
    sample: Sample | None = ...,
    strata: str | None = ...,
    outcome: str = ...,
    model: Any = ...,
    crossfit: CrossFitMode = ...,
    scale: tuple[float, float] | None = ...,
    better: str | None = ...,
    folds: int | str = ...,
    seed: int = ...,
    nonresponse: Treatment = ...,
    raters: Claim = ...,
    outcomes: None = ...,
) -> Calibration: ...


@overload
def calibrate(
    pool: Pool,
    labels: Labels,
    *,
    sample: Sample | None = ...,
    strata: str | None = ...,
    outcome: str = ...,
    model: Any = ...,
    crossfit: CrossFitMode = ...,
    scale: tuple[float, float] | None = ...,
    better: str | None = ...,
    folds: int | str = ...,
    seed: int = ...,
    nonresponse: Treatment = ...,
    raters: Claim = ...,
    outcomes: Sequence[str],
) -> dict[str, Calibration]: ...


def calibrate(  # noqa: PLR0913 (one keyword per choice of a calibration)
    pool: Pool,
    labels: Labels,
    *,
    sample: Sample | None = None,
    strata: str | None = None,
    outcome: str = "auto",
    model: Any = "stack",
    crossfit: CrossFitMode = "ensemble",
    scale: tuple[float, float] | None = None,
    better: str | None = None,
    folds: int | str = "auto",
    seed: int = 0,
    nonresponse: Treatment = "auto",
    raters: Claim = "these",
    outcomes: Sequence[str] | None = None,
) -> Calibration | dict[str, Calibration]:
    """Calibrate the judges of a pool on human labels of some of its items.

    Parameters
    ----------
    pool : Pool
        Every item with its judge scores.
    labels : Labels
        Human labels of some items.
    sample : Sample, optional
        The draw the labels answer. Without it, inclusion probabilities of the pool decide,
        then `strata`, and else a simple random sample is assumed, which is told and checked
        on the judges.
    strata : str, optional
        Column (or ``"column:k"``) by which the labels were drawn, where no sample is given.
    outcome : str
        auto, real, bounded, zero-inflated, ordinal, categorical or binary: which models the
        stack takes. auto reads the labels and says why.
    model : str or scikit-learn regressor
        Outcome model: stack (the default: several models weighted by what they say of labels
        held out), ridge, hurdle, hurdle-ridge (the paper's), ordinal, multinomial, logistic,
        bounded, forest, log-link, human-only (ignores the judges), or an unfitted regressor of
        your own.
    crossfit : {"ensemble", "refit"}
        What unlabelled items carry: the fold models' mixture, or one model refitted on all
        labels (the paper's text).
    scale : (float, float), optional
        Lowest and highest possible label.
    better : {"higher", "lower"}, optional
        Which end of the scale is good.
    folds : "auto" or int
        Number of folds; auto is 10 with 100 labels or fewer, else 5.
    seed : int
        Seed of the folds.
    nonresponse : {"auto", "model", "rate"}
        How drawn items without a label are dealt with. rate: the answered ones are taken as if
        they were the draw (in their stratum or cluster). model: they are weighted by a
        cross-fitted model of who answers. auto: the model where who answers goes with judges
        or features (p below 0.2) and 10 items are answered and 10 not.
    raters : {"these", "like-them"}
        Whether intervals are for what these raters would say, or for what others like them
        would (means and shares; the labels have to name their raters).
    outcomes : sequence of str, optional
        Names of several outcomes of `labels`: a mapping name -> Calibration comes back; they
        share sample and folds.

    Returns
    -------
    Calibration or dict of str to Calibration

    Raises
    ------
    InputError
        An argument is wrong, or a label lies outside `scale`.
    DesignError
        Labels, sample and pool do not fit together.
    TooFewLabelsError
        Fewer than two labels.

    Notes
    -----
    Stages 3 and 4a of the paper: cross-fitted outcome model, augmented estimating equations.

    Examples
    --------
    >>> import bacon
    >>> table = {
    ...     "item_id": list(range(8)),
    ...     "judge_a": [1, 2, 3, 4, 5, 2, 3, 4],
    ...     "human": [2, None, 3, None, 5, None, 3, 4],
    ... }
    >>> pool = bacon.read_pool(table, judges="judge_*")
    >>> labels = bacon.read_labels(table, value="human")
    >>> cal = bacon.calibrate(pool, labels, scale=(1, 6))
    >>> cal.mean().n_labels
    5
    """
    check_kinds(pool, labels, sample)
    seed = check_seed(seed)
    check_scale(scale)
    check_model(model)
    check_treatment(nonresponse)
    check_claim(raters)
    if crossfit not in ("ensemble", "refit"):
        raise InputError(f'crossfit must be "ensemble" or "refit"; got {crossfit!r}.')
    if better not in (None, "higher", "lower"):
        raise InputError(f'better must be "higher" or "lower"; got {better!r}.')
    if strata is not None and (sample is not None or pool.pi is not None):
        raise InputError(
            "strata say how labels were drawn where nothing else does; with a sample or inclusion "
            "probabilities leave strata out."
        )
    names = labels.outcomes if outcomes is None else listed(outcomes)
    if outcomes is None and len(names) > 1:
        raise InputError(
            f"{labels.source} has {len(names)} outcomes ({', '.join(names)}); give outcomes=[...] "
            "for a calibration each, or read one of them."
        )
    feature_map, x = features_of(pool)

    def one(name: str) -> Calibration:
        aligned = align(pool, labels, name, sample=sample, strata=strata)
        levels = labels.levels[labels.outcomes.index(name)]
        check_labels(pool, aligned, levels, scale)
        follows = columns_following_labels(pool, aligned.design, aligned.stratum)
        used, features = feature_map, x
        if follows:
            used = fit_feature_map(pool, without=follows)
            features = feature_matrix(pool, used)
        aligned, response = with_response(
            aligned, features, used.columns, treatment=nonresponse, seed=seed
        )
        kind = outcome_kind(aligned.y, levels, outcome, scale)
        check_model_fits(model, aligned.y, levels, scale)
        rows = aligned.design.rows
        ratings = row_ratings(pool, labels, name, rows)
        if raters == "like-them":
            need_raters(ratings, levels)
        plan = (
            None
            if isinstance(model, str) and model == "human-only"
            else fold_plan(pool, aligned, folds, seed)
        )
        task = task_of(used, kind, scale, levels=levels, n_items=pool.n_items, seed=seed)
        order = np.argsort(pool.rank[rows])
        fitter = Fitter(features, rows, plan, model, crossfit, task, order)
        fitted = fitter.fit(aligned.y)
        return Calibration(
            pool=pool,
            outcome=name,
            kind=kind,
            levels=levels,
            aligned=aligned,
            model=model_name(model),
            fitter=fitter,
            fitted=fitted,
            feature_map=used,
            better=better,
            scale=scale,
            seed=seed,
            notices=_without_repeats(
                *aligned.notices,
                *_left_out(pool, follows),
                *pool.notices,
                *labels.notices,
                *feature_map.notices,
                *(no_forest_notice(pool.n_items) if model == "stack" else ()),
                *constant_notice(fitted, fitter.x[rows], model_name(model)),
            ),
            response=response,
            ratings=ratings,
            raters=raters,
        )

    unknown = [name for name in names if name not in labels.outcomes]
    if unknown:
        raise InputError(
            f"{labels.source} has no outcome {unknown[0]!r}; it has {', '.join(labels.outcomes)}."
        )
    found = {name: one(name) for name in names}
    return found if outcomes is not None else found[names[0]]


def _left_out(pool: Pool, follows: tuple[str, ...]) -> tuple[Notice, ...]:
    """Tell which columns were not used because their gaps follow the labels."""
    if not follows:
        return ()
    return (
        Notice(
            "missing_follows_labels",
            f"Left out of the model: {', '.join(follows)} of {pool.source}. Whether they are "
            "missing depends on which items are labelled, more than chance allows, and a model "
            "that sees this is biased. Complete them for all items to use them.",
        ),
    )


def _without_repeats(*notices: Notice) -> tuple[Notice, ...]:
    """Return each notice once: pool and labels read from one file tell the same of it."""
    return tuple(dict.fromkeys(notices))
