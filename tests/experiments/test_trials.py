"""One trial: the draw, what is revealed, and how it is held against the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.experiments.cases import N, by_id, essays, table

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.errors import InputError
from bacon.experiments.answers import Answer, Said
from bacon.experiments.full_pool import full_pool
from bacon.experiments.plan import Plan, design_name, trial_seed
from bacon.experiments.simulators import simulated_pool
from bacon.experiments.trials import run_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.data.labels import Labels
    from bacon.data.sample import Sample

UNIFORM = bacon.UniformDesign(n=40)


def plan(*configurations: Any, designs: Sequence[Any] = (UNIFORM,), **settings: Any) -> Plan:
    return Plan(essays(), designs, configurations, **settings)


def rows(made: Plan, trials: int = 3, configuration: int = 0) -> list[dict[str, Any]]:
    results, _ = run_trials(made, made.designs[0], made.named[configuration], range(trials))
    return list(results.iter_rows(named=True))


def test_a_trial_is_what_calibrate_says() -> None:
    made = plan("ridge", estimands=("mean", "proportion:ge:4"), seed=9, level=0.9)
    found = rows(made)
    full = essays()
    for trial in range(3):
        seed = trial_seed(9, trial)
        sample = UNIFORM.draw(full.pool, seed=seed)
        labels = full.labels(full.rows_of(sample))
        cal = calibrate(full.pool, labels, sample=sample, seed=seed, model="ridge")
        for name, row in zip(made.estimands, found[2 * trial : 2 * trial + 2], strict=True):
            estimate = cal.estimate(name)
            low, high = estimate.interval(0.9)
            truth = full.truth(name)
            assert (row["trial"], row["estimand"], row["configuration"]) == (trial, name, "ridge")
            assert row["estimate"] == estimate.value
            assert row["error"] == estimate.value - truth
            assert (row["low_pool"], row["high_pool"]) == (low, high)
            assert row["covered_pool"] == (low <= truth <= high)
            assert row["width_pool"] == high - low
            assert row["se_population"] == estimate.se("population")
            assert row["covered_population"] is None
            assert row["truth_population"] is None
            assert (row["n_items"], row["n_labels"]) == (N, 40)
        assert found[2 * trial]["r2"] == pytest.approx(
            1 - np.sum((full.y - cal.f) ** 2) / np.sum((full.y - full.y.mean()) ** 2)
        )
        assert found[2 * trial]["design_variance"] == pytest.approx(cal.mean().se() ** 2, rel=0.7)
        assert found[2 * trial + 1]["design_variance"] is None


def test_all_configurations_see_the_same_draws() -> None:
    seen: dict[str, list[list[object]]] = {"one": [], "two": []}

    def spy(name: str) -> Any:
        def run(_pool: bacon.Pool, labels: Labels, sample: Sample, seed: int) -> Said:
            seen[name].append([*sample.ids.tolist(), seed])
            assert set(labels.ids.tolist()) == set(sample.ids.tolist())
            known = by_id(essays())
            assert labels.values[:, 0].tolist() == [known[one] for one in labels.ids.tolist()]
            return Said({("mean", None): Answer(1.0)})

        return run

    made = plan(("one", spy("one")), ("two", spy("two")))
    for configuration in (0, 1):
        rows(made, 4, configuration)
    assert seen["one"] == seen["two"]
    assert len({tuple(draw) for draw in seen["one"]}) == 4


def test_seeds_of_trials_differ() -> None:
    seeds = {trial_seed(seed, trial) for seed in range(3) for trial in range(500)}
    assert len(seeds) == 1500
    assert max(seeds) < 2**63


def test_the_draw_is_the_one_the_command_would_make() -> None:
    full = essays()
    seed = trial_seed(0, 1)
    sample = UNIFORM.draw(bacon.read_pool(table(), label="human"), seed=seed)
    found = rows(plan("human-only"), 2)[1]
    y = by_id(full)
    assert found["estimate"] == pytest.approx(np.mean([y[one] for one in sample.ids.tolist()]))


def test_a_refusal_is_a_result() -> None:
    def picky(_pool: bacon.Pool, _labels: Labels, _sample: Sample, seed: int) -> Any:
        if seed == trial_seed(0, 1):
            raise InputError("no.")
        return {"mean": Answer(4.0, pool=(1.0, 9.0), population=(1.0, 9.0))}

    found = rows(plan(("picky", picky)))
    assert [row["problem"] for row in found] == [None, "no.", None]
    assert [row["estimate"] for row in found] == [4.0, None, 4.0]
    assert [row["covered_pool"] for row in found] == [True, None, True]


def test_other_errors_are_not_hidden() -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as raised:
        rows(plan(("broken", broken)))
    assert raised.value.__notes__ == ["in trial 0 of uniform n=40, configuration broken"]


def test_groups_are_calibrated_each_alone() -> None:
    made = plan("human-only", by_group=True, designs=[bacon.UniformDesign(n=60)])
    found = rows(made, 2)
    full = essays()
    assert [row["group"] for row in found[:4]] == [None, "atlas", "borealis", "cygnus"]
    for trial in range(2):
        drawn = full.rows_of(made.designs[0].draw(full.pool, seed=trial_seed(0, trial)))
        for k, row in enumerate(found[4 * trial + 1 : 4 * trial + 4]):
            own = drawn[drawn % 3 == k]
            y = full.y[own]
            assert row["n_labels"] == len(own)
            assert row["n_items"] == N // 3
            assert row["estimate"] == pytest.approx(y.mean())
            assert row["truth_pool"] == pytest.approx(full.y[k::3].mean())
            se = np.sqrt((1 - len(own) / 40) * y.var(ddof=1) / len(own))
            assert row["se_pool"] == pytest.approx(se)
            # Bonferroni over three groups.
            assert row["high_joint"] - row["low_joint"] > row["width_pool"]


def test_a_group_without_labels_is_a_refusal() -> None:
    made = plan("human-only", by_group=True, designs=[bacon.UniformDesign(n=3)])
    found = rows(made, 20)
    refused = [row for row in found if row["problem"] is not None]
    assert refused
    assert {row["n_labels"] for row in refused} <= {0, 1}
    assert all(row["estimate"] is None for row in refused)


def test_a_configuration_may_estimate_groups_itself() -> None:
    class Own:
        estimates_groups = True

        def __call__(self, pool: bacon.Pool, *_: object) -> Any:
            assert pool.n_items == N
            return {
                "mean": Answer(4.0),
                ("mean", "borealis"): Answer(3.0, joint=(0.0, 9.0)),
            }

    found = rows(plan(("own", Own()), by_group=True), 1)
    assert [(row["group"], row["estimate"]) for row in found] == [(None, 4.0), ("borealis", 3.0)]
    assert found[1]["n_items"] == N // 3
    assert found[1]["covered_joint"]


def test_shares_of_classes_are_held_against_the_classes() -> None:
    rows_ = table().with_columns(human=pl.Series(["yes", "no", "no"] * (N // 3)))
    full = full_pool(bacon.read_pool(rows_, label="human"), rows_, label="human")
    made = Plan(full, [UNIFORM], ["human-only", "multinomial"], estimands=full.default_estimands())
    no, yes = rows(made, 1)
    assert (no["truth_pool"], yes["truth_pool"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert no["estimate"] + yes["estimate"] == pytest.approx(1.0)
    event = (rows_["human"] == "yes").to_numpy().astype(float)
    expected = (1 - 40 / N) * event.var(ddof=1) / 40
    assert yes["design_variance"] == pytest.approx(expected, rel=1e-12)
    assert no["design_variance"] == pytest.approx(expected, rel=1e-12)
    fitted = rows(made, 1, 1)[1]
    assert fitted["r2"] is not None
    assert fitted["design_variance"] == pytest.approx(fitted["se_pool"] ** 2, rel=0.7)


def test_fresh_pools_have_the_population_as_their_truth() -> None:
    full = simulated_pool("ordinal", n_items=300)
    found = rows(Plan(full, [UNIFORM], ["human-only"], fresh=True))
    assert {row["truth_population"] for row in found} == {full.population["mean"]}
    assert len({row["truth_pool"] for row in found}) == 3
    assert all(row["covered_population"] is not None for row in found)


def test_resampled_pools_have_the_table_as_their_population() -> None:
    data = table()
    pool = bacon.read_pool(data, label="human", cluster="prompt_id")
    full = full_pool(pool, data, label="human")
    found = rows(Plan(full, [UNIFORM], ["human-only"], fresh=True))
    assert {row["truth_population"] for row in found} == {full.truth("mean")}
    assert len({row["truth_pool"] for row in found}) == 3


@pytest.mark.parametrize(
    "design",
    [
        bacon.BernoulliDesign(0.3),
        bacon.StratifiedDesign(n=30, strata="system"),
        bacon.ClusterDesign(12, "prompt_id"),
        bacon.ProbabilityDesign(np.full(N, 0.25), method="poisson"),
    ],
)
def test_any_design_will_do(design: Any) -> None:
    made = plan("ridge", designs=[design])
    found = rows(made, 2)
    full = essays()
    for trial, row in enumerate(found):
        seed = trial_seed(0, trial)
        sample = design.draw(full.pool, seed=seed)
        labels = full.labels(full.rows_of(sample))
        cal = calibrate(full.pool, labels, sample=sample, seed=seed, model="ridge")
        assert row["estimate"] == cal.mean().value
        assert row["low_pool"] == cal.mean().interval().low
        assert row["design"] == design_name(design)


def test_names_of_designs() -> None:
    assert design_name(bacon.UniformDesign(rate=0.1)) == "uniform rate=0.1"
    assert (
        design_name(bacon.StratifiedDesign(n=30, strata="judge_a:4", allocation="neyman"))
        == "stratified n=30 strata=judge_a:4 allocation=neyman"
    )
    one, other = (design_name(bacon.ProbabilityDesign(np.full(N, p))) for p in (0.1, 0.2))
    assert one != other


def test_timing_stands_apart() -> None:
    made = plan("ridge")
    results, timing = run_trials(made, UNIFORM, made.named[0], range(2))
    assert timing["cpu_seconds"].min() > 0.0
    assert not [name for name in results.columns if "seconds" in name]
    assert timing.select("pool", "design", "trial", "configuration").equals(
        results.select("pool", "design", "trial", "configuration")
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"designs": []}, "designs must be a list with at least one"),
        ({"estimands": "mean"}, "estimands must be a list"),
        ({"level": 1.5}, "level must lie between 0 and 1"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"estimands": ["modus"]}, "estimand 'modus' is not known"),
        ({"designs": [bacon.UniformDesign(n=N)]}, "labels all 120 items.*at most half of them, 60"),
        ({"designs": [bacon.BernoulliDesign(1.0)]}, "labels all 120 items"),
        ({"by_group": True, "fresh": True}, "leave fresh pools out"),
        (
            {"by_group": True, "designs": [bacon.ClusterDesign(9, "prompt_id")]},
            "groups are estimated under uniform and bernoulli draws, and those .* not cluster",
        ),
    ],
)
def test_plans_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan("human-only", **settings)


def test_groups_need_a_column() -> None:
    with pytest.raises(InputError, match="sim-binary names no group"):
        Plan(simulated_pool("binary", n_items=100), [UNIFORM], ["human-only"], by_group=True)


def test_many_labels_are_told() -> None:
    assert plan("human-only").notices == ()
    (notice,) = plan("human-only", designs=[UNIFORM, bacon.UniformDesign(n=61)]).notices
    assert notice.code == "most_items_labelled"
    assert "uniform n=61" in notice.message
    assert "n=40" not in notice.message


def test_results_are_one_row_an_estimate() -> None:
    made = plan("human-only", estimands=("mean", "sd"), by_group=True)
    results, _ = run_trials(made, UNIFORM, made.named[0], range(3))
    keys = ["trial", "configuration", "estimand", "group"]
    assert results.select(keys).is_unique().all()
    assert results.height == 3 * 2 * 4
    assert results.filter(pl.col("group").is_null()).height == 6
