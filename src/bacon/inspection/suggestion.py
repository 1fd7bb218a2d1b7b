"""The command to run next."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.calibration.outcomes import MOST_ORDINAL_LEVELS
from bacon.data.design_file import design_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.inspection.findings import Findings
    from bacon.inspection.roles import Roles

__all__ = ["Suggestion", "free_sheet", "scale_of", "suggest"]

LEAST_LABELS = 2
USUAL_DRAW = 200
SHEET = "to_label.csv"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to run next.

    Parameters
    ----------
    command : str or None
        A command that runs as it stands, None where none can.
    reason : str or None
        Why there is none, and what to do.
    hint, hint_command : str or None
        A second thing to try.
    """

    command: str | None
    reason: str | None = None
    hint: str | None = None
    hint_command: str | None = None


def suggest(path: Path, roles: Roles, findings: Findings) -> Suggestion:
    """Return the next command for the file at `path`: estimate if it can be, else sample."""
    if design_path(path).exists():
        return Suggestion(None, f"This is a labelling sheet: {_beside('--sample', path, roles)}")
    if findings.blocked is not None:
        return Suggestion(None, findings.blocked)
    if roles.label is not None and not roles.judges and findings.n_labels > 0:
        begin = (
            "No column looks like a judge's scores: name them with --judges. If this holds labels "
            "alone, "
            if roles.rater is None
            else "These look like labels by several raters: "
        )
        return Suggestion(None, begin + _beside("--labels", path, roles))
    if findings.n_labels < LEAST_LABELS:
        return Suggestion(_sample(path, roles, findings))
    estimate = _estimate(path, roles, findings)
    if not findings.is_census:
        return Suggestion(estimate)
    hint, command = _of_census(path, roles, findings)
    return Suggestion(estimate, hint=hint, hint_command=command)


def _of_census(path: Path, roles: Roles, findings: Findings) -> tuple[str, str]:
    """Return what to try where every item is labelled, and its command."""
    begin = "Every item is labelled, so nothing is left to estimate for these items. "
    if roles.judge_column is not None:  # which simulate does not read
        return (
            f"{begin}To see what a few labels would have told, draw some and add --sample "
            f"{_shell(free_sheet())} to the command above:",
            _sample(path, roles, findings),
        )
    return (
        f"{begin}What a few labels would have told, again and again, is measured by simulate (and, "
        "with a report like the paper's, by bacon replicate STUDY.toml):",
        _simulate(path, roles, findings),
    )


def _beside(option: str, path: Path, roles: Roles) -> str:
    """Return how to give a file of labels beside the file with every item."""
    words = ["bacon", "estimate", "POOL", option, _as_argument(path)]
    if option == "--labels":
        words += ["--value", str(roles.label)]
        words += [] if roles.rater is None else ["--rater", roles.rater]
    command = " ".join(_shell(word) for word in words)
    return f"give this file beside the one with every item (POOL): {command}"


def _estimate(path: Path, roles: Roles, findings: Findings) -> str:
    """Return the estimate command."""
    options = {
        "--label": roles.label,
        "--judges": roles.judge_pattern,
        **_reading(roles),
        "--group": _group(roles, findings),
        # Labels of one cluster leave no other to learn from.
        "--cluster": roles.cluster if findings.n_labelled_clusters > 1 else None,
        "--pi": None if findings.is_census else roles.pi,
        "--scale": scale_of(findings),
    }
    return _command("estimate", path, options, roles.na)


def _simulate(path: Path, roles: Roles, findings: Findings) -> str:
    """Return the command that draws labels again and again where every item has one."""
    words = findings.label is None or bool(findings.label.classes)
    n = findings.n_items
    options = {
        "--label": roles.label,
        "--judges": roles.judge_pattern,
        "--id": roles.id if roles.id_named else None,
        "--levels": ",".join(roles.levels) or None,
        "--cluster": roles.cluster,
        "--scale": scale_of(findings),
        "-n": str(min(USUAL_DRAW, max(n // 3, 10), n)),
        # The fastest model; by default several are fitted in each of 200 draws.
        "--config": None if words else "ridge",
        "--trials": "50",
    }
    return _command("simulate", path, options, roles.na)


def _group(roles: Roles, findings: Findings) -> str | None:
    """Return the column of the groups, where each item has one and labels have a mean."""
    if roles.group is None or roles.columns[roles.group].n_missing:
        return None
    label = findings.label
    return roles.group if label is not None and label.kind != "categorical" else None


def _sample(path: Path, roles: Roles, findings: Findings) -> str:
    """Return the command that draws items to label."""
    judges = roles.judge_pattern
    if judges is None and any(name.startswith("judge_") for name in roles.columns):
        # The columns of that name cannot be read, and would be taken without a word.
        judges = ""
    options = {
        "--judges": None if judges == "judge_*" else judges,
        **_reading(roles),
        "--text": roles.text,
        "-n": str(min(USUAL_DRAW, findings.n_items)),
        "--out": free_sheet(),
    }
    return _command("sample", path, options, roles.na)


def _reading(roles: Roles) -> dict[str, str | None]:
    """Return the options that any command needs to read the file."""
    return {
        "--judge-column": roles.judge_column,
        "--run-column": roles.run_column,
        "--id": roles.id if roles.id_named else None,
        "--levels": ",".join(roles.levels) or None,
    }


def _command(verb: str, path: Path, options: dict[str, str | None], na: Sequence[str]) -> str:
    """Return a command as a shell reads it."""
    words = ["bacon", verb, _as_argument(path)]
    for option, value in (*options.items(), *(("--na", word) for word in na)):
        if value is not None:
            # After an equals sign, a value that begins with a dash is no option.
            words += [f"{option}={value}"] if value.startswith("-") else [option, value]
    return " ".join(_shell(word) for word in words)


def scale_of(findings: Findings) -> str | None:
    """Return the observed range where the labels are a few ordered whole numbers."""
    label = findings.label
    if label is None or label.kind != "ordinal" or not label.whole:
        return None
    if not 2 < label.n_values <= MOST_ORDINAL_LEVELS:
        return None
    # In full, because a rounded end could leave a label outside; adding zero makes -0 plain 0.
    return f"{label.low + 0.0:.0f}:{label.high + 0.0:.0f}"


def free_sheet(like: Path = Path(SHEET)) -> str:
    """Return a name for the labelling sheet that is still free: `like`, or with a number."""
    path, k = like, 1
    while path.exists() or path.with_name(f"{path.name}.design.json").exists():
        k += 1
        path = like.with_name(f"{like.stem}_{k}.csv")
    return str(path)


def _as_argument(path: Path) -> str:
    """Return the path so that no command takes it for an option."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def _shell(word: str) -> str:
    """Return a word as a shell reads it; control characters as escapes."""
    if word.isprintable():
        return shlex.quote(word)
    coded = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}"
        for byte in os.fsencode(word)
    )
    return f"$'{coded}'"
