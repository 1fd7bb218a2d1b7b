"""Kept models score new items as the fitted ones would."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.outcome.persist import keep_models
from bacon.outcome.ridge_fit import fit_ridge


def test_kept_models_are_the_weighted_mean_of_the_fitted_ones() -> None:
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(30, 3)), rng.normal(size=(7, 3))
    y = x[:, 0] + 0.3 * rng.normal(size=30)
    models = tuple(
        fit_ridge(x[part], y[part], np.zeros(3, dtype=bool))
        for part in (slice(0, 20), slice(10, 30), slice(5, 25))
    )
    weights = np.array([0.5, 0.2, 0.3])
    kept = keep_models(models, weights)
    expected = np.column_stack([model.predict(new) for model in models]) @ weights
    assert kept.predict(new) == pytest.approx(expected, rel=1e-12)
    assert kept.coef.shape == (3, 3)
