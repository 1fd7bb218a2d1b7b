"""Approximate leave-one-out of the proportional-odds model: one Newton step for each row.

Without row i the minimum is near b + (H - H_i)^-1 g_i, H the Hessian at b and H_i, g_i the
row's own part. H_i = J_i' M_i J_i, where J_i (2, L - 1 + q) holds the derivatives of its u and v
and M_i (2, 2) the curvature in them, so that

    (H - H_i)^-1 J_i' = H^-1 J_i' (I - M_i K_i)^-1 with K_i = J_i H^-1 J_i' (Woodbury),

and one inverse serves all rows (Rad and Maleki 2020, Journal of the Royal Statistical Society
B 82, 965-996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.proportional_odds_newton import gaps

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.outcome.proportional_odds_newton import Expansion, LevelRows

__all__ = ["left_out_predictors"]

LEAST_DETERMINANT = 1e-6
"""Least share of the curvature that leaving a row out may keep."""


def left_out_predictors(at: Expansion, rows: LevelRows, penalty: float) -> FloatArray:
    """Return a_l - z_i'b (n, L - 1) of each row by the fit without it.

    A level seen once is gone without its row: its two thresholds meet, or the first is at minus
    infinity, or the last at infinity.

    Parameters
    ----------
    at : Expansion
        The fit to all rows.
    rows : LevelRows
        Training rows.
    penalty : float
        Its penalty.
    """
    k, z = len(at.threshold), rows.z
    inverse = np.linalg.inv(at.penalised_hessian(penalty))
    joint, turned = inverse[:k, :k], z @ inverse[k:]
    cross, leverage = turned[:, :k], np.einsum("ij,ij->i", turned[:, k:], z)
    # A row of the last level has no u, one of the first no v: any threshold stands in, since
    # what pulls at it is 0.
    u, v = np.minimum(rows.level, k - 1), np.maximum(rows.level - 1, 0)
    to_u, to_v = (cross[np.arange(len(own)), own] for own in (u, v))
    for_u, for_v = _pulls(
        at,
        rows,
        joint[u, u] - 2.0 * to_u + leverage,
        joint[u, v] - to_u - to_v + leverage,
        joint[v, v] - 2.0 * to_v + leverage,
    )
    moved = rows.spread(for_u, for_v) @ joint - cross * (for_u + for_v)[:, None]
    moved += at.threshold
    moved -= (z @ at.coef + (to_u - leverage) * for_u + (to_v - leverage) * for_v)[:, None]
    if rows.count[0] == 1:
        moved[0, 0] = -np.inf
    if rows.count[-1] == 1:
        moved[-1, -1] = np.inf
    return moved


def _pulls(
    at: Expansion, rows: LevelRows, k_uu: FloatArray, k_uv: FloatArray, k_vv: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (I - M_i K_i)^-1 of each row's gradient in u and v, both (n,)."""
    gap = gaps(at.threshold)
    pull = np.concatenate([[0.0], 1.0 / np.expm1(gap), [0.0]])[rows.level]
    stiffness = pull + pull**2
    m_uu = at.above * (1.0 - at.above) + stiffness
    m_vv = at.below * (1.0 - at.below) + stiffness
    g_u, g_v = -(at.above + pull), at.below + pull
    a_uu, a_uv = 1.0 - m_uu * k_uu + stiffness * k_uv, stiffness * k_vv - m_uu * k_uv
    a_vu, a_vv = stiffness * k_uu - m_vv * k_uv, 1.0 - m_vv * k_vv + stiffness * k_uv
    determinant = np.maximum(a_uu * a_vv - a_uv * a_vu, LEAST_DETERMINANT)
    for_u, for_v = (a_vv * g_u - a_uv * g_v) / determinant, (a_uu * g_v - a_vu * g_u) / determinant

    # An inner level seen once: the minimum of the same quadratic where a_l = a_{l-1}, by its
    # multiplier along du - dv.
    inner = (rows.level > 0) & (rows.level < len(at.threshold))
    alone = np.flatnonzero((rows.count == 1)[rows.level] & inner)
    one_u, one_v = (a_vv + a_uv)[alone], -(a_uu + a_vu)[alone]
    along_u, along_v = (k_uu - k_uv)[alone], (k_uv - k_vv)[alone]
    apart = gap[rows.level[alone] - 1] + along_u * for_u[alone] + along_v * for_v[alone]
    apart /= along_u * one_u + along_v * one_v
    for_u[alone] -= apart * one_u
    for_v[alone] -= apart * one_v
    return for_u, for_v
