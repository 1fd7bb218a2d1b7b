"""BACON against ppi-python at lambda 1: the same point estimate, another variance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import ppi_py
import pytest
from scipy import stats

import bacon

Case = dict[str, npt.NDArray[Any]]
NAMES = ["simple", "simple_constant"]


def split(case: Case) -> tuple[npt.NDArray[np.float64], ...]:
    """Return labels, their predictions, and the predictions of ALL pool items."""
    drawn = ~np.isnan(case["y"])
    return case["y"][drawn], case["f"][drawn], case["f"]


def two_sample_standard_error(
    y: npt.NDArray[np.float64], f_labelled: npt.NDArray[np.float64], f: npt.NDArray[np.float64]
) -> float:
    """Return sqrt(var(f) / N + var(y - f) / n), both variances with divisor N and n (ddof 0).

    This is ppi-python's standard error of the mean at lambda 1. Ours is another number:

    - It takes the items behind `f` as a random sample from a population, so var(f) / N is
      there even when the question is about these N items, where the mean of f is known.
      Our pool variance has no such term.
    - It takes the labels as drawn from that population too, independently of `f`, so the
      residual term has no finite-pool factor 1 - n/N and stays positive at a census.
    - Our population variance is V_pool + S_y^2 / N, with S_y^2 the spread of y and not of f,
      since labelled items are part of the pool: the correlation of residual and prediction
      over the same items is counted, which the sum of two independent samples leaves out.
    - Divisors n and N in place of n - 1 and N - 1, and a normal in place of a t quantile,
      make it smaller with few labels.
    """
    return float(np.sqrt(np.var(f) / len(f) + np.var(y - f_labelled) / len(y)))


@pytest.mark.parametrize("name", NAMES)
def test_point_estimate(name: str, cases: dict[str, Case]) -> None:
    """Agree to 1e-10 when ppi-python is given the predictions of the whole pool."""
    y, f_labelled, f = split(cases[name])
    theirs = float(np.squeeze(ppi_py.ppi_mean_pointestimate(y, f_labelled, f, lam=1)))
    ours = bacon.aee(cases[name]["y"], cases[name]["f"], design="simple").value
    assert ours == pytest.approx(theirs, rel=1e-10, abs=0.0)


@pytest.mark.parametrize("name", NAMES)
def test_their_standard_error_is_the_two_sample_formula(name: str, cases: dict[str, Case]) -> None:
    """Get ppi-python's standard error back from the width of its interval."""
    y, f_labelled, f = split(cases[name])
    low, high = ppi_py.ppi_mean_ci(y, f_labelled, f, alpha=0.05, lam=1)
    theirs = float(np.squeeze(high - low)) / (2.0 * stats.norm.ppf(0.975))
    ours = two_sample_standard_error(y, f_labelled, f)
    assert theirs == pytest.approx(ours, rel=1e-10, abs=0.0)


@pytest.mark.parametrize("name", NAMES)
def test_their_standard_error_from_our_parts(name: str, cases: dict[str, Case]) -> None:
    """Turn our pool variance into theirs: undo 1 - n/N and n - 1, add var(f) / N."""
    y, f_labelled, f = split(cases[name])
    n, n_items = len(y), len(f)
    pool = bacon.aee(cases[name]["y"], cases[name]["f"], design="simple").se() ** 2
    residual_part = pool / (1.0 - n / n_items) * (n - 1) / n
    assert residual_part + np.var(f) / n_items == pytest.approx(
        two_sample_standard_error(y, f_labelled, f) ** 2, rel=1e-10, abs=0.0
    )
