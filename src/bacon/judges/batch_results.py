"""Results of OpenAI's batch endpoint, read into the store."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bacon.errors import InputError
from bacon.judges.importers.json_files import objects, parse_json
from bacon.judges.importers.openai_batch import answer_of
from bacon.judges.importers.samples import Broken
from bacon.judges.spec import call_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bacon.judges.records import Answer, Call, Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store import Store

__all__ = ["BatchRead", "calls_in_chunks", "read_batch"]

CHUNK = 500
CHUNK_BYTES = 1 << 26
"""A chunk of calls ends with the one that goes beyond either."""

HALF = 0.5
"""What a request in a batch costs, as a share of its price outside one."""


@dataclass(slots=True)
class BatchRead:
    """Results that were read.

    Parameters
    ----------
    ok : Counter of str
        Answers with every score, by judge.
    na : dict of str to Counter of str
        Answers without, by judge and reason.
    odd : int
        Answers with something odd in them that still were read.
    known : int
        Results of calls that the store had an answer to, not stored.
    repeated : int
        Further results of one call, not used.
    unknown : int
        Results of calls that these judges do not make of these items.
    unknown_first : str
        The first of their ids.
    broken : list of str
        Lines that could not be read: where, and why.
    """

    ok: Counter[str] = field(default_factory=Counter)
    na: dict[str, Counter[str]] = field(default_factory=dict)
    odd: int = 0
    known: int = 0
    repeated: int = 0
    unknown: int = 0
    unknown_first: str = ""
    broken: list[str] = field(default_factory=list)


def read_batch(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    specs: Sequence[JudgeSpec],
    items: Iterable[Item],
    store: Store,
    *,
    price: float = HALF,
) -> BatchRead:
    """Read results of the batch endpoint into a store, in whatever order they come.

    The calls are made from judges and items anew, so that an answer is stored only under the
    request that was asked. A request that failed is an answer without a score, with its reason.

    Parameters
    ----------
    paths : path or several
        Output and error files of the endpoint.
    specs : sequence of JudgeSpec
        The judges as they were when the requests were written.
    items : iterable of Item
        As they were then; read once, as far as is needed.
    store : Store
        Where answers go; those it has stay as they are.
    price : float
        Share of the judges' prices that a request in a batch costs.

    Returns
    -------
    BatchRead
        What was read, and what was not.

    Raises
    ------
    InputError
        A file cannot be read.
    OutputError
        The store cannot be written.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    told = BatchRead()
    judges = {spec.name: spec for spec in specs}
    with ExitStack() as stack:
        streams = [stack.enter_context(_opened(Path(path))) for path in several]
        places = _places(streams, told)
        waiting: list[Answer] = []
        for calls in calls_in_chunks(specs, items):
            wanted = [call for call in calls if call.key in places]
            known = store.done([call.key for call in wanted])
            for call in wanted:
                stream, offset, _ = places.pop(call.key)
                if call.key in known:
                    told.known += 1
                    continue
                streams[stream].seek(offset)
                record = parse_json(streams[stream].readline())
                spec = judges[call.judge]
                answer, odd = answer_of(record, spec, replace(call, body=b""))
                told.odd += odd
                cost = None if answer.cost is None else answer.cost * price
                waiting.append(replace(answer, cost=cost))
            _store(store, waiting, told)
            if not places:
                break
    told.unknown = len(places)
    told.unknown_first = next(iter(places), "")
    return told


def _store(store: Store, waiting: list[Answer], told: BatchRead) -> None:
    """Store answers, and count them once they are there."""
    store.add(waiting)
    for answer in waiting:
        if answer.reason is None:
            told.ok[answer.call.judge] += 1
        else:
            told.na.setdefault(answer.call.judge, Counter())[answer.reason] += 1
    waiting.clear()


def _opened(path: Path) -> IO[bytes]:
    """Return a file of results, open."""
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be opened ({error}); check the path.") from None


def _places(streams: Sequence[IO[bytes]], told: BatchRead) -> dict[str, tuple[int, int, bool]]:
    """Return where the result of each request stands: file, offset, and whether it is an answer.

    Of several results of one request the first that is an answer counts.
    """
    places: dict[str, tuple[int, int, bool]] = {}
    for number, stream in enumerate(streams):
        for line in objects(stream):
            given = None if isinstance(line, Broken) else line[2].get("custom_id")
            if isinstance(line, Broken) or not isinstance(given, str):
                row, why = (
                    (line.row, line.why) if isinstance(line, Broken) else (line[0], "no custom_id")
                )
                told.broken.append(f"{Path(str(stream.name)).name} row {row:,}: {why}")
                continue
            response = line[2].get("response")
            answered = isinstance(response, dict) and response.get("status_code", 200) == 200
            if given in places:
                told.repeated += 1
                if places[given][2] or not answered:
                    continue
            places[given] = (number, line[1], answered)
    return places


def _calls(specs: Sequence[JudgeSpec], items: Iterable[Item]) -> Iterator[Call]:
    """Yield every call of the judges, item by item."""
    for item in items:
        for spec in specs:
            for run in range(1, spec.runs + 1):
                yield call_of(spec, item, run)


def calls_in_chunks(specs: Sequence[JudgeSpec], items: Iterable[Item]) -> Iterator[list[Call]]:
    """Yield calls some at a time, few where they are large."""
    chunk: list[Call] = []
    size = 0
    for call in _calls(specs, items):
        chunk.append(call)
        size += len(call.body)
        if len(chunk) == CHUNK or size > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
