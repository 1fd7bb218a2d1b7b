"""One attempt at a call, against servers of every kind."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import traceback

import pytest
from tests.judges.raw_server import raw_server, response
from tests.judges.run_cases import judge

from bacon.errors import InputError
from bacon.judges.client import Client, Endpoint
from bacon.judges.replies import Reply

KEY = "sk-very-secret-0123456789"
BOMB = gzip.compress(b"x" * 5_000_000)
ANSWER = json.dumps({"choices": [{"message": {"content": "4"}}]}).encode()


def ask(url, body=b"{}", *, timeout=5.0, most_bytes=100_000, **settings):
    endpoint = Endpoint(judge(url, timeout=timeout, **settings))

    async def attempt():
        async with Client(4, most_bytes=most_bytes) as client:
            return await client.ask(endpoint, body)

    return asyncio.run(attempt())


def served(answer, **settings):
    """The outcome of a call to a server that sends these bytes and closes."""
    with raw_server(lambda connection, _: connection.sendall(answer)) as (url, _):
        return ask(url, **settings)


def test_the_request_is_as_asked(monkeypatch):
    monkeypatch.setenv("TEST_KEY", f"  {KEY}\n")
    with raw_server(lambda connection, _: connection.sendall(response(ANSWER))) as (url, seen):
        reply = ask(url, b'{"a": 1}', key_variable="TEST_KEY")
    assert isinstance(reply, Reply)
    head, body = seen[0].split(b"\r\n\r\n")
    assert body == b'{"a": 1}'
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}".encode() in head
    assert b"User-Agent" not in head


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (b"", "retry", "connection dropped"),
        (b"SSH-2.0-OpenSSH_9\r\n", "retry", "broken answer"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "retry", "connection dropped"),
        (response(ANSWER, length=len(ANSWER) + 9), "retry", "broken answer"),
        (response(ANSWER[:20]), "retry", "broken answer"),
        (response(b"x" * 200_000), "retry", "answer too large"),
        (response(b"", status="302 Found"), "stop", "http 302"),
        (response(b"", status="500 Oh"), "retry", "http 500"),
        (response(b"{}", "X: " + "y" * 100_000), "retry", "broken answer"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "retry",
            "broken answer",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"30000\r\n"
            + b"x" * 200_000,
            "retry",
            "answer too large",
        ),
        (response(BOMB, "Content-Encoding: gzip"), "retry", "answer too large"),
        (response(b"no gzip", "Content-Encoding: gzip"), "retry", "broken answer"),
    ],
)
def test_failures_of_servers(answer, kind, reason):
    trouble = served(answer)
    assert (trouble.kind, trouble.reason) == (kind, reason)


def test_an_answer_in_pieces_and_compressed_is_read():
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
    assert served(chunked % (len(ANSWER), ANSWER)).text == "4"
    assert served(response(gzip.compress(ANSWER), "Content-Encoding: gzip")).text == "4"


def test_redirects_are_not_followed(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    with raw_server(lambda connection, _: connection.sendall(response(ANSWER))) as (other, seen):
        moved = response(b"", f"Location: {other}/chat/completions", status="307 Moved")
        trouble = served(moved, key_variable="TEST_KEY")
    assert (trouble.kind, trouble.reason) == ("stop", "http 307")
    assert seen == []


def test_nobody_listens():
    with raw_server(lambda *_: None) as (url, _):
        pass
    assert ask(url).reason == "no connection"


@pytest.mark.parametrize("drip", [b"", b"x"])
def test_silent_and_dripping_servers_time_out(drip):
    def serve(connection, _):
        connection.sendall(
            response(b"", length=1_000).rstrip(b"\r\n") + b"\r\n\r\n" if drip else b""
        )
        for _ in range(100):
            time.sleep(0.05)
            connection.sendall(drip)

    with raw_server(serve) as (url, _):
        started = time.monotonic()
        trouble = ask(url, timeout=0.4)
    assert time.monotonic() - started < 3.0
    assert (trouble.kind, trouble.reason, trouble.crowded) == ("retry", "timed out", True)


def test_a_large_request_is_sent_whole():
    body = b'{"image": "' + b"A" * 3_000_000 + b'"}'
    sizes = []

    def serve(connection, request):
        size = len(request.split(b"\r\n\r\n", 1)[1])
        while size < len(body):
            size += len(connection.recv(1_000_000))
        sizes.append(size)
        connection.sendall(response(ANSWER))

    with raw_server(serve) as (url, _):
        assert ask(url, body).text == "4"
    assert sizes == [len(body)]


def test_the_key_shows_itself_nowhere(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    endpoint = Endpoint(judge("http://127.0.0.1:9/v1", key_variable="TEST_KEY"))
    assert KEY not in repr(endpoint) + repr(endpoint.headers) + repr(vars(endpoint))
    try:
        raise ValueError(endpoint)
    except ValueError as error:
        lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
        assert KEY not in "".join(lines)
    assert endpoint.hide(f"a {KEY} b") == "a [key] b"


def test_fillers_are_no_keys(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "4")
    endpoint = Endpoint(judge("http://127.0.0.1:9/v1", key_variable="TEST_KEY"))
    assert endpoint.hide("4 of 6") == "4 of 6"


@pytest.mark.parametrize("key", ["a\nb: c", "schlüssel", "a\x00b"])
def test_keys_that_are_none(monkeypatch, key):
    monkeypatch.setattr("os.environ", {"TEST_KEY": key})
    with pytest.raises(InputError, match="TEST_KEY") as caught:
        Endpoint(judge("http://127.0.0.1:9/v1", key_variable="TEST_KEY"))
    assert key not in str(caught.value)


def test_proxies_only_if_asked(monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    spec = judge("http://judge.invalid/v1")
    assert Endpoint(spec).proxy is None
    assert Endpoint(spec, proxies=True).proxy == "http://127.0.0.1:1"
    monkeypatch.setenv("no_proxy", "judge.invalid")
    assert Endpoint(spec, proxies=True).proxy is None
