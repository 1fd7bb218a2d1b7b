"""Strengths from comparisons in pairs: by hand, an independent fit, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from bacon.errors import EstimationError, InputError
from bacon.estimation.compare import contrast
from bacon.estimation.designs import simple_design
from bacon.estimation.estimands import Setting
from bacon.estimation.pairwise import FIRST_MOVER, TIES, pairwise_estimates

N, K = 400, 4
NAMES = ["a", "b", "c", "d"]


def simulated(seed=3, order=0.3, tie=-0.5):
    """Return pairs, outcomes (N, 3) by Davidson's model, and predictions near them."""
    rng = np.random.default_rng(seed)
    first = rng.integers(K, size=N)
    second = (first + rng.integers(1, K, size=N)) % K
    lead = np.array([0.8, 0.2, -0.3, -0.7])
    half = (lead[first] - lead[second] + order) / 2.0
    odds = np.exp(np.column_stack([half, -half, np.full(N, tie)]))
    chances = odds / odds.sum(axis=1, keepdims=True)
    drawn = (rng.random(N)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1)
    f = chances + rng.uniform(0.0, 0.4, size=(N, 3))
    return np.column_stack([first, second]), np.eye(3)[drawn], f / f.sum(axis=1, keepdims=True)


PAIRS, OUTCOME, F = simulated()
CENSUS = Setting(simple_design(np.arange(N), N))
ROWS = np.sort(np.random.default_rng(1).choice(N, 120, replace=False))
SETTING = Setting(simple_design(ROWS, N))


def independent_fit(pairs, outcome, *, davidson, order):
    """Maximise the likelihood directly over all strengths, the last one 0."""

    def loss(theta):
        strength = np.append(theta[: K - 1], 0.0)
        lead = strength[pairs[:, 0]] - strength[pairs[:, 1]] + (theta[K - 1] if order else 0.0)
        if not davidson:
            points = outcome[:, 0] + outcome[:, 2] / 2.0
            return -np.sum(points * -np.logaddexp(0, -lead) + (1 - points) * -np.logaddexp(0, lead))
        logits = np.column_stack([lead / 2.0, -lead / 2.0, np.full(len(lead), theta[-1])])
        chance = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return -np.sum(outcome * chance)

    size = K - 1 + order + davidson
    found = optimize.minimize(loss, np.zeros(size), method="BFGS", options={"gtol": 1e-9})
    found = optimize.minimize(
        loss,
        found.x,
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxfev": 20000, "maxiter": 20000},
    )
    strength = np.append(found.x[: K - 1], 0.0)
    return np.append(strength - strength.mean(), found.x[K - 1 :])


def values(found):
    return np.array([one.value for one in found.values()])


def test_two_systems_by_hand():
    # Three wins of four: log 3 between them.
    pairs = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    y = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 1.0, 0], [0, 1.0, 0]])
    setting = Setting(simple_design(np.arange(4), 4))
    found = pairwise_estimates(["a", "b"], pairs, y, None, setting)
    assert found.kind == "system"
    np.testing.assert_allclose(values(found), [np.log(3) / 2, -np.log(3) / 2], atol=1e-12)
    assert contrast(found["a"], found["b"], pools="same").value == pytest.approx(np.log(3))


def test_davidson_of_two_systems_by_hand():
    # Wins 4 : 1, ties 4: e^(a - b) = 4, and nu = 4 / sqrt(4 * 1) = 2.
    pairs = np.tile([[0, 1]], (9, 1))
    y = np.eye(3)[[0] * 4 + [1] + [2] * 4]
    setting = Setting(simple_design(np.arange(9), 9))
    found = pairwise_estimates(["a", "b"], pairs, y, None, setting, ties="davidson")
    assert found["a"].value - found["b"].value == pytest.approx(np.log(4.0))
    assert found[TIES].value == pytest.approx(np.log(2.0))


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("predicted", [True, False])
def test_everything_labelled_equals_an_independent_fit(ties, order, predicted):
    found = pairwise_estimates(
        NAMES, PAIRS, OUTCOME, F if predicted else None, CENSUS, ties=ties, order_effect=order
    )
    expected = independent_fit(PAIRS, OUTCOME, davidson=ties == "davidson", order=order)
    np.testing.assert_allclose(values(found), expected, atol=1e-6)
    assert all(one.se() == 0.0 for one in found.values())
    extras = [FIRST_MOVER] * order + [TIES] * (ties == "davidson")
    assert list(found) == [*NAMES, *extras]


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_strengths_sum_to_zero_and_so_do_their_covariances(ties):
    found = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], F, SETTING, ties=ties)
    assert values(found)[:K].sum() == pytest.approx(0.0, abs=1e-12)
    for target in ("pool", "population"):
        np.testing.assert_allclose(found.covariance(target)[:K, :K].sum(axis=0), 0.0, atol=1e-9)


