"""What `bacon check` prints: columns by role, what they say, the next command."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.inspection.plain import count_of, counted, number, range_of, wrapped
from bacon.inspection.sentences import sentences
from bacon.words import escaped, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.inspection.columns import Column
    from bacon.inspection.findings import Findings
    from bacon.inspection.judge_findings import JudgeFinding
    from bacon.inspection.roles import Roles
    from bacon.inspection.suggestion import Suggestion

__all__ = ["check_text"]

MOST_JUDGES = 12
FIRST_JUDGES = 8
"""How many judges get a line of their own where there are more than `MOST_JUDGES`."""

MOST_OUTCOMES = 4
LONGEST_NAME = 30

Line = tuple[str, str, str]
"""Role, name, and what is said of it."""


def check_text(
    source: str, roles: Roles, findings: Findings, suggestion: Suggestion, *, width: int = 100
) -> str:
    """Return the report for people.

    Parameters
    ----------
    source : str
        Name of the file.
    roles : Roles
        The likely roles.
    findings : Findings
        What the columns say.
    suggestion : Suggestion
        What to run next.
    width : int
        Characters a line; the command alone may be longer, so that it can be copied.
    """
    size = f"{counted(findings.n_rows, 'row')}, {counted(findings.n_columns, 'column')}"
    items = "" if findings.n_items == findings.n_rows else f", {counted(findings.n_items, 'item')}"
    lines = [shown(f"{source}: {size}{items}", width)]
    lines += _laid_out(_lines(roles, findings), width)
    for notice in sentences(roles, findings):
        lines += wrapped(notice.message, width)
    if suggestion.command is None:
        reason = f"Next: nothing can run yet. {suggestion.reason or ''}"
        return "\n".join([*lines, *wrapped(reason, width)])
    lines += ["Next:", f"  {suggestion.command}"]
    if suggestion.hint is not None:
        lines += wrapped(suggestion.hint, width)
        lines.append(f"  {suggestion.hint_command}")
    return "\n".join(lines)


def _laid_out(rows: list[Line], width: int) -> list[str]:
    """Return the table of columns: each role once, names and texts under each other."""
    broad = min(max(len(escaped(name)) for _, name, _ in rows), LONGEST_NAME)
    lines, last = [], ""
    for role, name, text in rows:
        first = "" if role == last else role
        begin = f"  {first:<12}{shown(name, broad):<{broad}}  "
        lines += wrapped(text, width, begin=begin, hanging=" " * len(begin))
        last = role
    return lines


def _lines(roles: Roles, findings: Findings) -> list[Line]:
    """Return a line for every column with a role, and one for the rest."""
    rows = [_id_line(roles), *_long_lines(roles), *_judge_lines(roles, findings)]
    rows += [*_people_lines(roles, findings), *_item_lines(roles)]
    several = {"embeddings": roles.embeddings, "other": roles.other}
    for role, names in several.items():
        if names:
            rows.append((role, counted(len(names), "column"), listed(names, 6, 25)))
    return rows


def _long_lines(roles: Roles) -> list[Line]:
    """Return the lines of a file with one row per item and judge."""
    columns = roles.columns
    if roles.judge_column is None:
        return []
    named = counted(columns[roles.judge_column].n_values, "judge")
    rows: list[Line] = [("judge", roles.judge_column, f"{named}, one row per item and judge")]
    if roles.run_column is not None:
        rows.append(("run", roles.run_column, counted(columns[roles.run_column].n_values, "run")))
    return [*rows, *(("score", name, _held(columns[name])) for name in roles.judges)]


def _people_lines(roles: Roles, findings: Findings) -> list[Line]:
    """Return the lines of what people filled in."""
    rows: list[Line] = []
    if roles.label is not None:
        rows.append(("labels", roles.label, _labels(roles, findings)))
    first, rest = roles.outcomes[:MOST_OUTCOMES], roles.outcomes[MOST_OUTCOMES:]
    rows += [("people", name, _held(roles.columns[name])) for name in first]
    if rest:
        rows.append(("people", f"{len(rest):,} more", listed(rest, 6, 25)))
    if roles.raters:
        rows.append(("raters", counted(len(roles.raters), "column"), listed(roles.raters, 3)))
    if roles.rater is not None:
        rows.append(("rater", roles.rater, counted(roles.columns[roles.rater].n_values, "rater")))
    return rows


def _item_lines(roles: Roles) -> list[Line]:
    """Return the lines of what tells of the items."""
    columns = roles.columns
    rows: list[Line] = []
    if roles.group is not None:
        rows.append(("group", roles.group, _shared(columns[roles.group])))
    if roles.cluster is not None:
        crossed = f", each with every {shown(str(roles.group), 40)}" if roles.crossed else ""
        rows.append(("cluster", roles.cluster, _shared(columns[roles.cluster]) + crossed))
    for role, single in (("text", roles.text), ("length", roles.length), ("pi", roles.pi)):
        if single is not None:
            rows.append((role, single, _held(columns[single])))
    return rows


def _id_line(roles: Roles) -> Line:
    """Return the line of the ids."""
    if roles.id is None or roles.id not in roles.columns:
        return "id", "(row number)", "counted from 0"
    column = roles.columns[roles.id]
    return "id", roles.id, f"{column.n_values:,} different values"


def _judge_lines(roles: Roles, findings: Findings) -> list[Line]:
    """Return a line for each judge, one for those beyond the first, and one for uncertainty."""
    rows: list[Line] = []
    if findings.judges:
        few = len(findings.judges) <= MOST_JUDGES
        own = findings.judges if few else findings.judges[:FIRST_JUDGES]
        rows += [("judges", judge.name, _judge(judge)) for judge in own]
        rows += _more_judges(findings.judges[len(own) :])
    elif roles.judge_column is None:
        names = roles.judges[:MOST_JUDGES]
        rows += [("judges", name, _held(roles.columns[name])) for name in names]
    if roles.uncertainty:
        n_columns = counted(len(roles.uncertainty), "column")
        rows.append(("uncertainty", n_columns, listed(roles.uncertainty, 3)))
    return rows


def _more_judges(judges: Sequence[JudgeFinding]) -> list[Line]:
    """Return one line for the judges that get none of their own."""
    if not judges:
        return []
    lacking = sum(judge.n_missing > 0 for judge in judges)
    text = f"{lacking} of them with missing scores" if lacking else "complete"
    numeric = [judge for judge in judges if not math.isnan(judge.low)]
    if numeric:
        low, high = min(j.low for j in numeric), max(j.high for j in numeric)
        text = f"{range_of(low, high)} over all, {text}"
    return [("judges", f"{len(judges)} more", text)]


def _judge(judge: JudgeFinding) -> str:
    """Return what one judge's scores look like."""
    runs = f"{judge.runs} runs, " if judge.runs > 1 else ""
    missing = _missing(judge.n_missing, judge.n_scores)
    if judge.classes:
        return f"{runs}{listed(judge.classes, 6, 20)}; {missing}"
    return f"{runs}{range_of(judge.low, judge.high)}, {missing}"


