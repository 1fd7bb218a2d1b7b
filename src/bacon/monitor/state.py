"""What has been seen so far of a calibration's later items: kept in one JSON file.

Labels are kept by the digest of their item's id, with label and errors, in the order of
arrival: everything the tests say is computed from them again, so a label counts once however
often it is given. The file carries a digest of itself and is replaced as a whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import InputError
from bacon.files import write_atomically
from bacon.signed import read_signed, signed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bacon.arrays import FloatArray

__all__ = ["Settings", "Stream", "read_state", "write_state"]

SCHEMA = "bacon-monitor/1"


@dataclass(frozen=True)
class Settings:
    """What a monitor was asked for; one error rate holds only while it stays the same.

    Parameters
    ----------
    tolerance : float
        Shift that does not matter, in SDs of the calibration's errors.
    level : float
        One minus the probability of a false alarm, over all labels and pools that may come.
    detect : float
        Shift, in the same SDs, that should be found; until there are labels enough the verdict
        is open.
    """

    tolerance: float = 0.2
    level: float = 0.95
    detect: float = 0.7


@dataclass(frozen=True)
class Stream:
    """Labels in the order of arrival, and the pools that were looked at.

    Parameters
    ----------
    ids : tuple of str
        Digests of the t items' ids.
    labels, errors : tuple of float
        Labels, and labels less calibrated scores.
    groups : tuple of (str or None)
        Group of each item, None where none was named.
    alone : mapping of str to tuple of (float or None)
        For each judge the label less what its score alone says; None where it is missing.
    batch : tuple of int
        In which call each label came, from 1.
    pools : tuple of str
        Fingerprints of the pools in the order they were first seen.
    calls : int
        Calls so far.
    """

    ids: tuple[str, ...] = ()
    labels: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    groups: tuple[str | None, ...] = ()
    alone: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    batch: tuple[int, ...] = ()
    pools: tuple[str, ...] = ()
    calls: int = 0

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.ids)

    def errors_of_judge(self, name: str) -> FloatArray:
        """Return the errors of one judge alone, where it gave a score."""
        return np.array(
            [one for one in self.alone.get(name, ()) if one is not None], dtype=np.float64
        )

    def errors_of_group(self, name: str) -> FloatArray:
        """Return the errors of one group."""
        pairs = zip(self.errors, self.groups, strict=True)
        return np.array([error for error, group in pairs if group == name], dtype=np.float64)

    def with_pool(self, fingerprint: str) -> Stream:
        """Return the stream after one more call with a pool."""
        pools = self.pools if fingerprint in self.pools else (*self.pools, fingerprint)
        return replace(self, pools=pools, calls=self.calls + 1)

    def with_labels(self, new: Stream) -> Stream:
        """Return the stream with new labels behind the ones there."""
        names = new.alone.keys()
        earlier = {name: self.alone.get(name, (None,) * self.n_labels) for name in names}
        return replace(
            self,
            ids=self.ids + new.ids,
            labels=self.labels + new.labels,
            errors=self.errors + new.errors,
            groups=self.groups + new.groups,
            alone={name: earlier[name] + new.alone[name] for name in names},
            batch=self.batch + (self.calls,) * new.n_labels,
        )


def _as_record(stream: Stream, settings: Settings, calibration: str) -> dict[str, Any]:
    """Return the state as plain values."""
    return {
        "schema": SCHEMA,
        "calibration": calibration,
        "settings": {
            "tolerance": float(settings.tolerance),
            "level": float(settings.level),
            "detect": float(settings.detect),
        },
        "ids": list(stream.ids),
        "labels": list(stream.labels),
        "errors": list(stream.errors),
        "groups": list(stream.groups),
        "alone": {name: list(values) for name, values in stream.alone.items()},
        "batch": list(stream.batch),
        "pools": list(stream.pools),
        "calls": stream.calls,
    }


def write_state(path: Path, stream: Stream, settings: Settings, calibration: str) -> None:
    """Write the state as a whole, in place of the one there.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    write_atomically(path, signed(_as_record(stream, settings, calibration)), overwrite=True)


def read_state(path: Path, settings: Settings, calibration: str) -> Stream:
    """Return the state of a file; an empty one where there is no file.

    Raises
    ------
    InputError
        The file is no state or damaged, of another calibration, or begun with other settings.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Stream()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}); name the file of the state."
        ) from None
    record = read_signed(content, SCHEMA)
    if record is None:
        raise _damaged(path)
    if record.get("calibration") != calibration:
        raise InputError(
            f"{path}: this state is of another calibration; give the calibration it was begun "
            "with, or name a new file to begin again."
        )
    asked = _as_record(Stream(), settings, calibration)["settings"]
    if record.get("settings") != asked:
        begun = ", ".join(f"{k} {v:g}" for k, v in sorted(dict(record["settings"]).items()))
        raise InputError(
            f"{path}: this state was begun with {begun}, and its error rate holds only while they "
            "stay the same; give the same ones, or name a new file to begin again."
        )
    stream = _stream(record)
    if stream is None:
        raise _damaged(path)
    return stream


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path}: is no state written by this version of bacon monitor, or it was changed or cut "
        "off; take it from a copy, or name a new file to begin again."
    )


def _stream(record: Mapping[str, Any]) -> Stream | None:
    """Return the stream of a record; None where its parts do not fit together."""
    try:
        stream = Stream(
            ids=tuple(map(str, record["ids"])),
            labels=tuple(map(float, record["labels"])),
            errors=tuple(map(float, record["errors"])),
            groups=tuple(None if one is None else str(one) for one in record["groups"]),
            alone={
                str(name): tuple(None if one is None else float(one) for one in values)
                for name, values in record["alone"].items()
            },
            batch=tuple(map(int, record["batch"])),
            pools=tuple(map(str, record["pools"])),
            calls=int(record["calls"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    t = stream.n_labels
    columns = (stream.labels, stream.errors, stream.groups, stream.batch, *stream.alone.values())
    numbers = (*stream.labels, *stream.errors)
    whole = all(len(column) == t for column in columns) and len(set(stream.ids)) == t
    return stream if whole and all(map(math.isfinite, numbers)) else None
