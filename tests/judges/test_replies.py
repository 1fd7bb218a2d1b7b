"""What comes back from an endpoint, whatever it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.judges.replies import Reply, Trouble, read_reply

KEY = "sk-very-secret-0123456789"
GOOD = {
    "model": "m-2025",
    "system_fingerprint": "fp",
    "choices": [
        {
            "message": {"role": "assistant", "content": "4"},
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "4", "logprob": -0.1}]},
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 1},
}


def read(value, status=200, wait=None):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return read_reply(
        status, body, asked_wait=wait, now=0.0, hide=lambda text: text.replace(KEY, "[key]")
    )


def answer(finish="stop", **message):
    return read({"choices": [{"message": message, "finish_reason": finish}]})


def test_a_good_answer():
    assert read(GOOD) == Reply(
        "4", None, False, [{"token": "4", "logprob": -0.1}], 10, 1, "m-2025", "fp"
    )


@pytest.mark.parametrize(
    ("message", "finish", "text", "reason"),
    [
        ({"content": None, "refusal": "No."}, "stop", "No.", "refused"),
        ({"content": "4", "refusal": "No."}, "stop", "4", "refused"),
        ({"content": None}, "stop", None, "refused"),
        ({"content": None}, "content_filter", None, "refused"),
        ({"content": "4"}, "content_filter", "4", "refused"),
        ({"content": None}, "length", None, "cut off"),
        ({"content": None, "tool_calls": [{}]}, "tool_calls", None, "no text"),
        ({"content": 4}, "stop", None, "refused"),
        ({"content": ""}, "stop", "", None),
        ({"content": [{"type": "text", "text": "4"}, {"type": "x"}]}, "stop", "4", None),
        ({"content": [1, None]}, "stop", None, "refused"),
        ({"content": "4", "refusal": None}, None, "4", None),
    ],
)
def test_messages(message, finish, text, reason):
    reply = answer(finish, **message)
    assert (reply.text, reply.reason) == (text, reason)
    assert reply.cut == (finish == "length")


@pytest.mark.parametrize(
    "value",
    [
        b"", b"<html>", b"[]", b"null", b'"4"', b"{}", b'{"choices": []}', b'{"choices": [4]}',
        b'{"choices": [{}]}', b'{"choices": {"0": 1}}', json.dumps(GOOD).encode()[:60],
        b"[" * 100_000, b"NaN", b'{"NaN": ' + b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_answer_is_tried_again(value):
    assert read(value) == Trouble("retry", "broken answer")


def test_numbers_that_are_no_json_do_not_cost_the_answer():
    body = json.dumps(GOOD).replace("-0.1", "-Infinity").encode()
    assert read(body).logprobs == [{"token": "4", "logprob": float("-inf")}]


@pytest.mark.parametrize("usage", [None, 4, [], {"prompt_tokens": "10", "completion_tokens": -1}])
def test_counts_that_are_none(usage):
    reply = read({**GOOD, "usage": usage})
    assert (reply.tokens_in, reply.tokens_out) == (None, None)


def failed(message="", code=None, kind=None):
    return {"error": {"message": message, "code": code, "type": kind}}


@pytest.mark.parametrize(
    ("status", "value", "wait", "kind", "reason"),
    [
        (429, failed(), "7", "later", "rate limited"),
        (429, failed(), None, "later", "rate limited"),
        (429, failed(code="insufficient_quota"), None, "stop", "quota used up"),
        (503, failed(), "3", "later", "rate limited"),
        (503, b"", None, "retry", "http 503"),
        (500, b"<html>", None, "retry", "http 500"),
        (529, failed(), None, "retry", "http 529"),
        (408, b"", None, "retry", "http 408"),
        (401, failed(), None, "stop", "http 401"),
        (402, failed(), None, "stop", "http 402"),
        (403, failed(), None, "refused", "http 403"),
        (403, failed("input was flagged"), None, "na", "refused"),
        (404, failed("no such model"), None, "refused", "http 404"),
        (301, b"", None, "stop", "http 301"),
        (307, b"", None, "stop", "http 307"),
        (400, failed("bad parameter"), None, "refused", "http 400"),
        (400, failed(code="context_length_exceeded"), None, "na", "context too long"),
        (400, failed("maximum context length is 8"), None, "na", "context too long"),
        (400, failed(code="content_filter"), None, "na", "refused"),
        (413, b"", None, "na", "http 413"),
        (422, {"detail": "what?"}, None, "refused", "http 422"),
        (400, {"error": "text"}, None, "refused", "http 400"),
        (400, {"error": [1]}, None, "refused", "http 400"),
        (418, [], None, "refused", "http 418"),
        (200, failed(code=429), None, "later", "rate limited"),
        (200, failed(code="x"), None, "retry", "http 502"),
        (200, {"error": "overloaded"}, None, "retry", "http 502"),
    ],
)
def test_failures(status, value, wait, kind, reason):
    trouble = read(value, status, wait)
    assert (trouble.kind, trouble.reason) == (kind, reason)
    assert trouble.wait == (None if wait is None else float(wait))


def test_the_key_is_taken_out_of_all_that_is_kept():
    message = {"content": f"4 {KEY}", "refusal": None}
    reply = read({"model": KEY, "system_fingerprint": KEY, "choices": [{"message": message}]})
    assert (reply.text, reply.model, reply.fingerprint) == ("4 [key]", "[key]", "[key]")
    for status in (400, 401, 403, 404, 422, 429, 500):
        # Even where the message is cut in the middle of the key.
        for before in ("", "x" * 190):
            assert "secret" not in read(failed(before + KEY, KEY, KEY), status).told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "refusal",
                    "error",
                    "code",
                    "usage",
                    "logprobs",
                    "type",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from([200, 204, 302, 400, 401, 403, 404, 429, 500, 503]), st.text())
def test_nothing_makes_reading_fail(value, status, wait):
    assert isinstance(read(value, status, wait), Reply | Trouble)


@given(st.binary(max_size=80))
def test_no_bytes_make_reading_fail(body):
    assert isinstance(read(body), Reply | Trouble)
