from __future__ import annotations

import pytest

from bacon.errors import InputError
from bacon.io.roles import as_list, group_runs, nearest, resolve_column, resolve_columns

COLUMNS = ["item_id", "judge_a", "judge_b", "judge_b__entropy", "human", "len", "x, y", "j[1]"]


def resolve(names, **more):
    return resolve_columns(names, COLUMNS, role="judges", source="t.csv", **more)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("judge_a", ["judge_a"]),
        ("judge_b, judge_a", ["judge_b", "judge_a"]),
        ("judge_*", ["judge_a", "judge_b"]),
        (["judge_b", "judge_*"], ["judge_b", "judge_a"]),
        ("judge_[ab]", ["judge_a", "judge_b"]),
        ("judge_b__entropy", ["judge_b__entropy"]),
        ("x, y", ["x, y"]),
        (["x, y", "len"], ["x, y", "len"]),
        ("j[1]", ["j[1]"]),
        ("JUDGE_a,judge_a"[8:], ["judge_a"]),
    ],
)
def test_names_globs_and_lists(names, found):
    assert resolve(names) == found


def test_a_glob_leaves_columns_with_a_role_alone():
    assert resolve("*", taken={"item_id", "human"}) == ["judge_a", "judge_b", "len", "x, y", "j[1]"]


@pytest.mark.parametrize(
    "kind", ["entropy", "logppl", "expected", "logprob", "status", "model", "prompt", "version"]
)
@pytest.mark.parametrize("judge", ["judge_a", "judge_a_run3"])
def test_a_glob_never_takes_uncertainty(judge, kind):
    columns = ["judge_a", f"{judge}__{kind}"]
    assert resolve_columns("judge_*", columns, role="judges", source="t") == ["judge_a"]


def test_a_glob_of_other_roles_alone_says_so():
    with pytest.raises(InputError, match=r"'hum\*' for the judges matches only .* \(human\)"):
        resolve("hum*", taken={"human"})


def test_a_glob_that_matches_nothing_lists_the_columns():
    with pytest.raises(
        InputError,
        match=r"t\.csv, no column matches 'juge_\*' .*did you mean judge_.*columns are item_id, j",
    ):
        resolve("juge_*")


def test_unknown_column_suggests_the_nearest():
    with pytest.raises(InputError, match=r"no column judge_A1 .*\(did you mean judge_a\?\)"):
        resolve("judge_A1")
    with pytest.raises(InputError, match=r"no column Human for the label \(did you mean human\?\)"):
        resolve_column("Human", COLUMNS, role="label", source="t.csv")


@pytest.mark.parametrize("names", ["", " , ", []])
def test_no_name_at_all(names):
    with pytest.raises(InputError, match="No column is named for the judges"):
        resolve(names)


def test_many_columns_are_not_all_listed():
    columns = [f"c{i}" for i in range(30)]
    with pytest.raises(InputError, match="c19 and 10 more"):
        resolve_column("judge", columns, role="judge", source="t.csv")


def test_nearest_says_nothing_about_nothing_alike():
    assert nearest("human", ["zzz"]) == ""
    assert nearest("humann", ["human", "zzz"]) == " (did you mean human?)"


def test_lists_split_at_commas():
    assert as_list("a, b,,c") == ["a", "b", "c"]
    assert as_list("a,b", ["a,b"]) == ["a,b"]


def test_runs_are_grouped_by_their_ending_alone():
    columns = ["m_run10", "m_run2", "a", "b1", "b2", "c_run1", "m_run"]
    assert group_runs(columns, "t") == {
        "m": ["m_run2", "m_run10"],
        "a": ["a"],
        "b1": ["b1"],
        "b2": ["b2"],
        "c": ["c_run1"],
        "m_run": ["m_run"],
    }


def test_a_judge_beside_its_own_runs():
    with pytest.raises(InputError, match="t has m and its runs m_run1"):
        group_runs(["m_run1", "m", "m_run2"], "t")
