"""A pool with some of what is known of its items taken away, to see what the rest is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from bacon.errors import InputError
from bacon.words import shown

if TYPE_CHECKING:
    from bacon.data.pool import Pool

__all__ = ["ALL", "NOTHING", "ablated", "check_use"]

ALL = "all"
NOTHING = "nothing"
KINDS = ("judges", "embeddings", "features", "text")
JUDGE = "judge:"

_made: WeakKeyDictionary[Pool, dict[str, Pool]] = WeakKeyDictionary()
"""Pools made, so that what is worked out of a pool once is not worked out in every draw."""


def check_use(use: str) -> None:
    """Refuse a `use` that says nothing of a pool.

    Raises
    ------
    InputError
        A word is unknown.
    """
    words = _words(use)
    for word in words:
        if word not in (ALL, NOTHING, *KINDS) and not word.startswith(JUDGE):
            raise InputError(
                f"use={shown(use, 60)}: {shown(word, 30)!r} is not known; write {ALL}, {NOTHING}, "
                f"or some of {', '.join(KINDS)} and, last, {JUDGE}NAME with + between them."
            )
        if word in (ALL, NOTHING) and len(words) > 1:
            raise InputError(
                f"use={shown(use, 60)}: {word} stands alone; leave the other words out."
            )
    if "judges" in words and words[-1].startswith(JUDGE):
        raise InputError(
            f"use={shown(use, 60)}: judges are all of them, {JUDGE}NAME is one; write one of both."
        )


def _words(use: str) -> list[str]:
    """Return the words; all that follows ``judge:`` is a name, which may hold a +."""
    kinds, judge, name = use.partition(JUDGE)
    words = [] if judge and not kinds else kinds.removesuffix("+").split("+")
    return [*words, judge + name] if judge else words


def ablated(pool: Pool, use: str) -> Pool:
    """Return the pool with only some of what is known of its items.

    Parameters
    ----------
    pool : Pool
        The items.
    use : str
        ``all``, ``nothing``, or words with ``+`` between them: judges, embeddings, features,
        text (its length) and, as the last, ``judge:NAME`` for one judge.

    Returns
    -------
    Pool
        The same one each time it is asked for.

    Raises
    ------
    InputError
        A word is unknown, or the pool has not what it names.
    """
    if use == ALL:
        return pool
    kept = _made.setdefault(pool, {})
    if use not in kept:
        check_use(use)
        kept[use] = _with(pool, _words(use))
    return kept[use]


def _with(pool: Pool, words: list[str]) -> Pool:
    """Return the pool with what the words name."""
    single = [word.removeprefix(JUDGE) for word in words if word.startswith(JUDGE)]
    has = {
        "judges": bool(pool.judges),
        "embeddings": pool.embeddings is not None,
        "features": bool(pool.feature_names),
        "text": pool.text is not None,
        **{JUDGE + one.name: True for one in pool.judges},
    }
    lacking = [word for word in words if word not in (ALL, NOTHING) and not has.get(word)]
    if lacking:
        raise InputError(f"{pool.source}: the pool has no {lacking[0]} to use.")
    judges = pool.judges if "judges" in words else ()
    if single:
        judges = tuple(one for one in pool.judges if one.name in single)
    features = "features" in words
    return replace(
        pool,
        judges=judges,
        features=pool.features if features else np.zeros((pool.n_items, 0)),
        feature_names=pool.feature_names if features else (),
        embeddings=pool.embeddings if "embeddings" in words else None,
        text=pool.text if "text" in words else None,
    )
