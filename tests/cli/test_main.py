"""The command as a process: exit codes, where errors go, and the same bytes every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bacon.version import __version__

COMMAND = [sys.executable, "-c", "from bacon.cli.main import main; main()"]


def run(folder, *words, hash_seed="0"):
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "NO_COLOR": "1", "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_refusal_is_one_line_on_stderr_and_exit_2(tmp_path):
    ran = run(tmp_path, "estimate", "none.csv", "--label", "human")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr == b"bacon: none.csv does not exist; check the path.\n"


def test_the_same_seed_gives_the_same_bytes_in_any_process(bacon, tmp_path, one):
    words = ["estimate", one, "--label", "human", "--scale", "1:6", "--seed", 7, "--json"]
    words += ["--estimand", "mean", "--estimand", "quantile:0.5", "--estimand", "proportion:ge:4"]
    other, here = run(tmp_path, *words, hash_seed="1"), bacon(*words)
    assert (other.returncode, other.stderr) == (0, b"")
    assert other.stdout.decode() == here.out
    assert other.stdout.startswith(b'{"schema": "bacon-result/1"')


def test_a_failed_requirement_is_exit_3(tmp_path, one):
    words = ["estimate", one, "--label", "human", "--model", "ridge", "--require", "mean:ge:6"]
    ran = run(tmp_path, *words)
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"Required: mean at least 6: no (95 % interval ")


def test_a_reader_that_went_away_is_no_traceback(tmp_path, one):
    code = (
        "import os, sys; from bacon.cli.main import main;"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1); main()"
    )
    words = ["estimate", str(one), "--label", "human", "--model", "ridge"]
    ran = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, check=False
    )
    assert ran.returncode == 1
    assert b"Traceback" not in ran.stderr


def test_version_and_help(bacon):
    assert bacon("--version").out == f"bacon {__version__}\n"
    ran = bacon("--help")
    assert ran.code == 0
    for name in ("check", "sample", "estimate", "demo"):
        assert name in ran.out
    for name in ("sample", "estimate", "demo"):
        assert bacon(name, "--help").code == 0


def test_unknown_commands_and_options_are_usage_errors(bacon):
    assert bacon("estimat").code == 2
    assert bacon("estimate", "pool.csv", "--labell", "x").code == 2
    assert bacon().code == 2


def test_nothing_is_left_behind(bacon, one):
    before = set(Path().iterdir())
    bacon("estimate", one, "--label", "human")
    assert set(Path().iterdir()) == before
