"""Embeddings without a model: hashed n-grams weighted by rarity, and their leading directions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import InputError
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bacon.arrays import IntArray
    from bacon.features.embedders.base import Float32Array

__all__ = ["TfidfEmbedder", "fit_tfidf"]

N_FEATURES = 1 << 16
"""Buckets that n-grams of a kind are hashed into."""

KINDS: tuple[dict[str, Any], ...] = (
    {"analyzer": "word", "ngram_range": (1, 2)},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
)
"""Words and pairs of words; letters within words, which also serve where words are not apart."""

MOST_TEXTS = 20_000
MOST_NONZERO = 40_000_000
"""Directions are found on so many texts, or n-grams of them: memory has a limit whatever comes."""

ITERATIONS = 4
LEAST_SHARE = 1e-5
"""Directions with a smaller share of the largest singular value are rounding."""


@dataclass(eq=False)
class TfidfEmbedder:
    """Hashed TF-IDF, projected; made by :func:`fit_tfidf`.

    Parameters
    ----------
    kept : (p,) int64
        Buckets that tell texts apart.
    weights : (p,) float32
        Inverse document frequencies.
    loadings : (p, d) float32
        Directions, each of length one.
    n_texts : int
        Texts that they were found on.
    """

    kept: IntArray = field(repr=False)
    weights: Float32Array = field(repr=False)
    loadings: Float32Array = field(repr=False)
    n_texts: int
    model: str = "tfidf"
    cut: int = 0

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """Return the projections (n, d); zero for a text that shares no n-gram with the others."""
        weighted = _weighted(_counts(texts)[:, self.kept], self.weights)
        return np.asarray(weighted @ self.loadings, dtype=np.float32)


def fit_tfidf(blocks: Iterable[Sequence[str]], *, dimensions: int, seed: int) -> TfidfEmbedder:
    """Find the weights of n-grams, and the directions along which texts differ most.

    Parameters
    ----------
    blocks : iterable of sequences of str
        Texts in a random order; what is beyond 20,000 of them, or 40 million different n-grams
        in texts, is not read.
    dimensions : int
        Directions wanted; fewer where the texts have fewer.
    seed : int
        Of the randomised decomposition.

    Raises
    ------
    InputError
        The texts have no n-grams.

    Notes
    -----
    A text's count c of an n-gram becomes (1 + ln c) (1 + ln((1 + n) / (1 + texts that have it)));
    words and letters count alike, and each text has length one. Directions are right singular
    vectors (Halko, Martinsson and Tropp 2011), without centring. N-grams of a single text say
    nothing of others and are left out where any are shared.

    Examples
    --------
    >>> texts = ["the sea is blue", "the sea was grey", "a tax on salt", "the tax on tea"]
    >>> embedder = fit_tfidf([texts], dimensions=2, seed=0)
    >>> sea, grey, salt, _ = embedder.embed(texts)
    >>> bool(sea @ grey > sea @ salt)
    True
    """
    from scipy import sparse
    from sklearn.utils.extmath import randomized_svd

    parts: list[Any] = []
    for block in blocks:
        parts.append(_counts(block))
        if sum(part.nnz for part in parts) >= MOST_NONZERO:
            break
    counts = sparse.vstack(parts, format="csr")
    parts.clear()
    n_texts = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(frequency > 1)
    if len(kept) == 0:
        kept = np.flatnonzero(frequency)
    if len(kept) == 0:
        raise InputError("the texts have no words and no letters to embed; name another column.")
    weights = (np.log((1.0 + n_texts) / (1.0 + frequency[kept])) + 1.0).astype(np.float32)
    counts = counts[:, kept]
    matrix = _weighted(counts, weights)
    _, values, components = randomized_svd(
        matrix,
        min(dimensions, *matrix.shape),
        n_iter=ITERATIONS,
        random_state=int(stream(seed, "tfidf directions").integers(2**31)),
    )
    real = values > LEAST_SHARE * values.max()
    loadings = np.ascontiguousarray(components[real].T, dtype=np.float32)
    return TfidfEmbedder(kept, weights, loadings, n_texts)


def _counts(texts: Sequence[str]) -> Any:
    """Return how often each text has the n-grams of each bucket, sparse."""
    from scipy import sparse
    from sklearn.feature_extraction.text import HashingVectorizer

    parts = [
        HashingVectorizer(
            n_features=N_FEATURES, alternate_sign=False, norm=None, dtype=np.float32, **kind
        ).transform(texts)
        for kind in KINDS
    ]
    return sparse.hstack(parts, format="csr", dtype=np.float32)


def _weighted(counts: Any, weights: Float32Array) -> Any:
    """Return the TF-IDF of counts, a text's vector of length one."""
    from sklearn.preprocessing import normalize

    counts.data = (1.0 + np.log(counts.data)) * weights[counts.indices]
    return normalize(counts, copy=False)
