"""The mapping of estimates: read-only, joint covariance by two ways, frame and text."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from tests.estimation.cases import DESIGNS, PROMPT, draw, labelled, outcomes

import bacon
from bacon.estimation.results import Estimate
from bacon.estimation.vector import Estimates


def two(design: str = "simple", **options: Any) -> Estimates:
    y, second, f = outcomes()
    s, how = draw(design)
    members = {
        "first": bacon.aee(labelled(y, s), f, **how, **options),
        "second": bacon.aee(labelled(second, s), 5.0 + 0.5 * f, **how, **options),
    }
    return Estimates("outcome", MappingProxyType(members), n_claims=2)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cluster", [None, PROMPT])
def test_covariance_agrees_with_the_contrast(design: str, cluster: Any) -> None:
    found = two(design, cluster=cluster)
    difference = bacon.contrast(found["first"], found["second"], pools="same")
    for target in ("pool", "population"):
        matrix = found.covariance(target)
        assert [1.0, -1.0] @ matrix @ [1.0, -1.0] == pytest.approx(difference.se(target) ** 2)
        assert np.sqrt(np.diag(matrix)) == pytest.approx([e.se(target) for e in found.values()])


def test_covariance_of_a_simple_draw_by_hand() -> None:
    y, second, f = outcomes()
    s, _ = draw("simple")
    matrix = two().covariance()
    residuals = np.cov((y - f)[s], (second - 5.0 - 0.5 * f)[s])
    assert matrix == pytest.approx((1 - 14 / 40) / 14 * residuals)


def test_negative_directions_of_the_population_part_are_set_to_zero() -> None:
    # A prediction that swings against the labels between the clusters: the part is negative.
    y = np.array([0.0, 1.0, np.nan, np.nan, np.nan, np.nan, 0.2, 0.9])
    f = np.array([5.0, -5.0, 5.0, -5.0, 4.0, -4.0, 5.0, -4.0])
    est = bacon.aee(y, f, cluster=np.repeat([0, 1, 2, 3], 2))
    found = Estimates("outcome", MappingProxyType({"a": est, "b": est}), n_claims=2)
    pool, population = found.covariance(), found.covariance("population")
    assert np.linalg.eigvalsh(population - pool)[0] >= -1e-12
    assert population[0, 0] == pytest.approx(est.se("population") ** 2)


def test_is_a_read_only_mapping() -> None:
    found = two()
    assert list(found) == ["first", "second"]
    assert len(found) == 2
    assert "third" not in found
    assert isinstance(found["first"], Estimate)
    with pytest.raises(KeyError, match=r"no outcome 'third'; there are first, second"):
        found["third"]
    with pytest.raises(TypeError):
        found["first"] = found["second"]


def test_frame_holds_both_kinds_of_interval() -> None:
    found = two()
    frame = found.to_frame(0.9, "population")
    assert frame.columns == [
        "outcome",
        "estimate",
        "se",
        "lower",
        "upper",
        "lower_simultaneous",
        "upper_simultaneous",
        "n_items",
        "n_labels",
    ]
    row = frame.row(0, named=True)
    assert (row["outcome"], row["n_items"], row["n_labels"]) == ("first", 40, 14)
    low, high = found["first"].interval(0.9, "population")
    assert (row["lower"], row["upper"]) == (low, high)
    assert row["lower_simultaneous"] < low < high < row["upper_simultaneous"]
    assert row["se"] == found["first"].se("population")


def test_frame_comes_back_in_the_library_given() -> None:
    found = two()
    converted = Estimates("outcome", found.members, 2, frame_of=lambda frame: frame.to_dict())
    assert set(converted.to_frame()) >= {"outcome", "estimate"}


def test_text_has_a_line_each_and_html_says_why_there_is_no_interval() -> None:
    alike = bacon.aee([1.0, 1.0, 1.0, np.nan], [0.0, 0.0, 0.0, 0.0])
    assert math.isnan(alike.interval().low)
    found = Estimates("outcome", MappingProxyType({"<b>": alike}), n_claims=1)
    assert str(found).startswith("<b>  1 (no valid interval)")
    assert "&lt;b&gt;" in found._repr_html_()
    assert "no error can be computed" in found._repr_html_()
    assert repr(two()).count("\n") == 1


def test_wrong_level_or_target_is_refused() -> None:
    with pytest.raises(bacon.BaconError, match="level must lie between 0 and 1"):
        two().simultaneous(95)
    with pytest.raises(bacon.BaconError, match="target must be"):
        two().covariance("items")
