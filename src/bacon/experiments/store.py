"""The folder of an experiment: draws made so far, in parts that are each whole or absent.

::

    DIR/experiment.json                     what the draws depend on, and each configuration
    DIR/draws/<design>/<configuration>/     trials 0-49, 50-99, ...: results and timing
    DIR/results.parquet, timing.parquet, summary.parquet
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.errors import InputError, OutputError
from bacon.experiments.plan import design_name
from bacon.experiments.schema import results_schema, timing_schema
from bacon.files import make_folder, slug, write_atomically, write_together
from bacon.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from bacon.experiments.configurations import Named
    from bacon.experiments.plan import Design, Plan

__all__ = ["CHUNK", "RECORD", "Store", "open_store"]

SCHEMA = "bacon-experiment/1"
RECORD = "experiment.json"
CHUNK = 25
"""Trials of one part."""


@dataclass(frozen=True)
class Store:
    """The folder of an experiment.

    Parameters
    ----------
    path : Path
        The folder.
    notices : tuple of Notice
        What a reader of its draws must know.
    """

    path: Path
    notices: tuple[Notice, ...] = ()

    def folder(self, design: Design, configuration: Named) -> Path:
        """Return where the draws of a design and configuration stand."""
        return self.path / "draws" / slug(design_name(design)) / slug(configuration.name)

    def has(self, design: Design, configuration: Named, start: int) -> bool:
        """Whether the part that begins with trial `start` is there, results and timing."""
        folder = self.folder(design, configuration)
        return all((folder / f"{before}{_part(start)}").is_file() for before in ("", "timing-"))

    def write(
        self,
        design: Design,
        configuration: Named,
        start: int,
        *,
        results: pl.DataFrame,
        timing: pl.DataFrame,
    ) -> None:
        """Keep a part; the results appear last, so that what has results is whole."""
        folder = self.folder(design, configuration)
        make_folder(folder)
        contents = {
            folder / f"timing-{_part(start)}": parquet(timing),
            folder / _part(start): parquet(results),
        }
        write_together(contents, overwrite=True)

    def read(
        self,
        design: Design,
        configuration: Named,
        n_trials: int | None,
        *,
        timing: bool = False,
    ) -> pl.DataFrame:
        """Return the first `n_trials` trials of a design and configuration, all where None.

        All are those before the first part that is not there.
        """
        import polars as pl

        starts: Iterable[int] = itertools.takewhile(
            lambda start: self.has(design, configuration, start), itertools.count(0, CHUNK)
        )
        if n_trials is not None:
            starts = range(0, n_trials, CHUNK)
        folder = self.folder(design, configuration)
        before = "timing-" if timing else ""
        empty = pl.DataFrame(schema=timing_schema() if timing else results_schema())
        whose = {"design": design_name(design), "configuration": configuration.name}
        parts = [
            _draws(folder / f"{before}{_part(start)}", empty, start, whose) for start in starts
        ]
        table = pl.concat([empty, *parts])
        return table if n_trials is None else table.filter(pl.col("trial") < n_trials)

    def finish(self, **tables: pl.DataFrame) -> None:
        """Write the tables of the whole experiment."""
        contents = {self.path / f"{name}.parquet": parquet(table) for name, table in tables.items()}
        write_together(contents, overwrite=True)


def _draws(path: Path, empty: pl.DataFrame, start: int, whose: dict[str, str]) -> pl.DataFrame:
    """Read a part, refusing a file that holds anything but its own trials."""
    import polars as pl

    try:
        found = pl.read_parquet(path.read_bytes())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unusable(path, str(error).split("\n", maxsplit=1)[0]) from None
    if found.schema != empty.schema:
        raise _unusable(path, "it has other columns than draws have")
    trials = set(found["trial"].to_list())
    if trials != set(range(start, start + CHUNK)) or any(
        set(found[name].to_list()) != {value} for name, value in whose.items()
    ):
        raise _unusable(path, "it holds other draws than its name and folder say")
    return found


def _unusable(path: Path, reason: str) -> InputError:
    """Return the error for a part that cannot be used."""
    return InputError(f"{path} cannot be read ({reason}); delete it, and its draws are made again.")


def parquet(table: pl.DataFrame) -> bytes:
    """Return a table as the bytes of a parquet file."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _part(start: int) -> str:
    """Return the file name of the part that begins with trial `start`."""
    return f"{start:06d}-{start + CHUNK - 1:06d}.parquet"


