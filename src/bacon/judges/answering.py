"""From what an endpoint replied, or did not, to the answer that is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.judges.parsers.rules import CUT_OFF
from bacon.judges.records import Answer
from bacon.judges.uncertainty import read_logprobs

if TYPE_CHECKING:
    from bacon.judges.feed import Planned
    from bacon.judges.replies import Reply
    from bacon.judges.spec import JudgeSpec

__all__ = ["failed_answer", "read_answer"]


def read_answer(
    spec: JudgeSpec, planned: Planned, reply: Reply, *, latency: float
) -> tuple[Answer, bool]:
    """Return the answer in a reply, and whether something odd was in it that still was read.

    Parameters
    ----------
    spec : JudgeSpec
        The judge.
    planned : Planned
        The call.
    reply : Reply
        What came back.
    latency : float
        Seconds of the attempt.
    """
    prompt = spec.prompt
    text = reply.text or ""
    scores: tuple[float | None, ...] = (None,) * len(prompt.outcomes)
    reason, odd = reply.reason, False
    if reason is None:
        parsed = prompt.parse(text)
        scores, reason = parsed.scores, parsed.reason
        odd = bool(parsed.notes) and reason is None
        if reason is not None and reply.cut:
            reason = CUT_OFF
    reading = read_logprobs(reply.logprobs, prompt, text)
    answer = Answer(
        planned.call,
        "ok" if reason is None else "na",
        reason,
        reply.text,
        scores,
        reading,
        prompt_tokens=reply.tokens_in,
        completion_tokens=reply.tokens_out,
        cost=spec.cost(reply.tokens_in, reply.tokens_out),
        latency=latency,
        attempts=planned.sent,
        model=reply.model,
        fingerprint=reply.fingerprint,
        prompt_version=prompt.version,
        outcomes=_names(spec),
    )
    return answer, odd


def failed_answer(spec: JudgeSpec, planned: Planned, reason: str, latency: float) -> Answer:
    """Return the answer, without a score, of a call that was given up."""
    return Answer(
        planned.call,
        "na",
        reason,
        None,
        (None,) * len(spec.prompt.outcomes),
        # What failed is not billed, as far as anyone told.
        cost=spec.cost(0, 0),
        latency=latency,
        attempts=planned.sent,
        prompt_version=spec.prompt.version,
        outcomes=_names(spec),
    )


def _names(spec: JudgeSpec) -> tuple[str, ...]:
    """Return the outcomes as answers name them: none for a single score."""
    outcomes = spec.prompt.outcomes
    return () if outcomes == ("score",) else outcomes
