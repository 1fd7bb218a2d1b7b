"""What fake judges answer: scores with a known bias, the same for the same request and seed."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

__all__ = ["FakeJudge", "Request", "answer_text", "logprobs_of", "scale_of", "share"]

_FENCE = re.compile(r"<<<\w+ ([0-9a-f]+)\n(.*?)\n\1>>>", re.DOTALL)
_QUALITY = re.compile(r"\bquality=(-?\d{1,3}(?:\.\d{1,12})?)\b")
_LINE = re.compile(r"^([A-Z]{1,10}): n$", re.MULTILINE)
_SCALE = re.compile(r"(?:from|scale)\s+(-?\d{1,3})\s+(?:to|through)\s+(-?\d{1,3})\b")
_TOKEN = re.compile(r"\d|[^\W\d]+|\s+|[^\w\s]|_")
_NORMAL = NormalDist()
_MISTAKES = (
    ("Accuracy/Mistranslation", "Major"),
    ("Fluency/Grammar", "Minor"),
    ("Style", "Minor"),
    ("Accuracy/Omission", "Major"),
    ("Fluency/Punctuation", "Minor"),
)
ALTERNATIVES = 20
SPREAD = 0.6
"""Width of the distribution over scores, in points."""


@dataclass(frozen=True, slots=True)
class FakeJudge:
    """How a fake model judges.

    Parameters
    ----------
    bias : float
        Added to the quality of every item, in standard deviations of quality.
    slope : float
        What is left of the quality.
    noise : float
        Standard deviation of its errors.
    scale : tuple of (int, int), optional
        Ends of the scale, where the prompt does not say them as "from 1 to 6".

    Notes
    -----
    Quality stands in the item's text as ``quality=0.37``; otherwise it is drawn, standard normal,
    by the text and the seed. The score is the middle of the scale and a quarter of its length
    times ``bias + slope * quality + noise * error``, rounded, within the scale.
    """

    bias: float = 0.5
    slope: float = 0.8
    noise: float = 0.5
    scale: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the fake reads it.

    Parameters
    ----------
    rules : str
        All text that is no item's.
    material : str
        Texts and images of the item.
    seed : str
        The seed of the request, if it has one, as text.
    schema : dict or None
        Of the JSON that the answer has to be.
    """

    rules: str
    material: str
    seed: str
    schema: dict[str, Any] | None

    @classmethod
    def of(cls, body: dict[str, Any]) -> Request:
        """Read the JSON of a request."""
        messages = body["messages"]
        system = " ".join(_content(m) for m in messages if m.get("role") == "system")
        last = _content(messages[-1])
        fenced = [match[2] for match in _FENCE.finditer(last)]
        outside = _FENCE.sub("", last)
        images = [part for part in _parts(messages[-1]) if part.startswith("data:")]
        material = "\n".join((*(fenced or [last]), *images))
        form = body.get("response_format")
        schema = form.get("json_schema", {}).get("schema") if isinstance(form, dict) else None
        return cls(
            f"{system}\n{outside if fenced or images else ''}",
            material,
            str(body.get("seed", "")),
            schema,
        )


def _parts(message: dict[str, Any]) -> list[str]:
    """Return texts and addresses of images of a message."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return [content]
    return [
        part["text"] if part["type"] == "text" else part["image_url"]["url"] for part in content
    ]


def _content(message: dict[str, Any]) -> str:
    return "\n".join(part for part in _parts(message) if not part.startswith("data:image"))


def share(*parts: str) -> float:
    """Return a number between 0 and 1 that the texts determine, as if drawn evenly."""
    digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2.0**64


def answer_text(
    judge: FakeJudge, request: Request, *, seed: int, model: str
) -> tuple[str, dict[int, float]]:
    """Return what a judge writes, and where in the text a score stands with its exact value.

    Parameters
    ----------
    judge : FakeJudge
        The model.
    request : Request
        What it is asked.
    seed : int
        Of the fake.
    model : str
        Name of the model; its errors are its own.
    """
    named = _QUALITY.search(request.material)
    if named:
        quality = float(named[1])
    else:
        quality = _NORMAL.inv_cdf(share(str(seed), "quality", request.material))

    def exact(outcome: str) -> float:
        where = (str(seed), "error", model, request.seed, outcome, request.material)
        return judge.bias + judge.slope * quality + judge.noise * _NORMAL.inv_cdf(share(*where))

    low, high = scale_of(judge, request)
    names = _LINE.findall(request.rules)
    properties = (request.schema or {}).get("properties")
    if (isinstance(properties, dict) and "errors" in properties) or (
        properties is None and '"errors"' in request.rules
    ):
        return _mistakes(exact("score")), {}
    points = {
        name: (low + high) / 2.0 + (high - low) / 4.0 * exact(name)
        for name in (properties or names or ("score",))
    }
    scores = {name: min(max(round(value), low), high) for name, value in points.items()}
    if properties:
        return json.dumps(scores), {}
    if not names:
        return str(scores["score"]), {0: points["score"]}
    return "\n".join(f"{name}: {score}" for name, score in scores.items()), {}


def scale_of(judge: FakeJudge, request: Request) -> tuple[int, int]:
    """Return the ends of the scale: the judge's own, else as the prompt says them, else 1 to 6."""
    if judge.scale is not None:
        return judge.scale
    found = _SCALE.search(request.rules)
    low, high = (int(found[1]), int(found[2])) if found else (1, 6)
    return (low, high) if low < high else (1, 6)


def _mistakes(exact: float) -> str:
    """Return errors of a translation, more the worse it is."""
    count = min(max(round(1.5 - 1.5 * exact), 0), len(_MISTAKES))
    errors = [
        {"category": category, "severity": severity, "span": "..."}
        for category, severity in _MISTAKES[:count]
    ]
    return json.dumps({"errors": errors})


def logprobs_of(
    text: str, places: dict[int, float], scale: tuple[int, int], most: int
) -> list[dict[str, Any]]:
    """Return log-probabilities of an answer's tokens, as endpoints write them.

    Parameters
    ----------
    text : str
        The answer.
    places : dict of int to float
        Where in it a score stands that is one token, with its exact value.
    scale : tuple of int
        Ends of the scale.
    most : int
        Alternatives wanted at each token.
    """
    if 0 in places:
        spread = _over(scale, places[0], text)
        pieces = [(text, spread)]
    else:
        pieces = [(m[0], {m[0]: 0.97, m[0] + "s": 0.02}) for m in _TOKEN.finditer(text)]
    content = []
    for token, shares in pieces:
        ordered = sorted(shares.items(), key=lambda pair: -pair[1])[: min(most, ALTERNATIVES)]
        content.append(
            {**_entry(token, shares[token]), "top_logprobs": [_entry(*pair) for pair in ordered]}
        )
    return content


def _over(scale: tuple[int, int], exact: float, written: str) -> dict[str, float]:
    """Return the probabilities of scores, the written one the most likely, and of another word."""
    low, high = scale
    exact = min(max(exact, low - 0.4), high + 0.4)
    weights = {
        str(value): math.exp(-((value - exact) ** 2) / (2 * SPREAD**2)) + 1e-9
        for value in range(low, high + 1)
    }
    weights.setdefault(written, 1.0)
    total = sum(weights.values()) / 0.99
    return {value: weight / total for value, weight in weights.items()} | {"The": 0.005}


def _entry(token: str, probability: float) -> dict[str, Any]:
    return {
        "token": token,
        "logprob": round(math.log(probability), 6),
        "bytes": list(token.encode()),
    }
