"""Labels that would be known beforehand: in a draw, a role, or a column that says the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.features.columns import run_mean
from bacon.words import listed

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.pool import Judge, Pool

__all__ = ["refuse_labels_in", "refuse_roles", "with_copies_told"]

SAME_FOR_CERTAIN = 10
"""Items on which a column that equals the labels is no chance."""


def refuse_labels_in(design: object, label: str) -> None:
    """Refuse a design that draws by the labels, which nobody has before the draw.

    Raises
    ------
    InputError
        The column of strata, clusters or probabilities is that of the labels.
    """
    for role in ("strata", "clusters", "pi"):
        column = getattr(design, role, None)
        if isinstance(column, str) and column == label:
            raise InputError(
                f"a draw by {label} ({role}) would know the labels beforehand; name another column."
            )


def refuse_roles(pool: Pool, *labels: str) -> None:
    """Refuse labels that are known of every item by another name.

    Raises
    ------
    InputError
        The column of a label is that of the groups, the clusters or the text as well.
    """
    columns = {"group": pool.group, "cluster": pool.cluster}
    named = {role: column.name for role, column in columns.items() if column is not None}
    for role, name in {**named, "text": pool.text}.items():
        if name in labels:
            raise InputError(
                f"{pool.source}, column {name} is named as a label and as the {role}; take it out "
                "of one of them."
            )


def with_copies_told(pool: Pool, y: FloatArray, levels: tuple[str, ...] | None) -> Pool:
    """Return the pool with a notice of columns that say what the labels say of every item.

    Parameters
    ----------
    pool : Pool
        The items.
    y : (N,) float64
        Label of every item; for labels in words positions in `levels`.
    levels : tuple of str or None
        Classes of labels in words.
    """
    if pool.n_items < SAME_FOR_CERTAIN or (y == y[0]).all():
        return pool
    columns = {one.name: _answers(one, levels) for one in pool.judges}
    if levels is None:
        columns |= dict(zip(pool.feature_names, pool.features.T, strict=True))
    if levels is None and pool.embeddings is not None:
        numbers = enumerate(pool.embeddings.T, start=1)
        columns |= {f"number {k} of the embeddings": values for k, values in numbers}
    same = [name for name, values in columns.items() if np.array_equal(values, y)]
    if not same:
        return pool
    text = (
        f"{listed(same)}: equal to the label of every item. If that was made from the labels, "
        "nothing measured here holds for items without one; leave it out."
    )
    return replace(pool, notices=(*pool.notices, Notice("columns_copy_labels", text)))


def _answers(judge: Judge, levels: tuple[str, ...] | None) -> FloatArray:
    """Return a judge's answers in the labels' units (N,), NaN where it has none in them."""
    if judge.levels is None:
        return run_mean(judge) if levels is None else np.full(len(judge.scores), np.nan)
    if levels is None:
        return np.full(len(judge.scores), np.nan)
    place = np.array([levels.index(one) if one in levels else np.nan for one in judge.levels])
    said = judge.scores[:, 0]
    return np.where(np.isnan(said), np.nan, place[np.nan_to_num(said).astype(np.int64)])
