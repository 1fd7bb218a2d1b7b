"""Where planning starts: what a pilot showed, or what is assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bacon.calibration.calibration import Calibration
from bacon.calibration.estimand import parse_estimand
from bacon.calibration.estimating import estimate_for_these
from bacon.checks import check_level, check_target, is_number
from bacon.data.notice import Notice
from bacon.errors import InputError, TooFewLabelsError
from bacon.planning.curve import FLAT, Curve, learning_curve, out_of_fold
from bacon.planning.plan import Plan
from bacon.planning.spread import Spread, spread_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray
    from bacon.calibration.estimand import Estimand
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate
    from bacon.outcome.crossfit import FoldPlan

__all__ = ["plan"]

LEAST_PILOT = 10
"""Labels below which a pilot shows too little to plan by."""

SMALL_PILOT = 30
"""Labels below which a plan is told to be rough."""


def plan(
    pilot: Calibration | None = None,
    *,
    r2: float | None = None,
    sd: float | None = None,
    n_items: int | None = None,
    estimand: str | None = None,
    level: float = 0.95,
    target: Target = "pool",
) -> Plan:
    """Plan how many labels to buy, from a pilot or from an assumption.

    Parameters
    ----------
    pilot : Calibration, optional
        A calibration on the labels there are.
    r2, sd, n_items : float, float, int, optional
        Without a pilot: out-of-fold R2 of the model, standard deviation of the labels, number
        of items.
    estimand : str, optional
        mean (the default), or a share such as ``"proportion:ge:4"``.
    level : float
        Confidence level of the planned intervals.
    target : {"pool", "population"}
        These items, or more items like them.

    Returns
    -------
    Plan
        ``.for_width(w)``, ``.for_difference(d)``, ``.by_stratum(w, column)``,
        ``.for_budget(money)``, ``.two_stage(n)``, ``.width(n)``, ``.save_figure(path)``.

    Raises
    ------
    InputError
        Neither or both of a pilot and an assumption, or an argument is no such number.
    TooFewLabelsError
        The pilot has fewer than 10 labels.
    EstimationError
        The pilot's labels show no error to plan by.

    Examples
    --------
    >>> import bacon
    >>> assumed = bacon.plan(r2=0.5, sd=1.2, n_items=5000)
    >>> assumed.for_width(0.2).n_labels, assumed.for_width(0.2).n_alone
    (265, 501)
    """
    check_level(level)
    check_target(target)
    given = {"r2": r2, "sd": sd, "n_items": n_items}
    if pilot is None:
        return _assumed(given, level, target, estimand)
    if any(value is not None for value in given.values()):
        raise InputError(
            "give a pilot (--pilot), or R2, SD and items to assume (--r2, --sd, --items), not both."
        )
    if not isinstance(pilot, Calibration):
        raise InputError(f"a pilot is a calibration; got a {type(pilot).__name__}.")
    return _from_pilot(pilot, level, target, estimand)


OPTIONS = {"r2": "--r2", "sd": "--sd", "n_items": "--items"}


def _assumed(given: Mapping[str, Any], level: float, target: Target, estimand: str | None) -> Plan:
    """Return the plan from an assumption."""
    missing = [name for name, value in given.items() if value is None]
    if missing:
        options = [OPTIONS[name] for name in missing]
        raise InputError(
            "without a pilot, R2, SD and the number of items are assumed; give also "
            f"{' and '.join(options)} ({', '.join(f'{name}=' for name in missing)} in Python)."
        )
    r2, sd, n_items = given["r2"], given["sd"], given["n_items"]
    if not is_number(r2) or not 0.0 <= r2 < 1.0:
        raise InputError(f"--r2 (r2=) must lie from 0 to below 1; got {r2!r}.")
    if not is_number(sd) or not 1e-150 < sd < 1e150:
        raise InputError(
            "--sd (sd=) must be a number above 0 (1e-150 to 1e150, to be reckoned with); got "
            f"{sd!r}."
        )
    if not is_number(n_items) or n_items != int(n_items) or n_items < 3:
        raise InputError(f"--items (n_items=) must be a whole number from 3 up; got {n_items!r}.")
    if estimand not in (None, "mean"):
        raise InputError(
            f"an assumption plans for a mean; for {estimand} give a pilot, or for a share p the "
            "sd sqrt(p (1 - p))."
        )
    size = int(n_items)
    alone = Spread(size, sd**2, sd**2 / size)
    told = Notice(
        "plan_assumed",
        f"Assumed, not measured: R2 {r2:g} out of fold and an SD of {sd:g}. Label a pilot of 60 to "
        "100 items and plan again.",
    )
    judged = Spread(size, sd**2 * (1.0 - r2), sd**2 / size)
    return Plan(judged, alone, level, target, "mean", notices=(told,))


def _from_pilot(cal: Calibration, level: float, target: Target, estimand: str | None) -> Plan:
    """Return the plan from a pilot."""
    asked = parse_estimand(estimand or "mean", cal.levels)
    if asked.kind not in ("mean", "proportion"):
        raise InputError(
            f"labels are planned for means and shares, and {asked.name} is neither; ask for "
            "mean or proportion:ge:VALUE."
        )
    if cal.n_labels < LEAST_PILOT:
        raise TooFewLabelsError(
            f"the pilot has {cal.n_labels} labels, too few to plan by: at least {LEAST_PILOT}, "
            "better 60 to 100; label more items, or assume (--r2 and --sd, r2= and sd= in Python)."
        )
    found = estimate_for_these(cal, asked)
    alone = estimate_for_these(cal, asked, labels_alone=True)
    share = found.value if asked.kind == "proportion" else None
    judged = spread_of(found, _curve(cal, asked), share=share)
    human = spread_of(alone, FLAT, share=None if share is None else alone.value)
    # What items differ by beyond these is one and the same, best known with the judges.
    human = replace(human, between=judged.between)
    return Plan(judged, human, level, target, asked.name, cal, _told(cal, found))


def _curve(cal: Calibration, asked: Estimand) -> Curve:
    """Return the learning curve of the model that serves the estimand."""
    y = cal.aligned.y
    if asked.kind == "mean":
        return learning_curve(cal, y)
    event = asked.event(y, cal.levels)
    if asked.label is not None and cal.levels is not None:
        column = cal.levels.index(asked.label)

        def of_class(pilot: Calibration, _: FloatArray, folds: FoldPlan) -> FloatArray:
            return out_of_fold(pilot, y, folds)[:, column]

        return learning_curve(cal, event, of_class)
    return learning_curve(replace(cal, fitter=cal.fitter.for_event()), event)


def _told(cal: Calibration, found: Estimate) -> tuple[Notice, ...]:
    """Return what a reader must know of planning by this pilot."""
    notices = [*cal.notices, *found.notices]
    if cal.n_labels < SMALL_PILOT:
        text = (
            f"A pilot of {cal.n_labels} labels hardly knows its own spread: the plan is rough. 60 "
            "to 100 make a useful one."
        )
        notices.append(Notice("small_pilot", text))
    if cal.raters != "these":
        text = "The plan is for these raters; what others would say needs more raters, not labels."
        notices.append(Notice("raters_not_counted", text))
    return tuple(notices)
