"""The page of bench/efficiency.py: what is claimed against what was measured, then every figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from bacon.experiments.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEAD = """# Efficiency

Made by `python bench/efficiency.py`. Ratios are to labels alone over the same draws (`human-only`:
the same estimator with a constant prediction, t interval). In brackets: 99 % Monte Carlo interval.
RMSE ratios marked † rest on the variance that each draw's predictions imply
([design variance](experiments.md#design-variance)), the others on squared errors. Coverage is that
of 95 % intervals for the pool; for simulators, whose pools are new in every draw, that of the
population stands behind it.
"""
RIVALS = ("human-only", "ppi++", "ridge")
SKEWED_WIDTH = {30: 1.15, 50: 1.10}
ORDINAL_RATIO = {30: 0.71, 250: 0.64}


@dataclass(frozen=True)
class Bar:
    """A claim about one cell: a figure with its interval, and the range it may lie in."""

    claim: str
    value: float
    low: float
    high: float
    least: float = float("-inf")
    most: float = float("inf")

    @property
    def holds(self) -> bool:
        """Whether the Monte Carlo interval leaves room for the claim."""
        return self.low <= self.most and self.high >= self.least

    @property
    def text(self) -> str:
        """The figure in one cell of a table."""
        return f"{self.value:.3f} ({self.low:.3f}-{self.high:.3f})"


def size_of(design: str) -> int:
    """Return the number of labels in the name of a uniform design."""
    return int(design.rpartition("=")[2])


def figure(row: dict[str, Any], name: str, digits: int = 2) -> str:
    """Return a figure with its interval, a dash for none."""
    value, low, high = (row[name + end] for end in ("", "_low", "_high"))
    if value is None:
        return "-"
    if row["configuration"] == "human-only" and "ratio" in name:
        return "1"
    return f"{value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def ratio_name(row: dict[str, Any]) -> str:
    """Return which ratio of RMSEs a row has: by design where it can."""
    return "rmse_ratio" if row["design_ratio"] is None else "design_ratio"


def against(results: pl.DataFrame, base: str) -> dict[str, Any]:
    """Return the figures of bacon in one cell with the ratios taken to `base`."""
    table = summarise(results, base=base).filter(configuration="bacon")
    return table.row(0, named=True)


def bars_of(case: str, kind: str, n: int, cell: pl.DataFrame) -> Iterator[Bar]:
    """Yield the claims about bacon in one cell."""
    rows = {row["configuration"]: row for row in summarise(cell).iter_rows(named=True)}
    ours, alone = rows["bacon"], rows["human-only"]
    name = ratio_name(ours)
    to_alone = [ours[name + end] for end in ("", "_low", "_high")]
    noise = case == "sim:noise"
    yield Bar("RMSE, of labels alone", *to_alone, most=1.02 if noise else 1.0)
    rivals = {r: rows[r][ratio_name(rows[r])] for r in RIVALS if r in rows}
    best = min(rivals, key=rivals.__getitem__)
    if best != "human-only":
        other = against(cell, best)
        kind_of = ratio_name(other)
        found = [other[kind_of + end] for end in ("", "_low", "_high")]
        yield Bar(f"RMSE, of {best}", *found, most=1.03)
    if case == "sim:ordinal" and n in ORDINAL_RATIO:
        yield Bar("RMSE, of labels alone", *to_alone, most=ORDINAL_RATIO[n])
    if case == "wmt23_ende_mqm" and n >= 200 and "ridge" in rows:
        other = against(cell, "ridge")
        yield Bar(
            "RMSE, of ridge", *(other["design_ratio" + e] for e in ("", "_low", "_high")), most=0.95
        )
    for target in ("pool", "population"):
        hits = [ours[f"coverage_{target}{end}"] for end in ("", "_low", "_high")]
        if None in hits:
            continue
        least = 0.935 if n >= 50 else 0.93
        most = 0.985 if kind in ("binary", "classes") else 0.97
        if kind == "skewed":
            theirs = alone[f"coverage_{target}"]
            least = min(0.92, theirs + 0.04) if theirs < 0.9 else 0.92
            most = 1.0
        elif n < 50:
            most = 1.0
        yield Bar(f"coverage, {target}", *hits, least=least, most=most)
    width = [ours["width_ratio_pool" + end] for end in ("", "_low", "_high")]
    most = SKEWED_WIDTH.get(n, 1.0) if kind == "skewed" else 1.0
    yield Bar("width, of labels alone", *width, most=1.02 if noise else most)


def bar_table(cases: Iterable[tuple[str, str, int, pl.DataFrame]]) -> list[str]:
    """Return the table of claims: those that fail, and how many hold."""
    lines = ["", "## Claims", ""]
    failed, n_held = [], 0
    for case, kind, _, results in cases:
        for keys, cell in results.group_by("design", "estimand", maintain_order=True):
            n = size_of(str(keys[0]))
            if "bacon" not in cell["configuration"].unique():
                continue
            for bar in bars_of(case, kind, n, cell):
                if bar.holds:
                    n_held += 1
                    continue
                span = f"{bar.least:g} to {bar.most:g}"
                wanted = f"at most {bar.most:g}" if bar.least == float("-inf") else span
                failed.append(f"| {case} | {n} | {keys[1]} | {bar.claim} | {bar.text} | {wanted} |")
    lines.append(
        f"{n_held} of {n_held + len(failed)} claims about the default hold within Monte Carlo "
        f"error{'.' if not failed else '; these do not:'}"
    )
    if failed:
        lines += ["", "| pool | n | of | claim | measured | claimed |", "|---|---|---|---|---|---|"]
    return [*lines, *failed]


def pool_tables(case: str, n_items: int, results: pl.DataFrame) -> list[str]:
    """Return the figures of one pool: RMSE, coverage and width, a column for each n."""
    lines = ["", f"## {case}", "", f"{n_items:,} items."]
    for (estimand,), part in results.group_by("estimand", maintain_order=True):
        summary = summarise(part)
        designs = summary["design"].unique(maintain_order=True).to_list()
        heads = {
            "RMSE, of labels alone": _ratio,
            "coverage": _coverage,
            "width, of labels alone": lambda row: figure(row, "width_ratio_pool"),
        }
        for head, shown in heads.items():
            of = "" if estimand == "mean" else f" ({estimand})"
            lines += [
                "",
                f"| {head}{of} | " + " | ".join(f"n = {size_of(d)}" for d in designs) + " |",
            ]
            lines.append("|---" * (len(designs) + 1) + "|")
            for (name,), rows in summary.group_by("configuration", maintain_order=True):
                cells = {row["design"]: shown(row) for row in rows.iter_rows(named=True)}
                lines.append(f"| {name} | " + " | ".join(cells.get(d, "-") for d in designs) + " |")
        counts = summary.group_by("configuration", maintain_order=True).agg(
            pl.col("trials").min().alias("least"), pl.col("trials").max().alias("most")
        )
        lines += [
            "",
            "Draws of a cell: " + ", ".join(_drawn(row) for row in counts.iter_rows()) + ".",
        ]
    return lines


def _drawn(row: tuple[Any, ...]) -> str:
    """Return the number of draws of a configuration over the cells."""
    name, least, most = row
    return f"{name} {least:,}" if least == most else f"{name} {least:,}-{most:,}"


def _ratio(row: dict[str, Any]) -> str:
    """Return the ratio of RMSEs, marked where it is by design."""
    name = ratio_name(row)
    mark = "†" if name == "design_ratio" and row["configuration"] != "human-only" else ""
    return figure(row, name) + mark


def _coverage(row: dict[str, Any]) -> str:
    """Return coverage for the pool, and for the population where it is known."""
    pool, population = figure(row, "coverage_pool", 3), figure(row, "coverage_population", 3)
    return pool if population == "-" else f"{pool}; {population}"


def page_text(cases: list[tuple[str, str, int, pl.DataFrame]]) -> str:
    """Return the page.

    Parameters
    ----------
    cases : list of (name, kind, number of items, results)
        The pools with what was measured on each.
    """
    lines = [HEAD.rstrip(), *bar_table(cases)]
    for case, _, n_items, results in cases:
        lines += pool_tables(case, n_items, results)
    return "\n".join(lines) + "\n"
