"""Members of a zip file that nobody vouches for: read in memory, one at a time, never unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

__all__ = ["Archive", "BrokenMemberError"]

MOST_MEMBER = 1 << 28
"""Bytes of a member once unpacked."""

MOST_MEMBERS = 2_000_000
FREE = 1 << 30
MOST_RATIO = 300
"""More unpacked bytes than this for each packed one, beyond `FREE` in all, are an attack."""

ZSTANDARD = 93
MOST_WINDOW = 1 << 27
CHUNK = 1 << 16


class BrokenMemberError(ValueError):
    """A member that cannot be read."""


class Archive:
    """A zip file, for reading.

    Names inside it are names and nothing more: no file is ever made.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        It is no zip file, or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unpacked = 0
        self._file = path.open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (
            zipfile.BadZipFile,
            ValueError,
            OverflowError,
            NotImplementedError,
            EOFError,
        ) as error:
            self._file.close()
            raise InputError(
                f"{path.name} is no whole zip file ({error}); copy it again, or write it again "
                "with the program it comes from."
            ) from None
        self._members = {info.filename: info for info in self._zip.infolist()}
        self.repeated = len(self._zip.infolist()) - len(self._members)
        if len(self._members) > MOST_MEMBERS:
            raise InputError(
                f"{path.name} holds {len(self._members):,} files, more than {MOST_MEMBERS:,}; "
                "import it in parts."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> list[str]:
        """Names of the members, in the order of the file; of several with one name, the last."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of a member.

        Raises
        ------
        BrokenMemberError
            It is damaged or encrypted.
        InputError
            It would fill the memory, or is packed in a way that cannot be read here.
        """
        info = self._members[name]
        if info.flag_bits & 0x1:
            raise BrokenMemberError("it is encrypted")
        found = io.BytesIO()
        for chunk in self._chunks(info):
            found.write(chunk)
            self._count(len(chunk), found.tell())
        return found.getvalue()

    def _count(self, more: int, so_far: int) -> None:
        """Refuse members that grow far beyond what they take in the file."""
        self._unpacked += more
        packed = self._path.stat().st_size
        if so_far > MOST_MEMBER or self._unpacked > max(FREE, MOST_RATIO * packed):
            raise InputError(
                f"{self._path.name} unpacks to far more than it should (over "
                f"{max(so_far, self._unpacked) >> 20:,} MB of {packed / (1 << 20):,.1f} MB): it is "
                "not read. If it is sound, write it as JSON (inspect log convert --to json) and "
                "import that."
            )

    def _chunks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the content of a member in pieces."""
        if info.compress_type == ZSTANDARD:
            yield from self._zstandard(info)
            return
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except NotImplementedError:
            raise BrokenMemberError(f"it is packed by method {info.compress_type}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise BrokenMemberError(f"it is damaged ({error})") from None

    def _zstandard(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the content of a member that is packed as newer logs are."""
        try:
            import zstandard
        except ImportError:
            raise InputError(
                f"{self._path.name} is packed with Zstandard; install what reads it "
                "(pip install 'bacon-eval[inspect]'), or convert the log "
                "(inspect log convert --to json)."
            ) from None
        # The length of the local header may differ from that in the directory.
        self._file.seek(info.header_offset)
        header = self._file.read(30)
        if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
            raise BrokenMemberError("it is damaged (no header)")
        lengths = header[26:28], header[28:30]
        self._file.seek(sum(int.from_bytes(one, "little") for one in lengths), io.SEEK_CUR)
        packed = self._file.read(min(info.compress_size, MOST_MEMBER))
        crc = 0
        try:
            unpacker = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW)
            with unpacker.stream_reader(packed, read_across_frames=True) as stream:
                while chunk := stream.read(CHUNK):
                    crc = zlib.crc32(chunk, crc)
                    yield chunk
        except zstandard.ZstdError as error:
            raise BrokenMemberError(f"it is damaged ({error})") from None
        if crc != info.CRC:
            raise BrokenMemberError("it is damaged (its check sum differs)")
