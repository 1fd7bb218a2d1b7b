"""Ordered labels, and what every proportional-odds fit has to keep to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bacon.outcome.proportional_odds_fit import ProportionalOddsFit, fit_proportional_odds

Array = npt.NDArray[np.float64]


def data(n: int, p: int, seed: int = 0, levels: int = 5, noise: float = 0.6) -> tuple[Array, Array]:
    """Return related features and labels 1, 2, ..., each of which occurs."""
    rng = np.random.default_rng(seed)
    x = 0.6 * rng.normal(size=(n, 1)) + rng.normal(size=(n, p))
    latent = x @ np.linspace(1.0, -0.3, p) + noise * rng.logistic(size=n)
    rank = np.argsort(np.argsort(latent))
    return x, 1.0 + np.floor(levels * ((rank + 0.5) / n) ** 1.3)


def fit(x: Array, y: Array, blocks: Any = None, **options: Any) -> ProportionalOddsFit:
    codes = np.zeros(x.shape[1]) if blocks is None else np.asarray(blocks)
    return fit_proportional_odds(x, y, codes.astype(np.int64), **options)


def is_sound(model: ProportionalOddsFit, x: Array, y: Array) -> bool:
    """Whether everything is finite, in order and within the labels."""
    distribution = model.distribution(x)
    low, high, slack = y.min(), y.max(), 1e-9 * np.abs(y).max()
    means = np.concatenate([model.predict(x), model.held_out_])
    return bool(
        np.isfinite(model.coef_).all()
        and np.isfinite(model.threshold_).all()
        and (np.diff(model.threshold_) > 0.0).all()
        and (distribution.probability >= 0.0).all()
        and np.allclose(distribution.probability.sum(axis=1), 1.0)
        and np.allclose(distribution.mean, model.predict(x), rtol=1e-9, atol=slack)
        and np.allclose(model.held_out_probability_.sum(axis=1), 1.0)
        and (means >= low - slack).all()
        and (means <= high + slack).all()
    )
