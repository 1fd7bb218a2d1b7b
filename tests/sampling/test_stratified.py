from __future__ import annotations

import numpy as np
import pytest
from tests.factories import make_pool

from bacon.errors import InputError
from bacon.sampling.stratified import StratifiedDesign, draw_strata, within_spreads


def test_counts_are_exact_in_every_stratum() -> None:
    codes = np.array([2, 0, 1, 0, 1, 1, 2, 0, 1, 1])
    rng = np.random.default_rng(0)
    for _ in range(50):
        drawn = draw_strata(codes, np.array([2, 3, 1]), rng)
        assert len(set(drawn.tolist())) == 6
        assert np.bincount(codes[drawn]).tolist() == [2, 3, 1]


def test_every_position_has_the_chance_of_its_stratum_in_random_order() -> None:
    codes = np.array([0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(1)
    trials, chance = 4000, np.array([0.5] * 4 + [1.0] * 2)
    hits, firsts = np.zeros(6), np.zeros(6)
    for _ in range(trials):
        drawn = draw_strata(codes, np.array([2, 2]), rng)
        hits[drawn] += 1
        firsts[drawn[0]] += 1
    assert (np.abs(hits - trials * chance) <= 4.5 * np.sqrt(trials * chance * (1 - chance))).all()
    assert (np.abs(firsts - trials * chance / 4) <= 4.5 * np.sqrt(trials * chance / 4)).all()


def test_a_proportional_draw() -> None:
    pool = make_pool(30, columns={"topic": ["a"] * 15 + ["b"] * 10 + ["c"] * 5})
    sample = StratifiedDesign(n=12, strata="topic").draw(pool, seed=3)
    assert sample.kind == "stratified"
    assert sample.strata is not None
    assert sample.stratum is not None
    assert sample.strata.names == ("a", "b", "c")
    assert np.bincount(sample.stratum).tolist() == [6, 4, 2]
    assert sample.pi.tolist() == [[6 / 15, 4 / 10, 2 / 5][h] for h in sample.stratum]
    topics = pool.table["topic"].to_list()
    assert [topics[i - 1] for i in sample.ids] == [sample.strata.names[h] for h in sample.stratum]
    assert dict(sample.parameters) == {
        "n": 12,
        "strata": "topic",
        "allocation": "proportional",
        "spread": None,
    }
    assert sample.notices == ()


def test_one_stratum_is_a_simple_sample() -> None:
    sample = StratifiedDesign(n=4, strata="one").draw(make_pool(10, columns={"one": ["x"] * 10}))
    assert sample.pi.tolist() == [0.4] * 4


def test_spreads_by_hand() -> None:
    values = np.array([1.0, 3.0, np.nan, 5.0, 5.0, 5.0, -10.0, np.nan])
    codes = np.array([0, 0, 0, 1, 1, 1, 2, 3])
    spreads, unknown = within_spreads(values, codes, 4)
    # SD of 1 and 3 is the root of 2; in units of 10. Strata with one value or none get the mean.
    assert spreads.tolist() == pytest.approx([2**0.5 / 10, 0.0, 2**0.5 / 20, 2**0.5 / 20])
    assert unknown.tolist() == [False, False, True, True]


def test_spreads_of_huge_values_stay_finite() -> None:
    spreads, _ = within_spreads(np.array([1e300, -1e300, 1.0, 2.0]), np.array([0, 0, 1, 1]), 2)
    assert np.isfinite(spreads).all()
    assert spreads[1] == 0.0


def test_neyman_follows_the_named_spread() -> None:
    topic = ["a"] * 20 + ["b"] * 20
    guide = [0.0, 1.0] * 10 + [0.0, 3.0] * 10
    pool = make_pool(40, columns={"topic": topic, "guide": guide})
    design = StratifiedDesign(n=12, strata="topic", allocation="neyman", spread="guide")
    sample = design.draw(pool, seed=0)
    assert sample.stratum is not None
    assert np.bincount(sample.stratum).tolist() == [3, 9]


def test_neyman_by_default_follows_the_judges_whatever_their_scale() -> None:
    scores = [1.0, 1.2] * 10 + [1.0, 4.0] * 10
    pools = [
        make_pool(
            40, columns={"t": ["a"] * 20 + ["b"] * 20, "judge_gpt": gpt, "judge_llama": llama}
        )
        for gpt, llama in (
            (scores, scores),
            (scores, [7 - 0.1 * score for score in scores]),
            ([100 * score for score in scores], scores),
        )
    ]
    counts = [
        np.bincount(
            StratifiedDesign(n=20, strata="t", allocation="neyman").draw(pool, seed=0).stratum
        ).tolist()
        for pool in pools
    ]
    assert counts == [[2, 18]] * 3


def test_fewer_strata_than_asked_are_told() -> None:
    pool = make_pool(12, columns={"x": [1] * 8 + [2] * 4})
    sample = StratifiedDesign(n=6, strata="x:4").draw(pool, seed=0)
    (notice,) = sample.notices
    assert notice.code == "strata_fewer"
    assert "4 strata were asked for" in notice.message
    assert notice.message.endswith("there are 2.")


def test_floors_and_caps_are_told() -> None:
    pool = make_pool(40, columns={"t": ["a"] * 36 + ["b"] * 3 + ["c"]})
    (raised,) = StratifiedDesign(n=10, strata="t").draw(pool, seed=0).notices
    assert raised.code == "allocation_raised"
    assert "strata b, c," in raised.message
    capped = StratifiedDesign(n=15, strata="t", allocation="equal").draw(pool, seed=0).notices
    assert [notice.code for notice in capped] == ["allocation_capped"]
    assert "whole of strata b, c is" in capped[0].message


def test_no_spread_and_unknown_spread_are_told() -> None:
    pool = make_pool(
        12,
        columns={
            "t": ["a"] * 6 + ["b"] * 6,
            "flat": [1.0] * 6 + [2.0] * 6,
            "gap": [1.0, 2.0] * 3 + [None] * 6,
        },
    )
    flat = StratifiedDesign(n=6, strata="t", allocation="neyman", spread="flat").draw(pool, seed=0)
    assert [notice.code for notice in flat.notices] == ["spread_none"]
    gap = StratifiedDesign(n=6, strata="t", allocation="neyman", spread="gap").draw(pool, seed=0)
    assert [notice.code for notice in gap.notices] == ["spread_unknown"]
    assert gap.stratum is not None
    assert np.bincount(gap.stratum).tolist() == [3, 3]


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r'allocation must be "proportional", "neyman" or "equal"'):
        StratifiedDesign(n=5, strata="t", allocation="optimal")
    with pytest.raises(InputError, match=r'spread guides allocation="neyman" only'):
        StratifiedDesign(n=5, strata="t", spread="judge_gpt")
    with pytest.raises(InputError, match=r"n must be a whole number"):
        StratifiedDesign(n=5.0, strata="t")


def test_draws_that_cannot_be_are_refused() -> None:
    pool = make_pool(12, columns={"each": [f"v{i}" for i in range(12)]})
    with pytest.raises(InputError, match=r"n = 13 is more than the 12 items of the pool"):
        StratifiedDesign(n=13, strata="system").draw(pool)
    with pytest.raises(
        InputError, match=r"n = 5 cannot cover 3 strata.*use fewer strata or a larger"
    ):
        StratifiedDesign(n=5, strata="system").draw(pool)
    with pytest.raises(InputError, match=r"n = 11 cannot cover 12 strata"):
        StratifiedDesign(n=11, strata="each").draw(pool)
    with pytest.raises(InputError, match=r"no column 'hardness' for the spread"):
        StratifiedDesign(n=6, strata="system", allocation="neyman", spread="hardness").draw(pool)
