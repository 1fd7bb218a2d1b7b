from __future__ import annotations

import itertools
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import make_pool, permuted, pool_of_table

from bacon.errors import DesignError, InputError
from bacon.sampling.strata import quantile_count, strata_codes, strata_rule

if TYPE_CHECKING:
    from bacon.data.sample import StrataRule


def rule_of(values: list[object], strata: str) -> tuple[StrataRule, list[int]]:
    pool = make_pool(len(values), columns={"x": values})
    rule = strata_rule(pool, strata)
    return rule, strata_codes(pool, rule).tolist()


def test_values_of_a_column_are_strata() -> None:
    rule, codes = rule_of(["b", "a", "c", "a"], "x")
    assert (rule.column, rule.cuts, rule.names) == ("x", None, ("a", "b", "c"))
    assert rule.sizes.tolist() == [2, 1, 1]
    assert codes == [1, 0, 2, 0]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([10, 2, 10, 1], ("1", "2", "10")),
        ([10.0, 2.5, 10.0, 1.0], ("1", "2.5", "10")),
        ([True, False, True, False], ("false", "true")),
        (pl.Series(["u", "v", "u", "v"], dtype=pl.Categorical), ("u", "v")),
        ([0.0, -0.0, 1.0, 1.0], ("0", "1")),
    ],
)
def test_names_of_other_kinds_of_values(values: list[object], names: tuple[str, ...]) -> None:
    rule, _ = rule_of(values, "x")
    assert rule.names == names


def test_quantile_strata_by_hand() -> None:
    rule, codes = rule_of([5.0, 1.0, 4.0, 2.0, 3.0, 6.0], "x:3")
    assert rule.cuts == (2.0, 4.0)
    assert rule.names == ("x up to 2", "x above 2 up to 4", "x above 4")
    assert rule.sizes.tolist() == [2, 2, 2]
    assert codes == [2, 0, 1, 0, 1, 2]


def test_sizes_differ_by_one_at_most_without_ties() -> None:
    for n in range(2, 40):
        for k in range(2, min(n, 7) + 1):
            rule, _ = rule_of([float(v) for v in range(n)], f"x:{k}")
            assert len(rule.sizes) == k
            assert np.ptp(rule.sizes) <= 1


def test_ties_stay_together_and_may_leave_fewer() -> None:
    rule, codes = rule_of([1, 1, 1, 1, 2, 3], "x:3")
    assert rule.cuts == (1.0,)
    assert codes == [0, 0, 0, 0, 1, 1]
    rule, codes = rule_of([2, 2, 2], "x:2")
    assert (rule.cuts, rule.names, codes) == ((), ("every x",), [0, 0, 0])


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.integers(2, 6),
    st.randoms(use_true_random=False),
)
def test_quantile_strata_are_ordered_intervals(values: list[float], k: int, random: object) -> None:
    rule, codes = rule_of(list(values), f"x:{k}")
    by_stratum = [[v for v, c in zip(values, codes, strict=True) if c == h] for h in range(k)]
    filled = [part for part in by_stratum if part]
    assert len(filled) == len(rule.names)
    assert all(max(low) < min(high) for low, high in itertools.pairwise(filled))
    order = list(range(len(values)))
    random.shuffle(order)
    again, _ = rule_of([values[i] for i in order], f"x:{k}")
    assert again.cuts == rule.cuts


def test_a_judge_by_the_mean_of_its_runs() -> None:
    pool = make_pool(4)
    runs = np.array([[1.0, 3.0], [4.0, np.nan], [0.0, 1.0], [5.0, 5.0]])
    judge = type(pool.judges[0])("judge_mini", ("judge_mini_run1", "judge_mini_run2"), runs)
    object.__setattr__(pool, "judges", (judge,))
    rule = strata_rule(pool, "judge_mini:2")
    assert (rule.column, rule.cuts) == ("judge_mini", (2.0,))
    assert strata_codes(pool, rule).tolist() == [0, 1, 0, 1]
    assert strata_rule(pool, "judge_mini_run1:2").cuts == (1.0,)
    with pytest.raises(InputError, match=r"'judge_mini' are scores.*give 'judge_mini:5'"):
        strata_rule(pool, "judge_mini")


def test_the_judge_average_does_not_depend_on_rows_scale_or_the_sign_of_one_judge() -> None:
    table = make_pool(40).table
    third = pl.Series("judge_third", 0.5 * table["judge_gpt"] + 0.1 * table["judge_llama"])
    pool = pool_of_table(table.with_columns(judge_llama=third))
    codes = strata_codes(pool, strata_rule(pool, "judge_mean:4"))
    order = np.random.default_rng(0).permutation(40)
    shuffled = permuted(pool, order)
    assert strata_rule(shuffled, "judge_mean:4").cuts == strata_rule(pool, "judge_mean:4").cuts
    turned = pool_of_table(pool.table.with_columns(judge_llama=7 - 0.1 * pl.col("judge_llama")))
    assert strata_codes(turned, strata_rule(turned, "judge_mean:4")).tolist() == codes.tolist()
    assert len(set(codes.tolist())) == 4


