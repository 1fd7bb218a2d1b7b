"""Judges of a configuration: what they are asked, where their answers are kept and written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bacon.config import Config, JudgeTable, read_config
from bacon.engine.items import item_source
from bacon.errors import InputError
from bacon.judges.prompt_file import prompt_from_toml
from bacon.judges.prompts import built_in
from bacon.judges.spec import JudgeSpec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bacon.engine.items import ItemSource
    from bacon.judges.prompt import Prompt

__all__ = ["CONFIG", "STORE", "Judging", "faked", "judging"]

CONFIG = "bacon.toml"
STORE = "judgements.sqlite"


@dataclass(frozen=True, eq=False)
class Judging:
    """What a run of judges needs, read and checked.

    Parameters
    ----------
    folder : Path
        Folder of the configuration, where answers and tables go.
    pool : Path
        File of the items.
    specs : tuple of JudgeSpec
        The judges.
    items : ItemSource
        The items, without those that prompts show as examples.
    """

    folder: Path
    pool: Path
    specs: tuple[JudgeSpec, ...]
    items: ItemSource

    @property
    def store(self) -> Path:
        """File of the answers."""
        return self.folder / STORE


def judging(
    path: Path, *, only: Sequence[str] = (), changes: dict[str, Any] | None = None
) -> Judging:
    """Return what a configuration asks for.

    Parameters
    ----------
    path : Path
        The configuration, or the folder it stands in.
    only : sequence of str
        Names of the judges to run; all by default.
    changes : dict, optional
        Settings in place of those of every judge, such as ``{"runs": 3}``.

    Raises
    ------
    InputError
        A table lacks, a judge, prompt, column or file is not there.
    """
    file = path / CONFIG if path.is_dir() else path
    config = read_config(file)
    if config.pool is None:
        raise InputError(
            f'{file.name}: there is no table [pool]; add one with file = "..." for the items.'
        )
    folder = file.parent
    specs = tuple(_spec(table, folder, changes or {}) for table in _chosen(config, only, file.name))
    fields = list(dict.fromkeys(name for spec in specs for name in spec.prompt.fields))
    if any(spec.prompt.images for spec in specs) and not config.pool.images:
        raise InputError(
            f"{file.name}: a prompt shows images, and [pool] names no column of them; add "
            'images = ["column of paths"].'
        )
    pool = folder / config.pool.file
    items = item_source(
        pool,
        fields,
        id=config.pool.id,
        columns=config.pool.fields,
        images=config.pool.images,
        left_out=[one for spec in specs for one in spec.prompt.example_ids],
    )
    return Judging(folder, pool, specs, items)


def _chosen(config: Config, only: Sequence[str], source: str) -> list[JudgeTable]:
    """Return the judges to run, refusing names that the file does not have."""
    names = [table.name for table in config.judge]
    if not names:
        raise InputError(f"{source}: there is no [[judge]]; add one with name, url, model, prompt.")
    unknown = [name for name in only if name not in names]
    if unknown:
        raise InputError(f"{source} has no judge {unknown[0]!r}; it has {', '.join(names)}.")
    return [table for table in config.judge if not only or table.name in only]


def _spec(table: JudgeTable, folder: Path, changes: dict[str, Any]) -> JudgeSpec:
    """Return a judge with its prompt."""
    settings = table.model_dump(exclude={"prompt", "kind", "assignment"}) | changes
    return JudgeSpec(prompt=_prompt(table, folder), **settings)


def _prompt(table: JudgeTable, folder: Path) -> Prompt:
    """Return a judge's prompt: one that comes with the package, or a TOML file beside."""
    made = {"kind": table.kind, "assignment": table.assignment}
    choices = {name: value for name, value in made.items() if value is not None}
    if not table.prompt.endswith(".toml"):
        try:
            return built_in(table.prompt, **choices)
        except InputError as error:
            raise InputError(f"judge {table.name}: {error}") from None
    if choices:
        raise InputError(
            f"judge {table.name}: {next(iter(choices))} is for the prompts that come with BACON, "
            "not for a file; leave it out."
        )
    path = folder / table.prompt
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"judge {table.name}: {path} cannot be read ({why}).") from None
    return prompt_from_toml(text, path.name)


def faked(found: Judging, url: str) -> Judging:
    """Return the same judges at a fake endpoint, without keys, in a folder of their own.

    Answers of a fake must never pass for a judge's, so that nothing of theirs is kept with those;
    what an earlier fake run left there goes.
    """
    folder = found.folder / "fake"
    folder.mkdir(exist_ok=True)
    specs = tuple(replace(spec, url=url, key_variable=None) for spec in found.specs)
    made = replace(found, folder=folder, specs=specs)
    for old in folder.glob(f"{STORE}*"):
        old.unlink()
    return made
