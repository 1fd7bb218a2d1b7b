"""Tables of the synthetic study, and what holds of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.experiments.markdown import number, told
from bacon.experiments.montecarlo import Figure, flat, mean_figure, paired
from bacon.replication.claims import claim_lines
from bacon.replication.synthetic_figures import ALONE, FIGURES, METHODS, ONE, TWO, known

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import polars as pl

    from bacon.data.notice import Notice
    from bacon.replication.claims import Claim
    from bacon.replication.synthetic_figures import Point

__all__ = ["report_lines", "table_of"]

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
            errors, spread = (known(one[name]) for one in (point.errors, point.variances))
            figures[f"bias_{name}"] = mean_figure(errors)
            figures[f"mse_{name}"] = mean_figure(errors**2)
            figures[f"variance_{name}"] = mean_figure(spread)
        squares = {name: errors**2 for name, errors in point.errors.items()}
        figures["design_ratio"] = paired(point.variances[TWO], point.variances[ONE], power=1.0)
        figures["error_ratio"] = paired(squares[TWO], squares[ONE], power=1.0)
        figures["alone_ratio"] = paired(squares[TWO], squares[ALONE], power=1.0)
        place = {"lambda": point.lam, "pilot": point.pilot, "budget": point.rate}
        counts = {"trials": len(point.errors[TWO]), "labels": point.n_labels}
        rows.append({**place, **counts, **flat(figures)})
    return pl.DataFrame(rows, infer_schema_length=None)


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
