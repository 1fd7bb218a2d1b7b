"""The findings as plain sentences, each with a code for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.inspection.findings import FEW_LABELS
from bacon.inspection.plain import range_of
from bacon.inspection.suggestion import scale_of
from bacon.words import listed, shown

if TYPE_CHECKING:
    from bacon.inspection.findings import Findings, LabelFinding
    from bacon.inspection.judge_findings import JudgeFinding
    from bacon.inspection.roles import Roles

__all__ = ["sentences"]

IN_THE_TABLE = frozenset(
    ("runs_grouped", "judge_scores_missing", "ids_are_row_numbers", "uncertainty_read")
)
"""Notices of reading whose content the table of columns shows."""

MOST_NAMED = 6


def sentences(roles: Roles, findings: Findings) -> tuple[Notice, ...]:
    """Return what there is to say beside the table of columns."""
    told = [*_of_labels(roles, findings)]
    if findings.looks_random:
        told.append(
            Notice(
                "labels_look_random",
                "Labelled rows look like a random draw: on no judge do they differ more than "
                "chance allows.",
            )
        )
    told += [notice for notice in findings.notices if notice.code not in IN_THE_TABLE]
    told += [*_of_agreement(findings), *_of_excess(findings), *_of_length(roles, findings)]
    told += _of_support(findings)
    return tuple(told)


def _of_labels(roles: Roles, findings: Findings) -> list[Notice]:
    """Say how many labels there are, and which other columns could be meant."""
    told = []
    n = findings.n_labels
    if n == 0 and findings.blocked is None:
        told.append(Notice("no_labels", "No column holds human labels yet."))
    elif n == 1:
        told.append(Notice("few_labels", "One label cannot show its own error: 2 are the least."))
    elif 0 < n < FEW_LABELS:
        message = f"{n} labels are few: an estimate runs, but a useful interval takes about 30."
        told.append(Notice("few_labels", message))
    others = roles.outcomes or roles.raters
    if roles.label is not None and others:
        message = (
            f"{shown(roles.label, 40)} is taken for the labels; people also filled in "
            f"{listed(others)} (--label takes another)."
        )
        told.append(Notice("several_outcomes", message))
    scale = scale_of(findings)
    if scale is not None and not findings.is_census:
        beyond = _judges_beyond(findings)
        message = (
            f"The labels so far run over {scale}; widen --scale if people could go further{beyond}."
        )
        told.append(Notice("scale_observed", message))
    return told


def _judges_beyond(findings: Findings) -> str:
    """Return in brackets how far judges on the labels' scale go beyond the labels, if they do."""
    on_scale = [judge for judge in findings.judges if not math.isnan(judge.excess)]
    if not on_scale or findings.label is None:
        return ""
    low, high = min(judge.low for judge in on_scale), max(judge.high for judge in on_scale)
    if findings.label.low <= low and high <= findings.label.high:
        return ""
    return f" (judges do: {range_of(low, high)})"


def _of_agreement(findings: Findings) -> list[Notice]:
    """Say how well each judge follows the labels."""
    told = []
    ranked = [j for j in findings.judges if not math.isnan(j.spearman)]
    ranked.sort(key=lambda judge: -abs(judge.spearman))
    if ranked:
        named = ", ".join(f"{shown(j.name, 40)} {j.spearman:.2f}" for j in ranked[:MOST_NAMED])
        rest = [judge.spearman for judge in ranked[MOST_NAMED:]]
        more = f"; {len(rest)} more from {max(rest):.2f} to {min(rest):.2f}" if rest else ""
        told.append(
            Notice(
                "judges_rank_correlation", f"Rank correlation of judges with labels: {named}{more}."
            )
        )
    classed = [j for j in findings.judges if not math.isnan(j.agreement)]
    classed.sort(key=lambda judge: -judge.agreement)
    if classed:
        named = ", ".join(f"{shown(j.name, 40)} {j.agreement:.2f}" for j in classed[:MOST_NAMED])
        rest = [judge.agreement for judge in classed[MOST_NAMED:]]
        more = f"; {len(rest)} more from {max(rest):.2f} to {min(rest):.2f}" if rest else ""
        told.append(
            Notice(
                "judges_agreement", f"Share of answers that are the people's class: {named}{more}."
            )
        )
    return told


