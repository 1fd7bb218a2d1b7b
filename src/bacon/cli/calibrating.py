"""What commands calibrate: options that say it, word for word the same in each, and reading it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer

from bacon.cli.calibrated import Calibrated
from bacon.cli.ids import settle_id
from bacon.cli.label_options import LabelOptions
from bacon.cli.needed import has_judges, need_roles, one_design, unused_judges
from bacon.cli.options import (
    IdColumn,
    JudgeColumn,
    Missing,
    RunColumn,
    TextColumn,
    names_of,
    parse_scale,
)
from bacon.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.calibration.nonresponse import Treatment
    from bacon.calibration.raters import Claim
    from bacon.data.notice import Notice
    from bacon.outcome.crossfit import CrossFitMode

__all__ = ["Reading", "parse_scale", "with_calibration", "with_pilot"]


@dataclass(frozen=True)
class Reading:
    """The options that say what is calibrated, before anything is read.

    Parameters
    ----------
    options : dict
        Arguments of `read_calibration`.
    """

    options: dict[str, Any]

    def __call__(self) -> Calibrated:
        """Read the files and calibrate."""
        return read_calibration(**self.options)

    def for_sample(self) -> dict[str, object]:
        """Return the options that `bacon sample` takes as well, as the user gave them."""
        given = self.options
        labels = (given["label"], *(given["rater_columns"] or ()))
        return {
            "--id": given["id_"],
            "--judges": ",".join(given["judges"] or ()) or None,
            "--text": given["text"],
            "--group": given["group"],
            "--label": None if given["labels"] is not None else labels,
            "--judge-column": given["judge_column"],
            "--run-column": given["run_column"],
            "--levels": given["levels"],
            "--na": given["na"],
        }

    def refuse_to_replace(self, out: Path) -> None:
        """Refuse to write over a file that is read."""
        for name, value in self.options.items():
            if isinstance(value, Path) and value.resolve() == out.resolve():
                what = "the pool" if name == "pool" else f"the file of --{name}"
                raise OutputError(f"{out} is {what} itself; give another name with --out.")


def read_calibration(
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
    group: Annotated[str | None, typer.Option(help="Column of the systems compared.")] = None,
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
            help="stack (several models, weighted by labels held out), ridge, hurdle, "
            "hurdle-ridge, ordinal, multinomial, logistic, bounded, forest, log-link or "
            "human-only."
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
    na: Missing = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
) -> Calibrated:
    """Read pool, labels and sample, and calibrate."""
    from bacon.calibration.calibrate import calibrate
    from bacon.io.pools import read_pool
    from bacon.io.samples import read_sample
    from bacon.io.tables import read_table

    one_design(sample=sample, pi=pi, strata=strata)
    ends = None if scale is None else parse_scale(scale)
    missing = tuple(na or ())
    people = LabelOptions(
        label, labels, value, labels_id, rater, tuple(rater_columns or ()), sample
    )
    table = read_table(pool)
    need_roles(table, judges=judges, model=model, has_labels=people.are_given)
    told: tuple[Notice, ...] = ()
    if judge_column is None:
        id_, told = settle_id(
            table, id_, sheet=sample, labels=labels, labels_id=labels_id, embeddings=embeddings
        )
    items = read_pool(
        table,
        judges=names_of(judges, table) or ("judge_*" if has_judges(table) else ()),
        id=id_,
        features=names_of(features, table) or None,
        group=group,
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
    named = (label, value, rater, group, cluster, text, pi, judge_column, run_column)
    used = (*named, *items.feature_names, *(rater_columns or ()))
    told = (*told, *unused_judges(table, judges, filter(None, used)))
    items = replace(items, notices=(*items.notices, *told))
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
    return Calibrated(cal, column, human.source)


def with_calibration(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_calibration` before its own.

    Parameters
    ----------
    command : callable
        Its first argument is a `Reading`: the command checks its own options before it has files
        read.
    """
    return _joined(command, "pool")


def with_pilot(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_calibration`, the pool as --pilot and not required.

    Parameters
    ----------
    command : callable
        Its first argument is a `Reading`, or None where no pilot is given.
    """
    pilot = Annotated[
        Path | None, typer.Option("--pilot", help="File with every item, some of them labelled.")
    ]
    return _joined(command, "pilot", pilot)


def _joined(command: Callable[..., None], name: str, pool: Any = None) -> Callable[..., None]:
    """Return a command with the options of `read_calibration` before its own.

    Parameters
    ----------
    name : str
        What the pool is called.
    pool : type, optional
        The option that names the pool instead of an argument.
    """
    # typer reads a command's options off its signature and knows no groups of them: joined here,
    # they are written once and not in every command.
    shared = {
        (name if one == "pool" else one): parameter
        for one, parameter in inspect.signature(read_calibration).parameters.items()
    }
    own = list(inspect.signature(command).parameters.values())[1:]
    if pool is not None:
        shared[name] = shared[name].replace(name=name, default=None)

    @wraps(command)
    def run(**given: Any) -> None:
        options = {one: value for one, value in given.items() if one in shared}
        rest = {one: value for one, value in given.items() if one not in shared}
        options["pool"] = options.pop(name)
        if options["pool"] is None:
            _refuse_without_pilot(options)
        command(None if options["pool"] is None else Reading(options), **rest)

    hints = {
        **get_type_hints(read_calibration, include_extras=True),
        **{one.name: get_type_hints(command, include_extras=True)[one.name] for one in own},
    }
    if pool is not None:
        hints[name] = pool
    parameters = [
        one.replace(annotation=hints[one.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for one in (*shared.values(), *own)
    ]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {one.name: hints[one.name] for one in parameters}
    return run


def _refuse_without_pilot(options: dict[str, Any]) -> None:
    """Refuse options that say how a pilot is read where there is none."""
    defaults = inspect.signature(read_calibration).parameters
    for name, value in options.items():
        if name != "pool" and value != defaults[name].default and value != []:
            raise InputError(
                f"--{name.strip('_').replace('_', '-')} says how a pilot is read; name the file of "
                "the pilot with --pilot, or assume with --r2, --sd and --items alone."
            )
