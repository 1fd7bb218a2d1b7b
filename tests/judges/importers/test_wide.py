"""The table with one row an item: `read_pool` finds exactly the scores that were logged."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.judges.importers.cases import eval_archive, head, reply, sample, write_lines

import bacon
from bacon.errors import InputError
from bacon.judges.importers.importing import import_scores
from bacon.judges.importers.samples import Choices
from bacon.judges.prompts import built_in


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_read_pool_gives_the_scores(tmp_path, ending):
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(40, 3, 2)) * 10.0 ** rng.integers(-9, 9, size=(40, 3, 2))
    scores[rng.random(scores.shape) < 0.2] = np.nan
    samples = [
        sample(f"{k:03d}", epoch + 1, scores={"a": scores[k, epoch, 0], "b b": scores[k, epoch, 1]})
        for k in rng.permutation(40)
        for epoch in range(3)
    ]
    out = tmp_path / f"pool.{ending}"
    imported = import_scores([eval_archive(tmp_path / "log.eval", samples, head())], out, wide=True)
    assert (imported.n_items, imported.n_rows) == (40, 40)
    pool = bacon.read_pool(out)
    assert list(pool.ids) == [f"{k:03d}" for k in range(40)]
    assert [judge.name for judge in pool.judges] == ["judge_a", "judge_b_b"]
    for position, judge in enumerate(pool.judges):
        np.testing.assert_array_equal(judge.scores, scores[:, :, position])
    missing = "".join(notice.message for notice in pool.notices)
    assert "score is NaN" in missing


def test_systems_and_tasks_become_columns(tmp_path):
    logs = [
        eval_archive(
            tmp_path / f"{model}.eval",
            [sample(k, scores={"g": k + shift}) for k in range(3)],
            head(model=model),
        )
        for model, shift in (("alpha", 0.0), ("beta", 0.5))
    ]
    out = tmp_path / "pool.csv"
    imported = import_scores(logs, out, wide=True)
    assert pl.read_csv(out).rows() == [
        (f"{model}|{k}", model, k, k + shift, "ok")
        for model, shift in (("alpha", 0.0), ("beta", 0.5))
        for k in range(3)
    ]
    pool = bacon.read_pool(out, group="system", cluster="sample_id")
    assert pool.group.levels == ("alpha", "beta")
    assert pool.cluster.levels == ("0", "1", "2")
    assert imported.parts == ("system",)
    (told,) = [n.message for n in imported.notices if n.code == "ids_joined"]
    assert told == "Items differ in system, which stands before their ids, as in 'alpha|0'."


def test_uncertainty_of_a_batch(tmp_path):
    listed = [{"token": "4", "logprob": -0.5}, {"token": "5", "logprob": -1.0}]
    logprobs = {"content": [{"token": "4", "logprob": -0.5, "top_logprobs": listed}]}
    choices = [
        {"message": {"content": "4"}, "finish_reason": "stop", "logprobs": logprobs},
    ]
    lines = write_lines(
        tmp_path / "out.jsonl", [reply("1", choices=choices), reply("2", choices=choices)]
    )
    out = tmp_path / "pool.csv"
    import_scores([lines], out, choices=Choices(prompt=built_in("essay")), wide=True)
    pool = bacon.read_pool(out)
    four, five = np.exp([-0.5, -1.0])
    found = {one.kind: one.values[0, 0] for one in pool.judges[0].uncertainty}
    assert found["logprob"] == -0.5
    assert found["expected"] == pytest.approx((4 * four + 5 * five) / (four + five))
    assert found["entropy"] > 0


def test_one_of_several_outcomes(tmp_path):
    prompt = built_in("webdesign", kind="bank")
    text = "\n".join(f"{name}: {k - 3}" for k, name in enumerate(prompt.outcomes))
    lines = write_lines(tmp_path / "out.jsonl", [reply("1", text)])
    choices = Choices(prompt=prompt)
    with pytest.raises(InputError, match="name it with outcome="):
        import_scores([lines], tmp_path / "pool.csv", choices=choices, wide=True)
    name = prompt.outcomes[1]
    import_scores([lines], tmp_path / "p.csv", choices=choices, wide=True, outcome=name)
    assert pl.read_csv(tmp_path / "p.csv")["judge_webdesign"].to_list() == [-2.0]


def test_long_tables_as_csv(tmp_path):
    log = eval_archive(tmp_path / "log.eval", [sample(1, scores={"a": "C"})], head())
    import_scores([log], tmp_path / "long.csv")
    import_scores([log], tmp_path / "long.parquet")
    one, two = pl.read_csv(tmp_path / "long.csv"), pl.read_parquet(tmp_path / "long.parquet")
    assert one.columns == two.columns
    assert one["score"].to_list() == two["score"].to_list() == [1.0]
