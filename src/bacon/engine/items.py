"""The items of a pool as judges are shown them, read a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.ids import usual_id
from bacon.io.roles import nearest
from bacon.io.tables import check_openable
from bacon.judges.images import MOST_BYTES, SIDE, read_image
from bacon.judges.records import Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

__all__ = ["ItemSource", "item_source"]

UNREADABLE = "an image that cannot be read"

CHUNK = 2_000
"""Items read at a time: what is in memory does not grow with the pool."""


@dataclass(frozen=True, eq=False)
class ItemSource:
    """Where items come from; iterate it as often as needed.

    Parameters
    ----------
    path : Path
        The pool's file.
    id : str or None
        Column of the ids; None numbers the rows from 0.
    columns : dict of str to str
        Field of the prompts to column of the file.
    images : tuple of str
        Columns of image paths.
    n_items : int
        Number of items.
    left_out : frozenset of str
        Ids of items that are not asked about: those that prompts show as examples.
    """

    path: Path
    id: str | None
    columns: Mapping[str, str]
    images: tuple[str, ...]
    n_items: int
    left_out: frozenset[str] = frozenset()
    lacking: dict[str, int] = field(default_factory=dict, repr=False)
    changed: dict[str, int] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items that have every field, in the order of the file.

        `lacking` then counts, by reason, the items that could not be shown, and `changed`, by
        column, the images that are not sent as they are.
        """
        lacking: dict[str, int] = {}
        changed: dict[str, int] = {}
        names = [*self.columns.values(), *self.images, *([self.id] if self.id else [])]
        number = 0
        frame = _scan(self.path).select(list(dict.fromkeys(names)))
        for batch in frame.collect_batches(chunk_size=CHUNK, maintain_order=True):
            for row in batch.iter_rows(named=True):
                name = str(number) if self.id is None else str(row[self.id])
                number += 1
                if name in self.left_out:
                    continue
                item = self._item(name, row, lacking, changed)
                if item is not None:
                    yield item
        # Judges go through the items side by side, each at its own pace: what counts is one pass.
        self.lacking.update(lacking)
        self.changed.update(changed)

    def _item(
        self,
        name: str,
        row: Mapping[str, object],
        lacking: dict[str, int],
        changed: dict[str, int],
    ) -> Item | None:
        """Return an item, None where a field is empty or an image cannot be read."""
        for column in (*self.columns.values(), *self.images):
            if row[column] is None or row[column] == "":
                lacking[f"no {column}"] = lacking.get(f"no {column}", 0) + 1
                return None
        fields = {one: str(row[column]) for one, column in self.columns.items()}
        try:
            pictures = [
                read_image(str(row[column]), folder=self.path.parent) for column in self.images
            ]
        except InputError as error:
            first = next((one for one in lacking if one.startswith(UNREADABLE)), None)
            why = first or f"{UNREADABLE} (the first: {str(error).rstrip('.')})"
            lacking[why] = lacking.get(why, 0) + 1
            return None
        for column, picture in zip(self.images, pictures, strict=True):
            if picture.changed:
                changed[column] = changed.get(column, 0) + 1
        return Item(name, fields, tuple(picture.url for picture in pictures))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Tell of items that could not be shown and images not sent as they are, once iterated."""
        not_shown = [
            Notice(
                "items_not_shown",
                f"{self.path.name}: {count:,} items have {why} and were not judged; their "
                "scores are missing.",
            )
            for why, count in self.lacking.items()
        ]
        changed = [
            Notice(
                "images_changed",
                f"{self.path.name}: {count:,} images of {column} were made smaller, turned upright "
                f"or written anew before judges saw them: at most {SIDE:,} pixels a side and "
                f"{MOST_BYTES // 1_000_000} MB are sent.",
            )
            for column, count in self.changed.items()
        ]
        return (*not_shown, *changed)


def item_source(
    path: Path,
    fields: Sequence[str],
    *,
    id: str | None = None,
    columns: Mapping[str, str] | None = None,
    images: Sequence[str] = (),
    left_out: Sequence[str] = (),
) -> ItemSource:
    """Return the items of a file, after one pass that counts them and checks their ids.

    Parameters
    ----------
    path : Path
        Parquet, CSV, TSV or JSONL.
    fields : sequence of str
        Fields that the prompts name.
    id : str, optional
        Column of the ids; item_id or id by default, else the row numbers.
    columns : mapping, optional
        Field to column, where they have different names.
    images : sequence of str
        Columns of image paths.
    left_out : sequence of str
        Ids of items that are not asked about.

    Raises
    ------
    InputError
        The file or a column is not there, or an id is missing or stands twice.
    """
    import polars as pl

    check_openable(path)
    scanned = _scan(path)
    names = scanned.collect_schema().names()
    found = {one: (columns or {}).get(one, one) for one in fields}
    chosen = usual_id(names) if id is None else id
    for what, name in (*found.items(), *(("an image", name) for name in images)):
        if name not in names:
            raise InputError(
                f"{path.name} has no column {name!r}, which is shown to the judges as {what}"
                f"{nearest(name, names)}; name the column with fields = {{{what} = ...}} in [pool]."
            )
    if chosen is not None and chosen not in names:
        raise InputError(f"{path.name} has no column {chosen!r} of ids{nearest(chosen, names)}.")
    if chosen is None:
        n_items = int(scanned.select(pl.len()).collect().item())
    else:
        n_items = _checked_ids(path, scanned, chosen)
    return ItemSource(path, chosen, found, tuple(images), n_items, frozenset(left_out))


def _checked_ids(path: Path, scanned: pl.LazyFrame, id_: str) -> int:
    """Return the number of items, refusing ids that are missing or stand twice."""
    import polars as pl

    column = scanned.select(pl.col(id_)).collect().to_series()
    if column.dtype.is_float() or column.dtype.is_nested():
        raise InputError(
            f"{path.name}, column {id_}: ids should be whole numbers or text, not {column.dtype}; "
            "convert the column."
        )
    missing = column.is_null()
    if column.dtype == pl.String:
        missing |= (column == "").fill_null(value=True)
    if missing.any():
        row = int(missing.arg_max() or 0) + 1
        raise InputError(f"{path.name} row {row:,}, column {id_}: the id is missing; give one.")
    twice = column.is_duplicated()
    if twice.any():
        row = int(twice.arg_max() or 0)
        raise InputError(
            f"{path.name} row {row + 1:,}, column {id_}: the id {column[row]!r} stands more than "
            "once; give every item its own."
        )
    return len(column)


def _scan(path: Path) -> pl.LazyFrame:
    """Return a file as a lazy frame; CSV cells stay text."""
    import polars as pl

    ending = path.suffix.lower()
    if ending == ".parquet":
        return pl.scan_parquet(path)
    if ending in (".jsonl", ".ndjson"):
        return pl.scan_ndjson(path)
    if ending in (".csv", ".tsv"):
        separator = "\t" if ending == ".tsv" else ","
        return pl.scan_csv(path, separator=separator, infer_schema=False)
    raise InputError(f"{path.name}: judges read parquet, CSV, TSV and JSONL files; convert it.")
