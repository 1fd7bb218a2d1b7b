"""A store used by several processes, killed, without space or without rights."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.judges.store_cases import filled, made

from bacon.errors import OutputError
from bacon.judges.store import Store
from bacon.judges.tables import write_judgements

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65_534

PREAMBLE = """
import os, sys
from store_cases import made
from bacon.errors import BaconError
from bacon.judges.store import Store
from bacon.judges.tables import wide, write_judgements
path = sys.argv[1]
"""

ADDING = """
with Store.open(path) as store:
    for start in range(0, 10**9, 7):
        batch = [made(str(k), sys.argv[2], text="word " * 50) for k in range(start, start + 7)]
        store.claim([answer.call.key for answer in batch])
        store.add(batch)
        print(start + 7, flush=True)
"""

SHARING = """
mine = 0
with Store.open(path) as store:
    print("open", flush=True)
    sys.stdin.readline()
    for start in range(0, 1_000, 5):
        batch = {f"judge_a/{k}/1": made(str(k)) for k in range(start, start + 5)}
        keys = store.claim(batch)
        mine += store.add([batch[key] for key in sorted(keys)]).kept
        store.add([made(str(start), f"judge_{os.getpid()}")])
print(mine)
"""

WITHOUT_RIGHTS = f"""
import decimal, polars
if os.getuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
try:
    Store.open(path).close()
except BaconError as error:
    print(type(error).__name__, error)
with Store.open(path, read_only=True) as store:
    print(len(list(store.judgements())), store.spent().calls, wide(store).height)
"""


def started(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_what_add_returned_for_survives_being_killed(path):
    draw = random.Random(4)  # noqa: S311
    for number in range(8):
        judge = f"judge_{number}"
        child = started(ADDING, path, judge)
        reported = child.stdout.readline()
        time.sleep(draw.random() / 2)
        child.send_signal(signal.SIGKILL)
        lines = [reported, *child.communicate()[0].splitlines(keepends=True)]
        last = max(int(line) for line in lines if line.endswith("\n"))
        with Store.open(path) as store:
            there = {int(answer.call.item) for answer in store.judgements(judge)}
            assert {*range(last)} <= there
            # Of the batch at the kill all or nothing.
            assert len(there) in (last, last + 7)
            assert there == {*range(len(there))}
            assert store.spent(judge).calls == len(there)
            # What it had claimed is free at once.
            keys = [f"{judge}/{k}/1" for k in range(len(there), len(there) + 7)]
            assert store.claim(keys) == {*keys}
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_processes_share_the_work_and_lose_nothing(path):
    # All make the same new store.
    children = [started(SHARING, path) for _ in range(3)]
    for child in children:
        assert child.stdout.readline() == "open\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    shares = [int(child.communicate(timeout=120)[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert sum(shares) == 1_000
    with Store.open(path) as store:
        assert {judge: counts.ok for judge, counts in store.counts().items()} == {
            "judge_a": 1_000,
            **{f"judge_{child.pid}": 200 for child in children},
        }
        assert store.spent().calls == len(list(store.judgements())) == 1_600


def test_a_busy_store_is_waited_for_by_readers_and_writers(path):
    filled(path, [made()])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path, read_only=True) as store:
        assert store.done(["judge_a/1/1"]) == {"judge_a/1/1"}
    with ThreadPoolExecutor(1) as pool:
        added = pool.submit(filled, path, [made("2")])
        time.sleep(0.3)
        assert not added.done()
        other.execute("COMMIT")
        added.result(timeout=60)
    other.close()


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond `size`."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill_up(store: Store) -> int:
    """Add answers until there is no space, and return how many are in the store."""
    number = 0
    with pytest.raises(OutputError, match=r"space.*same command again"):  # noqa: PT012
        for number in range(10_000):
            store.add([made(str(number), text="word " * 500)])
    return number


def test_a_file_that_cannot_grow_loses_nothing(path, tmp_path):
    with Store.open(path) as store:
        with largest_file(400_000):
            number = fill_up(store)
            assert number > 5
            assert store.spent().calls == number
            with pytest.raises(OutputError, match="space"):
                store.add([made(str(k), text="word " * 500) for k in range(number, number + 200)])
        with Store.open(path) as again:
            assert len(list(again.judgements())) == again.spent().calls == number
        store.add([made(str(number), text="word " * 500)])
        assert store.spent().calls == number + 1
        with largest_file(1_000), pytest.raises(OutputError, match="cannot be written"):
            write_judgements(store, tmp_path / "out.parquet")
        assert [file.suffix for file in tmp_path.iterdir() if file.suffix != ".db"] != [".tmp"]
        assert not list(tmp_path.glob(".bacon-*"))
        assert not (tmp_path / "out.parquet").exists()


def test_a_database_at_its_limit_says_that_the_disk_is_full(path):
    with Store.open(path) as store:
        store._connection.execute("PRAGMA max_page_count = 60")
        number = fill_up(store)
        assert store.done([f"judge_a/{number - 1}/1", f"judge_a/{number}/1"]) == {
            f"judge_a/{number - 1}/1"
        }
        store._connection.execute("PRAGMA max_page_count = 100000")
        assert store.add([made(str(number))]).kept == 1


@pytest.fixture(name="small_disk")
def _small_disk() -> Iterator[Path]:
    """A file system of 2 MB, where one may be mounted."""
    folder = Path(tempfile.mkdtemp())
    size = "size=2m"
    mounted = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        folder.rmdir()
        pytest.skip("no right to mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


def test_a_full_disk_loses_nothing(small_disk):
    path = small_disk / "store.db"
    with Store.open(path) as store:
        number = fill_up(store)
    # Not a byte is left, not even for the files that SQLite makes beside a store.
    rest = shutil.disk_usage(small_disk).free
    (small_disk / "filling").write_bytes(b"x" * rest)
    with Store.open(path, read_only=True) as store:
        assert len(list(store.judgements())) == store.spent().calls == number
        with pytest.raises(OutputError, match="space"):
            write_judgements(store, small_disk / "out.parquet")
    (small_disk / "filling").unlink()
    with Store.open(path) as store:
        assert len(list(store.judgements())) == number


def test_a_store_without_rights_can_be_read():
    folder = Path(tempfile.mkdtemp())
    try:
        path = filled(folder / "store.db", [made(), made("2")])
        path.chmod(0o444)
        folder.chmod(0o555)
        told, counted = started(WITHOUT_RIGHTS, path).communicate()[0].splitlines()
        assert told.startswith(f"OutputError {path}: the store ")
        assert re.search("change its rights|may be written", told)
        assert counted == "2 2 2"
        assert [file.name for file in folder.iterdir()] == ["store.db"]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
