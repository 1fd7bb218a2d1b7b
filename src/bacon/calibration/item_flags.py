"""Flags of items beyond a cut, and how many of them would be false by the labels around them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.arrays import freeze
from bacon.calibration.estimand import Estimand
from bacon.calibration.estimating import event_prediction
from bacon.calibration.figures import number
from bacon.checks import is_number
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.domains import domain_design
from bacon.estimation.estimands import Setting, proportion_estimate
from bacon.estimation.events import cut_name
from bacon.items.flags import conformal_selection, smallest_share
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.item_basis import Basis
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.events import Cut

__all__ = ["FalseShare", "FlagRule", "Flags", "flag_items", "flag_rule"]

BOUND_LEVEL = 0.95
"""Level of the one-sided bound of the share of false flags."""


@dataclass(frozen=True, slots=True)
class FlagRule:
    """Which items are to be flagged.

    Parameters
    ----------
    side : {"below", "above"}
        On which side of the cut.
    cut : float
        The cut; an item at it is not flagged.
    fdr : float
        Share of false flags that is allowed on average.
    """

    side: str
    cut: float
    fdr: float

    @property
    def name(self) -> str:
        """Return ``below 2``."""
        return f"{self.side} {self.cut:g}"

    @property
    def unflagged(self) -> Cut:
        """Return the event that a flag would be false."""
        return ("ge" if self.side == "below" else "le", self.cut)

    def holds(self, y: FloatArray) -> BoolArray:
        """Return whether outcomes are beyond the cut."""
        return y < self.cut if self.side == "below" else y > self.cut


@dataclass(frozen=True, slots=True)
class FalseShare:
    """Share of items scored like the flagged ones that are not beyond the cut.

    Parameters
    ----------
    value : float or None
        Estimate by the labels among them, too low where these labels let the items be flagged;
        None where there is none.
    upper : float or None
        What the share is at most with probability 0.95, wherever the flags end.
    predicted : float
        What the model of the event expects.
    n_items, n_labels : int
        Items without a label scored at or beyond the last flagged one, and labels among items
        scored so.
    reason : str or None
        Why there is no estimate.
    """

    value: float | None
    upper: float | None
    predicted: float
    n_items: int
    n_labels: int
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Flags:
    """Flagged items.

    Parameters
    ----------
    rule : FlagRule
        What was asked for.
    flagged : (N,) bool
        Items without a label that are flagged, and labelled ones whose label is beyond the cut.
    p_value : (N,) float64
        Conformal p value, NaN at labelled items.
    n_flagged : int
        Flagged items without a label.
    n_known : int
        Labelled items beyond the cut.
    n_unlabelled : int
        Items without a label.
    smallest : (float, float)
        Smallest share of the items without a label that can be flagged: of the lightest and of
        the heaviest item.
    false_share : FalseShare or None
        None where nothing is flagged.
    notices : tuple of Notice
        What a reader must know.
    """

    rule: FlagRule
    flagged: BoolArray
    p_value: FloatArray
    n_flagged: int
    n_known: int
    n_unlabelled: int
    smallest: tuple[float, float]
    false_share: FalseShare | None
    notices: tuple[Notice, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "flagged", "p_value")

    def to_dict(self) -> dict[str, Any]:
        """Return the flags as the JSON has them."""
        false = self.false_share
        found: dict[str, Any] = {
            "side": self.rule.side,
            "cut": self.rule.cut,
            "fdr": self.rule.fdr,
            "n_flagged": self.n_flagged,
            "n_labelled_beyond": self.n_known,
            "smallest_share": [number(end) for end in self.smallest],
            "false_share": None,
        }
        if false is None:
            return found | {"false_share_reason": "no item is flagged"}
        if false.reason is not None:
            found["false_share_reason"] = false.reason
        found["false_share"] = {
            "estimate": false.value,
            "predicted": false.predicted,
            "upper": false.upper,
            "level": BOUND_LEVEL,
            "n_items": false.n_items,
            "n_labels": false.n_labels,
        }
        return found


def flag_rule(
    cal: Calibration, below: float | None, above: float | None, fdr: float
) -> FlagRule | None:
    """Return what is to be flagged, None where nothing is asked for.

    Raises
    ------
    InputError
        Two cuts, a cut that is no number, a rate outside (0, 1), or labels in words.
    """
    if not is_number(fdr) or not 0.0 < fdr < 1.0:
        raise InputError(f"fdr must lie between 0 and 1, such as 0.1; got {fdr!r}.")
    if below is None and above is None:
        return None
    if below is not None and above is not None:
        raise InputError("give flag_below or flag_above, and ask again for the other one.")
    side, cut = ("below", below) if below is not None else ("above", above)
    if not is_number(cut) or not math.isfinite(cut):
        raise InputError(f"flag_{side} must be a number; got {cut!r}.")
    if cal.levels is not None:
        raise InputError(
            f"the labels of {cal.outcome} are words, which are not below or above a number; their "
            "prediction sets say which classes an item may have."
        )
    return FlagRule(side, float(cut), float(fdr))


def flag_items(cal: Calibration, basis: Basis, unlabelled: IntArray, rule: FlagRule) -> Flags:
    """Flag items without a label by their scores.

    Parameters
    ----------
    cal : Calibration
        The calibration.
    basis : Basis
        Predictions, and the labels that calibrate them.
    unlabelled : (T,) int64
        Rows of the items without a label, at least one.
    rule : FlagRule
        What is flagged.
    """
    f = basis.f if rule.side == "below" else -basis.f
    own, weights = basis.own[unlabelled], basis.weights
    chosen = conformal_selection(
        f[unlabelled],
        own,
        f[basis.rows],
        weights,
        ~rule.holds(basis.y),
        fdr=rule.fdr,
        coin=float(stream(cal.seed, "flags").random()),
    )
    n_items = cal.pool.n_items
    flagged, p_value = np.zeros(n_items, dtype=bool), np.full(n_items, math.nan)
    known = rule.holds(cal.aligned.y)
    flagged[unlabelled], flagged[cal.aligned.design.rows] = chosen.flagged, known
    p_value[unlabelled] = chosen.p_value
    picked = unlabelled[chosen.flagged]
    notices = []
    if chosen.n_pruned:
        text = (
            f"{chosen.n_pruned:,} items that would be flagged by their p values were left out by "
            "a draw (pruning), without which unequal chances of being labelled would let too many "
            "flags be false."
        )
        notices.append(Notice("flags_pruned", text))
    if basis.design.psu is not None:
        text = (
            "Whole clusters were drawn, whose items are alike: that so few flags are false holds "
            "approximately."
        )
        notices.append(Notice("flags_of_clusters", text))
    return Flags(
        rule=rule,
        flagged=flagged,
        p_value=p_value,
        n_flagged=len(picked),
        n_known=int(known.sum()),
        n_unlabelled=len(unlabelled),
        smallest=smallest_share(own, float(weights.sum()), rule.fdr),
        false_share=_false_share(cal, basis, f, float(f[picked].max()), rule)
        if len(picked)
        else None,
        notices=tuple(notices),
    )


def _false_share(
    cal: Calibration, basis: Basis, f: FloatArray, last: float, rule: FlagRule
) -> FalseShare:
    """Estimate the share of false flags among items scored at or before the last flagged one.

    The augmented equation gives the share among all of these items, labelled ones included; taking
    off the labelled ones, which are known, leaves the others. `f` (N,) is small where items are
    flagged.

    Notes
    -----
    Where the flags end depends on the labels before it. Given the k labels before the next
    labelled score, they are a draw from the items before it; a bound at the error 0.05 / (k H),
    H = 1 + 1/2 + ... + 1/m, therefore holds for every k at once (Bonferroni), and items up to the
    last flagged one have at most as many false flags as those before that score.
    """
    scored = f[basis.inside]
    near = np.flatnonzero(scored <= last)
    rows = basis.inside[near]
    design, found = _design_of(cal, basis, near)
    asked = Estimand("proportion", cut_name(rule.unflagged), cut=rule.unflagged)
    phi = event_prediction(cal, asked)
    k, n_left = len(found), len(rows) - len(found)
    predicted = float(phi[np.setdiff1d(rows, basis.rows)].mean())
    n_units = k if design.psu is None else len(np.unique(design.psu))
    if n_units < 2:
        what = "label" if design.psu is None else "labelled cluster"
        why = f"there is {'no' if n_units == 0 else 'only one'} {what} among items scored like them"
        return FalseShare(None, None, predicted, n_left, k, why)
    event = asked.event(basis.y[found])
    share = proportion_estimate(asked.name, event, phi[rows], Setting(design))
    beyond = scored[basis.design.rows]
    following = float(np.min(beyond[beyond > last], initial=math.inf))
    wide = np.flatnonzero(scored < following)
    # A few labels cannot show how well the judges predict there, so the bound does without them.
    alone = proportion_estimate(
        asked.name, event, np.zeros(len(wide)), Setting(_design_of(cal, basis, wide)[0])
    )
    error = (1.0 - BOUND_LEVEL) / (k * float(np.sum(1.0 / np.arange(1, len(basis.y) + 1))))
    high = alone.interval(1.0 - 2.0 * error).high

    def of_the_rest(total: float) -> float:
        """Return the share among unlabelled items with so many false flags, labelled included."""
        return min(max((total - float(event.sum())) / n_left, 0.0), 1.0)

    return FalseShare(
        of_the_rest(len(rows) * share.value), of_the_rest(len(wide) * high), predicted, n_left, k
    )


def _design_of(cal: Calibration, basis: Basis, chosen: IntArray) -> tuple[SurveyDesign, IntArray]:
    """Return the design of the labels among `chosen` items of a basis, and which they are."""
    stratum, psu = cal.aligned.stratum, cal.aligned.psu
    design, found, _ = domain_design(
        basis.design,
        chosen,
        stratum=None if stratum is None else stratum[basis.inside],
        psu=None if psu is None else psu[basis.inside],
    )
    return design, found
