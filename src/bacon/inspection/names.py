"""What the name of a column says about its role."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bacon.inspection.vocabulary import (
    EXACT_LABELS,
    HUMAN,
    ID_NAMES,
    IDS,
    JUDGE_PREFIX,
    LENGTHS,
    NESTED,
    NOT_A_SCORE,
    RATER,
    REMARKS,
    SCORERS,
    SCORING,
    SHORT_SCORERS,
    SIZES,
    WEAK_LABELS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "among",
    "is_human",
    "is_id",
    "is_judge_prefixed",
    "is_length",
    "is_nested_score",
    "is_not_a_score",
    "is_rater",
    "is_remark",
    "is_scorer",
    "is_scoring",
    "label_rank",
    "words_of",
]


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, digits at their ends left out."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return [word.rstrip("0123456789") or word for word in re.findall(r"[a-z0-9]+", parted)]


def among(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns called one of `names`, whatever their case, in the order of `names`."""
    lower: dict[str, list[str]] = {}
    for column in columns:
        lower.setdefault(column.lower(), []).append(column)
    return [column for name in names for column in lower.get(name, ())]


def label_rank(name: str) -> int | None:
    """Return how soon a column is taken for the labels, 0 first; None if its name is no label's."""
    lower = name.lower()
    if lower in EXACT_LABELS:
        return EXACT_LABELS.index(lower)
    if lower.startswith("human"):
        return 10
    if is_human(name):
        return 11
    if WEAK_LABELS & set(words_of(name)) and not (is_judge_prefixed(name) or is_scorer(name)):
        return 12 if not is_nested_score(name) else None
    return None


def is_human(name: str) -> bool:
    """Whether the name says that people gave these values."""
    return bool(HUMAN & set(words_of(name)))


def is_rater(name: str) -> bool:
    """Whether the column is one of several raters'."""
    return RATER.search(name.lower()) is not None


def is_judge_prefixed(name: str) -> bool:
    """Whether the name begins with judge_ or the like."""
    return JUDGE_PREFIX.match(name.lower()) is not None


def is_nested_score(name: str) -> bool:
    """Whether the name stands under scores or the like, as nested JSON does."""
    return NESTED.match(name.lower()) is not None


def is_scorer(name: str) -> bool:
    """Whether a word of the name is that of a model or a metric that scores."""
    words = words_of(name)
    return any(SCORERS.match(word) or word in SHORT_SCORERS for word in words)


def is_scoring(name: str) -> bool:
    """Whether a word of the name says score, without saying whose."""
    return bool(SCORING & set(words_of(name)))


def is_not_a_score(name: str, *, in_words: bool = False) -> bool:
    """Whether the name is one of ids, sizes, costs or times, or of a judge's remarks.

    In a name that begins with judge_ only the last word counts, and remarks only of columns
    that hold words, since the rest of the name may be anything.
    """
    words = words_of(re.sub(r"_run\d+$", "", name))
    if not words:
        return False
    if is_judge_prefixed(name):
        return words[-1] in (SIZES | REMARKS if in_words else SIZES)
    ruled_out = SIZES | REMARKS | NOT_A_SCORE
    return bool(ruled_out & set(words)) and words[-1] not in SCORING


def is_remark(name: str) -> bool:
    """Whether the column holds what a judge or rater says beside its answer."""
    return bool(REMARKS & set(words_of(name))) or is_judge_prefixed(name)


def is_length(name: str) -> bool:
    """Whether the column counts characters, words or tokens of something."""
    return bool(LENGTHS & set(words_of(name)))


def is_id(name: str) -> bool:
    """Whether the name is that of an id."""
    words = words_of(name)
    return bool(words) and (words[-1] in IDS or name.lower() in ID_NAMES)
