"""A fake endpoint on this machine: judges with known bias, and every failure on demand."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from bacon.errors import BaconError, InputError
from bacon.judges.fake_answers import FakeJudge
from bacon.judges.fake_server import FAILURES, Settings, serve

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

__all__ = ["FakeCounts", "FakeEndpoint", "FakeJudge"]

START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class FakeCounts:
    """What a fake endpoint has seen.

    Parameters
    ----------
    requests : int
        Requests for answers, failed ones too.
    answers : dict of str to int
        How often each request was answered, by a hash of its body: what an endpoint would bill.
    most_at_once : int
        Most requests in work at one time.
    embedded : dict of str to int
        How often each text was embedded, by a hash of it.
    """

    requests: int
    answers: dict[str, int] = field(repr=False)
    most_at_once: int = 0
    embedded: dict[str, int] = field(default_factory=dict, repr=False)


class FakeEndpoint:
    """An OpenAI-compatible endpoint on 127.0.0.1 that costs nothing; used in a ``with`` statement.

    It serves chat completions with log-probabilities, embeddings and a list of models. Answers
    depend on the seed, the model and the request, failures on the attempt as well, so that a call
    that is made again may succeed and its score is the same.

    Parameters
    ----------
    judges : mapping of str to FakeJudge, optional
        Models by name; others are refused (404). Without it, every model answers, with a bias by
        its name.
    seed : int
        Of scores and failures.
    latency : float
        Seconds before an answer.
    failures : mapping, optional
        How often, as a share of requests: an HTTP status (429, 500, ...), "hang" (no answer),
        "broken" (JSON cut off), "drop" (connection closed within the answer), "slow" (a byte now
        and then), "refusal" (by item, whatever the attempt; of embeddings, a vector is missing),
        "leak" (the answer repeats the key).
    retry_after : float or str, optional
        Header of every 429 and 503: seconds, or a date.
    hang : float
        Seconds for which "hang" holds a connection.
    key : str, optional
        Refuse requests without this key (401).
    port : int
        Where it listens; any free one by default.
    process : bool
        Run in a process of its own, not a thread.

    Examples
    --------
    >>> with FakeEndpoint(seed=1) as fake:
    ...     fake.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(  # noqa: PLR0913
        self,
        judges: Mapping[str, FakeJudge] | None = None,
        *,
        seed: int = 0,
        latency: float = 0.0,
        failures: Mapping[int | str, float] | None = None,
        retry_after: float | str | None = None,
        hang: float = 3600.0,
        key: str | None = None,
        port: int = 0,
        process: bool = False,
    ) -> None:
        failures = dict(failures or {})
        for kind, rate in failures.items():
            known = 400 <= kind < 600 if isinstance(kind, int) else kind in FAILURES
            if not known or not 0.0 <= rate <= 1.0:
                raise InputError(
                    f"failures: {kind!r} with rate {rate!r}; use an HTTP status from 400 on or one "
                    f"of {', '.join(FAILURES)}, and rates from 0 to 1."
                )
        if sum(failures.values()) > 1.0 + 1e-9:
            raise InputError("failures: the rates sum to more than 1; lower them.")
        self._settings = Settings(
            None if judges is None else dict(judges),
            seed,
            latency,
            failures,
            None if retry_after is None else str(retry_after),
            hang,
            key,
            port,
        )
        self._in_process = process
        self._near: Connection | None = None
        self._worker: threading.Thread | SpawnProcess | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Base address, as a judge's `url`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        self._near, far = context.Pipe()
        if self._in_process:
            self._worker = context.Process(target=serve, args=(self._settings, far), daemon=True)
        else:
            self._worker = threading.Thread(target=serve, args=(self._settings, far), daemon=True)
        self._worker.start()
        if self._in_process:
            # The other end is the process's alone, so that its end is noticed.
            far.close()
        try:
            started = self._near.recv() if self._near.poll(START_SECONDS) else "it does not start"
        except EOFError:
            started = "it ended at once"
        if isinstance(started, str):
            raise BaconError(f"the fake endpoint cannot be served: {started}; try another port.")
        self.port = started
        return self

    def __exit__(self, *_: object) -> None:
        if self._near is not None and self._worker is not None:
            self._near.send("stop")
            self._worker.join(START_SECONDS)
            self._near.close()

    def counts(self) -> FakeCounts:
        """Return what it has seen until now."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        try:
            connection.request("GET", "/counts")
            told: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return FakeCounts(told["requests"], told["answers"], told["most_at_once"], told["embedded"])
