"""Answers of an endpoint of embeddings, and everything else that may stand in them."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.engine.embedding.answers import Vectors, read_vectors
from bacon.judges.client import Response
from bacon.judges.replies import Trouble


def read(body: Any, count: int = 2, *, width: int | None = None, status: int = 200) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    came = Response(status, raw, "7")
    return read_vectors(came, count, width=width, hide=lambda text: text.replace("KEY", "***"))


def data(*vectors: Any, **more: Any) -> dict[str, Any]:
    listed = [{"index": k, "embedding": v} for k, v in enumerate(vectors)]
    return {"object": "list", "data": listed, **more}


def test_vectors_are_read_in_the_order_of_the_texts() -> None:
    body = data([1.0, 2.0], [3, 4.5], usage={"prompt_tokens": 7})
    body["data"].reverse()
    found = read(body, width=2)
    assert isinstance(found, Vectors)
    assert found.values.dtype == np.float32
    assert found.values.tolist() == [[1.0, 2.0], [3.0, 4.5]]
    assert found.tokens == 7


def test_servers_that_number_nothing_keep_the_order() -> None:
    found = read({"data": [{"embedding": [1.0]}, {"embedding": [2.0]}]})
    assert found.values.tolist() == [[1.0], [2.0]]
    assert found.tokens is None


def test_packed_vectors_are_read() -> None:
    packed = base64.b64encode(np.array([0.5, -2.0], dtype="<f4").tobytes()).decode()
    assert read(data(packed), count=1).values.tolist() == [[0.5, -2.0]]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": True}, {"prompt_tokens": -3}, 7])
def test_odd_counts_of_tokens_are_none(usage: Any) -> None:
    assert read(data([1.0], [2.0], usage=usage)).tokens is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (data([1.0]), "1 vectors for 2 texts"),
        (data([1.0], [1.0], [1.0]), "3 vectors for 2 texts"),
        (data([1.0], [1.0, 2.0]), "vectors of 1 and 2 numbers where 1 were wanted"),
        (data([1.0, 2.0], [1.0, 2.0]), "vectors of 2 numbers where 1 were wanted"),
        (b'{"data": [{"embedding": [NaN]}, {"embedding": [1.0]}]}', "not made of finite numbers"),
        (b'{"data": [{"embedding": [1e39]}, {"embedding": [1.0]}]}', "not made of finite numbers"),
        (data([10**400], [1.0]), "broken answer"),
        (data([None], [1.0]), "not made of finite numbers"),
        (data([True], [1.0]), "not made of finite numbers"),
        (data([], []), "not made of finite numbers"),
        (data([[1.0]], [[1.0]]), "not made of finite numbers"),
        (data(None, [1.0]), "not made of finite numbers"),
        (data({"a": 1}, [1.0]), "not made of finite numbers"),
        (data("not base64!", [1.0]), "not made of finite numbers"),
        (data("AAA=", [1.0]), "not made of finite numbers"),
        (data([1.0] * 70_000, [1.0]), "not made of finite numbers"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2}, "without the number of their text"),
        ({"data": [{"index": 5, "embedding": [1.0]}] * 2}, "without the number of their text"),
        ({"data": [{"index": -1, "embedding": [1.0]}] * 2}, "without the number of their text"),
        ({"data": ["x", "y"]}, "without the number of their text"),
        ({"data": {"0": 1}}, "broken answer"),
        ({}, "broken answer"),
        (b"", "broken answer"),
        (b'{"data": [{"embedding": [0.1', "broken answer"),
        (b"[" * 100_000, "broken answer"),
    ],
)
def test_what_is_no_answer_is_asked_for_again(body: Any, reason: str) -> None:
    found = read(body, width=1)
    assert isinstance(found, Trouble)
    assert found.kind == "retry"
    assert reason in found.reason


def test_failures_are_read_as_those_of_judges() -> None:
    late = read({"error": {"message": "slow down KEY"}}, status=429)
    assert (late.kind, late.wait, late.told) == ("later", 7.0, "slow down ***")
    assert read({"error": "no such key"}, status=401).kind == "stop"
    assert read({"error": "maximum context length"}, status=400).reason == "context too long"
    assert read({"error": {"message": "behind"}}).kind == "retry"


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists), st.integers(1, 3)
)
def test_nothing_makes_it_raise(value: Any, count: int) -> None:
    for body in (value, {"data": value}, {"data": [{"embedding": value}] * count}):
        found = read(body, count)
        assert isinstance(found, Vectors | Trouble)
        assert not isinstance(found, Vectors) or np.isfinite(found.values).all()
