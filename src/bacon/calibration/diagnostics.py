"""How well predictions and judges follow the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.raw_judges import spearman
from bacon.estimation.augmented import weighted_mean
from bacon.features.feature_map import run_mean

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.alignment import Aligned
    from bacon.calibration.raw_judges import RawJudges
    from bacon.data.pool import Pool

__all__ = ["diagnostics_frame", "weighted_r2"]


def diagnostics_frame(
    pool: Pool, aligned: Aligned, f: FloatArray, raw: RawJudges, model: str
) -> Any:
    """Return a row for the model, the raw judge average and each numeric judge.

    Parameters
    ----------
    pool : Pool
        The items.
    aligned : Aligned
        The labels and their design; r2 and rmse take its weights.
    f : (N,) float64
        Cross-fitted predictions.
    raw : RawJudges
        The raw average, and which judges are on the labels' scale.
    model : str
        Name of the outcome model.
    """
    import polars as pl

    from bacon.io.frames import to_backend

    rows, y, weights = aligned.design.rows, aligned.y, 1.0 / aligned.design.pi
    table = [_fit_row(f"{model}, out of fold", y, f[rows], weights, on_scale=True)]
    if raw.score is not None:
        table.append(_fit_row("raw judge average", y, raw.score[rows], weights, on_scale=True))
    table += [
        _fit_row(judge.name, y, run_mean(judge)[rows], weights, on_scale=judge.name in raw.used)
        for judge in pool.judges
        if judge.levels is None
    ]
    return to_backend(pl.DataFrame(table), pool.backend)


def weighted_r2(y: FloatArray, f: FloatArray, weights: FloatArray) -> float:
    """Return 1 - sum w (y - f)^2 / sum w (y - mean)^2; NaN where the labels are alike."""
    total = weighted_mean((y - weighted_mean(y, weights)) ** 2, weights)
    return 1.0 - weighted_mean((y - f) ** 2, weights) / total if total > 0.0 else float("nan")


def _fit_row(
    name: str, y: FloatArray, score: FloatArray, weights: FloatArray, *, on_scale: bool
) -> dict[str, str | int | float]:
    """Return one row of the diagnostics over the items with a score."""
    known = ~np.isnan(score)
    usable = on_scale and bool(known.any())
    y_, score_, w = y[known], score[known], weights[known]
    return {
        "name": name,
        "n": int(known.sum()),
        "r2": weighted_r2(y_, score_, w) if usable else float("nan"),
        "rmse": weighted_mean((y_ - score_) ** 2, w) ** 0.5 if usable else float("nan"),
        "spearman": spearman(score, y),
    }
