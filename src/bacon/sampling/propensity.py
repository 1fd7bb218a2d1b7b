"""The paper's propensities e = p + (1 - p) sigmoid(b + x'beta), with an exact budget.

The paper minimises sum r^2 / e under mean e <= eta by an augmented Lagrangian over b and beta
(appendix D.1). The objective falls in every e, so the budget is spent whole, and for each beta
one b does that: with b(beta) from the budget, what is left is a smooth problem without a
constraint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Propensity", "fit_propensity"]

RIDGE = 1e-3
"""Penalty on |beta|^2 / 2 for standardised columns, as a share of the objective at equal
chances."""

EXACT, CLOSE = 1e-12, 1e-9
"""How closely the mean chance of the second stage meets the budget, relatively: in the end, and on
the way there."""

FIRST_ITEMS = 20_000
"""Items of a large pool that stand for all of it at first."""

LEAST = 1e-100
"""Without a pilot an item has at least this chance, so that one over it is finite."""

LARGEST_SLOPE = 50.0
"""Coefficients of standardised columns are held within: beyond, e is p or 1."""


@dataclass(frozen=True, eq=False)
class Propensity:
    """Chances of being labelled by the paper's form.

    Parameters
    ----------
    e : (N,) float64
        Chance of every item, from the pilot's up to 1; the mean is the budget.
    coef : (p,) float64
        beta, for the columns as given.
    intercept : float
        b.
    objective : float
        sum r^2 / e over the pilot.
    """

    e: FloatArray
    coef: FloatArray
    intercept: float
    objective: float


def fit_propensity(
    x: FloatArray,
    squares: FloatArray,
    rows: IntArray,
    *,
    rate: float,
    pilot: float,
    ridge: float = RIDGE,
) -> Propensity:
    """Minimise sum r^2 / e over the pilot under a mean e of `rate` over the pool.

    Parameters
    ----------
    x : (N, p) float64
        Columns of every item, in any units: they are standardised.
    squares : (m,) float64
        Squared residuals r^2 of the pilot, not all zero.
    rows : (m,) int64
        Rows of the pilot.
    rate : float
        eta: mean of e over the pool, between `pilot` and 1.
    pilot : float
        p: chance of every item to be in the pilot, from 0.
    ridge : float
        Penalty on |beta|^2 / 2 of the standardised columns, as a share of the objective at equal
        chances; 0 for none (the paper).

    Returns
    -------
    Propensity

    Raises
    ------
    InputError
        The budget is not between the pilot and the whole pool, or an array has no usable value.

    Notes
    -----
    The paper, appendix D.1. With s the slope of the sigmoid at each item, the budget gives
    db/dbeta = -mean(s x) / mean(s), which makes the gradient exact.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 101)[:, None]
    >>> found = fit_propensity(x, np.exp(4 * x[:, 0]), np.arange(101), rate=0.4, pilot=0.1)
    >>> round(float(found.e.mean()), 12), bool(found.e[-1] > 0.7 > 0.2 > found.e[0])
    (0.4, True)
    """
    _check(x, squares, rows, rate, pilot, ridge)
    largest = np.abs(x).max(axis=0, initial=0.0)
    safe = np.where(largest > 0.0, largest, 1.0)
    z = x / safe
    centre, scale = z.mean(axis=0), z.std(axis=0)
    used = scale > 1e-9
    z = np.ascontiguousarray((z[:, used] - centre[used]) / scale[used])
    problem = _Problem(z, z[rows], squares / squares.sum(), rate, pilot, ridge / rate)
    # A large pool's budget hardly differs from that of its every k-th item, which shows the way.
    step = len(z) // FIRST_ITEMS
    start = np.zeros(z.shape[1])
    if step > 1:
        start = replace(problem, z=np.ascontiguousarray(z[::step])).solve(start)
    beta = problem.solve(start)
    b, e = problem.chances(beta)
    coef = np.zeros(x.shape[1])
    coef[used] = beta / scale[used]
    intercept = b - float(centre @ coef)
    return Propensity(e, coef / safe, intercept, float(np.sum(squares / e[rows])))


def _check(
    x: FloatArray, squares: FloatArray, rows: IntArray, rate: float, pilot: float, ridge: float
) -> None:
    """Refuse what has no solution."""
    if not 0.0 <= pilot < rate < 1.0:
        raise InputError(
            f"the budget must be above the pilot and below the whole pool: pilot = {pilot:g} and "
            f"rate = {rate:g} leave no second stage; give 0 <= pilot < rate < 1."
        )
    if not np.isfinite(ridge) or ridge < 0.0:
        raise InputError(f"ridge must be a number from 0 up; got {ridge!r}.")
    if len(squares) != len(rows) or not len(rows):
        raise InputError(
            f"{len(squares):,} squared residuals for {len(rows):,} pilot rows: give one for each."
        )
    for name, values in (("x", x), ("squares", squares)):
        if not np.isfinite(values).all():
            where = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"{name} has {values[tuple(where)]} in row {where[0] + 1:,}; "
                "give finite numbers only."
            )
    if squares.min() < 0.0 or not squares.max() > 0.0:
        raise InputError(
            "squared residuals must be 0 or more and not all 0: with nothing left to predict all "
            "chances are as good; draw uniformly."
        )


@dataclass(eq=False)
class _Problem:
    """The objective of beta alone, for standardised columns of the pool and of the pilot.

    `squares` (m,) sum to one. `last` keeps the latest intercept: the next one is near it.
    """

    z: FloatArray
    own: FloatArray
    squares: FloatArray
    rate: float
    pilot: float
    ridge: float
    last: float = 0.0

    def solve(self, start: FloatArray) -> FloatArray:
        """Return beta (p,) with the least objective, from `start`."""
        from scipy.optimize import minimize

        if len(start) == 0:
            return start
        found = minimize(
            self.value,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(-LARGEST_SLOPE, LARGEST_SLOPE)] * len(start),
            options={"maxiter": 300, "ftol": 1e-10, "gtol": 1e-7, "maxcor": 20},
        )
        return np.asarray(found.x, dtype=np.float64)

    def value(self, beta: FloatArray) -> tuple[float, FloatArray]:
        """Return objective and gradient (p,)."""
        from scipy.special import expit

        b, sigma = self.sigma(beta, CLOSE)
        share = expit(self.own @ beta + b)
        e = np.maximum(self.pilot + (1.0 - self.pilot) * share, LEAST)
        slope = sigma * (1.0 - sigma)
        steep = float(slope.sum())
        # At infinite steepness no intercept moves anything: the first term is then all.
        along = self.z.T @ slope / steep if steep > 0.0 else np.zeros(len(beta))
        pull = -(1.0 - self.pilot) * self.squares * share * (1.0 - share) / e**2
        gradient = self.own.T @ pull - pull.sum() * along
        objective = float(np.sum(self.squares / e)) + 0.5 * self.ridge * float(beta @ beta)
        return objective, gradient + self.ridge * beta

    def chances(self, beta: FloatArray) -> tuple[float, FloatArray]:
        """Return b and e (N,)."""
        b, sigma = self.sigma(beta, EXACT)
        return b, np.maximum(self.pilot + (1.0 - self.pilot) * sigma, LEAST)

    def sigma(self, beta: FloatArray, tolerance: float) -> tuple[float, FloatArray]:
        """Return b(beta) and sigmoid(b + z beta) (N,), by Newton's method inside a bracket."""
        from scipy.special import expit

        aim = (self.rate - self.pilot) / (1.0 - self.pilot)
        linear = self.z @ beta
        at = float(np.log(aim / (1.0 - aim)))
        low, high = at - float(linear.max()), at - float(linear.min())
        b = min(max(self.last, low), high)
        while True:
            sigma = expit(linear + b)
            gap = float(sigma.mean()) - aim
            if abs(gap) <= tolerance * aim:
                break
            low, high = (b, high) if gap < 0.0 else (low, b)
            steep = float(np.mean(sigma * (1.0 - sigma)))
            new = b - gap / steep if steep > 0.0 else np.inf
            # A step that leaves the bracket gives way to its middle.
            new = new if low < new < high else 0.5 * (low + high)
            if new in (low, high) or new == b:
                break
            b = new
        self.last = b
        return b, sigma
