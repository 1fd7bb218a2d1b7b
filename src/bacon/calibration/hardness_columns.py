"""What hardness is learnt from: predictions, how far judges differ, leading components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.features.components import fit_components, write_components
from bacon.outcome.multinomial_fit import one_hot

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration

__all__ = ["HardnessColumns", "predicted_size", "squared_errors"]

COMPONENTS = (0, 4, 16)
"""Numbers of leading components tried."""

LEADING = 4
"""Columns before the components: f, f^2, and spread and mean of the judges."""


@dataclass(frozen=True, eq=False)
class HardnessColumns:
    """Columns of the regression of squared residuals, in the order of the pool's rows.

    Parameters
    ----------
    values : (N, 4 + c) float64
        Standardised f and its square, spread and mean of the judges, c components. The first two
        are written anew for every outcome model.
    """

    values: FloatArray

    @classmethod
    def of(cls, cal: Calibration) -> HardnessColumns:
        """Return the columns of a calibration's pool, f still to be written."""
        x, layout = cal.fitter.x, cal.fitter.task.layout
        spread = np.zeros(len(x))
        kinds = np.array([column.kind for column in cal.feature_map.columns])
        for kind in ("disagreement", "spread"):
            if (kinds == kind).any():
                spread = x[:, kinds == kind].mean(axis=1)
                break
        if layout.votes is not None and not spread.any():
            spread = predicted_size(x @ layout.votes)
        average = spread if layout.average is None else x @ layout.average
        parts = _components(x, layout.blocks)
        return cls(np.column_stack([np.zeros((len(x), 2)), spread, average, parts]))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of leading columns tried."""
        return tuple(LEADING + count for count in COMPONENTS)

    def with_predictions(self, f: FloatArray) -> FloatArray:
        """Return the columns of all items, with predictions (N,) of one outcome model.

        They stand in the same memory each time.
        """
        self.values[:, :2] = _powers(f, f)
        return self.values

    def of_labels(self, rows: IntArray, f: FloatArray, held_out: FloatArray) -> FloatArray:
        """Return the columns of labelled rows, with their held-out predictions (n,)."""
        own = self.values[rows]
        own[:, :2] = _powers(held_out, f)
        return own


def _powers(values: FloatArray, f: FloatArray) -> FloatArray:
    """Return predictions and their squares, standardised as predictions `f` of the pool are."""
    centred = (values - f.mean()) / (float(f.std()) or 1.0)
    return np.column_stack([centred, centred**2])


def _components(x: FloatArray, blocks: IntArray) -> FloatArray:
    """Return leading components of the embeddings, or of all features where there are none."""
    most = max(COMPONENTS)
    embedded = np.flatnonzero(blocks == 1)[:most]
    if len(embedded):
        return x[:, embedded]
    centre, loadings, scales = fit_components(x, most)
    parts = np.empty((len(x), len(scales)))
    write_components(x, centre, loadings, scales, out=parts)
    return parts


def squared_errors(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return squared residuals (n,); for classes the sum over their probabilities (n, C)."""
    if f.ndim == 1:
        return np.asarray((y - f) ** 2)
    return np.asarray(((one_hot(y.astype(np.int64), f.shape[1]) - f) ** 2).sum(axis=1))


def predicted_size(f: FloatArray) -> FloatArray:
    """Return predictions (N,); of classes (N, C) the squared error that they expect of themselves.

    1 - sum p^2: 0 where one class is certain.
    """
    return f if f.ndim == 1 else np.asarray(1.0 - (f**2).sum(axis=1))
