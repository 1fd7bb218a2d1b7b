"""What the log-probabilities of an answer's tokens say: how sure the judge was, and of what."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from bacon.judges.parsers import token_value
from bacon.judges.records import Reading

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

    from bacon.judges.parsers import Rules
    from bacon.judges.prompt import Prompt

__all__ = ["perplexity", "read_logprobs"]

MOST_TOKENS = 100_000
MOST_ALTERNATIVES = 100
"""More than endpoints give; what goes beyond is not read."""

LEAST = -1000.0
"""Endpoints write -9999 and the like where they do not know; e^-1000 is 0 anyway."""

ROUNDING = 1e-3
"""By how much probabilities may sum above 1, and log-probabilities lie above 0."""

UNCLEAR = 0.01
"""Probability of unfinished scores from which on the expected score is not given."""


KNOWN_BYTES = 64
"""What longer tokens mean is not kept in memory: an endpoint may send any number of any length."""


class _Token(NamedTuple):
    """A token with its log-probability and its alternatives, itself among them."""

    text: bytes
    logprob: float
    listed: tuple[bytes, ...]
    shares: tuple[float, ...]
    """Probabilities of the alternatives."""
    entropy: float | None
    """In nats, the unlisted rest as one more alternative; None where nothing usable is listed."""


class _Meaning(NamedTuple):
    """What a token means on a scale."""

    text: str
    value: float | None
    written: bool
    """Whether it is a score in figures, nothing less or more."""
    longer: tuple[str, ...]
    """Scores that begin with it."""


def perplexity(logprob: float | None) -> float | None:
    """Return the perplexity of an answer: exp of minus its mean log-probability.

    Examples
    --------
    >>> perplexity(math.log(0.5))
    2.0
    """
    return None if logprob is None else math.exp(-logprob)


def read_logprobs(content: list[dict[str, Any]] | None, prompt: Prompt, text: str) -> Reading:
    """Return what the log-probabilities of an answer say; never raises.

    Parameters
    ----------
    content : list of dict or None
        ``choices[0].logprobs.content`` of the endpoint; nothing in it is trusted.
    prompt : Prompt
        What was asked.
    text : str
        The answer.

    Returns
    -------
    Reading
        A figure is None wherever the numbers do not determine it, and `note` says why.

    Notes
    -----
    With p_j the probabilities of the alternatives listed at a token and r = 1 - sum p_j the rest,
    the entropy there is -sum p_j log p_j - r log r: of all distributions with these p_j the least.
    The expected score is sum v p_v / sum p_v over the scale's values v at the token of the score;
    different writings of one value (" 4", "four") are added. `off_scale` is 1 - sum p_v.
    """
    if content is None or content == []:
        return Reading(note="no log-probabilities")
    if not isinstance(content, list) or len(content) > MOST_TOKENS:
        return Reading(note="log-probabilities that are no list of tokens")
    tokens = [_token(entry) for entry in content]
    known = [token for token in tokens if token is not None]
    if len(known) < len(tokens):
        return Reading(note="a token without a usable log-probability")
    certain = [token.entropy for token in known if token.entropy is not None]
    entropy = sum(certain) / len(certain) if len(certain) == len(known) else None
    expected, off_scale, note = _expected(known, prompt, text)
    return Reading(
        logprob=sum(token.logprob for token in known) / len(known),
        entropy=entropy,
        expected=expected,
        off_scale=off_scale,
        note=note if entropy is not None else _joined("no usable alternatives", note),
    )


def _joined(*notes: str | None) -> str:
    return "; ".join(note for note in notes if note)


def _token(entry: object) -> _Token | None:
    """Return a token; None where it has no text or no log-probability."""
    own = _pair(entry)
    if own is None or not isinstance(entry, dict):
        return None
    listed: dict[bytes, float] = {}
    given = entry.get("top_logprobs")
    if isinstance(given, list):
        for alternative in islice(given, MOST_ALTERNATIVES):
            pair = _pair(alternative, unlikely=True)
            if pair is None:
                listed = {}
                break
            listed.setdefault(*pair)
    if listed:
        listed.setdefault(*own)
    shares = tuple(map(math.exp, listed.values()))
    return _Token(*own, tuple(listed), shares, _entropy(shares))


def _pair(entry: object, *, unlikely: bool = False) -> tuple[bytes, float] | None:
    """Return a token's bytes and log-probability; None where either is unusable.

    With `unlikely`, a value below all that is known stands for a probability of 0.
    """
    if not isinstance(entry, dict):
        return None
    value = entry.get("logprob")
    if type(value) is not float:
        value = _number(value)
    if value is None:
        return None
    if not LEAST <= value <= ROUNDING:
        if not (unlikely and value < LEAST):
            return None
        value = -math.inf
    text = _bytes(entry)
    return None if text is None else (text, min(value, 0.0))


def _number(value: object) -> float | None:
    """Return a whole number as a float; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _bytes(entry: dict[str, Any]) -> bytes | None:
    """Return the bytes of a token: as given, or those of its text."""
    given, token = entry.get("bytes"), entry.get("token")
    if isinstance(given, list) and len(given) <= 1000:
        try:
            return bytes(given)
        except (TypeError, ValueError):
            pass
    return token.encode("utf-8", "replace") if isinstance(token, str) else None


