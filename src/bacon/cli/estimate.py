"""`bacon estimate`: the main job in one command."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bacon.cli.options import IdColumn, JudgeColumn, Missing, RunColumn, TextColumn
from bacon.cli.output import say, say_json
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.estimation.intervals import Interval, Target
    from bacon.io.tables import Table
    from bacon.outcome.crossfit import CrossFitMode

__all__ = ["estimate_command"]

SCORE = "score"
"""Column of the labels in a labelling sheet."""

VERDICT_NO, VERDICT_OPEN = 3, 4
"""Exit codes: the requirement fails, or the interval does not decide it."""


def estimate_command(
    pool: Annotated[Path, typer.Argument(help="File with every item.", show_default=False)],
    label: Annotated[
        str | None, typer.Option(help="Column of the labels in the pool's own file.")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="File of the labels, if another.")] = None,
    value: Annotated[str | None, typer.Option(help="Column of the labels in that file.")] = None,
    rater: Annotated[str | None, typer.Option(help="Column that names the rater.")] = None,
    sample: Annotated[
        Path | None, typer.Option(help="Sheet the labels were drawn with (its labels, too).")
    ] = None,
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
            help="auto, real, bounded, zero-inflated, ordinal, categorical or binary; "
            "one model for all so far."
        ),
    ] = "auto",
    model: Annotated[str, typer.Option(help="ridge or human-only.")] = "ridge",
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
        typer.Option(help="mean, sd, variance, quantile:0.5, proportion:ge:4; repeat."),
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
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Estimate what people would say of all items, with intervals for both targets."""
    from bacon.calibration.calibrate import calibrate
    from bacon.checks import check_level, check_target
    from bacon.io.labels import read_labels
    from bacon.io.pools import read_pool
    from bacon.io.samples import read_sample
    from bacon.io.tables import Table, read_table

    check_level(level)
    check_target(target)
    _one_design(sample=sample, pi=pi, strata=strata)
    wanted = [parse_requirement(text) for text in require or ()]
    ends = None if scale is None else parse_scale(scale)
    missing = tuple(na or ())
    table = read_table(pool)
    _need_roles(table, judges=judges, model=model, has_labels=any((label, labels, sample)))
    own_columns = [c for c in (label, value if labels is None else None, rater) if c is not None]
    items = read_pool(
        table,
        judges=_names(judges, table) or ("judge_*" if _has_judges(table) else ()),
        id=id_,
        features=_names(features, table) or None,
        cluster=cluster,
        text=text,
        embeddings=embeddings,
        pi=pi,
        label=[c for c in own_columns if c in table.frame.columns] or None,
        judge_column=judge_column,
        run_column=run_column,
        levels=levels,
        na=missing,
    )
    drawn = None if sample is None else read_sample(sample, pool=items)
    own = Table(items.source, items.table, untyped=table.untyped)
    source, column = _label_source(own, label=label, labels=labels, value=value, sample=sample)
    own_id = items.id_name if label is not None or id_ in source.frame.columns else None
    human = read_labels(source, id=own_id, value=column, rater=rater, levels=levels, na=missing)
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
    )
    asked = tuple(estimand or ())
    side = cast("Target", target)
    # Before anything is printed, since the estimand may be one that these labels do not have.
    verdicts = [cal.estimate(one.estimand).interval(level, side) for one in wanted]
    if as_json:
        say_json(cal.to_dict(*asked, level=level, target=side))
    else:
        say(cal.summary(*asked, level=level, target=side))
    if labels is not None and value is None:
        say(f"Labels: column {column} of {human.source}; --value names another.", err=True)
    codes = [_decide(*pair) for pair in zip(verdicts, wanted, strict=True)]
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


@dataclass(frozen=True, slots=True)
class Requirement:
    """What ``--require`` asks: estimand at least or at most a value."""

    estimand: str
    relation: str
    value: float


def parse_requirement(text: str) -> Requirement:
    """Return the parts of ``ESTIMAND:ge|le:VALUE``."""
    usage = (
        "--require must be ESTIMAND:ge:VALUE or ESTIMAND:le:VALUE, such as mean:ge:4.0; got "
        f"{text!r}."
    )
    estimand, _, rest = text.rpartition(":")
    name, _, relation = estimand.rpartition(":")
    if not name or relation not in ("ge", "le"):
        raise InputError(usage)
    try:
        value = float(rest)
    except ValueError:
        raise InputError(usage) from None
    if not math.isfinite(value):
        raise InputError(usage)
    return Requirement(name, relation, value)


def _one_design(**given: object) -> None:
    """Refuse two words on how the labels were drawn."""
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} each say how the labels were drawn; give one.")


def _names(given: list[str] | None, table: Table) -> list[str]:
    """Return the names and globs of an option that may be repeated and hold commas."""
    from bacon.io.roles import as_list

    return [name for one in given or () for name in as_list(one, table.frame.columns)]


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


def _label_source(
    own: Table,
    *,
    label: str | None,
    labels: Path | None,
    value: str | None,
    sample: Path | None,
) -> tuple[Table, str]:
    """Return table and column of the labels: the pool's, a file's own, or the labelled sheet's."""
    from bacon.inspection.roles import likely
    from bacon.io.tables import read_table

    if label is not None and labels is not None:
        raise InputError("give --label (a column of the pool) or --labels (a file), not both.")
    if label is not None and value is not None:
        raise InputError("--value is for the file of --labels or --sample; --label names a column.")
    if label is not None:
        return own, label
    other = read_table(cast("Path", labels if labels is not None else sample))
    if value is None and labels is None:
        return other, SCORE
    if value is None:
        value = likely(other, "label") or (SCORE if SCORE in other.frame.columns else None)
    if value is None:
        raise InputError(
            f"{other.source}: which column holds the labels? Give --value, one of "
            f"{', '.join(other.frame.columns)}."
        )
    return other, value


def _decide(interval: Interval, wanted: Requirement) -> int:
    """Say whether the interval meets the requirement, and return the exit code."""
    low, high = interval
    above = low >= wanted.value if wanted.relation == "ge" else high <= wanted.value
    below = high < wanted.value if wanted.relation == "ge" else low > wanted.value
    word = "at least" if wanted.relation == "ge" else "at most"
    asked = f"{wanted.estimand} {word} {wanted.value:g}"
    if math.isnan(low):
        say(
            f"Required: {asked}: not decided, for there is no interval: {interval.reason}.",
            err=True,
        )
        return VERDICT_OPEN
    ends = f"{interval.level * 100:g} % interval {low:.4g} to {high:.4g}"
    if above:
        say(f"Required: {asked}: yes ({ends}).", err=True)
        return 0
    if below:
        say(f"Required: {asked}: no ({ends}).", err=True)
        return VERDICT_NO
    say(f"Required: {asked}: not decided ({ends}); more labels would tell.", err=True)
    return VERDICT_OPEN
