"""Which format a file has, and its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.judges.importers import deepeval, inspect_logs, lm_eval, openai_batch, plain, promptfoo
from bacon.judges.importers.json_files import (
    NotJsonError,
    json_lines,
    parse_json,
    read_bytes,
)
from bacon.judges.importers.samples import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.judges.importers.samples import Choices, Found

__all__ = ["FORMATS", "read_samples"]

FORMATS = ("inspect", "promptfoo", "deepeval", "lm-eval", "openai-batch", "jsonl", "csv")

_LINES = (".jsonl", ".ndjson")
_ZIP = b"PK\x03\x04"


def read_samples(path: Path, choices: Choices) -> tuple[str, Iterator[Found]]:
    """Return the format of a file and its samples.

    Parameters
    ----------
    path : Path
        The file.
    choices : Choices
        What the user says of it.

    Raises
    ------
    InputError
        There is no such file, it cannot be read as a whole, or its format is not one we know.
    """
    format = choices.format  # noqa: A001
    start = _start(path)
    if format not in ("auto", *FORMATS):
        raise InputError(
            f"there is no format {format!r}; choose one of auto, {', '.join(FORMATS)}."
        )
    ending = path.suffix.lower()
    if start.startswith(_ZIP):
        _expect("inspect", format, path)
        return "inspect", inspect_logs.read_archive(path, choices)
    if format == "csv" or (format == "auto" and ending in (".csv", ".tsv")):
        return "csv", plain.read_csv(path, choices)
    if ending in _LINES or format in ("lm-eval", "openai-batch", "jsonl"):
        return _of_lines(path, format, choices)
    return _of_document(path, format, choices)


def _start(path: Path) -> bytes:
    """Return the first bytes of a file, refusing what is none."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name the files in it.")
        with path.open("rb") as file:
            start = file.read(4)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be opened ({error}); check the path.") from None
    if not start:
        raise InputError(f"{path.name} is empty; name another file.")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            f"{path.name} is not UTF-8 but UTF-16; save it as UTF-8 "
            f"(iconv -f UTF-16 -t UTF-8 {path.name})."
        )
    return start


def _of_lines(path: Path, format: str, choices: Choices) -> tuple[str, Iterator[Found]]:  # noqa: A002
    """Return the format and the samples of a file of JSON lines."""
    if format == "auto":
        format = _format_of_line(path)  # noqa: A001
    if format == "lm-eval":
        return format, lm_eval.read_samples_file(path, choices)
    if format == "openai-batch":
        return format, openai_batch.read_batch_file(path, choices)
    if format == "promptfoo":
        return format, promptfoo.read_results(json_lines(path), path.name, choices)
    _expect("jsonl", format, path)
    return format, plain.read_jsonl(path, choices)


def _format_of_line(path: Path) -> str:
    """Return the format by the first line that can be read."""
    for line in json_lines(path):
        if isinstance(line, Broken):
            continue
        record = line[1]
        if openai_batch.is_batch(record):
            return "openai-batch"
        if lm_eval.is_lm_eval(record):
            return "lm-eval"
        return "promptfoo" if promptfoo.is_result(record) else "jsonl"
    raise InputError(f"{path.name} has no line that is a JSON object; check what it holds.")


def _of_document(path: Path, format: str, choices: Choices) -> tuple[str, Iterator[Found]]:  # noqa: A002
    """Return the format and the samples of a file that is one piece of JSON."""
    try:
        document: Any = parse_json(read_bytes(path))
    except NotJsonError as error:
        raise InputError(
            f"{path.name} cannot be read as JSON: {error}. Files of lines end in .jsonl; "
            "--format names a format."
        ) from None
    if inspect_logs.is_inspect(document):
        _expect("inspect", format, path)
        return "inspect", inspect_logs.read_log(document, path.name, choices)
    results = promptfoo.results_of(document)
    if results is not None and promptfoo.is_promptfoo(document):
        _expect("promptfoo", format, path)
        return "promptfoo", promptfoo.read_results(promptfoo.in_order(results), path.name, choices)
    if deepeval.is_deepeval(document):
        _expect("deepeval", format, path)
        return "deepeval", deepeval.read_cases(document, choices)
    raise InputError(
        f"{path.name} is JSON, but no log of inspect-ai, promptfoo or deepeval with samples in "
        "it; write the scores as .jsonl, one object a line, or as .csv."
    )


def _expect(found: str, asked: str, path: Path) -> None:
    """Refuse a format that the file has not."""
    if asked not in ("auto", found):
        raise InputError(
            f"{path.name} was to be read as {asked} and looks like {found}; leave out --format."
        )
