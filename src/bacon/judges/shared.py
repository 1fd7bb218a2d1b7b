"""What all judges of a run use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.judges.budget import Ledger
    from bacon.judges.client import Client
    from bacon.judges.limits import Patience
    from bacon.judges.store import Store
    from bacon.judges.writer import Writer

__all__ = ["Shared"]


@dataclass(frozen=True, slots=True)
class Shared:
    """What all judges of a run use.

    Parameters
    ----------
    store, client, writer, ledger
        The parts.
    patience : Patience
        How failures are borne.
    tell : callable
        Takes a sentence for the user.
    failed : callable
        Takes an error that ends the whole run.
    wake_all : callable
        Has every judge look again whether a call fits into the budget.
    """

    store: Store
    client: Client
    writer: Writer
    ledger: Ledger
    patience: Patience
    tell: Callable[[str], None]
    failed: Callable[[BaseException], None]
    wake_all: Callable[[], None]
