"""What came back from an endpoint: an answer, or what is the matter. Nothing in it is trusted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bacon.judges.limits import retry_after
from bacon.judges.parsers.rules import CUT_OFF, REFUSED
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BROKEN", "Reply", "Trouble", "json_of", "read_failure", "read_reply"]

TOO_LONG = "context too long"
RATE_LIMITED = "rate limited"
NO_CONNECTION = "no connection"
BROKEN = "broken answer"

_CONTEXT = re.compile(
    r"context.{0,12}(?:length|window|size)|too many tokens|prompt is too long", re.I
)
_FILTERED = re.compile(r"content.?(?:filter|policy|management)|moderation|flagged|safety", re.I)
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")

Kind = Literal["retry", "later", "na", "refused", "stop"]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a judge.

    Parameters
    ----------
    text : str or None
        What it wrote.
    reason : str or None
        Why there is nothing to read in it; None where it is to be read.
    cut : bool
        Whether it ends at the most tokens allowed.
    logprobs : list or None
        Log-probabilities of its tokens, as they came.
    tokens_in, tokens_out : int or None
        As the endpoint counted them.
    model, fingerprint : str or None
        As the endpoint names them.
    """

    text: str | None
    reason: str | None = None
    cut: bool = False
    logprobs: list[Any] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """An attempt without an answer.

    Parameters
    ----------
    kind : {"retry", "later", "na", "refused", "stop"}
        Try again; try again when the endpoint has time; the item gets no score; the same, and the
        request may be wrong for every item; no call of this judge can succeed.
    reason : str
        From a short list, to be counted.
    told : str
        What the endpoint said, for a person; may be empty.
    wait : float or None
        Seconds that the endpoint asks for.
    crowded : bool
        Whether fewer calls at once may help.
    """

    kind: Kind
    reason: str
    told: str = ""
    wait: float | None = None
    crowded: bool = False


def read_reply(
    status: int, body: bytes, *, asked_wait: str | None, now: float, hide: Callable[[str], str]
) -> Reply | Trouble:
    """Return what an endpoint's response says; never raises.

    Parameters
    ----------
    status : int
        HTTP status.
    body : bytes
        Of the response.
    asked_wait : str or None
        The Retry-After header.
    now : float
        The time, in seconds since 1970.
    hide : callable
        Takes the key out of a text.
    """
    if 200 <= status < 300:
        return _answer(json_of(body), hide)
    return read_failure(status, body, asked_wait=asked_wait, now=now, hide=hide)


def read_failure(
    status: int, body: bytes, *, asked_wait: str | None, now: float, hide: Callable[[str], str]
) -> Trouble:
    """Return what a response of another status than 200 says; see `read_reply`."""
    value = json_of(body)
    wait = retry_after(asked_wait, now)
    return _trouble(
        status, value.get("error", value) if isinstance(value, dict) else None, wait, hide
    )


def json_of(body: bytes) -> Any:
    """Return the JSON of a body; None where it is none."""
    import orjson

    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if b"Infinity" not in body and b"NaN" not in body:
            return None
    # Some servers write the log-probability of the impossible in a way that is no JSON.
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _answer(value: Any, hide: Callable[[str], str]) -> Reply | Trouble:
    """Return the answer in the JSON of a good response."""
    if not isinstance(value, dict):
        return Trouble("retry", BROKEN)
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    choice = first if isinstance(first, dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        error = value.get("error")
        if not error:
            return Trouble("retry", BROKEN)
        # Relays put the failure of the endpoint behind them into a response of status 200.
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        return _trouble(status, error, None, hide)
    text, reason, finish = _text(message), None, choice.get("finish_reason")
    if message.get("refusal") or finish == "content_filter":
        reason = REFUSED
        told = message.get("refusal")
        text = text or (told if isinstance(told, str) else None)
    elif text is None:
        reason = (
            CUT_OFF if finish == "length" else "no text" if message.get("tool_calls") else REFUSED
        )
    usage, listed = value.get("usage"), choice.get("logprobs")
    content = listed.get("content") if isinstance(listed, dict) else None
    return Reply(
        text=None if text is None else hide(text),
        reason=reason,
        cut=finish == "length",
        logprobs=content if isinstance(content, list) else None,
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        model=_name(value.get("model"), hide),
        fingerprint=_name(value.get("system_fingerprint"), hide),
    )


def _text(message: dict[str, Any]) -> str | None:
    """Return the text of a message: a string, or parts of which some are text."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _name(value: Any, hide: Callable[[str], str]) -> str | None:
    return hide(value[:200]) if isinstance(value, str) else None


def _trouble(status: int, error: Any, wait: float | None, hide: Callable[[str], str]) -> Trouble:
    """Return what a response of another status than 200 means."""
    code, told = _said(error)
    reason = f"http {status}"
    # Hidden before it is cut: half of a key would not be found.
    told = shown(hide(told[:5_000]), 200)
    if status == 429 and code in _QUOTA:
        return Trouble("stop", "quota used up", told)
    if status == 429 or (status == 503 and wait is not None):
        return Trouble("later", RATE_LIMITED, told, wait, crowded=True)
    if status >= 500 or status in (408, 409, 425):
        crowded = status in (408, 503, 504, 529)
        return Trouble("retry", reason, told, wait, crowded=crowded)
    return _refusal(status, code, told)


def _refusal(status: int, code: str, told: str) -> Trouble:
    """Return what it means that an endpoint refuses a request for good."""
    reason = f"http {status}"
    if status < 400 or status in (401, 402):
        # Redirects are not followed, because the key would go with them. What is said to a wrong
        # key may repeat it in a shape of its own.
        return Trouble("stop", reason, told if status == 402 else "")
    if status in (400, 413, 422) and (code == "context_length_exceeded" or _CONTEXT.search(told)):
        return Trouble("na", TOO_LONG, told)
    if status in (400, 403, 422, 451) and _FILTERED.search(f"{code} {told}"):
        return Trouble("na", REFUSED, told)
    return Trouble("na" if status == 413 else "refused", reason, "" if status == 403 else told)


def _said(error: Any) -> tuple[str, str]:
    """Return the code and the message of an error as endpoints write them."""
    if isinstance(error, str):
        return "", error
    if not isinstance(error, dict):
        return "", ""
    codes = (error.get("code"), error.get("type"))
    code = next((code for code in codes if isinstance(code, str)), "")
    texts = (error.get("message"), error.get("detail"))
    return code, next((text for text in texts if isinstance(text, str)), "")
