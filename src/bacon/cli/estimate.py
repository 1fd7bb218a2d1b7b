"""`bacon estimate`: the main job in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bacon.cli.calibrating import Reading, with_calibration
from bacon.cli.options import AsJson, ConfidenceLevel, Pooling, TargetOption
from bacon.cli.output import say, say_json
from bacon.cli.requirement import (
    VERDICT_NO,
    VERDICT_OPEN,
    decide,
    parse_requirement,
)
from bacon.cli.stopping import FIXED, check_stop, longer_sheet, looks
from bacon.errors import InputError, OutputError

if TYPE_CHECKING:
    from bacon.calibration import groups
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.intervals import Target
    from bacon.estimation.ranking import Ranking
    from bacon.estimation.vector import Estimates

__all__ = ["estimate_command"]


@with_calibration
def estimate_command(
    read: Reading,
    estimand: Annotated[
        list[str] | None,
        typer.Option(help="mean, sd, variance, quantile:0.5, proportion:ge:4, shares; repeat."),
    ] = None,
    target: TargetOption = "pool",
    level: ConfidenceLevel = 0.95,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="ESTIMAND:ge|le:VALUE; exit 0 if the interval meets it, 3 if not, 4 if open; "
            "repeat for several."
        ),
    ] = None,
    stop_width: Annotated[
        float | None,
        typer.Option(
            help="Stop labelling at this full width (needs --sample): the interval that holds at "
            "every look; exit 0 if it is reached, 4 if not yet."
        ),
    ] = None,
    pooling: Pooling = "pooled",
    regress: Annotated[
        list[str] | None,
        typer.Option(help="Also regress the labels on these columns; commas or repeat."),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(help="Of the regression: linear (default), logistic or poisson."),
    ] = None,
    diagnostics: Annotated[
        bool, typer.Option("--diagnostics", help="Also how far model and judges can be trusted.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Keep the calibration as SAVE.json and SAVE.npz, to watch it."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the calibration of --save.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Estimate what people would say of all items, and of each group, for both targets."""
    from bacon.calibration.groups import check_pooling
    from bacon.calibration.regression_text import regression_lines, regression_record
    from bacon.checks import check_level, check_target

    check_level(level)
    check_target(target)
    check_pooling(pooling)
    check_stop(read, stop_width, target)
    _may_save(save, force=force)
    family = _family_of(regress, family)
    wanted = [parse_requirement(text) for text in require or ()]
    found = read()
    cal = found.cal
    asked = tuple(estimand or ())
    side = cast("Target", target)
    # Before anything is printed, since the estimand may be one that these labels do not have.
    stops = looks(cal, asked, [one.estimand for one in wanted], level=level, width=stop_width)
    verdicts = [
        stops[one.estimand].interval if stops else cal.estimate(one.estimand).interval(level, side)
        for one in wanted
    ]
    stop = next(iter(stops.values()), None)
    ranking, why = _ranked(cal, asked, level=level, target=side, pooling=pooling)
    fit = _regressed(cal, regress, family)
    if save is not None:
        cal.save(save, overwrite=force)
        say(f"Saved: {save} (.json and .npz); bacon monitor watches it.", err=True)
    if as_json:
        record = _with_groups(cal.to_dict(*asked, level=level, target=side), ranking, why)
        if fit is not None:
            own = regression_record(fit, family=family, level=level, target=side)
            record = {**record, "regression": own}
        say_json(record if stop is None else {**record, "anytime": stop.to_dict()})
    else:
        if stop is not None:
            say("\n".join([stop.summary(), *longer_sheet(read, cal, stop), "", FIXED, ""]))
        say(cal.summary(*asked, level=level, target=side))
        _say_groups(ranking, why)
        if fit is not None:
            lines = regression_lines(fit, cal.outcome, family=family, level=level, target=side)
            say("\n" + "\n".join(lines))
    if diagnostics and not as_json:
        first = asked[0] if asked else None
        say(f"\n{cal.diagnostics(first, level=level, target=side).to_text()}")
    found.tell()
    codes = [decide(cal, *pair) for pair in zip(verdicts, wanted, strict=True)]
    if stop is not None and not stop.may_stop:
        codes.append(VERDICT_OPEN)
    # One requirement that fails settles it; else one that is open leaves it open.
    code = next((code for code in (VERDICT_NO, VERDICT_OPEN) if code in codes), 0)
    if code:
        raise typer.Exit(code)


def _may_save(save: Path | None, *, force: bool) -> None:
    """Refuse to write over a calibration before anything is read."""
    for ending in (".json", ".npz"):
        path = None if save is None else save.with_name(save.name + ending)
        if path is not None and path.exists() and not force:
            raise OutputError(
                f"{path} exists already: give another name with --save, or --force to replace it."
            )


def _with_groups(
    record: dict[str, Any], ranking: Ranking | None, why: str | None
) -> dict[str, Any]:
    """Return a result with its groups, or with why there are none."""
    from bacon.calibration.group_record import group_result

    if ranking is not None:
        return group_result(record, ranking)
    return record if why is None else {**record, "groups": None, "groups_reason": why}


def _say_groups(ranking: Ranking | None, why: str | None) -> None:
    """Print the ranking of groups, or why there is none."""
    from bacon.calibration.group_text import group_lines

    if ranking is not None:
        say("\n" + "\n".join(group_lines(ranking)))
    elif why is not None:
        say(f"\nNo ranking of groups: {why}")


def _family_of(columns: list[str] | None, family: str | None) -> str:
    """Return the family of the regression, refusing one that is unknown or without columns."""
    from bacon.estimation.regression import family_called

    if family is not None and not columns:
        raise InputError("--family goes with --regress, which names the columns.")
    return family_called(family or "linear").name


def _regressed(cal: Calibration, columns: list[str] | None, family: str) -> Estimates | None:
    """Return the coefficients of the columns, where any are named."""
    from bacon.io.roles import as_list

    if not columns:
        return None
    known = cal.pool.table.columns
    names = [name for one in columns for name in as_list(one, known)]
    if not names:
        raise InputError("--regress names no column.")
    return cal.regression(names, family=family)


def _ranked(
    cal: Calibration, asked: tuple[str, ...], *, level: float, target: Target, pooling: str
) -> tuple[Ranking | None, str | None]:
    """Return the groups by the first estimand, where a column of groups is named.

    What the pool's estimate says stands without them: where they cannot be ranked, the reason
    comes back.
    """
    if cal.pool.group is None:
        return None, None
    try:
        ranking = cal.rank(
            estimand=asked[0] if asked else None,
            level=level,
            target=target,
            pooling=cast("groups.Pooling", pooling),
        )
    except InputError as error:
        return None, str(error)
    return ranking, None
