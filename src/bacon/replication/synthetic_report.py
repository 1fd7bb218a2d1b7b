"""Tables of the synthetic study, and what holds of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.experiments.montecarlo import Z99, Figure, flat, mean_figure, paired
from bacon.replication.claims import BIAS_ERRORS, Claim, claim_lines
from bacon.replication.report import number, told
from bacon.replication.synthetic_figures import ALONE, FIGURES, METHODS, ONE, STUDY, TWO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import polars as pl

    from bacon.data.notice import Notice
    from bacon.replication.synthetic_figures import Point

__all__ = ["claims_of_cells", "report_lines", "table_of"]

LIMITS = {3.0: 0.25, 1.5: 0.55}
"""Lambda -> most of one stage's mean squared error that two stages may have."""

NEVER_ABOVE = 1.05
"""The same for any point of the grids."""

FACTS = (
    "The paper's Figures 9 to 11 print no numbers. Its text says that two stages have about half "
    "the mean squared error of one stage at lambda 3.",
    "The paper holds estimates against the mean of the expectations; here outcomes are drawn once, "
    "and errors are against the pool's mean of them.",
)


def table_of(points: Sequence[Point]) -> pl.DataFrame:
    """Return one row a point.

    Columns: `lambda`, `pilot`, `budget`, `trials`, `labels`; of direct (labels alone), one and two
    stages `bias_`, `mse_` and `variance_` (mean design variance) with `_low` and `_high`; ratios
    of two stages to one, `design_ratio` and `error_ratio`, and to labels alone, `alone_ratio`.
    """
    import polars as pl

    rows = []
    for point in points:
        figures: dict[str, Figure] = {}
        for name in METHODS:
            figures[f"bias_{name}"] = mean_figure(point.errors[name])
            figures[f"mse_{name}"] = mean_figure(point.errors[name] ** 2)
            figures[f"variance_{name}"] = mean_figure(point.variances[name])
        squares = {name: errors**2 for name, errors in point.errors.items()}
        figures["design_ratio"] = paired(point.variances[TWO], point.variances[ONE], power=1.0)
        figures["error_ratio"] = paired(squares[TWO], squares[ONE], power=1.0)
        figures["alone_ratio"] = paired(squares[TWO], squares[ALONE], power=1.0)
        place = {"lambda": point.lam, "pilot": point.pilot, "budget": point.rate}
        counts = {"trials": len(point.errors[TWO]), "labels": point.n_labels}
        rows.append({**place, **counts, **flat(figures)})
    return pl.DataFrame(rows, infer_schema_length=None)


def claims_of_cells(table: pl.DataFrame) -> Iterator[Claim]:
    """Yield what is claimed of the study, each held against the points there are.

    Bias within 3.5 Monte Carlo standard errors of 0 at every point; the mean squared error of two
    stages, by design, never above 1.05 of one stage's (a claim fails when the 99 % Monte Carlo
    interval excludes it), and at most 0.25 and 0.55 at lambda 3 and 1.5.
    """
    rows = list(table.iter_rows(named=True))
    off = [abs(r["bias_two"]) / ((r["bias_two_high"] - r["bias_two"]) / Z99) for r in rows]
    yield Claim(
        f"two stages are unbiased at every point, within {BIAS_ERRORS} Monte Carlo standard errors",
        max(off) <= BIAS_ERRORS,
        f"{len(off)} points, the farthest {max(off):.1f} standard errors off",
    )
    worst = max(rows, key=lambda row: row["design_ratio_low"])
    yield Claim(
        f"their mean squared error is never above {NEVER_ABOVE} of one stage's",
        worst["design_ratio_low"] <= NEVER_ABOVE,
        f"at most {told(worst, 'design_ratio')}, at {_place(worst)}",
    )
    for lam, limit in LIMITS.items():
        for row in rows:
            if (row["lambda"], row["pilot"], row["budget"]) == (lam, *STUDY[1:]):
                yield Claim(
                    f"at lambda {lam:g} it is at most {limit} of one stage's"
                    + (" (the paper: about half)" if lam == max(LIMITS) else ""),
                    row["design_ratio"] <= limit,
                    f"by design {told(row, 'design_ratio')}, by errors {told(row, 'error_ratio')}",
                )


def _place(row: dict[str, Any]) -> str:
    """Return which point a row is."""
    return f"lambda {row['lambda']:g}, pilot {row['pilot']:g}, budget {row['budget']:g}"


def report_lines(
    table: pl.DataFrame,
    claims: Sequence[Claim],
    figures: Sequence[str],
    notices: Sequence[Notice],
) -> list[str]:
    """Return the report in Markdown.

    Parameters
    ----------
    table : polars.DataFrame
        As :func:`table_of` gives it.
    claims : sequence of Claim
        What is claimed, with what was found.
    figures : sequence of str
        Files of the figures, as seen from the report.
    notices : sequence of Notice
        What a reader must know.
    """
    lines = [
        "# The paper's synthetic study",
        "",
        "Two stages against one where the variance of the errors grows with exp(lambda PC1): 4,600 "
        "items, ridge. In brackets: 99 % Monte Carlo intervals. Ratios are of mean squared errors: "
        "by design from averaged design variances, far more precise, and by errors.",
        "",
        *(f"- {fact}" for fact in FACTS),
        "",
        "| lambda | pilot | budget | of one stage, by design | by errors | of labels alone | "
        "bias | MSE of labels alone | of one stage | of two stages | labels | draws |",
        "|" + "---|" * 12,
    ]
    lines += [_line(row) for row in table.iter_rows(named=True)]
    lines += ["", "## Does it hold?", ""]
    lines += claim_lines(claims)
    for file in figures:
        title = FIGURES[file.rsplit("/", 1)[-1]].title
        lines += ["", f"![{title}]({file})"]
    if notices:
        lines += ["", "## Told", "", *(f"- {one.message}" for one in notices)]
    return lines


def _line(row: dict[str, Any]) -> str:
    """Return a point's row of the table."""
    cells = [f"{row['lambda']:g}", f"{row['pilot']:g}", f"{row['budget']:g}"]
    cells += [told(row, name) for name in ("design_ratio", "error_ratio", "alone_ratio")]
    bias = (number(row[f"bias_two{end}"], 4) for end in ("", "_low", "_high"))
    cells.append("{} ({} to {})".format(*bias))
    cells += [number(row[f"mse_{name}"], 6) for name in METHODS]
    cells += [f"{row['labels']:,.0f}", f"{row['trials']:,}"]
    return f"| {' | '.join(cells)} |"
