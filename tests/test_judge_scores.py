from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.factories import make_pool, pool_of_table

from bacon.errors import InputError
from bacon.judge_scores import judge_mean, mean_of_present, orientation, spread_of_present

if TYPE_CHECKING:
    import polars as pl

NAN = float("nan")


def pool_with(gpt: list[float | None], llama: list[float | None]) -> pl.DataFrame:
    return make_pool(len(gpt), columns={"judge_gpt": gpt, "judge_llama": llama}).table


def test_mean_of_present_leaves_gaps_out() -> None:
    values = np.array([[1.0, 3.0], [NAN, 4.0], [NAN, NAN]])
    assert mean_of_present(values).tolist() == pytest.approx([2.0, 4.0, NAN], nan_ok=True)


def test_mean_of_one_column_is_that_column() -> None:
    values = np.array([[1.0], [NAN]])
    mean = mean_of_present(values)
    assert mean.tolist() == pytest.approx([1.0, NAN], nan_ok=True)
    assert not np.shares_memory(mean, values)


def test_spread_of_present_leaves_gaps_out_and_knows_equal_values() -> None:
    values = np.array([[1.0, 3.0, NAN], [0.1, 0.1, 0.1], [NAN, 4.0, NAN], [NAN] * 3, [1, 2, 6]])
    expected = [np.sqrt(2), 0.0, NAN, NAN, np.sqrt(7)]
    assert spread_of_present(values).tolist() == pytest.approx(expected, nan_ok=True)
    assert spread_of_present(values)[1] == 0.0
    assert np.isnan(spread_of_present(np.empty((2, 0)))).all()


def test_judge_mean_by_hand() -> None:
    # Both judges standardise to -1.5 .. 1.5 steps over sqrt(1.25); llama is on another scale.
    table = pool_with([1, 2, 3, 4], [10, 20, 30, 40])
    expected = np.array([-1.5, -0.5, 0.5, 1.5]) / 1.25**0.5
    assert judge_mean(pool_of_table(table)) == pytest.approx(expected, abs=1e-6)


def test_a_judge_that_scores_downwards_is_turned_to_the_first() -> None:
    down = pool_of_table(pool_with([1, 2, 3, 4], [4, 3, 2, 1]))
    up = pool_of_table(pool_with([1, 2, 3, 4], [1, 2, 3, 4]))
    assert judge_mean(down).tolist() == judge_mean(up).tolist()


def test_missing_scores_are_left_out() -> None:
    mean = judge_mean(pool_of_table(pool_with([1, None, 3, None], [1, 2, 3, None])))
    assert np.isnan(mean).tolist() == [False, False, False, True]
    assert mean[1] == 0.0
    assert mean[0] == pytest.approx((-1 - 1.5**0.5) / 2, abs=1e-6)


def test_constant_judges_do_not_enter_and_huge_ones_do() -> None:
    table = pool_with([5, 5, 5, 5], [1e300, -1e300, 1e300, -1e300])
    assert judge_mean(pool_of_table(table)).tolist() == [1.0, -1.0, 1.0, -1.0]
    with pytest.raises(InputError, match=r"no judge has numeric scores that differ"):
        judge_mean(pool_of_table(pool_with([5, 5], [None, None])))


def test_most_judges_keep_their_sign() -> None:
    x = np.linspace(-1, 1, 9)
    z = np.column_stack([-x, x, x + 0.01 * x**2])
    assert orientation(z).tolist() == [-1.0, 1.0, 1.0]
    assert orientation(-z).tolist() == [-1.0, 1.0, 1.0]
    assert orientation(z[:, :2]).tolist() == [1.0, -1.0]
    assert orientation(z[:, :1]).tolist() == [1.0]
