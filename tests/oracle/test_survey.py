"""BACON against R ``survey`` on fixed predictions: figures stored, made by ``survey.R``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bacon

RELATIVE = 1e-8
LABELLED_BY = {
    "simple": ("simple", {}),
    "stratified": ("stratified", {"strata": "stratum"}),
    "poisson": ("poisson", {"pi": "pi"}),
    "fixed": ("fixed", {"pi": "pi"}),
    "clusters": ("clusters", {"psu": "psu"}),
    "simple_constant": ("simple", {}),
    "stratified_constant": ("stratified", {"strata": "stratum"}),
}
"""Design of each pool and the argument that takes each of its columns."""

CONSTANT = ["simple_constant", "stratified_constant"]
KNOWN_DF = ["simple", "stratified", "clusters", *CONSTANT]

Case = dict[str, npt.NDArray[Any]]


def agrees(figure: float) -> Any:
    """Return `figure` as something that compares equal within the stated tolerance."""
    return pytest.approx(figure, rel=RELATIVE, abs=0.0)


def estimate(case: Case, name: str, *, y: str = "y", **options: Any) -> Any:
    """Return ``bacon.aee`` of column `y` of a pool under its design."""
    design, columns = LABELLED_BY[name]
    known = {argument: case[column] for argument, column in columns.items()}
    return bacon.aee(case[y], case["f"], design=design, **known, **options)


@pytest.mark.parametrize("name", LABELLED_BY)
def test_mean_and_pool_standard_error(
    name: str, cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree on value and standard error of the mean under every design."""
    found = estimate(cases[name], name)
    assert found.value == agrees(figures[name]["mean"])
    assert found.se(target="pool") == agrees(figures[name]["se"])


