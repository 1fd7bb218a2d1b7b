"""`bacon estimate`: the main job in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bacon.cli.label_options import LabelOptions
from bacon.cli.options import (
    IdColumn,
    JudgeColumn,
    Missing,
    RunColumn,
    TextColumn,
    names_of,
)
from bacon.cli.output import say, say_json
from bacon.cli.requirement import (
    VERDICT_NO,
    VERDICT_OPEN,
    decide,
    parse_requirement,
)
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.calibration.nonresponse import Treatment
    from bacon.calibration.raters import Claim
    from bacon.estimation.intervals import Target
    from bacon.io.tables import Table
    from bacon.outcome.crossfit import CrossFitMode

__all__ = ["estimate_command"]


def estimate_command(
    pool: Annotated[Path, typer.Argument(help="File with every item.", show_default=False)],
    label: Annotated[
        str | None, typer.Option(help="Column of the labels in the pool's own file.")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="File of the labels, if another.")] = None,
    value: Annotated[str | None, typer.Option(help="Column of the labels in that file.")] = None,
    labels_id: Annotated[
        str | None, typer.Option(help="Column of the item ids in that file, if another.")
    ] = None,
    rater: Annotated[str | None, typer.Option(help="Column that names the rater.")] = None,
    rater_columns: Annotated[
        list[str] | None,
        typer.Option(help="A column of labels for each rater: names and globs; repeat."),
    ] = None,
    raters: Annotated[
        str, typer.Option(help="Intervals for these raters, or like-them: for others as well.")
    ] = "these",
    sample: Annotated[
        Path | None, typer.Option(help="Sheet the labels were drawn with (its labels, too).")
    ] = None,
    nonresponse: Annotated[
        str,
        typer.Option(
            help="Unanswered items of the sheet: model (of who answers), rate, or auto for what "
            "the answers call for."
        ),
    ] = "auto",
    pi: Annotated[str | None, typer.Option(help="Column of inclusion probabilities.")] = None,
    strata: Annotated[
        str | None, typer.Option(help="Column the draw was stratified by (COL:k: quantiles).")
    ] = None,
    judges: Annotated[
        list[str] | None, typer.Option(help="Judge columns: names and globs; commas or repeat.")
    ] = None,
    id_: IdColumn = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of what items share (prompt, document).")
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option(help="Further numeric columns to use; repeat.")
    ] = None,
    text: TextColumn = None,
    embeddings: Annotated[
        Path | None, typer.Option(help="Embeddings: parquet with ids, or .npy.")
    ] = None,
    judge_column: JudgeColumn = None,
    run_column: RunColumn = None,
    outcome: Annotated[
        str,
        typer.Option(
            help="auto (read from the labels), real, bounded, zero-inflated, ordinal, "
            "categorical or binary."
        ),
    ] = "auto",
    model: Annotated[
        str,
        typer.Option(
            help="stack (several models, weighted by labels held out), ridge, hurdle, ordinal, "
            "multinomial, logistic, bounded, forest, log-link or human-only."
        ),
    ] = "stack",
    crossfit: Annotated[
        str, typer.Option(help="ensemble or refit, for unlabelled items.")
    ] = "ensemble",
    scale: Annotated[
        str | None, typer.Option(help="Lowest and highest possible label: LO:HI.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Classes in words, in order: a,b,c.")] = None,
    better: Annotated[str | None, typer.Option(help="higher or lower.")] = None,
    estimand: Annotated[
        list[str] | None,
        typer.Option(help="mean, sd, variance, quantile:0.5, proportion:ge:4, shares; repeat."),
    ] = None,
    target: Annotated[
        str, typer.Option(help="pool (these items) or population (items like them).")
    ] = "pool",
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="ESTIMAND:ge|le:VALUE; exit 0 if the interval meets it, 3 if not, 4 if open; "
            "repeat for several."
        ),
    ] = None,
    na: Missing = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    diagnostics: Annotated[
        bool, typer.Option("--diagnostics", help="Also how far model and judges can be trusted.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Estimate what people would say of all items, with intervals for both targets."""
    from bacon.calibration.calibrate import calibrate
    from bacon.checks import check_level, check_target
    from bacon.io.pools import read_pool
    from bacon.io.samples import read_sample
    from bacon.io.tables import read_table

    check_level(level)
    check_target(target)
    _one_design(sample=sample, pi=pi, strata=strata)
    wanted = [parse_requirement(text) for text in require or ()]
    ends = None if scale is None else parse_scale(scale)
    missing = tuple(na or ())
    people = LabelOptions(
        label, labels, value, labels_id, rater, tuple(rater_columns or ()), sample
    )
    table = read_table(pool)
    _need_roles(table, judges=judges, model=model, has_labels=people.are_given)
    items = read_pool(
        table,
        judges=names_of(judges, table) or ("judge_*" if _has_judges(table) else ()),
        id=id_,
        features=names_of(features, table) or None,
        cluster=cluster,
        text=text,
        embeddings=embeddings,
        pi=pi,
        label=people.own_columns(table) or None,
        judge_column=judge_column,
        run_column=run_column,
        levels=levels,
        na=missing,
    )
    drawn = None if sample is None else read_sample(sample, pool=items)
    human, column = people.read(items, table, id_, levels, missing)
    cal = calibrate(
        items,
        human,
        sample=drawn,
        strata=strata,
        outcome=outcome,
        model=model,
        crossfit=cast("CrossFitMode", crossfit),
        scale=ends,
        better=better,
        seed=seed,
        nonresponse=cast("Treatment", nonresponse),
        raters=cast("Claim", raters),
    )
    asked = tuple(estimand or ())
    side = cast("Target", target)
    # Before anything is printed, since the estimand may be one that these labels do not have.
    verdicts = [cal.estimate(one.estimand).interval(level, side) for one in wanted]
    if as_json:
        say_json(cal.to_dict(*asked, level=level, target=side))
    else:
        say(cal.summary(*asked, level=level, target=side))
    if diagnostics and not as_json:
        first = asked[0] if asked else None
        say(f"\n{cal.diagnostics(first, level=level, target=side).to_text()}")
    if column is not None:
        say(f"Labels: column {column} of {human.source}; --value names another.", err=True)
    codes = [decide(cal, *pair) for pair in zip(verdicts, wanted, strict=True)]
    # One requirement that fails settles it; else one that is open leaves it open.
    for code in (VERDICT_NO, VERDICT_OPEN):
        if code in codes:
            raise typer.Exit(code)


