"""What a user has to be told beside a result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """Something done or noticed that a reader of the result must know.

    Parameters
    ----------
    code : str
        Stable name for programs, such as ``"judge_scores_missing"``.
    message : str
        One plain sentence for people.
    """

    code: str
    message: str

    def __str__(self) -> str:
        return self.message
