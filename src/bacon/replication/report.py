"""The report of a study: tables beside what the paper prints, figures, and what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.experiments.figure_parts import percent
from bacon.experiments.markdown import in_markdown, markdown_table, number, told
from bacon.experiments.system_tables import systems_lines, systems_table
from bacon.files import slug
from bacon.replication.ablations import ablations, has_runs
from bacon.replication.claims import claim_lines, claims_said
from bacon.replication.printed import PRINTED
from bacon.replication.questions import question_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from bacon.replication.printed import Printed, Values
    from bacon.replication.run import How, Part
    from bacon.replication.study import Study

__all__ = ["report_text"]

HEADS = {
    "estimates.svg": "Error of the mean over budgets",
    "models.svg": "Fit of the models over budgets",
    "ranking.svg": "Ranking of the systems over budgets",
    "scores.svg": "Scores of people and judges",
}
SHOWN = ("full", "human-only")
"""Configurations of the table by system."""

NOT_RERUN = (
    "Printed values are the paper's, with its own judges and embeddings: hosted judges were not "
    "run again here, and its figures print no numbers."
)
BRACKETS = "In brackets: 99 % Monte Carlo intervals."


def report_text(study: Study, parts: Sequence[Part], how: How) -> str:
    """Return the report in Markdown.

    Parameters
    ----------
    study : Study
        The study.
    parts : sequence of Part
        What was found, one an outcome.
    how : How
        How it was drawn.
    """
    pool = parts[0].full.pool
    printed = None if study.paper is None else PRINTED[study.paper]
    budgets = ", ".join(percent(budget) for budget in study.budgets)
    lines = [
        f"# Study {in_markdown(study.name)}",
        "",
        f"{pool.n_items:,} items, {pool.n_judges} judges"
        + (f", {len(parts[0].full.groups)} systems" if study.by_group else "")
        + f"; outcome model {study.model}; {how.trials:,} draws of each of the budgets {budgets}; "
        f"seed {how.seed}. {BRACKETS}",
        "",
    ]
    for part in parts:
        said = claims_said(part.claims)
        lines += [f"- {in_markdown(part.full.name)}: {line.strip()}" for line in said]
    lines.append("")
    if printed is not None:
        lines += [NOT_RERUN, *(f"- {fact}" for fact in printed.facts), ""]
    for part in parts:
        lines += _part_lines(study, part, printed, len(parts) > 1)
    if len(parts) > 1:
        lines += ["## Averaged over the outcomes", "", *_average_lines(parts, printed), ""]
    return "\n".join(lines).rstrip() + "\n"


def _part_lines(study: Study, part: Part, printed: Printed | None, several: bool) -> list[str]:
    """Return the sections about one outcome."""
    folder = f"{slug(part.full.name)}/"
    lines = [f"## Outcome {in_markdown(part.full.name)}", ""]
    lines += ["### All labels revealed, five folds", ""]
    # The paper prints averages where there are several outcomes.
    own = printed if printed is not None and not several else None
    lines += [*_oracle_lines(part.oracle, own.oracle if own else {}, own is not None), ""]
    if part.variance is not None:
        lines += ["### Encoding of the runs' variance", ""]
        lines += [*_oracle_lines(part.variance, own.variance if own else {}, own is not None), ""]
    elif own is not None and own.variance and not has_runs(part.full.pool):
        lines += ["No judge was asked more than once, so variances cannot be encoded.", ""]
    if part.systems is not None:
        lines += ["### Fit by system", "", *_system_fit_lines(part.systems, own), ""]
    names = "; ".join(f"*{one.name}*: {one.title}" for one in ablations(part.full.pool))
    lines += ["### Over budgets", "", f"{names}.", "", *_budget_lines(part), ""]
    lines += [f"![{HEADS.get(name, name)}]({folder}{name})\n" for name in part.figures]
    if study.by_group:
        lines += ["### Systems", "", *_ranking_lines(part), "", *_system_lines(part), ""]
    if part.claims:
        lines += ["### Does the pattern hold?", ""]
        lines += claim_lines(part.claims)
        lines.append("")
    if part.questions:
        lines += ["### What the paper leaves open", "", *question_lines(part), ""]
    if part.notices:
        lines += ["### Told", "", *(f"- {in_markdown(one.message)}" for one in part.notices), ""]
    return lines


def _oracle_lines(table: pl.DataFrame, printed: Mapping[str, Values], beside: bool) -> list[str]:
    """Return a table of fits, with the printed values beside where there are any."""
    head = ["", "R2", "RMSE", "Spearman"]
    head += ["printed R2", "RMSE", "Spearman"] if beside else []
    rows = []
    for row in table.iter_rows(named=True):
        cells = [row["title"], *(number(row[one]) for one in ("r2", "rmse", "spearman"))]
        if row["judges"]:
            cells[0] += f" over {row['judges']}"
        if beside:
            found = printed.get(row["configuration"], (None, None, None))
            cells += [number(one) for one in found]
        rows.append(cells)
    reasons = {row["reason"] for row in table.iter_rows(named=True) if row["reason"]}
    return [
        *markdown_table(head, rows),
        *(["", *(f"Raw scores: {in_markdown(r)}." for r in sorted(reasons))] if reasons else []),
    ]


def _system_fit_lines(table: pl.DataFrame, printed: Printed | None) -> list[str]:
    """Return R2 and Spearman by system: one model of all systems, one for each, the paper's.

    The paper has a model for each system, so that its values stand beside those.
    """
    fits = {
        (row["configuration"], row["group"], row["pooling"]): _fit_cell(row["r2"], row["spearman"])
        for row in table.iter_rows(named=True)
    }
    names = list(dict.fromkeys(table["configuration"].to_list()))
    systems = {} if printed is None else printed.systems
    head = ["R2, Spearman"]
    for name in names:
        head.append(name)
        if name != "human-only":
            head.append(f"{name}, a model each")
        if any(name in row for row in systems.values()):
            head.append(f"{name}, printed (a model each)")
    rows = []
    for group in dict.fromkeys(table["group"].to_list()):
        own = systems.get(_plain(group or ""), {})
        cells = ["all" if group is None else in_markdown(group)]
        for name in names:
            cells.append(fits[name, group, "pooled"])
            if name != "human-only":
                cells.append(fits[name, group, "none"])
            if any(name in row for row in systems.values()):
                r2, _, rho = own.get(name, (None, None, None))
                cells.append(_fit_cell(r2, rho))
        rows.append(cells)
    reasons = dict(table.filter(table["reason"].is_not_null()).select("group", "reason").rows())
    told_why = [f"{in_markdown(g)}: {in_markdown(why)}" for g, why in sorted(reasons.items())]
    return [*markdown_table(head, rows), *(["", *told_why] if told_why else [])]


def _fit_cell(r2: float | None, spearman: float | None) -> str:
    """Return two figures of fit."""
    return "-" if r2 is None and spearman is None else f"{number(r2)}, {number(spearman)}"


def _plain(system: str) -> str:
    """Return a system without the number of its submission, which the paper leaves out."""
    name, _, number = system.rpartition(".")
    return name if number.isdigit() and number != "0" else system


def _budget_lines(part: Part) -> list[str]:
    """Return bias, SD, RMSE and coverage of every configuration and budget."""
    import polars as pl

    whole = part.measured.summary.filter(pl.col("group").is_null())
    several = whole["estimand"].n_unique() > 1
    head = ["budget", "", "bias", "SD", "RMSE", "of labels alone", "covers", "R2 of the model"]
    rows = []
    for row in _by_budget(whole, part.shares):
        of = f" ({in_markdown(row['estimand'])})" if several else ""
        better = "design_ratio" if row["design_ratio"] is not None else "rmse_ratio"
        rows.append(
            [
                percent(part.shares[row["design"]]),
                row["configuration"] + of,
                number(row["bias"], 4),
                number(row["sd"], 4),
                number(row["rmse"], 4),
                told(row, better),
                told(row, "coverage_pool"),
                number(row["model_r2"]),
            ]
        )
    return markdown_table(head, rows)


def _ranking_lines(part: Part) -> list[str]:
    """Return how well systems are ranked, and whether all intervals hold."""
    head = ["budget", "", "Spearman", "Kendall", "ranks off by", "all hold", "RMSE of labels alone"]
    columns = ("spearman", "kendall", "rank_error", "coverage_joint", "rmse_ratio")
    rows = [
        [percent(part.shares[row["design"]]), row["configuration"]]
        + [told(row, column) for column in columns]
        for row in _by_budget(part.measured.ranking, part.shares)
    ]
    return markdown_table(head, rows)


def _system_lines(part: Part) -> list[str]:
    """Return what was measured of each system at the smallest budget."""
    import polars as pl

    design = min(part.shares, key=lambda name: part.shares[name])
    rows = systems_table(part.measured).filter(
        (pl.col("design") == design) & pl.col("configuration").is_in(SHOWN)
    )
    return [f"At {percent(part.shares[design])}:", "", *systems_lines(rows, level=4)]


def _average_lines(parts: Sequence[Part], printed: Printed | None) -> list[str]:
    """Return the fits averaged over the outcomes, as the paper prints them."""
    import polars as pl

    every = pl.concat([part.oracle for part in parts])
    mean = every.group_by("configuration", maintain_order=True).agg(
        pl.col("title", "calibrated", "judges", "reason").first(),
        pl.col("r2", "rmse", "spearman").mean(),
    )
    return _oracle_lines(mean, printed.oracle if printed else {}, printed is not None)


def _by_budget(table: pl.DataFrame, shares: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Yield the rows by budget, in the order of the configurations."""
    yield from sorted(table.iter_rows(named=True), key=lambda row: shares[row["design"]])
