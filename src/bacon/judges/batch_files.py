"""Files of requests for OpenAI's batch endpoint; `read_batch` reads what comes back."""

from __future__ import annotations

import os
import re
import secrets
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bacon.errors import InputError, OutputError
from bacon.judges.batch_results import BatchRead, calls_in_chunks, read_batch
from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bacon.judges.records import Call, Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store import Store

__all__ = ["BatchRead", "BatchWritten", "read_batch", "write_batch"]

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
"""What the endpoint takes in one file."""


@dataclass(frozen=True, slots=True)
class BatchWritten:
    """Requests that were written.

    Parameters
    ----------
    files : tuple of Path
        One model in each, as the endpoint wants it.
    requests : dict of str to int
        Requests of each judge.
    done : dict of str to int
        Calls of each judge that the store has an answer to, not written.
    """

    files: tuple[Path, ...]
    requests: dict[str, int]
    done: dict[str, int]


def write_batch(
    specs: Sequence[JudgeSpec],
    items: Iterable[Item],
    folder: str | os.PathLike[str],
    *,
    store: Store | None = None,
    overwrite: bool = False,
) -> BatchWritten:
    """Write the calls of judges as input files of the batch endpoint.

    Parameters
    ----------
    specs : sequence of JudgeSpec
        The judges.
    items : iterable of Item
        Read once, one item at a time.
    folder : path
        Where the files ``<judge>-001.jsonl``, ... go; made if it is not there.
    store : Store, optional
        Calls with an answer in it are not written.
    overwrite : bool
        Whether requests that stand in the folder already may be replaced.

    Returns
    -------
    BatchWritten
        The files; each holds at most 50,000 requests and 200 MB. ``custom_id`` is the key of the
        call.

    Raises
    ------
    InputError
        A request is larger than a file may be.
    OutputError
        The folder cannot be written, or holds requests already.
    """
    where = Path(folder)
    names = _file_names(specs)
    _prepare(where, names, overwrite=overwrite)
    requests, done = Counter[str](), Counter[str]()
    try:
        with ExitStack() as stack:
            writers = {
                spec.name: stack.enter_context(_Requests(where, names[spec.name])) for spec in specs
            }
            for calls in calls_in_chunks(specs, items):
                known = store.done([call.key for call in calls]) if store is not None else set()
                for call in calls:
                    if call.key in known:
                        done[call.judge] += 1
                        continue
                    writers[call.judge].write(call)
                    requests[call.judge] += 1
            if overwrite:
                for path in _earlier(where, names):
                    path.unlink()
            files = [path for writer in writers.values() for path in writer.finish()]
    except OSError as error:
        raise OutputError(
            f"{where}: the requests cannot be written ({error.strerror or error}); free some "
            "space, or choose another folder."
        ) from error
    return BatchWritten(tuple(files), dict(requests), dict(done))


def _prepare(folder: Path, names: dict[str, str], *, overwrite: bool) -> None:
    """Make the folder, refusing one with requests that may have been sent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _earlier(folder, names)
    except OSError as error:
        raise OutputError(
            f"{folder} cannot be made a folder for requests ({error.strerror}); choose another "
            "name."
        ) from error
    if earlier and not overwrite:
        raise OutputError(
            f"{folder} holds requests already ({listed(path.name for path in earlier)}): if they "
            "were sent, read their results first, or they are paid twice; else choose another "
            "folder, or give --force (overwrite=True in Python)."
        )


def _earlier(folder: Path, names: dict[str, str]) -> list[Path]:
    """Return files of requests that stand in the folder."""
    ours = re.compile(rf"(?:{'|'.join(map(re.escape, names.values()))})-\d{{3,}}\.jsonl")
    return sorted(path for path in folder.iterdir() if ours.fullmatch(path.name))


def _file_names(specs: Sequence[JudgeSpec]) -> dict[str, str]:
    """Return the beginning of the file names of each judge."""
    names: dict[str, str] = {}
    for spec in specs:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", spec.name)[:60] or "judge"
        name, k = plain, 2
        while name.lower() in {taken.lower() for taken in names.values()}:
            name, k = f"{plain}_{k}", k + 1
        names[spec.name] = name
    return names


class _Requests:
    """Files of requests of one judge; they get their names once all are written."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.parts: list[Path] = []
        self.stream: IO[bytes] | None = None
        self.requests = self.size = 0

    def __enter__(self) -> _Requests:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            self.stream.close()
        for part in self.parts:
            part.unlink(missing_ok=True)

    def write(self, call: Call) -> None:
        """Write a request, into a new file where it does not fit into the last."""
        head = f'{{"custom_id":"{call.key}","method":"POST","url":"/v1/chat/completions","body":'
        line = head.encode() + call.body + b"}\n"
        if len(line) > MOST_BYTES:
            raise InputError(
                f"judge {call.judge}, item {shown(call.item, 40)}: the request has "
                f"{len(line) / 1e6:,.0f} MB, more than a batch takes; show smaller images."
            )
        full = self.requests == MOST_REQUESTS or self.size + len(line) > MOST_BYTES
        if self.stream is None or full:
            self._close()
            part = self.folder / f".bacon-{secrets.token_hex(8)}.tmp"
            self.parts.append(part)
            self.stream = part.open("xb")
            self.requests = self.size = 0
        self.stream.write(line)
        self.requests += 1
        self.size += len(line)

    def _close(self) -> None:
        if self.stream is not None:
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()
            self.stream = None

    def finish(self) -> list[Path]:
        """Give the files their names."""
        self._close()
        files = [self.folder / f"{self.name}-{k:03d}.jsonl" for k in range(1, len(self.parts) + 1)]
        for part, path in zip(self.parts, files, strict=True):
            part.replace(path)
        self.parts = []
        return files
