"""The server behind the fake endpoint."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.judges.fake_answers import FakeJudge, Request, answer_text, logprobs_of, scale_of, share
from bacon.judges.fake_embeddings import embedding_answer, embedding_texts, text_key

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from aiohttp import web

__all__ = ["FAILURES", "Settings", "serve"]

FAILURES = ("hang", "broken", "drop", "slow", "refusal", "leak")
BACKLOG = 1024
MOST_BYTES = 64_000_000
ODD = ("refusal", "leak")
"""What goes wrong within an answer; embeddings have their own ways."""

SLOW_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Settings:
    """See `FakeEndpoint`."""

    judges: dict[str, FakeJudge] | None
    seed: int
    latency: float
    failures: dict[int | str, float]
    retry_after: str | None
    hang: float
    key: str | None
    port: int


def serve(settings: Settings, far: Connection) -> None:
    """Serve until the other end of the pipe says so or is gone; first send the port."""
    try:
        asyncio.run(_serve(settings, far))
    finally:
        far.close()


async def _serve(settings: Settings, far: Connection) -> None:
    from aiohttp import web

    server = _Server(settings)
    handler = web.Server(server.handle, max_line_size=65_536)
    runner = web.ServerRunner(handler, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", settings.port, backlog=BACKLOG)
        await site.start()
    except OSError as error:
        far.send(error.strerror or "no port")
        await runner.cleanup()
        return
    far.send(runner.addresses[0][1])
    # The pipe is waited for in a thread: not every loop can watch it.
    with suppress(EOFError, OSError):
        await asyncio.to_thread(far.recv)
    server.ending.set()
    await runner.cleanup()


class _Server:
    """Answers requests and counts them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._attempts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._embedded: Counter[str] = Counter()
        self._requests = self._now = self._most = 0
        self.ending = asyncio.Event()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request."""
        match (request.method, request.path):
            case ("POST", "/v1/chat/completions"):
                self._now += 1
                self._most = max(self._most, self._now)
                try:
                    return await self._complete(request)
                finally:
                    self._now -= 1
            case ("POST", "/v1/embeddings"):
                self._now += 1
                self._most = max(self._most, self._now)
                try:
                    return await self._embed(request)
                finally:
                    self._now -= 1
            case ("GET", "/v1/models"):
                names = list(self._settings.judges or ("fake",))
                listed = [{"id": name, "object": "model", "owned_by": "bacon"} for name in names]
                return _json({"object": "list", "data": listed})
            case ("GET", "/counts"):
                return _json(
                    {
                        "requests": self._requests,
                        "answers": self._answers,
                        "embedded": self._embedded,
                        "most_at_once": self._most,
                    }
                )
        return _error(404, "there is nothing here")

    def _locked(self, request: web.BaseRequest) -> web.Response | None:
        """Return the refusal of a request without the key."""
        given = request.headers.get("Authorization", "")
        if self._settings.key is None or given == f"Bearer {self._settings.key}":
            return None
        # Some endpoints repeat the key that they refuse.
        return _error(401, f"wrong key: {given}")

    async def _complete(self, request: web.BaseRequest) -> web.StreamResponse:
        import orjson

        payload = await request.read()
        self._requests += 1
        refused = self._locked(request)
        if refused is not None:
            return refused
        try:
            body = orjson.loads(payload)
            judge, asked = self._judge(body["model"]), Request.of(body)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            return _error(400, "this is no request for a chat completion")
        if judge is None:
            return _error(404, f"there is no model {body['model']}")
        digest = hashlib.blake2b(payload, digest_size=12).hexdigest()
        self._attempts[digest] += 1
        kind = self._failure(digest)
        if kind != "hang":
            if self._settings.latency:
                await asyncio.sleep(self._settings.latency)
            if isinstance(kind, int):
                return self._fail(kind)
        answer = self._answer(judge, asked, body, digest)
        return await self._send(request, answer, kind, digest)

    async def _send(
        self, request: web.BaseRequest, answer: dict[str, Any], kind: str | None, digest: str
    ) -> web.StreamResponse:
        """Send an answer, or spoil it on the way."""
        import orjson

        if kind == "hang":
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ending.wait(), self._settings.hang)
            return await _drop(request, b"")
        if kind in ("refusal", "leak"):
            _spoil(answer, kind, request.headers.get("Authorization", ""))
        written = orjson.dumps(answer)
        if kind in ("drop", "slow"):
            return await _drop(request, written, slow=kind == "slow")
        if kind == "broken":
            return _body(written[: len(written) // 2])
        self._answers[digest] += 1
        return _body(written)

    def _judge(self, model: str) -> FakeJudge | None:
        judges = self._settings.judges
        if judges is not None:
            return judges.get(model)
        return FakeJudge(bias=2.0 * share(str(self._settings.seed), "bias", model) - 1.0)

    def _failure(self, digest: str) -> int | str | None:
        """Return what goes wrong with this attempt."""
        seed, attempt = str(self._settings.seed), str(self._attempts[digest])
        rates = self._settings.failures
        if share(seed, "refusal", digest) < rates.get("refusal", 0.0):
            return "refusal"
        drawn = share(seed, "failure", digest, attempt)
        for kind, rate in rates.items():
            if kind != "refusal":
                if drawn < rate:
                    return kind
                drawn -= rate
        return None

    def _fail(self, status: int) -> web.Response:
        wait = self._settings.retry_after
        headers = {"Retry-After": wait} if wait is not None and status in (429, 503) else {}
        return _error(status, "so it was asked of the fake endpoint", headers)

    def _answer(
        self, judge: FakeJudge, asked: Request, body: dict[str, Any], digest: str
    ) -> dict[str, Any]:
        seed = self._settings.seed
        text, places = answer_text(judge, asked, seed=seed, model=body["model"])
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        most = body.get("top_logprobs")
        if body.get("logprobs"):
            scale = scale_of(judge, asked)
            content = logprobs_of(text, places, scale, most if isinstance(most, int) else 0)
            choice["logprobs"] = {"content": content}
        read = 8 + (len(asked.rules) + len(asked.material)) // 4
        written = max(1, len(text) // 3)
        return {
            "id": f"fake-{digest}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "system_fingerprint": f"fake-{seed}",
            "choices": [choice],
            "usage": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
            },
        }

    async def _embed(self, request: web.BaseRequest) -> web.StreamResponse:
        payload = await request.read()
        self._requests += 1
        refused = self._locked(request)
        if refused is not None:
            return refused
        texts = embedding_texts(payload)
        if texts is None:
            return _error(400, "this is no request for embeddings")
        digest = hashlib.blake2b(payload, digest_size=12).hexdigest()
        self._attempts[digest] += 1
        kind = self._failure(digest)
        if kind != "hang":
            if self._settings.latency:
                await asyncio.sleep(self._settings.latency)
            if isinstance(kind, int):
                return self._fail(kind)
        key = request.headers.get("Authorization", "")
        answer = embedding_answer(payload, spoilt=kind, key=key)
        if kind not in ("hang", "drop", "slow", "broken"):
            self._embedded.update(text_key(text) for text in texts)
        return await self._send(request, answer, None if kind in ODD else kind, digest)


def _spoil(answer: dict[str, Any], kind: str, key: str) -> None:
    """Put a refusal, or the key itself, into an answer."""
    message = answer["choices"][0]["message"]
    if kind == "refusal":
        message |= {"content": None, "refusal": "I will not judge this."}
    else:
        message["content"] = answer["model"] = f"4 {key}"


def _json(value: dict[str, Any]) -> web.Response:
    import orjson

    return _body(orjson.dumps(value))


def _body(body: bytes) -> web.Response:
    from aiohttp import web

    return web.Response(body=body, content_type="application/json")


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    import orjson
    from aiohttp import web

    body = orjson.dumps({"error": {"message": message, "type": "fake_error"}})
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")


async def _drop(request: web.BaseRequest, body: bytes, *, slow: bool = False) -> web.StreamResponse:
    """Send a part of an answer, or a byte at a time, and close the connection."""
    from aiohttp import web

    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(body) + 1
    with suppress(ConnectionError):
        if body:
            await response.prepare(request)
        for position in range(len(body) if slow else 0):
            await asyncio.sleep(SLOW_SECONDS)
            await response.write(body[position : position + 1])
        if body and not slow:
            await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
