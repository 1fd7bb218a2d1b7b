"""Items, judges and patience for tests that run judges on the fake endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.judges.limits import Patience
from bacon.judges.prompts import built_in
from bacon.judges.records import Item
from bacon.judges.spec import JudgeSpec

if TYPE_CHECKING:
    from bacon.judges.records import Answer
    from bacon.judges.store import Store

ESSAY = built_in("essay", assignment=False)

QUICK = Patience(
    first_wait=0.01,
    longest_wait=0.1,
    breaker_failures=10,
    breaker_wait=0.02,
    breaker_longest=0.1,
    breaker_probes=3,
    grace=5.0,
)
"""Waits that tests have time for."""


def items_of(count: int) -> list[Item]:
    return [Item(f"i{k}", {"text": f"Essay number {k}. It is about rain."}) for k in range(count)]


def judge(url: str, name: str = "judge_a", **settings: Any) -> JudgeSpec:
    given: dict[str, Any] = {"model": name, "prompt": ESSAY, "price_in": 1.0, "price_out": 2.0}
    return JudgeSpec(name, url, **{**given, **settings})


def table_of(store: Store) -> dict[tuple[str, str, int], tuple[Any, ...]]:
    """Everything stored but latency and attempts, by judge, item and run; each stands once."""
    table: dict[tuple[str, str, int], tuple[Any, ...]] = {}
    for answer in store.judgements():
        place = (answer.call.judge, answer.call.item, answer.call.run)
        assert place not in table
        table[place] = _told(answer)
    return table


def _told(answer: Answer) -> tuple[Any, ...]:
    return (
        answer.call.key,
        answer.status,
        answer.reason,
        answer.text,
        answer.scores,
        answer.reading,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.cost,
        answer.model,
        answer.fingerprint,
        answer.prompt_version,
    )
