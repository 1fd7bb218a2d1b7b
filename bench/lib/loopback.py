"""A chat endpoint on the loopback address that takes next to no time to answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import re
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

__all__ = ["served"]

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def responses() -> list[bytes]:
    """Return responses of an endpoint: digits from 1 to 6, with log-probabilities."""
    from bacon.judges.fake_answers import logprobs_of

    made = []
    for k in range(500):
        exact = 0.6 + 5.8 * k / 500
        text = f"{min(max(round(exact), 1), 6)}"
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
            "logprobs": {"content": logprobs_of(text, {0: exact}, (1, 6), 5)},
        }
        answer = {
            "id": f"served-{k}",
            "object": "chat.completion",
            "created": 0,
            "model": "small",
            "system_fingerprint": "served",
            "choices": [choice],
            "usage": {"prompt_tokens": 311, "completion_tokens": 1, "total_tokens": 312},
        }
        body = json.dumps(answer, separators=(",", ":")).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        made.append(head % len(body) + body)
    return made


class Connected(asyncio.Protocol):
    """A connection to the server: answers each request after the latency."""

    answers: list[bytes]
    latency: float

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with nothing."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._came = b""

    def data_received(self, data: bytes) -> None:
        """Have whatever is whole answered."""
        self._came += data
        while True:
            head, end, rest = self._came.partition(b"\r\n\r\n")
            told = LENGTH.search(head)
            if not end or told is None or len(rest) < int(told[1]):
                return
            body, self._came = rest[: int(told[1])], rest[int(told[1]) :]
            answer = self.answers[zlib.crc32(body) % len(self.answers)]
            self._loop.call_later(self.latency, self._send, answer)

    def _send(self, answer: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(answer)


def serve(far: Connection, latency: float) -> None:
    """Serve until the other end of the pipe is closed; first send the port."""

    async def main() -> None:
        Connected.answers, Connected.latency = responses(), latency
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Connected, "127.0.0.1", 0, backlog=1024)
        far.send(server.sockets[0].getsockname()[1])
        with contextlib.suppress(EOFError):
            await asyncio.to_thread(far.recv)

    asyncio.run(main())


@contextlib.contextmanager
def served(latency: float) -> Iterator[str]:
    """Serve in a process of its own and yield the base address."""
    context = multiprocessing.get_context("spawn")
    near, far = context.Pipe()
    process = context.Process(target=serve, args=(far, latency), daemon=True)
    process.start()
    far.close()
    yield f"http://127.0.0.1:{near.recv()}/v1"
    near.close()
    process.join()
