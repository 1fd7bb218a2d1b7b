"""How hard an endpoint is pressed: calls at once, waits between attempts, when to give up."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from datetime import UTC
from email.utils import parsedate_to_datetime

from bacon.errors import InputError

__all__ = ["AdaptiveLimit", "Breaker", "Patience", "backoff", "retry_after"]

DECREASE = 0.7
"""What is left of the calls at once after the endpoint asked for less."""

YEAR = 365.25 * 86_400
"""A wait beyond this is read as this."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How failures are borne; all times in seconds.

    Parameters
    ----------
    attempts : int
        Requests for a call that fails (5xx, timeouts, dropped connections, broken answers) before
        it is NA.
    throttles : int
        Requests for a call to which the endpoint says "later" (429, or 503 with Retry-After)
        before it is NA.
    first_wait, longest_wait : float
        The wait before attempt k + 1 is drawn evenly between 0 and
        ``min(longest_wait, first_wait * 2**(k - 1))``.
    pause_after : float
        An endpoint that asks for a longer wait than this has its judge paused until then; with a
        shorter one the call alone waits.
    longest_pause : float
        An endpoint that asks for more than this has its judge stopped, its calls left for later.
    breaker_failures : int
        Failed attempts in a row after which a judge rests.
    breaker_wait, breaker_longest : float
        First rest and longest; each is twice the one before, and ends with a single call.
    breaker_probes, first_probes : int
        Rests whose call fails before the judge is stopped, its calls left for later; and where
        no call ever reached it, so that the address is more likely wrong than the endpoint busy.
    refusals : int
        Calls in a row, from the first on, that the endpoint refuses as wrong (http 400, 422) before
        the judge is stopped.
    grace : float
        Wait for calls in flight after Ctrl-C.
    most_bytes : int
        Longest answer that is read.
    seed : int
        For the draws of waits.
    """

    attempts: int = 6
    throttles: int = 30
    first_wait: float = 0.5
    longest_wait: float = 30.0
    pause_after: float = 60.0
    longest_pause: float = 6 * 3600.0
    breaker_failures: int = 20
    breaker_wait: float = 1.0
    breaker_longest: float = 60.0
    breaker_probes: int = 9
    first_probes: int = 4
    refusals: int = 20
    grace: float = 30.0
    most_bytes: int = 8_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        for part in fields(self):
            value = getattr(self, part.name)
            least = 1 if isinstance(part.default, int) and part.name != "seed" else 0
            if not (math.isfinite(value) and value >= least):
                raise InputError(f"{part.name} must be {least} or more, and finite; got {value!r}.")


class AdaptiveLimit:
    """How many calls may be in flight: one more a round while all is well, fewer when asked.

    Parameters
    ----------
    most : int
        Never more than this; where it starts.

    Notes
    -----
    Additive increase and multiplicative decrease: a call that went well adds 1/limit, a call that
    was turned away or timed out leaves 0.7 of the limit. Calls sent before the last decrease say
    nothing about it and change nothing. Never below 1.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.value = float(most)
        self._decreased = -math.inf

    def went_well(self) -> None:
        """Note a call that was answered."""
        if self.value < self.most:
            self.value = min(float(self.most), self.value + 1.0 / self.value)

    def turned_away(self, sent: float, now: float) -> None:
        """Note a call, sent at a time, that was turned away or timed out."""
        if sent >= self._decreased:
            self.value = max(1.0, self.value * DECREASE)
            self._decreased = now


class Breaker:
    """Lets a judge rest after many failures in a row, then tries with one call at a time.

    Parameters
    ----------
    patience : Patience
        Its numbers.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._in_a_row = 0
        self._until = 0.0
        self._ever_reached = False
        self.rests = 0
        """Rests since the last call that went well; 0 while the judge works as usual."""

    @property
    def resting(self) -> bool:
        """Whether calls go out one at a time at most."""
        return self.rests > 0

    @property
    def gives_up(self) -> bool:
        """Whether the last call of the last rest has failed."""
        probes = self._patience.breaker_probes
        if not self._ever_reached:
            probes = min(probes, self._patience.first_probes)
        return self.rests > probes

    def wait(self, now: float) -> float:
        """Return for how long no call may go out."""
        return max(0.0, self._until - now) if self.rests else 0.0

    def went_well(self) -> None:
        """Note an answer of the endpoint."""
        self._in_a_row = self.rests = 0
        self._ever_reached = True

    def failed(self, now: float, *, probe: bool, reached: bool = True) -> None:
        """Note a failed attempt.

        `probe`: it was the single call after a rest; `reached`: the endpoint was there.
        """
        self._ever_reached = self._ever_reached or reached
        self._in_a_row += 1
        if probe or (not self.rests and self._in_a_row >= self._patience.breaker_failures):
            longest = self._patience.breaker_longest
            self._until = now + min(longest, self._patience.breaker_wait * 2.0**self.rests)
            self.rests += 1


def backoff(share: float, attempt: int, patience: Patience) -> float:
    """Return the wait after an attempt: a share, from 0 to 1, of a time that doubles.

    Examples
    --------
    >>> backoff(0.5, 3, Patience(first_wait=1.0))
    2.0
    """
    return share * min(patience.longest_wait, patience.first_wait * 2.0 ** min(attempt - 1, 60))


def retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for; None where it says nothing.

    Parameters
    ----------
    value : str or None
        Seconds, or a date as HTTP writes it.
    now : float
        The time, in seconds since 1970.

    Examples
    --------
    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 15.0)
    (120.0, 45.0)
    >>> retry_after("soon", 0.0) is None
    True
    """
    if value is None or len(value) > 100:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value) - now
    if math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), YEAR)


def _until(value: str) -> float:
    """Return the time of an HTTP date; NaN where it is none."""
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return math.nan
