from __future__ import annotations

import numpy as np
import pytest

from bacon.calibration.outcomes import outcome_kind
from bacon.errors import InputError


@pytest.mark.parametrize(
    ("y", "scale", "kind", "reason"),
    [
        ([0, 1, 1], None, "binary", "the labels are 0 and 1"),
        ([1, 1, 1], None, "binary", "the labels are 0 and 1"),
        ([1, 2, 2], None, "ordinal", "the labels take 2 whole values"),
        ([1, 2, 6], (1, 6), "ordinal", "the labels take 3 whole values"),
        (list(range(11)), None, "ordinal", "the labels take 11 whole values"),
        (list(range(1, 13)), None, "real", "the labels are numbers without a stated scale"),
        (list(range(1, 13)), (0, 100), "bounded", "the scale 0 to 100 was stated"),
        ([1.5, 2, 3], (1, 6), "bounded", "the scale 1 to 6 was stated"),
        ([1.5, 2, 3], None, "real", "the labels are numbers without a stated scale"),
        ([0, 0.5, 3, 8.1, 2], None, "zero-inflated", "20% of the labels are 0, none is below"),
        ([0, 0.5, 3, 8.1, 2, 1.5], None, "real", "the labels are numbers without a stated scale"),
        ([0, 0, -0.5, 3.1], None, "real", "the labels are numbers without a stated scale"),
        ([0, 0, 0, *range(1, 14)], None, "real", "the labels are numbers without a stated scale"),
        ([0, 0, 0, 0, *range(1, 14)], None, "zero-inflated", "24% of the labels are 0, none"),
    ],
)
def test_the_kind_is_read_from_the_labels(y, scale, kind, reason):
    found = outcome_kind(np.array(y, dtype=float), None, "auto", scale)
    assert found.kind == kind
    assert found.reason.startswith(reason)


def test_words_are_categories():
    y = np.array([0.0, 1.0])
    assert outcome_kind(y, ("bad", "good"), "auto", None).kind == "categorical"
    assert outcome_kind(y, ("bad", "good"), "categorical", None).kind == "categorical"
    with pytest.raises(InputError, match="labels are words, so the outcome is categorical, not r"):
        outcome_kind(y, ("bad", "good"), "real", None)


def test_the_stated_kind_decides():
    y = np.array([0.0, 1.0, 1.0])
    for kind in ("real", "bounded", "ordinal", "zero-inflated", "binary"):
        found = outcome_kind(y, None, kind, (0, 1))
        assert (found.kind, found.reason) == (kind, "as stated")


def test_refusals():
    y = np.array([0.0, 1.0, 2.0])
    with pytest.raises(InputError, match="two values; the labels have 3, the first 0, 1, 2"):
        outcome_kind(y, None, "binary", None)
    with pytest.raises(InputError, match="a bounded outcome needs its scale"):
        outcome_kind(y, None, "bounded", None)
    with pytest.raises(InputError, match=r"whole values; a label is 0\.5"):
        outcome_kind(y / 2, None, "ordinal", None)
    with pytest.raises(InputError, match="0 or above; the smallest label is -1"):
        outcome_kind(y - 1, None, "zero-inflated", None)
    with pytest.raises(InputError, match=r"outcome must be auto or one of real, .*; got 'sevens'"):
        outcome_kind(y, None, "sevens", None)
