"""Small files in the formats that other programs write."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def write_json(path: Path, value: Any) -> Path:
    """Write JSON as Python writes it: NaN stands there as NaN."""
    path.write_text(json.dumps(value))
    return path


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    """Write one JSON value a line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def sample(id: Any = 1, epoch: Any = 1, **others: Any) -> dict[str, Any]:
    """Return a sample as inspect-ai logs it; scores by scorer as plain values."""
    scores = others.pop("scores", None)
    record: dict[str, Any] = {"id": id, "epoch": epoch, "input": "q", "target": "t", **others}
    if scores is not None:
        record["scores"] = {name: {"value": value} for name, value in scores.items()}
    return record


def head(task: str = "qa", model: str = "openai/gpt-4o", status: str = "success") -> dict[str, Any]:
    """Return the header of a log of inspect-ai."""
    return {"version": 2, "status": status, "eval": {"task": task, "model": model}}


def eval_archive(
    path: Path,
    samples: Sequence[dict[str, Any]],
    header: dict[str, Any] | None = None,
    *,
    packed: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Write an .eval log."""
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": head()["eval"]}))
        for one in samples:
            archive.writestr(
                f"samples/{one.get('id')}_epoch_{one.get('epoch')}.json", json.dumps(one)
            )
        archive.writestr("summaries.json", "[]")
        if header is not None:
            archive.writestr("header.json", json.dumps(header))
    return path


def result(test: int = 0, score: Any = 1.0, **others: Any) -> dict[str, Any]:
    """Return a result as promptfoo writes it."""
    variables = others.pop("vars", {"question": f"q{test}"})
    return {
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": "openai:gpt-4o"},
        "vars": variables,
        "testCase": {"vars": variables, "assert": [{"type": "llm-rubric"}]},
        "score": score,
        "success": bool(score),
        "failureReason": 0,
        "error": None,
        "namedScores": {},
        "gradingResult": {"pass": True, "score": score, "reason": "", "componentResults": []},
        **others,
    }


def promptfoo_file(path: Path, results: list[Any]) -> Path:
    """Write promptfoo's JSON."""
    return write_json(path, {"evalId": "e", "results": {"version": 3, "results": results}})


def reply(
    custom_id: Any,
    text: Any = "4",
    *,
    status: int = 200,
    finish: str = "stop",
    **body: Any,
) -> dict[str, Any]:
    """Return a line of a batch's output."""
    content = {
        "model": "gpt-4o-mini-2024",
        "system_fingerprint": "fp",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 1},
        **body,
    }
    return {
        "id": "batch_req_1",
        "custom_id": custom_id,
        "response": {"status_code": status, "request_id": "r", "body": content},
        "error": None,
    }


def no_reply(custom_id: Any, code: str = "batch_expired") -> dict[str, Any]:
    """Return a line of a batch's error file."""
    return {
        "id": "batch_req_2",
        "custom_id": custom_id,
        "response": None,
        "error": {"code": code, "message": "This request could not be executed."},
    }
