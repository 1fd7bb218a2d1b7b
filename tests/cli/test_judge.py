"""`bacon judge`: a configuration run against a fake endpoint, from files to scores."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

import bacon as package
from bacon.judges.fake import FakeEndpoint

PROMPT = """
name = "plain"
version = "plain/1"
system = "You grade essays."
user = "Grade this essay from 1 to 6.\\n{text}"
parser = "digit"
scale = [1, 6]
max_tokens = 2
"""


@pytest.fixture(name="study")
def _study(tmp_path, monkeypatch):
    """Write a pool of 40 essays, two judges and their prompt into the empty folder."""
    monkeypatch.chdir(tmp_path)
    rows = range(40)
    essays = ["" if i == 7 else f"essay {i} quality={(i % 21 - 10) / 5}" for i in rows]
    pl.DataFrame({"item_id": [f"e{i:02d}" for i in rows], "essay": essays}).write_csv("pool.csv")
    Path("own.toml").write_text(PROMPT)
    write_config("http://127.0.0.1:9/v1")
    return Path()


def write_config(url: str, more: str = "") -> None:
    judge = '[[judge]]\nname = "{0}"\nurl = "{1}"\nmodel = "{0}"\nprompt = "own.toml"\n{2}'
    Path("bacon.toml").write_text(
        '[pool]\nfile = "pool.csv"\nfields = {text = "essay"}\n'
        + judge.format("judge_small", url, "runs = 2\nprice_in = 0.1\nprice_out = 0.4\n")
        + judge.format("judge_large", url, more)
    )


def test_a_fake_run_ends_in_a_pool_that_can_be_read(bacon, study):
    ran = bacon("judge", study, "--fake")
    assert ran.code == 0, ran.err
    assert "judge_small: 78 ok, 0 NA" in ran.out
    assert "Next: bacon check fake/judged.parquet" in ran.out
    assert "pool.csv: 1 items have no essay and were not judged" in ran.err
    pool = package.read_pool("fake/judged.parquet", judges="judge_*")
    assert [judge.name for judge in pool.judges] == ["judge_large", "judge_small"]
    assert len(pool.judges[1].runs) == 2
    scores = pool.judges[0].scores[:, 0]
    assert [i for i, score in enumerate(scores) if math.isnan(score)] == [7]
    assert all(1 <= score <= 6 for i, score in enumerate(scores) if i != 7)
    assert {one.kind for one in pool.judges[0].uncertainty} >= {"entropy", "logprob", "expected"}
    # Nothing of a fake stands where a judge's answers would.
    assert not Path("judgements.sqlite").exists()


def test_answers_are_kept_and_not_asked_again(bacon, study):
    with FakeEndpoint(seed=3) as fake:
        write_config(fake.url)
        assert bacon("judge", study, "--judge", "judge_large").code == 0
        first = fake.counts().requests
        assert first == 39
        again = bacon("judge", study)
        assert fake.counts().requests == 39 + 78
    assert again.code == 0
    assert "39 answered before" in again.out
    rows = pl.read_parquet("judgements.parquet")
    assert rows.height == 117
    assert rows["status"].unique().to_list() == ["ok"]


def test_budgets_hold_and_the_command_goes_on(bacon, study):
    with FakeEndpoint(seed=3) as fake:
        write_config(fake.url)
        ran = bacon("judge", study, "--most-calls", 50)
        assert ran.code == 1
        assert fake.counts().requests == 50
        assert "The same command goes on where this run stopped." in ran.out
        assert bacon("judge", study).code == 0
        assert fake.counts().requests == 117


def test_refusals_are_na_and_can_be_asked_again(bacon, study):
    with FakeEndpoint(seed=3, failures={"refusal": 1.0}) as fake:
        write_config(fake.url)
        ran = bacon("judge", study, "--judge", "judge_large", "--json")
    assert ran.code == 0
    record = json.loads(ran.out)
    assert record["judges"] == [
        {"name": "judge_large", "ok": 0, "na": 39, "by_reason": {"refused": 39}}
    ]
    assert record["judged"] == []
    with FakeEndpoint(seed=3) as fake:
        # Another address is another endpoint: the calls are new. Told, and the last answer counts.
        write_config(fake.url)
        assert bacon("judge", study, "--judge", "judge_large", "--retry", "all").code == 0
    scores = pl.read_parquet("judged.parquet")["judge_large"]
    assert scores.null_count() == 1


def test_a_dry_run_asks_nothing(bacon, study):
    ran = bacon("judge", study, "--dry-run")
    assert ran.code == 0
    assert ran.out.splitlines()[0].startswith("judge_small: 78 calls, about ")
    assert "price not known" in ran.out.splitlines()[1]


def test_batch_files_there_and_back(bacon, study):
    ran = bacon("judge", study, "--write-batch", "requests", "--judge", "judge_large")
    assert ran.code == 0, ran.err
    assert "39 requests" in ran.out
    lines = Path("requests/judge_large-001.jsonl").read_text().splitlines()
    requests = [json.loads(line) for line in lines]
    results = [
        {
            "custom_id": one["custom_id"],
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]},
            },
            "error": None,
        }
        for one in requests
    ]
    Path("out.jsonl").write_text("\n".join(map(json.dumps, results)))
    ran = bacon("judge", study, "--read-batch", "out.jsonl", "--judge", "judge_large")
    assert ran.code == 0, ran.err
    assert "Read: 39 answers with a score, 0 without." in ran.out
    assert pl.read_parquet("judged.parquet")["judge_large"].drop_nulls().unique().to_list() == [4.0]


def test_what_cannot_be_run_is_refused(refused, study):
    assert "has no judge 'x'" in refused("judge", study, "--judge", "x")
    assert "are two things to do" in refused("judge", study, "--dry-run", "--write-batch", "b")
    write_config("ftp://x")
    assert "url should be the base address" in refused("judge", study)
    Path("bacon.toml").write_text('[pool]\nfile = "pool.csv"\n')
    assert "there is no [[judge]]" in refused("judge", study)
    Path("bacon.toml").write_text("")
    assert "there is no table [pool]" in refused("judge", study)
    Path("bacon.toml").unlink()
    assert "cannot be read" in refused("judge", study)


def test_choices_of_built_in_prompts_stand_in_the_file(bacon, refused, study):
    config = Path("bacon.toml")
    own = config.read_text()
    config.write_text(own.replace('"own.toml"', '"essay"'))
    assert "assignment" in refused("judge", study)
    config.write_text(own.replace('"own.toml"', '"essay"\nassignment = false'))
    assert bacon("judge", study, "--dry-run").code == 0
    config.write_text(own.replace('"own.toml"', '"own.toml"\nassignment = false'))
    text = refused("judge", study)
    assert "judge_small: assignment is for the prompts that come with BACON" in text
    config.write_text(own.replace('"own.toml"', '"mqm"\nassignment = false'))
    text = refused("judge", study)
    assert "judge_small: the prompt mqm has no choice 'assignment'; it takes none" in text


def test_columns_and_ids_of_the_pool_are_checked(refused, study):
    write_config("http://127.0.0.1:9/v1")
    table = pl.read_csv("pool.csv")
    table.rename({"essay": "essays"}).write_csv("pool.csv")
    assert "has no column 'essay', which is shown to the judges as text" in refused("judge", study)
    table.with_columns(item_id=pl.lit("a")).write_csv("pool.csv")
    assert "row 1, column item_id: the id 'a' stands more than once" in refused("judge", study)


def test_a_missing_key_is_named_and_never_shown(bacon, study, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    write_config("http://127.0.0.1:9/v1", 'key_variable = "NO_SUCH_KEY"\n')
    ran = bacon("judge", study)
    assert ran.code == 2
    assert "the environment variable NO_SUCH_KEY is not set" in ran.err
    monkeypatch.setenv("NO_SUCH_KEY", "sk-very-secret")
    with FakeEndpoint(seed=3, key="sk-very-secret") as fake:
        write_config(fake.url, 'key_variable = "NO_SUCH_KEY"\n')
        ran = bacon("judge", study, "--judge", "judge_large")
    assert ran.code == 0, ran.err
    assert "very-secret" not in ran.out + ran.err
    for path in Path().rglob("*"):
        assert not path.is_file() or b"very-secret" not in path.read_bytes()


def test_images_that_are_not_sent_as_they_are_are_counted_and_told(bacon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, width in (("a", 30), ("b", 2000), ("c", 1568), ("d", 1569)):
        Image.new("RGB", (width, 20), "white").save(f"{name}.png")
    Path("e.png").write_text("no image")
    rows = [f"{name},{name}.png" for name in "abcde"]
    Path("pool.csv").write_text("\n".join(["item_id,shot", *rows, ""]))
    Path("bacon.toml").write_text(
        '[pool]\nfile = "pool.csv"\nimages = ["shot"]\n'
        '[[judge]]\nname = "judge_a"\nurl = "http://127.0.0.1:9/v1"\nmodel = "a"\n'
        'prompt = "webdesign"\nkind = "bank"\n'
    )
    ran = bacon("judge", ".", "--fake")
    assert ran.code == 0, ran.err
    assert "judge_a: 4 ok, 0 NA" in ran.out
    assert "Note: pool.csv: 2 images of shot were made smaller" in ran.err
    assert "Note: pool.csv: 1 items have an image that cannot be read" in ran.err
    told = json.loads(bacon("judge", ".", "--fake", "--json").out)
    assert "images_changed" in {one["code"] for one in told["warnings"]}
