"""The judgements of a store as data frames: sorted, in pieces, without the texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.judges.store import Store
from bacon.judges.store_rows import text_of
from bacon.judges.store_tallies import known_outcomes

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

__all__ = ["BESIDE", "ITEM", "PIECE", "Judgements", "read_scores", "score_column"]

ITEM = "item_id"

MEASURES = (
    "logprob",
    "entropy",
    "expected",
    "off_scale",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency",
    "attempts",
)
NAMES = ("model", "fingerprint", "prompt_version")
WHOLE = ("prompt_tokens", "completion_tokens", "attempts")
STORED = ("judge", "run", "status", "reason", *MEASURES, *NAMES)
"""Columns that the store holds as the table does."""

BESIDE = ("entropy", "logprob", "expected")
"""Uncertainty that the reader of a pool takes from columns beside a judge's scores."""

KEPT = (ITEM, "judge", "run", "reason", "prompt_version", *BESIDE)
"""Columns of judgements that a wide table is made of, beside the scores."""

PIECE = 1 << 16
"""Rows of a frame, and of a row group in a file."""

SORTER_KB = 64_000
"""Memory in which SQLite sorts before it goes to the disk."""


def score_column(outcome: str) -> str:
    """Return the column of an outcome's scores in a table of judgements."""
    return "score" if outcome == "score" else f"score_{outcome}"


