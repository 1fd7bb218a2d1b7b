"""From judge scores to features: units and signs do not matter, gaps are marked, PCA is PCA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from tests.factories import make_pool

from bacon.data.pool import Judge, Pool
from bacon.errors import InputError
from bacon.features.feature_map import (
    FeatureMap,
    feature_matrix,
    features_of,
    fit_feature_map,
    run_mean,
)

Array = npt.NDArray[np.float64]
NAN = float("nan")
N = 60


def judge(name: str, *runs: Any, levels: tuple[str, ...] | None = None) -> Judge:
    scores = np.column_stack([np.asarray(run, dtype=np.float64) for run in runs])
    return Judge(name, tuple(f"{name}_run{k}" for k in range(len(runs))), scores, levels)


def pool_of(*judges: Judge, n: int = N, **changes: Any) -> Pool:
    return replace(make_pool(n), judges=judges, text=None, **changes)


def panel(seed: int = 0, n: int = N, m: int = 4) -> list[Array]:
    """Return scores of judges who mostly agree, in units of their own."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    return [3 + (1 + k) * (quality + 0.6 * rng.normal(size=n)) for k in range(m)]


def named(scores: list[Array]) -> list[Judge]:
    return [judge(f"judge_{k}", column) for k, column in enumerate(scores)]


def features(pool: Pool) -> Array:
    return feature_matrix(pool, fit_feature_map(pool))


def plain_map(pool: Pool) -> FeatureMap:
    """Return the map without derived columns, which have tests of their own."""
    return fit_feature_map(pool, derived=())


def test_the_features_of_a_pool_are_made_once_and_cannot_be_changed() -> None:
    pool = make_pool(30)
    feature_map, x = features_of(pool)
    assert features_of(pool)[1] is x
    np.testing.assert_array_equal(x, feature_matrix(pool, fit_feature_map(pool)))
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 9.0
    assert features_of(replace(pool))[0] is not feature_map


def test_judges_are_standardised_and_turned_to_agree() -> None:
    up, down = np.array([1.0, 2.0, 3.0, 4.0]), np.array([50.0, 40.0, 20.0, 10.0])
    x = features(pool_of(judge("a", up), judge("b", down), n=4))
    z = (up - 2.5) / np.sqrt(1.25)
    assert x[:, 0] == pytest.approx(z)
    # 30 off by 20, 10, -10, -20, divided by sqrt(250) and turned round.
    assert x[:, 1] == pytest.approx(np.array([-20, -10, 10, 20]) / np.sqrt(250))


