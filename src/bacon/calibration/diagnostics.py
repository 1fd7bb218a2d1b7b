"""How well predictions and judges follow the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.raw_judges import spearman
from bacon.features.feature_map import run_mean

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.raw_judges import RawJudges
    from bacon.data.pool import Pool

__all__ = ["diagnostics_frame"]


def diagnostics_frame(
    pool: Pool, rows: IntArray, y: FloatArray, f: FloatArray, raw: RawJudges, model: str
) -> Any:
    """Return a row for the model, the raw judge average and each numeric judge.

    Parameters
    ----------
    pool : Pool
        The items.
    rows, y : (m,) int64 and float64
        Labelled rows and their labels.
    f : (N,) float64
        Cross-fitted predictions.
    raw : RawJudges
        The raw average, and which judges are on the labels' scale.
    model : str
        Name of the outcome model.
    """
    import polars as pl

    from bacon.io.frames import to_backend

    table = [_fit_row(f"{model}, out of fold", y, f[rows], on_scale=True)]
    if raw.score is not None:
        table.append(_fit_row("raw judge average", y, raw.score[rows], on_scale=True))
    table += [
        _fit_row(judge.name, y, run_mean(judge)[rows], on_scale=judge.name in raw.used)
        for judge in pool.judges
        if judge.levels is None
    ]
    return to_backend(pl.DataFrame(table), pool.backend)


def _fit_row(
    name: str, y: FloatArray, score: FloatArray, *, on_scale: bool
) -> dict[str, str | int | float]:
    """Return one row of the diagnostics over the items with a score."""
    known = ~np.isnan(score)
    error = y[known] - score[known]
    total = float(np.sum((y[known] - y[known].mean()) ** 2)) if known.any() else 0.0
    usable = on_scale and known.any()
    return {
        "name": name,
        "n": int(known.sum()),
        "r2": 1.0 - float(error @ error) / total if usable and total > 0.0 else float("nan"),
        "rmse": float(np.sqrt(np.mean(error**2))) if usable else float("nan"),
        "spearman": spearman(score, y),
    }
