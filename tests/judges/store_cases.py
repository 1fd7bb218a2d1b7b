"""Answers made up for tests of the store, and stores filled with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.judges.records import Answer, Call, Reading
from bacon.judges.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def made(
    item: str = "1",
    judge: str = "judge_a",
    run: int = 1,
    score: float | None = 4.0,
    **others: Any,
) -> Answer:
    """Return an answer whose key tells item, judge and run; further fields as given."""
    key = others.pop("key", f"{judge}/{item}/{run}")
    given: dict[str, Any] = {
        "status": "na" if score is None else "ok",
        "reason": "refused" if score is None else None,
        "text": f"{score}",
        "scores": (score,),
        "reading": Reading(-0.25, 0.5, 3.75, 0.01),
        "prompt_tokens": 900,
        "completion_tokens": 60,
        "cost": 0.001,
        "latency": 0.125,
        "model": "model-2025",
        "fingerprint": "fp",
        "prompt_version": "essay/1",
    }
    return Answer(Call(key, judge, item, run, b""), **{**given, **others})


def filled(path: Path, answers: Iterable[Answer]) -> Path:
    """Put answers into a store and return where it is."""
    with Store.open(path) as store:
        store.add(list(answers))
    return path
