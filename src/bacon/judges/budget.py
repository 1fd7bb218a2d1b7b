"""Budgets in calls, tokens and money that calls in flight cannot exceed, over all runs together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.judges.records import Call, Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store_tallies import Spent

__all__ = ["Amount", "Budget", "Guess", "Ledger"]

CHARACTERS = 3.0
"""Characters of a token, fewer than in most texts: better to guess too much than too little."""

IMAGE_TOKENS = 1_500
"""Tokens that an image is taken for."""

MESSAGE_TOKENS = 16
"""Tokens that an endpoint puts around messages."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that all judges together may spend, earlier runs on the same store included.

    Parameters
    ----------
    calls : int, optional
        Calls that are answered or given up.
    tokens : int, optional
        Tokens read and written.
    money : float, optional
        In the money of the judges' prices. A judge without prices is not held by it.

    Raises
    ------
    InputError
        A budget that is negative or no number.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be a budget."""
        for name in ("calls", "tokens", "money"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InputError(f"the budget of {name} must be 0 or more; got {value!r}.")


@dataclass(slots=True)
class Amount:
    """Calls, tokens and money."""

    calls: int = 0
    tokens: float = 0.0
    money: float = 0.0

    def add(self, other: Amount, sign: int = 1) -> None:
        """Add another amount, or take it away with sign -1."""
        self.calls += sign * other.calls
        self.tokens += sign * other.tokens
        self.money += sign * other.money


class Guess:
    """Tokens of calls before they are made: by characters, mended by what the endpoint counted.

    Parameters
    ----------
    spec : JudgeSpec
        The judge.

    Notes
    -----
    The guess is meant to lie above the truth: three characters a token until the endpoint has
    counted, then the largest share of its count in that guess seen so far, 10 % added; and as
    many tokens of answer as are allowed.
    """

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec
        asked = spec.parameters.get("max_tokens", spec.parameters.get("max_completion_tokens"))
        self.most_out = asked if isinstance(asked, int) and asked > 0 else spec.prompt.max_tokens
        self._share: float | None = None

    def plain(self, call: Call, item: Item, characters_a_token: float = CHARACTERS) -> float:
        """Return the tokens of a request by its characters alone."""
        characters = len(call.body) - sum(map(len, item.images))
        images = IMAGE_TOKENS * len(item.images)
        return max(characters, 0) / characters_a_token + images + MESSAGE_TOKENS

    def amount(self, plain: float) -> Amount:
        """Return what to set aside for a call."""
        tokens_in = math.ceil(plain * (1.0 if self._share is None else 1.1 * self._share))
        money = self._spec.cost(tokens_in, self.most_out)
        return Amount(1, tokens_in + self.most_out, money or 0.0)

    def learn(self, plain: float, counted: int | None) -> None:
        """Take in what the endpoint counted for a request."""
        if counted is not None and plain > 0:
            self._share = max(self._share or 0.0, counted / plain)


class Ledger:
    """What is spent, and what is set aside for calls in flight.

    Parameters
    ----------
    budget : Budget
        The most.
    spent : Spent
        What the store says was spent already.
    """

    def __init__(self, budget: Budget, spent: Spent) -> None:
        self.budget = budget
        self._reserved = Amount()
        # Answers without a count of tokens stand in no store, and cost all the same.
        self._uncounted = Amount()
        self.refresh(spent)

    def refresh(self, spent: Spent) -> None:
        """Take over what the store says is spent, by this process and any other."""
        self.spent = Amount(spent.calls, spent.tokens, spent.money)

    @property
    def limited(self) -> bool:
        """Whether there is any budget."""
        return self.budget != Budget()

    @property
    def idle(self) -> bool:
        """Whether nothing is set aside: what does not fit now never will."""
        return self._reserved.calls == 0

    def full(self, amount: Amount) -> str | None:
        """Return the budget that a call would exceed; None where it fits."""
        for name in ("calls", "tokens", "money"):
            most = getattr(self.budget, name)
            if most is None:
                continue
            taken = sum(getattr(a, name) for a in (self.spent, self._uncounted, self._reserved))
            if taken + getattr(amount, name) > most * (1 + 1e-12):
                return name
        return None

    def reserve(self, amount: Amount) -> None:
        """Set an amount aside for a call that goes out."""
        self._reserved.add(amount)

    def release(self, amount: Amount) -> None:
        """Give back what was set aside for a call that ended; the store holds what it cost."""
        self._reserved.add(amount, -1)

    def keep(self, amount: Amount) -> None:
        """Count an amount, set aside for a call whose tokens nobody counted, as spent."""
        self._uncounted.add(Amount(0, amount.tokens, amount.money))

    def exceeded(self) -> list[str]:
        """Return the budgets that true costs went beyond, because a guess was too low."""
        return [
            name
            for name in ("calls", "tokens", "money")
            if getattr(self.budget, name) is not None
            and getattr(self.spent, name) > getattr(self.budget, name) * (1 + 1e-12)
        ]
