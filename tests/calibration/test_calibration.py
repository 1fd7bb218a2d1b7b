"""What a calibration can be asked: estimates and user moments."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.cases import SCALE, N, calibrated, essays, labels_of, people

from bacon.calibration.calibrate import calibrate
from bacon.errors import EstimationError, InputError
from bacon.estimation.compare import contrast


@pytest.fixture(scope="module")
def cal():
    return calibrated(scale=SCALE)


def test_the_mean_is_the_augmented_mean_by_hand(cal):
    rows, y = cal.aligned.design.rows, cal.aligned.y
    r = y - cal.f[rows]
    np.testing.assert_allclose(cal.mean().value, cal.f.mean() + r.mean(), rtol=1e-14)
    np.testing.assert_allclose(
        cal.mean().se(), np.sqrt((1 - 30 / N) * r.var(ddof=1) / 30), rtol=1e-12
    )


def test_short_names_and_methods_agree(cal):
    pairs = [
        (cal.mean(), "mean"),
        (cal.sd(), "sd"),
        (cal.variance(), "variance"),
        (cal.quantile(0.5), "quantile:0.5"),
        (cal.quantile(np.float64(0.25)), "quantile:0.25"),
        (cal.proportion(ge=4), "proportion:ge:4"),
        (cal.proportion(ge=np.int64(4)), "proportion:ge:4"),
        (cal.proportion(ge="4"), "proportion:ge:4"),
        (cal.proportion(le=2.0), "proportion:le:2"),
        (cal.proportion(eq=3), "proportion:eq:3"),
        (cal.proportion(between=(2, 4)), "proportion:between:2:4"),
        (cal.proportion(between=[2, 4]), "proportion:between:2:4"),
    ]
    for estimate, name in pairs:
        other = cal.estimate(name)
        assert (estimate.value, estimate.se()) == (other.value, other.se()), name
        assert estimate.name == other.name


def test_shares_of_events_fit_together(cal):
    low, high = cal.proportion(le=3), cal.proportion(ge=4)
    # Complements: one model each, and errors that mirror.
    np.testing.assert_allclose(low.value + high.value, 1.0, atol=1e-10)
    np.testing.assert_allclose(low.se(), high.se(), rtol=1e-10)


def test_the_cut_of_a_proportion_is_taken_exactly():
    pool = essays()
    y = 1234567.0 + np.arange(N)
    cal = calibrate(pool, labels_of(pool, range(0, N, 2), human=y.tolist()), model="human-only")
    for asked, share in [
        ({"ge": 1234587}, 35 / 45),
        ({"le": 1234569.5}, 2 / 45),
        ({"between": (1234568, 1234571)}, 2 / 45),
        ({"eq": 1234569}, 1 / 45),
    ]:
        np.testing.assert_allclose(cal.proportion(**asked).value, share, rtol=1e-12)


def test_labels_alone_are_the_plain_estimates(cal):
    y = cal.aligned.y
    alone = {name: cal.estimate(name, labels_alone=True) for name in ("mean", "variance", "sd")}
    np.testing.assert_allclose(alone["mean"].value, y.mean(), rtol=1e-14)
    np.testing.assert_allclose(alone["variance"].value, y.var(ddof=1), rtol=1e-12)
    np.testing.assert_allclose(alone["sd"].value, y.std(ddof=1), rtol=1e-12)
    assert cal.estimate("proportion:ge:4", labels_alone=True).value == np.mean(y >= 4)
    assert cal.estimate("quantile:0.5", labels_alone=True).value == np.sort(y)[14]


def test_a_user_moment_of_the_mean_is_the_mean(cal):
    moment, mean = cal.moment(lambda y, theta: y - theta, 3.0), cal.mean()
    np.testing.assert_allclose(moment.value, mean.value, rtol=1e-9)
    np.testing.assert_allclose(moment.se(), mean.se(), rtol=1e-6)
    np.testing.assert_allclose(moment.se("population"), mean.se("population"), rtol=1e-6)


def test_a_nonlinear_user_moment_is_solved_as_by_hand(cal):
    # The average of exp(y / 3): its prediction is the expectation over each item's
    # predictive distribution, corrected at the labelled items.
    moment = cal.moment(lambda y, theta: np.exp(y / 3) - theta, 2.0)
    rows, y = cal.aligned.design.rows, cal.aligned.y
    phi = cal.distribution.expectation(lambda y: np.exp(y / 3))
    r = np.exp(y / 3) - phi[rows]
    np.testing.assert_allclose(moment.value, phi.mean() + r.mean(), rtol=1e-9)
    np.testing.assert_allclose(moment.se(), np.sqrt((1 - 30 / N) * r.var(ddof=1) / 30), rtol=1e-6)


def test_a_geometric_mean_without_judges_by_the_delta_method():
    cal = calibrated(model="human-only")
    moment = cal.moment(lambda y, theta: np.log(y) - np.log(theta), 2.0)
    logs = np.log(cal.aligned.y)
    np.testing.assert_allclose(moment.value, np.exp(logs.mean()), rtol=1e-8)
    by_hand = np.exp(logs.mean()) * np.sqrt((1 - 30 / N) * logs.var(ddof=1) / 30)
    np.testing.assert_allclose(moment.se(), by_hand, rtol=1e-5)


def test_moments_that_cannot_be_solved_are_refused(cal):
    with pytest.raises(EstimationError, match="one value for each of the 30 labels"):
        cal.moment(lambda y, theta: y[:3] - theta, 3.0)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, "takes exactly one of ge, le, between and eq; got 0"),
        ({"ge": 3, "le": 4}, "got 2"),
        ({"between": 3}, "a proportion is given as"),
        ({"between": (4, 2)}, "lower end first"),
        ({"ge": float("nan")}, "a proportion is given as"),
        ({"eq": "good"}, "'good' is not a number"),
    ],
)
def test_proportions_that_are_none(cal, asked, text):
    with pytest.raises(InputError, match=text):
        cal.proportion(**asked)


@pytest.mark.parametrize("tau", [0, 1, -0.5, float("nan"), "half"])
def test_quantiles_that_are_none(cal, tau):
    with pytest.raises(InputError, match=r"a quantile needs a level|is not a number"):
        cal.quantile(tau)


def test_r2_is_out_of_fold_by_hand(cal):
    rows, y = cal.aligned.design.rows, cal.aligned.y
    by_hand = 1 - np.sum((y - cal.f[rows]) ** 2) / np.sum((y - y.mean()) ** 2)
    np.testing.assert_allclose(cal.r2, by_hand, rtol=1e-12)
    assert 0.2 < cal.r2 < 1


def test_r2_of_alike_labels_is_undefined():
    pool = essays()
    labels = labels_of(pool, range(0, N, 3), human=[4.0] * N)
    assert np.isnan(calibrate(pool, labels).r2)


def test_a_notebook_shows_the_summary_with_markup_escaped():
    pool = essays()
    words = np.where(people(pool) > 3, "<b>good</b>", "bad").tolist()
    labels = labels_of(pool, range(0, N, 3), human=words)
    shown = calibrate(pool, labels)._repr_html_()
    assert shown.startswith("<pre>No sample file given")
    assert "&lt;b&gt;good&lt;/b&gt;" in shown
    assert "<b>" not in shown


def test_estimates_know_their_pool_and_refuse_another(cal):
    with pytest.raises(InputError, match="the two pools share 90 of 90 and 95 items"):
        contrast(cal.mean(), calibrated(essays(95)).mean())