def _entropy(shares: tuple[float, ...]) -> float | None:
    """Return the entropy of probabilities in nats, the rest as one more alternative."""
    if not shares:
        return None
    total = math.fsum(shares)
    if total > 1.0 + ROUNDING * len(shares):
        return None
    entropy = -sum([share * math.log(share) for share in shares if share > 0.0])
    rest = 1.0 - total
    return entropy - rest * math.log(rest) if rest > 0.0 else entropy


def _expected(
    tokens: list[_Token], prompt: Prompt, text: str
) -> tuple[float | None, float | None, str | None]:
    """Return the expected score, the mass off the scale, and why they are missing."""
    if prompt.scale is None or len(prompt.outcomes) > 1:
        return None, None, "no expected score: several scores, or a scale of many values"
    token = _carrier(tokens, prompt, text)
    if isinstance(token, str):
        return None, None, token
    if token.entropy is None:
        return None, None, "no expected score: no usable alternatives"
    return _over_scale(token, prompt)


def _over_scale(token: _Token, prompt: Prompt) -> tuple[float | None, float | None, str | None]:
    """Return the expected score over the alternatives at the token of the score."""
    meaning = _meanings(prompt.rules, prompt.scale or ())
    listed = [
        meaning(text) if len(text) <= KNOWN_BYTES else meaning.__wrapped__(text)
        for text in token.listed
    ]
    whole = {each.text for each in listed if each.written and len(each.text) > 1}
    mass: dict[float, float] = {}
    unclear = 0.0
    for each, share in zip(listed, token.shares, strict=True):
        # "1" may be the beginning of "10", unless the endpoint lists "10" as a token of its own;
        # "-" can be nothing else.
        if each.longer and not (each.written and not whole.isdisjoint(each.longer)):
            unclear += share
        elif each.value is not None:
            mass[each.value] = mass.get(each.value, 0.0) + share
    if unclear > UNCLEAR:
        return None, None, "no expected score: it may span several tokens"
    total = sum(mass.values())
    if total <= 0.0:
        return None, None, "no expected score: no score among the alternatives"
    expected = sum(value * share for value, share in mass.items()) / total
    # Rounding must not lead off the scale.
    expected = min(max(expected, min(mass)), max(mass))
    return expected, min(max(1.0 - total, 0.0), 1.0), None


@lru_cache(maxsize=16)
def _meanings(rules: Rules, scale: tuple[float, ...]) -> _lru_cache_wrapper[_Meaning]:
    """Return what tells what a token means on a scale; it keeps what it has told."""
    writings = tuple(f"{value:g}" for value in scale)

    @lru_cache(maxsize=4096)
    def meaning(token: bytes) -> _Meaning:
        text = _plain(token)
        begun = () if rules.levels or not text else writings
        longer = tuple(each for each in begun if each != text and each.startswith(text))
        return _Meaning(text, token_value(text, rules), text in writings, longer)

    return meaning


def _carrier(tokens: list[_Token], prompt: Prompt, text: str) -> _Token | str:
    """Return the token that is the answer's score, or why there is no such one token."""
    place = prompt.locate(text)
    if place is None:
        return "no expected score: no score in the answer"
    for spelled in ([token.text for token in tokens], [_decoded(token.text) for token in tokens]):
        offset = b"".join(spelled).find(text.encode("utf-8", "replace"))
        if offset >= 0:
            break
    else:
        return "no expected score: the tokens do not spell the answer"
    start = offset + len(text[: place[0]].encode("utf-8", "replace"))
    end = offset + len(text[: place[1]].encode("utf-8", "replace"))
    at = 0
    for token, piece in zip(tokens, spelled, strict=True):
        after = at + len(piece)
        if at <= start and end <= after and start < after:
            value = token_value(_plain(token.text), prompt.rules)
            if value is None or value != token_value(text[slice(*place)], prompt.rules):
                return "no expected score: its token holds more than the score"
            return token
        if after > start:
            break
        at = after
    return "no expected score: it spans several tokens"


def _decoded(token: bytes) -> bytes:
    """Return a token with the space and line signs of raw vocabularies as what they stand for."""
    text = token.decode("utf-8", "replace")
    plain = text.replace("\u2581", " ").replace("\u0120", " ").replace("\u010a", "\n")
    return plain.encode("utf-8", "replace")


def _plain(token: bytes) -> str:
    """Return the text of a token without space and quotes around it."""
    return _decoded(token).decode("utf-8", "replace").strip(" \t\r\n\"'*`([{:")
