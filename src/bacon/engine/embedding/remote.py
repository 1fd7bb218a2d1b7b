"""Vectors that an endpoint gives, asked for once and kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.engine.embedding.asking import Asking
from bacon.engine.embedding.batches import Batch, Told
from bacon.engine.embedding.cache import VectorCache, cache_file, key_of
from bacon.errors import BaconError
from bacon.features.embedders.base import clean_text
from bacon.judges.client import Endpoint
from bacon.judges.limits import Patience
from bacon.judges.spec import check_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bacon.arrays import IntArray
    from bacon.engine.embedding.inputs import Inputs
    from bacon.engine.embedding.request import EmbeddingRequest
    from bacon.features.embedders.base import Float32Array

__all__ = ["EndpointVectors"]

BATCH = 64
"""Texts of a request."""

MOST_CHARACTERS = 300_000
"""Characters of a request, unless one text alone has more."""


@dataclass(frozen=True)
class _Asked:
    """The endpoint, as `Endpoint` takes it."""

    url: str
    key_variable: str | None
    timeout: float
    whose: str = "the endpoint of embeddings"

    @property
    def endpoint(self) -> str:
        """Address of requests."""
        return f"{self.url.rstrip('/')}/embeddings"


class EndpointVectors:
    """Vectors of texts by a model behind an address.

    Parameters
    ----------
    request : EmbeddingRequest
        What is to be done.
    inputs : Inputs
        The items.
    patience : Patience, optional
        How failures are borne.

    Raises
    ------
    InputError
        The address, or the key in the environment, can be none.
    """

    def __init__(
        self, request: EmbeddingRequest, inputs: Inputs, *, patience: Patience | None = None
    ) -> None:
        asked = _Asked(str(request.url), request.key_variable, request.timeout)
        check_url(asked.url, asked.whose)
        self._request = request
        self._inputs = inputs
        self._patience = Patience() if patience is None else patience
        self._endpoint = Endpoint(asked, proxies=request.proxies)
        self._where = asked.endpoint
        self._model = str(request.model)
        self.cache_file = cache_file(request.out)
        self.cut = 0
        self.fitted_on: int | None = None
        self.reasons: dict[str, int] = {}
        self.told = Told()

    @property
    def models(self) -> tuple[str, ...]:
        """Name of the model."""
        return (self._model,)

    def vectors(self, column: str, told: Callable[[int], None]) -> Iterator[Float32Array]:
        """Yield the vectors of a column's usable items; NaN where the endpoint gave none."""
        with self._cache() as cache:
            asking = Asking(
                self._request, self._endpoint, cache, patience=self._patience, told=told
            )
            failed = asking.result.failed
            try:
                asyncio.run(asking.run(self._batches(column, cache, failed, told)))
            except BaconError as error:
                raise type(error)(f"{error} What came is in {self.cache_file.name}.") from None
            self._add(asking.result)
            for rows in self._inputs.blocks():
                keys = [key for key, _ in self._keyed(column, rows)]
                found = cache.read(keys)
                for place in np.flatnonzero(np.isnan(found).all(axis=1)):
                    why = failed.get(keys[place], "gone from the file of vectors")
                    why = f"no vector of {column} from the endpoint ({why})"
                    self.reasons[why] = self.reasons.get(why, 0) + 1
                yield found

    def to_ask(self, column: str) -> Counter[str]:
        """Return what a run would ask for: texts, characters, and texts known already."""
        found: Counter[str] = Counter()
        with ExitStack() as stack:
            # Asking for nothing leaves no file behind.
            cache = stack.enter_context(self._cache()) if self.cache_file.is_file() else None
            planned: set[bytes] = set()
            for rows in self._inputs.blocks():
                keyed = dict(self._keyed(column, rows))
                fresh = keyed.keys() - planned
                planned |= fresh
                known = cache.known(list(fresh)) if cache is not None else set()
                found["known"] += len(known)
                found["texts"] += len(fresh - known)
                found["characters"] += sum(len(keyed[key]) for key in fresh - known)
        return found

    def _cache(self) -> VectorCache:
        return VectorCache(self.cache_file, f"{self._where} {self._model}")

    def _add(self, result: Told) -> None:
        self.told.requests += result.requests
        self.told.texts += result.texts
        self.told.tokens += result.tokens

    def _keyed(self, column: str, rows: IntArray) -> list[tuple[bytes, str]]:
        """Return the texts of some items as they are sent, with what they are known by."""
        most = self._request.most_characters
        texts = [clean_text(text, most)[0] for text in self._inputs.texts(column, rows)]
        return [(key_of(self._where, self._model, text), text) for text in texts]

    def _batches(
        self,
        column: str,
        cache: VectorCache,
        failed: dict[bytes, str],
        told: Callable[[int], None],
    ) -> Iterator[Batch]:
        """Yield what is to be asked for; texts that are known or stand twice are not."""
        most = self._request.batch or BATCH
        batch, length = Batch([], []), 0
        # Texts that are out or about to be; once they are in the cache they need not be held.
        planned: set[bytes] = set()
        for rows in self._inputs.blocks():
            texts = self._inputs.texts(column, rows)
            self.cut += sum(len(text) > self._request.most_characters for text in texts)
            keyed = self._keyed(column, rows)
            known = cache.known([key for key, _ in keyed])
            planned -= cache.known(list(planned))
            for key, text in keyed:
                if key in known or key in planned or key in failed:
                    told(1)
                    continue
                planned.add(key)
                if batch.texts and (
                    len(batch.texts) >= most or length + len(text) > MOST_CHARACTERS
                ):
                    yield batch
                    batch, length = Batch([], []), 0
                batch.keys.append(key)
                batch.texts.append(text)
                length += len(text)
        if batch.texts:
            yield batch