@settings(max_examples=25)
@given(
    st.integers(0, 1_000),
    st.lists(st.floats(0.01, 100), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.floats(-50, 50),
)
def test_units_and_signs_of_judges_do_not_matter(
    seed: int, factors: list[float], turned: list[bool], shift: float
) -> None:
    scores = panel(seed)
    scores[1][:7] = NAN
    other = [
        shift + factor * (-column if turn else column)
        for column, factor, turn in zip(scores, factors, turned, strict=True)
    ]
    here, there = features(pool_of(*named(scores))), features(pool_of(*named(other)))
    assert there == pytest.approx(here, abs=1e-8)


def test_one_turned_judge_changes_nothing_at_all() -> None:
    scores = panel()
    other = [*scores[:2], -0.1 * scores[2] + 7, scores[3]]
    assert features(pool_of(*named(other))) == pytest.approx(
        features(pool_of(*named(scores))), abs=1e-12
    )


def test_runs_are_averaged_over_those_present() -> None:
    runs = judge("a", [1, 2, NAN, NAN], [3, NAN, 5, NAN])
    assert run_mean(runs).tolist() == pytest.approx([2, 2, 5, NAN], nan_ok=True)
    x = features(pool_of(runs, n=4))
    # Present 2, 2, 5: mean 3, SD sqrt(2).
    assert x[:, 0] == pytest.approx(np.array([-1, -1, 2, 0]) / np.sqrt(2))


def test_a_missing_score_is_the_mean_and_is_marked() -> None:
    scores = [np.array([1.0, NAN, 3.0, NAN]), np.array([1.0, 2.0, 3.0, 5.0])]
    pool = pool_of(*named(scores), n=4)
    feature_map = plain_map(pool)
    assert feature_map.names == ("judge_0", "judge_1", "judge_0 missing")
    x = feature_matrix(pool, feature_map)
    # The long tail of the judges' sum, here its end at 1, points upwards.
    assert x[:, 0].tolist() == pytest.approx([1, 0, -1, 0])
    assert x[:, 2].tolist() == pytest.approx([-1, 1, -1, 1])
    assert feature_map.notices == ()


def test_judges_missing_on_the_same_items_share_one_mark() -> None:
    scores = panel(m=3)
    for column in scores[:2]:
        column[::5] = NAN
    scores[2][::7] = NAN
    feature_map = plain_map(pool_of(*named(scores)))
    assert feature_map.names[3:] == ("judge_0 missing", "judge_2 missing")


def test_user_features_are_standardised_and_never_turned() -> None:
    scores = panel(m=2)
    length = -scores[0] * 10
    length[3] = NAN
    pool = pool_of(*named(scores), features=length[:, None], feature_names=("length",))
    feature_map = plain_map(pool)
    assert feature_map.names == ("judge_0", "judge_1", "length", "length missing")
    x = feature_matrix(pool, feature_map)
    present = np.arange(N) != 3
    assert np.corrcoef(x[present, 2], length[present])[0, 1] == pytest.approx(1.0)
    assert x[3, 2] == 0.0


def test_the_length_of_the_text_is_a_feature() -> None:
    words = ["a" * k for k in (1, 10, 100)]
    pool = replace(
        pool_of(n=4),
        text="story",
        table=pl.DataFrame({"story": [*words, None]}),
    )
    feature_map = fit_feature_map(pool)
    assert feature_map.names == ("length of story", "length of story missing")
    assert feature_map.blocks.tolist() == [0, 0]
    lengths = np.log1p([1.0, 10.0, 100.0])
    x = feature_matrix(pool, feature_map)
    assert x[:3, 0] == pytest.approx((lengths - lengths.mean()) / lengths.std())
    assert x[3, 0] == 0.0
    assert fit_feature_map(pool, without=("length of story",)).names == ()
    # A new pool needs the column, and does not have to name it.
    new = replace(pool, text=None, table=pl.DataFrame({"story": ["a" * 10, "", None, "b"]}))
    x = feature_matrix(new, feature_map)
    z = (np.log1p([10.0, 0.0, 1.0]) - lengths.mean()) / lengths.std()
    assert x[[0, 1, 3], 0] == pytest.approx(z)
    with pytest.raises(InputError, match="lacks story, which the calibration was fitted with"):
        feature_matrix(pool_of(n=4), feature_map)
    vectors = replace(pool, table=pl.DataFrame({"story": [[1.0], [2.0], [3.0], [4.0]]}))
    assert "length of story" in fit_feature_map(vectors).notices[0].message


def test_text_judges_are_shares_of_their_runs() -> None:
    # Runs answer bad, good | bad, good | good, bad; one item has no answer at all.
    words = judge("w", [0, 1, 1, NAN], [0, 1, NAN, NAN], [1, 0, NAN, NAN], levels=("bad", "good"))
    pool = pool_of(words, n=4)
    feature_map = fit_feature_map(pool)
    assert feature_map.names == ("w = bad", "w = good", "w missing")
    x = feature_matrix(pool, feature_map)
    bad = np.array([2 / 3, 1 / 3, 0.0])
    assert x[:3, 0] == pytest.approx((bad - bad.mean()) / bad.std())
    assert x[:3, 1] == pytest.approx(-x[:3, 0])
    assert x[3, :2].tolist() == [0.0, 0.0]
    assert x[:, 2] == pytest.approx(np.array([-1, -1, -1, 3]) / np.sqrt(3))


def test_columns_that_say_nothing_are_left_out_and_told() -> None:
    scores = panel(m=2)
    words = judge("w", np.zeros(N), levels=("same",))
    pool = pool_of(
        *named(scores),
        judge("flat", np.full(N, 4.0)),
        judge("offset", 1e9 + np.zeros(N)),
        words,
        features=np.column_stack([np.full(N, NAN), np.r_[1.0, np.full(N - 1, NAN)]]),
        feature_names=("nothing", "one value"),
    )
    feature_map = plain_map(pool)
    assert feature_map.names == ("judge_0", "judge_1", "one value missing")
    assert [notice.code for notice in feature_map.notices] == ["constant_columns"]
    assert feature_map.notices[0].message == (
        "Left out because they are the same, or missing, for every item: flat, offset, w = same, "
        "nothing, one value."
    )


def test_a_judge_missing_everywhere_says_nothing() -> None:
    feature_map = plain_map(pool_of(*named(panel(m=2)), judge("gone", np.full(N, NAN))))
    assert feature_map.names == ("judge_0", "judge_1")
    assert "gone" in feature_map.notices[0].message


def test_a_small_spread_on_a_large_offset_is_kept() -> None:
    x = features(pool_of(judge("a", 1e6 + np.linspace(0, 1, N))))
    assert x.std() == pytest.approx(1.0)


def embeddings(seed: int = 0, n: int = N, d: int = 8) -> Array:
    rng = np.random.default_rng(seed)
    return 5 + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * np.linspace(3, 0.1, d)


def test_embedding_components_are_scikit_learns_up_to_sign() -> None:
    matrix = embeddings()
    pool = pool_of(*named(panel(m=1)), embeddings=matrix)
    feature_map = fit_feature_map(pool)
    assert feature_map.names[1:] == tuple(f"embedding component {k}" for k in range(1, 9))
    assert feature_map.blocks.tolist() == [0, *[1] * 8]
    x = feature_matrix(pool, feature_map)[:, 1:]
    theirs = PCA(whiten=True).fit_transform(matrix) * np.sqrt(N / (N - 1))
    for k in range(8):
        sign = np.sign(x[:, k] @ theirs[:, k])
        assert x[:, k] == pytest.approx(sign * theirs[:, k], abs=1e-8)
    # The sign is fixed by the largest loading, so that it is the same on any machine.
    assert feature_map.components is not None
    strongest = np.abs(feature_map.components).argmax(axis=0)
    assert (feature_map.components[strongest, np.arange(8)] > 0).all()


def test_no_more_components_than_there_are_directions() -> None:
    flat = embeddings()[:, :2] @ np.random.default_rng(1).normal(size=(2, 30))
    assert len(fit_feature_map(pool_of(embeddings=flat)).names) == 2
    wide = np.random.default_rng(2).normal(size=(200, 90))
    assert len(fit_feature_map(pool_of(n=200, embeddings=wide)).names) == 64
    short = np.random.default_rng(3).normal(size=(5, 40))
    assert len(fit_feature_map(pool_of(n=5, embeddings=short)).names) == 4


@pytest.mark.parametrize("row", [[0.0, 0.0], [0.1, -0.3], [1e6, 0.3]])
def test_embeddings_that_are_all_the_same_are_left_out_and_told(row: list[float]) -> None:
    pool = pool_of(*named(panel(m=2)), embeddings=np.tile(row, (N, 1)))
    feature_map = plain_map(pool)
    assert feature_map.names == ("judge_0", "judge_1")
    assert feature_map.components is None
    assert "embeddings" in feature_map.notices[0].message
    assert feature_matrix(pool, feature_map).shape == (N, 2)


def test_rotating_and_scaling_embeddings_keeps_the_components() -> None:
    matrix = embeddings()
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(8, 8)))[0]
    here = features(pool_of(embeddings=matrix))
    there = features(pool_of(embeddings=3.0 * matrix @ turn - 2.0))
    assert np.abs(there) == pytest.approx(np.abs(here), abs=1e-8)


