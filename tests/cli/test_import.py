"""`bacon import`: what it prints, writes and refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.judges.importers.cases import eval_archive, head, reply, sample, write_lines


@pytest.fixture(autouse=True)
def _logs(tmp_path, monkeypatch):
    """Write logs into the folder of the command."""
    monkeypatch.chdir(tmp_path)
    samples = [
        sample(1, 1, scores={"grader": "C"}),
        sample(1, 2, scores={"grader": "good"}),
        sample(2, 1, scores={"grader": "I"}),
        sample(2, 2, error={"message": "x"}),
    ]
    eval_archive(Path("log.eval"), samples, head())
    Path("rows.csv").write_text("id,judge,score\na,gpt,4\na,llama,9\nb,gpt,\n")
    write_lines(Path("out.jsonl"), [reply("e1", "4"), reply("e2", "cannot say")])


def test_long(bacon):
    ran = bacon("import", "log.eval", "--out", "long.parquet")
    assert (ran.code, ran.err, ran.made) == (0, "", ("long.parquet",))
    assert ran.out == (
        "log.eval (inspect): 4 rows read\n"
        'judge_grader  2 scores, 2 missing (not a number 1, such as "good"; sample failed 1)\n'
        "Wrote long.parquet: 4 rows, one an item, judge and run.\n"
        "With --wide, the table has one row an item, as the other commands take it.\n"
        "Note: log.eval: grades are counted as inspect does: C as 1 (1), I as 0 (1).\n"
    )
    assert pl.read_parquet("long.parquet").height == 4


def test_wide_and_on(bacon):
    ran = bacon(
        *("import", "log.eval", "--wide", "-o", "pool.csv", "--judge", "judge_mine"),
        *("--level", "good=0.75", "--level", "I=na"),
    )
    assert ran.code == 0
    assert "Wrote pool.csv: 2 rows, one an item.\nNext: bacon check pool.csv\n" in ran.out
    assert pl.read_csv("pool.csv")["judge_mine_run2"].to_list() == [0.75, None]
    assert "judge_mine_run2__status" in Path("pool.csv").read_text()


def test_rows_with_a_scale(bacon):
    ran = bacon("import", "rows.csv", "-o", "a.csv", "--wide", "--scale", "1:6")
    assert ran.code == 0
    assert "judge_gpt    1 score, 1 missing (no score 1)\n" in ran.out
    assert "judge_llama  0 scores, 1 missing (off the scale 1, such as 9)\n" in ran.out
    assert "Note: Judges without a single score are left out of the table" in ran.out
    assert pl.read_csv("a.csv").columns == ["item_id", "judge_gpt", "judge_gpt__status"]


def test_several_files_of_several_formats(bacon):
    ran = bacon("import", "rows.csv", "out.jsonl", "-o", "a.parquet", "--prompt", "essay")
    assert ran.code == 0
    assert pl.read_parquet("a.parquet")["judge"].unique().sort().to_list() == [
        "judge_essay",
        "judge_gpt",
        "judge_llama",
    ]


def test_prompts(bacon, refused):
    Path("mine.toml").write_text(
        'name = "mine"\nversion = 1\nsystem = "Judge."\nuser = "{text}"\nparser = "number"\n'
        "scale = [0, 100]\n"
    )
    ran = bacon("import", "out.jsonl", "-o", "a.csv", "--prompt", "mine.toml")
    assert "judge_mine  1 score, 1 missing" in ran.out
    ran = bacon("import", "out.jsonl", "-o", "b.csv", "--prompt", "webdesign:bank")
    assert "judge_webdesign  0 scores, 2 missing" in ran.out
    assert "--prompt no.toml cannot be read" in refused(
        "import", "out.jsonl", "-o", "c.csv", "--prompt", "no.toml"
    )
    assert "there is no built-in prompt 'x'" in refused(
        "import", "out.jsonl", "-o", "c.csv", "--prompt", "x"
    )
    assert "name it with --prompt" in refused("import", "out.jsonl", "-o", "c.csv")


def test_refusals(refused):
    words = ("import", "rows.csv", "-o", "x.csv")
    assert "--scale must be two numbers" in refused(*words, "--scale", "6:1")
    assert "--scale must be two numbers" in refused(*words, "--scale", "1:nan")
    for level in ("good", "=3", "good=x", "good=inf", "good=nan"):
        assert "--level must be WORD=NUMBER" in refused(*words, "--level", level)
    assert "--repeats must be one of" in refused(*words, "--repeats", "all")
    assert "no format 'xml'" in refused(*words, "--format", "xml")
    assert "rows.csv exists already" in refused("import", "rows.csv", "-o", "rows.csv")
    assert "there is no folder nowhere" in refused("import", "rows.csv", "-o", "nowhere/x.csv")
    assert "has no column essay" in refused(*words, "--item-column", "essay")


def test_broken_rows(bacon, refused):
    with Path("out.jsonl").open("a") as file:
        file.write('{"custom_id": "e3"\n')
    words = ("import", "out.jsonl", "-o", "a.csv", "--prompt", "essay")
    assert "out.jsonl row 3 cannot be used" in refused(*words)
    ran = bacon(*words, "--skip-broken")
    assert "out.jsonl (openai-batch): 2 rows read, 1 left out\n" in ran.out
    assert "Note: out.jsonl: rows left out: 1, the first of them row 3" in ran.out


def test_signs_from_files_do_not_reach_the_terminal(bacon):
    write_lines(Path("a.jsonl"), [{"id": 1, "judge": "a\x1b[31m", "score": "\x1b[2Jx"}])
    ran = bacon("import", "a.jsonl", "-o", "a.csv")
    assert "\x1b" not in ran.out + ran.err
    assert "judge_a_31m" in ran.out


def test_scores_are_added_to_a_pool(bacon):
    Path("scores.csv").write_text("item_id,judge,score\nb,gpt,4\na,gpt,2\n")
    Path("pool.csv").write_text("key,system,text\na,x,007\nb,y,what\nc,y,more\n")
    ran = bacon("import", "scores.csv", "--pool", "pool.csv", "--out", "both.csv")
    assert ran.code == 0, ran.err
    assert "Wrote both.csv: 3 rows, one an item.\nNext: bacon check both.csv\n" in ran.out
    assert "1 of the 3 items of pool.csv have no score in the import" in ran.out
    both = pl.read_csv("both.csv", infer_schema=False)
    assert both.columns[:4] == ["key", "system", "text", "judge_gpt"]
    assert both["text"].to_list() == ["007", "what", "more"]
    assert both["judge_gpt"].to_list() == ["2.0", "4.0", None]
    assert ran.made == ("both.csv",)


@pytest.mark.parametrize(
    ("pool", "why"),
    [
        ("item_id,text\na,x\nz,y\n", '1 of the 2 imported items are not in pool.csv: "b"'),
        ("item_id,judge_gpt\na,1\nb,1\n", "pool.csv has the column judge_gpt already"),
        ("item_id,key\n1,a\n2,b\n", "rename that column"),
    ],
)
def test_a_pool_that_the_scores_do_not_fit_is_refused(bacon, pool, why):
    Path("scores.csv").write_text("item_id,judge,score\nb,gpt,4\na,gpt,2\n")
    Path("pool.csv").write_text(pool)
    ran = bacon("import", "scores.csv", "--pool", "pool.csv", "--out", "both.csv")
    assert ran.code == 2
    assert why in ran.err
    assert ran.made == ()