def test_the_rule_gives_the_same_strata_to_the_pool_read_again() -> None:
    pool = make_pool(30)
    for strata in ("system", "judge_llama:5", "judge_mean:3"):
        rule = strata_rule(pool, strata)
        order = np.random.default_rng(1).permutation(30)
        shuffled = strata_codes(permuted(pool, order), rule)
        assert shuffled.tolist() == strata_codes(pool, rule)[order].tolist()


def test_numbers_read_as_text_name_the_same_strata() -> None:
    rule, codes = rule_of([1, 2, 10, 2], "x")
    for values in ([1.0, 2.0, 10.0, 2.0], ["1", "2", "10", "2"]):
        assert strata_codes(make_pool(4, columns={"x": values}), rule).tolist() == codes


def test_a_changed_column_is_refused() -> None:
    pool = make_pool(6, columns={"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "y": list("aabbcc")})
    by_number, by_name = strata_rule(pool, "x:2"), strata_rule(pool, "y")
    moved = make_pool(6, columns={"x": [9.0, 2.0, 3.0, 4.0, 5.0, 6.0], "y": list("aabbbc")})
    with pytest.raises(DesignError, match=r"column x: stratum 'x up to 3' has 2 items but had 3"):
        strata_codes(moved, by_number)
    with pytest.raises(DesignError, match=r"column y: stratum 'b' has 3 items but had 2"):
        strata_codes(moved, by_name)
    renamed = make_pool(6, columns={"y": list("aabbcd")})
    with pytest.raises(DesignError, match=r"pool\.csv row 6, column y: 'd' was no stratum"):
        strata_codes(renamed, by_name)
    with pytest.raises(InputError, match=r"no column 'x'"):
        strata_codes(renamed, by_number)


def test_a_column_with_a_colon_in_its_name() -> None:
    pool = make_pool(4, columns={"x:2": list("abab"), "x": [1, 2, 3, 4]})
    assert strata_rule(pool, "x:2").names == ("a", "b")
    assert strata_rule(pool, "x:4").names[0] == "x up to 1"
    assert quantile_count(pool, "x:2") is None
    assert quantile_count(pool, "x:3") == 3


@pytest.mark.parametrize("strata", ["x:1", "x:0", "x:", "x:five", "x:-2", "x:2.5", "x:²"])
def test_a_number_of_strata_that_is_none_is_refused(strata: str) -> None:
    with pytest.raises(InputError, match=r"after the colon stands the number of strata"):
        rule_of([1, 2, 3], strata)


def test_bad_columns_are_refused_with_row_and_value() -> None:
    columns = {
        "word": ["low", "high", "low"],
        "gap": [1.0, None, 2.0],
        "nan": [1.0, 2.0, float("nan")],
    }
    pool = make_pool(3, columns=columns)
    with pytest.raises(InputError, match=r"pool\.csv row 1, column word: 'low' is not a number"):
        strata_rule(pool, "word:2")
    for strata in ("gap", "gap:2"):
        with pytest.raises(InputError, match=r"pool\.csv row 2, column gap: the value is missing"):
            strata_rule(pool, strata)
    for strata in ("nan", "nan:2"):
        with pytest.raises(InputError, match=r"pool\.csv row 3, column nan: the value is missing"):
            strata_rule(pool, strata)
    with pytest.raises(
        InputError, match=r"no column 'sistem' for the strata; did you mean system\?"
    ):
        strata_rule(pool, "sistem")
    with pytest.raises(InputError, match=r"'judge_mean' are scores"):
        strata_rule(pool, "judge_mean")


def test_dates_name_strata_but_have_no_quantiles() -> None:
    days = [date(2024, 1, 2), date(2024, 1, 1), date(2024, 1, 2)]
    rule, codes = rule_of(list(days), "x")
    assert (rule.names, codes) == (("2024-01-01", "2024-01-02"), [1, 0, 1])
    with pytest.raises(InputError, match=r"row 1, column x: '2024-01-02' is not a number"):
        rule_of(list(days), "x:2")


def test_a_judge_that_answers_in_words_has_no_quantiles() -> None:
    pool = make_pool(2)
    judge = type(pool.judges[0])(
        "judge_word", ("judge_word",), np.array([[0.0], [1.0]]), ("no", "yes")
    )
    object.__setattr__(pool, "judges", (judge,))
    with pytest.raises(InputError, match=r"column judge_word: the judge answers in words"):
        strata_rule(pool, "judge_word:2")
    with pytest.raises(InputError, match=r"no judge has numeric scores that differ"):
        strata_rule(pool, "judge_mean:2")
