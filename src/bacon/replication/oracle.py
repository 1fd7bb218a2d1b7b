"""How well each ablation predicts when all labels are revealed: the paper's Tables 2 to 5."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.calibrate import calibrate
from bacon.calibration.raw_judges import raw_judges
from bacon.errors import BaconError
from bacon.experiments.ablation import ablated
from bacon.experiments.fit import Fit, fit_to_truth
from bacon.features.columns import run_mean
from bacon.replication.ablations import FULL, ablations, has_runs, with_log_variance
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.data.pool import Pool
    from bacon.experiments.full_pool import FullPool

__all__ = ["FOLDS", "oracle_table", "single_judges", "system_table", "variance_table"]

FOLDS = 5
SINGLE = "single judge"


@dataclass(frozen=True)
class _Asked:
    """How models are fitted: the same in every row of a table."""

    model: str
    outcome: str
    seed: int

    def held_out(self, full: FullPool, pool: Pool, model: str | None = None) -> FloatArray:
        """Return what models that have not seen an item's label say of it (N,).

        With every item labelled these are plain five-fold out-of-fold predictions.
        """
        everything = UniformDesign(n=pool.n_items).draw(pool, seed=self.seed)
        cal = calibrate(
            pool,
            full.labels(np.arange(pool.n_items)),
            sample=everything,
            model=model or self.model,
            outcome=self.outcome,
            scale=full.scale,
            folds=FOLDS,
            seed=self.seed,
        )
        return np.asarray(cal.f)


def oracle_table(
    full: FullPool, model: str, *, outcome: str = "auto", seed: int = 0
) -> pl.DataFrame:
    """Return fit of every ablation to all labels, five folds, none predicted from its own.

    Parameters
    ----------
    full : FullPool
        The pool with all labels.
    model : str
        Outcome model of the calibrated rows.
    outcome : str
        Kind of outcome stated.
    seed : int
        Seed of the folds.

    Returns
    -------
    polars.DataFrame
        One row an ablation: `configuration`, `title`, `calibrated` (whether a model was
        fitted), `r2`, `rmse`, `spearman` (null where undefined; of labels in words the mean
        over the classes), `judges` (how many rows of single judges were averaged), `reason`
        (why figures are null). Raw scores off the labels' scale have a Spearman correlation
        alone.
    """
    asked = _Asked(model, outcome, seed)
    rows: list[dict[str, Any]] = []
    every = ablations(full.pool)
    fullest = [one.name for one in every if one.name in (FULL, "judges")]
    for one in every:
        if one.use is not None:
            fit = _fit(asked.held_out(full, ablated(full.pool, one.use)), full)
            rows.append(_row(one.name, one.title, fit))
        elif one.name == "human-only":
            fit = _fit(asked.held_out(full, full.pool, "human-only"), full)
            rows.append(_row(one.name, one.title, fit))
        else:
            rows += _raw_rows(full)
        if [one.name] == fullest[-1:]:
            rows += _single_rows(full, asked)
    return _frame(rows)


def single_judges(full: FullPool) -> list[str]:
    """Return the judges that answer as people do: in numbers, or in the words of the labels."""
    words = full.levels is not None
    return [one.name for one in full.pool.judges if one.is_text == words]


def _single_rows(full: FullPool, asked: _Asked) -> Iterator[dict[str, Any]]:
    """Yield single judges, each calibrated on its own, with their figures averaged."""
    judges = single_judges(full)
    if len(judges) < 2:
        return
    kinds = {"": ("single", "no embeddings")}
    if full.pool.embeddings is not None:
        kinds = {"embeddings+": ("single+embeddings", "+ embeddings"), **kinds}
    for more, (row, told) in kinds.items():
        fits = [
            _fit(asked.held_out(full, ablated(full.pool, f"{more}judge:{name}")), full)
            for name in judges
        ]
        yield _row(row, f"{SINGLE} {told}, averaged", _mean(fits), judges=len(fits))


def _raw_rows(full: FullPool) -> Iterator[dict[str, Any]]:
    """Yield raw scores, averaged over the judges and one by one."""
    if full.levels is not None:
        title = "raw average of the judges"
        why = "labels in words have no average"
        yield _row("raw-judges", title, Fit(), calibrated=False, reason=why)
        return
    raw = raw_judges(full.pool, np.arange(full.pool.n_items), full.y, full.scale)
    reason = None if raw.score is not None else (raw.reason or "no judge is on the labels' scale")
    scores = {name: _score(full.pool, name) for name in single_judges(full)}
    fits = [_fit(score, full) for score in scores.values()]
    if raw.score is None:
        fits = [Fit(spearman=one.spearman) for one in fits]
        average = Fit()
    else:
        average = _fit(raw.score, full)
    yield _row("raw-judges", "raw average of the judges", average, calibrated=False, reason=reason)
    if len(fits) > 1:
        yield _row(
            "raw-single",
            f"raw {SINGLE}, averaged",
            _mean(fits),
            calibrated=False,
            judges=len(fits),
            reason=reason,
        )


def _score(pool: Pool, name: str) -> FloatArray:
    return run_mean(next(one for one in pool.judges if one.name == name))


def variance_table(full: FullPool, *, outcome: str = "auto", seed: int = 0) -> pl.DataFrame | None:
    """Return ridge and hurdle with either encoding of the runs' variance; None without runs.

    Columns as in `oracle_table`, `configuration` being ``sqrt-hurdle-ridge`` and so on (Table 3).
    """
    if not has_runs(full.pool):
        return None
    rows = []
    models = ("hurdle-ridge", "ridge") if (full.y >= 0.0).all() else ("ridge",)
    for encoding, pool in (("sqrt", full.pool), ("log", with_log_variance(full.pool))):
        for model in models:
            fit = _fit(_Asked(model, outcome, seed).held_out(full, pool), full)
            rows.append(_row(f"{encoding}-{model}", f"full ({encoding}, {model})", fit))
    return _frame(rows)


def system_table(
    full: FullPool, model: str, *, outcome: str = "auto", seed: int = 0
) -> pl.DataFrame:
    """Return fit by group (Table 4), of one model of all groups and of a model for each.

    Returns
    -------
    polars.DataFrame
        One row an ablation, group and `pooling` (pooled, none): `configuration`, `title`,
        `group`, `pooling`, `r2`, `rmse`, `spearman`, `reason` (why a group has no model of its
        own: its figures are null, and its items are left out of those of all). Group null: all
        items.
    """
    import polars as pl

    asked = _Asked(model, outcome, seed)
    rows: list[dict[str, Any]] = []
    for one in ablations(full.pool):
        if one.use is None and one.name != "human-only":
            continue
        use, constant = one.use or "all", "human-only" if one.use is None else None
        pooled = asked.held_out(full, ablated(full.pool, use), constant)
        own, reasons = _apart(asked, full, use, constant)
        for pooling, f, why in (("pooled", pooled, {}), ("none", own, reasons)):
            told = {"configuration": one.name, "title": one.title, "pooling": pooling}
            for group, (items, part) in full.groups.items():
                figures = _figures(_fit(f[items], part))
                rows.append({**told, "group": group, **figures, "reason": why.get(group)})
            rows.append({**told, "group": None, **_figures(_fit(f, full)), "reason": None})
    return pl.DataFrame(rows, schema_overrides={"reason": pl.String}, infer_schema_length=None)


def _apart(
    asked: _Asked, full: FullPool, use: str, model: str | None
) -> tuple[FloatArray, dict[str, str]]:
    """Return predictions (N,) by a model of each group, NaN in groups that allow none, and why."""
    own = np.full(full.pool.n_items, math.nan)
    reasons = {}
    for group, (items, part) in full.groups.items():
        try:
            own[items] = asked.held_out(part, ablated(part.pool, use), model)
        except BaconError as error:
            reasons[group] = str(error)
    return own, reasons


def _fit(f: FloatArray, full: FullPool) -> Fit:
    """Return fit to the labels; of labels in words the mean over the classes' shares (N, C)."""
    if full.levels is None:
        return fit_to_truth(f, full.y)
    classes = range(len(full.levels))
    return _mean([fit_to_truth(f[:, c], (full.y == c).astype(np.float64)) for c in classes])


def _mean(fits: list[Fit]) -> Fit:
    """Return the figures averaged."""
    return Fit(
        *(float(np.mean([getattr(one, name) for one in fits])) for name in Fit.__annotations__)
    )


def _figures(fit: Fit) -> dict[str, float | None]:
    """Return figures, None where there is none."""
    found = {"r2": fit.r2, "rmse": fit.rmse, "spearman": fit.spearman}
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def _row(
    name: str,
    title: str,
    fit: Fit,
    *,
    calibrated: bool = True,
    judges: int | None = None,
    reason: str | None = None,
) -> dict[str, Any]:
    """Return a row of a table."""
    return {
        "configuration": name,
        "title": title,
        "calibrated": calibrated,
        **_figures(fit),
        "judges": judges,
        "reason": reason,
    }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    schema = {
        "configuration": pl.String,
        "title": pl.String,
        "calibrated": pl.Boolean,
        "r2": pl.Float64,
        "rmse": pl.Float64,
        "spearman": pl.Float64,
        "judges": pl.Int64,
        "reason": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)
