"""Whether a judge's model or prompt is another one than at the calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["version_notices"]


def version_notices(
    old: Mapping[str, Mapping[str, Sequence[str]]], new: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[Notice, ...]:
    """Tell which judges have another model, prompt or version, and of which it is not known.

    Parameters
    ----------
    old, new : mapping
        For each judge the values by kind (model, prompt, version), at the calibration and now.
    """
    notices = []
    for judge in sorted(old.keys() & new.keys()):
        for kind in sorted(old[judge].keys() & new[judge].keys()):
            before, now = old[judge][kind], new[judge][kind]
            if set(before) != set(now):
                message = (
                    f"{judge} has another {kind}: {listed(now)}, and {listed(before)} when it was "
                    "calibrated. Score the items with the old one, or label a new sample and "
                    "calibrate again."
                )
                notices.append(Notice("judge_version_changed", message))
    unknown = [
        judge
        for judge in sorted(old.keys() & new.keys())
        if not old[judge].keys() & new[judge].keys()
    ]
    if unknown:
        message = (
            f"Whether model or prompt are still the same is not known of {listed(unknown)}: no "
            "column <judge>__model, __prompt or __version stands in both pools."
        )
        notices.append(Notice("judge_version_unknown", message))
    return tuple(notices)
