"""Prompts that users write, in TOML."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import Any

from bacon.checks import is_number
from bacon.errors import InputError
from bacon.judges.prompt import Prompt
from bacon.words import shown

__all__ = ["prompt_from_toml"]

_KEYS: dict[str, str] = {
    "name": "text",
    "version": "text or a whole number",
    "system": "text",
    "user": "text",
    "parser": "text",
    "scale": "two numbers, such as [1, 6]",
    "whole": "true or false",
    "levels": 'a list of labels, such as ["bad", "good"], or a table of labels with scores',
    "outcomes": "a list of names",
    "max_tokens": "a whole number",
    "stop": "a list of texts",
    "images": "true or false",
}
_NEEDED = ("name", "version", "system", "user", "parser")
LARGEST_FILE = 1_000_000


def prompt_from_toml(text: str, source: str) -> Prompt:
    """Return the prompt that a TOML text describes.

    Parameters
    ----------
    text : str
        The TOML: ``name``, ``version``, ``system``, ``user`` and ``parser``; ``scale`` or
        ``levels``; and where wanted ``whole``, ``outcomes``, ``max_tokens``, ``stop``, ``images``.
    source : str
        Name of the file, for messages.

    Raises
    ------
    InputError
        Not TOML, an unknown or missing key, a value of the wrong kind, or parts that do not fit.

    Examples
    --------
    >>> prompt = prompt_from_toml('''
    ... name = "helpful"
    ... version = 1
    ... system = "You judge answers. Reply with a number from 0 to 100."
    ... user = "Answer: {answer}"
    ... parser = "number"
    ... scale = [0, 100]
    ... ''', "helpful.toml")
    >>> prompt.version, prompt.fields, prompt.parse("Score: 85.5").scores
    ('helpful/1', ('answer',), (85.5,))
    """
    table = _table(text, source)
    for key in table:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(_KEYS)}."
            raise InputError(f"{source}: unknown key {shown(key, 40)!r}; {hint}")
    for key in _NEEDED:
        if key not in table:
            raise InputError(f"{source}: the key {key} is missing; it is {_KEYS[key]}.")
    parser = _text(table, "parser", source)
    levels = _levels(table, source)
    if parser == "mqm" and "scale" in table:
        raise InputError(f"{source}: the parser mqm has its own scale, 0 to 25; leave out scale.")
    if levels and "scale" in table:
        raise InputError(f"{source}: give scale or levels, not both; levels carry their scores.")
    name = _text(table, "name", source)
    whole = _whole(table, parser, source)
    try:
        return Prompt(
            name=name,
            version=f"{name}/{_version(table, source)}",
            system=_text(table, "system", source),
            user=_text(table, "user", source),
            parser=parser,
            outcomes=_texts(table, "outcomes", ("score",), source),
            limits=_limits(table, parser, levels, source),
            whole=whole,
            levels=levels,
            max_tokens=_count(table, source),
            stop=_texts(table, "stop", (), source),
            images=_flag(table, "images", source, default=False),
        )
    except InputError as error:
        raise error if str(error).startswith(source) else InputError(f"{source}: {error}") from None


def _table(text: str, source: str) -> dict[str, Any]:
    """Return the TOML's table."""
    if len(text) > LARGEST_FILE:
        raise InputError(f"{source}: a prompt of {len(text):,} characters; is this the right file?")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(
            f"{source} is not TOML ({shown(str(error), 120)}); mend that place. Texts of several "
            'lines stand between """ and """.'
        ) from None


def _wrong(source: str, key: str, value: object) -> InputError:
    """Return the refusal of a value of the wrong kind."""
    return InputError(f"{source}: {key} must be {_KEYS[key]}; got {shown(repr(value), 60)}.")


def _text(table: dict[str, Any], key: str, source: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise _wrong(source, key, value)
    return value


def _version(table: dict[str, Any], source: str) -> str:
    value = table["version"]
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
        raise _wrong(source, "version", value)
    return str(value)


def _texts(
    table: dict[str, Any], key: str, default: tuple[str, ...], source: str
) -> tuple[str, ...]:
    value = table.get(key, list(default))
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _wrong(source, key, value)
    return tuple(value)


def _flag(table: dict[str, Any], key: str, source: str, *, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise _wrong(source, key, value)
    return value


def _count(table: dict[str, Any], source: str) -> int:
    parser = table["parser"]
    value = table.get(
        "max_tokens", {"digit": 4, "mqm": 1024, "lines": 128, "json": 256}.get(parser, 16)
    )
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong(source, "max_tokens", value)
    return value


def _whole(table: dict[str, Any], parser: str, source: str) -> bool:
    """Whether scores are whole numbers: as told, or by the parser."""
    if parser == "digit" and table.get("whole") is False:
        raise InputError(f"{source}: the parser digit reads whole numbers; use the parser number.")
    return _flag(table, "whole", source, default=parser in ("digit", "lines", "label"))


def _levels(table: dict[str, Any], source: str) -> tuple[tuple[str, float], ...]:
    """Return labels with scores: those given, or 1, 2, ... in the order of the list."""
    value = table.get("levels", [])
    if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
        return tuple((label, float(score)) for score, label in enumerate(value, start=1))
    if isinstance(value, dict) and all(is_number(score) for score in value.values()):
        return tuple((label, float(score)) for label, score in value.items())
    raise _wrong(source, "levels", value)


def _limits(
    table: dict[str, Any], parser: str, levels: tuple[tuple[str, float], ...], source: str
) -> tuple[float, float]:
    """Return the ends of the scale."""
    if parser == "mqm":
        return 0.0, 25.0
    if levels:
        scores = [score for _, score in levels]
        return min(scores), max(scores)
    value = table.get("scale")
    if value is None:
        what = "levels" if parser == "label" else "scale"
        raise InputError(f"{source}: the parser {parser} needs {what}, {_KEYS[what]}.")
    if not isinstance(value, list) or len(value) != 2 or not all(is_number(end) for end in value):
        raise _wrong(source, "scale", value)
    return float(value[0]), float(value[1])