def test_turning_every_pair_round_changes_nothing():
    found = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], F, SETTING, ties="davidson")
    turned = pairwise_estimates(
        NAMES,
        PAIRS[:, ::-1],
        OUTCOME[ROWS][:, [1, 0, 2]],
        F[:, [1, 0, 2]],
        SETTING,
        ties="davidson",
    )
    np.testing.assert_allclose(values(turned), values(found), atol=1e-8)
    assert turned["a"].se() == pytest.approx(found["a"].se(), rel=1e-7)


def test_the_order_of_names_changes_nothing():
    found = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], F, SETTING)
    other = pairwise_estimates(NAMES[::-1], K - 1 - PAIRS, OUTCOME[ROWS], F, SETTING)
    for name in NAMES:
        assert other[name].value == pytest.approx(found[name].value, abs=1e-9)
        assert other[name].se() == pytest.approx(found[name].se(), rel=1e-7)


def test_judges_that_follow_people_make_it_sharper():
    sharp = 0.8 * OUTCOME + 0.2 / 3.0
    found = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], sharp, SETTING)
    alone = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], None, SETTING)
    assert all(found[name].se() < 0.4 * alone[name].se() for name in NAMES)


def test_ties_as_half_are_told_with_their_share():
    found = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], F, SETTING)
    (notice,) = found.notices
    share = 100 * OUTCOME[ROWS, 2].mean()
    assert notice.code == "ties_as_half"
    assert f"Ties are {share:.0f} %" in notice.message
    davidson = pairwise_estimates(NAMES, PAIRS, OUTCOME[ROWS], F, SETTING, ties="davidson")
    assert davidson.notices == ()


def test_a_system_that_won_everything_has_no_finite_strength():
    y = OUTCOME.copy()
    y[PAIRS[:, 0] == 0] = [1.0, 0.0, 0.0]
    y[PAIRS[:, 1] == 0] = [0.0, 1.0, 0.0]
    with pytest.raises(EstimationError, match="no finite value: a won every comparison with the o"):
        pairwise_estimates(NAMES, PAIRS, y, None, CENSUS)
    doubtful = np.where(np.isin(np.arange(N), ROWS)[:, None], 0.9 * y + 0.1 * F, F)
    leaning = pairwise_estimates(NAMES, PAIRS, y[ROWS], doubtful, SETTING)
    (notice,) = (one for one in leaning.notices if one.code == "predictions_not_adjusted")
    assert "a won every comparison" in notice.message


def test_two_blocks_of_which_one_always_wins():
    y = OUTCOME.copy()
    top = PAIRS < 2
    y[top[:, 0] & ~top[:, 1]] = [1.0, 0.0, 0.0]
    y[~top[:, 0] & top[:, 1]] = [0.0, 1.0, 0.0]
    with pytest.raises(EstimationError, match=r"a, b won every .*; c, d lost every comparison"):
        pairwise_estimates(NAMES, PAIRS, y, None, CENSUS)


def test_systems_that_nothing_links_are_named():
    apart = (PAIRS < 2).sum(axis=1) != 1
    pairs, n = PAIRS[apart], int(apart.sum())
    setting = Setting(simple_design(np.arange(n), n))
    with pytest.raises(InputError, match=r"no comparison links these systems .*: a, b; c, d"):
        pairwise_estimates(NAMES, pairs, OUTCOME[apart], None, setting)
    rows = np.flatnonzero((PAIRS < 3).all(axis=1))
    setting = Setting(simple_design(rows, N))
    with pytest.raises(InputError, match=r"no labelled comparison links .*: a, b, c; d"):
        pairwise_estimates(NAMES, PAIRS, OUTCOME[rows], F, setting)


def test_a_system_against_itself_and_unknown_ties_are_refused():
    pairs = PAIRS.copy()
    pairs[4] = [2, 2]
    with pytest.raises(InputError, match=r"row 5: c is compared with itself \(1 such items\)"):
        pairwise_estimates(NAMES, pairs, OUTCOME, None, CENSUS)
    with pytest.raises(InputError, match='ties must be "half"'):
        pairwise_estimates(NAMES, PAIRS, OUTCOME, None, CENSUS, ties="quarter")
