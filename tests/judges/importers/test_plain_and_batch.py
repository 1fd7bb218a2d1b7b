"""JSON lines and CSV in long form, and the output of OpenAI's batch endpoint."""

from __future__ import annotations

import pytest
from tests.judges.importers.cases import no_reply, reply, write_lines

from bacon.errors import InputError
from bacon.judges.prompts import built_in

LONG = """item_id,judge,run,score,reason
007,gpt,1,4,
007,gpt,2,,refused to answer
a,gpt,1,nan,
a,llama,1,five,
b,llama,1,0,
b,gpt,1,7,
"""


def test_csv(tmp_path, long, rows):
    path = tmp_path / "a.csv"
    path.write_text(LONG)
    expected = [
        ("007", "judge_gpt", 1, 4.0, None),
        ("007", "judge_gpt", 2, None, "refused to answer"),
        ("a", "judge_gpt", 1, None, "score is NaN"),
        ("a", "judge_llama", 1, None, "not a number"),
        ("b", "judge_gpt", 1, None, "off the scale"),
        ("b", "judge_llama", 1, 0.0, None),
    ]
    assert rows(path, scale=(0, 6)) == expected
    for name, sign in {"b.tsv": "\t", "c.csv": ";"}.items():
        other = tmp_path / name
        other.write_text(LONG.replace(",", sign).replace("\n", "\r\n\r\n"))
        assert rows(other, scale=(0, 6)) == expected
    _, imported = long(path)
    assert str(imported.notices[0]) == (
        "a.csv: columns are item item_id, judge judge, run run, score score."
    )
    assert imported.examples == {("judge_llama", "not a number"): '"five"'}


def test_rows_without_a_run_are_runs_in_the_order_of_the_file(tmp_path, rows):
    path = tmp_path / "a.csv"
    scores = "".join(f"x,{k / 8}\n" for k in range(12))
    path.write_text("id,score\n" + scores)
    assert [(run, score) for _, _, run, score, _ in rows(path)] == [
        (k + 1, k / 8) for k in range(12)
    ]


def test_columns_of_scores_are_judges(tmp_path, rows):
    path = write_lines(
        tmp_path / "a.jsonl",
        [{"q": {"id": 5}, "s": {"gpt": 1.5}, "other": 3, "status": "error"}, {"q": {"id": 6}}],
    )
    assert rows(path, item="q.id", scores=("s.gpt", "oth*")) == [
        (5, "judge_other", 1, 3.0, None),
        (5, "judge_s.gpt", 1, 1.5, None),
        (6, "judge_other", 1, None, "no score"),
        (6, "judge_s.gpt", 1, None, "no score"),
    ]


def test_columns_that_are_not_there(tmp_path, rows):
    path = write_lines(tmp_path / "a.jsonl", [{"x": 1, "score": 2}])
    with pytest.raises(InputError, match=r"no column for the items; name it with --item-column"):
        rows(path)
    path = write_lines(tmp_path / "a.jsonl", [{"id": 1, "x": 2}])
    with pytest.raises(InputError, match=r"no column for the scores; name it with --score-column"):
        rows(path)
    path = write_lines(tmp_path / "a.jsonl", [{"id": 1, "judge": "a", "x": 2, "y": 3}])
    with pytest.raises(InputError, match="with a column of judges there is one of scores"):
        rows(path, scores=("x", "y"))
    (tmp_path / "b.csv").write_text("id,score\n1,2\n")
    for role in ("item", "judge", "run", "reason"):
        with pytest.raises(
            InputError, match=r"b.csv has no column rater; its columns are id, score"
        ):
            rows(tmp_path / "b.csv", **{role: "rater"})
    with pytest.raises(InputError, match=r"b.csv has no column scores"):
        rows(tmp_path / "b.csv", scores=("scores",))
    path = write_lines(tmp_path / "a.jsonl", [{"id": 1, "judge": None, "score": 2}])
    with pytest.raises(InputError, match="row 1 cannot be used: column judge names no judge"):
        rows(path)


