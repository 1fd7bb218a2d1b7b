"""The report as one JSON object, for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bacon.inspection.sentences import sentences
from bacon.version import __version__

if TYPE_CHECKING:
    from bacon.inspection.columns import Column
    from bacon.inspection.findings import Findings
    from bacon.inspection.judge_findings import JudgeFinding
    from bacon.inspection.roles import Roles
    from bacon.inspection.suggestion import Suggestion

__all__ = ["SCHEMA", "check_record"]

SCHEMA = "bacon-check/1"


def check_record(
    source: str, roles: Roles, findings: Findings, suggestion: Suggestion
) -> dict[str, Any]:
    """Return the report as one JSON object; what is undefined is None, never NaN."""
    label = findings.label
    return {
        "schema": SCHEMA,
        "version": __version__,
        "source": source,
        "n_rows": findings.n_rows,
        "n_columns": findings.n_columns,
        "n_items": findings.n_items,
        "n_labels": findings.n_labels,
        "roles": {
            "id": roles.id,
            "judges": list(roles.judges),
            "uncertainty": list(roles.uncertainty),
            "label": roles.label,
            "outcomes": list(roles.outcomes),
            "raters": list(roles.raters),
            "rater": roles.rater,
            "group": roles.group,
            "cluster": roles.cluster,
            "text": roles.text,
            "length": roles.length,
            "pi": roles.pi,
            "embeddings": list(roles.embeddings),
            "judge_column": roles.judge_column,
            "run_column": roles.run_column,
            "other": list(roles.other),
        },
        "columns": [_column_record(column) for column in roles.columns.values()],
        "label": None
        if label is None
        else {
            "kind": label.kind,
            "n_values": label.n_values,
            "low": _finite(label.low),
            "high": _finite(label.high),
            "classes": list(label.classes),
        },
        "judges": [_judge_record(judge) for judge in findings.judges],
        "labels_look_random": findings.looks_random,
        "findings": [
            {"code": notice.code, "message": notice.message}
            for notice in sentences(roles, findings)
        ],
        "next": suggestion.command,
        "next_reason": suggestion.reason,
        "hint": suggestion.hint,
        "hint_command": suggestion.hint_command,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _column_record(column: Column) -> dict[str, Any]:
    """Return what a column holds."""
    return {
        "name": column.name,
        "kind": column.kind,
        "missing": column.n_missing,
        "values": column.n_values,
        "low": _finite(column.low),
        "high": _finite(column.high),
        "classes": list(column.classes),
    }


def _judge_record(judge: JudgeFinding) -> dict[str, Any]:
    """Return what was found of one judge."""
    return {
        "name": judge.name,
        "runs": judge.runs,
        "classes": list(judge.classes),
        "missing": judge.n_missing,
        "scores": judge.n_scores,
        "low": _finite(judge.low),
        "high": _finite(judge.high),
        "spearman": _finite(judge.spearman),
        "agreement": _finite(judge.agreement),
        "excess": _finite(judge.excess),
        "excess_se": _finite(judge.excess_se),
        "length_correlation": _finite(judge.length_correlation),
        "length_change": _finite(judge.length_change),
        "length_step": _finite(judge.length_step),
    }
