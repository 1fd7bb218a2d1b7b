"""Columns made of runs, doubt and disagreement: values by hand, units, gaps and sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import make_pool

from bacon.data.pool import Judge, Pool, Uncertainty
from bacon.errors import InputError
from bacon.features.columns import BY_DEFAULT, DERIVED
from bacon.features.feature_map import FeatureMap, feature_matrix, fit_feature_map

Array = npt.NDArray[np.float64]
NAN = float("nan")
N = 60


def judge(name: str, *runs: Any, **told: Any) -> Judge:
    """Return a judge with scores of its runs, and uncertainty by kind."""
    scores = np.column_stack([np.asarray(run, dtype=np.float64) for run in runs])
    unsure = tuple(
        Uncertainty(kind, (f"{name}__{kind}",), np.asarray(values, dtype=np.float64).reshape(-1, 1))
        for kind, values in told.items()
    )
    return Judge(name, tuple(f"{name}_run{k}" for k in range(len(runs))), scores, None, unsure)


def pool_of(*judges: Judge, n: int = N, **changes: Any) -> Pool:
    return replace(make_pool(n), judges=judges, text=None, **changes)


def column(pool: Pool, name: str, derived: tuple[str, ...] = DERIVED) -> Array:
    feature_map = fit_feature_map(pool, derived=derived)
    return feature_matrix(pool, feature_map)[:, feature_map.names.index(name)]


def standardised(values: Array) -> Array:
    """Cut at the 5 and 95 % quantiles, then centre and scale, gaps at 0."""
    values = np.asarray(values, dtype=np.float64)
    cut = np.clip(values, *np.nanquantile(values, (0.05, 0.95)))
    z = (cut - np.nanmean(cut)) / np.nanstd(cut)
    return np.where(np.isnan(z), 0.0, z)


def panel(seed: int = 0, n: int = N) -> tuple[Judge, ...]:
    """Return judges with runs, entropy, log-perplexity, expected score, and gaps in all."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)

    def holed(values: Array, gap: int) -> Array:
        values[gap :: gap + 7] = NAN
        return values

    def scores(k: int) -> Array:
        return 3 + (1 + k) * (quality + 0.5 * rng.normal(size=n))

    return (
        judge("a", *(holed(np.round(scores(0)), 3 + r) for r in range(3))),
        judge("b", holed(scores(1), 4), entropy=holed(rng.gamma(2, size=n), 5)),
        judge("c", scores(2), logprob=-rng.gamma(2, size=n), expected=holed(scores(2), 6)),
        judge("d", scores(0), scores(0), logppl=rng.gamma(2, size=n), entropy=rng.random(n)),
    )


def turned(one: Judge, factor: float, shift: float) -> Judge:
    """Return the judge in other units, its expected score as well."""
    unsure = tuple(
        replace(u, values=factor * u.values + shift) if u.kind == "expected" else u
        for u in one.uncertainty
    )
    return replace(one, scores=factor * one.scores + shift, uncertainty=unsure)


def test_every_column_has_a_telling_name_and_a_block() -> None:
    feature_map = fit_feature_map(pool_of(*panel()), derived=DERIVED)
    assert dict(zip(feature_map.names, feature_map.blocks.tolist(), strict=True)) == {
        "a": 0,
        "b": 0,
        "c": 0,
        "d": 0,
        "c expected score": 0,
        "b missing": 0,
        "c expected score missing": 0,
        "a spread of runs": 2,
        "a runs differ": 2,
        "a x spread of runs": 2,
        "b x entropy": 2,
        "c x log-perplexity": 2,
        "d spread of runs": 2,
        "d x spread of runs": 2,
        "d x entropy": 2,
        "d x log-perplexity": 2,
        "disagreement of judges": 2,
    }
    assert feature_map.notices == ()
    usual = fit_feature_map(pool_of(*panel()))
    assert set(feature_map.names) - set(usual.names) == {"a runs differ"}
    assert set(BY_DEFAULT) < set(DERIVED)


