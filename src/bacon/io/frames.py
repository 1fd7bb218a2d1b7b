"""pandas, pyarrow and polars frames, dicts of columns and lists of dicts, as polars frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import InputError
from bacon.io.tables import READABLE, Table, repeated_name

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["from_columns", "from_frame", "from_records", "from_values", "plain", "to_backend"]

LARGEST_WHOLE = 10**300
"""Whole numbers beyond this have no floating-point value."""

NO_VALUE = ("NoneType", "NAType", "NaTType")
"""Types whose values mean missing, by name, because pandas is never imported here."""


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with categories as text, so that a column has one of few types."""
    import polars as pl
    import polars.selectors as cs

    return frame.with_columns((cs.categorical() | cs.enum()).cast(pl.String))


def from_frame(source: Any) -> Table:
    """Take a pandas, polars or pyarrow frame.

    Raises
    ------
    InputError
        If `source` is no such frame or a column name stands twice.
    """
    import narwhals as nw

    kind = type(source).__name__
    try:
        frame = nw.from_native(_with_index(source), eager_only=True)
    except nw.exceptions.DuplicateError:
        raise repeated_name(_native_names(source), f"The {kind}") from None
    except TypeError:
        lazy = "; call .collect() on it first" if hasattr(source, "collect") else ""
        raise InputError(
            f"A {kind} is no table{lazy}; give a path ({READABLE}), a pandas, polars or pyarrow "
            "frame, a dict of columns or a list of dicts."
        ) from None
    library = frame.implementation.name.lower()
    backend = library if library in ("pandas", "pyarrow") else "polars"
    name = f"{library} frame"
    if frame.implementation.is_pandas_like():
        import polars as pl

        return Table(name, pl.DataFrame([_pandas_column(c) for c in frame.iter_columns()]), backend)
    return Table(name, plain(frame.to_polars()), backend)


def _native_names(source: Any) -> list[str]:
    """Return the column names of a pyarrow or pandas frame."""
    names = source.column_names if hasattr(source, "column_names") else source.columns
    return [str(name) for name in names]


def _with_index(source: Any) -> Any:
    """Return a pandas frame with its named index as columns; anything else as it is."""
    index_names = getattr(getattr(source, "index", None), "names", None)
    if index_names is not None and any(name is not None for name in index_names):
        return source.reset_index()
    return source


def _pandas_column(column: nw.Series[Any]) -> pl.Series:
    """Return a pandas column as polars has it, without the help of pyarrow."""
    import polars as pl

    name = str(column.name)
    if column.dtype.is_numeric() and not column.is_null().any():
        return pl.Series(name, np.ascontiguousarray(column.to_numpy()))
    if column.dtype.is_float():
        values = column.to_numpy().astype(np.float64)
        return pl.Series(name, values, nan_to_null=True)
    return from_values(name, column.to_list(), "The pandas frame")


def from_columns(source: Mapping[Any, Any]) -> Table:
    """Take a dict of columns: lists, numpy vectors or series, all of one length.

    Raises
    ------
    InputError
        If a value is no column or the lengths differ.
    """
    import polars as pl

    name = "dict of columns"
    columns = [_column(str(key), values, name) for key, values in source.items()]
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise repeated_name(names, f"The {name}")
    if len({len(column) for column in columns}) > 1:
        told = ", ".join(f"{column.name} {len(column):,}" for column in columns[:6])
        raise InputError(
            f"The {name} has columns of different lengths ({told}); give one value per item in "
            "each."
        )
    return Table(name, plain(pl.DataFrame(columns)))


def _column(key: str, values: Any, whose: str) -> pl.Series:
    """Return one column of a dict."""
    import narwhals as nw
    import polars as pl

    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(
                f"In the {whose}, {key} is an array of shape {values.shape}; give a vector with "
                "one value per item (use .ravel() if it holds one column)."
            )
        if values.dtype.kind in "fiub":
            return pl.Series(key, np.ascontiguousarray(values))
        values = values.tolist()
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        values = series.to_list()
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise InputError(
            f"In the {whose}, {key} is a {type(values).__name__}; give a list or vector with one "
            "value per item."
        )
    return from_values(key, values, f"The {whose}")


def from_records(source: Sequence[Any]) -> Table:
    """Take a list of dicts, one per row.

    Raises
    ------
    InputError
        If an entry is no dict or holds a list.
    """
    from bacon.io.records import frame_of_records

    name = "list of dicts"
    for row, record in enumerate(source, 1):
        if not isinstance(record, Mapping):
            raise InputError(
                f"Row {row:,} of the list is a {type(record).__name__}; give one dict per item."
            )
    if not source:
        raise InputError(f"The {name} is empty; give one dict per item.")
    return Table(name, frame_of_records(source, name))


def from_values(name: str, values: Sequence[Any], whose: str) -> pl.Series:
    """Return Python values as one column, as text where their types differ.

    Whole numbers and fractions together are numbers; so are whole numbers alone unless one
    is beyond 64 bits, which makes the column text, digit for digit.

    Raises
    ------
    InputError
        If the values are of a type no column can have.
    """
    kinds = set(map(type, values))
    if any(issubclass(kind, np.generic) for kind in kinds):
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        kinds = set(map(type, values))
    nothing = {kind for kind in kinds if kind.__name__ in NO_VALUE}
    if nothing - {type(None)}:
        values = [None if type(value) in nothing else value for value in values]
    kinds -= nothing
    if kinds == {int, float} and all(abs(v) < LARGEST_WHOLE for v in values if type(v) is int):
        values, kinds = [v if v is None else float(v) for v in values], {float}
    if kinds == {int}:
        present = [value for value in values if value is not None]
        if min(present) < -(2**63) or max(present) >= 2**63:
            kinds = {int, str}
    if len(kinds) > 1:
        values = [_as_text(value) for value in values]
    return _series(name, values, whose)


def _series(name: str, values: Sequence[Any], whose: str) -> pl.Series:
    """Return values of one type as a column of that type."""
    import polars as pl

    try:
        series = pl.Series(name, values, strict=True)
    except UnicodeEncodeError:
        raise InputError(
            f"{whose} has text in column {name} that is not valid Unicode (half a surrogate "
            "pair); write it again as UTF-8."
        ) from None
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        series = pl.Series(name, values, dtype=pl.Object)
    if series.dtype == pl.Object:
        kind = next(type(value).__name__ for value in values if value is not None)
        raise InputError(
            f"{whose} has values of type {kind} in column {name}; give numbers or text."
        )
    return series


def _as_text(value: Any) -> str | None:
    """Return a value of a mixed column as JSON would write it."""
    # A missing text is NaN in pandas.
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def to_backend(frame: pl.DataFrame, backend: str) -> Any:
    """Return a result in the library that the user's table came from.

    Parameters
    ----------
    frame : polars.DataFrame
        The result.
    backend : str
        polars, pandas or pyarrow.
    """
    import narwhals as nw

    if backend == "polars":
        return frame
    columns = {
        series.name: series.to_list() if series.null_count() else series.to_numpy()
        for series in frame.iter_columns()
    }
    return nw.from_dict(columns, backend="pandas" if backend == "pandas" else "pyarrow").to_native()
