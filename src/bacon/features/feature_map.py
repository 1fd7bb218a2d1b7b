"""From a pool to the feature matrix, by a map that is fitted on the pool and can be kept.

Each judge is averaged over its runs and standardised on the whole pool, so that its units do
not matter, and turned to agree with the other judges: the sign of its loading on the first
principal component of the judges, whose long tail points upwards. A missing value becomes the
pool mean, 0 after standardising, and for scores and features an indicator column says that it
was missing. Derived columns are cut to their 5 % and 95 % quantiles. Nothing here sees a label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from bacon.arrays import read_only
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.features.candidates import derived_columns, indicators, kinds_told, score_columns
from bacon.features.columns import (
    BY_DEFAULT,
    Column,
    Reader,
    length_name,
    run_mean,
    uncertainty_names,
)
from bacon.features.components import fit_components, write_components
from bacon.judge_scores import orientation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["Column", "FeatureMap", "feature_matrix", "features_of", "fit_feature_map", "run_mean"]

ENDS = (0.05, 0.95)
"""Quantiles of the pool to which derived columns are cut."""


TURNED = ("judge", "expected")
"""Kinds of columns in the units of a judge."""


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """How features are made from a pool.

    Parameters
    ----------
    columns : tuple of Column
        The columns, embedding components last.
    components : (d, c) float64 or None
        Loadings of the embedding components; `embedding_centre` (d,) is taken off first.
    notices : tuple of Notice
        Columns that were left out.
    """

    columns: tuple[Column, ...]
    components: FloatArray | None = None
    embedding_centre: FloatArray | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def blocks(self) -> IntArray:
        """Penalty block of each column: 0 judges and features, 1 components, 2 derived."""
        return np.array([column.block for column in self.columns], dtype=np.int64)


def fit_feature_map(
    pool: Pool, *, derived: Collection[str] = BY_DEFAULT, without: Collection[str] = ()
) -> FeatureMap:
    """Fit centres, scales, orientation, indicators and components on the whole pool.

    Columns that are constant over the pool carry nothing and are left out, with a notice.

    Parameters
    ----------
    pool : Pool
        The pool.
    derived : collection of str
        Kinds of derived columns to make, of :data:`bacon.features.columns.DERIVED`.
    without : collection of str
        Judges, features and columns of uncertainty that nothing is made of.
    """
    pool = _less(pool, without)
    constant: list[str] = []
    plain = _oriented(pool, list(_scaled(score_columns(pool), Reader(pool, {}), constant)))
    reader = Reader(pool, _judged(plain))
    columns = [*plain, *indicators(pool, reader)]
    wanted = [column for column in derived_columns(pool, reader) if column.kind in derived]
    columns += _scaled(wanted, reader, constant)
    loadings = centre = None
    if pool.embeddings is not None:
        centre, loadings, scales = fit_components(pool.embeddings)
        columns += [
            Column(f"embedding component {k + 1}", "component", "embeddings", 0.0, float(scale))
            for k, scale in enumerate(scales)
        ]
        if len(scales) == 0:
            loadings = centre = None
            constant.append("embeddings")
    return FeatureMap(tuple(columns), loadings, centre, _notices(pool, constant))


_made: WeakKeyDictionary[Pool, tuple[FeatureMap, FloatArray]] = WeakKeyDictionary()


def features_of(pool: Pool) -> tuple[FeatureMap, FloatArray]:
    """Return the map fitted on a pool and its matrix (N, p), made once for each pool.

    No label enters, so that all calibrations of a pool share them: over the draws of an
    experiment they would be a tenth of the time.
    """
    if pool not in _made:
        feature_map = fit_feature_map(pool)
        _made[pool] = feature_map, read_only(feature_matrix(pool, feature_map))
    return _made[pool]


def _less(pool: Pool, without: Collection[str]) -> Pool:
    """Return the pool as if it had no judge, feature or uncertainty of these names."""
    if not without:
        return pool

    def kept(judge: Judge) -> Judge:
        told = [u for u in judge.uncertainty if f"{judge.name}__{u.kind}" not in without]
        return replace(judge, uncertainty=tuple(told))

    seen = [k for k, name in enumerate(pool.feature_names) if name not in without]
    return replace(
        pool,
        judges=tuple(kept(judge) for judge in pool.judges if judge.name not in without),
        features=pool.features[:, seen],
        feature_names=tuple(pool.feature_names[k] for k in seen),
        text=None if pool.text is None or length_name(pool.text) in without else pool.text,
    )


def _judged(columns: Sequence[Column]) -> dict[str, Column]:
    """Return the column of each numeric judge, by its name."""
    return {column.source: column for column in columns if column.kind == "judge"}


def _oriented(pool: Pool, columns: list[Column]) -> list[Column]:
    """Return the columns with judges, and their expected scores, turned to agree."""
    judged = _judged(columns)
    if not judged:
        return columns
    reader = Reader(pool, judged)
    z = np.column_stack([reader.standardised(name) for name in judged])
    signs = dict(zip(judged, _signs(z).tolist(), strict=True))
    return [
        replace(c, scale=c.scale * signs.get(c.source, 1.0)) if c.kind in TURNED else c
        for c in columns
    ]


def _signs(z: FloatArray) -> FloatArray:
    """Return the sign (M,) of each judge's standardised scores (N, M), NaN where missing.

    Judges agree, and their sum has its long tail upwards: which judge comes first, or is
    turned round, then does not matter even to models that know up from down.
    """
    signs = orientation(z)
    total = np.nan_to_num(z) @ signs
    skewness = float(np.mean(total**3)) / max(float(np.mean(total**2)) ** 1.5, 1e-300)
    return -signs if skewness < -1e-9 else signs


def _with_ends(column: Column, present: FloatArray) -> Column:
    """Return a derived column with the ends to which its known values are cut."""
    if column.block != 2 or column.kind == "varies" or not len(present):
        return column
    low, high = np.quantile(present, ENDS).tolist()
    return replace(column, low=low, high=high)


def _scaled(columns: Iterable[Column], reader: Reader, constant: list[str]) -> Iterator[Column]:
    """Yield columns with ends, centre and scale; name in `constant` those without any spread."""
    for given in columns:
        raw = reader.raw(given)
        present = raw[~np.isnan(raw)]
        column = _with_ends(given, present)
        if column.low is not None:
            present = np.clip(present, column.low, column.high)
        if len(present):
            centre, scale = float(present.mean()), float(present.std())
            if scale > 1e-12 * max(abs(centre), float(np.abs(present).max())):
                yield replace(column, centre=centre, scale=scale)
                continue
        # Runs that never differ are no column of the user's that is left out.
        if column.block != 2 or column.uncertainty is not None:
            constant.append(column.name)


def _notices(pool: Pool, constant: list[str]) -> tuple[Notice, ...]:
    """Tell which columns are the same for every item, and whose uncertainty is not used."""
    found = []
    if constant:
        told = "Left out because they are the same, or missing, for every item: "
        found.append(Notice("constant_columns", f"{told}{', '.join(constant)}."))
    names = [judge.name for judge in pool.judges if judge.is_text and judge.uncertainty]
    if names:
        told = "Not used, as the judge answers in words: the uncertainty of "
        found.append(Notice("uncertainty_unused", f"{told}{', '.join(names)}."))
    return tuple(found)


def feature_matrix(pool: Pool, feature_map: FeatureMap) -> FloatArray:
    """Return the features (N, p) of a pool, which may be another one than the map's.

    Raises
    ------
    InputError
        The pool lacks a judge, a feature or the embeddings that the map was fitted with.
    """
    columns = [column for column in feature_map.columns if column.kind != "component"]
    reader = Reader(pool, _judged(columns))
    _check_sources(pool.source, reader, columns)
    _check_answers(pool.source, reader.judges, columns)
    matrix = np.empty((pool.n_items, len(feature_map.columns)))
    for k, column in enumerate(columns):
        raw = reader.raw(column)
        matrix[:, k] = np.where(np.isnan(raw), 0.0, (raw - column.centre) / column.scale)
    if feature_map.components is None or feature_map.embedding_centre is None:
        return matrix
    centre = feature_map.embedding_centre
    if pool.embeddings is None or pool.embeddings.shape[1] != len(centre):
        raise InputError(
            f"{pool.source} needs embeddings with {len(centre)} numbers an item, as the "
            "calibration was fitted with; give embeddings=."
        )
    loadings = feature_map.components
    scales = np.array([column.scale for column in feature_map.columns[len(columns) :]])
    write_components(pool.embeddings, centre, loadings, scales, out=matrix[:, len(columns) :])
    return matrix


def _check_sources(source: str, reader: Reader, columns: list[Column]) -> None:
    """Refuse a pool that lacks a judge, a feature or a judge's uncertainty."""
    there = {*reader.judges, *reader.features}
    named = [c for c in columns if c.kind != "disagreement"]
    lacking = {c.source for c in named if not c.is_length} - there
    lacking |= {c.source for c in named if c.is_length} - {*reader.pool.table.columns}
    for column in columns:
        judge = reader.judges.get(column.source)
        if judge is not None and column.uncertainty not in (None, *kinds_told(judge)):
            names = uncertainty_names(column.source, str(column.uncertainty))
            lacking.add(" or ".join(names))
    if lacking:
        raise InputError(
            f"{source} lacks {', '.join(sorted(lacking))}, which the calibration was fitted with; "
            "add the columns or fit again without them."
        )


def _check_answers(source: str, judges: dict[str, Judge], columns: list[Column]) -> None:
    """Refuse a judge that answers otherwise than where the map was fitted."""
    known: dict[str, set[str | None]] = {}
    for column in columns:
        if column.kind in ("judge", "class"):
            known.setdefault(column.source, set()).add(column.level)
    for name, levels in known.items():
        now = judges[name].levels
        if (now is None) != (levels == {None}):
            then = "in numbers" if now is not None else "in words"
            raise InputError(
                f"{source}, column {name}: the judge answered {then} where the calibration was "
                "fitted and does not here; give the answers in the same form."
            )
        if now is not None and not levels & set(now):
            raise InputError(
                f"{source}, column {name}: none of the answers ({', '.join(now[:6])}) is one that "
                f"the calibration knows ({', '.join(sorted(map(str, levels))[:6])}); give the "
                "answers in the same words."
            )
