"""Entry point of the `bacon` command: one file per subcommand, errors in one sentence."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from bacon.cli.check import check_command
from bacon.cli.demo import demo_command
from bacon.cli.embed import embed_command
from bacon.cli.estimate import estimate_command
from bacon.cli.import_ import import_command
from bacon.cli.items import items_command
from bacon.cli.judge import judge_command
from bacon.cli.monitor import monitor_command
from bacon.cli.output import say
from bacon.cli.plan import plan_command
from bacon.cli.rank import rank_command
from bacon.cli.replicate import replicate_command
from bacon.cli.sample import sample_command
from bacon.cli.simulate import simulate_command
from bacon.errors import BaconError
from bacon.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="bacon",
    help="What people would say of all items, from AI judges and a few human labels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("check", short_help="Read a results file and say what to run next.")(check_command)
app.command("judge", short_help="Run AI judges over all items, and keep every answer.")(
    judge_command
)
app.command("embed", short_help="Turn texts or images of all items into numbers.")(embed_command)
app.command("sample", short_help="Draw the items people should label.")(sample_command)
app.command("estimate", short_help="Estimate with intervals from labels and judges.")(
    estimate_command
)
app.command("rank", short_help="Rank systems, with the ranks each could hold.")(rank_command)
app.command("items", short_help="Score, interval, rank and flag of every item.")(items_command)
app.command("plan", short_help="How many labels to buy, and where money is best spent.")(
    plan_command
)
app.command("monitor", short_help="Whether a saved calibration still holds on later items.")(
    monitor_command
)
app.command("import", short_help="Scores of other programs as judgements or a pool.")(
    import_command
)
app.command("simulate", short_help="Measure estimates on a pool with every label known.")(
    simulate_command
)
app.command("replicate", short_help="The paper's studies, or the same for your own pool.")(
    replicate_command
)
app.command("demo", short_help="A simulated pool with known truth, start to end.")(demo_command)


def print_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"bacon {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and stop.",
            callback=print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Budgeted human calibration with multiple AI judges."""


def main() -> None:
    """Run the command; exit 1 if the work failed, 2 for bad usage or input."""
    try:
        app()
    except BaconError as error:
        say(f"bacon: {error}", err=True)
        sys.exit(error.exit_code)
    except FileNotFoundError as error:
        typer.echo(f"bacon: {error.filename}: {error.strerror}; give another path.", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain again when closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        typer.echo(f"bacon: the output cannot be written ({error.strerror}).", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
