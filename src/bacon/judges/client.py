"""Requests to OpenAI-compatible endpoints: one attempt at a call, its outcome told in one value."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from bacon.errors import InputError
from bacon.judges.replies import BROKEN, NO_CONNECTION, Trouble, read_reply
from bacon.judges.spec import read_key

if TYPE_CHECKING:
    import aiohttp
    from multidict import CIMultiDict

    from bacon.judges.replies import Reply

__all__ = ["Client", "Endpoint", "Response"]

CONNECT_SECONDS = 30.0
SHORTEST_KEY = 8
"""Shorter keys are no secrets but fillers such as "none"; texts keep them."""

HIDDEN = "[key]"

LARGE = 2**19
"""Bytes of a request from which on it is sent in pieces."""


class _Secret(str):
    """A text that shows itself nowhere, not even where a traceback prints variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"'{HIDDEN}'"


class Asked(Protocol):
    """What an endpoint needs to know of a judge, or of whatever else is asked there."""

    @property
    def whose(self) -> str:
        """Who it is, for messages."""

    @property
    def endpoint(self) -> str:
        """Address of requests."""

    @property
    def key_variable(self) -> str | None:
        """Environment variable that holds the key."""

    @property
    def timeout(self) -> float:
        """Seconds without an answer after which an attempt has failed."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came back from an endpoint, whatever it says.

    Parameters
    ----------
    status : int
        HTTP status.
    body : bytes
        As it came.
    asked_wait : str or None
        The Retry-After header.
    """

    status: int
    body: bytes
    asked_wait: str | None


class Endpoint:
    """Where and how one judge is asked. Holds the key, and shows it nowhere.

    Parameters
    ----------
    spec : Asked
        The judge; its key is read from the environment now.
    proxies : bool
        Whether to go through the proxies that the environment names.

    Raises
    ------
    InputError
        The key is missing, or can be none.
    """

    def __init__(self, spec: Asked, *, proxies: bool = False) -> None:
        import aiohttp
        from multidict import CIMultiDict
        from yarl import URL

        self.url = URL(spec.endpoint)
        # An idle socket and one that sends a byte now and then both end by the total.
        self.timeout = aiohttp.ClientTimeout(
            total=spec.timeout, sock_connect=min(CONNECT_SECONDS, spec.timeout)
        )
        # As aiohttp wants them, so that it need not convert them for each call.
        self.headers: CIMultiDict[str] = CIMultiDict(
            {
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Accept-Encoding": "identity",
            }
        )
        key = read_key(spec.key_variable, spec.whose)
        self._key = None if key is None else _Secret(key)
        if key is not None:
            if not (key.isascii() and key.isprintable()):
                raise InputError(
                    f"{spec.whose}: the environment variable {spec.key_variable} holds signs "
                    "that no key has; set it anew."
                )
            self.headers["Authorization"] = _Secret(f"Bearer {key}")
        self.proxy = _proxy(self.url) if proxies else None

    def hide(self, text: str) -> str:
        """Return a text of the endpoint without the key."""
        if self._key is None or len(self._key) < SHORTEST_KEY or self._key not in text:
            return text
        return text.replace(self._key, HIDDEN)


class Client:
    """One session for all judges of a run; used in an ``async with`` statement.

    Parameters
    ----------
    connections : int
        Most connections at once.
    most_bytes : int
        Longest body that is read.
    """

    def __init__(self, connections: int, *, most_bytes: int) -> None:
        self._connections = connections
        self._most = most_bytes
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        import aiohttp

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent",),
            trust_env=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def ask(self, endpoint: Endpoint, body: bytes) -> Reply | Trouble:
        """Make one attempt; every failure of network, server and answer comes back as a Trouble.

        Parameters
        ----------
        endpoint : Endpoint
            Whom to ask.
        body : bytes
            JSON of the request.
        """
        came = await self.fetch(endpoint, body)
        if isinstance(came, Trouble):
            return came
        return read_reply(
            came.status,
            came.body,
            asked_wait=came.asked_wait,
            now=time.time(),
            hide=endpoint.hide,
        )

    async def fetch(self, endpoint: Endpoint, body: bytes) -> Response | Trouble:
        """Make one attempt and return what came back unread; failures of the way as a Trouble."""
        import aiohttp

        if self._session is None:
            raise RuntimeError("a client is used inside of its async with statement")
        # Large bodies as a file, which is sent in pieces and holds nobody up meanwhile.
        data = body if len(body) < LARGE else io.BytesIO(body)
        try:
            async with self._session.post(
                endpoint.url,
                data=data,
                headers=endpoint.headers,
                allow_redirects=False,
                timeout=endpoint.timeout,
                proxy=endpoint.proxy,
            ) as response:
                payload = await self._body(response)
                if payload is None:
                    return Trouble("retry", "answer too large")
                return Response(response.status, payload, response.headers.get("Retry-After"))
        except (
            TimeoutError,
            aiohttp.ClientError,
            aiohttp.http.HttpProcessingError,
            OSError,
        ) as error:
            # What aiohttp raises holds the headers of the request: none of it goes any further.
            return _trouble_of(error)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes | None:
        """Return the body, None where it is too long; what is too long is never held."""
        length = response.content_length
        if length is not None:
            # The compressed length says nothing about the size, so bodies with a coding go on.
            if length > self._most:
                return None
            if "Content-Encoding" not in response.headers:
                return await response.read()
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > self._most:
                return None
            parts.append(part)
        return b"".join(parts)


def _trouble_of(error: Exception) -> Trouble:
    """Return what went wrong on the way."""
    import aiohttp

    if isinstance(error, TimeoutError):
        return Trouble("retry", "timed out", crowded=True)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Trouble("stop", "certificate not trusted")
    if isinstance(error, aiohttp.InvalidURL):
        return Trouble("stop", "address that cannot be used")
    broken = (aiohttp.ClientPayloadError, aiohttp.ClientResponseError)
    if isinstance(error, (*broken, aiohttp.http.HttpProcessingError)):
        return Trouble("retry", BROKEN)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Trouble("retry", NO_CONNECTION, f"{error.host}:{error.port} does not answer")
    return Trouble("retry", "connection dropped")


def _proxy(url: Any) -> Any:
    """Return the proxy that the environment names for an address; None where it names none."""
    from urllib.request import getproxies, proxy_bypass

    if proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)
