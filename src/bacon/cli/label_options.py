"""Where `bacon estimate` finds the labels, and who gave them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from bacon.cli.options import names_of
from bacon.errors import InputError, TooFewLabelsError

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.io.tables import Table

__all__ = ["SCORE", "LabelOptions"]

SCORE = "score"
"""Column of the labels in a labelling sheet."""


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """What the options say of the labels.

    Parameters
    ----------
    label : str or None
        Column of the labels in the pool's own file.
    labels : Path or None
        File of the labels.
    value : str or None
        Column of the labels in that file, or in the sheet.
    labels_id : str or None
        Column of the ids there.
    rater : str or None
        Column that names the rater.
    rater_columns : tuple of str
        Columns of raters side by side: names and globs.
    sample : Path or None
        Sheet of the draw.
    """

    label: str | None
    labels: Path | None
    value: str | None
    labels_id: str | None
    rater: str | None
    rater_columns: tuple[str, ...]
    sample: Path | None

    def __post_init__(self) -> None:
        """Refuse options that contradict each other."""
        if self.label is not None and self.labels is not None:
            raise InputError("give --label (a column of the pool) or --labels (a file), not both.")
        if self.label is not None and self.value is not None:
            raise InputError(
                "--value is for the file of --labels or --sample; --label names a column."
            )
        if self.labels_id is not None and not self.is_elsewhere:
            raise InputError(
                "--labels-id is for the file of --labels or --sample; --id names the column of the "
                "pool."
            )
        given = {"--label": self.label, "--value": self.value, "--rater": self.rater}
        beside = next((option for option, value in given.items() if value is not None), None)
        if self.rater_columns and beside is not None:
            raise InputError(
                f"--rater-columns name the labels and who gave them; leave {beside} out."
            )

    @property
    def are_given(self) -> bool:
        """Whether any option says where labels are."""
        return any((self.label, self.labels, self.sample, self.rater_columns))

    @property
    def is_elsewhere(self) -> bool:
        """Whether the labels are in another file than the pool's."""
        return self.label is None and (self.labels is not None or self.sample is not None)

    def own_columns(self, table: Table) -> list[str]:
        """Return the columns of the pool's file that hold labels or raters, so no judges."""
        from bacon.io.roles import resolve_columns

        columns = table.frame.columns
        named = [self.label, self.value if self.labels is None else None, self.rater]
        found = [name for name in named if name is not None and name in columns]
        if self.rater_columns and not self.is_elsewhere:
            found += resolve_columns(
                self._rater_names(table), columns, role="raters", source=table.source
            )
        return found

    def read(
        self, items: Pool, table: Table, id_: str | None, levels: str | None, na: tuple[str, ...]
    ) -> tuple[Labels, str | None]:
        """Return the labels, and the column they were found in where no option names it.

        Parameters
        ----------
        items : Pool
            The pool, read from `table`.
        table : Table
            The pool's own file.
        id_ : str or None
            Column of the ids there, as named.
        levels, na
            Classes and missing values, as named.
        """
        from bacon.io.labels import read_labels
        from bacon.io.sheets import joined
        from bacon.io.tables import Table

        if self.is_elsewhere:
            tables = self._tables()
            source = joined(tables)
            own_id = self.labels_id or (id_ if id_ in source.frame.columns else None)
        else:
            tables = []
            source = Table(items.source, items.table, untyped=table.untyped)
            own_id = items.id_name
        if self.rater_columns:
            columns = self._rater_names(source)
            return read_labels(source, id=own_id, raters=columns, levels=levels, na=na), None
        value = self.label or self.value or self._found(source)
        told = value if self.labels is not None and self.value is None else None
        for table_ in tables if len(tables) > 1 else ():
            # Each alone first, so that what is wrong is told of its own file.
            with suppress(TooFewLabelsError):
                read_labels(table_, id=own_id, value=value, rater=self.rater, levels=levels, na=na)
        human = read_labels(source, id=own_id, value=value, rater=self.rater, levels=levels, na=na)
        return human, told

    def _tables(self) -> list[Table]:
        """Return the file of the labels, or the sheets of all stages of the draw."""
        from bacon.io.sheets import sheets_of
        from bacon.io.tables import read_table

        if self.labels is not None:
            return [read_table(self.labels)]
        return sheets_of(cast("Path", self.sample))

    def _rater_names(self, table: Table) -> list[str]:
        """Return the names and globs of raters side by side, split at commas."""
        return names_of(list(self.rater_columns), table)

    def _found(self, source: Table) -> str:
        """Return the column of the labels that no option names."""
        from bacon.inspection.roles import likely

        if self.labels is None:
            return SCORE
        value = likely(source, "label") or (SCORE if SCORE in source.frame.columns else None)
        if value is None:
            raise InputError(
                f"{source.source}: which column holds the labels? Give --value, one of "
                f"{', '.join(source.frame.columns)}."
            )
        return value
