"""From a pool to the feature matrix, by a map that is fitted on the pool and can be kept.

Each judge is averaged over its runs and standardised on the whole pool, so that its units do
not matter, and turned to agree with the other judges: the sign of its loading on the first
principal component of the judges. A missing value becomes the pool mean, 0 after
standardising, and an indicator column says that it was missing. Nothing here sees a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.judge_scores import mean_of_present, orientation

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["Column", "FeatureMap", "feature_matrix", "fit_feature_map", "run_mean"]

MAX_COMPONENTS = 64
"""Most embedding components kept."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the feature matrix.

    Parameters
    ----------
    name : str
        What it is, such as ``judge_gpt`` or ``judge_gpt missing``.
    kind : str
        judge, feature, class, missing or component.
    source : str
        Judge or feature column it is made from.
    centre, scale : float
        The value is (raw - centre) / scale; a negative scale turns a judge round.
    level : str or None
        For a text judge, the class whose share of the runs this is.
    """

    name: str
    kind: str
    source: str
    centre: float
    scale: float
    level: str | None = None


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
        """Penalty block of each column: 0 judges and features, 1 embedding components."""
        return np.array(
            [int(column.kind == "component") for column in self.columns], dtype=np.int64
        )


def run_mean(judge: Judge) -> FloatArray:
    """Return a numeric judge's score (N,), averaged over the runs present; NaN where none is."""
    return mean_of_present(judge.scores)


def _class_share(judge: Judge, level: str) -> FloatArray:
    """Return the share of a text judge's runs that answered `level`, NaN where none answered."""
    levels = judge.levels or ()
    if level not in levels:
        return np.where(np.isnan(judge.scores).all(axis=1), np.nan, 0.0)
    hits = np.where(np.isnan(judge.scores), np.nan, judge.scores == levels.index(level))
    return mean_of_present(hits)


def _raw(pool: Pool) -> list[tuple[str, str, str, str | None, FloatArray]]:
    """Return name, kind, source, level and raw values of every column before indicators."""
    found: list[tuple[str, str, str, str | None, FloatArray]] = []
    for judge in pool.judges:
        if judge.levels is None:
            found.append((judge.name, "judge", judge.name, None, run_mean(judge)))
        else:
            found.extend(
                (f"{judge.name} = {level}", "class", judge.name, level, _class_share(judge, level))
                for level in judge.levels
            )
    found.extend(
        (name, "feature", name, None, pool.features[:, k])
        for k, name in enumerate(pool.feature_names)
    )
    return found


def fit_feature_map(pool: Pool) -> FeatureMap:
    """Fit centres, scales, orientation, indicators and components on the whole pool.

    Columns that are constant over the pool carry nothing and are left out, with a notice.
    """
    columns: list[Column] = []
    constant: list[str] = []
    missing: dict[bytes, tuple[str, FloatArray]] = {}
    judged: list[tuple[int, FloatArray]] = []
    for name, kind, source, level, raw in _raw(pool):
        gone = np.isnan(raw)
        if gone.all():
            constant.append(name)
            continue
        if gone.any():
            missing.setdefault(np.packbits(gone).tobytes(), (source, gone.astype(np.float64)))
        present = raw[~gone]
        centre, scale = float(present.mean()), float(present.std())
        if not scale > 1e-12 * max(abs(centre), np.abs(present).max()):
            constant.append(name)
            continue
        if kind == "judge":
            judged.append((len(columns), np.where(gone, 0.0, (raw - centre) / scale)))
        columns.append(Column(name, kind, source, centre, scale, level))
    if judged:
        signs = orientation(np.column_stack([values for _, values in judged]))
        for (k, _), sign in zip(judged, signs, strict=True):
            c = columns[k]
            columns[k] = Column(c.name, c.kind, c.source, c.centre, c.scale * float(sign))
    for source, indicator in missing.values():
        centre, scale = float(indicator.mean()), float(indicator.std())
        columns.append(Column(f"{source} missing", "missing", source, centre, scale))
    notices = _constant_notice(constant)
    if pool.embeddings is None:
        return FeatureMap(tuple(columns), notices=notices)
    centre_row, loadings, scales = _components(pool.embeddings)
    if len(scales) == 0:
        return FeatureMap(tuple(columns), notices=_constant_notice([*constant, "embeddings"]))
    columns += [
        Column(f"embedding component {k + 1}", "component", "embeddings", 0.0, float(scale))
        for k, scale in enumerate(scales)
    ]
    return FeatureMap(tuple(columns), loadings, centre_row, notices)


