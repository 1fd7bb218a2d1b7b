"""Running: the same bytes for any number of processes, after a kill, and until precise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.experiments.cases import essays, table

import bacon
from bacon.errors import EstimationError, InputError
from bacon.experiments.answers import Answer
from bacon.experiments.plan import Plan
from bacon.experiments.run import Precision, simulate
from bacon.experiments.simulators import simulated_pool
from bacon.experiments.store import CHUNK

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.data.labels import Labels
    from bacon.data.sample import Sample

TABLES = ("results.parquet", "summary.parquet", "ranking.parquet")
TRIALS = CHUNK + 5
QUICK_RIDGE = "quick:model=ridge,folds=3"


def plan(*configurations: Any, n: int = 40) -> Plan:
    names = configurations or ("human-only", QUICK_RIDGE, "raw-judges")
    full = simulated_pool("ordinal", n_items=150)
    return Plan(full, [bacon.UniformDesign(n=n), bacon.UniformDesign(n=20)], names)


def files(out: Path) -> dict[str, bytes]:
    """The tables of an experiment, byte for byte."""
    return {name: (out / name).read_bytes() for name in TABLES}


@pytest.fixture(name="at_once", scope="module")
def _at_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process makes in one go."""
    out = tmp_path_factory.mktemp("at-once") / "out"
    simulate(plan(), trials=TRIALS, out=out)
    return files(out)


def test_the_same_bytes_for_any_number_of_workers(
    tmp_path: Path, at_once: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    simulate(plan(), trials=TRIALS, workers=2, out=out)
    assert files(out) == at_once


# The experiment of `plan`, in a process of its own.
PROGRAM = f"""
import sys
import bacon
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate
from bacon.experiments.simulators import simulated_pool

if __name__ == "__main__":
    full = simulated_pool("ordinal", n_items=150)
    designs = [bacon.UniformDesign(n=40), bacon.UniformDesign(n=20)]
    plan = Plan(full, designs, ["human-only", {QUICK_RIDGE!r}, "raw-judges"])
    simulate(plan, trials=int(sys.argv[1]), workers=2, out=sys.argv[2])
"""


def started(tmp_path: Path) -> tuple[subprocess.Popen[bytes], Path]:
    """The experiment begun in a process of its own."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, str(program), str(TRIALS), str(out)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return process, out


def wait_for(what: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def left_of(session: int) -> list[int]:
    """Processes of a session that are still there and no zombies."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads processes from /proc")
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_stopped_run_goes_on(
    tmp_path: Path, at_once: dict[str, bytes], how: signal.Signals
) -> None:
    process, out = started(tmp_path)
    wait_for(lambda: len(list(out.glob("draws/*/*/0*.parquet"))) >= 2)
    process.send_signal(how)
    process.wait(60)
    assert process.returncode != 0
    wait_for(lambda: not left_of(process.pid), 30.0)
    done = {path: path.stat().st_mtime_ns for path in out.glob("draws/*/*/0*.parquet")}
    assert not (out / "results.parquet").exists()
    assert 2 <= len(done) < 2 * 3 * 2
    simulate(plan(), trials=TRIALS, out=out)
    assert files(out) == at_once
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert not list(out.rglob("*.tmp")) or how == signal.SIGKILL


def test_a_function_of_ones_own(tmp_path: Path) -> None:
    def trimmed(
        _pool: bacon.Pool, labels: Labels, _sample: Sample, _seed: int
    ) -> dict[str, Answer]:
        y = labels.values[:, 0]
        return {"mean": Answer(float(pl.Series(y).sort()[4:-4].mean()))}

    found = simulate(plan("human-only", ("trimmed", trimmed)), trials=CHUNK)
    assert found.summary["configuration"].to_list() == ["human-only", "trimmed"] * 2
    assert found.summary["rmse_ratio"][1] > 0.5
    with pytest.raises(InputError, match=r"cannot be sent to another process.*one worker"):
        simulate(plan(("trimmed", trimmed)), trials=CHUNK, workers=2, out=tmp_path)


def test_a_configuration_that_always_fails_stops_the_run(tmp_path: Path) -> None:
    for workers in (1, 2):
        with pytest.raises(EstimationError, match="x failed in each of the first 25 draws of unif"):
            simulate(plan("human-only", "x:model=none"), workers=workers, out=tmp_path)
    assert not list(tmp_path.glob("draws/*/x/*.parquet"))
    # Its name is free: mended, it runs.
    simulate(plan("human-only", "x:model=ridge"), trials=5, out=tmp_path, again=["x"])


def test_draws_until_precise(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = simulate(
        plan("human-only", QUICK_RIDGE),
        trials=CHUNK,
        precision=Precision(coverage=0.09, ratio=0.5, max_trials=400),
        out=tmp_path,
        progress=lambda done, total: told.append((done, total)),
    )
    summary = found.summary
    half = (summary["coverage_pool_high"] - summary["coverage_pool_low"]) / 2
    assert half.max() < 0.09
    counts = summary["trials"].unique().to_list()
    assert all(CHUNK < count < 400 and count % CHUNK == 0 for count in counts)
    assert told[0] == (CHUNK, 4 * CHUNK)
    assert all(done <= total for done, total in told)
    # The number of draws follows from the draws, so that a second run finds them all there.
    again = simulate(
        plan("human-only", QUICK_RIDGE),
        trials=CHUNK,
        precision=Precision(coverage=0.09, ratio=0.5, max_trials=400),
        out=tmp_path,
        progress=lambda done, total: told.append((-done, total)),
    )
    assert again.results.equals(found.results)
    assert not [done for done, _ in told if done < 0]


def test_precision_has_a_limit() -> None:
    found = simulate(plan("human-only"), trials=5, precision=Precision(1e-6, 1e-6, max_trials=40))
    assert found.summary["trials"].to_list() == [40, 40]


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"workers": 0}, {"trials": True}])
def test_numbers_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a whole number from 1 up"):
        simulate(plan(), **wrong)


def test_the_command_line_reads_the_same_pool(tmp_path: Path) -> None:
    # Row order is no part of a draw: shuffled rows give the same estimates.
    rows = table().sample(120, shuffle=True, seed=3)
    from bacon.experiments.full_pool import full_pool

    shuffled = full_pool(
        bacon.read_pool(rows, label="human", group="system"), rows, label="human", name="essays"
    )
    designs = [bacon.UniformDesign(n=40)]
    straight = simulate(Plan(essays(), designs, ["ridge"]), trials=5, out=tmp_path)
    turned = simulate(Plan(shuffled, designs, ["ridge"]), trials=5, out=tmp_path)
    assert straight.results.equals(turned.results)
