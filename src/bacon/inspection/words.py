"""Words among the answers: which say that there is none, and which classes need listing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.inspection.vocabulary import MEANS_MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.inspection.columns import Column

__all__ = ["Settled", "settle_words"]


@dataclass(frozen=True, slots=True)
class Settled:
    """How the answers are read.

    Parameters
    ----------
    judges : tuple of str
        Columns of judges that can be read so.
    na : tuple of str
        Values that mean missing.
    levels : tuple of str
        Classes to list, because numbers and words name them; usually none.
    notices : tuple of Notice
        What was assumed or left out.
    """

    judges: tuple[str, ...]
    na: tuple[str, ...]
    levels: tuple[str, ...]
    notices: tuple[Notice, ...]


def settle_words(
    columns: Mapping[str, Column], judges: Sequence[str], label: str | None, na: Sequence[str]
) -> Settled:
    """Settle how label and judges are read, leaving out judges that cannot be read with the rest.

    Both --na and --levels hold for all columns, so a word cannot be missing in one column and
    a class in another.
    """
    labelled = [] if label is None else [columns[label]]
    scored = [columns[name] for name in judges]
    notices = []
    classes = {word for column in (*labelled, *scored) for word in column.classes}
    clashing = {c.name for c in scored if classes & set(c.strays)}
    scored = [c for c in scored if c.name not in clashing]
    levels, unlisted = _levels(labelled, scored)
    scored = [c for c in scored if c.name not in unlisted]
    for name in sorted(clashing | unlisted):
        told = f"{name} left out of the judges: it mixes numbers and words."
        notices.append(Notice("judge_mixes_words", told))
    strays: dict[str, list[str]] = {}
    for column in (*labelled, *scored):
        for word in column.strays:
            strays.setdefault(word, []).append(column.name)
    for word, names in strays.items():
        told = f'"{word}" stands among the numbers of {", ".join(names[:3])}: taken as missing.'
        notices.append(Notice("words_taken_as_missing", told))
    known = {word for column in labelled for word in column.classes}
    for column in scored:
        for word in column.classes:
            if word.lower() in MEANS_MISSING and word not in known:
                told = (
                    f'{column.name} also answers "{word}", as no label does: if it means no '
                    f"answer, add --na {word}."
                )
                notices.append(Notice("class_may_mean_missing", told))
    missing = tuple(dict.fromkeys((*na, *strays)))
    return Settled(tuple(c.name for c in scored), missing, levels, tuple(notices))


def _levels(
    labelled: Sequence[Column], scored: Sequence[Column]
) -> tuple[tuple[str, ...], set[str]]:
    """Return the classes to list, and the judges to leave out where they cannot be listed."""
    mixed = [column for column in (*labelled, *scored) if column.is_mixed]
    if not mixed:
        return (), set()
    levels = sorted({word for column in (*labelled, *scored) for word in column.classes})
    writable = all("," not in w and w == w.strip() and w.isprintable() for w in levels)
    if writable and all(_is_among(column, levels) for column in labelled):
        return tuple(levels), set()
    return (), {column.name for column in mixed}


def _is_among(label: Column, levels: Sequence[str]) -> bool:
    """Whether the labels, if they are numbers, are whole numbers that are classes."""
    if label.kind != "numbers":
        return True
    if not label.whole or label.high - label.low >= len(levels):
        return False
    return {str(k) for k in range(int(label.low), int(label.high) + 1)} <= set(levels)
