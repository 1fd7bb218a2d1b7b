"""`bacon judge`: run the judges of a configuration over its pool."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bacon.cli.options import AsJson
from bacon.cli.output import say, say_json
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.data.notice import Notice
    from bacon.engine.judging import Judging
    from bacon.judges.store import Store
    from bacon.judges.summary import Summary

__all__ = ["judge_command"]

INTERRUPTED = 1
"""Exit code of a run that somebody stopped, or that left calls for the next one."""


def judge_command(
    study: Annotated[
        Path, typer.Argument(help="Folder with bacon.toml, or that file.", show_default=False)
    ],
    judge: Annotated[list[str] | None, typer.Option(help="Only this judge; repeat.")] = None,
    runs: Annotated[int | None, typer.Option(help="Runs of every judge, as the file has.")] = None,
    model: Annotated[str | None, typer.Option(help="Model of every judge.")] = None,
    url: Annotated[str | None, typer.Option(help="Endpoint of every judge.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Most calls in flight of every judge.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds to wait for an answer of every judge.")
    ] = None,
    most_calls: Annotated[
        int | None, typer.Option(help="Budget: calls, those of earlier runs included.")
    ] = None,
    most_tokens: Annotated[
        int | None, typer.Option(help="Budget: tokens read and written.")
    ] = None,
    most_money: Annotated[float | None, typer.Option(help="Budget: money by the prices.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would cost; ask nothing.")
    ] = False,
    fake: Annotated[
        bool, typer.Option("--fake", help="A fake endpoint on this machine in place of all.")
    ] = False,
    retry: Annotated[
        list[str] | None,
        typer.Option(help="Ask again what has no score for this reason (all: any); repeat."),
    ] = None,
    write_batch: Annotated[
        Path | None, typer.Option(help="Write requests for a batch endpoint into this folder.")
    ] = None,
    read_batch: Annotated[
        list[Path] | None, typer.Option(help="Read results of a batch endpoint; repeat.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace requests that stand in the folder already.")
    ] = False,
    proxies: Annotated[
        bool, typer.Option("--proxies", help="Use the proxies that the environment names.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the judges about every item, keep every answer, and write the scores."""
    from bacon.engine.judging import faked, judging
    from bacon.judges.budget import Budget
    from bacon.judges.estimate import dry_run as estimated
    from bacon.judges.fake import FakeEndpoint
    from bacon.judges.store import Store

    _one_of(dry_run=dry_run, write_batch=write_batch, read_batch=read_batch)
    changes: dict[str, Any] = {"runs": runs, "model": model, "url": url, "timeout": timeout}
    changes["concurrency"] = concurrency
    given = {name: value for name, value in changes.items() if value is not None}
    found = judging(study, only=judge or (), changes=given)
    budget = Budget(most_calls, most_tokens, most_money)
    with ExitStack() as stack:
        if fake:
            found = faked(found, stack.enter_context(FakeEndpoint()).url)
        store = stack.enter_context(Store.open(found.store))
        for reason in retry or ():
            _forget(found, store, reason)
        if dry_run:
            for one in estimated(found.specs, found.items, store):
                say(str(one))
            return
        if write_batch is not None:
            _write_batch(found, store, write_batch, force=force)
            return
        if read_batch:
            _read_batch(found, store, read_batch)
            summary = None
        else:
            summary = _run(found, store, budget, proxies=proxies)
        record = _finish(found, store, summary, quiet=as_json)
    if as_json:
        say_json(record)
    if summary is not None and not summary.complete:
        raise typer.Exit(INTERRUPTED)


def _one_of(**given: object) -> None:
    """Refuse two things to do at once."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} are two things to do; give one of them.")


def _run(found: Judging, store: Store, budget: Any, *, proxies: bool) -> Summary:
    """Run the judges with progress on the standard error stream."""
    from bacon.judges.progress import progress_on
    from bacon.judges.runner import run_judges

    return run_judges(
        found.specs,
        found.items,
        store,
        budget=budget,
        progress=progress_on(),
        proxies=proxies,
    )


def _forget(found: Judging, store: Store, reason: str) -> None:
    """Take answers without a score out of the store, so that they are asked again."""
    gone = sum(store.forget(spec.name, None if reason == "all" else reason) for spec in found.specs)
    say(f"To be asked again: {gone:,} calls that had no score ({reason}).", err=True)


def _write_batch(found: Judging, store: Store, folder: Path, *, force: bool) -> None:
    """Write requests for a batch endpoint."""
    from bacon.judges.batch_files import write_batch

    written = write_batch(found.specs, found.items, folder, store=store, overwrite=force)
    for path in written.files:
        say(str(path))
    total, done = sum(written.requests.values()), sum(written.done.values())
    before = f", {done:,} answered before" if done else ""
    say(
        f"{total:,} requests{before}. Send the files to the batch endpoint, then: bacon judge "
        f"{shlex.quote(str(found.folder))} --read-batch RESULTS.jsonl"
    )


def _read_batch(found: Judging, store: Store, paths: list[Path]) -> None:
    """Read results of a batch endpoint."""
    from bacon.judges.batch_results import read_batch

    told = read_batch(paths, found.specs, found.items, store)
    na = sum(sum(reasons.values()) for reasons in told.na.values())
    say(f"Read: {sum(told.ok.values()):,} answers with a score, {na:,} without.")
    for count, what in (
        (told.known, "results of calls that were answered before"),
        (told.repeated, "further results of one call, not used"),
        (told.unknown, f"results of calls that are not asked here (such as {told.unknown_first})"),
    ):
        if count:
            say(f"Note: {count:,} {what}.", err=True)
    for line in told.broken[:10]:
        say(f"Note: {line}", err=True)


def _finish(
    found: Judging, store: Store, summary: Summary | None, *, quiet: bool
) -> dict[str, Any]:
    """Write the tables, and say how the run ended and what to do next."""
    from bacon.engine.tables import write_tables

    counts = store.counts()
    tables = write_tables(found, store) if any(one.ok for one in counts.values()) else None
    notices: tuple[Notice, ...] = (
        *(summary.notices if summary is not None else ()),
        *found.items.notices,
        *store.notices(),
        *(tables.notices if tables is not None else ()),
    )
    if not quiet:
        if summary is not None:
            say(str(summary))
        if tables is not None:
            say(f"Every judgement: {tables.judgements}")
            say(f"The pool with scores: {', '.join(map(str, tables.judged))}")
            say(f"Next: bacon check {shlex.quote(str(tables.judged[0]))}")
        for notice in dict.fromkeys(notices):
            say(f"Note: {notice.message}", err=True)
    spent = store.spent()
    return {
        "schema": "bacon-judge/1",
        "complete": summary is None or summary.complete,
        "judges": [
            {"name": name, "ok": one.ok, "na": one.na, "by_reason": dict(one.by_reason)}
            for name, one in sorted(counts.items())
        ],
        "spent": {"calls": spent.calls, "tokens": spent.tokens, "money": spent.money},
        "judgements": None if tables is None else str(tables.judgements),
        "judged": [] if tables is None else [str(path) for path in tables.judged],
        "warnings": [{"code": one.code, "message": one.message} for one in dict.fromkeys(notices)],
    }
