"""Runs that are broken off: Ctrl-C, SIGTERM, kill -9. What was answered is stored and paid once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from tests.judges.run_cases import items_of, judge, table_of

from bacon.judges.fake import FakeEndpoint
from bacon.judges.runner import run_judges
from bacon.judges.store import Store

HERE = Path(__file__).resolve().parent
CONCURRENCY = 16
SCRIPT = """
import sys
from bacon.judges.progress import Lines
from bacon.judges.runner import run_judges
from bacon.judges.store import Store
from run_cases import QUICK, items_of, judge

url, path, count, concurrency = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = judge(url, concurrency=concurrency, timeout=30.0)
with Store.open(path) as store:
    summary = run_judges([spec], items_of(count), store, patience=QUICK, progress=Lines(every=60))
    print(summary.interrupted, *((j.ok, j.na, j.left, j.asked) for j in summary.judges))
"""

posix = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")


@contextmanager
def running(fake, path, count):
    """Run the script, and leave no process behind."""
    command = [sys.executable, "-c", SCRIPT, fake.url, str(path), str(count), str(CONCURRENCY)]
    with subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def until_answers(fake, count, run):
    """Wait until the endpoint has answered so many calls, or the run has ended."""
    deadline = time.monotonic() + 60
    while len(fake.counts().answers) < count and run.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def undisturbed(tmp_path, fake_settings, count, url_of):
    """The table of a run that nobody disturbs; keys hold the endpoint's address, so it is given."""
    with (
        FakeEndpoint(**fake_settings, port=url_of.port) as fake,
        Store.open(tmp_path / "calm.db") as store,
    ):
        run_judges([judge(fake.url, concurrency=64, timeout=30.0)], items_of(count), store)
        return table_of(store)


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_cleanly(tmp_path, number):
    path = tmp_path / "s.db"
    with FakeEndpoint(seed=1, latency=0.1) as fake, running(fake, path, 1000) as run:
        until_answers(fake, 30, run)
        run.send_signal(number)
        out, err = run.communicate(timeout=30)
        answers = fake.counts().answers
    assert run.returncode == 0, err
    assert out.startswith("True")
    assert "Stopping: waiting up to 5 seconds for calls in flight" in err
    assert "Traceback" not in err
    with Store.open(path) as store:
        # Those in flight were waited for.
        assert len(table_of(store)) == len(answers)
    assert set(answers.values()) == {1}


@posix
def test_a_second_ctrl_c_stops_at_once_and_loses_no_stored_answer(tmp_path):
    path = tmp_path / "s.db"
    hanging = FakeEndpoint(seed=1, latency=0.05, failures={"hang": 0.2})
    with hanging as fake, running(fake, path, 1000) as run:
        until_answers(fake, 20, run)
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        before = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
        answers = fake.counts().answers
    assert time.monotonic() - before < 4.0
    assert run.returncode == 0, err
    assert "Traceback" not in err
    ok, na, left, asked = counted(out)
    assert ok + na + left == asked == 1000
    with Store.open(path) as store:
        assert len(table_of(store)) == ok + na == len(answers)


def counted(out):
    return [int(part) for part in out.split("(")[1].rstrip(")\n").split(", ")]


def killed_and_resumed(tmp_path, *, count, kills, seed):
    """Kill a run at random moments; return its table, the calm one, what was paid and lost."""
    draws = random.Random(seed)  # noqa: S311
    settings = {"seed": 1, "latency": 0.02, "failures": {"refusal": 0.02}}
    path = tmp_path / "s.db"
    moments = sorted(draws.sample(range(1, count - CONCURRENCY), kills))
    committed, lost = {}, [0]
    with FakeEndpoint(**settings, process=True) as fake:
        for moment in moments:
            with running(fake, path, count) as run:
                until_answers(fake, moment, run)
                assert run.poll() is None, run.communicate()
                time.sleep(draws.random() * 0.05)
                run.kill()
                run.communicate(timeout=30)
            with Store.open(path) as store:
                table = table_of(store)
            # No answer that was stored is gone or other than it was.
            assert committed.items() <= table.items()
            committed = table
            # The endpoint answers what it had been asked, though nobody is there any more.
            time.sleep(5 * settings["latency"])
            lost.append(sum(fake.counts().answers.values()) - len(table))
        with running(fake, path, count) as run:
            _, err = run.communicate(timeout=600)
        assert run.returncode == 0, err
        answers = fake.counts().answers
    with Store.open(path) as store:
        table = table_of(store)
    assert committed.items() <= table.items()
    return table, undisturbed(tmp_path, settings, count, fake), answers, lost


@posix
@pytest.mark.parametrize(
    ("count", "kills"), [(300, 3), pytest.param(5000, 30, marks=pytest.mark.slow)]
)
def test_kill_9_at_random_moments_pays_for_nothing_twice_but_what_was_in_flight(
    tmp_path, count, kills
):
    table, calm, answers, lost = killed_and_resumed(tmp_path, count=count, kills=kills, seed=count)
    assert len(table) == len(answers) == count
    assert table == calm
    assert sum(paid - 1 for paid in answers.values()) == lost[-1]
    each = [after - before for before, after in pairwise(lost)]
    assert all(0 <= one <= CONCURRENCY for one in each), each
    # Calls were in flight at the kills, or this shows nothing.
    assert any(each)