def _constant_notice(constant: list[str]) -> tuple[Notice, ...]:
    """Tell which columns are the same for every item."""
    if not constant:
        return ()
    return (
        Notice(
            "constant_columns",
            "Left out because they are the same, or missing, for every item: "
            f"{', '.join(constant)}.",
        ),
    )


def _components(embeddings: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the centre (d,), loadings (d, c) and SDs (c,) of the leading components."""
    centre = embeddings.mean(axis=0)
    centred = embeddings - centre
    values, vectors = np.linalg.eigh(centred.T @ centred / len(embeddings))
    order = np.argsort(values)[::-1][:MAX_COMPONENTS]
    # The second bound is what rounding leaves of embeddings that are the same for every item.
    largest = max(float(embeddings.max()), -float(embeddings.min()))
    order = order[values[order] > max(1e-10 * values.max(), (1e-12 * largest) ** 2)]
    loadings = vectors[:, order]
    # The sign of a component is arbitrary; fixing it keeps results the same on any machine.
    strongest = np.abs(loadings).argmax(axis=0)
    loadings = loadings * np.sign(loadings[strongest, np.arange(loadings.shape[1])])
    return centre, loadings, np.sqrt(values[order])


def feature_matrix(pool: Pool, feature_map: FeatureMap) -> FloatArray:
    """Return the features (N, p) of a pool, which may be another one than the map's.

    Raises
    ------
    InputError
        The pool lacks a judge, a feature or the embeddings that the map was fitted with.
    """
    judges = {judge.name: judge for judge in pool.judges}
    features = {name: pool.features[:, k] for k, name in enumerate(pool.feature_names)}
    wanted = {c.source for c in feature_map.columns if c.kind != "component"}
    lacking = sorted(wanted - judges.keys() - features.keys())
    if lacking:
        raise InputError(
            f"{pool.source} lacks {', '.join(lacking)}, which the calibration was fitted with; "
            "add the columns or fit again without them."
        )
    _check_answers(pool.source, judges, feature_map)
    matrix = np.empty((pool.n_items, len(feature_map.columns)))
    for k, column in enumerate(feature_map.columns):
        if column.kind == "component":
            break
        raw = _column_values(column, judges, features)
        matrix[:, k] = np.where(np.isnan(raw), 0.0, (raw - column.centre) / column.scale)
    if feature_map.components is None or feature_map.embedding_centre is None:
        return matrix
    width = len(feature_map.embedding_centre)
    if pool.embeddings is None or pool.embeddings.shape[1] != width:
        raise InputError(
            f"{pool.source} needs embeddings with {width} numbers an item, as the calibration "
            "was fitted with; give embeddings=."
        )
    n_components = feature_map.components.shape[1]
    scales = np.array([column.scale for column in feature_map.columns[-n_components:]])
    centred = pool.embeddings - feature_map.embedding_centre
    matrix[:, -n_components:] = centred @ feature_map.components / scales
    return matrix


def _check_answers(source: str, judges: dict[str, Judge], feature_map: FeatureMap) -> None:
    """Refuse a judge that answers otherwise than where the map was fitted."""
    known: dict[str, set[str | None]] = {}
    for column in feature_map.columns:
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


def _column_values(
    column: Column, judges: dict[str, Judge], features: dict[str, FloatArray]
) -> FloatArray:
    """Return the raw values (N,) of a column that is not an embedding component."""
    judge = judges.get(column.source)
    if column.kind == "class" and judge is not None:
        return _class_share(judge, column.level or "")
    raw = run_mean(judge) if judge is not None else features[column.source]
    if judge is not None and judge.levels is not None:
        raw = np.where(np.isnan(judge.scores).all(axis=1), np.nan, 0.0)
    if column.kind == "missing":
        return np.isnan(raw).astype(np.float64)
    return raw
