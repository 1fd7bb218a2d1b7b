"""`bacon demo`: a simulated pool with known truth, from judges to interval."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.output import say

if TYPE_CHECKING:
    from bacon.demo import DemoResult

__all__ = ["demo_command"]


def demo_command(
    seed: Annotated[int, typer.Option(help="Seed of the simulated essays and the draw.")] = 1,
    write: Annotated[
        Path | None, typer.Option(help="Also write the essays as a CSV to try commands on.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
) -> None:
    """Simulate 5,000 essays and three biased judges, label 200, and estimate beside the truth."""
    from bacon.calibration.text import summary_text
    from bacon.checks import check_seed
    from bacon.demo import run_demo
    from bacon.files import write_atomically

    check_seed(seed)
    shown = run_demo(seed=seed)
    cal = shown.calibration
    if write is not None:
        content = shown.table.write_csv().encode()
        # What another page of the documentation wrote already is the same file.
        if not (write.is_file() and write.read_bytes() == content):
            write_atomically(write, content, overwrite=force)
    typer.echo(
        f"{cal.pool.n_items:,} simulated essays, scored 1 to 6. Three AI judges score them all:\n"
        "one is generous and likes long essays, one gives most of them a 4, one is noisy.\n"
        f"People label {cal.n_labels} drawn at random.\n"
    )
    typer.echo(_shares(shown) + "\n")
    typer.echo(summary_text(cal, ("mean",), level=0.95, target="pool"))
    low, high = cal.mean().interval()
    inside = "inside" if low <= shown.truth <= high else "outside"
    typer.echo(
        f"\nThe truth, known here because the essays are simulated: {shown.truth:.3f}, {inside} "
        "BACON's interval."
    )
    if write is not None:
        file = shlex.quote(str(write))
        say(
            f"\nNext:\n  bacon check {file}\n  bacon estimate {file} --label human --judges "
            "'judge_*' --features words --scale 1:6"
        )


def _shares(shown: DemoResult) -> str:
    """Return how often people and each judge give each score, one line each."""
    lines = ["share of each score     1     2     3     4     5     6"]
    for name, scores in shown.scores().items():
        shares = [float((scores == level).sum()) / len(scores) for level in range(1, 7)]
        lines.append(f"{name:<18}" + "".join(f"{share:6.0%}" for share in shares))
    return "\n".join(lines)
