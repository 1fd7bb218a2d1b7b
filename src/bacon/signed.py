"""JSON that shows whether it was changed or cut off after it was written."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["digest", "read_signed", "signed"]

CHECKSUM = "blake2b"
"""Field that holds the digest of all other fields."""


def digest(content: bytes) -> str:
    """Return 32 hexadecimal digits that differ where the content does (blake2b, 16 bytes).

    Examples
    --------
    >>> digest(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _as_text(record: Mapping[str, Any]) -> str:
    """Return the record in the one way in which it is written and checked."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)


def signed(record: Mapping[str, Any]) -> bytes:
    """Return the record as JSON with a digest of itself.

    Examples
    --------
    >>> read_signed(signed({"schema": "mine", "x": 1}), "mine")["x"]
    1
    """
    return _as_text({**record, CHECKSUM: digest(_as_text(record).encode())}).encode()


def read_signed(content: bytes, schema: str) -> dict[str, Any] | None:
    """Return the record that `signed` wrote, with its digest; None where it is not whole.

    Parameters
    ----------
    content : bytes
        What the file holds; nothing in it is trusted.
    schema : str
        Value that the field ``schema`` must have.
    """
    try:
        record = json.loads(content)
        if not isinstance(record, dict) or record.get("schema") != schema:
            return None
        bare = {name: value for name, value in record.items() if name != CHECKSUM}
        if digest(_as_text(bare).encode()) != record.get(CHECKSUM):
            return None
    except (ValueError, RecursionError):
        return None
    return record
