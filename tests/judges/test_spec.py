"""Settings of a judge that cannot be used are refused, wherever they come from."""

from __future__ import annotations

from typing import Any

import pytest
from tests.judges.run_cases import judge

from bacon.errors import InputError

URL = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"runs": 0}, "runs must be a whole number from 1 to 1,000; got 0"),
        ({"runs": 1.5}, "runs must be a whole number"),
        ({"runs": True}, "runs must be a whole number"),
        ({"concurrency": 0}, "concurrency must be a whole number from 1 to 10,000; got 0"),
        ({"concurrency": 10**9}, "concurrency must be"),
        ({"logprobs": 21}, "logprobs must be a whole number from 0 to 20"),
        ({"timeout": -1.0}, "timeout must be seconds above 0"),
        ({"timeout": float("nan")}, "timeout must be seconds above 0"),
        ({"price_in": -1.0}, "price_in must be money from 0 up"),
        ({"price_out": float("inf")}, "price_out must be money from 0 up"),
        ({"model": ""}, "model is empty"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"^judge judge_a: {said}"):
        judge(URL, **settings)


def test_what_makes_sense_is_taken() -> None:
    spec = judge(URL, runs=1_000, concurrency=10_000, logprobs=None, timeout=0.1, price_in=0.0)
    assert (spec.runs, spec.concurrency, spec.logprobs) == (1_000, 10_000, None)