def _missing(n_missing: int, n_rows: int) -> str:
    return count_of(n_missing, n_rows, "missing") if n_missing else "complete"


def _held(column: Column) -> str:
    """Return what a column holds."""
    if column.kind == "numbers":
        what = range_of(column.low, column.high)
    elif column.kind == "words":
        what = f"{listed(column.classes, 6, 20)};"
    elif column.kind in ("names", "prose"):
        what = f"{column.lengths[0]:,}-{column.lengths[1]:,} characters"
    else:
        what = {"nothing": "empty", "vectors": "vectors"}.get(column.kind, "not readable as it is")
    if column.kind == "nothing":
        return what
    sign = "" if what.endswith(";") else ","
    return f"{what}{sign} {_missing(column.n_missing, column.n_rows)}"


def _labels(roles: Roles, findings: Findings) -> str:
    """Return what the labels look like and how many there are."""
    label = findings.label
    if label is None:
        return _held(roles.columns[str(roles.label)])
    if label.classes:
        what = f"{listed(label.classes, 6, 20)};"
    else:
        what = range_of(label.low, label.high)
        what += " whole numbers," if label.whole and label.low < label.high else ","
    filled = f"{findings.n_labels:,} of {findings.n_items:,} filled"
    share = 100 * findings.n_labels / findings.n_items
    return f"{what} {filled} ({share:.1f} %), looks {label.kind}"


def _shared(column: Column) -> str:
    """Return how rows fall on the values of a group or cluster."""
    each, left = divmod(column.n_present, column.n_values)
    rows = (
        counted(each, "row") if left == 0 else f"about {number(column.n_present / column.n_values)}"
    )
    missing = f", {_missing(column.n_missing, column.n_rows)}" if column.n_missing else ""
    return f"{counted(column.n_values, 'value')}, {rows} each{missing}"
