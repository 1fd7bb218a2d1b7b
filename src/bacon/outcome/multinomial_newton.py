"""The penalised likelihood of the multinomial logit: derivatives, Newton's method, leaving out.

Rows z_i are ones, then features; beta (r + 1, C - 1) holds contrasts U of the intercepts, then
of the slopes, so that the class scores are U beta' z_i. To the labels one more is added, spread
evenly over the classes at features 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["contrasts", "gradient", "hessian", "left_out", "newton", "objective", "softmax"]

MOST_STEPS = 50
"""Newton steps a penalty may take; three to five are usual."""

ENOUGH = 1e-7
"""Newton decrement, in units of the number of labels, after which one more step is the last."""


def softmax(eta: FloatArray) -> FloatArray:
    """Return probabilities (N, C) of scores (N, C)."""
    powers = np.exp(eta - eta.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@lru_cache(maxsize=64)
def contrasts(n_classes: int) -> FloatArray:
    """Return orthonormal contrasts (C, C-1): each class against those before it."""
    u = np.zeros((n_classes, n_classes - 1))
    for k in range(n_classes - 1):
        u[: k + 1, k], u[k + 1, k] = 1.0, -(k + 1.0)
    u /= np.linalg.norm(u, axis=0)
    return read_only(u)


def objective(z: FloatArray, y: FloatArray, penalty: float, beta: FloatArray) -> float:
    """Return the penalised negative log-likelihood, the label that is spread evenly included.

    Parameters
    ----------
    z : (n, r + 1) float64
        Ones, then the features.
    y : (n, C) float64
        One in the column of each row's class.
    penalty : float
        Ridge on half the squared slopes.
    beta : (r + 1, C - 1) float64
        Contrasts of the intercepts, then of the slopes.
    """
    u = contrasts(y.shape[1])
    eta = z @ beta @ u.T
    # The mean score is zero for any contrast, so the spread label adds its normaliser alone.
    spread = float(np.logaddexp.reduce(beta[0] @ u.T))
    loss = float(np.sum(np.logaddexp.reduce(eta, axis=1) - np.sum(eta * y, axis=1)))
    return loss + spread + 0.5 * penalty * float(np.sum(beta[1:] ** 2))


def gradient(z: FloatArray, y: FloatArray, penalty: float, beta: FloatArray) -> FloatArray:
    """Return the gradient (r + 1, C - 1) of :func:`objective`."""
    u = contrasts(y.shape[1])
    slope = z.T @ ((softmax(z @ beta @ u.T) - y) @ u)
    slope[0] += softmax(beta[:1] @ u.T)[0] @ u
    slope[1:] += penalty * beta[1:]
    return np.asarray(slope)


def curvature(probabilities: FloatArray) -> FloatArray:
    """Return U' (diag p - p p') U of each row, (n, C - 1, C - 1)."""
    u = contrasts(probabilities.shape[1])
    inner = probabilities @ u
    diagonal = np.einsum("ic,ca,cb->iab", probabilities, u, u, optimize=True)
    return np.asarray(diagonal - inner[:, :, None] * inner[:, None, :])


def hessian(z: FloatArray, penalty: float, beta: FloatArray) -> FloatArray:
    """Return the Hessian of :func:`objective`, a block (r + 1, r + 1) for each two contrasts."""
    width, k = beta.shape
    u = contrasts(k + 1)
    weights = curvature(softmax(z @ beta @ u.T))
    blocks = np.empty((k, width, k, width))
    for a in range(k):
        for b in range(a + 1):
            blocks[a, :, b] = (z * weights[:, a, b, None]).T @ z
            blocks[b, :, a] = blocks[a, :, b]
        blocks[a, np.arange(1, width), a, np.arange(1, width)] += penalty
    blocks[:, 0, :, 0] += curvature(softmax(beta[:1] @ u.T))[0]
    return blocks.reshape(k * width, k * width)


def newton(z: FloatArray, y: FloatArray, penalty: float, beta: FloatArray) -> FloatArray:
    """Minimise :func:`objective` from `beta` by Newton steps, halved while they go uphill."""
    value = objective(z, y, penalty, beta)
    for _ in range(MOST_STEPS):
        slope = gradient(z, y, penalty, beta)
        step = np.linalg.solve(hessian(z, penalty, beta), slope.T.ravel())
        decrement = float(step @ slope.T.ravel())
        move = step.reshape(beta.T.shape).T
        moved, size = objective(z, y, penalty, beta - move), 1.0
        while moved > value + 1e-12 * abs(value) and size > 1e-6:
            size /= 2.0
            moved = objective(z, y, penalty, beta - size * move)
        beta, value = beta - size * move, moved
        if decrement <= ENOUGH * len(z):
            break
    return beta


def left_out(z: FloatArray, y: FloatArray, penalty: float, beta: FloatArray) -> FloatArray:
    """Return the probabilities (n, C) of each row by the model without it, by one Newton step.

    With A_i = (I x z_i)' H^-1 (I x z_i), W_i the curvature of row i and g_i = U' (p_i - y_i),
    the contrasts of its scores move by A_i (I - W_i A_i)^-1 g_i.
    """
    width, k = beta.shape
    u = contrasts(k + 1)
    p = softmax(z @ beta @ u.T)
    inverse = np.linalg.inv(hessian(z, penalty, beta)).reshape(k, width, k, width)
    leverage = np.empty((len(z), k, k))
    for a in range(k):
        for b in range(a + 1):
            leverage[:, a, b] = np.einsum("ij,ij->i", z @ inverse[a, :, b], z)
            leverage[:, b, a] = leverage[:, a, b]
    rest = np.eye(k) - curvature(p) @ leverage
    moved = leverage @ np.linalg.solve(rest, ((p - y) @ u)[:, :, None])
    return softmax((z @ beta + moved[:, :, 0]) @ u.T)
