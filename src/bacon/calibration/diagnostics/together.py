"""p-values adjusted for everything that was tested."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.calibration.diagnostics.association import ScoreTest

__all__ = ["FLIPS", "holm", "sign_flips"]

FLIPS = 999
"""Sign flips drawn."""


def holm(p: FloatArray) -> FloatArray:
    """Return p-values (k,) adjusted for all k together (Holm 1979); NaN stays and counts not."""
    adjusted = np.full(len(p), math.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = (len(order) - np.arange(len(order))) * p[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def sign_flips(tests: Sequence[ScoreTest | None], rng: np.random.Generator) -> FloatArray:
    """Return the p-value of each test adjusted for all of them; NaN where there is none.

    Judges err alike, so that their tests are far from independent, and an adjustment that
    does not see this takes much power. The signs of all units are flipped at random, the same
    in every test: under the null each z is as likely to be its own opposite. The smallest
    p-value over the tests is then held against its distribution over the flips, step by
    step for the second smallest and so on.

    Notes
    -----
    Sign-flipped score contributions: Hemerik, Goeman and Finos 2020; step-down smallest
    p-values: Westfall and Young 1993, algorithm 2.8. V does not change by a flip. No adjusted
    p-value is below 1 / (flips + 1), nor below the test's own.
    """
    adjusted = np.full(len(tests), math.nan)
    own = np.array([math.nan if test is None else test.p for test in tests], dtype=np.float64)
    known = np.flatnonzero(~np.isnan(own))
    if not len(known):
        return adjusted
    n_units = max(int(test.units[-1]) for test in tests if test is not None) + 1
    flips = rng.integers(0, 2, size=(FLIPS, n_units))
    signs = np.asarray(2.0 * flips - 1.0, dtype=np.float64)
    smallest: FloatArray = np.ones(FLIPS)
    order = known[np.argsort(own[known], kind="stable")]
    for k in order[::-1]:
        test = tests[k]
        if test is not None:
            np.minimum(smallest, test.p_values(signs[:, test.units] @ test.parts), out=smallest)
            # Equal p-values of the same labels may differ by rounding.
            reached = np.count_nonzero(smallest <= own[k] * (1.0 + 1e-9))
            adjusted[k] = max((1.0 + reached) / (1.0 + FLIPS), own[k])
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return adjusted