def test_the_spread_of_runs_is_in_standard_deviations_of_the_judge() -> None:
    # Means 1, 3, 5, 7 (SD sqrt 5); runs apart by 0, 2, 4 and unknown.
    pool = pool_of(judge("a", [1, 2, 3, 7], [1, 4, 7, NAN]), n=4)
    spread = np.array([0.0, np.sqrt(2), np.sqrt(8), NAN])
    feature_map = fit_feature_map(pool, derived=DERIVED)
    # The ends are those of spread / SD.
    made = feature_map.columns[feature_map.names.index("a spread of runs")]
    quantiles = np.quantile(spread[:3] / np.sqrt(5), (0.05, 0.95))
    assert (made.low, made.high) == pytest.approx(tuple(quantiles))
    assert column(pool, "a spread of runs") == pytest.approx(standardised(spread))
    differ = np.array([0.0, 1.0, 1.0])
    expected = [*((differ - differ.mean()) / differ.std()), 0.0]
    assert column(pool, "a runs differ") == pytest.approx(np.array(expected))
    z = np.array([-3.0, -1.0, 1.0, 3.0]) / np.sqrt(5)
    product = z * (spread - np.nanmean(spread)) / np.sqrt(5)
    assert column(pool, "a x spread of runs") == pytest.approx(standardised(product))


def test_runs_that_are_equal_have_no_spread_whatever_the_rounding() -> None:
    rng = np.random.default_rng(0)
    tenths = rng.integers(1, 50, N) / 10
    other = tenths.copy()
    other[:20] += 1
    feature_map = fit_feature_map(pool_of(judge("a", tenths, tenths, other)), derived=DERIVED)
    x = column(pool_of(judge("a", tenths, tenths, other)), "a runs differ")
    assert len(np.unique(x[20:])) == 1
    assert x[0] > 0 > x[30]
    never = fit_feature_map(pool_of(judge("a", tenths, tenths, tenths)), derived=DERIVED)
    assert never.names == ("a",)
    assert never.notices == ()
    assert "a runs differ" in feature_map.names


def test_score_times_entropy_by_hand() -> None:
    score, entropy = np.array([1.0, 2.0, 3.0, 6.0]), np.array([0.5, NAN, 0.1, 0.3])
    z = (score - 3.0) / np.sqrt(3.5)
    pool = pool_of(judge("a", score, entropy=entropy), n=4)
    assert column(pool, "a x entropy") == pytest.approx(standardised(z * (entropy - 0.3)))


def test_a_log_probability_is_minus_the_log_perplexity() -> None:
    rng = np.random.default_rng(1)
    score, doubt = rng.normal(size=N), rng.gamma(2, size=N)
    one = pool_of(judge("a", score, logppl=doubt))
    two = pool_of(judge("a", score, logprob=-doubt))
    both = pool_of(judge("a", score, logprob=rng.normal(size=N), logppl=doubt))
    name = "a x log-perplexity"
    assert column(two, name) == pytest.approx(column(one, name))
    assert column(both, name) == pytest.approx(column(one, name))
    assert feature_matrix(two, fit_feature_map(one)) == pytest.approx(column_stack(one))


def column_stack(pool: Pool) -> Array:
    return feature_matrix(pool, fit_feature_map(pool))


def test_runs_of_uncertainty_are_averaged_over_those_present() -> None:
    rng = np.random.default_rng(2)
    score, values = rng.normal(size=N), rng.random((N, 2))
    values[:30, 1] = NAN
    several = replace(judge("a", score), uncertainty=(Uncertainty("entropy", ("x", "y"), values),))
    mean = np.r_[values[:30, 0], values[30:].mean(axis=1)]
    one = pool_of(judge("a", score, entropy=mean))
    assert column(pool_of(several), "a x entropy") == pytest.approx(column(one, "a x entropy"))


def test_an_expected_score_is_turned_with_its_judge_and_marked_where_missing() -> None:
    rng = np.random.default_rng(3)
    up = rng.normal(size=N)
    expected = -up + 0.1 * rng.normal(size=N)
    expected[:6] = NAN
    down = judge("down", -up + 0.3 * rng.normal(size=N), expected=expected)
    pool = pool_of(judge("a", up), judge("b", up + rng.normal(size=N)), down)
    x = column(pool, "down expected score")
    assert np.corrcoef(x[6:], up[6:])[0, 1] > 0.9
    assert (x[:6] == 0.0).all()
    marked = column(pool, "down expected score missing")
    assert marked == pytest.approx(np.where(np.arange(N) < 6, 3.0, -1 / 3))


