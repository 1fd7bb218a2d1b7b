"""Differences and ratios of two estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy import special

from bacon.checks import check_level, check_target
from bacon.data.notice import Notice
from bacon.errors import EstimationError, InputError
from bacon.estimation.combined import disjoint_variances, shared_variances
from bacon.estimation.intervals import Interval, Target, no_interval
from bacon.estimation.results import Estimate
from bacon.estimation.rules import NO_ERROR, check_method, plain_interval
from bacon.estimation.sandwich import Variances, shows_no_spread, variances

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.domains import Domain

__all__ = ["Contrast", "contrast"]

Kind = Literal["difference", "ratio"]


@dataclass(frozen=True, eq=False)
class Contrast:
    """Difference or ratio of two estimates.

    Parameters
    ----------
    kind : str
        difference or ratio.
    value : float
        a - b, or a / b.
    variances : Variances
        For both targets.
    pools : str
        same, disjoint, or groups of one pool.
    notices : tuple of Notice
        What a reader must know.
    unsettled : tuple of str
        Targets for which the labels of an estimate show no spread: there is no interval.
    """

    kind: Kind
    value: float
    variances: Variances
    pools: str
    notices: tuple[Notice, ...] = ()
    unsettled: tuple[Target, ...] = ()

    def se(self, target: Target = "pool") -> float:
        """Return the standard error for `target`; NaN where there is no interval."""
        check_target(target)
        if target in self.unsettled:
            return math.nan
        return math.sqrt(self.variances.of(target))

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.variances.df

    def interval(
        self, level: float = 0.95, target: Target = "pool", method: str = "auto"
    ) -> Interval:
        """Return the confidence interval; NaN with a reason where there is none.

        Parameters
        ----------
        level, target
            As for an estimate.
        method : {"auto", "skew", "t", "z"}
            auto and skew: Student's t corrected for skewed residuals; t: value -/+ t se; z: with
            the normal quantile.
        """
        check_level(level)
        check_target(target)
        check_method(method)
        if math.isnan(self.variances.of(target)) or target in self.unsettled:
            return no_interval(level, target, self.df, NO_ERROR)
        return plain_interval(self.value, self.variances, level, target, method)

    def p_value(self, null: float | None = None, target: Target = "pool") -> float:
        """Return the p value of "the true value is `null`" (0, for a ratio 1).

        1 less the highest level at which the interval leaves `null` out; 0 below 1e-12, NaN where
        there is no interval.
        """
        null = null if null is not None else float(self.kind == "ratio")
        if math.isnan(self.interval(0.95, target).low):
            return math.nan
        if self.value == null:
            return 1.0
        if self.se(target) == 0.0:
            return 0.0

        def leaves_out(alpha: float) -> bool:
            low, high = self.interval(1.0 - alpha, target)
            return not low <= null <= high

        if self.variances.is_moderated:
            # Student's interval, whose level is known in closed form.
            t = abs(self.value - null) / self.se(target)
            return 2.0 * float(special.stdtr(self.df, -t))
        low, high = -12.0, 0.0
        if leaves_out(10.0**low):
            return 0.0
        for _ in range(40):
            middle = (low + high) / 2.0
            low, high = (low, middle) if leaves_out(10.0**middle) else (middle, high)
        return float(10.0**high)

    def __str__(self) -> str:
        """Return value and 95 % pool interval in one line."""
        low, high = self.interval()
        ends = "no valid interval" if math.isnan(low) else f"{low:.4g}, {high:.4g}"
        return f"{self.value:.4g} ({ends})  {self.kind}, {self.pools} pool"

    __repr__ = __str__


def contrast(
    a: Estimate,
    b: Estimate,
    *,
    kind: Kind = "difference",
    pools: Literal["same", "disjoint"] | None = None,
) -> Contrast:
    """Compare two estimates, taking account of what they share.

    Parameters
    ----------
    a, b : Estimate
        Two estimates of one pool and the same labelled items (two outcomes, two estimands,
        two models), or of two pools without a common item.
    kind : {"difference", "ratio"}
        a - b, or a / b.
    pools : {"same", "disjoint"}, optional
        Says which, for estimates of :func:`bacon.aee`, which know no ids.

    Returns
    -------
    Contrast
        On the same pool the error follows from the difference of influence values; over
        disjoint pools the variances add, with Welch's degrees of freedom.

    Raises
    ------
    InputError
        The pools overlap in part, the labelled items differ, or `pools` is needed.
    EstimationError
        A ratio with a denominator of 0.

    Examples
    --------
    >>> import bacon
    >>> from math import nan
    >>> first = bacon.aee([3, nan, 5, nan, 4, 2], [2, 3, 5, 4, 3, 1])
    >>> second = bacon.aee([2, nan, 4, nan, 4, 1], [2, 3, 5, 4, 3, 1])
    >>> print(round(bacon.contrast(first, second, pools="same").value, 3))
    0.75
    """
    for name, given in (("a", a), ("b", b)):
        if not isinstance(given, Estimate):
            raise InputError(f"{name} must be an estimate; got a {type(given).__name__}.")
        if given.raters != "these":
            raise InputError(
                f"{name} is for raters like these, whose leanings two estimates may share; compare "
                'estimates for these raters (raters="these").'
            )
    if kind not in ("difference", "ratio"):
        raise InputError(f'kind must be "difference" or "ratio"; got {kind!r}.')
    if kind == "ratio" and b.value == 0.0:
        raise EstimationError(
            "the denominator of the ratio is estimated as 0; compare by difference."
        )
    if pools not in (None, "same", "disjoint"):
        raise InputError(f'pools must be "same" or "disjoint"; got {pools!r}.')
    relation = _relation(a, b, pools)
    weight_a = 1.0 if kind == "difference" else 1.0 / b.value
    weight_b = -1.0 if kind == "difference" else -a.value / b.value**2
    value = a.value - b.value if kind == "difference" else a.value / b.value
    if relation == "same":
        spread = _same_pool(a, b, weight_a, weight_b)
        parts = [(a.variances, a.design), (b.variances, b.design), (spread, a.design)]
    else:
        spread = disjoint_variances(a, b, weight_a, weight_b)
        if relation == "groups":
            spread = shared_variances(spread, a, b, weight_a, weight_b)
        parts = [(a.variances, a.design), (b.variances, b.design)]
        if relation == "groups" and spread.pool != a.variances.pool + b.variances.pool:
            parts.append((spread, a.design))
    unsettled = tuple(
        target
        for target in get_args(Target)
        if any(shows_no_spread(variances_, design, target) for variances_, design in parts)
    )
    return Contrast(kind, value, spread, relation, _denominator_notice(b, kind), unsettled)


def _relation(a: Estimate, b: Estimate, said: str | None) -> str:
    """Return same, disjoint or groups, refusing what is neither or contradicts what was said."""
    of_a, of_b = a.domain, b.domain
    if of_a is not None and of_b is not None:
        if of_a.key == of_b.key and _apart(a, b, of_a, of_b):
            return _confirmed("groups", said)
        one_pool, own_draws = of_a.pool == of_b.pool, of_a.key != of_b.key
        if one_pool and own_draws and _apart(a, b, of_a, of_b):
            raise InputError(
                f"{of_a.name} and {of_b.name} are estimated from different labels or draws, which "
                "may share items; estimate both with one calibration."
            )
    if a.pool_key is None or b.pool_key is None or a.ids is None or b.ids is None:
        if said is not None:
            return said
        raise InputError(
            'these estimates know no item ids; say pools="same" (same items in the same order) or '
            'pools="disjoint".'
        )
    if a.pool_key == b.pool_key and np.array_equal(a.ids, b.ids):
        return _confirmed("same", said)
    shared = len(set(a.ids.tolist()) & set(b.ids.tolist()))
    if shared:
        raise InputError(
            f"the two pools share {shared:,} of {len(a.ids):,} and {len(b.ids):,} items, or hold "
            "them in another order: estimate both from one pool, or from pools without a common "
            "item."
        )
    return _confirmed("disjoint", said)


def _apart(a: Estimate, b: Estimate, of_a: Domain, of_b: Domain) -> bool:
    """Whether two groups of one pool have no item in common."""
    if of_a.by == of_b.by:
        return of_a.name != of_b.name
    if a.ids is None or b.ids is None:
        return False
    return not set(a.ids.tolist()) & set(b.ids.tolist())


def _confirmed(found: str, said: str | None) -> str:
    """Return what the ids say, refusing a `said` that contradicts them."""
    if said not in (None, found):
        raise InputError(f'pools="{said}" was said, but by their ids the pools are {found}.')
    return found


def _same_pool(a: Estimate, b: Estimate, weight_a: float, weight_b: float) -> Variances:
    """Return the variances of a combination of two estimates of the same labelled rows."""
    if a.n_items != b.n_items or not np.array_equal(a.design.rows, b.design.rows):
        raise InputError(
            "the two estimates rest on different labelled items of the pool; label both outcomes "
            "on the same items, or leave out the labels that only one has."
        )
    same_design = a.design.kind == b.design.kind and all(
        _alike(getattr(a.design, part), getattr(b.design, part))
        for part in ("pi", "stratum", "psu")
    )
    if not same_design or not _alike(a.cluster, b.cluster):
        raise InputError(
            "the two estimates take the labels as drawn in different ways, or share items by "
            "different clusters; estimate both with the same design and cluster."
        )
    combined = a.influence_values.scaled(weight_a).plus(b.influence_values.scaled(weight_b))
    rounding = weight_a**2 * a.variances.rounding + weight_b**2 * b.variances.rounding
    found = variances(combined, a.design, a.cluster, rounding=rounding)
    # Coefficients may have fewer degrees of freedom than the design.
    df = min(found.df, a.df, b.df)
    uneven = None if found.df_uneven is None else min(found.df_uneven, df)
    return replace(found, df=df, df_uneven=uneven)


def _alike(a: IntArray | FloatArray | None, b: IntArray | FloatArray | None) -> bool:
    """Whether both are missing, or both hold the same values."""
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _denominator_notice(b: Estimate, kind: Kind) -> tuple[Notice, ...]:
    """Tell when a ratio's denominator could be 0."""
    low, high = b.interval()
    if kind == "difference" or not low <= 0.0 <= high:
        return ()
    return (
        Notice(
            "denominator_near_zero",
            "The interval of the denominator holds 0, so the ratio's interval means little; "
            "compare by difference.",
        ),
    )
