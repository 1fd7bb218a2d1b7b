"""Output of OpenAI's batch endpoint: one JSON line a request, in any order."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.judges.answering import failed_answer, read_answer
from bacon.judges.feed import Planned
from bacon.judges.importers.json_files import json_lines
from bacon.judges.importers.samples import Broken, Sample, Score
from bacon.judges.importers.values import OFF_THE_SCALE, item_id, run_number
from bacon.judges.records import Call
from bacon.judges.replies import Trouble, read_reply
from bacon.judges.spec import JudgeSpec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.judges.importers.samples import Choices, Found
    from bacon.judges.records import Answer
    from bacon.judges.replies import Reply

__all__ = ["answer_of", "is_batch", "read_batch_file", "reply_of"]

_RUN = re.compile(r"(?P<item>.+)_run(?P<run>\d{1,6})", re.DOTALL)
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,39}")


def is_batch(record: Any) -> bool:
    """Whether JSON is a line of a batch's output."""
    return (
        isinstance(record, dict)
        and "custom_id" in record
        and ("response" in record or "error" in record)
    )


def read_batch_file(path: Path, choices: Choices) -> Iterator[Found]:
    """Yield the samples of a batch's output; the item is ``custom_id``, less a ``_run<k>``.

    Raises
    ------
    InputError
        There is no prompt by which to read the texts.
    """
    prompt = choices.prompt
    if prompt is None:
        raise InputError(
            f"{path.name} holds texts of a batch, and which scores they mean is a matter of the "
            "prompt; name it with --prompt (essay, mqm, webdesign:bank, or a TOML file)."
        )
    # Where it was asked is not known, and not needed to read what it said.
    spec = JudgeSpec(prompt.name, "http://127.0.0.1", "unknown", prompt)
    for line in json_lines(path):
        if isinstance(line, Broken):
            yield line
            continue
        row, record = line
        name = item_id(record.get("custom_id"))
        if name is None:
            yield Broken(row, "it has no custom_id that can be an id")
            continue
        matched = _RUN.fullmatch(name)
        run = run_number(matched["run"]) if matched else 1
        item = matched["item"] if matched and run else name
        answer, _ = answer_of(record, spec, Call("", prompt.name, item, run or 1, b""))
        yield Sample(row, item, run or 1, {prompt.name: _score(answer, choices.scale)})


def reply_of(record: dict[str, Any]) -> Reply | Trouble:
    """Return what a line of a batch's output says of its request; never raises."""
    response = record.get("response")
    if isinstance(response, dict):
        status = response.get("status_code", 200)
        body = response.get("body")
        if isinstance(status, int) and isinstance(body, dict):
            return read_reply(
                status, json.dumps(body).encode(), asked_wait=None, now=0.0, hide=lambda text: text
            )
        if isinstance(status, int) and status != 200:
            return Trouble("na", f"http {status}")
    error = record.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and _CODE.fullmatch(code):
        return Trouble("na", code.replace("_", " "))
    return Trouble("na", "failed in the batch" if error else "no answer in the batch")


def answer_of(record: dict[str, Any], spec: JudgeSpec, call: Call) -> tuple[Answer, bool]:
    """Return the answer to a call in a line of a batch, and whether something odd was in it."""
    planned = Planned(call, 0.0, sent=1)
    reply = reply_of(record)
    if isinstance(reply, Trouble):
        answer, odd = failed_answer(spec, planned, reply.reason, 0.0), False
    else:
        answer, odd = read_answer(spec, planned, reply, latency=0.0)
    # How long a request of a batch took is not told.
    return replace(answer, latency=None), odd


def _score(answer: Answer, scale: tuple[float, float] | None) -> Score:
    """Return an answer as a score, without what lies off a scale of the user's own."""
    scores, reason = answer.scores, answer.reason
    if scale is not None:
        low, high = scale
        scores = tuple(v if v is not None and low <= v <= high else None for v in scores)
        if scores != answer.scores:
            reason = reason or OFF_THE_SCALE
    return Score(
        scores,
        reason,
        outcomes=answer.outcomes,
        reading=answer.reading,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        model=answer.model,
        fingerprint=answer.fingerprint,
        prompt_version=answer.prompt_version,
    )