@pytest.mark.parametrize("name", KNOWN_DF)
def test_degrees_of_freedom_and_t_interval(
    name: str, cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree on ``degf`` and the t interval; unequal weights have a df of their own in BACON."""
    found = estimate(cases[name], name)
    assert found.df == figures[name]["df"]
    low, high = found.interval(0.95, target="pool", method="t")
    assert low == agrees(figures[name]["low95"])
    assert high == agrees(figures[name]["high95"])


@pytest.mark.parametrize("name", ["simple", "stratified", "clusters"])
def test_predictions_matter(name: str, cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Differ from labels alone, so that agreement cannot come from ignoring f."""
    case = {**cases[name], "f": np.zeros_like(cases[name]["f"])}
    assert estimate(case, name).se() > 1.2 * figures[name]["se"]


@pytest.mark.parametrize("name", CONSTANT)
def test_population_standard_error(
    name: str, cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree with two-phase sampling from an infinite population, times N/(N-1)."""
    found = estimate(cases[name], name)
    assert found.se(target="population") == agrees(figures[name]["population_se"])


def test_population_standard_error_of_clusters(
    cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree on the part that clusters add, R's sum of weights put back to N.

    R centres at the estimate and stops there; ours adds what the centring takes away,
    V_pool times the squared cluster sizes, so that clusters of one item change nothing.
    """
    case = {**cases["clusters"], "f": np.zeros_like(cases["clusters"]["f"])}
    figure = figures["clusters"]["human_only"]
    found = estimate(case, "clusters", cluster=case["psu"])
    assert found.value == agrees(figure["mean"])
    assert found.se() == agrees(figure["se"])
    added = found.se(target="population") ** 2 - found.se() ** 2
    n_items = len(case["f"])
    sizes = np.unique(case["psu"], return_counts=True)[1]
    n_clusters = len(sizes)
    added -= n_clusters / (n_clusters - 1) * found.se() ** 2 * (sizes @ sizes) / n_items**2
    scale = (figure["weight_sum"] / n_items) ** 2
    assert added == agrees((figure["population_se_survey"] ** 2 - figure["se"] ** 2) * scale)


@pytest.mark.parametrize("name", CONSTANT)
def test_total(name: str, cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Agree with ``svytotal``: N times the mean."""
    found = estimate(cases[name], name)
    n_items = len(cases[name]["f"])
    assert n_items * found.value == agrees(figures[name]["total"]["value"])
    assert n_items * found.se() == agrees(figures[name]["total"]["se"])


@pytest.mark.parametrize("name", CONSTANT)
def test_ratio_by_influence(name: str, cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Agree with ``svyratio`` through the estimate of y - R y2."""
    case, figure = cases[name], figures[name]["ratio_y_y2"]
    below = estimate(case, name, y="y2").value
    ratio = estimate(case, name).value / below
    assert ratio == agrees(figure["value"])
    linear = {**case, "d": case["y"] - ratio * case["y2"]}
    assert estimate(linear, name, y="d").se() / below == agrees(figure["se"])


@pytest.mark.parametrize("name", CONSTANT)
def test_variance(name: str, cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Agree with ``svyvar``, which is n/(n-1) times the weighted mean square.

    Ours is N/(N-1) times that mean square plus V_pool of the mean: the same number for labels
    alone under a simple draw, another for strata. The standard errors differ by the factors.
    """
    figure = figures[name]["variance"]
    found = estimate(cases[name], name, estimand="variance")
    if name == "simple_constant":
        assert found.value == agrees(figure["value"])
    n, n_items = figures[name]["n_labels"], figures[name]["n_items"]
    to_mean_square = (n_items - 1) / n_items
    mean_square = to_mean_square * found.value - figures[name]["se"] ** 2
    assert n / (n - 1) * mean_square == agrees(figure["value"])
    assert n / (n - 1) * to_mean_square * found.se() == agrees(figure["se"])


@pytest.mark.parametrize("name", CONSTANT)
def test_share_of_a_binary_outcome(
    name: str, cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree with ``svymean`` of zeros and ones."""
    found = estimate(cases[name], name, y="z")
    assert found.value == agrees(figures[name]["proportion_z"]["value"])
    assert found.se() == agrees(figures[name]["proportion_z"]["se"])


def test_interval_of_a_share(cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Agree with ``svyciprop(method="beta")`` of a design without finite-pool factor."""
    case = cases["simple_constant"]
    figure = figures["simple_constant"]["proportion_z_population"]
    probability = {**case, "f": np.full_like(case["f"], 0.4)}
    found = estimate(probability, "simple_constant", y="z", estimand="proportion")
    low, high = found.interval(0.95, target="population")
    assert found.value == agrees(figure["value"])
    assert found.se(target="population") == agrees(figure["se"])
    assert low == agrees(figure["low95"])
    assert high == agrees(figure["high95"])


@pytest.mark.parametrize("stratum", ["a", "b", "c", "d"])
def test_a_stratum_is_a_simple_sample(
    stratum: str, cases: dict[str, Case], figures: dict[str, Any]
) -> None:
    """Agree with ``svyby`` over the strata, each being a simple sample of its own."""
    pool = cases["stratified_constant"]
    case = {key: column[pool["stratum"] == stratum] for key, column in pool.items()}
    figure = figures["stratified_constant"]["stratum_means"][stratum]
    found = estimate(case, "simple_constant")
    assert found.value == agrees(figure["value"])
    assert found.se() == agrees(figure["se"])


@pytest.mark.parametrize("name", CONSTANT)
def test_quantile(name: str, cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Give the same label as ``svyquantile``, also where F meets tau exactly."""
    for figure in figures[name]["quantile_values"]:
        found = estimate(cases[name], name, estimand="quantile", tau=figure["tau"])
        assert found.value == figure["value"], figure["tau"]


def test_quantile_interval(cases: dict[str, Case], figures: dict[str, Any]) -> None:
    """Agree with the score interval of ``svyquantile``, each end for itself.

    Both come from the theta at which F is within t se of tau. Ours is the hull of those over
    all real theta: from the first accepted label to the first one whose F is too high.
    survey finds the same two jumps by a root search that stops left or right of them, and
    then reports the label before or the label of the jump; ``survey.R`` works out which, and
    stores it as `low_meets` and `high_meets`.
    """
    case, figure = cases["simple_constant"], figures["simple_constant"]
    labels = np.sort(case["y"][~np.isnan(case["y"])])
    both = 0
    for setting in figure["quantile_score_intervals"]:
        tau, level = setting["tau"], setting["level"]
        found = estimate(case, "simple_constant", estimand="quantile", tau=tau)
        assert found.value == setting["value"], setting
        for end, name in zip(
            found.interval(level, target="pool", method="t"), ("low", "high"), strict=True
        ):
            before = labels[np.searchsorted(labels, end) - 1]
            theirs = end if setting[f"{name}_meets"] else before
            assert theirs == setting[name], (setting, name)
        both += setting["low_meets"] and setting["high_meets"]
    assert both >= 3
