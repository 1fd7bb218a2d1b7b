"""Budgets: what is set aside, what is spent, and the dry run."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judges.run_cases import items_of, judge
from tests.judges.store_cases import made

from bacon.errors import InputError
from bacon.judges.budget import Amount, Budget, Guess, Ledger
from bacon.judges.estimate import dry_run
from bacon.judges.records import Call, Item
from bacon.judges.spec import call_of
from bacon.judges.store import Store
from bacon.judges.store_tallies import Spent

URL = "http://127.0.0.1:9/v1"


def test_what_is_in_flight_counts_until_it_is_stored():
    ledger = Ledger(Budget(calls=3, money=1.0), Spent(calls=1, money=0.5))
    call = Amount(1, 100.0, 0.2)
    assert ledger.full(call) is None
    ledger.reserve(call)
    assert ledger.full(call) is None
    ledger.reserve(call)
    assert ledger.full(Amount(1, 0.0, 0.0)) == "calls"
    assert not ledger.idle
    ledger.release(call)
    ledger.refresh(Spent(calls=2, money=0.6))
    assert ledger.full(Amount(0, 0.0, 0.21)) == "money"
    assert ledger.full(Amount(0, 0.0, 0.2)) is None


def test_calls_that_nobody_counted_stay_spent():
    ledger = Ledger(Budget(tokens=100), Spent())
    ledger.keep(Amount(1, 60.0, 0.0))
    assert ledger.full(Amount(1, 50.0, 0.0)) == "tokens"
    assert ledger.full(Amount(1, 40.0, 0.0)) is None


@given(st.lists(st.floats(0.0, 0.3), max_size=40), st.floats(0.0, 3.0))
def test_a_budget_is_never_exceeded_by_what_fits(costs, most):
    ledger = Ledger(Budget(money=most), Spent())
    spent = 0.0
    for cost in costs:
        if ledger.full(Amount(1, 0.0, cost)) is None:
            ledger.reserve(Amount(1, 0.0, cost))
            spent += cost
    assert spent <= most * (1 + 1e-9)


def test_no_budget_has_room_for_anything():
    ledger = Ledger(Budget(), Spent(calls=10**9, tokens=10**12, money=1e9))
    assert not ledger.limited
    assert ledger.full(Amount(1, 1e9, 1e9)) is None


@pytest.mark.parametrize("setting", [{"calls": -1}, {"money": math.nan}, {"tokens": math.inf}])
def test_budget_refuses(setting):
    with pytest.raises(InputError, match="must be 0 or more"):
        Budget(**setting)


def test_guess_learns_what_the_endpoint_counts():
    guess = Guess(judge(URL))
    plain = guess.plain(Call("k", "judge_a", "1", 1, b"x" * 284), Item("1", {}))
    assert plain == pytest.approx(284 / 3 + 16)
    assert guess.amount(plain).tokens == math.ceil(plain) + 1
    guess.learn(plain, round(plain / 2))
    guess.learn(plain, None)
    assert guess.amount(plain).tokens == pytest.approx(1.1 * plain / 2 + 1, abs=1.5)
    # What once was more is kept in mind.
    guess.learn(plain, 1)
    assert guess.amount(plain).tokens > 0.5 * plain


def test_images_are_not_counted_by_their_characters():
    item = Item("1", {}, ("data:image/png;base64," + "A" * 900_000,))
    call = Call("k", "judge_a", "1", 1, b"x" * (900_022 + 300))
    assert Guess(judge(URL)).plain(call, item) == 100 + 1_500 + 16


def test_dry_run_counts_calls_tokens_and_money(tmp_path):
    specs = [judge(URL, runs=2), judge(URL, "judge_b", price_in=None)]
    items = items_of(10)
    first, second = dry_run(specs, items)
    assert (first.calls, first.before, first.tokens_out) == (20, 0, 20)
    characters = sum(len(call_of(specs[0], item, 1).body) for item in items)
    assert first.tokens_in == pytest.approx(2 * (characters / 4 + 16 * 10), abs=2)
    assert first.money == pytest.approx((first.tokens_in + 2 * 20) / 1e6)
    assert (second.calls, second.money) == (10, None)
    with Store.open(tmp_path / "s.db") as store:
        call = call_of(specs[0], items[3], 2)
        store.add([made(key=call.key, item="i3", run=2)])
        first, _ = dry_run(specs, items, store)
    assert (first.calls, first.before) == (19, 1)
    assert str(first).startswith("judge_a: 19 calls, 1 answered before, about ")
