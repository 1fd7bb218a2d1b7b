"""The main job: calibrate a pool of judge scores on human labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np

from bacon.calibration.alignment import Aligned, align
from bacon.calibration.calibration import Calibration
from bacon.calibration.fitting import MODELS, Fitter, fold_plan
from bacon.calibration.outcomes import outcome_kind
from bacon.calibration.randomness import columns_following_labels
from bacon.checks import check_scale, check_seed, first_row
from bacon.data.notice import Notice
from bacon.errors import InputError, TooFewLabelsError
from bacon.features.feature_map import FeatureMap, feature_matrix, fit_feature_map

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    model: str = ...,
    crossfit: CrossFitMode = ...,
    scale: tuple[float, float] | None = ...,
    better: str | None = ...,
    folds: int | str = ...,
    seed: int = ...,
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
    model: str = ...,
    crossfit: CrossFitMode = ...,
    scale: tuple[float, float] | None = ...,
    better: str | None = ...,
    folds: int | str = ...,
    seed: int = ...,
    outcomes: Sequence[str],
) -> dict[str, Calibration]: ...


def calibrate(  # noqa: PLR0913 (one keyword per choice of a calibration)
    pool: Pool,
    labels: Labels,
    *,
    sample: Sample | None = None,
    strata: str | None = None,
    outcome: str = "auto",
    model: str = "ridge",
    crossfit: CrossFitMode = "ensemble",
    scale: tuple[float, float] | None = None,
    better: str | None = None,
    folds: int | str = "auto",
    seed: int = 0,
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
        auto, real, bounded, zero-inflated, ordinal, categorical or binary. Checked against the
        labels and reported; the only model so far is the same for all.
    model : {"ridge", "human-only"}
        Outcome model; human-only ignores the judges.
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
    _check_kinds(pool, labels, sample)
    seed = check_seed(seed)
    check_scale(scale)
    if model not in MODELS:
        raise InputError(f"model must be one of {', '.join(MODELS)}; got {model!r}.")
    if crossfit not in ("ensemble", "refit"):
        raise InputError(f'crossfit must be "ensemble" or "refit"; got {crossfit!r}.')
    if better not in (None, "higher", "lower"):
        raise InputError(f'better must be "higher" or "lower"; got {better!r}.')
    if strata is not None and (sample is not None or pool.pi is not None):
        raise InputError(
            "strata say how labels were drawn where nothing else does; with a sample or inclusion "
            "probabilities leave strata out."
        )
    names = labels.outcomes if outcomes is None else _listed(outcomes)
    if outcomes is None and len(names) > 1:
        raise InputError(
            f"{labels.source} has {len(names)} outcomes ({', '.join(names)}); give outcomes=[...] "
            "for a calibration each, or read one of them."
        )
    feature_map = fit_feature_map(pool)
    x = feature_matrix(pool, feature_map)

    def one(name: str) -> Calibration:
        aligned = align(pool, labels, name, sample=sample, strata=strata)
        levels = labels.levels[labels.outcomes.index(name)]
        _check_labels(pool, aligned, levels, scale)
        follows = columns_following_labels(pool, aligned.design, aligned.stratum)
        used = replace(
            feature_map, columns=tuple(c for c in feature_map.columns if c.source not in follows)
        )
        kept = np.array([c.source not in follows for c in feature_map.columns], dtype=bool)
        plan = None if model == "human-only" else fold_plan(pool, aligned, folds, seed)
        fitter = Fitter(
            x[:, kept] if follows else x, used.blocks, aligned.design.rows, plan, model, crossfit
        )
        return Calibration(
            pool=pool,
            outcome=name,
            kind=outcome_kind(aligned.y, levels, outcome, scale),
            levels=levels,
            aligned=aligned,
            model=model,
            fitter=fitter,
            fitted=fitter.fit(aligned.y),
            feature_map=used,
            better=better,
            scale=scale,
            seed=seed,
            notices=_without_repeats(
                *aligned.notices,
                *_left_out(pool, follows),
                *_told(pool, labels, feature_map, model),
            ),
        )

    unknown = [name for name in names if name not in labels.outcomes]
    if unknown:
        raise InputError(
            f"{labels.source} has no outcome {unknown[0]!r}; it has {', '.join(labels.outcomes)}."
        )
    found = {name: one(name) for name in names}
    return found if outcomes is not None else found[names[0]]


def _check_kinds(pool: Pool, labels: Labels, sample: Sample | None) -> None:
    """Refuse arguments in the wrong order, and files that were not read."""
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

    for name, value, kind in (("pool", pool, Pool), ("labels", labels, Labels)):
        if not isinstance(value, kind):
            raise InputError(
                f"{name} must come from bacon.read_{name}; got a {type(value).__name__}."
            )
    if sample is not None and not isinstance(sample, Sample):
        raise InputError(
            "sample must come from a design's draw or from bacon.read_sample; got a "
            f"{type(sample).__name__}."
        )


def _listed(outcomes: Sequence[str]) -> tuple[str, ...]:
    """Return the outcomes asked for, each once."""
    names = (outcomes,) if isinstance(outcomes, str) else tuple(dict.fromkeys(outcomes))
    if not names:
        raise InputError("outcomes names no outcome; leave it out for the only one there is.")
    return names


def _check_labels(
    pool: Pool,
    aligned: Aligned,
    levels: tuple[str, ...] | None,
    scale: tuple[float, float] | None,
) -> None:
    """Refuse one label, labels off the scale, and a cluster column with a single value."""
    m = len(aligned.y)
    if m < 2:
        raise TooFewLabelsError(
            "1 label cannot show its own error: an estimate needs at least 2 labels, and 30 make "
            "a useful one."
        )
    if pool.cluster is not None and len(pool.cluster.levels) < 2:
        raise InputError(
            f"{pool.source}, column {pool.cluster.name}: every item is in the same cluster "
            f"{pool.cluster.levels[0]!r}; leave cluster out."
        )
    if scale is not None and levels is not None:
        raise InputError("a scale goes with labels that are numbers; these are words.")
    if scale is None:
        return
    outside = (aligned.y < scale[0]) | (aligned.y > scale[1])
    if outside.any():
        k = first_row(outside)
        item = pool.ids[aligned.design.rows[k]]
        raise InputError(
            f"the label {aligned.y[k]:g} of item {item} lies outside the scale {scale[0]:g} to "
            f"{scale[1]:g} ({int(np.sum(outside))} such labels); mend the labels or the scale."
        )


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


def _told(pool: Pool, labels: Labels, feature_map: FeatureMap, model: str) -> tuple[Notice, ...]:
    """Gather what reading and modelling had to tell."""
    chosen = Notice(
        "model",
        "Model: ridge on all judges and features, the only outcome model so far and so the default."
        if model == "ridge"
        else "Model: none; the judges are ignored.",
    )
    return (*pool.notices, *labels.notices, *feature_map.notices, chosen)
