"""A study: pools with the label of every item, one an outcome, and what is asked of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bacon.calibration.outcomes import outcome_kind
from bacon.checks import check_scale
from bacon.config import read_config
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.experiments.configurations import FAMILY
from bacon.experiments.full_pool import full_pool
from bacon.experiments.leaks import refuse_roles
from bacon.files import slug
from bacon.inspection.roles import likely
from bacon.io.pools import read_pool
from bacon.io.tables import Table, quoted, read_table

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.config import PoolTable, StudyTable
    from bacon.data.pool import Pool
    from bacon.experiments.full_pool import FullPool

__all__ = ["CONFIG", "REPORT", "Study", "read_study"]

CONFIG = "bacon.toml"
REPORT = "report.md"
MODELS = {"persuade": "ordinal", "mqm": "hurdle-ridge", "webdesign": "ridge"}
"""The paper's model of each study."""

JUDGES = "judge_*"
"""Names that `bacon judge` gives to the columns of its scores."""


@dataclass(frozen=True, eq=False)
class Study:
    """A study that can be drawn.

    Parameters
    ----------
    name : str
        Its name in tables and files.
    parts : tuple of FullPool
        The same items with one outcome each.
    model : str
        Outcome model of the ablations.
    budgets : tuple of float
        Shares of the items that are labelled.
    trials : int
        Draws of each budget.
    paper : str or None
        Study of the paper whose printed values stand beside.
    outcome : str
        Kind of outcome stated, or auto.
    notices : tuple of Notice
        What reading had to tell.
    """

    name: str
    parts: tuple[FullPool, ...]
    model: str
    budgets: tuple[float, ...]
    trials: int
    paper: str | None = None
    outcome: str = "auto"
    notices: tuple[Notice, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        """Name of the folder of each part: no two alike, also where case is not told apart."""
        names = [slug(part.name) for part in self.parts]
        folded = [REPORT.casefold(), *(name.casefold() for name in names)]
        return tuple(
            name if folded.count(name.casefold()) == 1 else f"{name}-{_digest(part.name)}"
            for name, part in zip(names, self.parts, strict=True)
        )

    @property
    def by_group(self) -> bool:
        """Whether systems are compared."""
        return self.parts[0].pool.group is not None


def read_study(source: Path) -> Study:
    """Read a study.

    Parameters
    ----------
    source : Path
        A folder with ``bacon.toml``, or such a file, with the tables [pool] and [study].

    Raises
    ------
    InputError
        A table is missing, a file or column cannot be used, or an item has no label.
    """
    file = source / CONFIG if source.is_dir() else source
    config = read_config(file)
    if config.pool is None or config.study is None:
        lacking = "pool" if config.pool is None else "study"
        raise InputError(
            f"{file.name}: there is no table [{lacking}]; a study needs [pool] with the file of "
            "the items, and [study] with the columns of their labels."
        )
    table = config.study
    twice = [name for name in table.labels if table.labels.count(name) > 1]
    if twice:
        raise InputError(
            f"{file.name}, [study], key labels: {quoted(twice[0])} stands there twice; leave one "
            "out."
        )
    parts = [_part(file.parent, config.pool, table, label) for label in table.labels]
    pools = [part.pool for part in parts]
    return Study(
        name=file.parent.resolve().name if file.name == CONFIG else file.stem,
        parts=tuple(parts),
        model=_model(parts[0], table),
        budgets=tuple(sorted(set(table.budgets))),
        trials=table.trials,
        paper=table.paper,
        outcome=table.outcome,
        notices=tuple(dict.fromkeys(note for pool in pools for note in pool.notices)),
    )


def _digest(name: str) -> str:
    """Return a few signs that tell a name from others like it."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _part(folder: Path, pool: PoolTable, table: StudyTable, label: str) -> FullPool:
    """Return the items with one of the outcomes."""
    read = read_table(_judged(folder, table, label) or folder / pool.file)
    items = _items(read, folder, pool, table, label)
    scale = None if table.scale is None else (table.scale[0], table.scale[1])
    own = Table(items.source, items.table, untyped=read.untyped)
    return full_pool(items, own, label=label, name=label, scale=scale, levels=table.levels)


def _judged(folder: Path, table: StudyTable, label: str) -> Path | None:
    """Return the table that `bacon judge` wrote for an outcome, where its judges are asked for."""
    if table.judges:
        return None
    found = [folder / f"judged_{label}.parquet", folder / "judged.parquet"]
    return next((path for path in found if path.is_file()), None)


def _items(read: Table, folder: Path, pool: PoolTable, table: StudyTable, label: str) -> Pool:
    """Return the items with their judges and what else is known of them."""
    wanted = tuple(table.judges) or (
        (JUDGES,) if any(name.startswith("judge_") for name in read.frame.columns) else ()
    )
    if not wanted and table.paper is None:
        _refuse_unnamed_judges(read)
    embeddings, told = _embeddings(folder, table)
    items = read_pool(
        read,
        judges=wanted,
        id=pool.id,
        features=tuple(table.features) or None,
        group=table.group,
        cluster=table.cluster,
        text=table.text,
        embeddings=embeddings,
        label=(label, *(other for other in table.labels if other != label)),
        levels=table.levels,
    )
    refuse_roles(items, *table.labels)
    return replace(items, notices=(*items.notices, *told))


def _embeddings(folder: Path, table: StudyTable) -> tuple[Path | None, tuple[Notice, ...]]:
    """Return the file of embeddings; a study of the paper may still wait for it."""
    if table.embeddings is None:
        return None, ()
    path = folder / table.embeddings
    if path.is_file():
        return path, ()
    text = f"{path} is not there: the study runs without embeddings. bacon embed makes them."
    if table.paper is None:
        raise InputError(f"[study], key embeddings: {path} is not there; correct the name.")
    return None, (Notice("no_embeddings", text),)


def _refuse_unnamed_judges(read: Table) -> None:
    """Refuse to run without judges where columns look like them."""
    found = likely(read, "judges")
    if found is not None:
        names = ", ".join(f'"{name}"' for name in found.split(","))
        raise InputError(
            f"{read.source}: no column is called {JUDGES}, so name the judges; these look like "
            f"them: judges = [{names}] in [study]."
        )


def _model(part: FullPool, table: StudyTable) -> str:
    """Return the outcome model of the ablations: the paper's for the kind of outcome."""
    if table.model != "auto":
        return table.model
    if table.paper is not None:
        return MODELS[table.paper]
    check_scale(part.scale)
    kind = outcome_kind(part.y, part.levels, table.outcome, part.scale).kind
    return FAMILY.get(kind, "ridge")
