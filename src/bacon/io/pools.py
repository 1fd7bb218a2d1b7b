"""Reading the pool: every item with its judge scores and what else is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import FloatArray, read_only
from bacon.checks import LEAST_PROBABILITY
from bacon.data.pool import Pool
from bacon.errors import InputError
from bacon.fingerprint import fingerprint_ids
from bacon.io.cells import as_levels, as_na, categories
from bacon.io.embeddings import read_embeddings
from bacon.io.ids import check_unique, read_ids, usual_id
from bacon.io.judges import read_judges
from bacon.io.long_form import pivot
from bacon.io.matching import as_series
from bacon.io.numbers import number_column
from bacon.io.roles import Names, as_list, resolve_column, resolve_columns
from bacon.io.tables import Source, Table, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["read_pool"]


@dataclass(frozen=True, slots=True)
class _Roles:
    """Columns by role, all of them there."""

    id: str | None
    group: str | None
    cluster: str | None
    text: str | None
    pi: str | None
    labels: tuple[str, ...]

    @property
    def taken(self) -> dict[str, str]:
        """Columns that a glob leaves alone, with what each is."""
        named: dict[str | None, str] = {
            self.group: "the group",
            self.cluster: "the cluster",
            self.text: "the text",
            self.pi: "the inclusion probability",
            self.id: "the id",
            **dict.fromkeys(self.labels, "a label"),
        }
        return {name: role for name, role in named.items() if name is not None}


def read_pool(  # noqa: PLR0913 (one keyword per role a column can have)
    source: Source,
    *,
    judges: Names = "judge_*",
    id: str | None = None,
    features: Names | None = None,
    group: str | None = None,
    cluster: str | None = None,
    text: str | None = None,
    embeddings: Source | None = None,
    pi: str | None = None,
    label: Names | None = None,
    judge_column: str | None = None,
    run_column: str | None = None,
    levels: str | Sequence[object] | None = None,
    na: str | Sequence[str | float] = (),
) -> Pool:
    """Read every item of an evaluation with its judge scores.

    Parameters
    ----------
    source : path, data frame, dict of columns or list of dicts
        Parquet, CSV, TSV or JSONL file; pandas, polars or pyarrow frame. One row per item,
        or, with `judge_column`, one per item and judge.
    judges : str or sequence of str
        Columns of judge scores: names and globs, in a list or with commas between them. A
        glob never takes a column with another role. ``<judge>_run<k>`` are runs of one judge.
        A judge answers in numbers or, in every run, in words. Its uncertainty
        (``<judge>[_run<k>]__entropy``, ``__logppl``, ``__logprob``, ``__expected``) is read
        with it and never taken by a glob. In a long file, the score column. None of them,
        ``()``, for a pool that is only drawn from.
    id : str, optional
        Column of the ids, whole numbers or text; item_id or id by default, else rows are
        numbered from 0 (told). ``"row"`` asks for that.
    features : str or sequence of str, optional
        Further numeric columns for the outcome model, named like `judges`.
    group, cluster : str, optional
        Columns of the systems compared, and of the units (prompts, documents) items share.
    text : str, optional
        Column with the text of the item.
    embeddings : path, frame or array, optional
        A table with the same id column and one row per item, or a .npy file or array with
        exactly one row per item in the order of the pool (told).
    pi : str, optional
        Column of inclusion probabilities, in (0, 1].
    label : str or sequence of str, optional
        Columns of human labels, which are never judges or features.
    judge_column, run_column : str, optional
        In a long file, the columns of the judge's name and of the run.
    levels : str or sequence, optional
        Classes of the judges that answer in words, where some are named by numbers.
    na : str or sequence, optional
        Values of judges and features that mean missing, beside empty, null and NaN.

    Returns
    -------
    Pool
        Missing scores and features are NaN, counted in its notices.

    Raises
    ------
    InputError
        If a file, a column or a value cannot be used; the message says which row.

    Examples
    --------
    >>> import bacon
    >>> answers = {"item_id": ["a", "b"], "judge_x": [4, None], "judge_y_run1": [3, 5]}
    >>> pool = bacon.read_pool(answers, judges="judge_*")
    >>> [judge.name for judge in pool.judges]
    ['judge_x', 'judge_y']
    >>> pool.judges[0].scores.ravel()
    array([ 4., nan])
    """
    import polars as pl

    table = read_table(source)
    columns = table.frame.columns
    roles = _roles(table, id=id, group=group, cluster=cluster, text=text, pi=pi, label=label)
    if judge_column is None and run_column is not None:
        raise InputError(
            "--run-column goes with --judge-column (judge_column=); name the judge's column too."
        )
    long = [name for name in (judge_column, run_column) if name is not None]
    for name in long:
        resolve_column(name, columns, role="judge or run", source=table.source)
    score_columns, feature_columns = _scores_and_features(
        table, judges, features, taken={**roles.taken, **dict.fromkeys(long, "the judge or run")}
    )
    with_role = {*roles.taken, *feature_columns}
    if judge_column is not None:
        table, score_columns = pivot(
            table,
            id=id,
            judge=judge_column,
            score=_only(score_columns),
            run=run_column,
            item_columns=with_role,
        )
    ids = read_ids(table, id, number_rows=True)
    check_unique(
        table,
        ids,
        "give one row per item, or --judge-column (judge_column= in Python) where each row is the "
        "answer of one judge",
    )
    missing = as_na(na)
    judged, told = read_judges(table, score_columns, as_levels(levels), missing, taken=with_role)
    order = read_only(as_series(ids.values).arg_sort().cast(pl.Int64).to_numpy())
    return _with_embeddings(
        Pool(
            source=table.source,
            id_name=ids.name,
            ids=ids.values,
            order=order,
            fingerprint=fingerprint_ids(ids.values[order]),
            judges=judged,
            features=_features(table, feature_columns, missing),
            feature_names=tuple(feature_columns),
            table=table.frame,
            group=None if group is None else categories(table, group, role="group"),
            cluster=None if cluster is None else categories(table, cluster, role="cluster"),
            text=text,
            pi=None if pi is None else _probabilities(table, pi),
            pi_name=pi,
            backend=table.backend,
            notices=(*table.notices, *ids.notices, *told),
        ),
        embeddings,
    )


def _with_embeddings(pool: Pool, embeddings: Source | None) -> Pool:
    """Return the pool with the embedding of every item, if there is one."""
    if embeddings is None:
        return pool
    values, told = read_embeddings(embeddings, ids=pool.ids, id_name=pool.id_name)
    return replace(pool, embeddings=values, notices=(*pool.notices, *told))


def _roles(
    table: Table,
    *,
    id: str | None,
    group: str | None,
    cluster: str | None,
    text: str | None,
    pi: str | None,
    label: Names | None,
) -> _Roles:
    """Check that every named column is there."""
    columns = table.frame.columns
    single = {"group": group, "cluster": cluster, "text": text, "inclusion probability": pi}
    for role, name in single.items():
        if name is not None:
            resolve_column(name, columns, role=role, source=table.source)
    labels: list[str] = []
    if label is not None:
        labels = resolve_columns(label, columns, role="label", source=table.source)
    if id is None:
        id = usual_id(columns)
    return _Roles(id, group, cluster, text, pi, tuple(labels))


def _scores_and_features(
    table: Table, judges: Names, features: Names | None, *, taken: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the columns of judge scores and of features; no column is both, or has a role."""
    columns, source = table.frame.columns, table.source
    named = [] if features is None else [n for n in as_list(features, columns) if n in columns]
    scores = []
    if as_list(judges, columns):
        scores = resolve_columns(
            judges, columns, role="judges", source=source, taken={*taken, *named}
        )
    others = {**taken, **dict.fromkeys(named, "a feature")}
    _check_one_role(source, scores, "a judge", others)
    if features is None:
        return scores, []
    found = resolve_columns(
        features, columns, role="features", source=source, taken={*taken, *scores}
    )
    # A cluster or an inclusion probability may well help to predict; a label would leak.
    leaks = {name: role for name, role in taken.items() if role in ("the id", "a label")}
    _check_one_role(source, found, "a feature", leaks)
    return scores, found


