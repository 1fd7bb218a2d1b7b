"""Preferences of people over pairs of systems, in words and in numbers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import bacon
from bacon.errors import InputError
from bacon.estimation.pairwise import FIRST_MOVER, TIES

N = 240
SYSTEMS = np.array(["ash", "birch", "cedar"])


def table(seed=0):
    """Return comparisons with what people said, and two judges that half agree with them."""
    rng = np.random.default_rng(seed)
    first = rng.integers(3, size=N)
    second = (first + rng.integers(1, 3, size=N)) % 3
    strength = np.array([0.6, 0.0, -0.6])
    lead = strength[first] - strength[second] + rng.logistic(size=N)
    said = np.where(np.abs(lead) < 0.4, "tie", np.where(lead > 0, "1", "2"))
    judge = {
        name: np.where(rng.random(N) < 0.7, said, rng.choice(["1", "2", "tie"], N))
        for name in ("judge_a", "judge_b")
    }
    return pl.DataFrame(
        {"item_id": np.arange(N), "x": SYSTEMS[first], "y": SYSTEMS[second], **judge, "human": said}
    )


def calibrated(frame, n=100, **options):
    levels = "1,2,tie" if frame["human"].dtype == pl.String else None
    pool = bacon.read_pool(frame, judges="judge_*", label="human", levels=levels)
    sample = bacon.UniformDesign(n=n).draw(pool, seed=2)
    kept = frame.filter(pl.col("item_id").is_in(sample.ids.tolist()))
    labels = bacon.read_labels(kept, value="human", levels=levels)
    return bacon.calibrate(pool, labels, sample=sample, **options)


def in_numbers(frame, one=1.0, two=0.0):
    numbers = {"1": one, "2": two, "tie": (one + two) / 2}
    judges = [pl.col(name).replace_strict(numbers) for name in ("judge_a", "judge_b")]
    return frame.with_columns(*judges, pl.col("human").replace_strict(numbers))


def values(found):
    return [one.value for one in found.values()]


def test_words_with_their_usual_meaning():
    found = calibrated(table()).bradley_terry("x", "y")
    assert list(found) == ["ash", "birch", "cedar"]
    assert found.kind == "system"
    assert sum(values(found)) == pytest.approx(0.0, abs=1e-9)
    assert [notice.code for notice in found.notices] == ["ties_as_half"]
    assert found["ash"].value > found["cedar"].value


def test_other_words_are_given_a_meaning():
    frame = table()
    usual = calibrated(frame).bradley_terry("x", "y", ties="davidson")
    words = {"1": "A", "2": "B", "tie": "equal"}
    columns = [pl.col(name).replace_strict(words) for name in ("judge_a", "judge_b", "human")]
    pool = bacon.read_pool(frame.with_columns(columns), judges="judge_*", label="human")
    sample = bacon.UniformDesign(n=100).draw(pool, seed=2)
    kept = frame.with_columns(columns).filter(pl.col("item_id").is_in(sample.ids.tolist()))
    cal = bacon.calibrate(pool, bacon.read_labels(kept, value="human"), sample=sample)
    wins = {"first": "A", "second": ["B"], "tie": "equal"}
    found = cal.bradley_terry("x", "y", ties="davidson", wins=wins)
    assert values(found) == pytest.approx(values(usual), abs=1e-9)
    with pytest.raises(InputError, match="wins says which labels mean that the first won"):
        cal.bradley_terry("x", "y")
    with pytest.raises(InputError, match="nothing says what equal means"):
        cal.bradley_terry("x", "y", wins={"first": "A", "second": "B"})
    with pytest.raises(InputError, match="'C' is no class of human; the classes are A, B, equal"):
        cal.bradley_terry("x", "y", wins={"first": "A", "second": "C"})
    with pytest.raises(InputError, match="'A' stands twice"):
        cal.bradley_terry("x", "y", wins={"first": "A", "second": "B", "tie": ["equal", "A"]})
    with pytest.raises(InputError, match="wins says which labels"):
        cal.bradley_terry("x", "y", wins={"first": "A", "second": "B", "draw": "equal"})


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_a_census_of_words_equals_one_of_numbers_and_the_labels_alone(ties):
    words = calibrated(table(), n=N, model="human-only").bradley_terry("x", "y", ties=ties)
    numbers = calibrated(in_numbers(table()), n=N, model="ridge").bradley_terry("x", "y", ties=ties)
    assert values(numbers) == pytest.approx(values(words), abs=1e-8)
    assert all(one.se() == 0.0 for one in words.values())


def test_numbers_of_ones_own():
    usual = calibrated(in_numbers(table()), model="ridge")
    other = calibrated(in_numbers(table(), 1.0, 2.0), model="ridge")
    found = other.bradley_terry("x", "y", wins={"first": 1, "second": 2})
    assert values(found) == pytest.approx(values(usual.bradley_terry("x", "y")), abs=1e-6)
    with pytest.raises(InputError, match=r"such labels.*1 says that the first won, 0 that the sec"):
        other.bradley_terry("x", "y")
    with pytest.raises(InputError, match="wins needs two different numbers"):
        other.bradley_terry("x", "y", wins={"first": "1", "second": "2"})


def test_order_and_ties_are_estimated_on_request():
    cal = calibrated(in_numbers(table()), model="ridge")
    found = cal.bradley_terry("x", "y", ties="davidson", order_effect=True)
    assert list(found) == ["ash", "birch", "cedar", FIRST_MOVER, TIES]
    alone = cal.bradley_terry("x", "y", ties="davidson", labels_alone=True)
    assert alone[TIES].value == pytest.approx(found[TIES].value, abs=0.5)


def test_columns_have_to_be_two_and_complete():
    cal = calibrated(table())
    with pytest.raises(InputError, match="first and second are both column x"):
        cal.bradley_terry("x", "x")
    with pytest.raises(InputError, match="no column 'z' for the compared systems"):
        cal.bradley_terry("x", "z")
    with pytest.raises(InputError, match="is compared with itself"):
        calibrated(table().with_columns(y=pl.col("x"), z=pl.col("y"))).bradley_terry("x", "y")


def test_all_labels_of_pandalm_equal_a_binomial_regression(shared_data):
    """Ties half and half: a logistic regression of points on who is compared, by statsmodels."""
    split = pl.col("pair").str.split("_").list
    table = pl.read_parquet(shared_data / "pandalm_testset.parquet")
    table = table.with_columns(first=split.first(), second=split.last())
    labels = bacon.read_labels(table, id="item_id", value="human", levels="1,2,tie")
    pool = bacon.read_pool(table, judges="judge_*", label="human", levels="1,2,tie")
    cal = bacon.calibrate(pool, labels, model="human-only")
    found = cal.bradley_terry("first", "second")
    names = sorted({*table["first"], *table["second"]})
    x = np.zeros((table.height, len(names)))
    for column, sign in (("first", 1.0), ("second", -1.0)):
        x[np.arange(table.height), [names.index(name) for name in table[column]]] += sign
    points = table["human"].replace_strict({"1": 1.0, "2": 0.0, "tie": 0.5}).to_numpy()
    fit = sm.GLM(points, x[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    strength = np.append(0.0, fit.params)
    for name, expected in zip(names, strength - strength.mean(), strict=True):
        assert found[name].value == pytest.approx(expected, abs=1e-6)
