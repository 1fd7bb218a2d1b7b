"""Named random streams from one seed, so that no two uses share draws."""

from __future__ import annotations

import secrets
import zlib

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the generator named `name` of `seed`; equal arguments give equal draws."""
    return np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))


def new_seed() -> int:
    """Return a seed from the system, small enough to be typed again."""
    return secrets.randbelow(2**31)
