"""The configuration file `bacon.toml`: pool, judges, embeddings, study."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bacon.errors import InputError

__all__ = [
    "Config",
    "EmbeddingTable",
    "JudgeTable",
    "PoolTable",
    "StudyTable",
    "parse_config",
    "read_config",
]

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
"""Names of judges become names of columns and of rows in files."""

VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""Names of environment variables."""


class _Table(BaseModel):
    """A table of the file: unknown keys are refused, values are not changed in kind."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PoolTable(_Table):
    """Which items there are, and what judges are shown of them.

    Parameters
    ----------
    file : str
        File with one row an item, beside the configuration.
    id : str, optional
        Column of the ids.
    fields : dict of str to str
        Field of the prompt to column of the file, where they have different names.
    images : list of str
        Columns that hold paths of images, beside the file.
    """

    file: str
    id: str | None = None
    fields: dict[str, str] = Field(default_factory=dict)
    images: list[str] = Field(default_factory=list)


OF_A_REQUEST = ("temperature", "top_p", "seed", "stop", "reasoning_effort")
"""Fields that people write as keys of a judge."""


class JudgeTable(_Table):
    """A judge: endpoint, model, prompt, runs, prices and limits."""

    name: str = Field(pattern=NAME, max_length=80)
    url: str
    model: str
    prompt: str
    kind: str | None = None
    assignment: bool | None = None
    key_variable: str | None = Field(default=None, pattern=VARIABLE)
    parameters: dict[str, Any] = Field(default_factory=dict)
    runs: int = Field(default=1, ge=1, le=1000)
    concurrency: int = Field(default=16, ge=1, le=10_000)
    price_in: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    price_out: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    timeout: float = Field(default=120.0, gt=0.0, allow_inf_nan=False)
    logprobs: int | None = Field(default=5, ge=0, le=20)
    structured: bool | Literal["json_schema", "json_object"] = False


class EmbeddingTable(_Table):
    """How `bacon embed` turns the items into vectors.

    Parameters
    ----------
    kind : str
        tfidf, wordllama, endpoint, sentence-transformers or image.
    columns : list of str
        Columns of the pool; those of [pool] where there is none.
    model : str, optional
        The endpoint's model, or the folder of a model beside the configuration.
    url, key_variable : str, optional
        Base address of the endpoint, and the environment variable of its key.
    dimensions : int, optional
        Numbers of each column's embedding.
    batch : int, optional
        Texts of a request, or texts or images of a pass of a model.
    concurrency, timeout, most_tokens : optional
        Of an endpoint: most requests at once, seconds to wait, most tokens in all.
    most_characters : int, optional
        Longer texts are cut.
    fill_mean : bool
        Give items that cannot be embedded the mean of the others.
    seed : int
        Of the directions of tfidf.
    """

    kind: Literal["tfidf", "wordllama", "endpoint", "sentence-transformers", "image"] = "tfidf"
    columns: list[str] = Field(default_factory=list)
    model: str | None = None
    url: str | None = None
    key_variable: str | None = Field(default=None, pattern=VARIABLE)
    dimensions: int | None = Field(default=None, ge=1)
    batch: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1, le=10_000)
    timeout: float | None = Field(default=None, gt=0.0, allow_inf_nan=False)
    most_characters: int | None = Field(default=None, ge=1)
    most_tokens: int | None = Field(default=None, ge=0)
    fill_mean: bool = False
    seed: int = Field(default=0, ge=0)


class StudyTable(_Table):
    """What `bacon replicate` draws and compares: a pool with the label of every item.

    Parameters
    ----------
    labels : list of str
        Columns of the outcomes; each is a part of its own.
    judges : list of str
        Columns of the judges, or patterns such as ``judge_*``; those that `bacon judge` gave
        where there is none.
    model : str
        Outcome model of the ablations; the paper's for the kind of outcome where it is auto.
    embeddings : str, optional
        File beside the configuration: parquet with ids, or ``.npy``.
    features : list of str
        Further columns to use.
    group, cluster, text : str, optional
        Columns of the systems, of what items share, and of the text whose length is used.
    scale : list of two numbers, optional
        Lowest and highest possible label.
    levels : list of str, optional
        Classes of labels in words, in their order.
    outcome : str
        Kind of outcome.
    budgets : list of float
        Shares of the items that are labelled.
    trials : int
        Draws of each budget.
    paper : str, optional
        Study of the paper whose printed values stand beside: persuade, mqm or webdesign.
    """

    labels: list[str] = Field(min_length=1)
    judges: list[str] = Field(default_factory=list)
    model: str = "auto"
    embeddings: str | None = None
    features: list[str] = Field(default_factory=list)
    group: str | None = None
    cluster: str | None = None
    text: str | None = None
    scale: list[float] | None = Field(default=None, min_length=2, max_length=2)
    levels: list[str] | None = Field(default=None, min_length=2)
    outcome: str = "auto"
    budgets: list[Annotated[float, Field(gt=0.0, lt=1.0)]] = Field(
        default=[0.05, 0.1, 0.15, 0.2, 0.25, 0.3], min_length=1
    )
    trials: int = Field(default=200, ge=1)
    paper: Literal["persuade", "mqm", "webdesign"] | None = None


class Config(_Table):
    """All tables of the file.

    Parameters
    ----------
    pool : PoolTable or None
        The items.
    judge : list of JudgeTable
        The judges, in the order of the file.
    embedding : EmbeddingTable or None
        How items are embedded.
    study : StudyTable or None
        What is replicated.
    """

    pool: PoolTable | None = None
    judge: list[JudgeTable] = Field(default_factory=list)
    embedding: EmbeddingTable | None = None
    study: StudyTable | None = None


def read_config(path: str | Path) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    path : str or Path
        The file, usually ``bacon.toml``.

    Raises
    ------
    InputError
        It is missing, no TOML, or a table says something that cannot be.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{path} cannot be read ({why}); give another --config.") from None
    return parse_config(text, path.name)


def parse_config(text: str, source: str) -> Config:
    """Return the configuration in a text; `source` names it in messages.

    Raises
    ------
    InputError
        It is no TOML, or a table says something that cannot be.

    Examples
    --------
    >>> config = parse_config('''
    ... [[judge]]
    ... name = "small"
    ... url = "http://127.0.0.1:8000/v1"
    ... model = "tiny"
    ... prompt = "essay"
    ... ''', "bacon.toml")
    >>> config.judge[0].runs
    1
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{source} is not TOML: {error}. A configuration is wanted here, with tables such as "
            "[pool], and not the items themselves."
        ) from None
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        raise InputError(_first_problem(error, source)) from None
    names = [judge.name for judge in config.judge]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{source}: two judges are called {twice}; give each its own name.")
    return config


