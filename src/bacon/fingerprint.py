"""Fingerprints: short names for long arrays, equal only when the contents are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import IdArray

__all__ = ["fingerprint_ids"]


def fingerprint_ids(ids_sorted: IdArray) -> str:
    """Return the fingerprint of a set of item ids.

    Parameters
    ----------
    ids_sorted : (N,) int64 or object of str
        Item ids in ascending order, so that the order of rows does not enter.

    Returns
    -------
    str
        32 hexadecimal digits: blake2b (16 bytes) over the type of the ids, their lengths
        and their bytes. The number 7 and the text "7" differ.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint_ids(np.array([1, 2, 3]))
    'bb0ce03342d95b77ccfe5007ca84e4f3'
    """
    digest = hashlib.blake2b(digest_size=16)
    if ids_sorted.dtype.kind == "i":
        digest.update(b"int64")
        digest.update(ids_sorted.astype("<i8").tobytes())
        return digest.hexdigest()
    encoded = [identifier.encode("utf-8", "surrogatepass") for identifier in ids_sorted]
    # All lengths come before all bytes: together they can be read in one way only.
    digest.update(b"str")
    digest.update(len(encoded).to_bytes(8, "little"))
    digest.update(np.array([len(part) for part in encoded], dtype="<i8").tobytes())
    digest.update(b"".join(encoded))
    return digest.hexdigest()
