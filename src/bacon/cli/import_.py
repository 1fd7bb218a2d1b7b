"""`bacon import`: scores that other programs wrote become a table of judgements or a pool."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.joining import join_scores
from bacon.cli.output import say
from bacon.errors import InputError, OutputError
from bacon.files import check_can_write

if TYPE_CHECKING:
    from bacon.judges.importers.importing import Imported
    from bacon.judges.prompt import Prompt

__all__ = ["import_command"]


def import_command(
    files: Annotated[
        list[Path], typer.Argument(help="Logs or tables of scores.", show_default=False)
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The table: .parquet or .csv.", show_default=False)
    ],
    format: Annotated[  # noqa: A002
        str,
        typer.Option(
            help="auto, inspect, promptfoo, deepeval, lm-eval, openai-batch, jsonl or csv."
        ),
    ] = "auto",
    wide: Annotated[
        bool, typer.Option("--wide", help="One row an item, as the other commands take it.")
    ] = False,
    pool: Annotated[
        Path | None,
        typer.Option(help="File with every item: write it with the scores added, one row an item."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Name of the judge, if there is one; else judge_<scorer>.")
    ] = None,
    item_column: Annotated[
        str | None, typer.Option(help="Field that tells the items apart, if not the usual one.")
    ] = None,
    judge_column: Annotated[
        str | None, typer.Option(help="Rows: column that names the judge.")
    ] = None,
    run_column: Annotated[str | None, typer.Option(help="Rows: column with the run.")] = None,
    score_column: Annotated[
        list[str] | None,
        typer.Option(help="Scorers, metrics or columns wanted: names and globs; repeat."),
    ] = None,
    reason_column: Annotated[
        str | None, typer.Option(help="Rows: column that says why a score is missing.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="LO:HI, lowest and highest possible score.")
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(help="WORD=NUMBER, or WORD=na for no score; repeat."),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            help="openai-batch: essay, mqm, webdesign:bank (or another kind), or a TOML file."
        ),
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(help="With --wide: which score, where a judge gives several.")
    ] = None,
    repeats: Annotated[
        str,
        typer.Option(help="An item, judge and run twice: refuse, runs (the next run) or first."),
    ] = "refuse",
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out and count rows that cannot be read.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Write over an existing table.")] = False,
) -> None:
    """Read scores of other programs: inspect-ai, promptfoo, deepeval, lm-eval, batches, rows."""
    from bacon.judges.importers.importing import import_scores
    from bacon.judges.importers.samples import Choices

    choices = Choices(
        item=item_column,
        judge=judge_column,
        run=run_column,
        reason=reason_column,
        scores=tuple(name.strip() for one in score_column or () for name in one.split(",")),
        levels=_levels(level or []),
        scale=_scale(scale),
        prompt=None if prompt is None else _prompt(prompt),
        format=format,
        name=judge,
        repeats=repeats,
        skip_broken=skip_broken,
    )
    if pool is None:
        imported = import_scores(
            files, out, choices=choices, wide=wide, outcome=outcome, overwrite=force
        )
        say(_text(imported, out, wide=wide))
        return
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise InputError(f"--out must end in .parquet or .csv; got {out}.")
    if out.resolve() == pool.resolve():
        raise OutputError(f"{out} is the pool itself; give another name with --out.")
    check_can_write(out, overwrite=force)
    with TemporaryDirectory() as folder:
        scores = Path(folder) / f"scores{out.suffix.lower()}"
        imported = import_scores(files, scores, choices=choices, wide=True, outcome=outcome)
        n_items, told = join_scores(scores, pool, out, overwrite=force)
    say("\n".join([_text(imported, out, wide=True, n_items=n_items), *told]))


def _scale(given: str | None) -> tuple[float, float] | None:
    """Return the ends of the scale."""
    if given is None:
        return None
    try:
        low, high = (float(part) for part in given.split(":"))
    except ValueError:
        low = high = float("nan")
    if not (abs(low) <= 1e150 and abs(high) <= 1e150 and low < high):
        raise InputError(
            f"--scale must be two numbers, the lower first, such as 1:6; got {given!r}."
        )
    return low, high


def _levels(given: list[str]) -> dict[str, float | None]:
    """Return the words that stand for a number, or for no score."""
    levels: dict[str, float | None] = {}
    for one in given:
        word, sign, number = one.rpartition("=")
        try:
            levels[word.strip()] = None if number.strip().lower() == "na" else float(number)
        except ValueError:
            sign = ""
        value = levels.get(word.strip())
        if not sign or not word.strip() or (value is not None and not abs(value) <= 1e150):
            raise InputError(
                f"--level must be WORD=NUMBER or WORD=na, such as good=3; got {one!r}."
            )
    return levels


def _prompt(given: str) -> Prompt:
    """Return the prompt by which the texts of a batch are read."""
    from bacon.judges.prompts import built_in, prompt_from_toml

    if given.endswith(".toml"):
        try:
            return prompt_from_toml(Path(given).read_text(encoding="utf-8"), given)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"--prompt {given} cannot be read ({error}); check the file."
            ) from None
    name, _, kind = given.partition(":")
    return built_in(name, kind=kind) if kind else built_in(name)


def _text(imported: Imported, out: Path, *, wide: bool, n_items: int | None = None) -> str:
    """Return what an import did, in lines."""
    lines = [
        f"{file.name} ({file.format}): {_count(file.samples, 'row')} read"
        + (f", {file.skipped.total():,} left out" if file.skipped else "")
        for file in imported.files
    ]
    width = max(map(len, imported.judges))
    for judge, counts in imported.judges.items():
        line = f"{judge:<{width}}  {_count(counts.ok, 'score')}, {counts.na:,} missing"
        if counts.na:
            line += f" ({'; '.join(_reasons(imported, judge))})"
        lines.append(line)
    what = "one an item" if wide else "one an item, judge and run"
    n_rows = imported.n_rows if n_items is None else n_items
    lines.append(f"Wrote {out}: {_count(n_rows, 'row')}, {what}.")
    if not wide:
        lines.append("With --wide, the table has one row an item, as the other commands take it.")
    elif any(counts.ok for counts in imported.judges.values()):
        lines.append(f"Next: bacon check {out}")
    return "\n".join([*lines, *(f"Note: {notice}" for notice in imported.notices)])


def _count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _reasons(imported: Imported, judge: str) -> list[str]:
    """Return why scores of a judge are missing, each with an example where there is one."""
    told = []
    for reason, count in imported.judges[judge].by_reason.items():
        example = imported.examples.get((judge, reason))
        told.append(f"{reason} {count:,}" + (f", such as {example}" if example else ""))
    return told
