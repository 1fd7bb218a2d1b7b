"""`bacon simulate`: configurations measured on a pool whose every label is known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.options import (
    Allocation,
    DrawClusters,
    DrawMethod,
    DrawnBy,
    DrawStrata,
    IdColumn,
    Missing,
    TextColumn,
    names_of,
)
from bacon.cli.output import INTERRUPTED, draws_shown, say
from bacon.cli.simulated_designs import designs_of
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Plan
    from bacon.experiments.run import Measured

__all__ = ["simulate_command"]

SIMULATED = "sim:"
"""What the name of a simulator begins with, in place of a file."""


def simulate_command(
    pool: Annotated[
        str,
        typer.Argument(
            help="File whose every item has a label, or sim:ordinal, sim:mqm, sim:lognormal, "
            "sim:binary, sim:noise.",
            show_default=False,
        ),
    ],
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    judges: Annotated[
        list[str] | None, typer.Option(help="Judge columns: names and globs; judge_* if any.")
    ] = None,
    n: Annotated[list[int] | None, typer.Option("-n", help="Labels drawn; repeat.")] = None,
    rate: Annotated[
        list[float] | None, typer.Option("--rate", help="Share of items drawn; repeat.")
    ] = None,
    design: DrawnBy = None,
    strata: DrawStrata = None,
    allocation: Allocation = "proportional",
    draw_clusters: DrawClusters = None,
    pi: Annotated[str | None, typer.Option(help="Column of inclusion probabilities.")] = None,
    method: DrawMethod = "systematic",
    pilot_rate: Annotated[
        float | None,
        typer.Option(help="Share of items in the pilot of --design two-stage; --rate is of both."),
    ] = None,
    pilot_model: Annotated[
        str | None, typer.Option(help="Model that learns from the pilot; ridge by default.")
    ] = None,
    hardness: Annotated[
        str | None,
        typer.Option(help="gamma, optimal, logistic or uniform: how it learns; gamma by default."),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            help="human-only, raw-judges, ppi++, paper, in-sample, bacon, a model such as ridge, "
            "or NAME:model=ridge,crossfit=refit; repeat. human-only is always there."
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            help="SETTING=VALUE,VALUE: every configuration with each value, such as folds=2,5,10; "
            "repeat."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="Draws of each design.")] = 200,
    precise: Annotated[
        bool,
        typer.Option(
            "--precise",
            help="Draw on until 99 % Monte Carlo errors are 0.015 (coverage) and 0.03 (ratios).",
        ),
    ] = False,
    max_trials: Annotated[
        int | None, typer.Option(help="Most draws with --precise; 4000 by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes; results are the same.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps draws and results; the same command goes on there."),
    ] = None,
    again: Annotated[
        list[str] | None, typer.Option(help="Configuration to draw again from the start; repeat.")
    ] = None,
    id_: IdColumn = None,
    embeddings: Annotated[
        Path | None, typer.Option(help="Embeddings: parquet with ids, or .npy.")
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option(help="Further numeric columns to use; repeat.")
    ] = None,
    text: TextColumn = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of what items share (prompt, document).")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column of the systems: estimate each of them too.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="Lowest and highest possible label: LO:HI.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Classes in words, in order: a,b,c.")] = None,
    outcome: Annotated[str, typer.Option(help="Kind of outcome, as in estimate.")] = "auto",
    estimand: Annotated[
        list[str] | None, typer.Option(help="mean, sd, quantile:0.5, proportion:ge:4; repeat.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    fresh_pools: Annotated[
        bool,
        typer.Option(
            "--fresh-pools",
            help="A new pool in every draw, for the population: simulated, or drawn from the file "
            "with replacement (by --cluster).",
        ),
    ] = False,
    na: Missing = None,
) -> None:
    """Draw labels again and again from a pool with all of them, and hold estimates to the truth."""
    from bacon.cli.calibrating import parse_scale
    from bacon.experiments.plan import Plan
    from bacon.experiments.run import Precision, simulate
    from bacon.experiments.sweeps import parse_sweeps, swept
    from bacon.experiments.system_tables import write_systems
    from bacon.experiments.text import summary_text

    if again and out is None:
        raise InputError("--again goes with --out, the folder whose draws are to be made again.")
    if max_trials is not None and not precise:
        raise InputError("--max-trials goes with --precise; without it --trials says how many.")
    if not n and not rate:
        raise InputError("how many labels? Give -n NUMBER or --rate SHARE, several if you like.")
    designs = designs_of(
        design,
        [*((one, None) for one in n or ()), *((None, one) for one in rate or ())],
        columns={"strata": strata, "clusters": draw_clusters, "pi": pi},
        settings={"allocation": allocation, "method": method},
        stages={"pilot_rate": pilot_rate, "pilot_model": pilot_model, "hardness": hardness},
    )
    ends = None if scale is None else parse_scale(scale)
    if pool.startswith(SIMULATED):
        full = _simulated(
            pool,
            estimand,
            ends,
            **{"label": label, "group": group, "judges": judges, "cluster": cluster, "text": text},
            **{
                "id": id_,
                "embeddings": embeddings,
                "features": features,
                "levels": levels,
                "na": na,
            },
        )
    else:
        full = _read(
            Path(pool),
            label,
            judges=judges,
            id_=id_,
            embeddings=embeddings,
            features=features,
            text=text,
            cluster=cluster,
            group=group,
            scale=ends,
            levels=levels,
            na=na,
        )
    sweeps = parse_sweeps(sweep or ())
    most = {} if max_trials is None else {"max_trials": max_trials}
    plan = Plan(
        full,
        designs,
        swept(tuple(dict.fromkeys(["human-only", *(config or ["bacon"])])), sweeps),
        estimands=tuple(dict.fromkeys(estimand or full.default_estimands())),
        level=level,
        outcome=outcome,
        seed=seed,
        by_group=group is not None,
        fresh=fresh_pools,
    )
    try:
        measured = simulate(
            plan,
            trials=trials,
            workers=workers,
            out=out,
            precision=Precision(**most) if precise else None,
            again=again or (),
            progress=draws_shown if sys.stderr.isatty() else None,
        )
    except KeyboardInterrupt:
        kept = "; the same command goes on where it stopped" if out is not None else ""
        say(f"Stopped{kept}.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    say(summary_text(measured, level=level))
    for notice in (*full.pool.notices, *measured.notices):
        say(f"Note: {notice.message}", err=True)
    if out is not None:
        say(f"Single draws: {out / 'results.parquet'}; these figures: {out / 'summary.parquet'}.")
        systems = write_systems(measured, out)
        if systems:
            say(f"System by system: {', '.join(str(out / name) for name in systems)}.")
        drawn = _drawn(plan, measured, sweeps, out / "figures")
        say(f"Drawn, in {out / 'figures'}: {', '.join(drawn)}.")


def _drawn(
    plan: Plan, measured: Measured, sweeps: dict[str, tuple[str, ...]], folder: Path
) -> tuple[str, ...]:
    """Draw all figures into a folder and return their names."""
    from bacon.experiments.figure_set import draw_figures, draw_sweeps, shares_of
    from bacon.files import make_folder

    make_folder(folder)
    shares = shares_of(plan, measured)
    files, notices = draw_figures(measured, plan.full, shares, folder, level=plan.level)
    for notice in notices:
        say(f"Note: {notice.message}", err=True)
    return files + draw_sweeps(measured, sweeps, folder, level=plan.level)


def _simulated(
    pool: str, estimand: list[str] | None, scale: tuple[float, float] | None, **columns: object
) -> FullPool:
    """Return a simulated pool, refusing columns of a file."""
    from bacon.experiments.simulators import simulated_pool

    given = [f"--{name}" for name, value in columns.items() if value]
    if given:
        raise InputError(f"{pool} brings its own columns; leave {given[0]} out.")
    return simulated_pool(pool.removeprefix(SIMULATED), estimands=estimand or ["mean"], scale=scale)


def _read(
    path: Path,
    label: str | None,
    *,
    judges: list[str] | None,
    id_: str | None,
    embeddings: Path | None,
    features: list[str] | None,
    text: str | None,
    cluster: str | None,
    group: str | None,
    scale: tuple[float, float] | None,
    levels: str | None,
    na: list[str] | None,
) -> FullPool:
    """Read a file with the label of every item."""
    from bacon.cli.needed import has_judges, refuse_unnamed_judges
    from bacon.experiments.full_pool import full_pool
    from bacon.inspection.roles import likely
    from bacon.io.pools import read_pool
    from bacon.io.tables import Table, read_table

    table = read_table(path)
    if label is None:
        found = likely(table, "label")
        hint = f": column {found} looks like them, add --label {found}" if found else ""
        raise InputError(f"{table.source}: no labels named; give --label COLUMN{hint}.")
    unnamed = not judges and not has_judges(table)
    if unnamed and (looking_so := likely(table, "judges")) is not None:
        refuse_unnamed_judges(table, looking_so)
    items = read_pool(
        table,
        judges=names_of(judges, table) or (() if unnamed else "judge_*"),
        id=id_,
        features=names_of(features, table) or None,
        text=text,
        cluster=cluster,
        group=group,
        embeddings=embeddings,
        label=label,
        levels=levels,
        na=tuple(na or ()),
    )
    own = Table(items.source, items.table, untyped=table.untyped)
    return full_pool(items, own, label=label, scale=scale, levels=levels, na=tuple(na or ()))
