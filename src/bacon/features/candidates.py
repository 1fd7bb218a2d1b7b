"""Which columns a pool's features can have, before centre, scale and ends are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.features.columns import Column, length_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.data.pool import Judge, Pool
    from bacon.features.columns import Reader

__all__ = ["derived_columns", "indicators", "kinds_told", "score_columns"]


def score_columns(pool: Pool) -> Iterator[Column]:
    """Yield the columns of scores and features, without centre and scale."""
    for judge in pool.judges:
        if judge.levels is None:
            yield Column(judge.name, "judge", judge.name, 0.0, 1.0)
        for level in judge.levels or ():
            yield Column(f"{judge.name} = {level}", "class", judge.name, 0.0, 1.0, level)
    for judge in pool.judges:
        if "expected" in kinds_told(judge) and judge.levels is None:
            yield Column(f"{judge.name} expected score", "expected", judge.name, 0.0, 1.0)
    for name in pool.feature_names:
        yield Column(name, "feature", name, 0.0, 1.0)
    if pool.text is not None:
        yield Column(length_name(pool.text), "length", pool.text, 0.0, 1.0)


def kinds_told(judge: Judge) -> set[str]:
    """Return the kinds of uncertainty that a judge tells."""
    return {"logppl" if one.kind == "logprob" else one.kind for one in judge.uncertainty}


def indicators(pool: Pool, reader: Reader) -> list[Column]:
    """Return a column for each set of items on which scores or features are missing."""
    subjects: list[tuple[str, str, str | None]] = [(j.name, j.name, None) for j in pool.judges]
    for column in score_columns(pool):
        if column.kind in ("expected", "feature", "length"):
            level = None if column.kind == "feature" else column.kind
            subjects.append((column.name, column.source, level))
    found: dict[bytes, Column] = {}
    for name, source, level in subjects:
        column = Column(f"{name} missing", "missing", source, 0.0, 1.0, level)
        gone = reader.raw(column)
        if 0.0 < gone.mean() < 1.0:
            scaled = replace(column, centre=float(gone.mean()), scale=float(gone.std()))
            found.setdefault(np.packbits(gone > 0.0).tobytes(), scaled)
    return list(found.values())


def derived_columns(pool: Pool, reader: Reader) -> list[Column]:
    """Return the derived columns there can be, without ends, centre and scale."""
    found: list[Column] = []

    def product(judge: str, factor: str, word: str) -> None:
        values = reader.factor(judge, factor)
        values = values[~np.isnan(values)]
        origin = float(values.mean()) if len(values) else 0.0
        kind = f"score x {factor}"
        found.append(Column(f"{judge} x {word}", kind, judge, 0.0, 1.0, origin=origin))

    for judge in pool.judges:
        if judge.name not in reader.judged:
            continue
        name = judge.name
        if judge.scores.shape[1] > 1:
            found.append(Column(f"{name} spread of runs", "spread", name, 0.0, 1.0))
            found.append(Column(f"{name} runs differ", "varies", name, 0.0, 1.0))
            product(name, "spread", "spread of runs")
        for kind, word in (("entropy", "entropy"), ("logppl", "log-perplexity")):
            if kind in kinds_told(judge):
                product(name, kind, word)
    if len(reader.judged) > 1:
        found.append(Column("disagreement of judges", "disagreement", "judges", 0.0, 1.0))
    return found
