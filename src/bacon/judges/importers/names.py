"""Names of judges and items that come from several logs: different things get different names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["item_name", "judge_names", "varying"]

LONGEST = 80
SEPARATOR = "|"

_SIGNS = re.compile(r"[^\w.@+-]+")
_ENDS = re.compile(r"_(run\d+)$")


def judge_names(scorers: Sequence[str], judge: str | None) -> dict[str, str]:
    """Return the name of the judge for each scorer.

    Parameters
    ----------
    scorers : sequence of str
        As the logs name them.
    judge : str or None
        The name of the one judge; without it judges are called ``judge_<scorer>``, in which
        signs that a glob or a list of names would misread are underscores.

    Raises
    ------
    InputError
        One name is given for several scorers.
    """
    if judge is not None:
        if len(scorers) > 1:
            raise InputError(
                f"--judge names one judge, and there are scores of {len(scorers)} "
                f"({listed(scorers)}); pick one with --score-column, or leave out --judge."
            )
        return dict.fromkeys(scorers, judge)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for scorer in scorers:
        plain = re.sub("_{2,}", "_", _SIGNS.sub("_", scorer)).strip("_")[:LONGEST] or "score"
        # A judge's columns end in its runs: a name that ends so would be read as one of them.
        plain = _ENDS.sub(r"-\1", plain)
        base = plain if plain.startswith("judge_") else f"judge_{plain}"
        name, k = base, 2
        while name in taken:
            name, k = f"{base}-{k}", k + 1
        names[scorer] = name
        taken.add(name)
    return names


def varying(values: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the parts of ids that tell items apart: those with more than one value."""
    return tuple(part for part, found in values.items() if len(set(found)) > 1)


def item_name(item: str, parts: Mapping[str, str], wanted: Sequence[str]) -> str:
    """Return the id of an item, with the wanted parts before it.

    Examples
    --------
    >>> item_name("7", {"task": "qa", "system": "a|b"}, ("system",))
    'a%7Cb|7'
    """
    before = [parts.get(part, "").replace("%", "%25").replace(SEPARATOR, "%7C") for part in wanted]
    return SEPARATOR.join([*before, item])