def test_a_map_applies_to_a_new_pool() -> None:
    scores, new = panel(0), panel(1, n=9)
    scores[0][:5] = NAN
    new[0][2], new[1][4] = NAN, NAN
    length, new_length = np.linspace(10, 99, N), np.linspace(0, 400, 9)
    pool = pool_of(
        *named(scores),
        features=length[:, None],
        feature_names=("length",),
        embeddings=embeddings(),
    )
    other = pool_of(
        *reversed(named(new)),
        n=9,
        features=np.column_stack([np.zeros(9), new_length]),
        feature_names=("unused", "length"),
        embeddings=embeddings(5, n=9),
    )
    feature_map = plain_map(pool)
    x = feature_matrix(other, feature_map)
    assert feature_map.names[:6] == (*(f"judge_{k}" for k in range(4)), "length", "judge_0 missing")
    old = feature_matrix(pool, feature_map)
    for k in (2, 3):
        # The first pool's centre and spread, whatever the new pool's are.
        slope, intercept = np.polyfit(scores[k], old[:, k], 1)
        assert x[:, k] == pytest.approx(intercept + slope * new[k])
    assert x[2, 0] == 0.0
    assert x[4, 1] == 0.0
    assert x[:, 4] == pytest.approx((new_length - length.mean()) / length.std())
    assert x[2, 5] == pytest.approx(old[0, 5])
    assert x[0, 5] == pytest.approx(old[10, 5])
    centred = embeddings(5, n=9) - embeddings().mean(axis=0)
    assert feature_map.components is not None
    spread = ((embeddings() - embeddings().mean(axis=0)) @ feature_map.components).std(axis=0)
    assert x[:, 6:] == pytest.approx(centred @ feature_map.components / spread)


