"""What `bacon sample` does beside drawing: columns raters see, longer sheets, what to run next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bacon.cli.extending import NextStage
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.inspection.roles import Roles

__all__ = ["Seen", "columns_to_show", "command", "drawn_text", "judges_of", "made_longer", "write"]

NOT_SHOWN = frozenset({"order", "item_id", "score", "comment"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What raters are shown.

    Parameters
    ----------
    text : str or None
        Column of the text, named or found.
    columns : tuple of str
        All columns shown.
    notices : tuple of Notice
        Which column was found, or what raters would learn that they should not.
    """

    text: str | None
    columns: tuple[str, ...]
    notices: tuple[Notice, ...]


def columns_to_show(
    roles: Roles, *, text: str | None, show: Sequence[str], group: str | None
) -> Seen:
    """Return the columns shown to raters: those asked for, else the text that was found.

    Parameters
    ----------
    roles : Roles
        What the columns look like.
    text, show, group
        As the user named them.
    """
    asked = tuple(dict.fromkeys([*([text] if text else []), *show]))
    notices = []
    if not asked and roles.text is not None:
        text, asked = roles.text, (roles.text,)
        told = f"Raters are shown column {text}, which looks like the text; --show names others."
        notices.append(Notice("text_column_taken", told))
    if group is None and roles.group in asked:
        told = (
            f"Raters are shown column {roles.group}, which looks like the systems compared; who "
            "knows the system does not judge blindly. Draw again without it if it is one."
        )
        notices.append(Notice("group_shown", told))
    if not asked:
        told = "the sheet shows nothing but the ids; --show COLUMN adds what to read."
        notices.append(Notice("nothing_shown", told))
    return Seen(text, asked, tuple(notices))


def made_longer(
    stage: NextStage, items: Pool, n: int, *, seed: int | None, hide: Sequence[str]
) -> Sample:
    """Return the uniform draw of a sheet with more items after its own, `n` in all."""
    from bacon.io.samples import read_sample
    from bacon.sampling.uniform import UniformDesign

    before = read_sample(stage.before, pool=items)
    if before.parameters.get("design") == "two-stage":
        stage.refuse(n=n)
    if before.kind != "uniform":
        raise InputError(
            f"-n makes a uniform sheet longer, and {stage.before} was drawn otherwise "
            f"({before.kind}): draw a new sheet without --extend, or leave out -n where it was "
            "drawn in stages."
        )
    if seed is not None and seed != before.seed:
        raise InputError(
            f"a longer sheet goes on with the seed of {stage.before}, {before.seed}; leave --seed "
            "out."
        )
    for name in ("labels", "value", "hardness", "scale", "embeddings"):
        if getattr(stage, name) is not None:
            raise InputError(
                f"--{name} does not go with -n: a uniform sheet is made longer at random. "
                "Leave one of them out."
            )
    return UniformDesign(n=n).extend(before, items, hide=hide)


def write(
    drawn: Sample, out: Path, seen: Seen, longer: Path | None, *, overwrite: bool
) -> tuple[int, tuple[Notice, ...]]:
    """Write the sheet; of a longer one, the rows of the sheet before come first, labels and all.

    Returns
    -------
    more : int
        How many items a longer sheet adds, 0 for any other.
    notices : tuple of Notice
        What writing had to tell.
    """
    from bacon.data.design_file import write_sheet
    from bacon.io.samples import read_sample
    from bacon.io.tables import read_table

    if longer is None:
        return 0, drawn.write(out, show=seen.columns or None, overwrite=overwrite)
    kept = read_table(longer).frame
    had = read_sample(longer).n_drawn
    there = [] if drawn.sheet is None else drawn.sheet.columns
    before = [name for name in kept.columns if name in there and name not in NOT_SHOWN]
    show = [name for name in dict.fromkeys([*before, *seen.columns]) if name not in drawn.hidden]
    told = write_sheet(drawn, out, show=show, overwrite=overwrite, kept=(kept, had))
    return drawn.n_drawn - had, told


def drawn_text(drawn: Sample, out: Path, *, more: int, before: Path | None, pilot_next: str) -> str:
    """Say how much was drawn, where the sheet is, and in which order to label it.

    Parameters
    ----------
    drawn : Sample
        What was drawn.
    out : Path
        Its sheet.
    more : int
        Items that a longer sheet adds.
    before : Path or None
        The sheet it goes on from.
    pilot_next : str
        Command that draws the stage after a pilot.
    """
    n, of = f"{drawn.n_to_label:,}", f"{drawn.n_items:,}"
    what = f"{n} of {of} items ({drawn.kind}, seed {drawn.seed})"
    if drawn.n_clusters is not None:
        clusters = f"{drawn.n_clusters:,} of {drawn.n_clusters_pool:,}"
        what = f"{clusters} values of {drawn.cluster_column}, {what}"
    lines = [
        f"Drew {what}.",
        f"To label: {out}   (keep {out.name}.design.json beside it: it says how they were drawn)",
    ]
    if more:
        lines[0] += f" {more:,} of them are new, below the rows of {before} with their labels."
    if drawn.parameters.get("design") == "two-stage" and drawn.stages is None:
        lines.append(f"This is the pilot. Labelled: {pilot_next}")
    elif drawn.kind == "uniform":
        lines.append(
            "Rows are in random order: label from the top, and stop when the money is out."
        )
    elif drawn.kind == "clusters":
        lines.append(f"The items of a {drawn.cluster_column} stand together, in random order.")
    return "\n".join(lines)


def judges_of(roles: Roles) -> str:
    """Return the judges that raters must not see where none are named."""
    if any(column.startswith("judge_") for column in roles.columns):
        return "judge_*"
    return roles.judge_pattern or ""


def command(verb: str, pool: Path, options: Mapping[str, object]) -> str:
    """Return a command as a shell reads it.

    Parameters
    ----------
    verb : str
        Which command.
    pool : Path
        Its file.
    options : mapping of str to object
        None is left out, a sequence repeats its option.
    """
    words = ["bacon", verb, str(pool)]
    for option, value in options.items():
        for one in value if isinstance(value, list | tuple) else (value,):
            if one is None:
                continue
            # After an equals sign, a value that begins with a dash is no option.
            words += [f"{option}={one}"] if str(one)[:1] == "-" else [option, str(one)]
    return shlex.join(words)
