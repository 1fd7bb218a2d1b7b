"""The evidence of a shift: by hand, against a plain second implementation, and simulated."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bacon.monitor.evidence import (
    EVERY,
    FIRST,
    LEAST,
    LONGEST,
    RATE_WEIGHTS,
    RATES,
    Expected,
    bound,
    labels_to_find,
    running_sd,
    shift_of,
)

USUAL = Expected(mean=0.1, sd=1.0, se=1 / math.sqrt(200), n=200, margin=0.3414, alpha=0.05)


def plain_evidence(errors, expected):
    """Largest log evidence less the bound at each label, straight from the module's formulas."""
    apart = 2 * expected.margin / expected.sd
    other = sum(
        w * math.exp(-rate * 30 * apart)
        for rate, w in zip((0.1, 0.25, 0.4), (0.1, 0.8, 0.1), strict=True)
    )
    limit = math.log((1 + other) / expected.alpha)
    found = []
    for t in range(1, len(errors) + 1):
        seen = errors[:t]
        own = np.var(seen, ddof=1) if t > 1 else 0.0
        both = (expected.n - 1) * expected.sd**2 + np.var(seen) * t
        s = math.sqrt(max(own, both / (expected.n + t - 1)))
        sides = [0.0, 0.0]
        for k, start in enumerate(range(0, t - 29, 50)):
            n = t - start
            if k > 0 and n > 2500:
                continue
            share = 0.9 if k == 0 else 0.1 / (k * (k + 1))
            for side, sign in enumerate((1, -1)):
                total = sum(sign * (e - expected.mean) - expected.margin for e in seen[start:]) / s
                sides[side] += share * sum(
                    w * math.exp(rate * total - rate**2 * n / 2)
                    for rate, w in zip((0.1, 0.25, 0.4), (0.1, 0.8, 0.1), strict=True)
                )
        found.append([math.log(side) - limit if side else -math.inf for side in sides])
    return np.array(found)


@pytest.mark.parametrize("move", [0.0, 0.5, -0.6])
def test_a_plain_second_implementation_agrees(move):
    errors = np.random.default_rng(3).normal(0.1 + move, 1.3, 180)
    plain = plain_evidence(errors, USUAL)
    found = shift_of(errors, USUAL)
    assert found.evidence == pytest.approx(plain.max(), rel=1e-9)
    passed = np.flatnonzero((plain >= 0).any(axis=1))
    assert found.alarm_at == (passed[0] + 1 if len(passed) else None)
    until = plain if found.alarm_at is None else plain[: found.alarm_at]
    assert found.rises == (until[:, 0].max() >= until[:, 1].max())


def test_thirty_equal_errors_by_hand():
    # With a calibration of very many labels the SD stays at 1: S = 30 (1.3414 - 0.1 - 0.3414).
    known = replace(USUAL, n=10**12)
    found = shift_of(np.full(30, 1.3414), known)
    s = 30 * 0.9
    value = 0.9 * (
        0.1 * math.exp(0.1 * s - 0.15)
        + 0.8 * math.exp(0.25 * s - 0.9375)
        + 0.1 * math.exp(0.4 * s - 2.4)
    )
    limit = 1 + sum(
        w * math.exp(-r * 30 * 0.6828) for r, w in ((0.1, 0.1), (0.25, 0.8), (0.4, 0.1))
    )
    assert found.evidence == pytest.approx(math.log(value * 0.05 / limit), abs=1e-8)
    assert found.alarm_at == 30
    assert found.rises
    assert found.value == pytest.approx(1.2414)
    assert shift_of(np.full(29, 1.3414), known).alarm_at is None


def test_both_sides_share_alpha():
    assert bound(replace(USUAL, margin=0.0)) == pytest.approx(math.log(2 / 0.05))
    assert bound(replace(USUAL, margin=100.0)) == pytest.approx(math.log(1 / 0.05))


def test_constants_of_the_second_implementation_are_ours():
    assert (LEAST, EVERY, FIRST, LONGEST) == (30, 50, 0.9, 2500)
    assert RATES.tolist() == [0.1, 0.25, 0.4]
    assert RATE_WEIGHTS.tolist() == [0.1, 0.8, 0.1]


def test_the_sd_of_a_calm_stream_is_held_up_by_the_calibration():
    calm = np.full(100, 0.1)
    assert running_sd(calm, USUAL)[-1] == pytest.approx(math.sqrt(199 / 299))
    wild = np.tile([3.1, -2.9], 50)
    assert running_sd(wild, USUAL)[-1] == pytest.approx(np.std(wild, ddof=1))


def test_a_calibration_without_errors_alarms_at_the_least_real_shift():
    exact = Expected(mean=0.0, sd=0.0, se=0.0, n=50, margin=0.0, alpha=0.05)
    assert shift_of(np.zeros(200), exact).alarm_at is None
    assert shift_of(np.full(40, 0.5), exact).alarm_at == 30
    assert labels_to_find(exact, 0.1, 0.9) == LEAST
    assert labels_to_find(exact, 0.0, 0.9) is None


def test_no_labels_and_few_labels():
    none = shift_of(np.zeros(0), USUAL)
    assert none.n == 0
    assert math.isnan(none.value)
    few = shift_of(np.ones(29) * 9, USUAL)
    assert few.alarm_at is None
    assert math.isnan(few.interval[0])


def test_an_alarm_stays():
    rng = np.random.default_rng(1)
    errors = np.concatenate([rng.normal(1.2, 1, 60), rng.normal(0.1, 1, 2000)])
    assert shift_of(errors, USUAL).alarm_at == shift_of(errors[:60], USUAL).alarm_at is not None


def test_huge_shifts_do_not_overflow():
    found = shift_of(np.random.default_rng(0).normal(1e9, 1, 3000), USUAL)
    assert found.alarm_at == 30
    assert math.isfinite(found.evidence)


def test_a_late_change_is_found_by_a_later_start():
    rng = np.random.default_rng(5)
    quiet = rng.normal(0.1, 1, 600)
    found = shift_of(np.concatenate([quiet, rng.normal(1.0, 1, 300)]), USUAL)
    assert 600 < found.alarm_at < 800


def test_false_alarms_at_the_margin_and_detection():
    rng = np.random.default_rng(11)
    edge = [
        shift_of(rng.normal(0.1 + 0.3414, 1, 400), USUAL).alarm_at is not None for _ in range(300)
    ]
    # At the end of the margin alarms come in at most 5 % of streams: 0.084 is its 99 % bound.
    assert np.mean(edge) <= 0.084
    found = [shift_of(rng.normal(0.8, 1, 150), USUAL).alarm_at is not None for _ in range(300)]
    assert np.mean(found) >= 0.9


def test_planned_labels_find_the_shift():
    rng = np.random.default_rng(12)
    n = labels_to_find(USUAL, 0.7, 0.9)
    hits = []
    for _ in range(400):
        known = replace(USUAL, mean=rng.normal(0, USUAL.se))
        hits.append(shift_of(rng.normal(0.7, 1, n), known).alarm_at is not None)
    assert 0.86 <= np.mean(hits) <= 0.97
    assert labels_to_find(USUAL, 0.35, 0.9) is None
