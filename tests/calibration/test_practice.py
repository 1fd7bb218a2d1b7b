"""What unanswered items could do, as values, in words and in the record."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.cases import drawn, essays, labels_of, rows_of

from bacon.calibration.calibrate import calibrate
from bacon.calibration.practice_text import flip_sentence
from bacon.errors import InputError
from bacon.io.labels import read_labels
from bacon.sampling.uniform import UniformDesign


def partly(answered=0.6, n=100, **options):
    """Return a calibration whose draw is answered in part, by chance."""
    pool = essays(300)
    sample = UniformDesign(n=n).draw(pool, seed=3)
    rows = np.array(rows_of(pool, sample.ids.tolist()))
    kept = rows[np.random.default_rng(1).random(n) < answered]
    labels = labels_of(pool, sorted(kept))
    return calibrate(pool, labels, sample=sample, **{"model": "ridge", **options})


@pytest.mark.parametrize("nonresponse", ["rate", "model"])
@pytest.mark.parametrize("name", ["mean", "proportion:ge:4"])
def test_filling_in_the_tipping_point_moves_the_estimate_to_its_end(nonresponse, name):
    cal = partly(scale=(1, 6), nonresponse=nonresponse)
    found = cal.unanswered(name, level=0.9, target="population")
    assert (found.name, found.method) == (name, nonresponse)
    assert found.n_unanswered + cal.n_labels == found.n_drawn == 100
    tip, estimate = found.tipping, cal.estimate(name)
    interval = estimate.interval(0.9, "population")
    assert estimate.value + tip.share * tip.up == pytest.approx(interval.high)
    assert estimate.value + tip.share * tip.down == pytest.approx(interval.low)
    assert tip.share == pytest.approx(found.n_unanswered / 100)
    # What is assumed of all drawn items together is what the estimate says.
    f = estimate.influence_values.terms[0][1]
    rows = cal.response.drawn.rows
    together = (1.0 - tip.share) * tip.answered + tip.share * tip.assumed
    assert together - f[rows].mean() + f.mean() == pytest.approx(estimate.value)


def test_worst_cases_lie_around_the_estimate_and_within_the_scale():
    cal = partly(scale=(1, 6))
    for name, low, high in (("mean", 1.0, 6.0), ("proportion:ge:4", 0.0, 1.0)):
        found = cal.unanswered(name)
        worst, interval = found.bounds, cal.estimate(name).interval()
        assert low <= worst.interval.low < worst.low < worst.high < worst.interval.high <= high
        assert worst.interval.low < interval.low < interval.high < worst.interval.high
        assert worst.high - worst.low == pytest.approx((high - low) * found.tipping.share)


def test_a_mean_without_a_scale_has_no_worst_case():
    cal = partly()
    assert cal.unanswered().bounds is None
    assert cal.unanswered("proportion:ge:4").bounds is not None
    record = cal.to_dict()["unanswered"]
    assert (record["bounds"], record["bounds_reason"]) == (None, "no scale was stated")
    assert "all at" not in cal.summary()


def test_other_estimands_and_full_sheets_have_nothing_to_say():
    cal = partly(scale=(1, 6))
    assert cal.unanswered("sd") is None
    assert cal.unanswered("quantile:0.5") is None
    assert "unanswered" not in cal.to_dict("sd")
    pool = essays(300)
    sample, labels = drawn(pool, 30)
    full = calibrate(pool, labels, sample=sample, model="ridge")
    assert full.unanswered() is None
    assert "unanswered" not in full.to_dict()
    with pytest.raises(InputError, match="estimand 'average' is not known"):
        cal.unanswered("average")
    with pytest.raises(InputError, match="level must lie"):
        cal.unanswered(level=95)
    with pytest.raises(InputError, match="target must be"):
        cal.unanswered(target="all")


def test_shares_of_words():
    pool = essays(300)
    sample = UniformDesign(n=60).draw(pool, seed=3)
    ids = sample.ids.tolist()
    table = {"item_id": ids[10:], "said": [("yes", "no")[k % 3 == 0] for k in range(50)]}
    labels = read_labels(table, value="said")
    cal = calibrate(pool, labels, sample=sample, model="human-only")
    tip = cal.unanswered("proportion:eq:yes").tipping
    other = cal.unanswered("proportion:eq:no").tipping
    assert tip.assumed + other.assumed == pytest.approx(1.0)
    assert tip.up == pytest.approx(-other.down)


def test_the_record():
    cal = partly(scale=(1, 6))
    record = cal.to_dict(level=0.8)["unanswered"]
    found = cal.unanswered(level=0.8)
    tip = found.tipping
    assert record == {
        "n": found.n_unanswered,
        "share": tip.share,
        "method": found.method,
        "p_value": found.p_value,
        "assumed": tip.assumed,
        "answered": tip.answered,
        "sd": tip.sd,
        "tipping": [tip.down, tip.up],
        "bounds": [found.bounds.low, found.bounds.high],
        "bounds_ci": list(found.bounds.interval),
    }


def test_the_summary():
    cal = partly(scale=(1, 6))
    text = cal.summary("mean", "proportion:ge:4")
    n = cal.response.n_unanswered
    assert text.count(f"The {n} unanswered items ({n} % of the weight) are taken to average") == 2
    assert text.count("the estimate would leave its interval if they averaged") == 2
    assert "Were all of them at 1, or all at 6, it would be" in text
    assert "Were all of them at 0, or all at 1, it would be" in text


def test_a_shift_off_the_scale_is_said_to_be():
    # Two of a hundred cannot move the estimate out of its interval.
    cal = partly(answered=0.97, scale=(1, 6))
    assert "which is off the scale," in cal.summary()


def test_verdicts_and_what_would_undo_them():
    cal = partly(scale=(1, 6))
    interval = cal.mean().interval()
    tip = cal.unanswered().tipping
    below = interval.low - 0.1
    said = flip_sentence(cal, "mean", "ge", below, interval)
    shift = -0.1 / tip.share
    assert f"averaged {-shift:.3f} less ({-shift / tip.sd:.1f} SD) than the" in said
    assert flip_sentence(cal, "mean", "le", interval.high + 0.1, interval).count("more") == 1
    assert flip_sentence(cal, "mean", "ge", cal.mean().value, interval) is None
    assert flip_sentence(cal, "sd", "ge", 0.1, cal.sd().interval()) is None
