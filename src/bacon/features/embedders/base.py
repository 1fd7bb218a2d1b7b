"""What all embedders have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Float32Array", "TextEmbedder", "clean_text", "lacking_extra"]

Float32Array = npt.NDArray[np.float32]


class TextEmbedder(Protocol):
    """Turns texts into vectors.

    Attributes
    ----------
    model : str
        Name of the model, as it is kept with the vectors.
    cut : int
        Texts so far that were longer than the model reads.
    """

    model: str
    cut: int

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """Return a vector for each of n texts, (n, d); NaN where a text has none."""


def clean_text(text: str, most: int) -> tuple[str, bool]:
    """Return a text as embedders take it, and whether it was cut.

    Parameters
    ----------
    text : str
        Anything; what is no character (a lone surrogate) becomes the sign for that.
    most : int
        Most characters kept.

    Examples
    --------
    >>> clean_text("a long story", 6)
    ('a long', True)
    """
    kept = text[:most]
    try:
        kept.encode("utf-8")
    except UnicodeEncodeError:
        kept = kept.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return kept, len(text) > most


def lacking_extra(library: str, extra: str) -> InputError:
    """Return the error for a library that is not installed."""
    return InputError(
        f"{library} is not installed; install it with pip install 'bacon-eval[{extra}]'."
    )
