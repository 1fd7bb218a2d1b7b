"""Influence values: what they sum to, and that variances follow from them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.estimation.cases import DESIGNS, N_ITEMS, draw, estimate, labelled, outcomes

import bacon
from bacon.arrays import BLOCK
from bacon.estimation.influence import Influence, PoolSums, cluster_sums, pool_sums

SMOOTH = {
    "mean": {},
    "variance": {"estimand": "variance"},
    "sd": {"estimand": "sd"},
}


@pytest.mark.parametrize("what", SMOOTH)
@pytest.mark.parametrize("design", DESIGNS)
def test_both_parts_are_centred(design: str, what: str) -> None:
    est = estimate(design, **SMOOTH[what])
    s = draw(design)[0]
    values = est.influence()
    assert values.shape == (N_ITEMS, 2)
    assert (values[~s, 0] == 0.0).all()
    assert (values[s, 0] != 0.0).all()
    assert values.sum(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12 * N_ITEMS)


@pytest.mark.parametrize("design", DESIGNS)
def test_of_a_mean_by_its_formula(design: str) -> None:
    y, _, f = outcomes()
    s = draw(design)[0]
    est = estimate(design)
    w = 1 / est.design.pi
    residual = (y - f)[s]
    rbar = w @ residual / w.sum()
    values = est.influence()
    assert values[s, 0] == pytest.approx(N_ITEMS / w.sum() * w * (residual - rbar))
    assert values[:, 1] == pytest.approx(f + rbar - est.value)
    assert est.value == pytest.approx(f.mean() + rbar)


@pytest.mark.parametrize("what", SMOOTH)
def test_pool_variance_from_the_residual_part(what: str) -> None:
    # Poisson: m/(m-1) sum (1 - pi) u^2 / N^2; simple: (1 - n/N) s_u^2 n / N^2.
    est = estimate("poisson", **SMOOTH[what])
    s = draw("poisson")[0]
    u, m = est.influence()[s, 0], est.n_labels
    expected = m / (m - 1) * np.sum((1 - est.design.pi) * u**2) / N_ITEMS**2
    assert est.se() ** 2 == pytest.approx(expected)
    est = estimate("simple", **SMOOTH[what])
    u = est.influence()[draw("simple")[0], 0]
    expected = (1 - 14 / N_ITEMS) * u.var(ddof=1) * 14 / N_ITEMS**2
    assert est.se() ** 2 == pytest.approx(expected)


@pytest.mark.parametrize("design", DESIGNS)
def test_at_a_census_the_parts_add_up_to_the_full_data_value(design: str) -> None:
    y, _, f = outcomes()
    how = draw(design)[1]
    centred = y - y.mean()
    both = bacon.aee(y, f, **how).influence().sum(axis=1)
    assert both == pytest.approx(centred)
    both = bacon.aee(y, f, estimand="variance", **how).influence().sum(axis=1)
    square = centred**2 - np.mean(centred**2)
    assert both == pytest.approx(N_ITEMS / (N_ITEMS - 1) * square)
    sd = bacon.aee(y, f, estimand="sd", **how)
    assert sd.influence().sum(axis=1) == pytest.approx(both / (2 * y.std(ddof=1)))


def test_it_predicts_what_a_small_change_of_a_label_does() -> None:
    y, _, f = outcomes()
    s = draw("poisson")[0]
    how = draw("poisson")[1]
    row = int(np.flatnonzero(s)[3])
    step = np.zeros(N_ITEMS)
    step[row] = 1e-6
    before, after = (bacon.aee(labelled(y + k * step, s), f, **how).value for k in (0, 1))
    weight = (1 / how["pi"][row]) / np.sum(1 / how["pi"][s])
    assert (after - before) / 1e-6 == pytest.approx(weight, rel=1e-6)


def test_values_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        estimate("simple").influence()[0, 0] = 1.0


def test_sums_over_blocks_are_sums_over_all() -> None:
    # More than one block, the last one short.
    n_items = 2 * BLOCK + 17
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=n_items), rng.normal(size=n_items)
    influence = Influence(np.zeros(3), ((2.0, a), (-0.5, b)), 0.25)
    g = 2.0 * a - 0.5 * b + 0.25
    sums = pool_sums(influence)
    assert sums.count == n_items
    assert sums.total == pytest.approx(g.sum(), rel=1e-10)
    assert sums.squares == pytest.approx(g @ g)
    cluster = rng.integers(0, 50, size=n_items)
    expected = np.bincount(cluster, weights=g)
    assert cluster_sums(influence, cluster, 50) == pytest.approx(expected)


def test_sums_of_two_parts_merge() -> None:
    assert PoolSums(2, 1.5, 4.0).merged(PoolSums(3, -0.5, 1.0)) == PoolSums(5, 1.0, 5.0)


def test_combining_influences() -> None:
    a = Influence(np.array([1.0, -1.0]), ((1.0, np.array([1.0, 2.0, 3.0])),), -2.0)
    b = Influence(np.array([0.5, -0.5]), ((2.0, np.array([1.0, 0.0, 1.0])),), -4 / 3)
    both = a.scaled(3.0).plus(b.scaled(-1.0))
    assert both.residual.tolist() == [2.5, -2.5]
    expected = 3.0 * a.prediction(slice(None)) - b.prediction(slice(None))
    assert both.prediction(slice(None)) == pytest.approx(expected)