def _check_one_role(
    source: str, columns: Sequence[str], role: str, others: Mapping[str, str]
) -> None:
    """Refuse columns that were named for another role as well."""
    for name in columns:
        if name in others:
            raise InputError(
                f"{source}, column {name} is named as {role} and as {others[name]}; take it out of "
                "one of them."
            )


def _only(columns: Sequence[str]) -> str:
    """Return the one column of scores of a long file."""
    if len(columns) == 1:
        return columns[0]
    raise InputError(
        f"--judges (judges=) names {len(columns)} columns ({', '.join(columns[:5])}); with "
        "--judge-column (judge_column=) it names the one column that holds the scores."
    )


def _features(table: Table, columns: Sequence[str], na: Sequence[str]) -> FloatArray:
    """Return the features, NaN where missing."""
    mend = "give one 0/1 column per category, or name a column of prose with --text"
    values = np.empty((table.frame.height, len(columns)))
    for k, name in enumerate(columns):
        values[:, k] = number_column(table, name, role="feature", na=na, mend=mend)
    return read_only(values)


def _probabilities(table: Table, name: str) -> FloatArray:
    """Return inclusion probabilities, each above 0 and at most 1."""
    mend = "give every item its probability of being drawn"
    values = number_column(table, name, role="probability", mend=mend)
    bad = ~((values >= LEAST_PROBABILITY) & (values <= 1))
    if bad.any():
        row = int(np.argmax(bad))
        value = values[row]
        if np.isnan(value):
            why = "the inclusion probability is missing; every item needs one, labelled or not"
        elif value == 0:
            why = (
                "an inclusion probability of 0 means the item can never be drawn, so no claim can "
                "cover it; drop the item or give it a chance"
            )
        elif 0 < value < LEAST_PROBABILITY:
            why = (
                f"{value:g} is under {LEAST_PROBABILITY:g}: one such item would outweigh all "
                "others; mend the probability or leave the item out of the pool"
            )
        elif value < 0:
            why = f"{value:g} is below 0; a probability lies above 0 and at most at 1"
        else:
            why = f"{value:g} is above 1; a probability lies above 0 and at most at 1"
        raise InputError(f"{table.place(row, name)}: {why} ({int(bad.sum()):,} such rows in all).")
    return read_only(values)
