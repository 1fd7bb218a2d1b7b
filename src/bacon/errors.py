"""Every error BACON raises, in one tree.

::

    BaconError                      exit code 1: the work failed
    ├── InputError                  exit code 2: a file, column, value or argument is wrong
    │   ├── DesignError             the sample, the labels and the pool do not fit together
    │   ├── TooFewLabelsError       the claim needs more labels than there are
    │   └── OutputError             a file cannot be written, or exists already
    └── EstimationError             the numbers do not determine an answer

A message is one sentence that says what was wrong, where (file, row, column, value)
and how to mend it.
"""

from __future__ import annotations

__all__ = [
    "BaconError",
    "DesignError",
    "EstimationError",
    "InputError",
    "OutputError",
    "TooFewLabelsError",
]


class BaconError(Exception):
    """Root of every error BACON raises on purpose."""

    exit_code = 1


class InputError(BaconError):
    """A file, a column, a value or an argument cannot be used."""

    exit_code = 2


class DesignError(InputError):
    """The sample, the labels and the pool do not fit together."""


class TooFewLabelsError(InputError):
    """The claim needs more human labels than were given."""


class OutputError(InputError):
    """A file cannot be written, or it exists and would be overwritten."""


class EstimationError(BaconError):
    """The numbers do not determine an answer (no root, no spread, an overflow)."""
