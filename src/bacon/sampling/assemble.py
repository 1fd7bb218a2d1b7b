"""What every design shares: checked arguments, and the Sample put together from drawn rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import FloatArray, IntArray, read_only
from bacon.checks import check_seed, is_number
from bacon.data.notice import Notice
from bacon.data.sample import ID_COLUMN, USUAL_IDS, Sample
from bacon.errors import DesignError, InputError
from bacon.random import new_seed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.data.pool import Pool

__all__ = ["check_count", "check_fits", "check_rate", "make_sample", "rows_drawn", "settled_seed"]

LARGEST_SEED = 2**63 - 1


def check_count(name: str, value: object) -> None:
    """Refuse a number to draw that is not a whole number from 1 up."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} must be a whole number from 1 up; got {value!r}.")


def check_fits(name: str, value: int, available: int, what: str) -> None:
    """Refuse to draw more than there is."""
    if value > available:
        raise InputError(
            f"{name} = {value:,} is more than the {available:,} {what}; draw {available:,} at most."
        )


def check_rate(rate: object) -> None:
    """Refuse a rate outside (0, 1]."""
    if not is_number(rate) or not 0.0 < rate <= 1.0:
        raise InputError(f"rate must lie above 0 and at most at 1, such as 0.1; got {rate!r}.")


def settled_seed(seed: int | None) -> int:
    """Return `seed` checked, or a new one from the system."""
    if seed is None:
        return new_seed()
    check_seed(seed)
    if seed > LARGEST_SEED:
        raise InputError(f"seed must be at most {LARGEST_SEED}, to be stored exactly; got {seed}.")
    return int(seed)


def rows_drawn(pool: Pool, before: Sample) -> IntArray:
    """Return the pool rows (m,) of the items of an earlier draw, in their order."""
    if before.pool_fingerprint != pool.fingerprint:
        raise DesignError(
            f"the pilot was drawn from another pool ({before.n_items:,} items) than "
            f"{pool.source} ({pool.n_items:,} items): their ids differ. Give the pool it was "
            "drawn from."
        )
    row = {one: at for at, one in enumerate(pool.ids.tolist())}
    return np.array([row[one] for one in before.ids.tolist()], dtype=np.int64)


def make_sample(
    pool: Pool,
    rows: IntArray,
    pi: FloatArray,
    *,
    kind: str,
    parameters: Mapping[str, str | int | float | None],
    seed: int,
    hide: Sequence[str],
    notices: Sequence[Notice] = (),
) -> Sample:
    """Return the Sample of the drawn `rows`.

    Parameters
    ----------
    pool : Pool
        The pool drawn from.
    rows : (m,) int64
        Rows drawn, in the order in which they are to be labelled.
    pi : (m,) float64
        Inclusion probability of each.
    kind, parameters, seed : str, mapping, int
        The design, for the record.
    hide : sequence of str
        Columns raters must not see, beside the judges', the group and `pi`.
    notices : sequence of Notice
        What drawing had to tell.

    Raises
    ------
    InputError
        No row was drawn, or a column to hide does not exist.
    """
    if len(rows) == 0:
        raise InputError(
            f"seed {seed} draws no item at all: the probabilities are too small for a pool of "
            f"{pool.n_items:,}; raise them, or draw a fixed number with n."
        )
    hidden = _hidden_columns(pool, hide)
    return Sample(
        kind=kind,
        parameters={**parameters, **_own_ids(pool)},
        seed=seed,
        n_items=pool.n_items,
        pool_fingerprint=pool.fingerprint,
        ids=read_only(pool.ids[rows]),
        pi=read_only(pi),
        sheet=pool.table.drop(hidden)[rows],
        hidden=hidden,
        default_shown=() if pool.text is None or pool.text in hidden else (pool.text,),
        notices=(*notices, *_telling_ids(pool, rows)),
    )


def _own_ids(pool: Pool) -> dict[str, str]:
    """Return the column of the ids for the record, unless it is one that is taken unnamed."""
    return {} if pool.id_name in USUAL_IDS else {ID_COLUMN: pool.id_name}


def _telling_ids(pool: Pool, rows: IntArray) -> tuple[Notice, ...]:
    """Tell when the ids on the sheet name the group that raters must not see."""
    if pool.group is None:
        return ()
    groups = [pool.group.levels[code] for code in pool.group.codes[rows]]
    named = [i for i, g in zip(pool.ids[rows].tolist(), groups, strict=True) if g in str(i)]
    if 2 * len(named) < len(rows):
        return ()
    return (
        Notice(
            "ids_name_the_group",
            f"The ids on the sheet name the {pool.group.name} (such as {named[0]}), which raters "
            "must not know; give the items other ids.",
        ),
    )


def _hidden_columns(pool: Pool, hide: Sequence[str]) -> tuple[str, ...]:
    """Return the pool's columns, in their order, that raters must not see."""
    columns = pool.table.columns
    asked = [hide] if isinstance(hide, str) else list(hide)
    unknown = [name for name in asked if name not in columns]
    if unknown:
        raise InputError(
            f"{pool.source} has no column {unknown[0]!r} to hide; it has {', '.join(columns[:12])}."
        )
    scores = [name for judge in pool.judges for name in (judge.name, *judge.runs)]
    group = [] if pool.group is None else [pool.group.name]
    probability = [] if pool.pi_name is None else [pool.pi_name]
    unseen = {*scores, *group, *probability, *asked}
    # <judge>__entropy and the like say as much about a score as the score itself.
    prefixes = tuple(f"{name}__" for name in scores)
    return tuple(name for name in columns if name in unseen or name.startswith(prefixes))
