"""Each column gets the role it is likely to have."""

from __future__ import annotations

import pytest
from tests.inspection.cases import N, answers, codes, long_rows, roles_of

from bacon.errors import InputError
from bacon.inspection.roles import infer_roles, likely
from bacon.io.tables import read_table

# file, group, cluster, number of score columns
SHARED = [
    ("wmt20_ende_mqm", "system", "seg_id", 20),
    ("wmt23_ende_mqm", "system", "seg_id", 42),
    ("hanna", "system", "prompt_id", 20),
    ("llmjudge_trecdl23", None, "query_id", 33),
    ("rewardbench2_runs", "subset", "prompt_id", 48),
    ("css_stance", None, None, 12),
    ("pandalm_testset", "pair", None, 2),
    ("summeval", "system", "article_id", 9),
]


@pytest.mark.parametrize(("name", "group", "cluster", "n_judges"), SHARED)
def test_real_files(shared_data, name, group, cluster, n_judges):
    roles = infer_roles(read_table(shared_data / f"{name}.parquet"))
    assert (roles.label, roles.id, roles.id_named) == ("human", "item_id", False)
    assert (roles.group, roles.cluster) == (group, cluster)
    assert roles.judge_pattern == "judge_*"
    assert len(roles.judges) == n_judges
    assert all(judge.startswith("judge_") for judge in roles.judges)


def test_other_outcomes_and_raters_of_real_files(shared_data):
    hanna = infer_roles(read_table(shared_data / "hanna.parquet"))
    assert len(hanna.outcomes) == 6
    assert len(hanna.raters) == 18
    wmt20 = infer_roles(read_table(shared_data / "wmt20_ende_mqm.parquet"))
    assert wmt20.outcomes == ("crowd_da_raw", "crowd_da_z", "crowd_da_n")
    pandalm = infer_roles(read_table(shared_data / "pandalm_testset.parquet"))
    assert pandalm.levels == ("1", "2", "tie")


def test_every_role_of_the_usual_file():
    roles = roles_of(answers())
    assert (roles.id, roles.label, roles.group) == ("item_id", "human", "system")
    assert (roles.cluster, roles.text, roles.crossed) == ("prompt_id", "answer", True)
    assert roles.other == ()


def test_the_first_human_outcome_without_an_exact_name():
    label = answers()["human"]
    roles = roles_of(answers(human=None, human_tone=label, human_depth=label))
    assert roles.label == "human_tone"
    assert roles.outcomes == ("human_depth",)


def test_an_exact_name_goes_before_the_first():
    label = answers()["human"]
    roles = roles_of(answers(human=None, human_tone=label, gold=label))
    assert roles.label == "gold"


def test_the_user_names_the_label():
    roles = roles_of(answers(human_tone=answers()["human"]), label="human_tone")
    assert roles.label == "human_tone"
    assert roles.outcomes == ("human",)
    with pytest.raises(InputError, match=r"no column humen for the label .*human"):
        roles_of(answers(), label="humen")


def test_an_empty_label_column_is_no_label():
    roles = roles_of(answers(human=[None] * N))
    assert roles.label is None
    assert roles.outcomes == ("human",)


def test_a_complete_score_alone_is_a_judge():
    scores = answers()["judge_gpt"]
    roles = roles_of({"item_id": list(range(N)), "score": scores})
    assert (roles.label, roles.judges) == (None, ("score",))
    beside = roles_of({"item_id": list(range(N)), "score": scores, "human": answers()["human"]})
    assert (beside.label, beside.judges) == ("human", ("score",))
    partly = roles_of({"item_id": list(range(N)), "score": answers()["human"], "judge_gpt": scores})
    assert (partly.label, partly.judges) == ("score", ("judge_gpt",))


@pytest.mark.parametrize(
    ("name", "named"), [("id", False), ("item_id", False), ("ID", True), ("essay", True)]
)
def test_ids(name, named):
    texts = [f"a{k}" for k in range(N)]
    roles = roles_of({name: texts, "judge_gpt": answers()["judge_gpt"]})
    assert (roles.id, roles.id_named) == (name, named)


def test_without_a_column_of_ids_rows_are_numbered():
    roles = roles_of(answers(item_id=None))
    assert (roles.id, roles.id_named) == (None, False)


def test_scores_that_all_differ_are_no_id():
    roles = roles_of(answers(item_id=None, judge_gpt=list(range(N))))
    assert roles.id is None
    assert "judge_gpt" in roles.judges


def test_an_id_that_repeats_by_system_is_a_cluster():
    prompts = answers()["prompt_id"]
    roles = roles_of(answers(item_id=prompts, prompt_id=None))
    assert (roles.id, roles.id_named, roles.cluster) == ("row", True, "item_id")
    assert codes(roles) == ["id_repeats"]