def test_a_judge_that_never_differs_keeps_its_expected_score() -> None:
    rng = np.random.default_rng(4)
    pool = pool_of(
        judge("a", np.full(N, 4.0), expected=4 + 0.1 * rng.normal(size=N), entropy=rng.random(N))
    )
    feature_map = fit_feature_map(pool)
    assert feature_map.names == ("a expected score",)
    assert feature_matrix(pool, feature_map)[:, 0].std() == pytest.approx(1.0)


def test_disagreement_is_the_spread_over_judges_standardised_and_turned() -> None:
    a = np.array([1.0, 2.0, 3.0, 6.0])
    b = np.array([6.0, NAN, 3.0, 1.0])
    pool = pool_of(judge("a", a), judge("b", b), n=4)
    z = np.column_stack([(a - 3) / a.std(), -(b - 10 / 3) / np.nanstd(b)])
    spread = np.abs(z[:, 0] - z[:, 1]) / np.sqrt(2)
    assert column(pool, "disagreement of judges") == pytest.approx(standardised(spread))
    assert "disagreement of judges" not in fit_feature_map(pool_of(judge("a", a), n=4)).names


def test_extremes_are_cut_to_the_ends_of_the_pool() -> None:
    rng = np.random.default_rng(5)
    entropy = rng.random(N)
    entropy[0] = 1e9
    pool = pool_of(judge("a", rng.normal(size=N), entropy=entropy))
    assert np.abs(column(pool, "a x entropy")).max() < 5.0
    # And on a new pool too.
    feature_map = fit_feature_map(pool)
    new = pool_of(judge("a", np.full(N, 9.0), entropy=1e9 * rng.random(N)))
    assert np.abs(feature_matrix(new, feature_map)[:, 1]).max() < 5.0


@settings(max_examples=25)
@given(
    st.integers(0, 1_000),
    st.lists(st.sampled_from([-0.1, 3.0, -20.0, 1.0]), min_size=4, max_size=4),
    st.floats(-50, 50),
)
def test_units_and_signs_of_judges_do_not_matter(
    seed: int, factors: list[float], shift: float
) -> None:
    judges = panel(seed)
    other = tuple(turned(one, f, shift) for one, f in zip(judges, factors, strict=True))
    here, there = column_stack(pool_of(*judges)), column_stack(pool_of(*other))
    assert there == pytest.approx(here, abs=1e-7)


