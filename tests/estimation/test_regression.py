"""Regression coefficients: by hand, reductions, an independent oracle, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from tests.estimation import cases

from bacon.errors import EstimationError, InputError, TooFewLabelsError
from bacon.estimation.compare import contrast
from bacon.estimation.designs import cluster_design, probability_design, simple_design
from bacon.estimation.estimands import Setting, mean_estimate
from bacon.estimation.regression import regression_estimates

N = 80
RNG = np.random.default_rng(2)
Z = RNG.normal(size=N)
U = (RNG.random(N) < 0.4).astype(float)
X = np.column_stack([np.ones(N), 100.0 + 20.0 * Z, U])
NAMES = ["intercept", "length", "u"]
ROWS = np.sort(RNG.choice(N, 40, replace=False))
SETTING = Setting(simple_design(ROWS, N))
CENSUS = Setting(simple_design(np.arange(N), N))
F = np.clip(0.4 + 0.1 * Z + 0.1 * U + 0.1 * RNG.normal(size=N), 0.02, 0.98)
OUTCOMES = {
    "linear": 3.0 + Z + 0.5 * U + RNG.normal(size=N),
    "logistic": (RNG.random(N) < 0.3 + 0.3 * F).astype(float),
    "poisson": RNG.poisson(2.0 * np.exp(0.3 * Z)).astype(float),
}
FAMILIES = {
    "linear": sm.families.Gaussian(),
    "logistic": sm.families.Binomial(),
    "poisson": sm.families.Poisson(),
}


def values(found):
    return np.array([one.value for one in found.values()])


def errors(found, target="pool"):
    return np.array([one.se(target) for one in found.values()])


def test_three_items_by_hand():
    # x 0, 1, 2; f 0, 1, 3; labels of the first and last: 1 and 3. OLS of f is -1/6 + 3/2 x;
    # the line through the labels' errors 1 and 0 is 1 - x/2. Together 5/6 + x.
    x = np.column_stack([np.ones(3), [0.0, 1.0, 2.0]])
    setting = Setting(simple_design(np.array([0, 1, 2]), 3))
    whole = regression_estimates(["a", "b"], x, np.array([1.0, 2.0, 3.0]), None, setting)
    np.testing.assert_allclose(values(whole), [1.0, 1.0], atol=1e-12)
    five = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 1.0]])
    f = np.array([0.0, 1.0, 3.0, 0.0])
    # OLS of f over the four: slope 3/2, intercept 1 - 3/2. The labels' errors are 1, 0, -1 at
    # 0, 1, 2: the line 1 - x.
    setting = Setting(simple_design(np.array([0, 1, 2]), 4))
    found = regression_estimates(["a", "b"], five, np.array([1.0, 1.0, 2.0]), f, setting)
    np.testing.assert_allclose(values(found), [-0.5 + 1.0, 1.5 - 1.0], atol=1e-12)


@pytest.mark.parametrize("family", list(OUTCOMES))
@pytest.mark.parametrize("adjust", [True, False])
def test_everything_labelled_is_the_plain_regression(family, adjust):
    y = OUTCOMES[family]
    found = regression_estimates(NAMES, X, y, F, CENSUS, family=family, adjust=adjust)
    oracle = sm.GLM(y, X, family=FAMILIES[family]).fit(tol=1e-12)
    np.testing.assert_allclose(values(found), oracle.params, rtol=1e-6)
    np.testing.assert_array_equal(errors(found), 0.0)
    assert tuple(found["length"].interval()) == (found["length"].value,) * 2


@pytest.mark.parametrize("family", list(OUTCOMES))
def test_labels_alone_are_the_regression_with_robust_errors(family):
    y = OUTCOMES[family][ROWS]
    found = regression_estimates(NAMES, X, y, None, SETTING, family=family)
    constant = regression_estimates(NAMES, X, y, np.full(N, 0.4), SETTING, family=family)
    oracle = sm.GLM(y, X[ROWS], family=FAMILIES[family]).fit(tol=1e-12)
    np.testing.assert_allclose(values(found), oracle.params, rtol=1e-6)
    np.testing.assert_allclose(values(constant), oracle.params, rtol=1e-6)
    np.testing.assert_allclose(errors(constant), errors(found), rtol=1e-6)
    if family == "linear":
        # HC3, with (m - 1) / m for the mean that a variance takes off anyway.
        robust = sm.OLS(y, X[ROWS]).fit(cov_type="HC3").bse * np.sqrt((40 - 1) / 40)
        np.testing.assert_allclose(errors(found, "population"), robust, rtol=1e-2)
        np.testing.assert_allclose(errors(found), robust * np.sqrt(1.0 - 40 / N), rtol=1e-2)


def test_weights_are_those_of_the_design():
    pi = np.random.default_rng(0).uniform(0.2, 0.9, size=N)
    design = probability_design("poisson", pi, ROWS)[0]
    found = regression_estimates(NAMES, X, OUTCOMES["linear"][ROWS], None, Setting(design))
    oracle = sm.WLS(OUTCOMES["linear"][ROWS], X[ROWS], weights=1.0 / pi[ROWS]).fit()
    np.testing.assert_allclose(values(found), oracle.params, rtol=1e-9)


def test_the_intercept_alone_is_the_mean():
    y = OUTCOMES["linear"]
    ours = regression_estimates(["intercept"], X[:, :1], y[ROWS], F, SETTING)["intercept"]
    mean = mean_estimate(y[ROWS], F, SETTING)
    assert cases.numbers(ours) == pytest.approx(cases.numbers(mean), rel=1e-9)


def test_a_binary_column_is_a_difference_of_group_means():
    y = OUTCOMES["linear"]
    found = regression_estimates(["intercept", "u"], X[:, [0, 2]], y[ROWS], F, SETTING)

    def group(u):
        own = U[ROWS] == u
        return F[u == U].mean() + (y[ROWS] - F[ROWS])[own].mean()

    assert found["intercept"].value == pytest.approx(group(0.0), abs=1e-10)
    assert found["u"].value == pytest.approx(group(1.0) - group(0.0), abs=1e-10)
    # The variance is that of two means, but for how few labels are allowed for.
    parts = [
        np.var((y[ROWS] - F[ROWS])[U[ROWS] == u], ddof=1) / (U[ROWS] == u).sum() for u in (0.0, 1.0)
    ]
    assert found["u"].se() == pytest.approx(np.sqrt(sum(parts) * (1.0 - 40 / N)), rel=0.05)


def test_coefficients_follow_the_units_of_their_columns():
    y = OUTCOMES["logistic"][ROWS]
    found = regression_estimates(NAMES, X, y, F, SETTING, family="logistic")
    scale = np.array([1.0, 1e-6, 1e5])
    other = regression_estimates(NAMES, X * scale, y, F, SETTING, family="logistic")
    np.testing.assert_allclose(values(other) * scale, values(found), rtol=1e-7)
    np.testing.assert_allclose(errors(other) * scale, errors(found), rtol=1e-7)
    assert other["u"].interval().low * 1e5 == pytest.approx(found["u"].interval().low, rel=1e-7)


@given(st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), st.floats(-5.0, 5.0))
def test_a_linear_function_of_the_columns_added_to_predictions_changes_nothing(a, b, c):
    y = OUTCOMES["linear"][ROWS]
    found = regression_estimates(NAMES, X, y, F, SETTING)
    other = regression_estimates(NAMES, X, y, F + X @ np.array([a, b, c]), SETTING)
    np.testing.assert_allclose(values(other), values(found), atol=1e-7)
    np.testing.assert_allclose(errors(other), errors(found), rtol=1e-6)


def test_covariance_holds_the_squared_errors_and_sums_of_coefficients():
    found = regression_estimates(NAMES, X, OUTCOMES["linear"][ROWS], F, SETTING)
    covariance = found.covariance()
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), errors(found), rtol=1e-9)
    # At u = 1 in place of 0: the sum of intercept and u is the intercept of a turned column.
    turned = np.column_stack([X[:, :2], 1.0 - U])
    other = regression_estimates(NAMES, turned, OUTCOMES["linear"][ROWS], F, SETTING)
    expected = covariance[0, 0] + covariance[2, 2] + 2.0 * covariance[0, 2]
    assert other["intercept"].se() ** 2 == pytest.approx(expected, rel=1e-8)


def test_degrees_of_freedom_of_a_group_are_its_own():
    few = np.zeros(N)
    few[ROWS[:4]] = 1.0
    x = np.column_stack([few, 1.0 - few])
    found = regression_estimates(["few", "many"], x, OUTCOMES["linear"][ROWS], F, SETTING)
    assert found["few"].df == pytest.approx(3.0)
    assert found["many"].df == pytest.approx(35.0)


def test_clusters_count_as_one():
    cluster = np.arange(N) // 4
    rows = np.flatnonzero(np.isin(cluster, np.arange(0, 20, 2)))
    setting = Setting(cluster_design(cluster, rows, whole=True), cluster)
    found = regression_estimates(NAMES, X, OUTCOMES["linear"][rows], F, setting)
    assert all(one.df <= 10 - 3 for one in found.values())
    assert all(one.se("population") > one.se() > 0.0 for one in found.values())


def test_collinear_columns_are_named():
    x = np.column_stack([X, 2.0 * X[:, 1] - 5.0])
    with pytest.raises(InputError, match=r"intercept, length, again: over all items .* leave one"):
        regression_estimates([*NAMES, "again"], x, OUTCOMES["linear"][ROWS], F, SETTING)


def test_a_column_without_labelled_items_is_refused():
    rare = np.zeros(N)
    rare[np.setdiff1d(np.arange(N), ROWS)[:5]] = 1.0
    x = np.column_stack([X, rare])
    with pytest.raises(InputError, match=r"columns rare: over the labelled items .* 0 everywhere"):
        regression_estimates([*NAMES, "rare"], x, OUTCOMES["linear"][ROWS], F, SETTING)


def test_a_label_that_settles_a_coefficient_alone_is_refused():
    lone = np.zeros(N)
    lone[ROWS[4]] = lone[np.setdiff1d(np.arange(N), ROWS)[:6]] = 1.0
    x = np.column_stack([X, lone])
    with pytest.raises(TooFewLabelsError, match=rf"the label of row {ROWS[4] + 1} settles a coeff"):
        regression_estimates([*NAMES, "lone"], x, OUTCOMES["linear"][ROWS], F, SETTING)


def test_a_difference_has_no_more_degrees_of_freedom_than_its_parts():
    few = np.zeros(N)
    few[ROWS[:4]] = 1.0
    x = np.column_stack([few, 1.0 - few])
    setting = Setting(SETTING.design, pool_key="a", ids=np.arange(N))
    found = regression_estimates(["few", "many"], x, OUTCOMES["linear"][ROWS], F, setting)
    gap = contrast(found["few"], found["many"])
    assert gap.df == pytest.approx(3.0)
    assert gap.value == pytest.approx(found["few"].value - found["many"].value)
    assert gap.se() ** 2 == pytest.approx(found["few"].se() ** 2 + found["many"].se() ** 2)


def test_separation_is_told_with_its_column():
    x = np.column_stack([X, OUTCOMES["logistic"]])
    with pytest.raises(EstimationError, match=r"no finite coefficients: s separate outcomes 0"):
        regression_estimates(
            [*NAMES, "s"], x, OUTCOMES["logistic"][ROWS], None, SETTING, family="logistic"
        )


def test_labels_that_separate_lean_on_the_predictions_and_say_so():
    y = np.where(U[ROWS] == 1.0, 1.0, OUTCOMES["logistic"][ROWS])
    f = np.where(np.isin(np.arange(N), ROWS), F, 0.3 * F)
    found = regression_estimates(NAMES, X, y, f, SETTING, family="logistic")
    plain = regression_estimates(NAMES, X, y, f, SETTING, family="logistic", adjust=False)
    assert [notice.code for notice in found.notices] == ["predictions_not_adjusted"]
    assert values(found) == pytest.approx(values(plain))


@pytest.mark.parametrize(
    ("family", "label", "words"),
    [("logistic", 1.5, "0 or 1, or shares"), ("poisson", -1.0, "counts or amounts from 0 up")],
)
def test_labels_that_a_family_does_not_have(family, label, words):
    y = OUTCOMES["logistic"][ROWS].copy()
    y[3] = label
    with pytest.raises(InputError, match=rf"row {ROWS[3] + 1} is {label:g} .*{words}"):
        regression_estimates(NAMES, X, y, F, SETTING, family=family)


def test_shares_are_labels_of_a_logistic_regression():
    y = F[ROWS]
    found = regression_estimates(NAMES, X, y, None, SETTING, family="logistic")
    with np.errstate(all="ignore"):
        oracle = sm.GLM(y, X[ROWS], family=sm.families.Binomial()).fit(tol=1e-12)
    np.testing.assert_allclose(values(found), oracle.params, rtol=1e-6)


def test_too_few_labels_and_unknown_families():
    few = Setting(simple_design(ROWS[:3], N))
    with pytest.raises(TooFewLabelsError, match="3 labels cannot show the error of 3 coeff"):
        regression_estimates(NAMES, X, OUTCOMES["linear"][ROWS[:3]], F, few)
    with pytest.raises(InputError, match="family must be one of linear, logistic, poisson"):
        regression_estimates(NAMES, X, OUTCOMES["linear"][ROWS], F, SETTING, family="probit")


def test_labels_all_alike_have_no_interval():
    found = regression_estimates(NAMES, X, np.full(40, 2.0), F, SETTING)
    assert all(np.isnan(one.interval().low) for one in found.values())
