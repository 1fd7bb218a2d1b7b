"""What a saved calibration keeps of its time: later labels and judge scores are held against it.

The error of an item is its label less its calibrated score, out of fold. A mixture of fold models,
weighted by their labels, errs on new items as these errors do on average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.error_summary import error_summary
from bacon.calibration.judge_summary import judge_summary, versions_of
from bacon.signed import digest

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Pool

__all__ = ["baseline_record", "id_digest"]


def id_digest(item: object) -> str:
    """Return what stands for an item's id; the number 7 and the text "7" are the same item."""
    return digest(str(item).encode("utf-8", "surrogatepass"))


def baseline_record(cal: Calibration) -> dict[str, Any]:
    """Return what monitoring needs of a calibration, as plain values for JSON.

    Returns
    -------
    dict
        outcome, n_items; roles (columns by role); error (count, mean, sd, se); groups (column,
        and for each level its items and error) or None; prediction (mean and SD over the pool,
        and the number of independent items they are worth); judges (see
        :func:`bacon.calibration.judge_summary.judge_summary`); versions; labelled (digests of
        the ids of the labels used).
    """
    pool, design = cal.pool, cal.aligned.design
    rows, weights = design.rows, 1.0 / design.pi
    unit = _units(cal)
    labelled_unit = None if unit is None else unit[rows]
    score = cal.f if cal.scale is None else np.clip(cal.f, *cal.scale)
    errors = cal.aligned.y - score[rows]
    return {
        "outcome": cal.outcome,
        "n_items": pool.n_items,
        "roles": {
            "features": list(pool.feature_names),
            "text": pool.text,
            "group": None if pool.group is None else pool.group.name,
            "cluster": None if pool.cluster is None else pool.cluster.name,
        },
        "error": error_summary(errors, weights, labelled_unit),
        "groups": _groups(pool, rows, errors, weights, labelled_unit),
        "prediction": _prediction(score, unit),
        "judges": [
            judge_summary(judge, unit, rows, cal.aligned.y, weights) for judge in pool.judges
        ],
        "versions": versions_of(pool),
        "labelled": [id_digest(one) for one in pool.ids[rows].tolist()],
    }


def _units(cal: Calibration) -> IntArray | None:
    """Return what each item (N,) shares with others, None where items stand alone."""
    return cal.aligned.psu if cal.pool.cluster is None else cal.pool.cluster.codes


def _prediction(score: FloatArray, unit: IntArray | None) -> dict[str, float]:
    """Return mean and SD of the scores (N,), and how many independent items they are worth."""
    found = error_summary(score, np.ones(len(score)), unit)
    sd, se = (found["sd"], found["se"]) if found else (0.0, 0.0)
    effective = float(len(score)) if se == 0.0 else (sd / se) ** 2
    return {"mean": float(score.mean()), "sd": sd, "effective": effective}


def _groups(
    pool: Pool, rows: IntArray, errors: FloatArray, weights: FloatArray, unit: IntArray | None
) -> dict[str, Any] | None:
    """Return the error of the labels of each group."""
    if pool.group is None:
        return None
    sizes = np.bincount(pool.group.codes, minlength=len(pool.group.levels)).tolist()
    of_label = pool.group.codes[rows]
    levels = []
    for code, name in enumerate(pool.group.levels):
        mine = of_label == code
        shared = None if unit is None else unit[mine]
        found = error_summary(errors[mine], weights[mine], shared)
        levels.append({"name": name, "n_items": sizes[code], "error": found})
    return {"column": pool.group.name, "levels": levels}
