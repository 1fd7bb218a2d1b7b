"""Foreign scores gathered from files into a store, from which tables are made."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, fields
from itertools import islice
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.judges.importers.detect import read_samples
from bacon.judges.importers.names import item_name, judge_names, varying
from bacon.judges.importers.runs import REPEATS, Row, call_at, placed
from bacon.judges.importers.samples import Broken, Sample, Score
from bacon.judges.importers.values import NO_SCORE
from bacon.judges.records import Answer, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from bacon.judges.importers.samples import Choices
    from bacon.judges.store import Store

__all__ = ["FileRead", "Gathered", "gather"]

BATCH = 5_000
MOST_SCORERS = 1_000


@dataclass(slots=True)
class FileRead:
    """What was read of a file.

    Parameters
    ----------
    name, format : str
        The file and its format.
    samples : int
        Rows that were read.
    skipped : dict of str to int
        Rows that were left out, by why.
    first : dict of str to int
        The first row left out for each reason.
    """

    name: str
    format: str
    samples: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Gathered:
    """What was read of all files.

    Parameters
    ----------
    files : list of FileRead
        In the order given.
    judges : dict of str to str
        Name of the judge by scorer.
    parts : tuple of str
        What stands before the ids because it differs between items.
    items : dict of str to tuple
        The values of these parts, and the id in its log, by item; empty where there are none.
    examples : dict of (str, str) to str
        What stood where there is no score, by judge and reason: the first one met.
    repeats : int
        Scores of an item, judge and run that another row had as well.
    notices : list of Notice
        What a reader of the tables must know.
    """

    files: list[FileRead] = field(default_factory=list)
    judges: dict[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    items: dict[str, tuple[str, ...]] = field(default_factory=dict)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)
    repeats: int = 0
    notices: list[Notice] = field(default_factory=list)


def gather(paths: Sequence[Path], store: Store, spool: IO[bytes], choices: Choices) -> Gathered:
    """Read files of scores into a store.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    store : Store
        An empty one.
    spool : binary file
        Where samples wait until all files were read: only then it is known which of them lack a
        scorer, and which parts tell items apart.
    choices : Choices
        What the user says of the files.

    Raises
    ------
    InputError
        A file or a row cannot be used, or there are no scores.
    """
    if choices.repeats not in REPEATS:
        raise InputError(f"--repeats must be one of {', '.join(REPEATS)}; got {choices.repeats!r}.")
    reading = _Reading(spool, choices)
    for path in paths:
        reading.file(path)
    gathered = reading.gathered
    if not reading.scorers:
        wanted = f" named {', '.join(choices.scores)}" if choices.scores else ""
        raise InputError(
            f"there are no scores{wanted} in {', '.join(path.name for path in paths[:5])}; check "
            "what the files hold, or leave out --score-column."
        )
    gathered.judges = judge_names(list(reading.outcomes), choices.name)
    gathered.parts = varying(reading.parts)
    rows = reading.answers()
    while batch := list(islice(rows, BATCH)):
        answers, repeated = placed(batch, store, choices.repeats)
        gathered.repeats += repeated
        store.add(answers)
    return gathered


class _Reading:
    """First pass over the files."""

    def __init__(self, spool: IO[bytes], choices: Choices) -> None:
        self.spool = spool
        self.choices = choices
        self.gathered = Gathered()
        self.scorers: dict[tuple[int, str], dict[str, None]] = {}
        self.outcomes: dict[str, tuple[str, ...]] = {}
        self.parts: dict[str, set[str]] = {}

    def file(self, path: Path) -> None:
        """Read one file into the spool."""
        found, samples = read_samples(path, self.choices)
        told = FileRead(path.name, found)
        number = len(self.gathered.files)
        self.gathered.files.append(told)
        for sample in samples:
            if isinstance(sample, Notice):
                self.gathered.notices.append(sample)
            elif isinstance(sample, Broken):
                self._broken(sample, told)
            else:
                told.samples += 1
                self._sample(sample, number, path.name)

    def _broken(self, broken: Broken, told: FileRead) -> None:
        """Refuse or count a row that cannot be used."""
        if not self.choices.skip_broken:
            raise InputError(
                f"{told.name} row {broken.row:,} cannot be used: {broken.why}. Mend it, or give "
                "--skip-broken to leave out such rows and count them."
            )
        told.skipped[broken.why] += 1
        told.first.setdefault(broken.why, broken.row)

    def _sample(self, sample: Sample, number: int, name: str) -> None:
        """Put a sample into the spool, and note what it has."""
        for part, value in sample.parts:
            self.parts.setdefault(part, set()).add(value)
        known = self.scorers.setdefault((number, sample.kind or ""), {})
        for scorer, score in sample.scores.items():
            known[scorer] = None
            outcomes = self.outcomes.setdefault(scorer, score.outcomes)
            if outcomes != score.outcomes:
                raise InputError(
                    f"{name} row {sample.row:,}: {scorer} gave other scores before; import the "
                    "files one by one."
                )
        if len(self.outcomes) > MOST_SCORERS:
            raise InputError(
                f"{name} row {sample.row:,}: there are more than {MOST_SCORERS:,} different "
                "scorers; pick those wanted with --score-column."
            )
        scores = {scorer: _packed(score) for scorer, score in sample.scores.items()}
        record = [number, sample.row, sample.item, sample.run, scores, sample.reason]
        record += [sample.parts, sample.kind]
        # The escapes of JSON hold any text, halves of surrogate pairs as well.
        self.spool.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")

    def answers(self) -> Iterator[Row]:
        """Yield answers of the spool: with whether the run is given, file and row."""
        self.scorers = {key: names for key, names in self.scorers.items() if names}
        self.spool.flush()
        self.spool.seek(0)
        for line in self.spool:
            number, row, item, run, scores, reason, parts, kind = json.loads(line)
            of_parts = dict(parts)
            name = item_name(item, of_parts, self.gathered.parts)
            if self.gathered.parts:
                told = (*(of_parts.get(part, "") for part in self.gathered.parts), item)
                self.gathered.items[name] = told
            wanted: Iterable[str] = scores
            if kind is not None:
                wanted = self.scorers.get((number, kind), {})
            for scorer in wanted:
                given = scores.get(scorer)
                score = self._missing(scorer, reason) if given is None else _score(given)
                answer = self._answer(score, scorer, name, run or 1)
                yield Row(answer, run is not None, self.gathered.files[number].name, row)

    def _missing(self, scorer: str, reason: str | None) -> Score:
        """Return the score of a scorer that said nothing where others of its kind did."""
        outcomes = self.outcomes[scorer]
        nothing: tuple[float | None, ...] = (None,) * max(1, len(outcomes))
        return Score(nothing, reason or NO_SCORE, outcomes=outcomes)

    def _answer(self, score: Score, scorer: str, item: str, run: int) -> Answer:
        """Return a score as an answer of a judge."""
        judge = self.gathered.judges[scorer]
        complete = all(value is not None for value in score.scores)
        reason = None if complete else score.reason or NO_SCORE
        if reason is not None and score.told:
            self.gathered.examples.setdefault((judge, reason), score.told)
        return Answer(
            call_at(judge, item, run),
            "ok" if complete else "na",
            reason,
            None,
            score.scores,
            score.reading,
            prompt_tokens=score.prompt_tokens,
            completion_tokens=score.completion_tokens,
            cost=score.cost,
            model=score.model,
            fingerprint=score.fingerprint,
            prompt_version=score.prompt_version or "",
            outcomes=score.outcomes,
        )


_READING = attrgetter(*(one.name for one in fields(Reading)))
_OTHERS = attrgetter(*(one.name for one in fields(Score)[5:]))


def _packed(score: Score) -> list[Any]:
    """Return a score as it goes into the spool, the usual one in few words."""
    packed: list[Any] = [score.scores, score.reason, score.told]
    if score != Score(score.scores, score.reason, score.told):
        packed += [score.outcomes, _READING(score.reading), *_OTHERS(score)]
    return packed


def _score(given: list[Any]) -> Score:
    """Return a score of the spool."""
    scores, reason, told, *more = given
    if not more:
        return Score(tuple(scores), reason, told)
    outcomes, reading, *others = more
    return Score(tuple(scores), reason, told, tuple(outcomes), Reading(*reading), *others)