def open_store(
    path: Path, plan: Plan, *, again: Sequence[str] = (), reading: bool = False
) -> Store:
    """Open the folder of an experiment, new or begun earlier.

    Parameters
    ----------
    path : Path
        The folder; made where it is not there.
    plan : Plan
        The experiment.
    again : sequence of str
        Configurations whose draws are thrown away and made again.
    reading : bool
        Leave the folder as it is.

    Raises
    ------
    InputError
        The folder holds draws of another experiment, or of a configuration that has since
        been changed.
    OutputError
        The folder cannot be made, or holds other things.
    """
    unknown = sorted({*again} - {one.name for one in plan.named})
    if unknown:
        raise InputError(f"no configuration is called {unknown[0]}, so it cannot be made again.")
    record = path / RECORD
    try:
        make_folder(path)
        if not record.exists() and any(path.iterdir()):
            raise OutputError(f"{path} holds other files; name a new folder for the experiment.")
    except OSError as error:
        raise OutputError(
            f"{path} cannot be made ({error.strerror}); name another folder."
        ) from None
    now: dict[str, Any] = {"schema": SCHEMA, "version": __version__, **plan.record()}
    then = _read(record, now) if record.exists() else Known({}, {}, {})
    for name in again:
        then.configurations.pop(name, None)
        then.programs.pop(name, None)
        for folder in _drawn(path, name):
            shutil.rmtree(folder)
    for one in plan.named:
        if not _drawn(path, one.name):
            # Named in a run that ended before its first draw: nothing there depends on it.
            then.configurations.pop(one.name, None)
            then.programs.pop(one.name, None)
        if then.configurations.setdefault(one.name, one.identity) != one.identity:
            raise InputError(
                f"{path}: configuration {one.name} was drawn with other arguments; give it another "
                f"name, or make its draws again with --again {one.name}."
            )
    for name, columns in plan.drawn_by().items():
        if then.designs.setdefault(name, columns) != columns:
            raise InputError(
                f"{path}: the column that {name} draws by has changed since; name another folder."
            )
    for known in (then.configurations, then.designs):
        _refuse_alike(path, known)
    program = program_digest()
    names = [one.name for one in plan.named]
    older = [name for name in names if then.programs.setdefault(name, program) != program]
    if not reading:
        text = json.dumps({**now, **asdict(then)}, indent=1, ensure_ascii=False)
        write_atomically(record, text.encode(), overwrite=True)
    return Store(path, _older_notice(older))


def _drawn(path: Path, name: str) -> list[Path]:
    """Return the folders that draws of a configuration stand in."""
    return list((path / "draws").glob(f"*/{slug(name)}"))


def _refuse_alike(path: Path, names: Iterable[str]) -> None:
    """Refuse two names that would share a folder, also where case is not told apart."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(slug(name).casefold(), name)
        if other != name:
            raise InputError(
                f"{path}: {other!r} and {name!r} would share a folder; give one another name."
            )


@dataclass(frozen=True)
class Known:
    """What the record of an experiment knows of its parts, by their names.

    Parameters
    ----------
    designs : dict
        Fingerprint of the columns a design draws by.
    configurations : dict
        Arguments of a configuration.
    programs : dict
        Fingerprint of the program when the configuration was first drawn.
    """

    designs: dict[str, str]
    configurations: dict[str, str]
    programs: dict[str, str]


def program_digest() -> str:
    """Return a fingerprint of this package's own files, but for what talks to people."""
    package = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(package.rglob("*.py")):
        if file.relative_to(package).parts[0] not in ("cli", "inspection"):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _older_notice(names: Sequence[str]) -> tuple[Notice, ...]:
    """Tell of configurations that were drawn before the program changed."""
    if not names:
        return ()
    return (
        Notice(
            "program_changed",
            f"Draws of {', '.join(names)} were begun with another state of this program, and are "
            f"kept; make them again with --again {names[0]} if the change bears on them.",
        ),
    )


def _read(record: Path, now: dict[str, Any]) -> Known:
    """Return what is on record, refusing the record of another experiment."""
    try:
        then = json.loads(record.read_bytes())
        known = Known(*(dict(then[one.name]) for one in fields(Known)))
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError(
            f"{record} is not the record of an experiment; name another folder."
        ) from None
    for key, value in now.items():
        if then.get(key) != value:
            raise InputError(
                f"{record.parent} holds an experiment with another {key} "
                f"({then.get(key)!r}, here {value!r}), and draws are never mixed; name another "
                "folder."
            )
    return known
