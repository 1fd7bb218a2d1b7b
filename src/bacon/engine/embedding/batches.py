"""Texts that an endpoint is asked about together, and what came of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from bacon.judges.budget import CHARACTERS

__all__ = ["Batch", "Told", "plain_tokens"]


@dataclass(slots=True)
class Batch:
    """Texts of one request.

    Parameters
    ----------
    keys : list of bytes
        What their vectors are known by.
    texts : list of str
        The texts.
    left : int
        Requests after which it is divided, or given up.
    attempts, throttles : int
        Requests that failed, and those to which the endpoint said "later".
    """

    keys: list[bytes]
    texts: list[str]
    left: int = 0
    attempts: int = 0
    throttles: int = 0

    def halves(self, left: int) -> list[Batch]:
        """Return two batches of half the texts."""
        middle = len(self.texts) // 2
        return [
            Batch(self.keys[:middle], self.texts[:middle], left),
            Batch(self.keys[middle:], self.texts[middle:], left),
        ]


@dataclass(slots=True)
class Told:
    """What a run of requests came to.

    Parameters
    ----------
    requests, texts, tokens : int
        Requests that were answered, texts in them, tokens as counted or guessed.
    failed : dict of bytes to str
        Key of a text to the reason why it has no vector.
    """

    requests: int = 0
    texts: int = 0
    tokens: int = 0
    failed: dict[bytes, str] = field(default_factory=dict)


def plain_tokens(batch: Batch) -> float:
    """Return the tokens of a batch by its characters alone, rather too many than too few."""
    return sum(len(text) / CHARACTERS + 1.0 for text in batch.texts)