def parse_scale(text: str) -> tuple[float, float]:
    """Return the ends of ``LO:HI``."""
    low, colon, high = text.partition(":")
    try:
        if colon:
            return float(low), float(high)
    except ValueError:
        pass
    raise InputError(f"--scale must be LO:HI, such as 1:6; got {text!r}.")


def _one_design(**given: object) -> None:
    """Refuse two words on how the labels were drawn."""
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} each say how the labels were drawn; give one.")


def _has_judges(table: Table) -> bool:
    """Whether columns have the usual name of judges."""
    return any(column.startswith("judge_") for column in table.frame.columns)


def _need_roles(table: Table, *, judges: list[str] | None, model: str, has_labels: bool) -> None:
    """Refuse a missing role, naming the column that looks like it."""
    from bacon.inspection.roles import likely

    if not has_labels:
        found = likely(table, "label")
        hint = f": column {found} looks like them, add --label {found}" if found else ""
        raise InputError(
            f"{table.source}: no labels named; give --label COLUMN, --labels FILE or --sample "
            f"SHEET{hint}."
        )
    if not judges and model != "human-only" and not _has_judges(table):
        found = likely(table, "judges")
        hint = f"; these look like judges, add --judges {found}" if found else ""
        raise InputError(
            f"{table.source}: no column is called judge_*, so name the judges: --judges GLOB{hint}."
        )