def test_applying_to_the_same_pool_in_another_order() -> None:
    scores = panel()
    order = np.random.default_rng(3).permutation(N)
    pool = pool_of(*named(scores), embeddings=embeddings())
    moved = pool_of(*named([column[order] for column in scores]), embeddings=embeddings()[order])
    x = features(pool)
    assert features(moved) == pytest.approx(x[order], abs=1e-9)
    assert feature_matrix(moved, fit_feature_map(pool)) == pytest.approx(x[order], abs=1e-12)


def test_a_text_judge_on_a_new_pool_with_other_answers() -> None:
    pool = pool_of(judge("w", [0, 1, 2, 1], levels=("bad", "fair", "good")), n=4)
    feature_map = fit_feature_map(pool)
    # Codes are positions in each pool's own answers; "great" is no answer the map knows.
    other = pool_of(judge("w", [0, 1, 1, NAN], levels=("good", "great")), n=4)
    x, old = feature_matrix(other, feature_map), feature_matrix(pool, feature_map)
    assert x[0, 2] == pytest.approx(old[2, 2])
    assert x[1, 2] == pytest.approx(old[0, 2])
    assert x[:3, 0] == pytest.approx(np.full(3, old[1, 0]))
    assert x[3].tolist() == [0.0, 0.0, 0.0]


def test_a_new_pool_that_lacks_something_is_refused() -> None:
    scores = panel(m=2)
    pool = pool_of(*named(scores), features=np.arange(N)[:, None] * 1.0, feature_names=("length",))
    feature_map = fit_feature_map(pool)
    with pytest.raises(InputError, match=r"pool.csv lacks judge_1, length, which the calibration"):
        feature_matrix(pool_of(*named(scores[:1])), feature_map)
    with_embeddings = fit_feature_map(pool_of(embeddings=embeddings()))
    for wrong in (None, embeddings(d=5)):
        with pytest.raises(InputError, match=r"needs embeddings with 8 numbers an item"):
            feature_matrix(pool_of(embeddings=wrong), with_embeddings)


def test_a_judge_that_answers_otherwise_is_refused() -> None:
    numbers = pool_of(judge("a", [1, 2, 3, 5]), n=4)
    words = pool_of(judge("a", [0, 1, 1, 0], levels=("bad", "good")), n=4)
    other = pool_of(judge("a", [0, 1, 1, 0], levels=("Bad", "Good")), n=4)
    with pytest.raises(InputError, match=r"column a: the judge answered in numbers where the cal"):
        feature_matrix(words, fit_feature_map(numbers))
    with pytest.raises(InputError, match=r"column a: the judge answered in words where the calib"):
        feature_matrix(numbers, fit_feature_map(words))
    with pytest.raises(InputError, match=r"none of the answers \(Bad, Good\) .* knows \(bad, good"):
        feature_matrix(other, fit_feature_map(words))


def test_a_pool_without_anything_has_no_features() -> None:
    feature_map = fit_feature_map(pool_of())
    assert feature_map.names == ()
    assert feature_matrix(pool_of(), feature_map).shape == (N, 0)
