"""Vectors in what an embeddings endpoint answered. Nothing in it is trusted."""

from __future__ import annotations

import base64
import binascii
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.judges.replies import BROKEN, Trouble, json_of, read_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.features.embedders.base import Float32Array
    from bacon.judges.client import Response

__all__ = ["Vectors", "read_vectors"]

MOST_WIDTH = 1 << 16


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an endpoint gave for the texts of a request.

    Parameters
    ----------
    values : (n, d) float32
        A finite vector for each text, in their order.
    tokens : int or None
        Tokens read, as the endpoint counted them.
    """

    values: Float32Array
    tokens: int | None


def read_vectors(
    came: Response, count: int, *, width: int | None, hide: Callable[[str], str]
) -> Vectors | Trouble:
    """Return the vectors of a request's texts, in the order of the texts; never raises.

    Parameters
    ----------
    came : Response
        What came back.
    count : int
        Texts of the request.
    width : int or None
        Numbers of each vector, where that is known.
    hide : callable
        Takes the key out of a text.
    """
    if not 200 <= came.status < 300:
        return read_failure(
            came.status, came.body, asked_wait=came.asked_wait, now=time.time(), hide=hide
        )
    value = json_of(came.body)
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        if isinstance(value, dict) and value.get("error"):
            # Relays put the failure of the endpoint behind them into a response of status 200.
            return read_failure(502, came.body, asked_wait=None, now=time.time(), hide=hide)
        return Trouble("retry", BROKEN)
    ordered = _ordered(data, count)
    matrix = ordered if isinstance(ordered, str) else _matrix(ordered, width)
    if isinstance(matrix, str):
        return Trouble("retry", matrix)
    return Vectors(matrix, _tokens(value.get("usage")))


def _ordered(data: list[Any], count: int) -> list[Float32Array] | str:
    """Return the vectors in the order of their texts, or what is the matter."""
    if len(data) != count:
        return f"{len(data):,} vectors for {count:,} texts"
    placed: dict[int, Float32Array] = {}
    for place, entry in enumerate(data):
        index = _index(entry, place, count)
        if index is None or index in placed:
            return "vectors without the number of their text"
        vector = _vector(entry.get("embedding"))
        if vector is None:
            return "a vector that is not made of finite numbers"
        placed[index] = vector
    return [placed[index] for index in range(count)]


def _matrix(vectors: list[Float32Array], width: int | None) -> Float32Array | str:
    """Return vectors of one width as a matrix, or what is the matter."""
    widths = {len(vector) for vector in vectors}
    if len(widths) == 1 and (width is None or widths == {width}):
        return np.array(vectors, dtype=np.float32)
    wanted = f" where {width} were wanted" if width is not None else ""
    return f"vectors of {' and '.join(str(one) for one in sorted(widths)[:3])} numbers{wanted}"


def _tokens(usage: Any) -> int | None:
    """Return the tokens that were read, where the endpoint counted them."""
    count = usage.get("prompt_tokens", usage.get("total_tokens")) if isinstance(usage, dict) else 0
    right = isinstance(count, int) and not isinstance(count, bool) and 0 < count < 2**53
    return count if right else None


def _index(entry: Any, place: int, count: int) -> int | None:
    """Return which text a vector is of; servers that number none keep the order."""
    if not isinstance(entry, dict):
        return None
    index = entry.get("index", place)
    right = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count
    return index if right else None


def _vector(value: Any) -> Float32Array | None:
    """Return a vector, written as numbers or as base64 of float32; None where it is none."""
    try:
        if isinstance(value, str):
            vector = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        elif isinstance(value, list) and not any(isinstance(one, bool) for one in value):
            with np.errstate(over="ignore"):
                vector = np.array(value, dtype=np.float64).astype("<f4")
        else:
            return None
    except (ValueError, TypeError, OverflowError, binascii.Error):
        return None
    right = vector.ndim == 1 and 0 < len(vector) <= MOST_WIDTH and bool(np.isfinite(vector).all())
    return vector if right else None
