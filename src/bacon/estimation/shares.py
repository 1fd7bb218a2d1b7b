"""Shares of all classes at once: a vector on the simplex."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.data.notice import Notice
from bacon.estimation.augmented import augmented_mean
from bacon.estimation.estimands import Setting, proportion_estimate
from bacon.estimation.vector import Estimates
from bacon.simplex import onto_simplex

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.arrays import FloatArray, IntArray

__all__ = ["share_estimates"]

ROUNDING = 1e-9
"""Shares that leave the range by less than this are put back without a word."""


def share_estimates(
    names: tuple[str, ...],
    codes: IntArray,
    phi: FloatArray,
    setting: Setting,
    *,
    frame_of: Callable[[pl.DataFrame], Any] | None = None,
) -> Estimates:
    """Estimate the share of every class; the shares sum to 1.

    Parameters
    ----------
    names : tuple of str
        The C classes.
    codes : (m,) int64
        Class of each labelled row, a position in `names`.
    phi : (N, C) float64
        Predicted probability of each class, out of fold at the labelled rows; rows sum to 1.
    setting : Setting
        Design and what goes with it.
    frame_of : callable, optional
        Turns a polars frame into the user's library.

    Returns
    -------
    Estimates
        Named as the classes.

    Notes
    -----
    The augmented equation is linear, and residuals of a row sum to 0 over the classes, so the
    solutions sum to 1 by themselves. One that falls below 0 moves all of them to the nearest
    shares, which is told.
    """
    # Contiguous columns: each class is read by itself, again and again.
    columns = np.asfortranarray(phi)
    events = [(codes == c).astype(np.float64) for c in range(len(names))]
    solved = np.array(
        [
            augmented_mean(event, columns[:, c], setting.design).value
            for c, event in enumerate(events)
        ]
    )
    values = onto_simplex(solved[None, :])[0]
    members = {
        name: proportion_estimate(
            f"proportion:eq:{name}", events[c], columns[:, c], setting, moved_to=float(values[c])
        )
        for c, name in enumerate(names)
    }
    told = tuple(dict.fromkeys(n for member in members.values() for n in member.notices))
    return Estimates(
        "class",
        MappingProxyType(members),
        n_claims=len(names) if len(names) > 2 else 1,
        notices=told + _moved(names, solved),
        frame_of=frame_of,
    )


def _moved(names: tuple[str, ...], solved: FloatArray) -> tuple[Notice, ...]:
    """Tell which shares came out below 0."""
    below = [
        f"{name} {value:.3g}"
        for name, value in zip(names, solved, strict=True)
        if value < -ROUNDING
    ]
    if not below:
        return ()
    return (
        Notice(
            "shares_moved",
            f"Shares came out below 0 ({', '.join(below)}): all classes are reported with the "
            "nearest shares that are not below 0 and sum to 1.",
        ),
    )