def test_an_id_that_repeats_beside_a_unique_one():
    roles = roles_of(
        answers(id=[k // 2 for k in range(N)], item_id=None, key=list(range(7, N + 7)))
    )
    assert (roles.id, roles.id_named) == ("key", True)


def test_a_missing_id_numbers_the_rows():
    ids = [None, *answers()["item_id"][1:]]
    roles = roles_of(answers(item_id=ids))
    assert (roles.id, roles.id_named) == ("row", True)
    assert codes(roles) == ["id_missing"]


def test_inclusion_probabilities():
    assert roles_of(answers(pi=[0.3] * N)).pi == "pi"
    assert roles_of(answers(pi=[0.0] + [0.3] * (N - 1))).pi is None
    assert roles_of(answers(pi=[1.7] * N)).pi is None


def test_a_cluster_with_gaps_is_none():
    prompts = [None, *answers()["prompt_id"][1:]]
    assert roles_of(answers(prompt_id=prompts)).cluster is None


def test_what_a_judge_writes_is_not_the_text():
    reasons = [f"I find answer {k} good, because." for k in range(N)]
    assert roles_of(answers(answer=None, gpt_reason=reasons)).text is None


def test_long_files():
    roles = roles_of(long_rows())
    assert (roles.id, roles.judge_column, roles.judges) == ("id", "judge", ("score",))
    assert (roles.label, roles.run_column) == ("human", None)


def test_long_files_with_runs():
    table = long_rows()
    rows = len(table["id"])
    twice = {name: values * 2 for name, values in table.items()}
    roles = roles_of({**twice, "run": [1] * rows + [2] * rows})
    assert roles.run_column == "run"


def test_a_model_column_of_systems_is_a_group():
    table = long_rows()
    model = table["judge"]
    # Every model answers every item, and people score each answer.
    label = [1 + k % 6 for k in range(len(model))]
    roles = roles_of(long_rows(judge=None, model=model, human=label))
    assert (roles.judge_column, roles.group, roles.id) == (None, "model", "row")
    assert (roles.cluster, roles.judges) == ("id", ("score",))


def test_a_model_column_of_judges_is_one():
    table = long_rows()
    roles = roles_of(long_rows(judge=None, model=table["judge"]))
    assert (roles.judge_column, roles.judges) == ("model", ("score",))


def test_in_a_long_file_only_what_an_item_has_once_is_a_cluster():
    table = long_rows()
    rows = len(table["id"])
    shared = roles_of(long_rows(prompt_id=[k // 15 for k in range(rows)]))
    assert shared.cluster == "prompt_id"
    differs = roles_of(long_rows(prompt_id=[k % 7 for k in range(rows)]))
    assert differs.cluster is None


def test_labels_by_several_raters():
    items = list(range(20))
    table = {"item_id": items * 2, "rater": ["a"] * 20 + ["b"] * 20, "score": [1, 2, 3, 4] * 10}
    roles = roles_of(table)
    assert (roles.label, roles.rater, roles.judges) == ("score", "rater", ())


def test_words_among_numbers_are_read_as_missing():
    texts = ["N/A" if value is None else str(value) for value in answers()["judge_llama"]]
    roles = roles_of(answers(judge_llama=texts), na=("-9",))
    assert roles.na == ("-9", "N/A")
    assert codes(roles) == ["words_taken_as_missing"]


def test_a_word_is_not_missing_here_and_a_class_there():
    texts = ["None" if value is None else str(value) for value in answers()["judge_llama"]]
    label = ["None" if k % 2 else "Good" for k in range(N)]
    roles = roles_of(answers(human=label, judge_llama=texts))
    assert roles.na == ()
    assert "judge_llama" not in roles.judges
    assert codes(roles) == ["judge_mixes_words"]


def test_classes_some_of_which_are_numbers_are_listed():
    words = [("1", "2", "tie")[k % 3] for k in range(N)]
    other = words[1:] + words[:1]
    roles = roles_of({"item_id": list(range(N)), "judge_a": other, "human": words})
    assert roles.levels == ("1", "2", "tie")
    # Where the labels are numbers beyond the classes, such a judge cannot be read.
    scores = roles_of(answers(judge_ties=other))
    assert scores.levels == ()
    assert "judge_ties" not in scores.judges


def test_a_class_that_may_mean_missing_is_told():
    words = ["yes" if k % 3 else "no" for k in range(N)]
    judge = ["N/A" if k % 10 == 0 else word for k, word in enumerate(words[1:] + words[:1])]
    roles = roles_of({"item_id": list(range(N)), "judge_a": judge, "human": words})
    assert codes(roles) == ["class_may_mean_missing"]


def test_names_that_no_terminal_shows_get_no_role():
    roles = roles_of({**answers(human=None), "\x1b[31mhuman": answers()["human"]})
    assert roles.label is None
    assert codes(roles) == ["column_names_unusable"]


@pytest.mark.parametrize(
    ("role", "column"),
    [
        ("label", "human"),
        ("judges", "judge_*"),
        ("id", "item_id"),
        ("group", "system"),
        ("cluster", "prompt_id"),
        ("text", "answer"),
        ("pi", None),
        ("judge_column", None),
    ],
)
def test_likely(role, column):
    assert likely(read_table(answers()), role) == column
