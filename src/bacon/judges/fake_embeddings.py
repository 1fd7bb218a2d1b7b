"""What the fake endpoint answers to requests for embeddings."""

from __future__ import annotations

import base64
import hashlib
import math
import struct
from typing import Any

__all__ = ["embedding_answer", "embedding_texts", "text_key"]

DIMENSIONS = 16
MOST_DIMENSIONS = 4096


def embedding_texts(payload: bytes) -> list[str] | None:
    """Return the texts of a request; None where it is none."""
    import orjson

    try:
        body = orjson.loads(payload)
        given, _ = body["input"], body["model"]
        int(body.get("dimensions") or DIMENSIONS)
        return [given] if isinstance(given, str) else [str(text) for text in given]
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def text_key(text: str) -> str:
    """Return what a text is counted by."""
    raw = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, digest_size=12).hexdigest()


def embedding_answer(
    payload: bytes, *, spoilt: int | str | None = None, key: str = ""
) -> dict[str, Any]:
    """Return the answer to a request that `embedding_texts` can read.

    Parameters
    ----------
    payload : bytes
        The request.
    spoilt : str, optional
        "refusal" leaves the last vector out; "leak" repeats the key.
    key : str
        Header of the request that holds the key.
    """
    import orjson

    body = orjson.loads(payload)
    texts, model = embedding_texts(payload) or [], str(body["model"])
    dimensions = min(max(int(body.get("dimensions") or DIMENSIONS), 1), MOST_DIMENSIONS)
    packed = body.get("encoding_format") == "base64"
    vectors = [_vector(text, model, dimensions) for text in texts]
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(v) if packed else v}
        for index, v in enumerate(vectors)
    ]
    if spoilt == "refusal":
        data = data[:-1]
    tokens = sum(1 + len(text) // 4 for text in texts)
    return {
        "object": "list",
        "model": f"{model} {key}" if spoilt == "leak" else model,
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _vector(text: str, model: str, dimensions: int) -> list[float]:
    """Return a unit vector: texts that share words lie near each other."""
    sums = [0.0] * dimensions
    for word in text.lower().split() or [""]:
        draws = hashlib.shake_128(f"{model}\0{word}".encode("utf-8", "replace"))
        for at, value in enumerate(struct.unpack(f"<{dimensions}h", draws.digest(2 * dimensions))):
            sums[at] += value
    length = math.sqrt(sum(value * value for value in sums)) or 1.0
    return [value / length for value in sums]


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
