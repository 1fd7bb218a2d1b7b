"""A study's folder from published files: the items, and bacon.toml for judges and study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.experiments.store import parquet
from bacon.files import make_folder, write_atomically, write_together
from bacon.replication.published import mqm, persuade, webdesign
from bacon.replication.published.configs import CONFIGS
from bacon.replication.study import CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.replication.published.items import Items

__all__ = ["READERS", "SOURCES", "prepare_study"]

ITEMS = "items.parquet"
SHOWN = "screenshot"
IMAGES = "screenshots"
"""Folder that images are copied to: judges are shown none from outside of the study's folder."""

SOURCES = {"persuade": persuade, "mqm": mqm, "webdesign": webdesign}
"""Study -> module that reads its files, and says what they are called and where they are."""

READERS: dict[str, Callable[[Path], Items]] = {
    name: source.read_items for name, source in SOURCES.items()
}


def prepare_study(study: str, data: Path, folder: Path) -> list[str]:
    """Write the items and, where there is none yet, the configuration; return what to tell.

    Parameters
    ----------
    study : str
        persuade, mqm or webdesign.
    data : Path
        Folder of the published files.
    folder : Path
        Folder of the study; made where it is not there. A bacon.toml in it is kept.

    Raises
    ------
    InputError
        A published file is missing or not as published.
    OutputError
        The folder cannot be written.
    """
    items = READERS[study](data)
    make_folder(folder)
    table, told = _with_images(items.table, folder)
    write_together({folder / ITEMS: parquet(table)}, overwrite=True)
    told = [f"{study}: {table.height:,} items in {folder / ITEMS}.", *told]
    told += [f"  {check.text}" for check in items.checks]
    told += [f"Note: {notice.message}" for notice in items.notices]
    config = folder / CONFIG
    if config.exists():
        told.append(f"{config} is there already and is kept.")
    else:
        write_atomically(config, CONFIGS[study].encode())
        told.append(
            f"{config}: the paper's judges and embeddings. Set the addresses and keys, then: "
            f"bacon judge {folder}; bacon embed {folder}; bacon replicate {folder}"
        )
    return told


def _with_images(table: pl.DataFrame, folder: Path) -> tuple[pl.DataFrame, list[str]]:
    """Return the items with images of the study's own folder, copied there where they are not."""
    import polars as pl

    if SHOWN not in table.columns:
        return table, []
    home = folder.resolve()
    paths = [Path(path) for path in table[SHOWN]]
    outside = {path for path in paths if not path.is_relative_to(home)}
    if outside:
        make_folder(home / IMAGES)
    for path in outside:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} cannot be opened: {error.strerror}.") from None
        write_atomically(home / IMAGES / path.name, content, overwrite=True)
    names = [
        f"{IMAGES}/{path.name}" if path in outside else path.relative_to(home).as_posix()
        for path in paths
    ]
    table = table.with_columns(pl.Series(SHOWN, names, dtype=pl.String))
    copied = f"  {len(outside):,} screenshots copied to {folder / IMAGES}"
    return table, [copied] if outside else []