def test_runs_that_come_twice(tmp_path, long):
    path = tmp_path / "a.csv"
    path.write_text("id,run,score\n1,1,4\n1,2,5\n1,1,6\n")
    with pytest.raises(InputError, match=r"a.csv row 3: item 1, judge judge_score, run 1 came"):
        long(path)
    frame, imported = long(path, repeats="runs")
    assert frame.select("run", "score").rows() == [(1, 4.0), (2, 5.0), (3, 6.0)]
    assert "of an item, judge and run that came before: 1, taken as further runs" in "".join(
        map(str, imported.notices)
    )
    frame, _ = long(path, path, repeats="first")
    assert frame.select("run", "score").rows() == [(1, 4.0), (2, 5.0)]
    with pytest.raises(InputError, match=r"--repeats must be one of"):
        long(path, repeats="last")


def test_names_of_judges(tmp_path, long):
    names = ["a b", "a*b", "judge_x", "x__status", "y_run3", "", "ü,[1]"]
    path = write_lines(
        tmp_path / "a.jsonl",
        [{"id": 1, "judge": name or "***", "score": k} for k, name in enumerate(names)],
    )
    frame, _ = long(path)
    assert dict(frame.select("score", "judge").rows()) == {
        0: "judge_a_b",
        1: "judge_a_b-2",
        2: "judge_x",
        3: "judge_x_status",
        4: "judge_y-run3",
        5: "judge_score",
        6: "judge_ü_1",
    }
    with pytest.raises(InputError, match=r"--judge names one judge, and there are scores of 7"):
        long(path, name="me")
    path = write_lines(tmp_path / "b.jsonl", [{"id": 1, "judge": "gpt", "score": 1}])
    assert long(path, name="me")[0]["judge"].to_list() == ["me"]


LINES = [
    reply("e2", "Score: 5"),
    reply("e1_run2", "3", logprobs=None),
    reply("e1_run1", "I cannot rate this."),
    no_reply("e3"),
    reply("e4", "", status=500, choices=None),
    reply("e5", "9"),
    reply("e6", None),
    {"custom_id": "e7", "response": None, "error": None},
    {"custom_id": "e8", "response": {"status_code": 200, "body": [1]}, "error": None},
]


def test_batch(tmp_path, long):
    frame, _ = long(write_lines(tmp_path / "a.jsonl", LINES), prompt=built_in("essay"))
    found = frame.select("item_id", "run", "score", "reason").rows()
    assert found == [
        ("e1", 1, None, "refused"),
        ("e1", 2, 3.0, None),
        ("e2", 1, 5.0, None),
        ("e3", 1, None, "batch expired"),
        ("e4", 1, None, "http 500"),
        ("e5", 1, None, "off the scale"),
        ("e6", 1, None, "refused"),
        ("e7", 1, None, "no answer in the batch"),
        ("e8", 1, None, "no answer in the batch"),
    ]
    (row,) = frame.filter(item_id="e2").to_dicts()
    assert (row["judge"], row["model"], row["prompt_tokens"], row["prompt_version"]) == (
        "judge_essay",
        "gpt-4o-mini-2024",
        100,
        "essay/1",
    )


def test_batch_with_several_outcomes(tmp_path, long):
    prompt = built_in("webdesign", kind="bank")
    text = "\n".join(f"{name}: {k - 3}" for k, name in enumerate(prompt.outcomes))
    frame, _ = long(
        write_lines(tmp_path / "a.jsonl", [reply("1", text), reply("2")]), prompt=prompt
    )
    (row,) = frame.filter(item_id=1).to_dicts()
    assert [row[f"score_{name}"] for name in prompt.outcomes] == [-3, -2, -1, 0, 1, 2]
    assert row["status"] == "ok"


def test_batch_needs_a_prompt(tmp_path, long):
    path = write_lines(tmp_path / "a.jsonl", LINES)
    with pytest.raises(InputError, match=r"a.jsonl holds texts of a batch.* name it with --prompt"):
        long(path)
    path = write_lines(tmp_path / "a.jsonl", [reply(None), *LINES])
    with pytest.raises(InputError, match="row 1 cannot be used: it has no custom_id"):
        long(path, prompt=built_in("essay"))
