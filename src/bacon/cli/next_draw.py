"""The draw that a plan ends in, and what becomes of the pilot's labels in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from bacon.cli.drawing import command

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.cli.calibrating import Reading
    from bacon.data.sample import Sample
    from bacon.planning.plan import Plan

__all__ = ["next_lines"]


class Drawable(Protocol):
    """What a plan found, as `bacon sample` draws it."""

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw what is planned."""
        ...


def next_lines(read: Reading | None, plan: Plan, found: Drawable | None) -> list[str]:
    """Return the command to run next, with every option of the user that it takes as well.

    Parameters
    ----------
    read : Reading or None
        How the pilot was read; None for an assumption.
    plan : Plan
        The plan.
    found : Drawable or None
        What was asked of it first.
    """
    from bacon.inspection.suggestion import free_sheet
    from bacon.io.samples import read_sample

    if read is None:
        n = min(80, plan.n_items)
        return ["Next, a pilot:", f"  bacon sample POOL -n {n} --out {free_sheet()}"]
    if found is None:
        return []
    drawn = found.draw_options()
    sheet: Path | None = read.options["sample"]
    sample = None if sheet is None else read_sample(sheet)
    pilot = f"the {plan.n_pilot:,} labels of the pilot"
    plain = len(drawn) == 2  # -n alone
    n = int(drawn[1]) if plain else 0
    if plain and n <= plan.n_pilot:
        return [f"Nothing more to draw: {pilot} are as many. Estimate with them."]
    if plain and sample is not None and sample.kind == "uniform" and n <= sample.n_drawn:
        return [
            f"Next, {n - plan.n_pilot:,} more labels in {sheet}, which has "
            f"{sample.n_drawn - plan.n_pilot:,} items left: {pilot} count."
        ]
    if plain and sheet is not None and sample is not None and is_extendable(sample, n):
        options = {**read.for_sample(), "-n": n, "--extend": sheet, "--out": free_sheet(sheet)}
        return [
            f"Next, the sheet of the pilot made longer: {pilot} count in it, and "
            f"{n - plan.n_pilot:,} more are to be labelled and paid for:",
            f"  {command('sample', read.options['pool'], options)}",
        ]
    options = {**read.for_sample(), **_like_the_pilot(read, sample, drawn, plan.n_items)}
    options |= {"--out": free_sheet()}
    return [
        f"Next, a new draw: {pilot} do not count in it, so every label of it is to be paid for"
        f"{_instead(sample, sheet)}:",
        f"  {command('sample', read.options['pool'], options)}",
    ]


def is_extendable(sample: Sample, n: int) -> bool:
    """Whether a sheet of `n` items in all can go on from this draw."""
    return (
        sample.kind == "uniform"
        and sample.parameters.get("design") != "two-stage"
        and n > sample.n_drawn
    )


def _instead(sample: Sample | None, sheet: Path | None) -> str:
    """Say how to have the labels of a pilot count, where its sheet can go on."""
    if sample is None or sample.kind != "uniform":
        return ""
    return f" (a draw without strata, bacon sample -n N --extend {sheet}, would keep them)"


def _like_the_pilot(
    read: Reading, sample: Sample | None, drawn: list[str], n_items: int
) -> dict[str, object]:
    """Return the options of the draw; of -n alone, by the design of the pilot.

    The plan holds for more of the same draw, and so must be the command.
    """
    options: dict[str, object] = dict(zip(drawn[::2], drawn[1::2], strict=True))
    if list(options) != ["-n"]:
        return options
    if sample is None:
        return {**options, "--strata": read.options["strata"], "--pi": read.options["pi"]}
    own, n = sample.parameters, int(drawn[1])
    if sample.n_clusters is not None:
        each = sample.n_drawn / sample.n_clusters
        return {"-n": math.ceil(n / each), "--draw-clusters": sample.cluster_column}
    by_kind: dict[str, dict[str, object]] = {
        "stratified": {"--strata": own.get("strata"), "--allocation": own.get("allocation")},
        "systematic": {"--pi": own.get("pi"), "--method": "systematic"},
        "poisson": {"--pi": own.get("pi"), "--method": "poisson"},
    }
    if sample.kind == "bernoulli":
        return {"--design": "bernoulli", "--rate": f"{n / n_items:.4g}"}
    return {**options, **by_kind.get(sample.kind, {})}
