"""Prompts that come with the package, and those that users write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.judges.prompt import Prompt
from bacon.judges.prompt_file import prompt_from_toml
from bacon.judges.prompt_text import essay, mqm, webdesign

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Prompt", "built_in", "prompt_from_toml"]


def built_in(name: str, **choices: str | bool) -> Prompt:
    """Return a prompt that comes with the package.

    Parameters
    ----------
    name : {"essay", "webdesign", "mqm"}
        A student's essay, one digit from 1 to 6; a homepage, six scores from -3 to 3; the errors
        of a translation, weighed and summed.
    **choices
        webdesign: ``kind``, one of university, bank, fashion, homeware. essay: ``assignment``,
        False to leave out what the student was asked to write about.

    Raises
    ------
    InputError
        An unknown prompt or choice.

    Examples
    --------
    >>> prompt = built_in("essay")
    >>> prompt.version, prompt.fields, prompt.parse("4").scores
    ('essay/1', ('assignment', 'text'), (4.0,))
    """
    makers: dict[str, tuple[Callable[[dict[str, str | bool]], Prompt], str]] = {
        "essay": (_essay, "assignment"),
        "webdesign": (_webdesign, "kind"),
        "mqm": (_mqm, ""),
    }
    if name not in makers:
        raise InputError(
            f"there is no built-in prompt {name!r}; choose one of {', '.join(makers)}, or write "
            "your own in a TOML file."
        )
    make, allowed = makers[name]
    unknown = [choice for choice in choices if choice != allowed]
    if unknown:
        raise InputError(
            f"the prompt {name} has no choice {unknown[0]!r}; it takes {allowed or 'none'}."
        )
    return make(choices)


def _essay(choices: dict[str, str | bool]) -> Prompt:
    """Return the essay prompt, with the assignment or without."""
    with_assignment = choices.get("assignment", True)
    if not isinstance(with_assignment, bool):
        raise InputError(f"assignment must be true or false; got {with_assignment!r}.")
    return Prompt(
        name="essay",
        version="essay/1" if with_assignment else "essay-text/1",
        system=essay.SYSTEM,
        user=essay.USER if with_assignment else essay.USER_WITHOUT_ASSIGNMENT,
        parser="digit",
        limits=(1.0, 6.0),
        max_tokens=1,
        stop=("\n",),
    )


def _webdesign(choices: dict[str, str | bool]) -> Prompt:
    """Return the web-design prompt for a kind of site."""
    kind = choices.get("kind")
    if kind not in webdesign.KINDS:
        raise InputError(
            f"the prompt webdesign needs kind, one of {', '.join(webdesign.KINDS)}; got {kind!r}."
        )
    return Prompt(
        name="webdesign",
        version=f"webdesign-{kind}/1",
        system=webdesign.SYSTEM,
        user=webdesign.user_text(str(kind)),
        parser="lines",
        outcomes=webdesign.OUTCOMES,
        limits=(-3.0, 3.0),
        max_tokens=128,
        images=True,
    )


def _mqm(_choices: dict[str, str | bool]) -> Prompt:
    """Return the prompt for errors of translations."""
    return Prompt(
        name="mqm",
        version="mqm/1",
        system=mqm.SYSTEM,
        user=mqm.USER,
        parser="mqm",
        limits=(0.0, 25.0),
        whole=False,
        max_tokens=1024,
    )
