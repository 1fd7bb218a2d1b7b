"""Strengths of systems from comparisons of their outputs in pairs.

Bradley and Terry (1952): the first of a pair wins with the odds exp(b_first - b_second), a
logistic regression on the columns +1 for the first system and -1 for the second; a tie counts as
half a win. Davidson (1970) gives ties a chance of their own: "the first wins", "the second wins"
and "a tie" have chances in proportion to

    exp(b_first), exp(b_second), nu exp((b_first + b_second) / 2).

Either is solved through the augmented equation; strengths sum to 0 over the systems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import EstimationError, InputError
from bacon.estimation.augmented_score import solve
from bacon.estimation.coefficients import basis_of, coefficient_estimates, need_labels
from bacon.estimation.families import DAVIDSON, LOGISTIC
from bacon.estimation.score_equation import NoFiniteRoot, ScoreEquation
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.estimands import Setting
    from bacon.estimation.vector import Estimates

__all__ = ["FIRST_MOVER", "TIES", "Ties", "check_ties", "pairwise_estimates"]

Ties = Literal["half", "davidson"]

FIRST_MOVER = "(shown first)"
"""Name of the advantage, in log odds, of being shown first."""

TIES = "(ties)"
"""Name of log nu of Davidson's model: log odds, between equals, of a tie against a win of one."""

MOST_NAMED = 6
"""Systems named in a message."""


def check_ties(ties: str) -> None:
    """Refuse an unknown way to take ties."""
    if ties not in get_args(Ties):
        raise InputError(
            'ties must be "half" (half a win for each) or "davidson" (ties with a chance of their '
            f"own); got {ties!r}."
        )


def pairwise_estimates(
    names: Sequence[str],
    pairs: IntArray,
    y: FloatArray,
    f: FloatArray | None,
    setting: Setting,
    *,
    ties: Ties = "half",
    order_effect: bool = False,
    adjust: bool = True,
) -> Estimates:
    """Estimate the strengths that all N comparisons would give.

    Parameters
    ----------
    names : sequence of K str
        The systems.
    pairs : (N, 2) int64
        First and second system of every item, positions in `names`.
    y : (m, 3) float64
        Of each labelled row: whether the first won, the second won, and whether it was a tie; or
        shares of raters. Rows sum to 1.
    f : (N, 3) float64 or None
        Their predictions for every item, out of fold at the labelled ones; None for the labels
        alone.
    setting : Setting
        Design and what goes with it.
    ties : {"half", "davidson"}
        Half a win for each, or a chance of their own.
    order_effect : bool
        Also estimate the advantage of being shown first.
    adjust : bool
        Adjust the predictions by the labels' own fit first; see
        :mod:`bacon.estimation.augmented_score`.

    Returns
    -------
    Estimates
        Of kind "system": log strengths that sum to 0; then ``(shown first)`` and ``(ties)``
        where they are asked for.

    Raises
    ------
    InputError
        A system compared with itself, systems no labelled comparison links, or too few labels.
    EstimationError
        No finite strengths.

    Examples
    --------
    >>> import numpy as np
    >>> from bacon.estimation.designs import simple_design
    >>> from bacon.estimation.estimands import Setting
    >>> pairs = np.array([[0, 1], [1, 2], [0, 2], [2, 0], [1, 0], [2, 1]] * 2)
    >>> won = np.array([1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0.0])
    >>> y = np.column_stack([won, 1 - won, 0 * won])
    >>> setting = Setting(simple_design(np.arange(12), 12))
    >>> found = pairwise_estimates(["a", "b", "c"], pairs, y, None, setting)
    >>> {name: round(one.value, 3) for name, one in found.items()}
    {'a': 0.366, 'b': 0.366, 'c': -0.732}
    """
    check_ties(ties)
    k, rows = len(names), setting.design.rows
    _check_pairs(names, pairs, rows)
    design, turn = _columns(pairs, k, order_effect=order_effect)
    extras = [FIRST_MOVER] if order_effect else []
    basis, back = basis_of(design)
    if ties == "half":
        equation, turn = ScoreEquation(LOGISTIC, (basis,)), turn @ back
    else:
        equation = ScoreEquation(DAVIDSON, (basis, np.ones((len(pairs), 1))))
        turn = np.block([[turn @ back, np.zeros((len(turn), 1))], [np.zeros(back.shape[1]), 1.0]])
        extras.append(TIES)
    need_labels(setting, equation.n_coefficients)
    own_f = None if f is None else _statistics(f, ties)
    try:
        solution = solve(_statistics(y, ties), own_f, equation, setting.design, adjust=adjust)
    except NoFiniteRoot:
        raise EstimationError(
            f"the strengths have no finite value: {_why(names, pairs[rows], y)}. Label more "
            "comparisons, or leave such systems out."
        ) from None
    told: list[Notice] = []
    if adjust and not solution.adjusted:
        told.append(
            Notice(
                "predictions_not_adjusted",
                f"The labels alone give no finite strengths ({_why(names, pairs[rows], y)}), so "
                "the predictions were corrected by the labels' mean errors only, and the answer "
                "leans on the predictions. Label more comparisons.",
            )
        )
    if ties == "half" and (y[:, 2] > 0.0).any():
        told.append(_half(y[:, 2]))
    return coefficient_estimates(
        "system",
        [*names, *extras],
        turn,
        solution,
        setting,
        alike=bool((np.ptp(y, axis=0) == 0.0).all()),
        notices=tuple(told),
    )


