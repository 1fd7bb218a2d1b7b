"""Which columns are judges' scores, and the shortest way to name them."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.inspection.names import (
    is_human,
    is_id,
    is_judge_prefixed,
    is_length,
    is_nested_score,
    is_not_a_score,
    is_scorer,
    is_scoring,
    label_rank,
)
from bacon.inspection.vocabulary import LONG_JUDGES
from bacon.io.numbers import answers
from bacon.io.roles import RUN, UNCERTAINTY, resolve_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from bacon.arrays import FloatArray
    from bacon.inspection.columns import Column
    from bacon.io.tables import Table

__all__ = ["find_judges", "judge_pattern", "more_judges", "names_a_score", "vectors_of"]

SAME_FOR_CERTAIN = 30
"""Labels with which a column must agree, one and all, to count as the labels themselves."""

MOST_CLASSES = 20
RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 10.0), (0.0, 100.0), (-100.0, 100.0))
"""Usual scales, narrowest first; columns of one of them may be several judges'."""

LEAST_NUMBERED = 8
NUMBERED = re.compile(r"(?P<stem>.*?)[_\-.]?\d+")


def find_judges(
    table: Table,
    columns: Mapping[str, Column],
    *,
    label: str | None,
    taken: Collection[str],
    na: Sequence[str],
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Return the columns that hold judges' scores, and what to tell of the choice.

    Names decide, the surest first: judge_*, scores.* and the like, names of models and
    metrics, names that say score. Only then do several numeric columns with one range count.
    Never taken: columns of people, ids, sizes, costs, constants, and copies of the labels.
    """
    free = [c for n, c in columns.items() if n not in taken and not UNCERTAINTY.fullmatch(n)]
    numbered = set(vectors_of(free))
    fit = [c for c in free if _could_be(c) and c.name not in numbered]
    sure: list[Callable[[str], bool]] = [is_judge_prefixed, is_nested_score, is_scorer, is_scoring]
    chosen: list[Column] = []
    for is_one in sure:
        chosen = [c for c in fit if is_one(c.name)]
        if chosen:
            break
    told = []
    if not chosen:
        chosen = _of_one_range(fit, columns.get(label or ""))
        if chosen:
            names = _listed(c.name for c in chosen)
            told.append(
                Notice(
                    "judges_by_range",
                    f"No column is named like a judge; {names} look like scores, because they "
                    "share a range. Leave out of --judges what is none.",
                )
            )
    labels = None if label is None else _labels(table, columns[label], na)
    leaking = {c.name for c in chosen if labels is not None and _is_copy(table, c, labels, na)}
    if leaking:
        told.append(
            Notice(
                "judges_copy_labels",
                f"{_listed(sorted(leaking))} left out of the judges: the values are the labels "
                "again, or stand only where there is a label.",
            )
        )
    if any(is_judge_prefixed(c.name) for c in chosen):
        unused = more_judges(free, {*leaking, *(c.name for c in chosen), *numbered})
        told += [] if unused is None else [unused]
    kept, mean_told = _without_means([c.name for c in chosen if c.name not in leaking])
    return kept, (*told, *mean_told, *_told_of_unusable(free))


def more_judges(columns: Iterable[Column], taken: Collection[str]) -> Notice | None:
    """Tell of columns that look like judges' scores by their names, beside those named judge_*.

    Parameters
    ----------
    columns : iterable of Column
        Columns of the file.
    taken : collection of str
        Columns with a role, judges among them.
    """
    found = [
        column.name
        for column in columns
        if column.name not in taken
        and names_a_score(column.name)
        and column.kind == "numbers"
        and _could_be(column)
    ]
    if not found:
        return None
    option = shlex.quote(",".join(["judge_*", *found]))
    told = f"These also look like judges: {_listed(found)}; to use them, add --judges {option}."
    return Notice("judges_unused", told)


def names_a_score(name: str) -> bool:
    """Whether a name without judge_ says that its column holds scores of a model or metric."""
    if is_judge_prefixed(name) or UNCERTAINTY.fullmatch(name) or label_rank(name) is not None:
        return False
    return is_nested_score(name) or is_scorer(name) or is_scoring(name)


def _could_be(column: Column) -> bool:
    """Whether the column may be a judge's, by what it holds and what its name rules out."""
    if column.kind not in ("numbers", "words") or column.n_values < 2:
        return False
    in_words = column.kind == "words"
    if is_human(column.name) or is_id(column.name):
        return False
    if is_not_a_score(column.name, in_words=in_words):
        return False
    names_judges = column.name.lower() in LONG_JUDGES
    return not in_words or (len(column.classes) <= MOST_CLASSES and not names_judges)


def vectors_of(columns: Iterable[Column]) -> list[str]:
    """Return numbered columns of one stem, such as emb_0 ... emb_767, which are embeddings."""
    stems: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        match = NUMBERED.fullmatch(column.name)
        if match and not RUN.fullmatch(column.name) and not is_judge_prefixed(column.name):
            stems[match["stem"]].append(column.name)
    return [
        name
        for stem, names in stems.items()
        if len(names) >= LEAST_NUMBERED and not is_scorer(stem)
        for name in names
    ]


def _of_one_range(fit: Sequence[Column], label: Column | None) -> list[Column]:
    """Return the largest set of numeric columns on one usual scale, if there are several."""
    zero_one = label is not None and label.n_values == 2
    scored = [
        c
        for c in fit
        if c.kind == "numbers"
        and not c.row_numbers
        and not (c.whole and c.is_unique)
        and not is_length(c.name)
        and (zero_one or c.n_values > 2)
    ]
    families: dict[tuple[float, float], list[Column]] = defaultdict(list)
    for column in scored:
        for low, high in RANGES:
            if low <= column.low and column.high <= high:
                families[low, high].append(column)
                break
    words = [c for c in fit if c.kind == "words" and label is not None and label.classes]
    same = [c for c in words if set(c.classes) <= set(label.classes)] if label is not None else []
    best = max([same, *families.values()], key=len)
    return best if len(best) >= 2 else []


def _labels(table: Table, label: Column, na: Sequence[str]) -> FloatArray | None:
    """Return the labels (N,) as numbers or codes; None where they cannot be read so."""
    try:
        return answers(table, [label.name], role="label", na=(*na, *label.strays))[0][:, 0]
    except InputError:
        return None


def _is_copy(table: Table, column: Column, labels: FloatArray, na: Sequence[str]) -> bool:
    """Whether the column is the labels again, or known only where they are."""
    if column.is_mixed:
        return False
    values = answers(table, [column.name], role="score", na=(*na, *column.strays))[0][:, 0]
    labelled, known = ~np.isnan(labels), ~np.isnan(values)
    if not labelled.all() and not (known & ~labelled).any():
        return True
    both = labelled & known
    return int(both.sum()) >= SAME_FOR_CERTAIN and bool((values[both] == labels[both]).all())


def _without_means(names: Sequence[str]) -> tuple[tuple[str, ...], list[Notice]]:
    """Leave out columns that have the name of a judge whose runs are there as well."""
    judges = {match["judge"] for name in names if (match := RUN.fullmatch(name))}
    means = [name for name in names if name in judges]
    kept = tuple(name for name in names if name not in judges)
    if not means:
        return kept, []
    told = f"{_listed(means)} left out of the judges, as the mean of the runs beside it."
    return kept, [Notice("judge_beside_runs", told)]


def _told_of_unusable(free: Sequence[Column]) -> list[Notice]:
    """Tell which columns named like judges cannot be read, or hold nothing to learn from."""
    notices = []
    for column in free:
        if not is_judge_prefixed(column.name) or is_not_a_score(column.name, in_words=True):
            continue
        if column.kind == "unusable" and column.reason is not None:
            notices.append(Notice("judge_unusable", column.reason))
        elif column.kind == "nothing" or (column.n_values == 1 and column.n_present > 1):
            why = "every score is missing" if column.kind == "nothing" else "all scores are alike"
            told = f"{column.name} left out of the judges: {why}."
            notices.append(Notice("judge_says_nothing", told))
    return notices


def _listed(names: Iterable[str]) -> str:
    """Return the first names for a sentence."""
    every = list(names)
    more = f" and {len(every) - 5} more" if len(every) > 5 else ""
    return ", ".join(every[:5]) + more


def judge_pattern(names: Sequence[str], columns: Sequence[str], taken: Collection[str]) -> str:
    """Return what to write after ``--judges`` for exactly the columns `names`.

    Parameters
    ----------
    names : sequence of str
        The judges' columns.
    columns : sequence of str
        All columns of the file.
    taken : collection of str
        Columns with another role, which a glob passes over.
    """
    for pattern in _globs(names):
        if _picks(pattern, columns, taken) == set(names):
            return pattern
    return ",".join(name if "," not in name else name.replace(",", "?") for name in names)


def _globs(names: Sequence[str]) -> list[str]:
    """Return globs that may pick the names, the plainest first."""
    if len(names) < 2:
        return ["judge_*"] if names and names[0].startswith("judge_") else []
    start = re.sub(r"[^_\-.: ]*$", "", _common_start(names))
    end = re.sub(r"^[^_\-.: ]*", "", _common_start([name[::-1] for name in names])[::-1])
    patterns = ["judge_*", f"{start}*" if start else "", f"*{end}" if end else ""]
    if start and end:
        patterns.append(f"{start}*{end}")
    return [pattern for pattern in patterns if pattern and "," not in pattern]


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    for k, sign in enumerate(first):
        if last[k : k + 1] != sign:
            return first[:k]
    return first


def _picks(pattern: str, columns: Sequence[str], taken: Collection[str]) -> set[str]:
    """Return the columns the pattern takes, as every command reads it."""
    try:
        return set(resolve_columns(pattern, columns, role="judges", source="", taken=taken))
    except InputError:
        return set()
