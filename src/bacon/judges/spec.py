"""One judge as it is to be asked: where, with which model and prompt, how often, at what price."""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from bacon.errors import InputError
from bacon.judges.messages import build_messages
from bacon.judges.records import Call
from bacon.judges.tables import READ_OTHERWISE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.judges.prompts import Prompt
    from bacon.judges.records import Item

__all__ = ["JudgeSpec", "call_of", "check_url", "read_key"]

OWN_PARAMETERS = (
    "model",
    "messages",
    "n",
    "logprobs",
    "top_logprobs",
    "response_format",
    "stream",
)
"""Fields of a request that the judge's other settings decide."""


WHOLE = {"runs": (1, 1_000), "concurrency": (1, 10_000), "logprobs": (0, 20)}
"""Least and largest value of settings that are whole numbers."""


@dataclass(frozen=True)
class JudgeSpec:
    """A judge.

    Parameters
    ----------
    name : str
        Name of its columns.
    url : str
        Base address of an OpenAI-compatible endpoint, such as ``http://127.0.0.1:8000/v1``.
    model : str
        Model asked for.
    prompt : Prompt
        What it is asked.
    key_variable : str or None
        Environment variable that holds the key; None for endpoints that need none.
    parameters : mapping
        Further fields of each request, such as temperature or seed.
    runs : int
        How often each item is judged.
    concurrency : int
        Most calls in flight at once.
    price_in, price_out : float or None
        Money for a million tokens read and written; None where it is not known.
    timeout : float
        Seconds without an answer after which a call is tried again.
    logprobs : int or None
        Alternatives asked for at each token (0 to 20); None asks for no log-probabilities.
    structured : bool or {"json_schema", "json_object"}
        Have the endpoint hold the answer to the prompt's JSON schema, in OpenAI's form (True) or
        in the one named.

    Raises
    ------
    InputError
        A setting cannot be used.
    """

    name: str
    url: str
    model: str
    prompt: Prompt
    key_variable: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs: int = 1
    concurrency: int = 16
    price_in: float | None = None
    price_out: float | None = None
    timeout: float = 120.0
    logprobs: int | None = 5
    structured: bool | Literal["json_schema", "json_object"] = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be used."""
        if self.name == "item_id" or READ_OTHERWISE.fullmatch(self.name):
            raise InputError(
                f"a judge is called {self.name!r}, and its column would be read as something else "
                "(ids, a run, or the uncertainty of a judge); give it another name."
            )
        check_url(self.url, self.whose)
        self._check_numbers()
        own = [name for name in self.parameters if name in OWN_PARAMETERS]
        if own:
            raise InputError(
                f"judge {self.name}: parameters cannot set {own[0]}, which other settings of the "
                "judge decide; leave it out."
            )
        if self.structured:
            object.__setattr__(self, "prompt", self.prompt.structured())

    def _check_numbers(self) -> None:
        """Refuse numbers that make no sense, wherever they come from."""
        if not self.model:
            raise InputError(f"{self.whose}: model is empty; name the model to ask for.")
        for name, (least, most) in WHOLE.items():
            value = getattr(self, name)
            if value is None and name == "logprobs":
                continue
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            if not is_whole or not least <= value <= most:
                raise InputError(
                    f"{self.whose}: {name} must be a whole number from {least} to {most:,}; got "
                    f"{value!r}."
                )
        if not 0.0 < self.timeout < math.inf:
            raise InputError(
                f"{self.whose}: timeout must be seconds above 0, and finite; got {self.timeout!r}."
            )
        for name in ("price_in", "price_out"):
            price = getattr(self, name)
            if price is not None and not 0.0 <= price < math.inf:
                raise InputError(
                    f"{self.whose}: {name} must be money from 0 up, and finite; got {price!r}."
                )

    @property
    def whose(self) -> str:
        """The judge, as messages name it."""
        return f"judge {self.name}"

    @property
    def endpoint(self) -> str:
        """Address of the chat completions."""
        return f"{self.url.rstrip('/')}/chat/completions"

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return the money of a call by the judge's prices; None where either is not known."""
        if self.price_in is None or self.price_out is None:
            return None
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.price_in + completion_tokens * self.price_out) / 1e6


def check_url(url: str, whose: str) -> None:
    """Refuse what is no base address of an endpoint, or holds a password; `whose`: for messages."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise InputError(
            f"{whose}: url holds a password; put the key into an environment variable and name "
            "that with key_variable."
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError(
            f"{whose}: url should be the base address of an endpoint, such as "
            f"http://127.0.0.1:8000/v1; got {url!r}."
        )


def read_key(variable: str | None, whose: str) -> str | None:
    """Return the key from the environment; never kept.

    Parameters
    ----------
    variable : str or None
        Environment variable; None where no key is needed.
    whose : str
        For messages.

    Raises
    ------
    InputError
        The variable is not set.
    """
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise InputError(
            f"{whose}: the environment variable {variable} is not set; put the key of the endpoint "
            "there."
        )
    return key


def call_of(spec: JudgeSpec, item: Item, run: int) -> Call:
    """Return the request that asks a judge about an item.

    The key is a hash of judge, item, endpoint, request and run: asked again, the same call is
    known, and each run is a call of its own. Two items with the same text are two calls, so that
    each has its answer. A seed among the parameters grows by one with each run.
    """
    import orjson

    body: dict[str, Any] = {
        **spec.parameters,
        "model": spec.model,
        "messages": build_messages(spec.prompt, item),
    }
    if "max_completion_tokens" not in body:
        body.setdefault("max_tokens", spec.prompt.max_tokens)
    if isinstance(body.get("seed"), int):
        # With one seed for all, each run would be the first one again.
        body["seed"] += run - 1
    if spec.prompt.stop:
        body.setdefault("stop", list(spec.prompt.stop))
    if spec.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": spec.logprobs}
    if spec.structured:
        form = "json_schema" if spec.structured is True else spec.structured
        body["response_format"] = spec.prompt.response_format(form)
    payload = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    digest = hashlib.blake2b(digest_size=16)
    names = (name.encode("utf-8", "surrogatepass") for name in (spec.name, item.id, spec.endpoint))
    for part in (*names, b"%d" % run, payload):
        digest.update(b"%d:" % len(part) + part)
    return Call(digest.hexdigest(), spec.name, item.id, run, payload)
