"""`bacon monitor`: whether a saved calibration still holds on later items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bacon.cli.ids import settle_id
from bacon.cli.label_options import LabelOptions
from bacon.cli.options import AsJson, IdColumn, Missing
from bacon.cli.output import say, say_json
from bacon.errors import OutputError

__all__ = ["monitor_command"]


def monitor_command(
    calibration: Annotated[
        Path, typer.Argument(metavar="CAL", help="Saved calibration.", show_default=False)
    ],
    pool: Annotated[Path, typer.Argument(help="File with the later items.", show_default=False)],
    label: Annotated[
        str | None, typer.Option(help="Column of the fresh labels in the pool's own file.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="File of the fresh labels, earlier ones among them or not.")
    ] = None,
    value: Annotated[str | None, typer.Option(help="Column of the labels in that file.")] = None,
    labels_id: Annotated[
        str | None, typer.Option(help="Column of the item ids in that file, if another.")
    ] = None,
    rater: Annotated[str | None, typer.Option(help="Column that names the rater.")] = None,
    sample: Annotated[
        Path | None, typer.Option(help="Sheet the labels were drawn with (its labels, too).")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="File that keeps the labels seen, so that all calls share one error."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Shift that does not matter, in SDs of the calibration's errors.")
    ] = 0.2,
    detect: Annotated[
        float, typer.Option(help="Shift in the same SDs that there should be labels to find.")
    ] = 0.7,
    level: Annotated[
        float, typer.Option("--level", help="One minus the chance of any false alarm, ever.")
    ] = 0.95,
    group: Annotated[
        str | None, typer.Option(help="Column of the groups; by default the calibration's.")
    ] = None,
    id_: IdColumn = None,
    embeddings: Annotated[
        Path | None, typer.Option(help="Embeddings: parquet with ids, or .npy.")
    ] = None,
    na: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Hold a saved calibration against later judge scores and fresh labels.

    Exit codes: 0 quiet, 3 drift, 4 not enough labels to tell.
    """
    from bacon.calibration.saved import load_calibration
    from bacon.io.pools import read_pool
    from bacon.io.samples import read_sample
    from bacon.io.tables import read_table
    from bacon.monitor.monitor import Monitor

    people = LabelOptions(label, labels, value, labels_id, rater, (), sample)
    for option, path in (("POOL", pool), ("--labels", labels), ("--sample", sample)):
        if state is not None and path is not None and path.resolve() == state.resolve():
            raise OutputError(f"--state names the file of {option}; give the state its own name.")
    saved = load_calibration(calibration)
    watched = Monitor(saved, state=state, tolerance=tolerance, level=level, detect=detect)
    table = read_table(pool)
    missing, there = tuple(na or ()), table.frame.columns
    roles = saved.monitoring["roles"]

    def kept(name: str | None) -> str | None:
        return name if name in there else None

    judges = [
        one["name"]
        for one in saved.monitoring["judges"]
        if one["name"] in there or any(c.startswith(f"{one['name']}_run") for c in there)
    ]
    id_, told = settle_id(
        table, id_, sheet=sample, labels=labels, labels_id=labels_id, embeddings=embeddings
    )
    items = read_pool(
        table,
        judges=judges,
        id=id_,
        features=[name for name in roles["features"] if name in there] or None,
        group=group or kept(roles["group"]),
        cluster=kept(roles["cluster"]),
        text=kept(roles["text"]),
        embeddings=embeddings,
        label=people.own_columns(table) or None,
        na=missing,
    )
    drawn = None if sample is None else read_sample(sample, pool=items)
    human, column = None, None
    if people.are_given:
        human, column = people.read(items, table, id_, None, missing)
    report = watched.check(items, human, sample=drawn)
    if as_json:
        say_json(report.to_dict())
    else:
        say(report.summary())
    for notice in told:
        say(f"Note: {notice.message}", err=True)
    if column is not None and human is not None:
        say(f"Labels: column {column} of {human.source}; --value names another.", err=True)
    if report.exit_code:
        raise typer.Exit(report.exit_code)
