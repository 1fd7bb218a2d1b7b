"""Columns beside a judge's scores: whose they are, what they hold, and what is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from bacon.errors import InputError
from bacon.io import read_pool

if TYPE_CHECKING:
    from bacon.data.pool import Pool

NAN = float("nan")
SCORES = {"item_id": [1, 2, 3], "judge_a": [4, 5, None], "judge_b_run1": [1, 2, 3]}


def read(columns: dict[str, Any] | None = None, **roles: Any) -> Pool:
    return read_pool({**SCORES, **(columns or {})}, **roles)


def told(pool: Pool) -> dict[str, str]:
    return {notice.code: notice.message for notice in pool.notices}


def beside(pool: Pool) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    return {j.name: [(one.kind, one.columns) for one in j.uncertainty] for j in pool.judges}


def test_each_kind_belongs_to_its_judge_or_its_runs() -> None:
    pool = read(
        {
            "judge_a__expected": [3.9, 4.8, 2.0],
            "judge_a__entropy": [0.1, None, 0.3],
            "judge_b_run2": [1, 1, 1],
            "judge_b_run1__logppl": [0.5, 0.25, 0.125],
            "judge_b_run2__logppl": [0.0, None, 1.0],
            "judge_b__logprob": [-1.0, -2.0, -3.0],
        }
    )
    assert beside(pool) == {
        "judge_a": [("entropy", ("judge_a__entropy",)), ("expected", ("judge_a__expected",))],
        "judge_b": [
            ("logppl", ("judge_b_run1__logppl", "judge_b_run2__logppl")),
            ("logprob", ("judge_b__logprob",)),
        ],
    }
    a, b = pool.judges
    np.testing.assert_array_equal(a.uncertainty[0].values, [[0.1], [NAN], [0.3]])
    np.testing.assert_array_equal(b.uncertainty[0].values, [[0.5, 0.0], [0.25, NAN], [0.125, 1.0]])
    assert not any(one.values.flags.writeable for j in pool.judges for one in j.uncertainty)
    assert told(pool)["uncertainty_read"] == (
        "Uncertainty of judges, read with their scores: judge_a (entropy, expected score), "
        "judge_b (log-perplexity, log-probability)."
    )


def test_one_run_may_have_it_alone() -> None:
    pool = read({"judge_b_run2": [1, 1, 1], "judge_b_run2__entropy": [1, 2, 3]})
    assert beside(pool)["judge_b"] == [("entropy", ("judge_b_run2__entropy",))]


def test_columns_of_runs_come_before_the_judges_own() -> None:
    pool = read({"judge_b_run1__entropy": [1, 2, 3], "judge_b__entropy": [4, 5, 6]})
    assert beside(pool)["judge_b"] == [("entropy", ("judge_b_run1__entropy",))]
    assert told(pool)["uncertainty_repeated"] == (
        "Columns of uncertainty not used beside those of the runs: judge_b__entropy."
    )


def test_a_judge_that_does_not_exist_is_told() -> None:
    extra = {f"ghost_{k}__entropy": [1, 2, 3] for k in range(8)}
    pool = read({"job__status": ["ok", "ok", "ok"], **extra})
    assert told(pool)["uncertainty_without_judge"] == (
        "Columns of uncertainty that belong to no judge, not used: ghost_0__entropy, "
        "ghost_1__entropy, ghost_2__entropy, ghost_3__entropy, ghost_4__entropy, "
        "ghost_5__entropy and 2 more."
    )


def test_a_judge_left_out_takes_its_uncertainty_along() -> None:
    columns = {"judge_a__entropy": ["no", "number", "here"], "judge_b__entropy": [1, 2, 3]}
    pool = read(columns, judges="judge_b_run1")
    assert beside(pool) == {"judge_b": [("entropy", ("judge_b__entropy",))]}
    assert set(told(pool)) == {"runs_grouped", "uncertainty_read"}
    other = read({"judge_b__entropy": ["no", "number", "here"]}, judges="judge_a")
    assert beside(other) == {"judge_a": []}


@pytest.mark.parametrize(
    "roles",
    [
        {"features": "judge_a__entropy"},
        {"judges": "judge_a,judge_a__entropy"},
        {"label": "judge_a__entropy"},
        {"group": "judge_a__entropy"},
    ],
)
def test_a_column_with_another_role_is_no_uncertainty(roles: dict[str, str]) -> None:
    pool = read({"judge_a__entropy": [1, 2, 3]}, **roles)
    assert beside(pool)["judge_a"] == []


@pytest.mark.parametrize("kind", ["entropy", "logppl", "logprob", "expected"])
def test_words_are_refused_with_the_place_and_the_mend(kind: str) -> None:
    with pytest.raises(InputError, match=rf'row 2, column judge_a__{kind}: "high" is not a numb'):
        read({f"judge_a__{kind}": ["0.1", "high", "0.3"]})
    with pytest.raises(InputError, match=r"is a number, so correct it or rename the column\.$"):
        read({f"judge_a__{kind}": ["0.1", "high", "0.3"]})
    with pytest.raises(InputError, match=rf"column judge_a__{kind}: \"inf\" is not a usable"):
        read({f"judge_a__{kind}": [0.1, float("inf"), 0.3]})


def test_what_means_missing_is_missing_here_too() -> None:
    pool = read({"judge_a__entropy": ["0.1", "-", ""]}, na="-")
    np.testing.assert_array_equal(pool.judges[0].uncertainty[0].values, [[0.1], [NAN], [NAN]])


def test_status_says_why_scores_are_missing() -> None:
    n = 10
    columns = {
        "item_id": range(n),
        "judge_a": [None] * 8 + [1, 2],
        "judge_a__status": ["refused"] * 4 + ["cut"] * 2 + ["odd", "lost", "ok", "ok"],
        "judge_b_run1": [None, None, *range(8)],
        "judge_b_run1__status": ["cut", None, *["ok"] * 8],
        "judge_b_run2": range(n),
        "judge_b_run2__status": ["ok"] * n,
    }
    pool = read_pool(pl.DataFrame(columns, strict=False))
    assert told(pool)["judge_scores_missing"] == (
        "Judge scores are missing and stay missing: "
        "judge_a 8 of 10 (80.0 %; refused 4, cut 2, odd 1, other), "
        "judge_b 2 of 20 (10.0 %; cut 1)."
    )
    assert beside(pool) == {"judge_a": [], "judge_b": []}


def test_a_status_of_the_judge_covers_all_its_runs() -> None:
    columns = {"judge_b_run1": [None, 2, 3], "judge_b_run2": [1, None, 3]}
    pool = read({**columns, "judge_b__status": ["refused", "ok", "ok"]}, judges="judge_b")
    assert "judge_b 2 of 6 (33.3 %; refused 1)" in told(pool)["judge_scores_missing"]


def test_pools_with_other_uncertainty_differ() -> None:
    one = read({"judge_a__entropy": [0.1, None, 0.3]})
    assert one.same_as(read({"judge_a__entropy": [0.1, None, 0.3]}))
    assert not one.same_as(read({"judge_a__entropy": [0.1, 0.2, 0.3]}))
    assert not one.same_as(read({"judge_a__logppl": [0.1, None, 0.3]}))
    assert not one.same_as(read())
    # Which items these are does not depend on what is known of them.
    assert one.fingerprint == read().fingerprint


def test_long_files_have_it_beside_the_scores() -> None:
    rows = [
        # item, judge, run, score, entropy, expected, status
        ("b", "gpt", 1, 4, 0.5, 3.9, "ok"),
        ("a", "gpt", 1, 5, 0.25, 4.8, "ok"),
        ("a", "llama", 1, None, None, None, "refused"),
        ("b", "gpt", 2, 6, 0.75, 5.5, "ok"),
        ("b", "llama", 1, 3, None, None, "ok"),
    ]
    names = ("item_id", "judge", "run", "score", "score__entropy", "score__expected")
    records = [dict(zip((*names, "score__status"), row, strict=True)) for row in rows]
    roles = {"judges": "score", "judge_column": "judge", "run_column": "run"}
    pool = read_pool(records, **roles)
    # llama tells nothing but its status, so it has no columns of nothing.
    assert beside(pool) == {
        "gpt": [
            ("entropy", ("gpt_run1__entropy", "gpt_run2__entropy")),
            ("expected", ("gpt_run1__expected", "gpt_run2__expected")),
        ],
        "llama": [],
    }
    np.testing.assert_array_equal(pool.judges[0].uncertainty[0].values, [[0.5, 0.75], [0.25, NAN]])
    assert "llama 1 of 2 (50.0 %; refused 1)" in told(pool)["judge_scores_missing"]
    assert "columns_left_out" not in told(pool)
    wide = {
        "item_id": ["b", "a"],
        "gpt_run1": [4, 5],
        "gpt_run1__entropy": [0.5, 0.25],
        "gpt_run1__expected": [3.9, 4.8],
        "gpt_run2": [6, None],
        "gpt_run2__entropy": [0.75, None],
        "gpt_run2__expected": [5.5, None],
        "llama_run1": [3, None],
    }
    assert pool.same_as(read_pool(wide, judges="gpt*,llama*"))
    bad = [*records[:3], {**records[3], "score__entropy": "much"}]
    with pytest.raises(InputError, match=r'row 4, column gpt_run2__entropy: "much" is not a numb'):
        read_pool(bad, **roles)
    with pytest.raises(InputError, match=r"a judge gpt_run1 in column judge and a column gpt_ru"):
        read_pool([{**row, "gpt_run1__entropy": 1} for row in records], **roles)