def _first_problem(error: ValidationError, source: str) -> str:
    """Return what is wrong first, where, and what could be meant."""
    problems = error.errors(include_url=False, include_context=False)
    # A key written wrong is missing as well: what was written is told first.
    problem = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    *table, key = problem["loc"]
    entry = ""
    if isinstance(key, int) and table:
        entry = f", entry {key + 1}"
        *table, key = table
    where = _table_name(table)
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    if problem["type"] == "extra_forbidden":
        known = _known_keys(table)
        close = difflib.get_close_matches(str(key), known, n=1)
        mend = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known)}."
        if key in OF_A_REQUEST and "parameters" in known:
            mend = f"fields of the request stand in parameters: parameters = {{{key} = ...}}."
        return f"{source}, {where}: there is no key {key!r}{more}; {mend}"
    if problem["type"] == "missing":
        return f"{source}, {where}: the key {key!r} is missing{more}; add it."
    shown = repr(problem["input"])
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    where = f"{source}, {where}, key {key}{entry}"
    return f"{where}: {problem['msg']}, not {shown}{more}; mend the value."


def _table_name(location: list[int | str]) -> str:
    """Return the table as the file writes it, judges counted from 1."""
    if not location:
        return "outside of any table"
    name, *rest = location
    if name == "judge" and rest:
        return f"[[judge]] number {int(rest[0]) + 1}"
    return f"[{name}]"


def _known_keys(location: list[int | str]) -> list[str]:
    """Return the keys of a table."""
    models: dict[str | int, type[BaseModel]] = {
        "pool": PoolTable,
        "judge": JudgeTable,
        "embedding": EmbeddingTable,
        "study": StudyTable,
    }
    return list((models.get(location[0], Config) if location else Config).model_fields)
