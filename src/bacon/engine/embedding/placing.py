"""Vectors of all columns side by side, a row for each item that gets one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bacon.arrays import BoolArray, IntArray
    from bacon.engine.embedding.spill import Spill
    from bacon.features.embedders.base import Float32Array

__all__ = ["placed_blocks"]

BLOCK = 4096
"""Rows at a time."""


def placed_blocks(
    spills: Sequence[Spill], usable: BoolArray, wanted: BoolArray
) -> Iterator[Float32Array]:
    """Yield the rows of the file: vectors of all columns side by side, means where there is none.

    Parameters
    ----------
    spills : sequence of Spill
        The vectors of usable items, for each column.
    usable, wanted : (N,) bool
        Items that were embedded, and those that get a row.
    """
    means = np.concatenate([spill.mean() for spill in spills])
    parts = [spill.blocks(BLOCK) for spill in spills]
    rows, wanted_rows = np.flatnonzero(usable), np.flatnonzero(wanted)
    start = done = 0
    for blocks in zip(*parts, strict=True):
        block = np.concatenate(blocks, axis=1)
        here = rows[start : start + len(block)]
        start += len(block)
        last = len(wanted) if start == len(rows) else int(here[-1]) + 1
        upto = int(np.searchsorted(wanted_rows, last))
        items = wanted_rows[done:upto]
        done = upto
        yield _placed(items, here, block, means)


def _placed(
    items: IntArray, here: IntArray, block: Float32Array, means: Float32Array
) -> Float32Array:
    """Return the rows of items: those of the block whose item they are, else the means."""
    out = np.tile(means, (len(items), 1))
    has = ~np.isnan(block).any(axis=1)
    own = np.isin(items, here[has])
    out[own] = block[has][np.isin(here[has], items)]
    return out
