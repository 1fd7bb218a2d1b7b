"""Vectors made on this machine: by n-grams, or by a model inside a package or a folder."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.features.embedders.base import Float32Array, clean_text
from bacon.features.embedders.tfidf import MOST_TEXTS, TfidfEmbedder, fit_tfidf
from bacon.judges.images import read_image, rgb
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bacon.arrays import IntArray
    from bacon.engine.embedding.inputs import Inputs
    from bacon.engine.embedding.request import EmbeddingRequest
    from bacon.features.embedders.base import TextEmbedder
    from bacon.features.embedders.image import ImageEmbedder

__all__ = ["ImageVectors", "TextVectors"]

FIT_BLOCK = 1000
SLOW_BLOCK = 128


class TextVectors:
    """Vectors of texts by an embedder on this machine.

    Parameters
    ----------
    request : EmbeddingRequest
        What is to be done.
    inputs : Inputs
        The items.
    """

    def __init__(self, request: EmbeddingRequest, inputs: Inputs) -> None:
        self._request = request
        self._inputs = inputs
        self._made: dict[str, TextEmbedder] = {}
        self.cut = 0
        self.reasons: dict[str, int] = {}

    def vectors(self, column: str, told: Callable[[int], None]) -> Iterator[Float32Array]:
        """Yield the vectors of a column's usable items; `told` takes how many more are done."""
        embedder = self._made[column] = self._embedder(column)
        # Models are slow: fewer at a time, so that progress can be seen.
        slow = self._request.kind == "sentence-transformers"
        for rows in self._inputs.blocks(SLOW_BLOCK if slow else None):
            found = embedder.embed(self._clean(column, rows))
            none = int(np.isnan(found).all(axis=1).sum())
            if none:
                words = self._request.kind == "wordllama"
                why = f"no {'token' if words else 'vector of the model'} in {column}"
                self.reasons[why] = self.reasons.get(why, 0) + none
            yield found
            told(len(rows))
        self.cut += embedder.cut

    @property
    def fitted_on(self) -> int | None:
        """Texts that the directions of tfidf were found on; None for other kinds."""
        counts = [one.n_texts for one in self._made.values() if isinstance(one, TfidfEmbedder)]
        return max(counts, default=None)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models used."""
        return tuple(dict.fromkeys(one.model for one in self._made.values()))

    def _clean(self, column: str, rows: IntArray) -> list[str]:
        most = self._request.most_characters
        pairs = [clean_text(text, most) for text in self._inputs.texts(column, rows)]
        self.cut += sum(cut for _, cut in pairs)
        return [text for text, _ in pairs]

    def _embedder(self, column: str) -> TextEmbedder:
        request = self._request
        if request.kind == "tfidf":
            return self._fitted(column)
        if self._made:
            # The model is the same for every column; what it cut was counted.
            known = next(iter(self._made.values()))
            known.cut = 0
            return known
        if request.kind == "wordllama":
            from bacon.features.embedders.word_llama import WordLlamaEmbedder

            return WordLlamaEmbedder()
        from bacon.features.embedders.sentence import SentenceEmbedder

        size = {} if request.batch is None else {"batch": request.batch}
        return SentenceEmbedder(Path(str(request.model)), **size)

    def _fitted(self, column: str) -> TextEmbedder:
        request = self._request
        order = self._inputs.shuffled(stream(request.seed, "tfidf texts"))[:MOST_TEXTS]
        most = request.most_characters
        blocks = (
            [clean_text(text, most)[0] for text in self._inputs.texts(column, rows)]
            for rows in np.array_split(order, -(-len(order) // FIT_BLOCK))
        )
        return fit_tfidf(blocks, dimensions=request.dimensions or 1, seed=request.seed)


class ImageVectors:
    """Vectors of images by a model in a folder.

    Parameters
    ----------
    request : EmbeddingRequest
        What is to be done.
    inputs : Inputs
        The items; their columns hold paths of images, beside the pool's file.
    """

    def __init__(self, request: EmbeddingRequest, inputs: Inputs) -> None:
        self._request = request
        self._inputs = inputs
        self._embedder: ImageEmbedder | None = None
        self._width = 0
        self.cut = 0
        self.fitted_on: int | None = None
        self.reasons: dict[str, int] = {}

    def vectors(self, column: str, told: Callable[[int], None]) -> Iterator[Float32Array]:
        """Yield the vectors of a column's usable items; NaN where an image cannot be read."""
        if self._embedder is None:
            from PIL import Image

            from bacon.features.embedders.image import ImageEmbedder

            size = {} if self._request.batch is None else {"batch": self._request.batch}
            self._embedder = ImageEmbedder(Path(str(self._request.model)), **size)
            self._width = self._embedder.embed([Image.new("RGB", (8, 8))]).shape[1]
        # Few at a time: decoded images are large.
        step = self._request.batch or 32
        for rows in self._inputs.blocks(step):
            yield self._some(column, rows)
            told(len(rows))

    def _some(self, column: str, rows: IntArray) -> Float32Array:
        from PIL import Image

        images, places = [], []
        for place, name in enumerate(self._inputs.texts(column, rows)):
            try:
                picture = read_image(name, folder=self._inputs.folder)
            except InputError as error:
                self._unreadable(column, error)
                continue
            content = base64.b64decode(picture.url.partition(",")[2])
            images.append(rgb(Image.open(io.BytesIO(content))))
            places.append(place)
        vectors = np.full((len(rows), self._width), np.nan, dtype=np.float32)
        if images and self._embedder is not None:
            vectors[places] = self._embedder.embed(images)
            # A vector of length zero has no direction.
            none = int(np.isnan(vectors[places]).all(axis=1).sum())
            if none:
                why = f"no vector of the model in {column}"
                self.reasons[why] = self.reasons.get(why, 0) + none
        return vectors

    def _unreadable(self, column: str, error: InputError) -> None:
        start = f"an image in {column} that cannot be read"
        why = next((one for one in self.reasons if one.startswith(start)), None)
        why = why or f"{start} (the first: {str(error).rstrip('.')})"
        self.reasons[why] = self.reasons.get(why, 0) + 1

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models used."""
        return () if self._embedder is None else (self._embedder.model,)
