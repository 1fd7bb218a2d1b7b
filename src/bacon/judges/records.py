"""What passes between the parts that run judges: an item, a call, its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Answer", "Call", "Item", "Parsed", "Reading", "Status"]

Status = Literal["ok", "na"]


@dataclass(frozen=True, slots=True)
class Item:
    """What a judge is shown.

    Parameters
    ----------
    id : str
        The item's id, as text.
    fields : dict of str to str
        Texts that the prompt names, such as ``{"text": ...}``; nothing in them is trusted.
    images : tuple of str
        Data URLs of images, in the order in which they are shown.
    """

    id: str
    fields: dict[str, str]
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a judge.

    Parameters
    ----------
    key : str
        Hash of endpoint, model, parameters, messages and run: the same call has the same key.
    judge, item : str
        Name of the judge and id of the item.
    run : int
        Number of the run, from 1.
    body : bytes
        The request's JSON.
    """

    key: str
    judge: str
    item: str
    run: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Parsed:
    """The scores read from a judge's text.

    Parameters
    ----------
    scores : tuple of float or None
        One for each outcome of the prompt; None where there is none.
    reason : str or None
        Why a score is missing, in a few words such as ``no score in the answer``; None where all
        are there.
    notes : tuple of str
        What was odd but did not stop the reading, such as an unknown severity.
    """

    scores: tuple[float | None, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What log-probabilities say of an answer; None where the endpoint gave none.

    Parameters
    ----------
    logprob : float or None
        Mean log-probability of the tokens of the answer.
    entropy : float or None
        Mean entropy over the answer's tokens, in nats, of the listed alternatives with the rest
        of the probability as one more.
    expected : float or None
        Expected score over the tokens of the scale at the token of the score.
    off_scale : float or None
        Probability at that token of anything that is no score.
    note : str or None
        Why a figure is missing.
    """

    logprob: float | None = None
    entropy: float | None = None
    expected: float | None = None
    off_scale: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How a call ended.

    Parameters
    ----------
    call : Call
        The call.
    status : {"ok", "na"}
        ok where every outcome has a score; else na, with the reason.
    reason : str or None
        Why a score is missing: refused, unreadable, http 400, timed out, ...
    text : str or None
        What the judge wrote.
    scores : tuple of float or None
        One for each outcome.
    reading : Reading
        Uncertainty.
    prompt_tokens, completion_tokens : int or None
        Tokens as the endpoint counted them.
    cost : float or None
        Money, by the judge's prices; None where they are not known.
    latency : float or None
        Seconds of the last attempt.
    attempts : int
        Requests made for this call.
    model, fingerprint : str or None
        As the endpoint returned them.
    prompt_version : str
        Name and version of the prompt.
    outcomes : tuple of str
        Names of the scores, as the prompt has them; none for a single score.
    """

    call: Call
    status: Status
    reason: str | None
    text: str | None
    scores: tuple[float | None, ...]
    reading: Reading = Reading()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency: float | None = None
    attempts: int = 1
    model: str | None = None
    fingerprint: str | None = None
    prompt_version: str = ""
    outcomes: tuple[str, ...] = ()