def _statistics(outcome: FloatArray, ties: Ties) -> FloatArray:
    """Return the statistics of outcomes (n, 3): the score of the first, or its lead and ties."""
    won, lost, tie = outcome.T
    if ties == "half":
        return np.asarray((won + tie / 2.0)[:, None])
    return np.column_stack([(won - lost) / 2.0, tie])


def _columns(pairs: IntArray, k: int, *, order_effect: bool) -> tuple[FloatArray, FloatArray]:
    """Return the design (N, q), and what makes of its coefficients strengths that sum to 0.

    The last system is left out of the design, which only differences enter.
    """
    n = len(pairs)
    x = np.zeros((n, k))
    x[np.arange(n), pairs[:, 0]] = 1.0
    x[np.arange(n), pairs[:, 1]] = -1.0
    centred: FloatArray = np.eye(k)[:, :-1] - 1.0 / k
    if not order_effect:
        return x[:, :-1], centred
    design = np.column_stack([x[:, :-1], np.ones(n)])
    turn = np.zeros((k + 1, k))
    turn[:k, :-1], turn[k, -1] = centred, 1.0
    return design, turn


def _check_pairs(names: Sequence[str], pairs: IntArray, rows: IntArray) -> None:
    """Refuse a system compared with itself, and systems that no comparison links."""
    if len(names) < 2:
        raise InputError("comparisons need at least 2 systems.")
    alone = pairs[:, 0] == pairs[:, 1]
    if alone.any():
        row = int(np.argmax(alone))
        raise InputError(
            f"row {row + 1:,}: {names[pairs[row, 0]]} is compared with itself "
            f"({int(alone.sum()):,} such items), which says nothing of strengths; leave those "
            "items out."
        )
    for part, what in ((pairs, "comparison"), (pairs[rows], "labelled comparison")):
        linked = _components(part, len(names), strongly=False)
        if linked.max() > 0:
            parts = "; ".join(
                listed((names[k] for k in np.flatnonzero(linked == c).tolist()), MOST_NAMED)
                for c in range(int(linked.max()) + 1)
            )
            raise InputError(
                f"no {what} links these systems with one another: {parts}. Their strengths "
                "cannot be compared; label comparisons between them, or estimate each part alone."
            )


def _components(edges: IntArray, k: int, *, strongly: bool) -> IntArray:
    """Return the component (k,) that each system belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(k, k))
    kind = "strong" if strongly else "weak"
    labels = connected_components(graph.tocsr(), directed=True, connection=kind)[1]
    return np.asarray(labels, dtype=np.int64)


def _why(names: Sequence[str], pairs: IntArray, y: FloatArray) -> str:
    """Say which systems never lost, or never won, against the others among the labels.

    Strengths are finite exactly where wins lead from every system to every other (Ford 1957).
    """
    points = y[:, 0] + y[:, 2] / 2.0
    wins = np.concatenate([pairs[points > 0.0], pairs[points < 1.0][:, ::-1]])
    part = _components(wins, len(names), strongly=True)
    crossing = part[wins[:, 0]] != part[wins[:, 1]]
    above = set(part[wins[crossing, 0]].tolist())
    below = set(part[wins[crossing, 1]].tolist())
    said = []
    for which, what in ((above - below, "won"), (below - above, "lost")):
        for c in sorted(which):
            members = [names[k] for k in np.flatnonzero(part == c).tolist()]
            said.append(f"{listed(members, MOST_NAMED)} {what} every comparison with the others")
    return "; ".join(said) or "a chance of the model runs to 0 or 1"


def _half(ties: FloatArray) -> Notice:
    """Tell that ties were counted as half a win each."""
    return Notice(
        "ties_as_half",
        f"Ties are {100.0 * float(ties.mean()):.0f} % of the labels and count as half a win for "
        "each system, which draws strengths together: they are log odds of points, and not of wins "
        'where there is a winner. ties="davidson" gives ties a chance of their own.',
    )