def _of_excess(findings: Findings) -> list[Notice]:
    """Say which judges on the labels' scale score higher or lower than people."""
    on_scale = [j for j in findings.judges if not math.isnan(j.excess)]
    if not on_scale:
        return []
    higher = [j for j in on_scale if j.excess > 2.0 * j.excess_se]
    lower = [j for j in on_scale if j.excess < -2.0 * j.excess_se]
    alike = [j for j in on_scale if j not in higher and j not in lower]
    sides = [(some, word) for some, word in ((higher, "higher"), (lower, "lower")) if some]
    n = len(on_scale)
    if n > 1 and len(sides) == 1 and not alike:
        every = "Both" if n == 2 else f"All {n}"
        message = f"{every} judges on the labels' scale score {_by(*sides[0])}."
        return [Notice("judges_excess", message)]
    if n == 1:
        how = _by(*sides[0]) if sides else "about as people do"
        message = f"On the labels' scale, {shown(on_scale[0].name, 40)} scores {how}."
        return [Notice("judges_excess", message)]
    parts = [f"{len(some)} {_scores(len(some))} {_by(some, word)}" for some, word in sides]
    if alike:
        parts.append(f"{len(alike)} {_scores(len(alike))} about as people do")
    return [Notice("judges_excess", f"Of {n} judges on the labels' scale, {'; '.join(parts)}.")]


def _scores(n: int) -> str:
    return "scores" if n == 1 else "score"


def _by(judges: list[JudgeFinding], word: str) -> str:
    """Return by how much judges score higher or lower, their mean excess in two digits."""
    ends = sorted(abs(judge.excess) for judge in judges)
    low, high = f"{ends[0]:.2g}", f"{ends[-1]:.2g}"
    return f"{word} than people, by {low if low == high else f'{low} to {high}'}"


def _of_length(roles: Roles, findings: Findings) -> list[Notice]:
    """Say whose error goes with the length of the item."""
    sure = [j for j in findings.judges if not math.isnan(j.length_change)]
    if not sure:
        return []
    sure.sort(key=lambda judge: -abs(judge.length_change / judge.length_step))
    step = sure[0].length_step
    changes = {j.name: j.length_change * step / j.length_step for j in sure[:MOST_NAMED]}
    named = ", ".join(f"{shown(name, 40)} {change:+.2g}" for name, change in changes.items())
    more = f" and {len(sure) - MOST_NAMED} more" if len(sure) > MOST_NAMED else ""
    what = f"the length of {shown(roles.text, 40)}" if roles.text else shown(str(roles.length), 40)
    per = f"{step:,.0f}" if 1.0 <= step < 1e6 else f"{step:g}"
    unit = " characters" if roles.text else ""
    message = f"Score minus label changes with {what}, per {per}{unit}: {named}{more}."
    return [Notice("judge_error_goes_with_length", message)]


def _of_support(findings: Findings) -> list[Notice]:
    """Say what can be estimated."""
    label = findings.label
    if label is None or findings.n_labels < 2 or not findings.judges:
        return []
    return [Notice("supports", f"The file supports {_supported(label)}.")]


def _supported(label: LabelFinding) -> str:
    """Return the estimands the labels support, as --estimand takes them."""
    if label.classes:
        return "the share of each class (--estimand shares)"
    if label.kind == "binary":
        return "the share of ones, which is the mean"
    # A round cut reads better, where one lies within the labels.
    above = math.floor(label.median) + 1
    cut = f"{above}" if above <= label.high else f"{label.median:.2g}"
    return f"mean, sd, variance, quantile:0.5 and shares such as proportion:ge:{cut} (--estimand)"
