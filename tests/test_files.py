from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import OutputError
from bacon.files import slug, write_atomically, write_together

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_exact_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    write_atomically(path, b"a\r\n\x00\xff")
    assert path.read_bytes() == b"a\r\n\x00\xff"
    assert names(tmp_path) == ["out.bin"]


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_existing_file_stays_unless_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(OutputError, match=r"out\.csv exists already: choose another name"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    write_atomically(path, b"new", overwrite=True)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["out.csv"]


def test_a_link_that_leads_nowhere_exists_too(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(OutputError, match="exists already"):
        write_atomically(tmp_path / "link", b"new")


def test_all_or_none(tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.write_bytes(b"old")
    with pytest.raises(OutputError, match="second exists already"):
        write_together({tmp_path / "first": b"1", second: b"2"})
    assert names(tmp_path) == ["second"]
    write_together({tmp_path / "first": b"1", second: b"2"}, overwrite=True)
    assert (tmp_path / "first").read_bytes() == b"1"
    assert second.read_bytes() == b"2"


def test_nothing_is_left_when_the_second_cannot_be_stored(tmp_path: Path) -> None:
    too_long = tmp_path / ("x" * 300)
    with pytest.raises(OutputError, match=r"cannot be written \(File name too long\)"):
        write_together({tmp_path / "first": b"1", too_long: b"2"})
    assert names(tmp_path) == []


def test_places_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"is a folder: give the name of a file in it"):
        write_atomically(tmp_path, b"")
    with pytest.raises(OutputError, match=r"there is no folder .*missing; make it first"):
        write_atomically(tmp_path / "missing" / "out.csv", b"")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=r"there is no folder .*file; make it first"):
        write_atomically(tmp_path / "file" / "out.csv", b"")
    with pytest.raises(OutputError, match=r"cannot be written"):
        write_atomically(tmp_path / "a\0b", b"")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match=r"pipe is not an ordinary file"):
        write_atomically(tmp_path / "pipe", b"", overwrite=True)
    assert names(tmp_path) == ["file", "pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_rights_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match=r"cannot be written \(Permission denied\).*rights"):
        write_atomically(tmp_path / "out.csv", b"")
    tmp_path.chmod(0o700)


@given(st.text(max_size=400))
def test_a_slug_is_one_plain_file_name(name: str) -> None:
    made = slug(name)
    assert re.fullmatch(r"[A-Za-z0-9+_=-][A-Za-z0-9.+_=-]*", made)
    assert len(made) <= 110
    assert slug(name) == made


def test_slugs_of_different_names_differ() -> None:
    names = ["a/b", "a b?", "a:b", "../x", "x", ".x", "..", "", "h" * 300, "h" * 299]
    assert len({slug(name) for name in names}) == len(names)
    assert (slug("uniform n=50"), slug("plain.name")) == ("uniform-n=50", "plain.name")
