"""A pool whose every label is known, so that estimates can be held against the truth."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import FloatArray, IntArray, freeze, read_only
from bacon.calibration.estimand import Estimand, parse_estimand
from bacon.calibration.ranks import spearman
from bacon.calibration.raw_judges import plug_in
from bacon.data.labels import Labels
from bacon.data.subpool import pool_of_rows
from bacon.errors import InputError
from bacon.experiments.leaks import refuse_roles, with_copies_told
from bacon.features.columns import text_lengths
from bacon.io.labels import match_labels, read_labels
from bacon.judge_scores import judge_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.io.tables import Source

__all__ = ["FullPool", "full_pool"]


@dataclass(frozen=True, eq=False)
class FullPool:
    """A pool and the label of every item.

    Parameters
    ----------
    name : str
        Name in the results.
    pool : Pool
        The items as a configuration sees them.
    y : (N,) float64
        Label of every item; for labels in words positions in `levels`.
    outcome : str
        Name of the outcome.
    levels : tuple of str or None
        Classes of labels in words.
    scale : (float, float) or None
        Lowest and highest possible label, if it is stated to the configurations.
    population : mapping of str to float
        True value of estimands for the population, where it is known (simulators).
    simulator : str or None
        Simulator the pool came from.
    """

    name: str
    pool: Pool
    y: FloatArray
    outcome: str = "human"
    levels: tuple[str, ...] | None = None
    scale: tuple[float, float] | None = None
    population: Mapping[str, float] = field(default_factory=dict)
    simulator: str | None = None

    def __post_init__(self) -> None:
        """Make the labels read-only."""
        freeze(self, "y")

    def truth(self, estimand: str) -> float:
        """Return the value of `estimand` over the items of the pool."""
        asked = parse_estimand(estimand, self.levels)
        if asked.tau is not None and not 0.0 < asked.tau < 1.0:
            raise InputError(f"{estimand}: a quantile needs a level between 0 and 1, such as 0.5.")
        if self.levels is not None and asked.label is None:
            raise InputError(
                f"the labels of {self.name} are words, which have no {estimand}; ask for the share "
                f"of a class, such as proportion:eq:{self.levels[0]}."
            )
        if asked.label is not None:
            return float(asked.event(self.y, self.levels).mean())
        return _known(asked, plug_in(self.y, asked))

    def outcome_of(self, estimand: str) -> FloatArray:
        """Return what the estimand averages (N,): the labels, or whether each is of a class."""
        asked = parse_estimand(estimand, self.levels)
        return self.y if asked.label is None else asked.event(self.y, self.levels)

    def default_estimands(self) -> tuple[str, ...]:
        """Return the mean, or for labels in words the share of every class."""
        return (
            ("mean",)
            if self.levels is None
            else tuple(f"proportion:eq:{level}" for level in self.levels)
        )

    def rows_of(self, sample: Sample) -> IntArray:
        """Return the rows of the drawn items, ascending."""
        rows = np.array([self._row[one] for one in sample.ids.tolist()], dtype=np.int64)
        return np.sort(rows)

    def labels(self, rows: IntArray) -> Labels:
        """Return the labels of `rows` and of no other item."""
        return Labels(
            source=f"labels of {self.name}",
            ids=read_only(self.pool.ids[rows]),
            outcomes=(self.outcome,),
            values=read_only(self.y[rows][:, None]),
            n_ratings=read_only(np.ones((len(rows), 1), dtype=np.int64)),
            levels=(self.levels,),
        )

    @cached_property
    def _row(self) -> dict[object, int]:
        """Row of each id."""
        return {one: row for row, one in enumerate(self.pool.ids.tolist())}

    @cached_property
    def groups(self) -> dict[str, tuple[IntArray, FullPool]]:
        """Rows and own pool of every group, by its name, in the order of the names."""
        group = self.pool.group
        if group is None:
            return {}
        found = {}
        for code, name in enumerate(group.levels):
            rows = np.flatnonzero(group.codes == code)
            part = pool_of_rows(self.pool, rows)
            found[name] = rows, replace(self, pool=part, y=self.y[rows], population={})
        return found

    @cached_property
    def judges_fall(self) -> bool:
        """Whether the standardised average of the judges, if they have one, falls with labels."""
        try:
            average = judge_mean(self.pool)
        except InputError:
            return False
        return self.levels is None and spearman(average, self.y) < 0.0

    @cached_property
    def digest(self) -> str:
        """Fingerprint of all that a trial depends on: items, labels, judges, features."""
        pool = self.pool
        digest = hashlib.blake2b(pool.fingerprint.encode(), digest_size=16)
        order = pool.order
        arrays = [self.y, pool.features, *(judge.scores for judge in pool.judges)]
        arrays += [one.values for judge in pool.judges for one in judge.uncertainty]
        arrays += [one for one in (pool.embeddings, pool.pi) if one is not None]
        if pool.text is not None:
            digest.update(pool.text.encode())
            arrays.append(text_lengths(pool, pool.text))
        for array in arrays:
            digest.update(np.ascontiguousarray(array[order]).tobytes())
        for column in (pool.group, pool.cluster):
            if column is not None:
                digest.update(repr(column.levels).encode())
                digest.update(column.codes[order].tobytes())
        names = [
            (judge.name, judge.runs, judge.levels, [one.columns for one in judge.uncertainty])
            for judge in pool.judges
        ]
        shown = (names, pool.feature_names, self.levels, self.scale)
        digest.update(repr(shown).encode())
        return digest.hexdigest()


def _known(asked: Estimand, value: float | None) -> float:
    """Return the value, refusing estimands that these labels do not have."""
    if value is None:
        raise InputError(f"the labels have no {asked.name}; ask for another estimand.")
    return value


def full_pool(
    pool: Pool,
    source: Source,
    *,
    label: str,
    name: str | None = None,
    scale: tuple[float, float] | None = None,
    levels: Sequence[object] | None = None,
    na: Sequence[str | float] = (),
) -> FullPool:
    """Return a pool with the labels of all of its items.

    Parameters
    ----------
    pool : Pool
        The items, as :func:`bacon.read_pool` gives them.
    source : path, data frame, dict of columns or list of dicts
        Where the labels stand, often the pool's own file.
    label : str
        Column of the labels.
    name : str, optional
        Name in the results; by default the file's, without its ending.
    scale : (float, float), optional
        Lowest and highest possible label, stated to every configuration.
    levels : sequence, optional
        Classes of labels in words, in their order.
    na : sequence, optional
        Values that mean no label.

    Raises
    ------
    InputError
        An item has no label: a simulation needs them all; or the column of the labels is that
        of the groups, the clusters or the text as well.
    """
    refuse_roles(pool, label)
    labels = read_labels(source, id=pool.id_name, value=label, levels=levels, na=na)
    rows, y, _ = match_labels(pool, labels)
    lacking = pool.n_items - len(rows)
    if lacking:
        raise InputError(
            f"{labels.source}, column {label}: {lacking:,} of {pool.n_items:,} items have no "
            "label, and a simulation holds its estimates against all of them; leave those rows "
            "out of the file."
        )
    return FullPool(
        name=name or labels.source.rsplit(".", 1)[0],
        pool=with_copies_told(pool, y, labels.levels[0]),
        y=y,
        outcome=label,
        levels=labels.levels[0],
        scale=scale,
    )
