"""The report of a study: tables beside what the paper prints, figures, and what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.files import slug
from bacon.replication.ablations import has_runs
from bacon.replication.claims import claim_lines, claims_of
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
    budgets = ", ".join(f"{budget:.0%}" for budget in study.budgets)
    lines = [
        f"# Study {_safe(study.name)}",
        "",
        f"{pool.n_items:,} items, {pool.n_judges} judges"
        + (f", {len(parts[0].full.groups)} systems" if study.by_group else "")
        + f"; outcome model {study.model}; {how.trials:,} draws of each of the budgets {budgets}; "
        f"seed {how.seed}. {BRACKETS}",
        "",
    ]
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
    lines = [f"## Outcome {_safe(part.full.name)}", ""]
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
    lines += ["### Over budgets", "", *_budget_lines(part), ""]
    lines += [f"![{HEADS.get(name, name)}]({folder}{name})\n" for name in part.figures]
    if study.by_group:
        lines += ["### Systems", "", *_ranking_lines(part), "", *_system_lines(part), ""]
    claims = claims_of(part.measured)
    if claims:
        lines += ["### Does the pattern hold?", ""]
        lines += claim_lines(claims)
        lines.append("")
    if part.questions:
        lines += ["### What the paper leaves open", "", *question_lines(part), ""]
    if part.notices:
        lines += ["### Told", "", *(f"- {_safe(one.message)}" for one in part.notices), ""]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table in Markdown."""
    return [
        f"| {' | '.join(head)} |",
        "|" + "---|" * len(head),
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


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
        *_table(head, rows),
        *(["", *(f"Raw scores: {_safe(r)}." for r in sorted(reasons))] if reasons else []),
    ]


def _system_fit_lines(table: pl.DataFrame, printed: Printed | None) -> list[str]:
    """Return R2 and Spearman by system: one model of all systems, and one for each."""
    import polars as pl

    names = list(dict.fromkeys(table["configuration"].to_list()))
    groups = list(dict.fromkeys(table["group"].to_list()))
    head = ["", *(f"{name}: R2, rho" for name in names)]
    head += [f"{name}, a model each" for name in names if name != "human-only"]
    systems = printed.systems if printed is not None else {}
    shown = [name for name in names if any(name in row for row in systems.values())]
    head += [f"printed {name}" for name in shown]

    def cell(name: str, group: str | None, pooling: str) -> str:
        row = table.filter(
            (pl.col("configuration") == name)
            & pl.col("group").eq_missing(pl.lit(group, pl.String))
            & (pl.col("pooling") == pooling)
        ).row(0, named=True)
        return f"{number(row['r2'])}, {number(row['spearman'])}"

    rows = []
    for group in groups:
        cells = ["all" if group is None else _safe(group)]
        cells += [cell(name, group, "pooled") for name in names]
        cells += [cell(name, group, "none") for name in names if name != "human-only"]
        for name in shown:
            r2, _, rho = systems.get(_plain(group or ""), {}).get(name, (None, None, None))
            cells.append("-" if r2 is None else f"{number(r2)}, {number(rho)}")
        rows.append(cells)
    return _table(head, rows)


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
        of = f" ({_safe(row['estimand'])})" if several else ""
        better = "design_ratio" if row["design_ratio"] is not None else "rmse_ratio"
        rows.append(
            [
                f"{part.shares[row['design']]:.0%}",
                row["configuration"] + of,
                number(row["bias"], 4),
                number(row["sd"], 4),
                number(row["rmse"], 4),
                told(row, better),
                told(row, "coverage_pool"),
                number(row["model_r2"]),
            ]
        )
    return _table(head, rows)


def _ranking_lines(part: Part) -> list[str]:
    """Return how well systems are ranked, and whether all intervals hold."""
    head = ["budget", "", "Spearman", "Kendall", "ranks off by", "all hold", "RMSE of labels alone"]
    columns = ("spearman", "kendall", "rank_error", "coverage_joint", "rmse_ratio")
    rows = [
        [f"{part.shares[row['design']]:.0%}", row["configuration"]]
        + [told(row, column) for column in columns]
        for row in _by_budget(part.measured.ranking, part.shares)
    ]
    return _table(head, rows)


def _system_lines(part: Part) -> list[str]:
    """Return each system's bias, RMSE and coverage at the smallest budget."""
    import polars as pl

    design = min(part.shares, key=lambda name: part.shares[name])
    cells = part.measured.summary.filter(
        pl.col("group").is_not_null()
        & (pl.col("design") == design)
        & pl.col("configuration").is_in(["full", "human-only"])
    )
    head = ["system", "truth", "", "bias", "RMSE", "of labels alone", "covers"]
    rows = [
        [
            _safe(row["group"]),
            number(part.full.groups[row["group"]][1].truth(row["estimand"])),
            row["configuration"],
            number(row["bias"], 4),
            number(row["rmse"], 4),
            told(row, "rmse_ratio"),
            told(row, "coverage_pool"),
        ]
        for row in cells.sort("group", "configuration").iter_rows(named=True)
    ]
    return [f"At {part.shares[design]:.0%}:", "", *_table(head, rows)]


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


def number(value: float | None, digits: int = 3) -> str:
    """Return a number, a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def told(row: Mapping[str, Any], name: str) -> str:
    """Return a figure with its 99 % Monte Carlo interval."""
    if row[name] is None:
        return "-"
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f}-{row[f'{name}_high']:.3f})"


def _safe(text: str) -> str:
    """Return text from a file as Markdown shows it."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#!" else sign for sign in text)
