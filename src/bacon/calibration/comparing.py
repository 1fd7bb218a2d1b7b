"""Comparing and ranking the groups of one or several calibrations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bacon.calibration.calibration import Calibration
from bacon.calibration.groups import group_estimates
from bacon.checks import check_level, check_target
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.comparisons import Comparisons, compare_estimates
from bacon.estimation.ranking import Ranking, rank_estimates

if TYPE_CHECKING:
    from bacon.calibration.groups import Pooling
    from bacon.estimation.compare import Kind
    from bacon.estimation.intervals import Target

__all__ = ["compare", "group_column", "rank_groups"]


def compare(
    calibrations: Calibration | Mapping[str, Calibration],
    by: str | None = None,
    *,
    baseline: str | None = None,
    kind: Kind = "difference",
    estimand: str | None = None,
    pooling: Pooling = "pooled",
) -> Comparisons:
    """Compare the groups of one or several outcomes, in one family of claims.

    Parameters
    ----------
    calibrations : Calibration or mapping of str to Calibration
        One outcome, or several as :func:`bacon.calibrate` returns them for ``outcomes=[...]``:
        intervals and p values are then adjusted for the comparisons of all of them.
    by : str, optional
        Column of the groups; by default the pool's group.
    baseline : str, optional
        Group that the others are held against; by default all pairs are compared.
    kind : {"difference", "ratio"}
        first - second, or first / second.
    estimand : str, optional
        What is compared; by default the mean.
    pooling : {"pooled", "none"}
        One model of all groups, or a model for each.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        There are no groups, no such baseline, or nothing to compare.

    Examples
    --------
    >>> import bacon
    >>> table = {
    ...     "item_id": list(range(40)),
    ...     "system": ["a", "b"] * 20,
    ...     "judge_x": [k % 5 + k % 2 for k in range(40)],
    ...     "human": [k % 5 + 2 * (k % 2) if k % 3 else None for k in range(40)],
    ... }
    >>> pool = bacon.read_pool(table, label="human", group="system")
    >>> labels = bacon.read_labels(table, value="human")
    >>> cal = bacon.calibrate(pool, labels, model="ridge")
    >>> [(one.first, one.second) for one in bacon.compare(cal)]
    [('a', 'b')]
    """
    given = calibrations if isinstance(calibrations, Mapping) else None
    if given is None:
        if not isinstance(calibrations, Calibration):
            raise InputError(
                "compare takes a calibration, or a mapping of outcomes to calibrations; got a "
                f"{type(calibrations).__name__}."
            )
        given = {calibrations.outcome: calibrations}
    if kind not in ("difference", "ratio"):
        raise InputError(f'kind must be "difference" or "ratio"; got {kind!r}.')
    for name, cal in given.items():
        if not isinstance(cal, Calibration):
            raise InputError(f"{name}: compare takes calibrations; got a {type(cal).__name__}.")
    found = {
        name: group_estimates(
            cal, estimand or _estimand(cal), group_column(cal, by), pooling=pooling
        )
        for name, cal in given.items()
    }
    if not found:
        raise InputError("there is no outcome to compare.")
    return compare_estimates(found, baseline=baseline, kind=kind)


def rank_groups(
    cal: Calibration,
    by: str | None,
    *,
    estimand: str | None,
    level: float,
    target: Target,
    pooling: Pooling,
) -> Ranking:
    """Rank groups; see :meth:`Calibration.rank`."""
    check_level(level)
    check_target(target)
    estimates = group_estimates(
        cal, estimand or _estimand(cal), group_column(cal, by), pooling=pooling
    )
    better = cal.better or "higher"
    ranking = rank_estimates(
        estimates, better=better, level=level, target=target, outcome=cal.outcome
    )
    if cal.better is not None:
        return ranking
    told = Notice(
        "better_assumed",
        'Higher values are taken as better; say --better lower (better="lower" in Python) where '
        "they are not.",
    )
    return replace(ranking, notices=(told, *ranking.notices))


def group_column(cal: Calibration, by: str | None) -> str:
    """Return the column of the groups: the one asked for, or the pool's."""
    if by is not None:
        return by
    if cal.pool.group is None:
        raise InputError(
            f"{cal.pool.source}: no column of groups is named; give --group COLUMN (by=COLUMN, or "
            "group=COLUMN of read_pool, in Python)."
        )
    return cal.pool.group.name


def _estimand(cal: Calibration) -> str:
    """Return what groups are compared by when nothing is said."""
    if cal.levels is None:
        return "mean"
    raise InputError(
        f"the labels of {cal.outcome} are words, which have no mean; say which share compares the "
        f"groups: --estimand proportion:eq:{cal.levels[0]} (estimand= in Python)."
    )
