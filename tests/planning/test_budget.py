"""Splits of money against hand arithmetic, and judges against what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.planning.cases import N, people, pilot, pool

import bacon
from bacon.calibration.raters import RowRatings
from bacon.planning.budget import rater_noise
from bacon.planning.judges import choose_judges


def test_an_assumption_by_hand():
    plan = bacon.plan(r2=0.5, sd=1.0, n_items=1000)
    found = plan.for_budget(500.0, label_cost=2.0, judge_costs={"judges": 0.1})
    judged, alone = found.options
    # 100 for 1,000 scores, and 200 labels for the rest; or 250 labels.
    assert (judged.labels, judged.judge_money, judged.label_money) == (200, 100.0, 400.0)
    assert (alone.labels, alone.judges) == (250, ())
    assert found.best == judged
    assert judged.width == pytest.approx(plan.width(200))
    assert alone.width == pytest.approx(plan.width(250, labels_alone=True))


def test_dear_judges_are_left_out():
    plan = bacon.plan(r2=0.5, sd=1.0, n_items=1000)
    found = plan.for_budget(500.0, label_cost=2.0, judge_costs={"judges": 0.45})
    assert found.best.judges == ()
    gone = plan.for_budget(500.0, label_cost=2.0, judge_costs={"judges": 0.6})
    assert all(option.judges == () for option in gone.options)


@pytest.mark.parametrize(
    ("rater_cost", "rater_sd"), [(0.1, 1.5), (0.05, 1.5), (1.0, 1.5), (0.25, 0.9), (0.02, 0.9)]
)
def test_raters_follow_the_textbook_rule(rater_cost, rater_sd):
    # In a large pool the variance for a sum of money goes with cost times spread, least at
    # sqrt(c_item / c_rater) sigma / S_item raters: Cochran (1977), section 10.6.
    plan = bacon.plan(r2=0.0, sd=2.0, n_items=10**6)
    found = plan.for_budget(
        4000.0, label_cost=1.0, rater_cost=rater_cost, rater_sd=rater_sd, most_raters=9
    )
    raters = np.arange(1, 10)
    item = 4.0 - rater_sd**2
    product = (1.0 + (raters - 1) * rater_cost) * (item + rater_sd**2 / raters)
    best = next(option for option in found.options if not option.judges).raters
    assert best == raters[np.argmin(product)]
    rule = np.sqrt((1.0 - rater_cost) / rater_cost * rater_sd**2 / item)
    assert abs(best - min(max(rule, 1.0), 9.0)) <= 1.0


def test_the_noise_of_raters_is_pooled_within_items():
    item = np.array([0, 0, 1, 1, 1, 2])
    ratings = RowRatings(
        item,
        np.array([0, 1, 0, 1, 2, 0]),
        np.array([1.0, 3.0, 2.0, 2.0, 5.0, 4.0]),
        ("a", "b", "c"),
    )
    noise = rater_noise(ratings)
    # Squares 2 and 6 about the means 2 and 3, over 1 + 2 degrees of freedom.
    assert noise.variance == pytest.approx(8.0 / 3.0)
    assert noise.inverse == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    single = RowRatings(np.arange(3), np.zeros(3, int), np.ones(3), ("a",))
    assert rater_noise(single) is None


def test_ratings_in_the_pilot_say_what_a_second_rater_is_worth():
    items, (_, y) = pool(), people()
    rng = np.random.default_rng(3)
    ids = np.arange(0, N, 10)
    rows = [(int(i), f"rater{k}", y[i] + rng.normal()) for i in ids for k in range(2)]
    labels = bacon.read_labels(
        {
            "item_id": [row[0] for row in rows],
            "rater": [row[1] for row in rows],
            "human": [row[2] for row in rows],
        },
        value="human",
        rater="rater",
    )
    cal = bacon.calibrate(items, labels, model="ridge")
    found = bacon.plan(cal).for_budget(300.0, label_cost=1.0)
    assert found.raters_known
    assert {option.raters for option in found.options} == {1, 2, 3}
    two = next(o for o in found.options if o.raters == 2 and o.judges)
    # The pilot's own labels are of two raters each.
    side = bacon.plan(cal).with_judges
    assert side.width(two.labels, 0.95, "pool") == pytest.approx(bacon.plan(cal).width(two.labels))


def test_the_good_judge_is_chosen_first():
    choices = choose_judges(pilot(90), pilot(90).aligned.y)
    full = [one for one in choices if one.runs == 2]
    assert choices[0].judges == ()
    assert full[0].judges == ("judge_good",)
    # The other is noise: it adds nothing, and all together are the measure.
    assert full[-1].judges == ("judge_good", "judge_noise")
    assert full[-1].share == 1.0
    assert full[0].share < 1.05
    nobody = choices[0].share
    assert nobody > 1.5
    one_run = next(one for one in choices if one.runs == 1 and one.judges == ("judge_good",))
    assert full[0].share < one_run.share < nobody


def test_a_priced_judge_that_is_noise_is_left_out():
    found = bacon.plan(pilot(90)).for_budget(
        300.0, label_cost=1.0, judge_costs={"judge_good": 0.02, "judge_noise": 0.1}
    )
    assert found.best.judges == ("judge_good",)
    assert "scored by judge_good" in found.summary()
    assert not found.notices or found.notices[0].code == "raters_unknown"
    assert found.to_dict()["best"]["judges"] == ["judge_good"]


def test_judges_without_a_price_are_told():
    found = bacon.plan(pilot(90)).for_budget(300.0, label_cost=1.0)
    assert [one.code for one in found.notices] == ["judges_free", "raters_unknown"]


def test_labels_for_nothing_are_all_taken():
    plan = bacon.plan(r2=0.5, sd=1.0, n_items=100)
    found = plan.for_budget(10.0, label_cost=0.0)
    assert found.best.labels == 100
    assert found.best.width == 0.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"money": 0.0, "label_cost": 1.0}, "money must be"),
        ({"money": 1.0, "label_cost": 1.0}, "too little: two labels cost 2"),
        ({"money": 9.0, "label_cost": -1.0}, "price from 0 up"),
        ({"money": 9.0, "label_cost": 1.0, "rater_cost": -0.1}, "price from 0 up"),
        ({"money": 9.0, "label_cost": 1.0, "judge_costs": {"judge_good": -1.0}}, "judge_good"),
        ({"money": 9.0, "label_cost": 1.0, "judge_costs": {"nobody": 1.0}}, "no judge is called"),
        ({"money": 9.0, "label_cost": 1.0, "rater_sd": 0.0}, "rater_sd must be"),
        ({"money": 9.0, "label_cost": 1.0, "most_raters": 0}, "most_raters"),
    ],
)
def test_refusals(given, words):
    with pytest.raises(bacon.BaconError, match=words):
        bacon.plan(pilot(90)).for_budget(**given)
