"""Stores of other versions, and files that are no stores."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.judges.store_cases import filled, made

from bacon.errors import BaconError, InputError, OutputError
from bacon.judges.store import Store
from bacon.judges.store_file import connect
from bacon.judges.store_rows import COLUMNS, row_of
from bacon.judges.store_schema import MIGRATIONS, Migration, prepare
from bacon.judges.tables import write_judgements

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS = [
    made(str(k), f"judge_{'ab'[k % 2]}", score=None if k % 7 == 0 else k / 3, cost=k or None)
    for k in range(40)
]
LATER = Migration("colours", ("CREATE TABLE colours (name TEXT)",))


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def begun(path: Path, steps: int) -> None:
    """Make a store with the first steps only, with answers put in as that version did."""
    with closing(connect(path, read_only=False)) as connection:
        prepare(connection, path, read_only=False, migrations=MIGRATIONS[:steps])
        marks = ", ".join("?" * len(COLUMNS))
        for number, answer in enumerate(ANSWERS, 1):
            row = row_of(answer)
            connection.execute(
                f"INSERT INTO answers VALUES (?, {marks})",  # noqa: S608
                (number, int(number != 5), *row.cells),
            )
            connection.execute("INSERT INTO texts VALUES (?, ?)", (number, row.text))


def contents(path: Path) -> tuple[object, ...]:
    with Store.open(path, read_only=True) as store:
        return list(store.judgements()), store.spent(), store.counts()


@pytest.mark.parametrize("steps", range(1, len(MIGRATIONS)))
def test_an_older_store_reads_the_same_once_brought_up_to_date(path, tmp_path, steps):
    begun(path, steps)
    if steps > 1:  # that version had counted its answers itself
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(MIGRATIONS[1].statements[1])
            connection.commit()
    with pytest.raises(OutputError, match="earlier version"):
        Store.open(path, read_only=True)
    Store.open(path).close()
    now = filled(tmp_path / "now.db", [*ANSWERS[:4], *ANSWERS[5:]])
    answers, spent, counts = contents(path)
    assert answers == contents(now)[0]
    assert counts == contents(now)[2]
    assert spent.calls == 40
    assert spent.money == pytest.approx(sum(range(40)))
    with Store.open(path) as store:
        assert store.add([ANSWERS[4]]).kept == 1
        assert store.claim(["k"]) == {"k"}


def test_a_step_that_fails_leaves_the_store_as_it_was(path):
    filled(path, ANSWERS)
    before = contents(path)
    broken = Migration("broken", ("CREATE TABLE colours (name TEXT)", "NO SUCH STATEMENT"))
    with closing(connect(path, read_only=False)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            prepare(connection, path, read_only=False, migrations=(*MIGRATIONS, broken))
        assert not connection.in_transaction
    assert contents(path) == before
    with closing(connect(path, read_only=False)) as connection:
        prepare(connection, path, read_only=False, migrations=(*MIGRATIONS, LATER))
        prepare(connection, path, read_only=False, migrations=(*MIGRATIONS, LATER))


def test_a_later_store_is_refused_and_left_alone(path):
    filled(path, ANSWERS)
    with closing(connect(path, read_only=False)) as connection:
        prepare(connection, path, read_only=False, migrations=(*MIGRATIONS, LATER))
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(InputError, match=r"later version .*'colours'.*pip install --upgrade"):
            Store.open(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with pytest.raises(OutputError, match="is empty"):
        Store.open(path, read_only=True)
    with Store.open(path) as store:
        assert store.counts() == {}


def some_text(path: Path) -> None:
    path.write_text("item_id,judge\n1,4\n" * 100)


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE answers (id INTEGER)")


def with_trigger(path: Path) -> None:
    filled(path, ANSWERS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END"
        )


def strange_steps(path: Path) -> None:
    filled(path, ANSWERS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM migrations WHERE name = 'answers'")
        connection.commit()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (some_text, "no store of judgements"),
        (other_database, "no store of judgements"),
        (with_trigger, "triggers or views"),
        (strange_steps, "no store of judgements"),
        (lambda path: path.mkdir(), "is a folder"),
    ],
)
def test_what_is_no_store_is_refused_and_left_alone(
    path, make: Callable[[Path], None], sentence: str
):
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for read_only in (False, True):
        with pytest.raises(InputError, match=sentence):
            Store.open(path, read_only=read_only)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_places_where_no_store_can_be(path, tmp_path):
    with pytest.raises(InputError, match="there is no store"):
        Store.open(path, read_only=True)
    assert not path.exists()
    with pytest.raises(OutputError, match="there is no folder"):
        Store.open(tmp_path / "none" / "store.db")
    with pytest.raises(InputError, match=r"x00.* is no name of a file"):
        Store.open("store.db\0.txt")
    with pytest.raises(InputError, match="cannot be a store"):
        Store.open(tmp_path / ("x" * 300))


@pytest.mark.parametrize("seed", range(40))
def test_damage_is_told_or_harmless(path, tmp_path, seed):
    filled(path, [made(str(k), text="word " * 200) for k in range(300)])
    whole = path.read_bytes()
    draw = random.Random(seed)  # noqa: S311
    if seed % 4 == 0:
        broken = whole[: draw.randrange(1, len(whole))]
    else:
        size = draw.choice([1, 20, 4096])
        start = draw.randrange(len(whole))
        broken = whole[:start] + draw.randbytes(size) + whole[start + size :]
    path.write_bytes(broken)
    try:
        with Store.open(path) as store:
            list(store.judgements())
            store.done([f"judge_a/{k}/1" for k in range(300)])
            store.counts()
            write_judgements(store, tmp_path / "out.parquet")
            store.add([made("new")])
    except BaconError as error:
        told = str(error)
        assert str(path) in told
        assert told.endswith(".")
