"""The state file: whole or refused, of one calibration, with one set of settings."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap

import pytest

from bacon.errors import InputError
from bacon.monitor.state import Settings, Stream, read_state, write_state
from bacon.signed import signed

SETTINGS = Settings()


def stream(n=3):
    return Stream(
        ids=tuple(f"{k:032x}" for k in range(n)),
        labels=(3.0,) * n,
        errors=(0.25,) * n,
        groups=("a", None, "b")[:n],
        alone={"judge": (0.5, None, 0.1)[:n]},
        batch=(1,) * n,
        pools=("f" * 32,),
        calls=1,
    )


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "state.json"
    write_state(path, stream(), SETTINGS, "cal")
    assert read_state(path, SETTINGS, "cal") == stream()
    assert read_state(tmp_path / "none.json", SETTINGS, "cal") == Stream()
    assert stream().errors_of_judge("judge").tolist() == [0.5, 0.1]
    assert stream().errors_of_judge("other").tolist() == []
    assert stream().errors_of_group("b").tolist() == [0.25]


def test_another_calibration_and_other_settings_are_refused(tmp_path):
    path = tmp_path / "state.json"
    write_state(path, stream(), SETTINGS, "cal")
    with pytest.raises(InputError, match=r"state\.json: this state is of another calibration"):
        read_state(path, SETTINGS, "other")
    with pytest.raises(InputError, match=r"begun with detect 0\.7, level 0\.95, tolerance 0\.2"):
        read_state(path, Settings(tolerance=0.1), "cal")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:-40],
        lambda content: content.replace(b"0.25", b"0.05", 1),
        lambda _: b"",
        lambda _: b"[]",
        lambda _: b"\xff\xfe",
        lambda content: content + b"x",
    ],
)
def test_edited_and_cut_files_are_refused(tmp_path, change):
    path = tmp_path / "state.json"
    write_state(path, stream(), SETTINGS, "cal")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(InputError, match="was changed or cut off; take it from a copy"):
        read_state(path, SETTINGS, "cal")


@pytest.mark.parametrize(
    "change",
    [
        {"labels": [1.0]},
        {"errors": ["x", "y", "z"]},
        {"ids": ["a", "a", "b"]},
        {"alone": [1]},
        {"alone": {"judge": [1.0]}},
        {"batch": None},
        {"groups": 3},
        {"calls": "many"},
        {"labels": [1e999, 1.0, 1.0]},
    ],
)
def test_parts_that_do_not_fit_are_refused_even_with_a_right_digest(tmp_path, change):
    path = tmp_path / "state.json"
    write_state(path, stream(), SETTINGS, "cal")
    record = {k: v for k, v in json.loads(path.read_bytes()).items() if k != "blake2b"}
    try:
        path.write_bytes(signed({**record, **change}))
    except ValueError:
        path.write_bytes(b'{"labels": [1e999]}')
    with pytest.raises(InputError, match="is no state"):
        read_state(path, SETTINGS, "cal")


def test_a_kill_while_writing_leaves_a_whole_state(tmp_path):
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from bacon.monitor.state import Settings, Stream, write_state

        def write(n):
            ids = tuple(map(str, range(n)))
            stream = Stream(ids, (3.0,) * n, (0.25,) * n, (None,) * n, {}, (1,) * n)
            write_state(Path(sys.argv[1]), stream, Settings(), "cal")

        write(2000)
        print("ready", flush=True)
        while True:
            write(1000)
            write(2000)
        """
    )
    path = tmp_path / "state.json"
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == b"ready\n"
            running.send_signal(signal.SIGKILL)
        assert read_state(path, SETTINGS, "cal").n_labels in (1000, 2000)
