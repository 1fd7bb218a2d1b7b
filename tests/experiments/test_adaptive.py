"""Draws in two stages inside an experiment, and two designs held against each other."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.experiments.cases import N, essays, table

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.errors import EstimationError, InputError
from bacon.experiments.adaptive import AdaptiveDraw, Drawn, everyones_chances
from bacon.experiments.answers import Answer, FoldModels
from bacon.experiments.comparing import compare_designs
from bacon.experiments.fit import unequal_variance
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.montecarlo import Z99
from bacon.experiments.plan import Plan, design_name, trial_seed
from bacon.experiments.run import Measured, simulate
from bacon.experiments.simulators import simulated_pool
from bacon.experiments.store import CHUNK
from bacon.experiments.trials import run_trials

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.data.labels import Labels
    from bacon.data.sample import Sample

ADAPTIVE = AdaptiveDraw(rate=0.4, pilot=0.2)


def plan(*configurations: Any, design: Any = ADAPTIVE, **settings: Any) -> Plan:
    full = settings.pop("full", None) or simulated_pool("lognormal", n_items=200)
    return Plan(full, [design], configurations, **settings)


def rows(made: Plan, trials: int = 2, configuration: int = 0) -> list[dict[str, Any]]:
    results, _ = run_trials(made, made.designs[0], made.named[configuration], range(trials))
    return list(results.iter_rows(named=True))


def by_hand(full: FullPool, seed: int, model: str, hardness: Any, **settings: Any) -> Sample:
    """The draw in two stages, step by step."""
    design = bacon.TwoStageDesign(rate=0.4, pilot=0.2, **settings)
    pilot = design.draw(full.pool, seed=seed)
    labels = full.labels(full.rows_of(pilot))
    cal: Any = calibrate(full.pool, labels, sample=pilot, model=model, seed=seed)
    return design.extend(pilot, cal.hardness(hardness, rate=0.4), seed, pool=full.pool)


@pytest.mark.parametrize(
    ("design", "model", "hardness", "settings"),
    [
        (ADAPTIVE, "ridge", "gamma", {}),
        (bacon.TwoStageDesign(rate=0.4, pilot=0.2), "ridge", "gamma", {}),
        (
            AdaptiveDraw(0.4, 0.2, method="systematic", model="log-link", hardness="logistic"),
            "log-link",
            "logistic",
            {"method": "systematic"},
        ),
    ],
)
def test_a_trial_is_both_stages_and_calibrate(
    design: Any, model: str, hardness: str, settings: dict[str, Any]
) -> None:
    made = plan("ridge", "human-only", design=design, seed=3)
    full = made.full
    found = rows(made)
    alone = rows(made, configuration=1)
    for trial, row in enumerate(found):
        seed = trial_seed(3, trial)
        sample = by_hand(full, seed, model, hardness, **settings)
        labels = full.labels(full.rows_of(sample))
        cal: Any = calibrate(full.pool, labels, sample=sample, model="ridge", seed=seed)
        assert row["estimate"] == cal.mean().value
        assert (row["low_pool"], row["high_pool"]) == tuple(cal.mean().interval())
        assert (row["n_labels"], row["problem"]) == (sample.n_drawn, None)
        e = np.empty(200)
        assert sample.stages is not None
        e[full.pool.order] = sample.stages.everyone
        fixed = bool(settings)
        expected = unequal_variance(full.y, cal.f, None, e, fixed=fixed)
        assert row["design_variance"] == pytest.approx(expected, rel=1e-12)
        # Labels alone are the weighted mean.
        weights = dict(zip(sample.ids.tolist(), 1.0 / sample.pi, strict=True))
        w = np.array([weights[one] for one in labels.ids.tolist()])
        y = labels.values[:, 0]
        assert alone[trial]["n_labels"] == sample.n_drawn
        assert alone[trial]["estimate"] == pytest.approx(np.sum(w * y) / np.sum(w))
        constant = unequal_variance(full.y, np.zeros(200), None, e, fixed=fixed)
        assert alone[trial]["design_variance"] == pytest.approx(constant, rel=1e-12)
        assert row["se_pool"] < alone[trial]["se_pool"]


def test_every_configuration_sees_one_draw_that_is_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, list[list[object]]] = {"one": [], "two": []}
    made: list[int] = []
    drawn = AdaptiveDraw.drawn

    def counted(self: AdaptiveDraw, full: FullPool, seed: int, **settings: Any) -> Drawn:
        made.append(seed)
        return drawn(self, full, seed, **settings)

    def spy(name: str) -> Any:
        def run(_pool: bacon.Pool, labels: Labels, sample: Sample, _seed: int) -> Any:
            seen[name].append(sample.ids.tolist())
            assert set(labels.ids.tolist()) == set(sample.ids.tolist())
            return {"mean": Answer(1.0)}

        return run

    monkeypatch.setattr(AdaptiveDraw, "drawn", counted)
    both = plan(("one", spy("one")), ("two", spy("two")), full=essays(60))
    for configuration in (0, 1):
        rows(both, 3, configuration)
    assert seen["one"] == seen["two"]
    assert made == [trial_seed(0, trial) for trial in range(3)]
    # What is kept is bounded.
    rows(both, CHUNK + 2)
    assert len(both._drawn) <= CHUNK


def test_fresh_pools_are_drawn_in_two_stages() -> None:
    found = rows(plan("ridge", fresh=True))
    assert len({row["truth_pool"] for row in found}) == 2
    assert all(row["covered_population"] is not None for row in found)
    assert all(row["problem"] is None for row in found)


def test_names_and_bare_designs() -> None:
    bare = bacon.TwoStageDesign(rate=0.4, pilot=0.2, cap=0.9)
    assert design_name(ADAPTIVE) == "two-stage rate=0.4 pilot=0.2"
    assert design_name(bare) == "two-stage rate=0.4 pilot=0.2 cap=0.9"
    assert design_name(AdaptiveDraw(0.4, 0.2, model="stack", hardness="uniform")) == (
        "two-stage rate=0.4 pilot=0.2 model=stack hardness=uniform"
    )
    assert plan("ridge", design=bare).designs == (AdaptiveDraw(0.4, 0.2, cap=0.9),)
    assert plan("ridge").expected(ADAPTIVE) == pytest.approx(80.0)
    assert plan("ridge", design=AdaptiveDraw(0.6, 0.2)).notices[0].code == "most_items_labelled"


def test_chances_are_by_the_rows_of_the_pool() -> None:
    full = essays()
    sample = ADAPTIVE.drawn(full, 1).sample
    e = everyones_chances(full.pool, sample)
    assert e is not None
    assert e.mean() == pytest.approx(0.4)
    chance = dict(zip(full.pool.ids.tolist(), e.tolist(), strict=True))
    assert sample.stages is not None
    later = sample.stages.stage == 1
    assert later.any()
    for one, pi in zip(sample.ids[later].tolist(), sample.pi[later].tolist(), strict=True):
        assert chance[one] == pytest.approx(pi)
    assert everyones_chances(full.pool, bacon.UniformDesign(n=9).draw(full.pool, seed=1)) is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"pilot": 0.5}, "pilot must lie above 0 and below rate"),
        ({"model": "rigde"}, "model must be one of stack, ridge, .*; got 'rigde'"),
        ({"model": 3}, "model is the name of an outcome model"),
        ({"hardness": "soft"}, "hardness must be one of gamma, .*; got 'soft'"),
    ],
)
def test_draws_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        AdaptiveDraw(**{"rate": 0.4, "pilot": 0.2, **settings})


@pytest.mark.parametrize(
    ("design", "settings", "said"),
    [
        (ADAPTIVE, {"by_group": True}, "groups are estimated under .* not two-stage rate=0.4"),
        (AdaptiveDraw(0.4, 0.001), {}, "item"),
        (AdaptiveDraw(0.4, 0.2, groups="nowhere"), {}, "nowhere"),
    ],
)
def test_plans_that_cannot_be(design: Any, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan("human-only", design=design, full=essays(), **settings)


@pytest.mark.parametrize("configuration", ["ppi++", "in-sample"])
def test_what_has_no_weights_is_refused(configuration: str) -> None:
    with pytest.raises(InputError, match="takes its labels for a simple draw"):
        plan(configuration)


def test_a_pilot_that_says_nothing_is_a_refusal() -> None:
    data = table().with_columns(human=pl.Series(["yes", "no", "no"] * (N // 3)))
    words = full_pool(bacon.read_pool(data, label="human"), data, label="human")
    made = plan("human-only", full=words, estimands=words.default_estimands())
    (no, yes, *_) = rows(made, 1)
    pilot = ADAPTIVE.draw(words.pool, seed=trial_seed(0, 0))
    for row in (no, yes):
        assert row["problem"].startswith("the pilot says nothing of a second stage: ")
        assert row["estimate"] is None
        assert row["n_labels"] == pilot.n_drawn
    # Not one draw worked, which ends the run with the reason.
    with pytest.raises(EstimationError, match="the pilot says nothing of a second stage"):
        simulate(made, trials=3)
    learnt = AdaptiveDraw(0.4, 0.2, model="multinomial")
    made = plan("multinomial", full=words, design=learnt, estimands=words.default_estimands())
    shares = rows(made, 1)
    assert [row["problem"] for row in shares] == [None, None]
    assert all(row["design_variance"] > 0.0 for row in shares)


Y = np.array([1.0, 2.0, 4.0, 7.0, 7.5, 11.0])
F = np.array([0.5, 2.5, 3.0, 7.0, 9.0, 10.0])
E = np.array([0.2, 0.9, 0.4, 0.5, 1.0, 0.3])


def test_over_all_independent_draws_the_variance_is_exact() -> None:
    u = (Y - F) - (Y - F).mean()
    mean_square = 0.0
    for drawn in itertools.product((False, True), repeat=6):
        chance = np.prod(np.where(drawn, E, 1.0 - E))
        mean_square += chance * (np.sum((u / E)[np.array(drawn)]) / 6.0) ** 2
    assert unequal_variance(Y, F, None, E) == pytest.approx(mean_square, rel=1e-12)


def test_equal_chances_have_the_variance_of_a_simple_draw() -> None:
    found = unequal_variance(Y, F, None, np.full(6, 0.5), fixed=True)
    # (1 - n/N) S2 / n, but for N - 1 in place of N.
    assert found == pytest.approx(0.5 * np.var(Y - F) / 3.0, rel=1e-12)


def test_no_variance_of_a_mixture() -> None:
    mixed = FoldModels(np.array([0, 1, 0, 1, -1, -1]), 2, lambda _, items: F[items])
    assert math.isnan(unequal_variance(Y, F, mixed, E))
    assert unequal_variance(Y, np.ones(6), mixed, E) > 0.0
    assert math.isnan(unequal_variance(Y, np.where(Y > 7, np.nan, F), None, E))
    # A refit leaves items with a model that no label was held out of.
    made = plan("refitted:model=ridge,crossfit=refit")
    assert rows(made, 1)[0]["design_variance"] is None


@pytest.mark.parametrize("method", ["poisson", "systematic"])
def test_the_variance_of_a_tiny_pool_by_brute_force(method: str) -> None:
    rng = np.random.default_rng(0)
    hard = np.exp(0.7 * rng.normal(size=60))
    y = 3.0 + hard * rng.normal(size=60)
    pool = bacon.read_pool({"item_id": np.arange(60), "judge_a": y})
    design = bacon.TwoStageDesign(rate=0.5, pilot=0.2, method=method)
    squares = []
    for seed in range(2_000):
        sample = design.extend(design.draw(pool, seed=seed), hard, seed, pool=pool)
        own, weight = y[sample.ids.astype(int)], 1.0 / sample.pi
        squares.append((np.sum(weight * own) / np.sum(weight) - y.mean()) ** 2)
    e = everyones_chances(pool, sample)
    assert e is not None
    found = unequal_variance(y, np.zeros(60), None, e, fixed=method == "systematic")
    reach = Z99 * np.std(squares) / math.sqrt(len(squares))
    # A weighted mean of 30 labels varies a few per cent more than its linear part.
    assert np.mean(squares) - reach <= 1.08 * found
    assert np.mean(squares) + reach >= found


@pytest.mark.slow
def test_the_design_variance_is_the_mean_squared_error() -> None:
    full = simulated_pool("ordinal", n_items=1_000)
    made = Plan(full, [AdaptiveDraw(rate=0.4, pilot=0.2)], ["human-only", "ridge"])
    results = simulate(made, trials=800).results
    for name in ("human-only", "ridge"):
        own = results.filter(pl.col("configuration") == name)
        squares, variance = own["error"].to_numpy() ** 2, own["design_variance"].to_numpy()
        ratio = variance.mean() / squares.mean()
        spread = np.std(variance / variance.mean() - squares / squares.mean(), ddof=1)
        reach = Z99 * spread / math.sqrt(len(squares))
        assert ratio * math.exp(-reach) <= 1.0 <= ratio * math.exp(reach), (name, ratio)


TABLES = ("results.parquet", "summary.parquet")
TRIALS = CHUNK + 2


def files(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in TABLES}


def test_the_same_bytes_for_any_workers_and_after_an_interruption(tmp_path: Path) -> None:
    def made() -> Plan:
        return plan("human-only", full=essays(60))

    def stop(done: int, _total: int) -> None:
        if done >= CHUNK:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(made(), trials=TRIALS, out=tmp_path / "stopped", progress=stop)
    assert not (tmp_path / "stopped" / "results.parquet").exists()
    simulate(made(), trials=TRIALS, out=tmp_path / "stopped")
    simulate(made(), trials=TRIALS, workers=2, out=tmp_path / "two")
    assert files(tmp_path / "stopped") == files(tmp_path / "two")


def measured(cells: dict[tuple[str, str], tuple[list[float], list[float | None]]]) -> Measured:
    """An experiment with these errors and variances by design and configuration."""
    schema: dict[str, Any] = {"error": pl.Float64, "design_variance": pl.Float64}
    parts = [
        pl.DataFrame(
            {
                "trial": range(len(errors)),
                "design": [design] * len(errors),
                "configuration": [configuration] * len(errors),
                "estimand": ["mean"] * len(errors),
                "group": pl.Series([None] * len(errors), dtype=pl.String),
                "error": errors,
                "design_variance": variances,
            },
            schema_overrides=schema,
        )
        for (design, configuration), (errors, variances) in cells.items()
    ]
    empty = pl.DataFrame()
    return Measured(pl.concat(parts), empty, empty, empty)


def test_two_designs_are_compared_trial_by_trial() -> None:
    cells: dict[tuple[str, str], tuple[list[float], list[float | None]]] = {
        ("two", "ridge"): ([1.0, -1.0, 2.0], [1.0, 1.0, 1.0]),
        ("one", "ridge"): ([2.0, 2.0, -4.0], [4.0, 2.0, 3.0]),
        ("one", "human-only"): ([6.0, 0.0], [9.0, None]),
    }
    both = measured(cells)
    found = compare_designs(both, "two", "one", "ridge")
    assert found.variance.value == pytest.approx(3.0 / 9.0)
    assert found.errors.value == pytest.approx(6.0 / 24.0)
    # Errors of the two keep one proportion, so that the pairs leave nothing to chance.
    assert found.errors.low == pytest.approx(found.errors.high)
    spread = np.std(np.ones(3) - np.array([4.0, 2.0, 3.0]) / 3.0, ddof=1) / math.sqrt(3.0)
    assert found.variance.high == pytest.approx(math.exp(Z99 * spread) / 3.0)
    assert found.trials == 3
    roots = compare_designs(both, "two", "one", "ridge", power=0.5)
    assert roots.errors.value == pytest.approx(0.5)
    alone = compare_designs(both, "two", "one", "ridge", against="human-only")
    assert alone.trials == 2
    assert alone.errors.value == pytest.approx(2.0 / 36.0)
    assert math.isnan(alone.variance.value)
    with pytest.raises(
        InputError, match=r"no draws of mean by three, .*; its designs are one, two"
    ):
        compare_designs(both, "three", "one", "ridge")
