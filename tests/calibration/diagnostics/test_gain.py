"""What the judges gain over the labels alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import SCALE, N, calibrated, essays, labels_of, people

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.calibration.diagnostics.diagnose import gain_of
from bacon.estimation.intervals import t_quantile


def gain(cal, name="mean", *, target="pool", level=0.95):
    return gain_of(cal, name, level=level, target=target)


def test_the_ratio_and_its_interval_by_hand():
    cal = calibrated(scale=SCALE)
    found = gain(cal)
    ours, alone = cal.mean(), cal.estimate("mean", labels_alone=True)
    assert found.ratio.value == pytest.approx(ours.se() / alone.se(), rel=1e-12)
    # V and V_alone are means of squares: log V has the influence r^2 / mean(r^2) - 1.
    rows, y = cal.aligned.design.rows, cal.aligned.y
    r = y - cal.f[rows]
    a, b = (r - r.mean()) ** 2, (y - y.mean()) ** 2
    influence = a / a.mean() - b / b.mean()
    se = math.sqrt(np.sum(influence**2) / 30**2 * 30 / 29) * 29 / 30
    assert found.ratio.se == pytest.approx(0.5 * found.ratio.value * se, rel=0.04)
    half = t_quantile(0.95, 29) * found.ratio.se / found.ratio.value
    np.testing.assert_allclose(
        [found.ratio.low, found.ratio.high],
        found.ratio.value * np.exp([-half, half]),
        rtol=1e-10,
    )


@pytest.mark.parametrize("target", ["pool", "population"])
def test_the_worth_is_that_of_the_estimate(target):
    cal = calibrated(scale=SCALE)
    found = gain(cal, target=target)
    assert found.worth.value == pytest.approx(cal.mean().effective_labels(target), rel=1e-10)
    assert found.worth.low < found.worth.value < found.worth.high
    # A ratio of 1 would be worth the labels themselves.
    assert (found.worth.low > 30) == (found.ratio.high < 1.0)


def test_good_judges_gain_and_ignored_ones_do_not():
    pool = essays(300)
    cal = calibrated(pool, 100, scale=SCALE)
    found = gain(cal)
    assert found.verdict == "gain"
    assert 0.5 < found.ratio.value < found.ratio.high < 0.99
    assert gain(calibrated(pool, 100, model="human-only")).verdict == "none"


def test_a_constant_prediction_gains_nothing():
    pool = essays(200)
    rng = np.random.default_rng(7)
    noise = tuple(replace(judge, scores=rng.normal(size=(200, 1))) for judge in pool.judges)
    cal = calibrated(replace(pool, judges=noise), 60)
    found = gain(cal)
    assert found.verdict in ("open", "loss")
    assert found.ratio.value > 0.97


def test_a_census_has_no_gain_for_the_pool_but_one_for_the_population():
    pool = essays()
    cal = calibrate(pool, labels_of(pool, range(N)), scale=SCALE)
    assert gain(cal).verdict == "unknown"
    assert "every item is labelled" in str(gain(cal).reason)
    others = gain(cal, target="population")
    assert others.verdict == "open"
    assert others.ratio.value == pytest.approx(1.0, abs=1e-9)


def test_alike_labels_and_few_labels_tell_nothing():
    pool = essays()
    alike = calibrate(pool, labels_of(pool, range(0, N, 3), human=[4.0] * N))
    assert "do not show how much" in str(gain(alike).reason)
    few = calibrate(pool, labels_of(pool, [0, 20, 40, 60]))
    assert "4 labels are too few" in str(gain(few).reason)


@pytest.mark.parametrize("name", ["sd", "quantile:0.5", "proportion:ge:4"])
def test_every_estimand_has_a_gain(name):
    found = gain(calibrated(scale=SCALE), name)
    assert found.estimand == name
    assert found.ratio.low < found.ratio.value < found.ratio.high


def test_shares_sum_their_variances():
    pool = essays(240)
    words = np.array(["bad", "ok", "good"])[np.digitize(people(pool), [2.5, 4.5])].tolist()
    cal = calibrate(pool, labels_of(pool, range(0, 240, 3), human=words))
    found = gain(cal, "shares")
    ours, alone = cal.shares(), cal.shares(labels_alone=True)
    ratio = math.hypot(*(e.se() for e in ours.values())) / math.hypot(
        *(e.se() for e in alone.values())
    )
    assert found.ratio.value == pytest.approx(ratio, rel=1e-10)


@pytest.mark.parametrize("kind", ["stratified", "clusters", "poisson"])
def test_every_design_has_a_gain(kind):
    pool = essays(240)
    if kind == "stratified":
        design = bacon.StratifiedDesign(n=60, strata="system")
    elif kind == "clusters":
        design = bacon.ClusterDesign(n_clusters=30, column="prompt_id")
    else:
        pi = np.random.default_rng(1).uniform(0.1, 0.5, 240).tolist()
        pool = essays(240, columns={"chance": pi})
        design = bacon.ProbabilityDesign(pi="chance", method="poisson")
    sample = design.draw(pool, seed=2)
    rows = [pool.ids.tolist().index(i) for i in sample.ids.tolist()]
    cal = calibrate(pool, labels_of(pool, rows), sample=sample, scale=SCALE)
    found = gain(cal)
    ratio = cal.mean().se() / cal.estimate("mean", labels_alone=True).se()
    assert found.ratio.value == pytest.approx(ratio, rel=1e-10)
    assert found.ratio.low < ratio < found.ratio.high
