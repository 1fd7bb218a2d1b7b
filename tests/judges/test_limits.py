"""How hard an endpoint is pressed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.judges.limits import YEAR, AdaptiveLimit, Breaker, Patience, backoff, retry_after


def test_limit_falls_once_a_round_and_grows_one_a_round():
    limit = AdaptiveLimit(100)
    limit.turned_away(sent=0.0, now=1.0)
    assert limit.value == pytest.approx(70.0)
    # The rest of the burst was sent before the decrease.
    for _ in range(99):
        limit.turned_away(sent=0.5, now=1.1)
    assert limit.value == pytest.approx(70.0)
    for _ in range(70):
        limit.went_well()
    assert limit.value == pytest.approx(71.0, abs=0.02)
    limit.turned_away(sent=1.0, now=2.0)
    assert limit.value == pytest.approx(0.7 * 71.0, abs=0.02)


@given(st.lists(st.booleans(), max_size=300), st.integers(1, 50))
def test_limit_stays_between_one_and_the_most(events, most):
    limit = AdaptiveLimit(most)
    for now, well in enumerate(events):
        limit.went_well() if well else limit.turned_away(float(now), float(now))
        assert 1.0 <= limit.value <= most


def test_breaker_rests_tries_once_and_gives_up():
    breaker = Breaker(Patience(breaker_failures=3, breaker_wait=1.0, breaker_probes=2))
    for _ in range(2):
        breaker.failed(0.0, probe=False)
    assert not breaker.resting
    breaker.failed(0.0, probe=False)
    assert breaker.resting
    assert breaker.wait(0.25) == 0.75
    # Calls that went out before the rest do not make it longer.
    breaker.failed(0.5, probe=False)
    assert breaker.wait(1.0) == 0.0
    breaker.failed(1.0, probe=True)
    assert breaker.wait(1.0) == 2.0
    assert not breaker.gives_up
    breaker.failed(3.0, probe=True)
    assert breaker.gives_up


def test_breaker_gives_up_sooner_where_nothing_was_ever_reached():
    patience = Patience(breaker_failures=1, breaker_wait=1.0, breaker_probes=5, first_probes=2)

    def rests(*, reached_first):
        breaker = Breaker(patience)
        breaker.failed(0.0, probe=False, reached=reached_first)
        for count in range(1, 10):
            if breaker.gives_up:
                return count
            breaker.failed(100.0 * count, probe=True, reached=False)
        return None

    assert (rests(reached_first=False), rests(reached_first=True)) == (3, 6)


def test_breaker_forgets_after_an_answer():
    breaker = Breaker(Patience(breaker_failures=1, breaker_wait=1.0, breaker_probes=1))
    breaker.failed(0.0, probe=False)
    breaker.went_well()
    assert not breaker.resting
    breaker.failed(9.0, probe=False)
    assert breaker.wait(9.0) == 1.0


def test_backoff_doubles_up_to_the_longest():
    patience = Patience(first_wait=1.0, longest_wait=5.0)
    assert [backoff(1.0, attempt, patience) for attempt in (1, 2, 3, 4, 2000)] == [1, 2, 4, 5, 5]
    assert backoff(0.0, 5, patience) == 0.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("86400", 86400.0),
        ("1e300", YEAR),
        ("inf", YEAR),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60.0),
        ("Wed, 21 Oct 2015 07:26:00 GMT", 0.0),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", 60.0),
    ],
)
def test_retry_after(value, seconds):
    now = 1445412420.0  # 2015-10-21 07:27:00
    assert retry_after(value, now) == seconds


@pytest.mark.parametrize("value", [None, "", "soon", "nan", "1" * 200, "Wed, 99 Foo 2015", "\x00"])
def test_retry_after_that_says_nothing(value):
    assert retry_after(value, 0.0) is None


@given(st.text(max_size=60))
def test_retry_after_takes_any_text(value):
    seconds = retry_after(value, 1.7e9)
    assert seconds is None or (math.isfinite(seconds) and 0.0 <= seconds <= YEAR)


@pytest.mark.parametrize("setting", [{"attempts": 0}, {"first_wait": -1.0}, {"grace": math.inf}])
def test_patience_refuses(setting):
    with pytest.raises(InputError, match=r"must be [01] or more"):
        Patience(**setting)
