"""JSON schemas of answers, for endpoints that hold a judge to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bacon.judges.parsers.rules import Rules

__all__ = ["response_schema"]


def response_schema(
    rules: Rules, *, parser: str, scale: tuple[float, ...] | None
) -> dict[str, Any]:
    """Return the JSON schema of an answer.

    Parameters
    ----------
    rules : Rules
        Rules of the prompt.
    parser : str
        mqm gives a list of errors, any other an object with a score for each outcome.
    scale : tuple of float or None
        The legal scores where they are few.
    """
    if parser == "mqm":
        error = _object(
            {
                "category": {"type": "string"},
                "severity": {"type": "string", "enum": ["Major", "Minor", "Neutral"]},
                "span": {"type": "string"},
            }
        )
        return _object({"errors": {"type": "array", "items": error}})
    value: dict[str, Any]
    if rules.levels:
        value = {"type": "string", "enum": [label for label, _ in rules.levels]}
    elif scale is not None:
        value = {"type": "integer", "enum": [int(score) for score in scale]}
    else:
        kind = "integer" if rules.whole else "number"
        value = {"type": kind, "minimum": rules.low, "maximum": rules.high}
    return _object(dict.fromkeys(rules.outcomes, value))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
