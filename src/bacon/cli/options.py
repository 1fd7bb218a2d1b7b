"""Options that several commands share, word for word, and how they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.io.tables import Table

__all__ = [
    "DESIGNS",
    "Allocation",
    "AsJson",
    "ConfidenceLevel",
    "DrawClusters",
    "DrawMethod",
    "DrawStrata",
    "DrawnBy",
    "IdColumn",
    "JudgeColumn",
    "Missing",
    "Pooling",
    "RunColumn",
    "TargetOption",
    "TextColumn",
    "names_of",
    "parse_scale",
]

DESIGNS = ("uniform", "bernoulli", "stratified", "probability", "cluster")

IdColumn = Annotated[str | None, typer.Option("--id", help="Column of the item ids.")]
TextColumn = Annotated[str | None, typer.Option("--text", help="Column with the item's text.")]
JudgeColumn = Annotated[
    str | None, typer.Option("--judge-column", help="Long file: column that names the judge.")
]
RunColumn = Annotated[
    str | None, typer.Option("--run-column", help="Long file: column that numbers the run.")
]
Missing = Annotated[
    list[str] | None, typer.Option("--na", help="Values that mean missing; repeat.")
]
TargetOption = Annotated[
    str, typer.Option("--target", help="pool (these items) or population (items like them).")
]
ConfidenceLevel = Annotated[float, typer.Option("--level", help="Confidence level.")]
Pooling = Annotated[
    str,
    typer.Option(
        "--pooling", help="pooled (one model, corrected in each group) or none (a model for each)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]
DrawnBy = Annotated[
    str | None,
    typer.Option("--design", help=f"{', '.join(DESIGNS)}; by default what the other options say."),
]
DrawStrata = Annotated[
    str | None,
    typer.Option("--strata", help="Column of the strata; COL:k for k quantile strata."),
]
Allocation = Annotated[
    str,
    typer.Option(
        "--allocation", help="proportional, neyman or equal numbers of labels per stratum."
    ),
]
DrawClusters = Annotated[
    str | None, typer.Option("--draw-clusters", help="Column whose values are drawn whole.")
]
DrawMethod = Annotated[
    str, typer.Option("--method", help="systematic (fixed size) or poisson, with --pi.")
]


def names_of(given: list[str] | None, table: Table) -> list[str]:
    """Return the names and globs of an option that may be repeated and hold commas."""
    from bacon.io.roles import as_list

    return [name for one in given or () for name in as_list(one, table.frame.columns)]


def parse_scale(text: str) -> tuple[float, float]:
    """Return the ends of ``LO:HI``."""
    low, colon, high = text.partition(":")
    try:
        if colon:
            return float(low), float(high)
    except ValueError:
        pass
    raise InputError(f"--scale must be LO:HI, such as 1:6; got {text!r}.")
