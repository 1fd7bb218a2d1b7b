"""Comparisons of groups: all pairs or against a baseline, with one family of claims."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from bacon.checks import check_level, check_target
from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.compare import Contrast, Kind, contrast
from bacon.estimation.intervals import family_level, t_quantile
from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from bacon.data.notice import Notice
    from bacon.estimation.intervals import Interval, Target
    from bacon.estimation.vector import Estimates

__all__ = ["Comparison", "Comparisons", "compare_estimates", "pairs_of"]

POWER = 0.8
"""Chance with which a smallest detectable difference is found."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """One group compared with another.

    Parameters
    ----------
    outcome : str
        What was compared.
    first, second : str
        The groups.
    contrast : Contrast
        first - second, or first / second.
    """

    outcome: str
    first: str
    second: str
    contrast: Contrast

    @property
    def null(self) -> float:
        """The value of no difference."""
        return 0.0 if self.contrast.kind == "difference" else 1.0

    def detectable(self, level: float, target: Target) -> float:
        """Return the difference found with a chance of 80 % at `level`; NaN where there is no se.

        (t_{level} + t_{80 %, one-sided}) se, of a ratio its distance from 1.
        """
        df = self.contrast.df
        reach = t_quantile(level, df) + t_quantile(2.0 * POWER - 1.0, df)
        return reach * self.contrast.se(target)


@dataclass(frozen=True, eq=False)
class Comparisons(Sequence[Comparison]):
    """Comparisons that are taken together: one family of claims.

    Made by :meth:`Calibration.compare` or :func:`bacon.compare`; not built by hand.

    Parameters
    ----------
    kind : {"difference", "ratio"}
        What is compared.
    members : tuple of Comparison
        The comparisons.
    n_claims : int
        Number of claims in the family, by which intervals and p values are adjusted
        (Bonferroni).
    notices : tuple of Notice
        What a reader must know.
    frame_of : callable, optional
        Turns a polars frame into the user's library.
    """

    kind: Kind
    members: tuple[Comparison, ...]
    n_claims: int
    notices: tuple[Notice, ...] = ()
    frame_of: Callable[[pl.DataFrame], Any] | None = field(default=None, repr=False)

    def __getitem__(self, k: Any) -> Any:
        """Return comparison number `k`."""
        return self.members[k]

    def __iter__(self) -> Iterator[Comparison]:
        """Yield the comparisons."""
        return iter(self.members)

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.members)

    def simultaneous(self, one: Comparison, level: float, target: Target) -> Interval:
        """Return the interval of a comparison that holds together with all others."""
        return one.contrast.interval(family_level(level, self.n_claims), target)

    def p_values(self, one: Comparison, target: Target) -> tuple[float, float]:
        """Return the p value of "no difference", and the one adjusted for the family."""
        p = one.contrast.p_value(one.null, target)
        return p, min(1.0, p * self.n_claims)

    def to_frame(self, level: float = 0.95, target: Target = "pool") -> Any:
        """Return a row for each comparison.

        Returns
        -------
        frame
            outcome, first, second, difference (or ratio), se, lower, upper, lower_simultaneous,
            upper_simultaneous, p_value, p_adjusted (Bonferroni: below 1 - level exactly where the
            simultaneous interval leaves out "no difference") and detectable, the smallest
            difference found with a chance of 80 % in this family. NaN where there is none.
        """
        import polars as pl

        check_level(level)
        check_target(target)
        rows = []
        for one in self.members:
            low, high = one.contrast.interval(level, target)
            joint = self.simultaneous(one, level, target)
            p, adjusted = self.p_values(one, target)
            rows.append(
                {
                    "outcome": one.outcome,
                    "first": one.first,
                    "second": one.second,
                    self.kind: one.contrast.value,
                    "se": one.contrast.se(target),
                    "lower": low,
                    "upper": high,
                    "lower_simultaneous": joint.low,
                    "upper_simultaneous": joint.high,
                    "p_value": p,
                    "p_adjusted": adjusted,
                    "detectable": one.detectable(family_level(level, self.n_claims), target),
                }
            )
        frame = pl.DataFrame(rows)
        return frame if self.frame_of is None else self.frame_of(frame)

    def __str__(self) -> str:
        """Return a line for each comparison, with its simultaneous 95 % pool interval."""
        sign = "-" if self.kind == "difference" else "/"
        names = [f"{escaped(one.first)} {sign} {escaped(one.second)}" for one in self.members]
        width = max(map(len, names), default=0)
        lines = []
        for name, one in zip(names, self.members, strict=True):
            low, high = self.simultaneous(one, 0.95, "pool")
            ends = "no valid interval" if math.isnan(low) else f"{low:.4g}, {high:.4g}"
            lines.append(f"{name:{width}}  {one.contrast.value:.4g} ({ends})")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the comparisons as text for a notebook."""
        return f"<pre>{html.escape(str(self))}</pre>"


def pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return all pairs in order, or each other group with the baseline.

    Raises
    ------
    InputError
        The baseline is no group with an estimate.
    """
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise InputError(f"baseline {baseline!r} is none of the groups: {', '.join(names)}.")
    return [(name, baseline) for name in names if name != baseline]


def compare_estimates(
    found: Mapping[str, Estimates],
    *,
    baseline: str | None = None,
    kind: Kind = "difference",
) -> Comparisons:
    """Compare the groups of one or several outcomes.

    Parameters
    ----------
    found : mapping of str to Estimates
        By outcome: the estimates of its groups.
    baseline : str, optional
        Group that the others are held against; by default all pairs are compared.
    kind : {"difference", "ratio"}
        first - second, or first / second.

    Raises
    ------
    InputError
        There is no such baseline.
    TooFewLabelsError
        Fewer than two groups have an estimate.
    """
    members = []
    notices: list[Notice] = []
    for outcome, estimates in found.items():
        if len(estimates) < 2:
            why = "".join(
                f" {escaped(name)}: {reason}." for name, reason in estimates.left_out.items()
            )
            raise TooFewLabelsError(
                f"{outcome}: fewer than two groups of {estimates.kind} have an estimate, so there "
                f"is nothing to compare; label items of another group.{why}"
            )
        pairs = pairs_of(list(estimates), baseline)
        members += [
            Comparison(outcome, a, b, contrast(estimates[a], estimates[b], kind=kind))
            for a, b in pairs
        ]
        notices += estimates.notices
    frame_of = next(iter(found.values())).frame_of
    return Comparisons(
        kind, tuple(members), max(len(members), 1), tuple(dict.fromkeys(notices)), frame_of
    )
