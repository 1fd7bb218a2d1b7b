"""Weights of labels drawn in batches: unbiased over every draw, and their variance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bacon.sampling.batches import batch_weights

Y = np.array([1.0, 5.0, 2.0, 9.0])
SHARES = np.array([0.5, 0.3, 0.2])


def chances(past: tuple[int, ...], batch: int) -> np.ndarray:
    """Chances that rest on what was labelled so far, as adaptive ones do."""
    seen = sum(Y[i] for i in past)
    return np.clip(0.3 + 0.05 * batch + 0.02 * seen * np.array([1.0, -1.0, 0.5, 1.0]), 0.1, 0.9)


def every_draw():
    """Yield probability, batch and chance of the drawn items of every possible draw."""

    def go(past, batch, probability, stage, chance):
        if batch == 3:
            yield probability, stage, chance
            return
        sigma = chances(past, batch)
        left = [i for i in range(4) if i not in past]
        for taken in itertools.product([False, True], repeat=len(left)):
            p, more = probability, []
            for i, drawn in zip(left, taken, strict=True):
                p *= sigma[i] if drawn else 1.0 - sigma[i]
                more += [i] if drawn else []
            yield from go(
                (*past, *more),
                batch + 1,
                p,
                stage | dict.fromkeys(more, batch),
                chance | {i: float(sigma[i]) for i in more},
            )

    yield from go((), 0, 1.0, {}, {})


def weights_of(stage, chance):
    rows = sorted(stage)
    batch = np.array([stage[i] for i in rows], dtype=np.int64)
    sigma = np.array([chance[i] for i in rows])
    return np.array(rows, dtype=np.int64), *batch_weights(batch, sigma, SHARES)


def test_the_weighted_sum_is_unbiased_and_so_is_its_variance():
    total = mean = square = variance = 0.0
    for probability, stage, chance in every_draw():
        rows, weight, unseen = weights_of(stage, chance)
        value = float(weight @ Y[rows]) if len(rows) else 0.0
        total += probability
        mean += probability * value
        square += probability * value**2
        # (1 - sigma) / sigma^2 of a drawn item estimates (1 - sigma) / sigma of all of its batch.
        variance += probability * float((unseen * weight**2) @ Y[rows] ** 2) if len(rows) else 0.0
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(Y.sum())
    assert variance == pytest.approx(square - mean**2)


def test_one_batch_has_the_usual_weights():
    weight, unseen = batch_weights(np.zeros(2, dtype=np.int64), np.array([0.5, 0.2]), np.ones(1))
    assert weight == pytest.approx([2.0, 5.0])
    assert unseen == pytest.approx([0.5, 0.8])
