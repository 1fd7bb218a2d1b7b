"""Whatever a table holds, the report is made, can be shown, and its command is one line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from bacon.inspection.findings import find
from bacon.inspection.record import check_record
from bacon.inspection.report import check_text
from bacon.inspection.roles import infer_roles
from bacon.inspection.suggestion import suggest
from bacon.io.tables import read_table

USUAL = (
    "id item_id human human_tone human_rater1 score label judge judge_a judge_a_run1 judge_a_run2 "
    "judge_b judge_a__entropy model system prompt_id text pi rater run length gpt emb_1 scores.x "
    "a,b -x $(rm)"
)
NAMES = st.sampled_from(USUAL.split()) | st.text(min_size=1, max_size=8)

CELLS = (
    st.lists(st.integers(-3, 7) | st.none(), min_size=12, max_size=12),
    st.lists(st.floats(allow_nan=True) | st.none(), min_size=12, max_size=12),
    st.lists(st.sampled_from(["1", "2", "tie", "N/A", None, "", "3,5"]), min_size=12, max_size=12),
    st.lists(st.text(max_size=30) | st.none(), min_size=12, max_size=12),
    st.just(list(range(12))),
    st.just([k // 3 for k in range(12)]),
    st.just(["x", "y", "z"] * 4),
    st.just([True, False] * 6),
    st.just([[1.0, 2.0]] * 12),
)


@settings(max_examples=150)
@given(st.dictionaries(NAMES, st.one_of(*CELLS), min_size=1, max_size=7))
def test_any_table(columns):
    table = read_table(pl.DataFrame(columns))
    roles = infer_roles(table)
    findings = find(table, roles)
    suggestion = suggest(Path("any.parquet"), roles, findings)
    text = check_text("any.parquet", roles, findings, suggestion, width=80)
    assert all(line.isprintable() for line in text.split("\n"))
    json.dumps(check_record("any.parquet", roles, findings, suggestion), allow_nan=False)
    if suggestion.command is None:
        assert suggestion.reason
    else:
        assert shlex.split(suggestion.command)[:3][::2] == ["bacon", "any.parquet"]
