"""The stack of class models: the judges' recalibrated average, weights, and the simplex."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bacon.outcome.class_stack import fit_class_stack, fit_judge_average, fit_slope
from bacon.outcome.multinomial_fit import constant_shares, one_hot

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def judged(n: int, *, judges: int = 4, right: float = 0.6, c: int = 3, seed: int = 0) -> Any:
    """Return indicators of the judges' answers, classes, and the matrix of their votes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(c, size=n)
    answers = np.where(
        rng.random((n, judges)) < right, codes[:, None], rng.integers(c, size=(n, judges))
    )
    x = np.hstack([one_hot(answers[:, j], c) for j in range(judges)])
    return x - x.mean(axis=0), codes, np.tile(np.eye(c), (judges, 1)) / judges


def stack(x: Array, codes: Codes, c: int = 3, **options: Any) -> Any:
    return fit_class_stack(x, codes, c, np.zeros(x.shape[1], dtype=np.int64), **options)


def brier(codes: Codes, shares: Array) -> float:
    return float(np.mean(np.sum((one_hot(codes, shares.shape[1]) - shares) ** 2, axis=1)))


def test_slope_and_its_leave_one_out_values_are_those_of_refits() -> None:
    x, codes, votes = judged(30)
    v, y = x @ votes, one_hot(codes, 3)
    slope, held_out = fit_slope(v, y)
    vc, yc = v - v.mean(axis=0), y - y.mean(axis=0)
    assert slope == pytest.approx(np.sum(vc * yc) / np.sum(vc * vc))
    for i in range(30):
        keep = np.arange(30) != i
        own = fit_slope(v[keep], y[keep])[0]
        expected = y[keep].mean(axis=0) + own * (v[i] - v[keep].mean(axis=0))
        assert held_out[i] == pytest.approx(expected)


def test_slope_against_the_votes_is_none() -> None:
    x, codes, votes = judged(40)
    v = x @ votes
    slope, held_out = fit_slope(-v, one_hot(codes, 3))
    assert slope == 0.0
    assert held_out.sum(axis=1) == pytest.approx(1.0)
    assert fit_slope(np.zeros_like(v), one_hot(codes, 3))[0] == 0.0


def test_judges_who_swap_two_classes_are_mapped_back() -> None:
    x, codes, votes = judged(200, right=0.9)
    swapped = np.array([1, 0, 2])[codes]
    mapped = fit_judge_average(x, one_hot(swapped, 3), votes, votes)
    assert np.mean(mapped.predict(x).argmax(axis=1) == swapped) > 0.9


def test_sharp_weights_and_the_simplex() -> None:
    x, codes, votes = judged(60)
    found = stack(x, codes, votes=votes)
    assert found.names == ("overall shares", "judge average", "ridge", "multinomial")
    assert found.weights_.sum() == pytest.approx(1.0)
    for shares in (found.predict(x), found.held_out_):
        assert shares.min() >= 0.0
        assert shares.sum(axis=1) == pytest.approx(1.0)
    assert brier(codes, found.held_out_) < brier(codes, constant_shares(one_hot(codes, 3))[1])


def test_members_are_weighed_by_what_they_say_of_labels_held_out() -> None:
    # Of eight judges with equal votes one is right and the others guess: the average is worth
    # little, the models that tell judges apart nearly everything.
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=400)
    answers = rng.integers(3, size=(400, 8))
    answers[:, 0] = codes
    x = np.hstack([one_hot(answers[:, j], 3) for j in range(8)])
    found = stack(x - x.mean(axis=0), codes, votes=np.tile(np.eye(3), (8, 1)) / 8)
    weights = dict(zip(found.names, found.weights_, strict=True))
    assert weights["ridge"] + weights["multinomial"] > 0.9
    assert brier(codes, found.predict(x - x.mean(axis=0))) < 0.05


def test_judges_who_guess_change_little() -> None:
    ratio = []
    for seed in range(20):
        x, codes, votes = judged(1060, judges=12, right=0.0, seed=seed)
        found = stack(x[:60], codes[:60], votes=votes)
        rest = one_hot(codes, 3)[60:]
        left = rest - found.predict(x[60:])
        ratio.append(left.var(axis=0).sum() / rest.var(axis=0).sum())
    # The variance of an estimate grows by 2 %, its error by 1 %.
    assert np.mean(ratio) < 1.02


def test_numeric_judges_alone_have_an_average() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=80)
    x = codes[:, None] + rng.normal(size=(80, 3))
    found = stack(x - x.mean(axis=0), codes, 2, average=np.full(3, 1 / 3))
    assert "judge average" in found.names
    assert stack(x, codes, 2).names == ("overall shares", "ridge", "multinomial")


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_labels(n: int) -> None:
    x, codes, votes = judged(n + 1)
    shares = stack(x[:n], codes[:n], votes=votes).predict(x)
    assert np.isfinite(shares).all()
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_one_class_only_gives_its_smoothed_share() -> None:
    x, _, votes = judged(20)
    found = stack(x, np.zeros(20, dtype=np.int64), votes=votes)
    assert found.names == ("overall shares",)
    assert found.predict(x)[0] == pytest.approx([61 / 63, 1 / 63, 1 / 63])


def test_class_that_no_label_has_keeps_a_small_share() -> None:
    x, codes, votes = judged(60, c=2)
    wide = np.hstack([votes, np.zeros((len(votes), 1))])
    shares = stack(x, codes, 3, votes=wide).predict(x)
    assert 0.0 < shares[:, 2].mean() < 0.02


@settings(max_examples=15)
@given(st.permutations(range(3)), st.integers(0, 3))
def test_order_of_classes_does_not_matter(order: list[int], seed: int) -> None:
    x, codes, votes = judged(40, seed=seed)
    found = stack(x, codes, votes=votes)
    other = stack(x, np.argsort(order)[codes], votes=votes[:, order])
    assert other.predict(x) == pytest.approx(found.predict(x)[:, order], abs=1e-5)


def test_votes_and_average_follow_the_features_units() -> None:
    x, codes, votes = judged(40)
    doubled = stack(2.0 * x, codes, votes=votes / 2.0)
    one = stack(x, codes, votes=votes)
    judge = one.names.index("judge average")
    assert doubled.members[judge].predict(2.0 * x) == pytest.approx(one.members[judge].predict(x))
