"""Names tell roles."""

from __future__ import annotations

import pytest

from bacon.inspection.names import (
    is_human,
    is_judge_prefixed,
    is_length,
    is_nested_score,
    is_not_a_score,
    is_rater,
    is_scorer,
    label_rank,
    words_of,
)


def test_words_of_a_name():
    assert words_of("judge_gptScore-4") == ["judge", "gpt", "score", "4"]
    assert words_of("human_rater2_fluency") == ["human", "rater", "fluency"]


def test_exact_names_of_labels_come_first():
    order = ["human", "label", "score", "rating", "gold", "human_fluency", "crowd_da", "my_label"]
    ranks = [label_rank(name) for name in order]
    assert None not in ranks
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("name", ["judge_score", "gpt_label", "scores.gpt", "length", "system"])
def test_names_that_are_no_labels(name):
    assert label_rank(name) is None


@pytest.mark.parametrize("name", ["human_1", "crowd_da_z", "rater_2", "gold", "expertScore"])
def test_names_of_people(name):
    assert is_human(name)


@pytest.mark.parametrize("name", ["human_rater1", "rater_2", "annotator-3_fluency", "Expert1"])
def test_names_of_raters(name):
    assert is_rater(name)


def test_no_rater_without_a_number():
    assert not is_rater("human_rater")


@pytest.mark.parametrize(
    "name", ["gpt4", "claude-3", "COMET", "sacreBLEU", "my_llama_score", "ter"]
)
def test_names_of_models_and_metrics(name):
    assert is_scorer(name)


@pytest.mark.parametrize("name", ["system", "term", "water", "group", "age"])
def test_other_names_do_not_score(name):
    assert not is_scorer(name)


@pytest.mark.parametrize(
    "name", ["gpt_cost", "n_tokens", "row", "gpt_reason", "pi", "judge_gpt_latency", "item_id"]
)
def test_names_that_are_no_scores(name):
    assert is_not_a_score(name)


@pytest.mark.parametrize("name", ["gpt_run1", "judge_a-reason0", "length_score", "judge_order"])
def test_names_that_may_be_scores(name):
    assert not is_not_a_score(name)


def test_remarks_of_a_judge_are_words():
    assert is_not_a_score("judge_gpt_reason", in_words=True)


def test_beginnings():
    assert is_judge_prefixed("Judge-gpt")
    assert not is_judge_prefixed("judgement")
    assert is_nested_score("scores.gpt")
    assert not is_nested_score("score_gpt")
    assert is_length("answer_length")
    assert not is_length("lengthy")
