"""The JSON of the report."""

from __future__ import annotations

import json

from tests.inspection.cases import answers

from bacon.inspection.findings import find
from bacon.inspection.record import check_record
from bacon.inspection.roles import infer_roles
from bacon.inspection.suggestion import Suggestion
from bacon.io.tables import read_table

NEXT = Suggestion("bacon estimate answers.csv")


def test_the_record_is_json_without_nan():
    table = read_table(answers())
    roles = infer_roles(table)
    record = check_record("answers.csv", roles, find(table, roles), NEXT)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["schema"] == "bacon-check/1"
    assert record["roles"]["label"] == "human"
    assert record["roles"]["judges"][0] == "judge_gpt"
    assert record["judges"][1]["missing"] == 10
    assert record["next"] == NEXT.command
    assert {"code", "message"} == set(record["findings"][0])
