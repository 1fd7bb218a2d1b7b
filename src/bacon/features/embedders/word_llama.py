"""Means of word vectors that come inside the package wordllama; nothing is downloaded."""

from __future__ import annotations

import logging
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bacon.features.embedders.base import Float32Array, lacking_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["WordLlamaEmbedder"]


class WordLlamaEmbedder:
    """The mean over the tokens of a text of 256 numbers each, whatever its length.

    Raises
    ------
    InputError
        wordllama is not installed, or without its weights.
    """

    def __init__(self) -> None:
        root = logging.getLogger()
        before = root.level, list(root.handlers)
        try:
            import wordllama
        except ImportError:
            raise lacking_extra("wordllama", "text") from None
        finally:
            # Importing it has every library's log printed.
            root.level, root.handlers[:] = before
        # Its folder as the cache, because it looks for the tokenizer beside the place where it is.
        inside = Path(wordllama.__file__).parent
        try:
            loaded = wordllama.WordLlama.load(cache_dir=inside, disable_download=True)
        except FileNotFoundError:
            raise lacking_extra("wordllama with its weights", "text") from None
        self.model = f"wordllama {version('wordllama')} l2_supercat_256"
        self.cut = 0
        self._vectors: Float32Array = loaded.embedding
        self._tokenizer = loaded.tokenizer
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """Return the means (n, 256); NaN for a text without a token."""
        found = np.full((len(texts), self._vectors.shape[1]), np.nan, dtype=np.float32)
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, one in enumerate(encoded):
            if one.ids:
                ids = np.minimum(np.array(one.ids), len(self._vectors) - 1)
                found[row] = self._vectors[ids].mean(axis=0)
        return found
