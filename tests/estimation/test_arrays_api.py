"""What `aee` refuses, each with the argument, the position and the mend, and what it tells."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.estimation.cases import (
    DESIGNS,
    N_ITEMS,
    NAN,
    PSU,
    STRATA,
    chances,
    draw,
    estimate,
    labelled,
    numbers,
    outcomes,
)

import bacon
from bacon.errors import DesignError, EstimationError, InputError, TooFewLabelsError

Y = [3.0, NAN, 5.0, NAN, 4.0, NAN]
F = [2.0, 3.0, 5.0, 4.0, 3.0, 1.0]
ONES = [1.0, NAN, 0.0, NAN, 1.0, NAN]
P = [0.5, 0.5, 0.25, 0.25, 0.75, 0.75]
PI = [0.5, 0.6, 0.5, 0.5, 0.5, 0.5]


def codes(est: bacon.Estimate) -> set[str]:
    return {notice.code for notice in est.notices}


def with_value(values: list[float], at: int, value: float) -> list[float]:
    return [*values[:at], value, *values[at + 1 :]]


@pytest.mark.parametrize("at", [0, 1], ids=["labelled", "unlabelled"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (NAN, "is missing"),
        (float("inf"), "is not a usable number"),
        (float("-inf"), "is not a usable number"),
        (1e300, "is not a usable number"),
    ],
)
def test_a_prediction_that_is_no_number(value: float, said: str, at: int) -> None:
    said = re.escape(f"f[{at}] = {value} {said}") + "; .* Mend or drop that item"
    with pytest.raises(InputError, match=said):
        bacon.aee(Y, with_value(F, at, value))


@pytest.mark.parametrize("value", [float("inf"), 1e300, -1e300])
def test_a_label_that_is_no_number(value: float) -> None:
    with pytest.raises(InputError, match=r"y\[2\] = .* is not a usable number"):
        bacon.aee(with_value(Y, 2, value), F)


@pytest.mark.parametrize(
    ("y", "f", "message"),
    [
        (Y[:-1], F, r"y must have 6 values, one an item; got 5"),
        ([*Y, NAN], F, r"y must have 6 values, one an item; got 7"),
        ([3.0], F, r"y must have 6 values, one an item; got 1"),
        (Y, F[:1], r"f must hold at least 2 items; got 1"),
        (Y, [], r"f must hold at least 2 items; got 0"),
        (Y, 3.0, r"f must be a vector with one value an item; got an array of shape \(\)"),
        (3.0, F, r"y must be a vector with one value an item; got an array of shape \(\)"),
        (np.array(Y)[:, None], F, r"y must be a vector .* \(6, 1\) \(use .ravel\(\)"),
        (Y, np.array(F)[:, None], r"f must be a vector .* \(6, 1\)"),
        (np.array(Y)[None], F, r"y must be a vector .* \(1, 6\)"),
        (["3", "4", "5", "3", "4", "5"], F, r"y must hold numbers; got values of type <U1"),
        (Y, list("abcdef"), r"f must hold numbers"),
        (Y, np.array(F) + 1j, r"f must hold numbers; got values of type complex"),
    ],
)
def test_vectors_of_the_wrong_shape_or_type(y: Any, f: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(y, f)


def test_no_label_and_one_label() -> None:
    with pytest.raises(TooFewLabelsError, match=r"y holds no label .* at least 2 are needed"):
        bacon.aee([NAN] * 6, F)
    with pytest.raises(TooFewLabelsError, match=r"no label"):
        bacon.aee(Y, F, s=[False] * 6)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"estimand": "variance"},
        {"estimand": "sd"},
        {"estimand": "quantile", "tau": 0.5},
        {"design": "poisson", "pi": PI},
        {"design": "fixed", "pi": PI},
        {"design": "stratified", "strata": [1, 1, 1, 2, 2, 2]},
        {"design": "clusters", "psu": [1, 2, 3, 4, 5, 6]},
        {"scale": (1, 6)},
        {"cluster": [1, 1, 2, 2, 3, 3]},
    ],
    ids=str,
)
def test_one_label_is_refused_for_every_claim(options: dict[str, Any]) -> None:
    with pytest.raises(TooFewLabelsError, match=r"^1 (label|labelled cluster) cannot show its own"):
        bacon.aee([3.0, *[NAN] * 5], F, **options)


def test_one_label_is_refused_for_a_share() -> None:
    with pytest.raises(TooFewLabelsError, match=r"1 label cannot show its own error"):
        bacon.aee([1.0, *[NAN] * 5], P, estimand="proportion")


def test_few_labels_are_told() -> None:
    y, _, f = outcomes()
    for n in (2, 4, 5):
        est = bacon.aee(labelled(y, np.arange(N_ITEMS) < n), f)
        assert ("few_labels" in codes(est)) == (n < 5)
        assert est.interval().df == n - 1
    clusters = bacon.aee(labelled(y, PSU < 4), f, design="clusters", psu=PSU)
    assert clusters.n_labels == 14
    assert "Only 4 labelled clusters" in clusters.notices[0].message


def test_constant_labels() -> None:
    flat = bacon.aee(with_value(with_value(Y, 0, 4.0), 2, 4.0), np.full(6, 2.0))
    assert flat.value == 4.0
    assert np.isnan(flat.interval().low)
    with pytest.raises(EstimationError, match=r"the labels do not differ"):
        bacon.aee([4.0, 4.0, 4.0, NAN, NAN, NAN], np.full(6, 2.0), estimand="sd")


@pytest.mark.parametrize("design", ["poisson", "fixed"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.0, r"pi\[1\] = 0: an item that can never be drawn is covered by no claim"),
        (1.7, r"pi\[1\] = 1.7: a probability of being drawn lies above 0 and at most at 1"),
        (-0.2, r"pi\[1\] = -0.2: a probability"),
        (NAN, r"pi\[1\] = nan is missing"),
        (float("inf"), r"pi\[1\] = inf is not a usable number"),
        (1.0, r"item number 1 .* had probability 1 of being drawn but has no label"),
    ],
)
def test_probabilities_that_cannot_be(design: str, value: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, F, design=design, pi=with_value(PI, 1, value))


@pytest.mark.parametrize(
    ("pi", "message"),
    [
        (PI[:-1], r"pi must have 6 values"),
        (0.5, r"pi must be a vector"),
        (np.array(PI)[:, None], r"pi must be a vector"),
        (list("abcdef"), r"pi must hold numbers"),
    ],
)
def test_probabilities_of_the_wrong_shape_or_type(pi: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, F, design="poisson", pi=pi)


@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_probabilities_off_by_a_factor_are_told(factor: float) -> None:
    y, _, f = outcomes()
    pi = np.full(N_ITEMS, 0.06 if factor > 1 else 0.6)
    s = np.random.default_rng(0).random(N_ITEMS) < pi * (10 if factor > 1 else 1)
    wrong = pi if factor > 1 else pi * factor
    est = bacon.aee(labelled(y, s), f, design="poisson", pi=wrong)
    assert "probabilities_do_not_fit" in codes(est)
    right = bacon.aee(labelled(y, s), f, design="poisson", pi=np.full(N_ITEMS, 0.6))
    assert "probabilities_do_not_fit" not in codes(right)


@pytest.mark.parametrize(
    ("s", "message"),
    [
        ([True] * 6, r"s\[1\] says labelled but y\[1\] is missing; mend one of them"),
        ([True] * 5, r"s must be a true/false vector with 6 values; got shape \(5,\)"),
        (np.ones((6, 1), dtype=bool), r"s must be a true/false vector .* got shape \(6, 1\)"),
        ([1.0, 0, 1, 0, 1, 0], r"s must be a true/false vector .* of type float64"),
        (["yes"] * 6, r"s must be a true/false vector"),
        ([2, 0, 1, 0, 1, 0], r"s must be a true/false vector .* of type int64"),
    ],
)
def test_a_mask_that_disagrees(s: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, F, s=s)


def test_a_mask_of_zeros_and_ones_is_one() -> None:
    plain = bacon.aee(Y, F)
    for s in ([1, 0, 1, 0, 1, 0], np.array([True, False] * 3), np.array([1, 0] * 3, np.uint8)):
        assert numbers(bacon.aee(Y, F, s=s)) == numbers(plain)
        assert "labels_set_aside" not in codes(bacon.aee(Y, F, s=s))


def test_values_of_y_beside_the_mask_are_set_aside_and_told() -> None:
    y, _, f = outcomes()
    s, how = draw("poisson")
    est = bacon.aee(y, f, s=s, **how)
    assert numbers(est) == numbers(bacon.aee(labelled(y, s), f, **how))
    told = [notice.message for notice in est.notices if notice.code == "labels_set_aside"]
    assert told == [
        f"{N_ITEMS - s.sum()} values of y are not used, because s says they are not labelled."
    ]


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ((1, 4), r"y\[2\] = 5 lies outside the scale 1 to 4 \(1 such labels\)"),
        ((3.5, 6), r"y\[0\] = 3 lies outside the scale 3.5 to 6 \(1 such labels\)"),
        ((6, 1), r"scale must be two numbers, the lower first"),
        ((1, 1), r"scale must be two numbers"),
        ((1, float("inf")), r"scale must be two numbers"),
        ((NAN, 6), r"scale must be two numbers"),
        ((1, 3, 6), r"scale must be two numbers"),
    ],
)
def test_labels_off_the_scale(scale: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, F, scale=scale)


ARGUMENTS = {"pi": PI, "strata": [0, 0, 0, 1, 1, 1], "psu": [0, 1, 2, 3, 4, 5]}
NEEDS = {"simple": None, "poisson": "pi", "fixed": "pi", "stratified": "strata", "clusters": "psu"}


@pytest.mark.parametrize("design", DESIGNS)
def test_arguments_of_another_design_are_refused(design: str) -> None:
    needed = NEEDS[design]
    own = {} if needed is None else {needed: ARGUMENTS[needed]}
    for name, value in ARGUMENTS.items():
        if name == needed:
            with pytest.raises(InputError, match=rf'design="{design}" needs {name}='):
                bacon.aee(Y, F, design=design)
        else:
            with pytest.raises(InputError, match=rf'design="{design}" does not use {name}='):
                bacon.aee(Y, F, design=design, **own, **{name: value})


def test_an_unknown_design_and_estimand() -> None:
    with pytest.raises(InputError, match=r"design must be one of simple, poisson, fixed, strat"):
        bacon.aee(Y, F, design="srs")
    with pytest.raises(InputError, match=r"estimand must be one of mean, .* got 'median'"):
        bacon.aee(Y, F, estimand="median")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 0.5}, r'estimand="mean" does not use tau='),
        ({"cut": ("ge", 4)}, r'estimand="mean" does not use cut='),
        ({"phi": np.sin}, r'estimand="mean" does not use phi='),
        ({"estimand": "sd", "tau": 0.5}, r'estimand="sd" does not use tau='),
        ({"estimand": "variance", "cut": 3}, r'estimand="variance" does not use cut='),
        ({"estimand": "proportion", "phi": np.sin}, r'"proportion" does not use phi='),
        ({"estimand": "quantile", "tau": 0.5, "cut": 3}, r'"quantile" does not use cut='),
        ({"estimand": "quantile"}, r"a quantile needs its level: tau=0.5 is the median"),
        ({"estimand": "quantile", "tau": "0.5"}, r"needs its level: .* got tau='0.5'"),
        ({"estimand": "quantile", "tau": 0.5, "phi": F}, r"phi must be a function of theta"),
    ],
)
def test_arguments_of_another_estimand_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, F, **options)


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (("more", 4), "a proportion is given as"),
        (("ge",), "a proportion is given as"),
        (("ge", "4"), "a proportion is given as"),
        (("ge", None), "a proportion is given as"),
        (("ge", NAN), "a proportion is given as"),
        (("between", 2), "a proportion is given as"),
        (("between", 4, 2), "between needs the lower end first"),
        (["ge", 4], "a proportion is given as"),
        (([],), "a proportion is given as"),
        ((), "a proportion is given as"),
        ("ge", "a proportion is given as"),
        (True, "a proportion is given as"),
        (float("inf"), "a proportion is given as"),
    ],
)
def test_events_that_are_none(cut: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bacon.aee(Y, P, estimand="proportion", cut=cut)


@pytest.mark.parametrize(
    ("cut", "share"),
    [
        (("ge", 4), 0.5),
        (4, 0.5),
        (np.float64(4.0), 0.5),
        (("le", 4), 0.75),
        (("between", 3, 4), 0.5),
        (("eq", 2), 0.25),
        (("eq", 7), 0.0),
    ],
)
def test_events(cut: Any, share: float) -> None:
    y = [2.0, 3.0, 4.0, 5.0, *[NAN] * 4]
    est = bacon.aee(y, np.full(8, 0.5), estimand="proportion", cut=cut)
    assert est.value == pytest.approx(share)


def test_names_of_estimates() -> None:
    y, half = [2.0, 3.0, 4.0, 5.0, *[NAN] * 4], np.full(8, 0.5)
    share = bacon.aee(y, half, estimand="proportion", cut=("between", 2.5, 4))
    assert share.name == "proportion:between:2.5:4"
    assert bacon.aee(y, half, estimand="proportion", cut=4).name == "proportion:ge:4"
    assert bacon.aee(y, half, estimand="quantile", tau=0.25).name == "quantile:0.25"
    assert bacon.aee(y, half).name == "mean"
    assert bacon.aee(ONES, P, estimand="proportion").name == "proportion:eq:1"


def test_a_share_without_an_event_needs_zeros_and_ones() -> None:
    with pytest.raises(InputError, match=r"a proportion without cut needs labels 0 and 1"):
        bacon.aee(Y, P, estimand="proportion")


@pytest.mark.parametrize("value", [1.2, -0.01])
def test_a_probability_of_an_event_off_its_range(value: float) -> None:
    with pytest.raises(InputError, match=rf"f\[3\] = {value}: for a proportion f is the predicted"):
        bacon.aee(ONES, with_value(P, 3, value), estimand="proportion")


@pytest.mark.parametrize("name", ["strata", "psu", "cluster"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 1, 2], r"must have 6 values, one an item; got \(3,\)"),
        (np.zeros((6, 1)), r"must have 6 values, one an item; got \(6, 1\)"),
        ([0.0, 1.0, NAN, 0.0, 1.0, 2.0], r"\[2\] = .*nan.* is missing or no category"),
        (["a", None, "b", "c", "a", "b"], r"\[1\] = None is missing or no category"),
        (["a", "b", "b", NAN, "a", {}], r"is missing or no category"),
        (pd.array([0, 1, None, 2, 0, 1], dtype="Int64"), r"\[2\] = .* is missing or no category"),
    ],
)
def test_categories_of_the_wrong_shape_or_missing(name: str, values: Any, message: str) -> None:
    design = {"strata": "stratified", "psu": "clusters", "cluster": "simple"}[name]
    values = np.array(values, dtype=object) if "a" in list(np.ravel(values)) else values
    with pytest.raises(InputError, match=f"{name}.*{message}"):
        bacon.aee(Y, F, design=design, **{name: values})


def test_one_cluster_for_all_is_refused() -> None:
    with pytest.raises(InputError, match=r"cluster: every item is in the same cluster; leave"):
        bacon.aee(Y, F, cluster=["a"] * 6)
    with pytest.raises(DesignError, match=r"every item is in the same cluster"):
        bacon.aee(Y, F, design="clusters", psu=["a"] * 6)


def test_clusters_labelled_in_part_are_refused() -> None:
    with pytest.raises(DesignError, match=r"cluster number 1 has 1 of 2 labelled \(2 such"):
        bacon.aee([1, 2, 3, NAN, 5, NAN], F, design="clusters", psu=[0, 0, 1, 1, 2, 2])


def test_values_beyond_what_can_be_squared_twice() -> None:
    y, _, f = outcomes()
    s, _ = draw("simple")
    mean = bacon.aee(labelled(y, s) * 1e140, f * 1e140)
    assert np.isfinite(numbers(mean)).all()
    for estimand in ("variance", "sd"):
        with pytest.raises(EstimationError, match=r"overflows; divide labels and predictions"):
            bacon.aee(labelled(y, s) * 1e100, f * 1e100, estimand=estimand)
        fine = bacon.aee(labelled(y, s) * 1e60, f * 1e60, estimand=estimand)
        assert np.isfinite(numbers(fine)).all()


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        lambda values: np.array(values, dtype=np.float32),
        pd.Series,
        pl.Series,
        lambda values: pd.Series(values, index=range(100, 106)),
    ],
    ids=["list", "tuple", "float32", "pandas", "polars", "pandas index"],
)
def test_vectors_from_anywhere(make: Any) -> None:
    assert numbers(bacon.aee(make(Y), make(F))) == numbers(bacon.aee(Y, F))


def test_polars_nulls_are_missing_labels() -> None:
    y = pl.Series([3.0, None, 5.0, None, 4.0, None])
    assert numbers(bacon.aee(y, F)) == numbers(bacon.aee(Y, F))


def test_categories_of_any_type_are_the_same() -> None:
    plain = estimate("stratified")
    y, _, f = outcomes()
    y = labelled(y, draw("stratified")[0])
    for strata in (
        np.unique(STRATA, return_inverse=True)[1] * 10 - 3,
        STRATA.astype(object),
        pd.Series(STRATA),
        pl.Series(STRATA.tolist()),
        STRATA == "low",
    ):
        est = bacon.aee(y, f, design="stratified", strata=strata)
        same = len(np.unique(np.asarray(strata))) == 3
        assert (numbers(est) == numbers(plain)) == same


def test_what_was_given_is_left_as_it_was() -> None:
    y, _, f = outcomes()
    s, how = draw("poisson")
    before = labelled(y, s), f.copy(), how["pi"].copy()
    given = labelled(y, s), f, how["pi"]
    bacon.aee(given[0], given[1], design="poisson", pi=given[2], estimand="variance")
    for now, then in zip(given, before, strict=True):
        assert np.array_equal(now, then, equal_nan=True)


def test_a_probability_sample_with_every_item_labelled_is_a_census() -> None:
    y, _, f = outcomes()
    for design in ("poisson", "fixed"):
        est = bacon.aee(y, f, design=design, pi=chances())
        assert est.value == pytest.approx(y.mean())
        assert tuple(est.interval()) == (est.value, est.value)
        assert codes(est) == set()
