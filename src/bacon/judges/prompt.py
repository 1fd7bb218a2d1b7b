"""A prompt: what a judge is told and asked, and how its answer is read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.judges.parsers import Rules, locate, parse
from bacon.judges.parsers.lenient import Value, find_json
from bacon.judges.prompt_checks import check_parts
from bacon.judges.schema import response_schema
from bacon.judges.template import Template
from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.judges.records import Item, Parsed

__all__ = ["Prompt"]

MOST_LEVELS = 21
"""Scales with more whole numbers are not listed value by value."""


@dataclass(frozen=True)
class Prompt:
    """What a judge is told and asked, and how its answer is read.

    Parameters
    ----------
    name : str
        Name of the prompt.
    version : str
        Name and version, such as ``essay/1``; stored with every answer.
    system : str
        System message, literally. What is said about fences is added to it.
    user : str
        User message with ``{field}`` names in the places of the item's texts.
    parser : str
        How answers are read: digit, number, label, lines, json or mqm.
    outcomes : tuple of str
        Names of the scores.
    limits : tuple of (float, float)
        Ends of the scale.
    whole : bool
        Whether scores are whole numbers.
    levels : tuple of (str, float)
        Labels with their scores, where answers are labels.
    max_tokens : int
        Most tokens of an answer.
    stop : tuple of str
        Texts at which an answer ends.
    images : bool
        Whether the item's images are shown, after the text.
    examples : tuple of (Item, str)
        Items with right answers, shown before the item.
    exact : bool
        Whether answers must be JSON with nothing around it; see `structured`.

    Raises
    ------
    InputError
        Parts that do not fit together.
    """

    name: str
    version: str
    system: str
    user: str
    parser: str
    outcomes: tuple[str, ...] = ("score",)
    limits: tuple[float, float] = (1.0, 6.0)
    whole: bool = True
    levels: tuple[tuple[str, float], ...] = ()
    max_tokens: int = 16
    stop: tuple[str, ...] = ()
    images: bool = False
    examples: tuple[tuple[Item, str], ...] = ()
    exact: bool = False
    template: Template = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        object.__setattr__(self, "template", Template.of(self.user, where=f"prompt {self.name}"))
        check_parts(self)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of the item's texts that the template shows."""
        return self.template.fields

    @cached_property
    def scale(self) -> tuple[float, ...] | None:
        """The legal scores, ascending, where they are few; else None."""
        if self.levels:
            return tuple(sorted({value for _, value in self.levels}))
        low, high = self.limits
        if not self.whole or high - low >= MOST_LEVELS:
            return None
        return tuple(float(value) for value in range(int(low), int(high) + 1))

    @cached_property
    def rules(self) -> Rules:
        """What the parser goes by."""
        low, high = self.limits
        return Rules(self.outcomes, low, high, self.whole, self.levels, self.exact)

    @property
    def example_ids(self) -> tuple[str, ...]:
        """Ids of the items shown as examples: no judge's score of them counts as a measurement."""
        return tuple(item.id for item, _ in self.examples)

    def parse(self, text: str) -> Parsed:
        """Return the scores of an answer, or why one is missing; never raises."""
        return parse(text, parser=self.parser, rules=self.rules)

    def locate(self, text: str) -> tuple[int, int] | None:
        """Return the characters that carry the one score of an answer; None where none do."""
        return locate(text, parser=self.parser, rules=self.rules)

    def with_examples(self, examples: Iterable[tuple[Item, str]]) -> Prompt:
        """Return the prompt with items and their right answers shown before the item.

        The version changes with the examples. Their items have to leave the pool, or count as
        labelled with certainty: `example_ids` names them.

        Parameters
        ----------
        examples : iterable of (Item, str)
            Items with answers as a judge should write them.

        Raises
        ------
        InputError
            An answer that the prompt itself could not read, an item without a text that the
            template names, or an item shown twice.
        """
        shown_items = (*self.examples, *examples)
        seen: set[str] = set()
        for item, answer in shown_items:
            if item.id in seen:
                raise InputError(f"example {shown(item.id, 40)!r} is there twice; leave one out.")
            seen.add(item.id)
            self.check_fields(item.fields, where=f"example {shown(item.id, 40)!r}")
            parsed = self.parse(answer)
            if parsed.reason:
                raise InputError(
                    f"example {shown(item.id, 40)!r}: the answer {shown(answer, 40)!r} cannot be "
                    f"read ({parsed.reason}); write it as the judge should."
                )
        base = self.version.split("+examples.", 1)[0]
        version = f"{base}+examples.{_digest(shown_items)}" if shown_items else base
        return replace(self, examples=shown_items, version=version)

    def structured(self) -> Prompt:
        """Return the prompt whose answers are JSON held to a schema by the endpoint.

        Give `response_format` with the request. Answers have to be that JSON exactly; those of
        the examples are written anew.
        """
        if self.exact:
            return self
        examples = tuple((item, self._as_json(answer)) for item, answer in self.examples)
        version = self.version + "+schema"
        if self.parser in ("mqm", "json"):
            return replace(self, exact=True, version=version, stop=(), examples=examples)
        told = json.dumps(dict.fromkeys(self.outcomes, "..."))
        return replace(
            self,
            system=f"{self.system}\nWrite the answer as one JSON object, whatever was said: {told}",
            parser="json",
            exact=True,
            version=version,
            max_tokens=max(self.max_tokens, 24 + 12 * len(self.outcomes)),
            stop=(),
            examples=examples,
        )

    def _as_json(self, answer: str) -> str:
        """Return the right answer of an example as the schema wants it."""
        if self.parser == "mqm":
            found = find_json(answer)
            value = found.value if isinstance(found, Value) else []
            return json.dumps(value if isinstance(value, dict) else {"errors": value})
        labels = {value: label for label, value in self.levels}
        made: dict[str, str | float | None] = {}
        for name, score in zip(self.outcomes, self.parse(answer).scores, strict=True):
            plain = int(score) if score is not None and score == int(score) else score
            made[name] = labels[score] if labels and score is not None else plain
        return json.dumps(made)

    def response_format(self, form: str = "json_schema") -> dict[str, Any]:
        """Return the `response_format` of a request: the JSON schema of the answer.

        Parameters
        ----------
        form : {"json_schema", "json_object"}
            OpenAI's own form, or that of llama.cpp's Python server and others, which hold the
            schema in a ``json_object``.
        """
        schema = response_schema(self.rules, parser=self.parser, scale=self.scale)
        if form == "json_object":
            return {"type": "json_object", "schema": schema}
        name = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in self.name)
        return {
            "type": "json_schema",
            "json_schema": {"name": name[:64], "strict": True, "schema": schema},
        }

    def check_fields(self, available: Iterable[str], *, where: str) -> None:
        """Refuse a pool or an item that lacks a text which the template names.

        Raises
        ------
        InputError
            With the names that are there.
        """
        names = list(available)
        lacking = [name for name in self.fields if name not in names]
        if lacking:
            raise InputError(
                f"{where}: prompt {self.name} shows the field {lacking[0]!r}, which is not there; "
                f"there are {listed(names) or 'none'}. Rename it in the template or add it."
            )


def _digest(examples: tuple[tuple[Item, str], ...]) -> str:
    """Return a short name for the examples."""
    content = [
        [item.id, sorted(item.fields.items()), item.images, answer] for item, answer in examples
    ]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=4).hexdigest()
