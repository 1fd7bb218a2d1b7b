"""From files of foreign scores to a table of judgements, or to a pool."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.files import check_can_write, write_atomically
from bacon.judges.importers.collect import gather
from bacon.judges.importers.samples import Choices
from bacon.judges.store import Store
from bacon.judges.tables import wide_table, write_judgements

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars as pl

    from bacon.judges.importers.collect import FileRead, Gathered
    from bacon.judges.store_tallies import Counts

__all__ = ["Imported", "import_scores"]

ENDINGS = (".parquet", ".csv")
SAMPLE_ID = "sample_id"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Parameters
    ----------
    files : tuple of FileRead
        What was read of each file.
    judges : dict of str to Counts
        Scores and missing ones of each judge, with the reasons.
    examples : dict of (str, str) to str
        What stood where a score is missing, by judge and reason.
    parts : tuple of str
        What stands before the ids of items, because several logs were read.
    n_items, n_rows : int
        Items, and rows of the table that was written.
    notices : tuple of Notice
        What a reader of the table must know.
    """

    files: tuple[FileRead, ...]
    judges: dict[str, Counts]
    examples: dict[tuple[str, str], str]
    parts: tuple[str, ...]
    n_items: int
    n_rows: int
    notices: tuple[Notice, ...]


def import_scores(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    choices: Choices | None = None,
    wide: bool = False,
    outcome: str | None = None,
    overwrite: bool = False,
) -> Imported:
    """Read scores that other programs wrote, and write them as one table.

    A score that failed or is not there is missing, with the reason, and never 0.

    Parameters
    ----------
    paths : sequence of path
        Logs of inspect-ai, promptfoo, deepeval and lm-evaluation-harness, output of OpenAI's
        batch endpoint, JSON lines and CSV.
    out : path
        A .parquet or .csv file.
    choices : Choices, optional
        Format, names of fields, words that are numbers, the scale, the prompt of a batch.
    wide : bool
        Write one row an item, as :func:`bacon.read_pool` takes it, rather than one row an item,
        judge and run.
    outcome : str, optional
        Which score goes into a wide table, where a judge gives several.
    overwrite : bool
        Whether a file that is there may be replaced.

    Returns
    -------
    Imported
        Counts and notices.

    Raises
    ------
    InputError
        A file or a row cannot be used.
    OutputError
        The table cannot be written.
    """
    where = Path(out)
    if where.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{where.name}: a table is written as {' or '.join(ENDINGS)}; choose one of these "
            "endings."
        )
    check_can_write(where, overwrite=overwrite)
    # Beside the table, where there is room for it.
    with (
        tempfile.TemporaryDirectory(prefix=".bacon-", dir=where.parent) as folder,
        Store.open(Path(folder) / "scores.sqlite") as store,
        (Path(folder) / "spool").open("w+b") as spool,
    ):
        chosen = choices or Choices()
        gathered = gather([Path(path) for path in paths], store, spool, chosen)
        if wide:
            n_rows, told = _write_wide(store, where, gathered, outcome, overwrite=overwrite)
        else:
            n_rows, told = _write_long(store, where, Path(folder), overwrite=overwrite)
        return Imported(
            tuple(gathered.files),
            store.counts(),
            gathered.examples,
            gathered.parts,
            _n_items(store),
            n_rows,
            (*gathered.notices, *_told(gathered, chosen.repeats), *told),
        )


def _write_long(
    store: Store, out: Path, folder: Path, *, overwrite: bool
) -> tuple[int, tuple[Notice, ...]]:
    """Write one row an item, judge and run."""
    import polars as pl

    if out.suffix.lower() == ".parquet":
        written = write_judgements(store, out, overwrite=overwrite)
        return written.n_rows, written.notices
    written = write_judgements(store, folder / "long.parquet")
    _write_frame(pl.read_parquet(folder / "long.parquet"), out, overwrite=overwrite)
    return written.n_rows, written.notices


def _write_wide(
    store: Store, out: Path, gathered: Gathered, outcome: str | None, *, overwrite: bool
) -> tuple[int, tuple[Notice, ...]]:
    """Write one row an item; parts of the ids stand in columns of their own."""
    import polars as pl

    table = wide_table(store, outcome=outcome)
    frame = table.frame
    if gathered.parts:
        ids = frame.columns[0]
        keys = frame[ids].cast(pl.String)
        values = zip(*(gathered.items[key] for key in keys), strict=True)
        names = (*gathered.parts, SAMPLE_ID)
        columns = [pl.Series(n, v, dtype=pl.String) for n, v in zip(names, values, strict=True)]
        frame = pl.DataFrame([frame[ids], *columns, *frame.get_columns()[1:]])
    _write_frame(frame, out, overwrite=overwrite)
    return frame.height, table.notices


def _write_frame(frame: pl.DataFrame, out: Path, *, overwrite: bool) -> None:
    """Write a table by the ending of the file."""
    content = BytesIO()
    if out.suffix.lower() == ".parquet":
        frame.write_parquet(content)
    else:
        frame.write_csv(content)
    write_atomically(out, content.getvalue(), overwrite=overwrite)


def _n_items(store: Store) -> int:
    """Return the number of items that have a score or lack one."""
    with store.snapshot() as connection:
        (found,) = connection.execute("SELECT count(DISTINCT item) FROM answers").fetchone()
    return int(found)


def _told(gathered: Gathered, repeats: str) -> list[Notice]:
    """Tell what was left out, taken as something else, or named anew."""
    told = []
    for file in gathered.files:
        for why, count in file.skipped.items():
            message = (
                f"{file.name}: rows left out: {count:,}, the first of them row "
                f"{file.first[why]:,}: {why}."
            )
            told.append(Notice("rows_skipped", message))
    if gathered.repeats:
        how = "left out" if repeats == "first" else "taken as further runs"
        message = f"Scores of an item, judge and run that came before: {gathered.repeats:,}, {how}."
        told.append(Notice("scores_repeated", message))
    if gathered.parts:
        message = (
            f"Items differ in {' and '.join(gathered.parts)}, which stands before their ids, as in "
            f"{next(iter(gathered.items))!r}."
        )
        told.append(Notice("ids_joined", message))
    return told
