"""Tables of judgements and of features: exact, in one order, and read back as they were meant."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judges.store_cases import filled, made

from bacon import read_pool
from bacon.errors import InputError, OutputError
from bacon.io.roles import UNCERTAINTY, group_runs
from bacon.judges.judgement_frames import PIECE
from bacon.judges.records import Reading
from bacon.judges.store import Store
from bacon.judges.tables import READ_OTHERWISE, wide, wide_table, write_judgements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bacon.judges.records import Answer

FIGURES = st.floats(-1e150, 1e150)
MAYBE = st.none() | FIGURES
WEB = ("AE", "TRU", "US")


def table(folder: Path, answers: Sequence[Answer], name: str = "judgements") -> Path:
    """Write the judgements of a new store of these answers."""
    store_path = filled(folder / f"{name}.db", answers)
    with Store.open(store_path, read_only=True) as store:
        write_judgements(store, folder / f"{name}.parquet", overwrite=True)
    return folder / f"{name}.parquet"


def in_both_ways(folder: Path, answers: Sequence[Answer], **chosen: str) -> pl.DataFrame:
    """Return the wide table, the same from the store and from the file."""
    path = table(folder, answers)
    with Store.open(path.with_suffix(".db"), read_only=True) as store:
        frame = wide(store, **chosen)
    assert frame.equals(wide(path, **chosen))
    assert frame.schema == wide(path, **chosen).schema
    return frame


def test_one_row_an_item_judge_and_run(tmp_path):
    answers = [
        made("10", "judge_b", 2, 2.5),
        made("9", "judge_b", 1, None, reading=Reading(), cost=None, model=None),
        made("9", "judge_a", 1, 1 / 3, reading=Reading(-0.1, 0.2, 0.3, 0.4)),
    ]
    frame = pl.read_parquet(table(tmp_path, answers))
    assert frame.to_dicts() == [
        {
            "item_id": int(answer.call.item),
            "judge": answer.call.judge,
            "run": answer.call.run,
            "score": answer.scores[0],
            "status": answer.status,
            "reason": answer.reason,
            "logprob": answer.reading.logprob,
            "entropy": answer.reading.entropy,
            "expected": answer.reading.expected,
            "off_scale": answer.reading.off_scale,
            "prompt_tokens": 900,
            "completion_tokens": 60,
            "cost": answer.cost,
            "latency": 0.125,
            "attempts": 1,
            "model": answer.model,
            "fingerprint": "fp",
            "prompt_version": "essay/1",
        }
        for answer in (answers[2], answers[1], answers[0])
    ]


def test_the_same_judgements_give_the_same_bytes_in_whatever_order_they_came(tmp_path):
    answers = [made(str(k % 50), f"judge_{k // 50 % 3}", 1 + k // 150, k / 7) for k in range(300)]
    first = table(tmp_path, answers, "first").read_bytes()
    draw = random.Random(1)  # noqa: S311
    draw.shuffle(answers)
    with Store.open(tmp_path / "second.db") as store:
        store.add([made("7", "judge_0", 1, None)])
        store.forget("judge_0")
        for start in range(0, 300, 7):
            store.add(answers[start : start + 7])
        store.add(answers[:20])
        written = write_judgements(store, tmp_path / "second.parquet")
    assert written.n_rows == 300
    assert [notice.code for notice in written.notices] == ["answers_set_aside"]
    assert (tmp_path / "second.parquet").read_bytes() == first


@pytest.mark.slow
def test_tables_of_several_pieces_are_whole(tmp_path):
    n_items = PIECE + 5
    frame = in_both_ways(tmp_path, [made(str(k), score=float(k)) for k in range(n_items)])
    assert frame["item_id"].to_list() == list(range(n_items))
    assert frame["judge_a"].to_list() == list(range(n_items))


@pytest.mark.parametrize(
    ("ids", "whole"),
    [
        (["9", "10", "-3", str(2**63 - 1), str(-(2**63))], True),
        (["9", "10", "007"], False),
        (["9", "-0"], False),
        (["9", str(2**63)], False),
        (["9", "1.0"], False),
        (["9", " 5"], False),
        (["9", "5\0"], False),
        (["9", "+5"], False),
        (["é", "a", ""], False),
    ],
)
def test_ids_are_whole_numbers_where_all_are(tmp_path, ids, whole):
    frame = in_both_ways(tmp_path, [made(item) for item in ids])
    expected = sorted(map(int, ids)) if whole else sorted(ids)
    assert frame["item_id"].to_list() == expected
    assert frame.schema["item_id"] == (pl.Int64 if whole else pl.String)


def test_what_no_table_can_hold_is_escaped_and_told(tmp_path):
    path = filled(tmp_path / "s.db", [made("a\ud800", reason="b\udfff", score=None), made("\0")])
    with Store.open(path) as store:
        written = write_judgements(store, tmp_path / "t.parquet")
    assert [notice.code for notice in written.notices] == ["texts_escaped"]
    assert pl.read_parquet(tmp_path / "t.parquet")["item_id"].to_list() == ["\0", "a\\ud800"]


def test_the_answer_stored_last_counts_for_an_item_judge_and_run(tmp_path):
    answers = [
        made("1", score=1.0),
        made("2", score=2.0),
        made("1", score=5.0, key="new prompt", prompt_version="essay/2"),
    ]
    path = filled(tmp_path / "s.db", answers)
    with Store.open(path) as store:
        told = wide_table(store)
    assert told.frame["judge_a"].to_list() == [5.0, 2.0]
    assert [notice.code for notice in told.notices] == [
        "answers_superseded",
        "prompt_versions_mixed",
    ]


def test_an_empty_store_gives_empty_tables(tmp_path):
    frame = in_both_ways(tmp_path, [])
    assert frame.shape == (0, 1)


def test_a_table_is_not_written_over_unless_asked(tmp_path):
    path = table(tmp_path, [made()])
    before = path.read_bytes()
    with Store.open(tmp_path / "judgements.db") as store:
        store.add([made("2")])
        with pytest.raises(OutputError, match="exists already"):
            write_judgements(store, path)
        assert path.read_bytes() == before
        assert write_judgements(store, path, overwrite=True).n_rows == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "judgements.db",
        "judgements.parquet",
    ]


def test_a_row_that_was_tampered_with_is_told(tmp_path):
    path = filled(tmp_path / "s.db", [made(), made("2")])
    with Store.open(path) as store:
        for scores in ("{}{}", '{"score":1},{"score":2}', '{"score":"x"}', "[]", "nonsense"):
            store._connection.execute("UPDATE answers SET scores = ? WHERE id = 1", (scores,))
            with pytest.raises(InputError, match="damaged"):
                write_judgements(store, tmp_path / "t.parquet")
            assert not (tmp_path / "t.parquet").exists()
            with pytest.raises(InputError, match="damaged"):
                wide(store)


@st.composite
def judged(draw: st.DrawFn) -> list[Answer]:
    """Return answers of two judges, one with three runs, some missing or without a score."""
    answers = []
    for item in range(draw(st.integers(2, 6))):
        for judge, run in (("judge_a", 1), ("judge_b", 1), ("judge_b", 2), ("judge_b", 10)):
            if draw(st.integers(0, 5)) == 0:
                continue
            score = draw(MAYBE)
            reading = Reading(draw(MAYBE), draw(MAYBE), draw(MAYBE), draw(MAYBE))
            answers.append(made(str(item), judge, run, score, reading=reading))
    # Judges without any score have no column.
    return [
        *answers,
        *(made("99", "judge_b", run, float(run)) for run in (1, 2, 10)),
        made("99", "judge_a", 1, 1.0),
    ]


@given(judged())
def test_the_pool_reader_gets_exactly_what_was_stored(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("wide")
    in_both_ways(folder, answers).write_parquet(folder / "pool.parquet")
    pool = read_pool(folder / "pool.parquet")
    assert [(judge.name, judge.runs) for judge in pool.judges] == [
        ("judge_a", ("judge_a",)),
        ("judge_b", ("judge_b_run1", "judge_b_run2", "judge_b_run10")),
    ]
    place = {identifier: k for k, identifier in enumerate(pool.ids.tolist())}
    assert pool.ids.dtype == np.int64
    numbers = {1: 0, 2: 1, 10: 2}
    for judge in pool.judges:
        scores = np.full_like(judge.scores, np.nan)
        beside = {kind: np.full_like(scores, np.nan) for kind in ("entropy", "logprob", "expected")}
        for answer in answers:
            if answer.call.judge == judge.name:
                at = place[int(answer.call.item)], numbers[answer.call.run]
                scores[at] = np.nan if answer.scores[0] is None else answer.scores[0]
                for kind, values in beside.items():
                    told = getattr(answer.reading, kind)
                    values[at] = np.nan if told is None else told
        np.testing.assert_array_equal(judge.scores, scores)
        assert {one.kind for one in judge.uncertainty} == {*beside}
        for one in judge.uncertainty:
            kept = [judge.runs.index(name.rpartition("__")[0]) for name in one.columns]
            np.testing.assert_array_equal(one.values, beside[one.kind][:, kept])


def test_the_pool_reader_is_told_why_scores_are_missing(tmp_path):
    answers = [made(str(k)) for k in range(4)]
    answers += [made("4", score=None), made("5", score=None), made("6", "judge_b")]
    answers += [made("7", score=None, reason=None)]
    frame = in_both_ways(tmp_path, answers)
    assert frame["judge_a__status"].to_list() == [
        *["ok"] * 4,
        *["refused"] * 2,
        "not judged",
        "no reason given",
    ]
    told = {notice.code: notice.message for notice in read_pool(frame).notices}
    assert (
        "judge_a 4 of 8 (50.0 %; refused 2, not judged 1, no reason given 1)"
        in told["judge_scores_missing"]
    )


def web(item: str, scores: Sequence[float | None], judge: str = "judge_w") -> Answer:
    return made(item, judge, scores=tuple(scores), outcomes=WEB, prompt_version="webdesign/1")


def test_each_outcome_has_a_table_of_its_own(tmp_path):
    answers = [web("1", [1, -2, 3]), replace(web("2", [0, None, 2]), status="na", reason="TRU?")]
    assert in_both_ways(tmp_path, answers, outcome="TRU").to_dicts() == [
        {
            "item_id": item,
            "judge_w": score,
            "judge_w__entropy": 0.5,
            "judge_w__logprob": -0.25,
            "judge_w__expected": 3.75,
            "judge_w__status": status,
        }
        for item, score, status in ((1, -2.0, "ok"), (2, None, "TRU?"))
    ]
    frame = in_both_ways(tmp_path, answers, outcome="US")
    assert frame["judge_w__status"].to_list() == ["ok", "ok"]
    path = tmp_path / "judgements.parquet"
    assert pl.read_parquet(path)["score_AE"].to_list() == [1.0, 0.0]
    for bad, sentence in ((None, "holds scores of AE, TRU, US"), ("X", "no scores of X")):
        with pytest.raises(InputError, match=sentence):
            wide(path, outcome=bad)


def test_judges_without_that_score_are_left_out_and_told(tmp_path):
    answers = [web("1", [1, -2, 3]), made("1", "judge_e"), made("2", "judge_e", 2)]
    answers += [made("1", "judge_n", score=None)]
    path = table(tmp_path, answers)
    told = wide_table(path, outcome="score")
    assert [name for name in told.frame.columns if "__" not in name] == [
        "item_id",
        "judge_e_run1",
        "judge_e_run2",
    ]
    (notice,) = told.notices
    assert notice.code == "judges_without_scores"
    assert "judge_n, judge_w" in notice.message
    assert "judge_e_run1__status" in told.frame.columns


@pytest.mark.parametrize("name", ["item_id", "a_run2", "a__entropy", "a__status", "a__version"])
def test_judges_that_would_be_read_as_something_else_are_refused(tmp_path, name):
    with Store.open(filled(tmp_path / "s.db", [made(judge=name)])) as store:
        with pytest.raises(InputError, match="would be read as something else"):
            wide(store)
        # The mend that the message names.
        write_judgements(store, tmp_path / "t.parquet")
    frame = pl.read_parquet(tmp_path / "t.parquet").with_columns(judge=pl.lit("judge_x"))
    frame.write_parquet(tmp_path / "mended.parquet")
    assert wide(tmp_path / "mended.parquet")["judge_x"].to_list() == [4.0]


def test_every_kind_of_uncertainty_is_no_name_of_a_judge():
    kinds = UNCERTAINTY.pattern.rpartition("(?P<kind>")[2].strip(")").split("|")
    assert len(kinds) > 5
    assert all(READ_OTHERWISE.fullmatch(f"judge_a__{kind}") for kind in kinds)
    assert READ_OTHERWISE.fullmatch("judge_a_run10")
    assert group_runs(["judge_a_run10"], "x") == {"judge_a": ["judge_a_run10"]}
    assert not READ_OTHERWISE.fullmatch("judge__mini")


def spoiled(frame: pl.DataFrame) -> list[tuple[pl.DataFrame, str]]:
    return [
        (frame.drop("run"), "column run: missing, where a table of judgements has Int64"),
        (frame.with_columns(judge=pl.lit(3)), "column judge: Int32"),
        (frame.with_columns(score=pl.lit("x")), "column score: String"),
        (frame.with_columns(item_id=pl.lit(1.5)), "column item_id: Float64"),
        (frame.drop("score"), "no scores of"),
        (pl.concat([frame, frame]), "item 1, judge judge_a, run 1 stands in several rows"),
    ]


def test_files_that_are_no_judgements_are_refused(tmp_path):
    frame = pl.read_parquet(table(tmp_path, [made()]))
    for bad, sentence in spoiled(frame):
        bad.write_parquet(tmp_path / "bad.parquet")
        with pytest.raises(InputError, match=sentence):
            wide(tmp_path / "bad.parquet")
    (tmp_path / "bad.parquet").write_text(json.dumps({"a": 1}))
    for path in (tmp_path / "bad.parquet", tmp_path / "none.parquet", tmp_path):
        with pytest.raises(InputError, match="no parquet file of judgements"):
            wide(path)
