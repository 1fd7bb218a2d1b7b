"""`bacon sample`: draw the items people should label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.drawing import (
    columns_to_show,
    command,
    drawn_text,
    judges_of,
    made_longer,
    write,
)
from bacon.cli.extending import NextStage, two_stage_design
from bacon.cli.ids import settle_id
from bacon.cli.options import (
    DESIGNS,
    Allocation,
    DrawClusters,
    DrawMethod,
    DrawnBy,
    DrawStrata,
    IdColumn,
    JudgeColumn,
    Missing,
    RunColumn,
    TextColumn,
)
from bacon.cli.output import say
from bacon.errors import InputError, OutputError

if TYPE_CHECKING:
    from bacon.data.notice import Notice
    from bacon.sampling.cluster import ClusterDesign
    from bacon.sampling.probability import ProbabilityDesign
    from bacon.sampling.stratified import StratifiedDesign
    from bacon.sampling.two_stage import TwoStageDesign
    from bacon.sampling.uniform import BernoulliDesign, UniformDesign

    Design = UniformDesign | BernoulliDesign | StratifiedDesign | ProbabilityDesign | ClusterDesign

__all__ = ["chosen_design", "design_of", "sample_command"]


def sample_command(
    pool: Annotated[Path, typer.Argument(help="File with every item.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Labelling sheet to write (CSV).")],
    n: Annotated[
        int | None, typer.Option("-n", help="Items to draw (clusters, for whole clusters).")
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="Share of items to draw.")] = None,
    design: DrawnBy = None,
    strata: DrawStrata = None,
    allocation: Allocation = "proportional",
    draw_clusters: DrawClusters = None,
    pi: Annotated[
        str | None,
        typer.Option(help="Column of inclusion probabilities; -n scales their sum to n."),
    ] = None,
    method: DrawMethod = "systematic",
    judges: Annotated[
        str | None, typer.Option(help="Judge columns, which raters must not see; judge_* if any.")
    ] = None,
    id_: IdColumn = None,
    group: Annotated[
        str | None, typer.Option(help="Column of the systems, which raters must not see.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Column of labels already there; not shown.")
    ] = None,
    text: TextColumn = None,
    judge_column: JudgeColumn = None,
    run_column: RunColumn = None,
    levels: Annotated[
        str | None, typer.Option(help="Classes of judges that answer in words: a,b,c.")
    ] = None,
    na: Missing = None,
    show: Annotated[list[str] | None, typer.Option(help="Columns raters see; repeat.")] = None,
    pilot_rate: Annotated[
        float | None,
        typer.Option(help="Share of items in the pilot of --design two-stage; --rate is of both."),
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(help="Two stages: least share of the average chance for each --group."),
    ] = None,
    extend: Annotated[
        Path | None,
        typer.Option(
            help="Labelled sheet to go on from: its next stage, or with -n a longer sheet."
        ),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="With --extend: file of all labels, if not the sheets.")
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="With --extend: column of the labels; score by default.")
    ] = None,
    hardness: Annotated[
        str | None,
        typer.Option(
            help="With --extend: gamma (default), optimal, logistic, uniform, or COL, a column of "
            "how hard items are."
        ),
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="With --extend: lowest and highest possible label: LO:HI.")
    ] = None,
    embeddings: Annotated[
        Path | None, typer.Option(help="With --extend: embeddings, parquet with ids or .npy.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed; else one is taken and told.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the sheet.")] = False,
) -> None:
    """Draw the items people should label, and write a blind sheet with its design beside it."""
    from bacon.inspection.roles import infer_roles
    from bacon.io.pools import read_pool
    from bacon.io.tables import read_table

    if out.suffix.lower() != ".csv":
        raise InputError(f"{out}: the sheet is a CSV file; give --out a name that ends in .csv.")
    stage = NextStage(extend, labels, value, hardness, scale, embeddings)
    longer = extend is not None and n is not None
    if extend is not None:
        first = {"design": design, "strata": strata, "pi": pi, "pilot_rate": pilot_rate}
        stage.refuse(**first, **({"rate": rate, "least": least} if longer else {}))
    design = design or chosen_design(strata=strata, clusters=draw_clusters, pi=pi)
    if pilot_rate is not None and design == "uniform":
        design = "two-stage"
    plan: Design | TwoStageDesign | None = None
    if extend is None and design == "two-stage":
        plan = two_stage_design(rate, pilot_rate, group=group, least=least)
    elif extend is None:
        plan = design_of(
            design,
            n,
            rate,
            strata=strata,
            allocation=allocation,
            clusters=draw_clusters,
            pi=pi,
            method=method,
        )
    table = read_table(pool)
    if out.resolve() == pool.resolve():
        raise OutputError(f"{out} is the pool itself; give the sheet another name with --out.")
    stage.keep_inputs(out)
    roles = infer_roles(table)
    # Earlier answers and scores are hidden from raters, under whatever name they stand.
    human = (*(label or ()), *roles.of_people)
    named, judges = judges, judges_of(roles) if judges is None else judges
    seen = columns_to_show(roles, text=text, show=show or (), group=group)
    told: tuple[Notice, ...] = ()
    if judge_column is None:
        id_, told = settle_id(table, id_, sheet=extend, labels=labels, embeddings=embeddings)
    missing = tuple(na or ())
    items = read_pool(
        table,
        judges=judges or (),
        id=id_,
        group=group,
        label=human or None,
        text=seen.text,
        judge_column=judge_column,
        run_column=run_column,
        levels=levels,
        na=missing,
        embeddings=embeddings,
        pi=pi if design == "probability" and n is None else None,
    )
    if plan is not None:
        drawn = plan.draw(items, seed=seed, hide=human)
    elif longer:
        drawn = made_longer(stage, items, int(n or 0), seed=seed, hide=human)
    else:
        drawn = stage.draw(
            items,
            table,
            out,
            rate=rate,
            group=group,
            least=least,
            id_=id_,
            levels=levels,
            na=missing,
            seed=seed,
            hide=human,
        )
    more, changed = write(drawn, out, seen, extend if longer else None, overwrite=force)
    reading = {
        "--id": id_,
        "--group": group,
        "--judge-column": judge_column,
        "--run-column": run_column,
        "--levels": levels,
        "--na": na,
    }
    again = command("sample", pool, {"--extend": out, "--judges": named, **reading})
    say(drawn_text(drawn, out, more=more, before=extend, pilot_next=f"{again} --out NEXT.csv"))
    sheet = {"--sample": out, "--judges": judges or "judge_*", "--labels": stage.all_labels(drawn)}
    say(f"Then: {command('estimate', pool, {**sheet, **reading})}")
    notices = (*items.notices, *told, *drawn.notices, *changed, *stage.told(drawn), *seen.notices)
    for notice in notices:
        say(f"Note: {notice.message}", err=True)


def chosen_design(*, strata: str | None, clusters: str | None, pi: str | None) -> str:
    """Return the kind of design that the other options speak of."""
    columns = {"stratified": strata, "cluster": clusters, "probability": pi}
    return next((kind for kind, column in columns.items() if column), "uniform")


def design_of(
    kind: str,
    n: int | None,
    rate: float | None,
    *,
    strata: str | None,
    allocation: str,
    clusters: str | None,
    pi: str | None,
    method: str,
) -> Design:
    """Return the design asked for, refusing options that do not belong to it."""
    from bacon.sampling.cluster import ClusterDesign
    from bacon.sampling.probability import ProbabilityDesign
    from bacon.sampling.stratified import StratifiedDesign
    from bacon.sampling.uniform import BernoulliDesign, UniformDesign

    if kind not in DESIGNS:
        raise InputError(f"--design must be one of {', '.join(DESIGNS)}; got {kind!r}.")
    own = {"uniform": (), "bernoulli": (), "stratified": ("--strata",)} | {
        "probability": ("--pi",),
        "cluster": ("--draw-clusters",),
    }
    given = {"--strata": strata, "--pi": pi, "--draw-clusters": clusters}
    for option, value in given.items():
        if value is not None and option not in own[kind]:
            raise InputError(f"{option} does not go with --design {kind}; leave one of them out.")
        if value is None and option in own[kind]:
            raise InputError(f"--design {kind} needs {option} COLUMN.")
    if n is not None and rate is not None:
        raise InputError("give one of -n and --rate, not both.")
    if (rate is not None) != (kind == "bernoulli") and not (kind == "uniform" and n is None):
        raise InputError(
            "--rate is for --design uniform and bernoulli, and bernoulli needs it; the others "
            "take -n."
        )
    if kind == "uniform":
        return UniformDesign(n=n, rate=rate)
    if kind == "bernoulli":
        if n is not None or rate is None:
            raise InputError("--design bernoulli takes --rate alone; its size is left to chance.")
        return BernoulliDesign(rate)
    if kind == "probability":
        return ProbabilityDesign(pi, n=n, method=method)
    if n is None:
        raise InputError(f"--design {kind} needs -n.")
    if kind == "cluster":
        return ClusterDesign(n, str(clusters))
    return StratifiedDesign(n, str(strata), allocation=allocation)
