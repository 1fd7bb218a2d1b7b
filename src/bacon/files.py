"""Writing files so that each is either whole or untouched."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "appearing",
    "check_can_write",
    "make_folder",
    "slug",
    "unwritable",
    "write_atomically",
    "write_together",
]


LONGEST_NAME = 100
"""Signs of a file name that was made of a name."""


def slug(name: str) -> str:
    """Return a file name for `name`, with a digest where signs had to go.

    Never a path, a hidden file or longer than file systems allow.
    """
    plain = re.sub(r"[^A-Za-z0-9.+_=-]+", "-", name).lstrip(".")[:LONGEST_NAME]
    if plain and plain.replace("-", " ") == name.replace("-", " "):
        return plain
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{plain}-{digest}" if plain else digest


def write_atomically(path: Path, content: bytes, *, overwrite: bool = False) -> None:
    """Write one file: the whole content appears at `path`, or nothing changes.

    Parameters
    ----------
    path : Path
        Where the file goes; its folder has to exist.
    content : bytes
        The whole content.
    overwrite : bool
        Whether a file that stands there already may be replaced.

    Raises
    ------
    OutputError
        The file exists, the folder does not, or writing is not possible there.
    """
    write_together({path: content}, overwrite=overwrite)


def write_together(contents: Mapping[Path, bytes], *, overwrite: bool = False) -> None:
    """Write files that belong together: every one is checked and stored before any appears.

    Parameters
    ----------
    contents : mapping of Path to bytes
        What goes where, in the order in which the files appear.
    overwrite : bool
        Whether files that stand there already may be replaced.

    Raises
    ------
    OutputError
        A file exists, a folder does not, or writing is not possible there.
    """
    for path in contents:
        check_can_write(path, overwrite=overwrite)
    waiting: list[tuple[Path, Path]] = []
    current = next(iter(contents), Path())
    try:
        for current, content in contents.items():
            # In the same folder, because a rename is atomic only within one file system.
            temporary = current.parent / f".bacon-{secrets.token_hex(8)}.tmp"
            waiting.append((temporary, current))
            with temporary.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        for temporary, current in waiting:
            temporary.replace(current)
    except (OSError, ValueError) as error:
        raise _cannot_write(current, error) from error
    finally:
        for temporary, _ in waiting:
            temporary.unlink(missing_ok=True)


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Give a name for a file, too long for memory, that takes the place of `path` once it is whole.

    Parameters
    ----------
    path : Path
        Where the file goes; what stands there is replaced.

    Raises
    ------
    OutputError
        Writing is not possible there.
    """
    # In the same folder, because a rename is atomic only within one file system.
    unfinished = path.parent / f".bacon-{secrets.token_hex(8)}.tmp"
    try:
        yield unfinished
        with unfinished.open("rb+") as stream:
            os.fsync(stream.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def unwritable(path: Path, reason: str) -> OutputError:
    """Return the error for a long file that could not be written."""
    return OutputError(
        f"{str(path)!r} cannot be written ({reason}): free some space, choose another name or "
        "folder, or change its rights."
    )


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{path} cannot be made ({error.strerror}); name another folder."
        ) from None


def check_can_write(path: Path, *, overwrite: bool) -> None:
    """Refuse a folder, a missing folder, what is no file, and a file that is not to be replaced."""
    try:
        if path.is_dir():
            raise OutputError(f"{path} is a folder: give the name of a file in it.")
        if not path.parent.is_dir():
            raise OutputError(f"{path}: there is no folder {path.parent}; make it first.")
        exists = path.exists() or path.is_symlink()
        if exists and not overwrite:
            raise OutputError(
                f"{path} exists already: choose another name, or give --force (overwrite=True in "
                "Python)."
            )
        if exists and not path.is_file():
            raise OutputError(f"{path} is not an ordinary file: choose another name.")
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError | ValueError) -> OutputError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return OutputError(
        f"{str(path)!r} cannot be written ({reason}): choose another name or folder, "
        "or change its rights."
    )