class Judgements:
    """What a store holds at one moment, one row for each item, judge and run.

    Where the call of an item, judge and run was made anew with another prompt, model or
    setting, the answer stored last counts.

    Parameters
    ----------
    connection : sqlite3.Connection
        A snapshot of the store.
    source : str
        The store, for messages.
    """

    def __init__(self, connection: sqlite3.Connection, source: str) -> None:
        self.connection = connection
        self.source = source
        self.outcomes = known_outcomes(connection) or ["score"]
        self.n_rows = 0
        self.escaped = 0
        # SQLite reads the digits a text begins with; as a text again they are the same only
        # where there was nothing else: no sign, zero or blank before them, and not too many.
        (others,) = connection.execute(
            "SELECT EXISTS (SELECT 1 FROM answers NOT INDEXED WHERE kept = 1 "
            "AND CAST(CAST(item AS INTEGER) AS TEXT) IS NOT item)"
        ).fetchone()
        self.whole_ids = not others

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Columns of the frames with their types."""
        import polars as pl

        measures = {name: pl.Int64() if name in WHOLE else pl.Float64() for name in MEASURES}
        return {
            ITEM: pl.Int64() if self.whole_ids else pl.String(),
            "judge": pl.String(),
            "run": pl.Int64(),
            **{score_column(outcome): pl.Float64() for outcome in self.outcomes},
            "status": pl.String(),
            "reason": pl.String(),
            **measures,
            **dict.fromkeys(NAMES, pl.String()),
        }

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the rows in the order of item, judge and run, `PIECE` of them at a time.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns of the frames, of those of the schema; all by default.

        Raises
        ------
        InputError
            A row is damaged.
        """
        import polars as pl

        schema = {name: self.schema[name] for name in columns or self.schema}
        scored = any(name in schema for name in map(score_column, self.outcomes))
        stored = [name for name in schema if name in STORED] + ["scores"] * scored
        item = "CAST(item AS INTEGER)" if self.whole_ids else "item"
        self.connection.execute(f"PRAGMA cache_size = -{SORTER_KB}")
        # With max(id), SQLite takes the other columns from the row that has it. The index of
        # keys would lead it through the rows in random order.
        cursor = self.connection.execute(
            f"SELECT {', '.join([f'{item} AS at', *stored])}, max(id) "  # noqa: S608
            "FROM answers NOT INDEXED WHERE kept = 1 "
            "GROUP BY at, judge, run ORDER BY at, judge, run"
        )
        while rows := cursor.fetchmany(PIECE):
            self.n_rows += len(rows)
            values = dict(zip([ITEM, *stored], zip(*rows, strict=True), strict=False))
            try:
                frame = self._frame(values, schema)
            except (ValueError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
                raise InputError(
                    f"{self.source}: the store is damaged ({error}); put a copy of it in its place."
                ) from error
            yield frame

    def _frame(
        self, values: Mapping[str, Sequence[Any]], schema: Mapping[str, pl.DataType]
    ) -> pl.DataFrame:
        """Return rows of the store, given by their columns, as a frame."""
        import orjson
        import polars as pl

        scores = orjson.loads(f"[{','.join(values['scores'])}]") if "scores" in values else []
        of_column = {score_column(outcome): outcome for outcome in self.outcomes}
        columns = []
        for name, kind in schema.items():
            if name in of_column:
                given: Sequence[Any] = [one.get(of_column[name]) for one in scores]
            else:
                given = values[name]
            if kind == pl.String() and bytes in set(map(type, given)):
                given = [self._shown(value) for value in given]
            columns.append(pl.Series(name, given, dtype=kind))
        return pl.DataFrame(columns)

    def _shown(self, value: str | bytes | None) -> str | None:
        """Return a text with halves of surrogate pairs, which no table can hold, as escapes."""
        if not isinstance(value, bytes):
            return value
        self.escaped += 1
        return text_of(value).encode("utf-8", "backslashreplace").decode()

    def notices(self) -> list[Notice]:
        """Tell what a reader of the frames must know, once they were all read."""
        (kept,) = self.connection.execute(
            "SELECT coalesce(sum(calls), 0) FROM tallies WHERE kept = 1"
        ).fetchone()
        told = []
        if kept > self.n_rows:
            message = (
                f"Older answers not used: {kept - self.n_rows:,}, because the same item, judge and "
                "run was asked again with another prompt, model or setting."
            )
            told.append(Notice("answers_superseded", message))
        if self.escaped:
            message = (
                f"Texts that are no Unicode: {self.escaped:,}; their odd characters are written as "
                "escapes in the table."
            )
            told.append(Notice("texts_escaped", message))
        return told


def read_scores(
    source: Store | str | os.PathLike[str], name: str, outcome: str | None
) -> tuple[pl.DataFrame, list[Notice]]:
    """Return the judgements of a store or a file with the scores of one outcome.

    Parameters
    ----------
    source : Store or path
        Where they are.
    name : str
        The same, for messages.
    outcome : str or None
        Which scores; None where there is but one kind.

    Returns
    -------
    frame : polars.DataFrame
        Columns `KEPT` and ``score``.
    notices : list of Notice
        What to tell of them.

    Raises
    ------
    InputError
        The outcome is not told or not there, or the source is damaged or no judgements.
    """
    import polars as pl

    if not isinstance(source, Store):
        table = _scan(Path(source))
        scores = _score_of(table.collect_schema().names(), name, outcome)
        return table.select(*KEPT, score=scores).collect(), []
    with source.snapshot() as connection:
        judgements = Judgements(connection, name)
        scores = _score_of(list(judgements.schema), name, outcome)
        empty = pl.DataFrame(schema=judgements.schema).select(*KEPT, scores)
        rows = pl.concat([empty, *judgements.frames(empty.columns)]).rename({scores: "score"})
        return rows, [*source.notices(), *judgements.notices()]


def _scan(path: Path) -> pl.LazyFrame:
    """Return a file of judgements, refusing what is none."""
    import polars as pl

    try:
        table = pl.scan_parquet(path, glob=False)
        schema = table.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path}: this is no parquet file of judgements ({reason}); give a store, or write "
            "the file again."
        ) from None
    types = dict.fromkeys(BESIDE, "Float64") | dict.fromkeys(
        ("judge", "reason", "prompt_version"), "String"
    )
    types |= {ITEM: "Int64 or String", "run": "Int64"}
    types |= {column: "Float64" for column in schema if _is_score(column)}
    for name, kind in types.items():
        found = str(schema.get(name, "missing"))
        if found not in kind.split(" or "):
            raise InputError(
                f"{path}, column {name}: {found}, where a table of judgements has {kind}; write "
                "the file again."
            )
    again = table.select(ITEM, "judge", "run", n=pl.len().over(ITEM, "judge", "run"))
    for item, judge, run, _ in again.filter(pl.col("n") > 1).head(1).collect().rows():
        raise InputError(
            f"{path}: item {item}, judge {judge}, run {run} stands in several rows; keep one."
        )
    return table


def _is_score(column: str) -> bool:
    return column == "score" or column.startswith("score_")


def _score_of(columns: list[str], name: str, outcome: str | None) -> str:
    """Return the column of the scores a wide table is made of."""
    scores = [column for column in columns if _is_score(column)]
    outcomes = [column.removeprefix("score_") for column in scores]
    if outcome is None and len(outcomes) > 1:
        raise InputError(
            f"{name} holds scores of {', '.join(outcomes)}, and a table is made for one of them; "
            f"name it with outcome={outcomes[0]!r}."
        )
    if not outcomes or (outcome is not None and outcome not in outcomes):
        raise InputError(
            f"{name} holds no scores of {outcome}; its outcomes are {', '.join(outcomes)}."
        )
    return scores[0] if outcome is None else score_column(outcome)
