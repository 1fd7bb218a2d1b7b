"""Configurations by name: what each stands for, and that baselines are what they say."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import ppi_py
import pytest
from scipy import stats
from tests.experiments.cases import essays, table

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.errors import InputError
from bacon.experiments.answers import Answer, Said, as_said
from bacon.experiments.baselines import Paper, PowerTuned, RawJudgeAverage
from bacon.experiments.configurations import Asked, Calibrated, LabelsAlone, all_named, named
from bacon.experiments.full_pool import full_pool
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate

if TYPE_CHECKING:
    from bacon.data.labels import Labels
    from bacon.data.sample import Sample
    from bacon.experiments.full_pool import FullPool


def drawn(n: int = 40, *, seed: int = 5) -> tuple[FullPool, Labels, Sample]:
    """A pool with the labels of a draw."""
    full = essays()
    sample = bacon.UniformDesign(n=n).draw(full.pool, seed=seed)
    return full, full.labels(full.rows_of(sample)), sample


def test_names_stand_for_arguments() -> None:
    asked = Asked(scale=(1.0, 6.0))
    ridge = named("ridge", asked)
    assert ridge.run == Calibrated({"scale": (1.0, 6.0), "outcome": "auto", "model": "ridge"})
    assert ridge.interval == "auto"
    default = named("bacon", asked).run
    assert default == Calibrated({"scale": (1.0, 6.0), "outcome": "auto"})
    base = named("human-only", asked)
    assert isinstance(base.run, LabelsAlone)
    assert base.interval == "t"
    own = named("mine:model=ridge,crossfit=refit,folds=4,interval=t", asked)
    assert own.run == Calibrated(
        {
            "scale": (1.0, 6.0),
            "outcome": "auto",
            "model": "ridge",
            "crossfit": "refit",
            "folds": 4,
        }
    )
    assert own.interval == "t"
    # A model that is added to the package tomorrow is a configuration then.
    assert named("transformer", asked).run == Calibrated(
        {"scale": (1.0, 6.0), "outcome": "auto", "model": "transformer"}
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a b", "letters, digits and"),
        (":model=ridge", "letters, digits and"),
        ("x:model", "'model' is no argument"),
        ("x:seed=3", "'seed=3' is no argument"),
        ("x:pool=y", "'pool=y' is no argument"),
    ],
)
def test_what_is_no_configuration_is_refused(given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        named(given, Asked())


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two configurations are called ridge"):
        all_named(["ridge", "ridge:model=ridge"], Asked())


def test_identity_tells_arguments_and_functions_apart() -> None:
    def one(*_: object) -> Said:
        return Said({("mean", None): Answer(1.0)})

    def two(*_: object) -> Said:
        return Said({("mean", None): Answer(2.0)})

    found = [
        named("x:model=ridge", Asked()).identity,
        named("x:model=ridge,interval=t", Asked()).identity,
        named("x:model=ridge", Asked(scale=(1.0, 6.0))).identity,
        all_named([("x", one)], Asked())[0].identity,
        all_named([("x", two)], Asked())[0].identity,
    ]
    assert len(set(found)) == 5
    assert found[0] == named("x:model=ridge", Asked()).identity


def test_labels_alone_are_the_estimator_with_a_constant() -> None:
    full, labels, sample = drawn()
    ours = LabelsAlone()(full.pool, labels, sample, 3).estimate("mean")
    same = calibrate(full.pool, labels, sample=sample, seed=3, model="human-only").mean()
    y = labels.values[:, 0]
    for estimate in (ours, same):
        assert estimate.value == pytest.approx(y.mean(), abs=1e-12)
        assert estimate.se() == pytest.approx(math.sqrt((1 - 40 / 120) * y.var(ddof=1) / 40))


def test_power_tuned_is_ppi_python() -> None:
    full, labels, sample = drawn()
    said = PowerTuned(("mean",), 0.95)(full.pool, labels, sample, 0)
    answer = said.answers["mean", None]
    rows = full.rows_of(sample)
    z = [
        (judge.scores[:, 0] - judge.scores.mean()) / judge.scores.std()
        for judge in full.pool.judges
    ]
    f = np.mean(z, axis=0).round(6)
    y, others = full.y[rows], np.delete(f, rows)
    value = np.squeeze(ppi_py.ppi_mean_pointestimate(y, f[rows], others))
    low, high = ppi_py.ppi_mean_ci(y, f[rows], others, alpha=0.05)
    assert answer.value == pytest.approx(float(value), abs=1e-12)
    assert answer.pool == answer.population
    assert answer.pool == pytest.approx((float(np.squeeze(low)), float(np.squeeze(high))))
    assert not said.predictions


def test_power_tuned_of_a_penalty_takes_the_judges_turned() -> None:
    rows = table().with_columns(human=-pl.col("human"))
    full = full_pool(bacon.read_pool(rows, label="human"), rows, label="human")
    assert full.judges_fall
    assert not essays().judges_fall
    made = Plan(full, [bacon.UniformDesign(n=40)], ["human-only", "ppi++"])
    assert made.named[1].run == PowerTuned(("mean",), 0.95, is_turned=True)
    found = simulate(made, trials=25).summary
    straight = simulate(
        Plan(essays(), [bacon.UniformDesign(n=40)], ["human-only", "ppi++"]), trials=25
    ).summary
    # Turned labels with turned judges are the same problem.
    assert found["rmse"][1] == pytest.approx(straight["rmse"][1], rel=1e-9)
    assert found["rmse_ratio"][1] < 0.95


def test_power_tuned_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ppi_py", None)
    with pytest.raises(InputError, match="needs the package ppi-python; pip install ppi-python"):
        named("ppi++", Asked())


def test_power_tuned_has_means_only() -> None:
    with pytest.raises(InputError, match="ppi\\+\\+ has means only"):
        named("ppi++", Asked(estimands=("mean", "sd")))


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("ordinal", "ordinal"),
        ("zero-inflated", "hurdle-ridge"),
        ("real", "ridge"),
        ("binary", "ridge"),
    ],
)
def test_the_papers_model_follows_the_outcome(kind: str, model: str) -> None:
    run = named("paper", Asked(kind=kind)).run
    assert isinstance(run, Paper)
    assert run.arguments["model"] == model
    assert run.arguments["crossfit"] == "refit"
    assert named("paper", Asked(kind="real", outcome=kind)).run.arguments["model"] == model


def test_the_papers_interval_by_hand() -> None:
    full, labels, sample = drawn()
    said = named("paper", Asked(kind="real")).run(full.pool, labels, sample, 3)
    assert isinstance(said, Said)
    answer = said.answers["mean", None]
    rows = full.rows_of(sample)
    cal = calibrate(
        full.pool, labels, sample=sample, seed=3, model="ridge", crossfit="refit", folds=5
    )
    residual = full.y[rows] - cal.f[rows]
    assert answer.value == pytest.approx(cal.f.mean() + residual.mean(), abs=1e-12)
    half = stats.norm.ppf(0.975) * residual.std(ddof=1) / math.sqrt(40)
    assert answer.pool == pytest.approx((answer.value - half, answer.value + half), abs=1e-12)
    assert answer.population == answer.pool
    assert np.array_equal(said.predictions["mean"].f, cal.f)


def test_the_paper_has_no_quantiles() -> None:
    with pytest.raises(InputError, match="paper has means and shares only; leave it out, or sd"):
        named("paper", Asked(estimands=("mean", "sd")))


def test_raw_judges_are_averaged_as_if_people() -> None:
    full, labels, sample = drawn()
    said = RawJudgeAverage(("mean",), None)(full.pool, labels, sample, 0)
    # judge_b scores around 50, which is no score of people here.
    assert said.answers["mean", None].value == pytest.approx(full.pool.judges[0].scores.mean())
    assert math.isnan(said.answers["mean", None].pool[0])
    off = RawJudgeAverage(("mean",), (90.0, 100.0))(full.pool, labels, sample, 0)
    assert math.isnan(off.answers["mean", None].value)


def test_what_a_function_returns_is_read() -> None:
    full, labels, sample = drawn()
    cal = calibrate(full.pool, labels, sample=sample, model="ridge")
    estimate = cal.mean()
    from_cal = as_said(cal, ["mean", "sd"], level=0.9, joint_level=0.99, interval="t")
    mean = from_cal.answers["mean", None]
    assert mean.value == estimate.value
    assert mean.pool == tuple(estimate.interval(0.9, "pool", "t"))
    assert mean.population == tuple(estimate.interval(0.9, "population", "t"))
    assert mean.joint == tuple(estimate.interval(0.99, "pool", "t"))
    assert mean.se_population == estimate.se("population")
    assert from_cal.answers["sd", None].value == cal.sd().value
    prediction = from_cal.predictions["mean"]
    assert prediction.models is not None
    items = np.arange(5)
    for k in range(prediction.models.n_models):
        assert prediction.models.predict(k, items).shape == (5,)
    both = as_said({"mean": estimate, ("mean", "atlas"): Answer(2.0)}, ["mean"], level=0.95)
    assert both.answers["mean", "atlas"].value == 2.0
    with pytest.raises(InputError, match="gave no estimate of sd"):
        as_said({"mean": estimate}, ["mean", "sd"], level=0.95)
    with pytest.raises(InputError, match="got a list"):
        as_said([estimate], ["mean"], level=0.95)
    with pytest.raises(InputError, match="got a float"):
        as_said({"mean": 3.0}, ["mean"], level=0.95)
