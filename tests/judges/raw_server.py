"""A server on this machine that answers connections with whatever a test wants."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def raw_server(serve: Callable[[socket.socket, bytes], None]) -> Iterator[tuple[str, list[bytes]]]:
    """Give the base address and the requests seen; `serve` takes a connection and its request."""
    listener = socket.create_server(("127.0.0.1", 0))
    seen: list[bytes] = []

    def work(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(10)
            request = connection.recv(1_000_000)
            seen.append(request)
            serve(connection, request)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=work, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", seen
    finally:
        # Closing alone does not wake the thread that waits.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def response(
    body: bytes, *headers: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(body) if length is None else length}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