@settings(max_examples=15)
@given(st.integers(0, 1_000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    judges = panel(seed)
    order = np.random.default_rng(seed + 1).permutation(N)

    def moved(one: Judge) -> Judge:
        unsure = tuple(replace(u, values=u.values[order]) for u in one.uncertainty)
        return replace(one, scores=one.scores[order], uncertainty=unsure)

    here = column_stack(pool_of(*judges))
    there = column_stack(pool_of(*(moved(one) for one in judges)))
    assert there == pytest.approx(here[order], abs=1e-10)


@settings(max_examples=25)
@given(st.integers(0, 1_000), st.floats(0.0, 1.0))
def test_gaps_never_drop_an_item_and_are_never_more_than_neutral(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)

    def holed(values: Array) -> Array:
        return np.where(rng.random(values.shape) < share, NAN, values)

    judges = tuple(
        replace(
            one,
            scores=holed(one.scores),
            uncertainty=tuple(replace(u, values=holed(u.values)) for u in one.uncertainty),
        )
        for one in panel(seed)
    )
    pool = pool_of(*judges)
    feature_map = fit_feature_map(pool, derived=DERIVED)
    x = feature_matrix(pool, feature_map)
    assert x.shape == (N, len(feature_map.columns))
    assert np.isfinite(x).all()
    unsure = {one.name: {u.kind: u.values for u in one.uncertainty} for one in judges}
    for name in ("b", "d"):
        label = f"{name} x entropy"
        if label in feature_map.names:
            gone = np.isnan(unsure[name]["entropy"][:, 0])
            assert (x[gone, feature_map.names.index(label)] == 0.0).all()


def test_uncertainty_that_says_nothing_is_told() -> None:
    rng = np.random.default_rng(6)
    pool = pool_of(
        judge("a", rng.normal(size=N), entropy=np.full(N, 0.5), logppl=np.full(N, NAN)),
        judge("b", rng.normal(size=N), expected=np.full(N, NAN)),
    )
    feature_map = fit_feature_map(pool)
    assert feature_map.names == ("a", "b", "disagreement of judges")
    assert feature_map.notices[0].message.endswith(
        "for every item: b expected score, a x entropy, a x log-perplexity."
    )


def test_a_judge_in_words_has_no_place_for_uncertainty_and_that_is_told() -> None:
    rng = np.random.default_rng(7)
    unsure = (Uncertainty("entropy", ("w__entropy",), rng.random((N, 1))),)
    words = Judge("w", ("w",), rng.integers(0, 2, (N, 1)) * 1.0, ("no", "yes"), unsure)
    feature_map = fit_feature_map(pool_of(words))
    assert feature_map.names == ("w = no", "w = yes")
    assert [(n.code, n.message) for n in feature_map.notices] == [
        ("uncertainty_unused", "Not used, as the judge answers in words: the uncertainty of w.")
    ]


def fitted(*judges: Judge) -> FeatureMap:
    return fit_feature_map(pool_of(*judges), derived=DERIVED)


def test_a_map_applies_to_a_new_pool_with_the_old_ends_and_centres() -> None:
    old, new = pool_of(*panel(0)), pool_of(*panel(1, 9), n=9)
    feature_map = fit_feature_map(old, derived=DERIVED)
    x = feature_matrix(new, feature_map)
    assert np.isfinite(x).all()
    name = feature_map.names.index
    made = feature_map.columns[name("b x entropy")]
    b = feature_map.columns[name("b")]
    score, entropy = new.judges[1].scores[:, 0], new.judges[1].uncertainty[0].values[:, 0]
    product = (score - b.centre) / b.scale * (entropy - made.origin)
    expected = (np.clip(product, made.low, made.high) - made.centre) / made.scale
    assert x[:, name("b x entropy")] == pytest.approx(np.nan_to_num(expected))


@pytest.mark.parametrize(
    ("k", "lacking"),
    [(1, "b__entropy"), (2, "c__expected, c__logppl or c__logprob"), (3, "d__entropy, d__logppl")],
)
def test_a_new_pool_that_lacks_uncertainty_is_refused(k: int, lacking: str) -> None:
    judges = list(panel(1))
    judges[k] = replace(judges[k], uncertainty=())
    with pytest.raises(InputError, match=f"pool.csv lacks {lacking}(,| or d__logprob,) which"):
        feature_matrix(pool_of(*judges), fitted(*panel(0)))


@pytest.mark.parametrize(
    ("without", "gone"),
    [
        ((), set()),
        (("b__entropy",), {"b x entropy"}),
        (("c__logprob",), {"c x log-perplexity"}),
        (("c__expected",), {"c expected score", "c expected score missing"}),
        (("b",), {"b", "b missing", "b x entropy"}),
        (("length", "b__entropy"), {"length", "length missing", "b x entropy"}),
    ],
)
def test_what_is_left_out_takes_along_what_is_made_of_it(
    without: tuple[str, ...], gone: set[str]
) -> None:
    length = np.linspace(0, 1, N)
    length[11] = NAN
    pool = pool_of(*panel(), features=length[:, None], feature_names=("length",))
    feature_map = fit_feature_map(pool, without=without)
    assert set(fit_feature_map(pool).names) - set(feature_map.names) == gone
    if without == ("b",):
        # Nothing is left of the judge: neither in the disagreement nor in who turns whom.
        rest = pool_of(*(one for one in panel() if one.name != "b"))
        rest = replace(rest, features=length[:, None], feature_names=("length",))
        assert feature_matrix(pool, feature_map).tolist() == column_stack(rest).tolist()
