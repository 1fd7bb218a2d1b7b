"""`bacon replicate`: the paper's studies, and the same for a pool of one's own."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.output import INTERRUPTED, draws_shown, say
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.replication.run import How
    from bacon.replication.study import Study

__all__ = ["replicate_command"]

PUBLISHED = ("persuade", "mqm", "webdesign")
SYNTHETIC = "synthetic"
QUICK_TRIALS = 25
QUICK_BUDGETS = 2


def replicate_command(
    study: Annotated[
        str,
        typer.Argument(
            help="persuade, mqm, webdesign or synthetic; or a folder with bacon.toml, or a .toml "
            "file, with the tables [pool] and [study]."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with the published files of persuade, mqm or webdesign."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of draws, tables, figures and report; by default the study's."),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Draws of each budget.")] = None,
    budget: Annotated[
        list[float] | None, typer.Option(help="Share of the items labelled; repeat.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes; results are the same.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of draws and folds.")] = 0,
    open_questions: Annotated[
        bool,
        typer.Option(
            "--open-questions/--no-open-questions",
            help="Draw what the paper leaves open as well: refit, one model a system, stack, ...",
        ),
    ] = True,
    quick: Annotated[
        bool, typer.Option("--quick", help="25 draws of the smallest and largest budget.")
    ] = False,
) -> None:
    """Run a study of the paper, or of your own pool with a label of every item, and report."""
    from bacon.replication.run import How

    _check(trials, budget, workers)
    how = How(
        trials=QUICK_TRIALS if quick else 200,
        workers=workers,
        seed=seed,
        ask=open_questions,
        say=lambda text: say(text, err=True),
        progress=draws_shown if sys.stderr.isatty() else None,
    )
    try:
        if study == SYNTHETIC:
            _refuse_for_synthetic(data, budget, open_questions=open_questions)
            _run_synthetic(out, how, trials, quick=quick)
            return
        found, folder = _study(study, data, out)
        if budget:
            found = replace(found, budgets=tuple(sorted(set(budget))))
        elif quick and len(found.budgets) > QUICK_BUDGETS:
            found = replace(found, budgets=(found.budgets[0], found.budgets[-1]))
        usual = QUICK_TRIALS if quick else found.trials
        wanted = usual if trials is None else trials
        _run(found, folder, replace(how, trials=wanted))
    except KeyboardInterrupt:
        say("Stopped; the same command goes on where it stopped.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _check(trials: int | None, budgets: list[float] | None, workers: int) -> None:
    """Refuse numbers that make no sense before anything is written."""
    for option, number in (("--trials", trials), ("--workers", workers)):
        if number is not None and number < 1:
            raise InputError(f"{option} must be a whole number from 1 up; got {number}.")
    for share in budgets or ():
        if not 0.0 < share < 1.0:
            raise InputError(
                f"--budget is a share of the items, over 0 and below 1; got {share:g}."
            )


def _refuse_for_synthetic(
    data: Path | None, budgets: list[float] | None, *, open_questions: bool
) -> None:
    """Refuse options that mean nothing to the synthetic study."""
    given = {"--data": data is not None, "--budget": bool(budgets)}
    given["--no-open-questions"] = not open_questions
    named = [option for option, is_given in given.items() if is_given]
    if named:
        raise InputError(
            f"{named[0]} means nothing to {SYNTHETIC}, which draws its own pool over its own "
            "budgets; leave it out."
        )


def _study(study: str, data: Path | None, out: Path | None) -> tuple[Study, Path]:
    """Return the study and the folder that its results go to."""
    from bacon.io.roles import nearest
    from bacon.replication.study import read_study

    prepared = data is None and (Path(study) / "bacon.toml").is_file()
    if study in PUBLISHED and not prepared:
        from bacon.replication.published.prepare import SOURCES, prepare_study

        if data is None:
            raise InputError(
                f"{study}: name the folder of {SOURCES[study].FILES[0]} with --data; it is "
                f"published in {SOURCES[study].WHERE}."
            )
        folder = out or Path(study)
        for line in prepare_study(study, data, folder):
            say(line)
        return read_study(folder), folder / "study"
    source = Path(study)
    if data is not None:
        raise InputError("--data is for persuade, mqm and webdesign; a study names its own file.")
    if not source.exists():
        known = (*PUBLISHED, SYNTHETIC)
        raise InputError(
            f"{study!r} is none of {', '.join(known)}{nearest(study, known)}, and no folder or "
            "file of that name is here."
        )
    if source.is_file() and source.suffix.lower() != ".toml":
        raise InputError(
            f"{study}: a study wants a .toml file with the tables [pool], which names this file, "
            "and [study], which names the columns of labels and judges."
        )
    usual = source / "study" if source.is_dir() else source.with_suffix("")
    return read_study(source), out or usual


def _run(study: Study, folder: Path, how: How) -> None:
    """Run every outcome of a study and write its report."""
    from bacon.files import write_atomically
    from bacon.replication.claims import claims_said
    from bacon.replication.report import report_text
    from bacon.replication.run import LONGEST, run_part
    from bacon.replication.study import REPORT
    from bacon.words import shown

    places = zip(study.parts, study.folders, strict=True)
    parts = [run_part(study, full, folder / name, how) for full, name in places]
    report = folder / REPORT
    write_atomically(report, report_text(study, parts, how).encode(), overwrite=True)
    for part in parts:
        for k, line in enumerate(claims_said(part.claims)):
            say(line if k else f"{shown(part.full.name, LONGEST)}: {line}")
    for notice in dict.fromkeys(
        (*study.notices, *(note for part in parts for note in part.notices))
    ):
        say(f"Note: {notice.message}", err=True)
    say(f"Report: {report}; tables and figures beside it.")


def _run_synthetic(out: Path | None, how: How, trials: int | None, *, quick: bool) -> None:
    """Run the paper's synthetic study of two-stage draws."""
    from bacon.replication.claims import claims_said
    from bacon.replication.synthetic import run_synthetic

    folder = out or Path(SYNTHETIC)
    found = run_synthetic(
        folder,
        trials=trials,
        workers=how.workers,
        seed=how.seed,
        progress=how.progress,
        quick=quick,
    )
    for line in claims_said(found.claims):
        say(line)
    for notice in found.notices:
        say(f"Note: {notice.message}", err=True)
    say(f"Report: {folder / 'report.md'}; {len(found.figures)} figures in {folder / 'figures'}.")
