"""What is found in a file agrees with hand counts and with other routes to the same figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from tests.inspection.cases import LABELLED, N, answers, long_rows

from bacon.inspection.findings import Findings, find
from bacon.inspection.roles import infer_roles
from bacon.io.tables import read_table

if TYPE_CHECKING:
    from bacon.inspection.judge_findings import JudgeFinding


def found_in(columns, **options) -> Findings:
    table = read_table(columns)
    return find(table, infer_roles(table, **options))


def judge(findings: Findings, name: str) -> JudgeFinding:
    return next(one for one in findings.judges if one.name == name)


def numbers(values) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def test_sizes_and_labels():
    findings = found_in(answers())
    assert (findings.n_rows, findings.n_items, findings.n_labels) == (N, N, LABELLED)
    assert findings.n_labelled_clusters == len(
        {
            p
            for p, y in zip(answers()["prompt_id"], answers()["human"], strict=True)
            if y is not None
        }
    )
    assert not findings.is_census
    label = findings.label
    assert label is not None
    human = [value for value in answers()["human"] if value is not None]
    assert (label.kind, label.n_values) == ("ordinal", len(set(human)))
    assert (label.low, label.high, label.median) == (min(human), max(human), np.median(human))


def test_judges_against_scipy():
    table = answers()
    findings = found_in(table)
    assert [one.name for one in findings.judges] == ["judge_gpt", "judge_llama", "judge_mini"]
    mini = judge(findings, "judge_mini")
    assert (mini.runs, mini.n_scores, mini.n_missing) == (2, 2 * N, 0)
    assert judge(findings, "judge_llama").n_missing == N // 20
    y, x = numbers(table["human"]), numbers(table["judge_llama"])
    both = ~(np.isnan(y) | np.isnan(x))
    expected = stats.spearmanr(x[both], y[both]).statistic
    assert judge(findings, "judge_llama").spearman == pytest.approx(expected, abs=1e-12)
    error = (x - y)[both]
    llama = judge(findings, "judge_llama")
    assert llama.excess == pytest.approx(error.mean(), abs=1e-12)
    assert llama.excess_se == pytest.approx(stats.sem(error), abs=1e-12)


def test_a_judge_on_another_scale_or_against_people_has_no_excess():
    table = answers()
    findings = found_in(
        answers(
            judge_hundred=[20.0 * score for score in table["judge_gpt"]],
            judge_turned=[7 - score for score in table["judge_gpt"]],
        )
    )
    assert math.isnan(judge(findings, "judge_hundred").excess)
    turned = judge(findings, "judge_turned")
    assert turned.spearman < 0.0
    assert math.isnan(turned.excess)


def test_few_labels_are_not_compared():
    few = [value if k < 30 else None for k, value in enumerate(answers()["human"])]
    findings = found_in(answers(human=few))
    assert 0 < findings.n_labels < 10
    assert all(math.isnan(one.spearman) for one in findings.judges)


def test_random_labels_look_random_and_picked_ones_do_not():
    assert found_in(answers()).looks_random is True
    scores = answers()["judge_gpt"]
    best = sorted(range(N), key=lambda k: -scores[k])[:40]
    picked = [scores[k] if k in best else None for k in range(N)]
    findings = found_in(
        answers(human=picked, judge_gpt=[s - (k % 2) for k, s in enumerate(scores)])
    )
    assert findings.looks_random is False
    assert [n.code for n in findings.notices].count("labels_not_random") == 1


def test_a_census_asks_for_no_draw():
    findings = found_in(answers(human=[1 + k % 6 for k in range(N)]))
    assert findings.is_census
    assert findings.looks_random is None


def lengthy(gain: float) -> Findings:
    """A judge that rises with length by `gain` points over the range, beside one that does not."""
    rng = np.random.default_rng(5)
    words = rng.integers(5, 80, N)
    human = rng.integers(1, 7, N)
    judge = human + gain * (words / 80 - 0.5) + 0.2 * rng.normal(size=N)
    other = human + 0.2 * rng.normal(size=N)
    return found_in(
        {
            "item_id": list(range(N)),
            "answer": [" ".join(["word"] * int(n)) for n in words],
            "judge_long": judge.tolist(),
            "judge_fair": other.tolist(),
            "human": human.tolist(),
        }
    )


def test_an_error_that_goes_with_length_is_found():
    findings = lengthy(1.2)
    one = judge(findings, "judge_long")
    assert one.length_correlation > 0.5
    # 1.2 points over 80 words of 5 characters.
    assert one.length_change / one.length_step == pytest.approx(1.2 / 400, rel=0.2)
    assert math.isnan(judge(findings, "judge_fair").length_change)


def test_an_error_that_does_not_is_passed_over():
    findings = lengthy(0.0)
    assert all(math.isnan(one.length_change) for one in findings.judges)


def test_chance_alone_is_rarely_said_to_go_with_length():
    rng = np.random.default_rng(3)
    said = 0
    for _ in range(100):
        human = rng.integers(1, 7, 40)
        table = {"item_id": list(range(40)), "n_words": rng.integers(1, 999, 40).tolist()}
        table |= {f"judge_{k}": (human + rng.normal(size=40)).tolist() for k in "abc"}
        findings = found_in({**table, "human": human.tolist()})
        said += any(not math.isnan(one.length_change) for one in findings.judges)
    # At level 0.01 over all judges, more than 5 of 100 has probability 0.0005.
    assert said <= 5


def test_agreement_counts_answers_of_every_run():
    label = ["None", "Favor", "Against", "None", None] * 4
    findings = found_in(
        {
            "item_id": list(range(20)),
            "judge_a_run1": ["None", "Favor", "Favor", "None", "None"] * 4,
            "judge_a_run2": ["None", "Against", "Favor", None, "None"] * 4,
            "human": label,
        }
    )
    # Of seven answers in five rows: three of four in the first run, one of three in the second.
    assert judge(findings, "judge_a").agreement == pytest.approx(4 / 7)
    assert findings.label is not None
    assert findings.label.classes == ("None", "Against", "Favor")


def test_long_files_count_items():
    findings = found_in(long_rows())
    assert (findings.n_rows, findings.n_items, findings.n_labels) == (3 * N, N, LABELLED)
    assert {one.name for one in findings.judges} == {"gpt", "claude", "mini"}


def test_a_repeated_id_blocks():
    ids = ["a001", *answers()["item_id"][1:]]
    findings = found_in(answers(item_id=ids))
    assert findings.blocked is not None
    assert "rows 1 and 2 both have item_id" in findings.blocked


def test_a_file_without_judges():
    table = {"item_id": list(range(N)), "human": answers()["human"]}
    findings = found_in(table)
    assert (findings.n_labels, findings.judges, findings.blocked) == (LABELLED, (), None)
    twice = found_in({**table, "item_id": [0, *range(N - 1)]})
    assert twice.blocked is not None
