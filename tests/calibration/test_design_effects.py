"""How much wider claims about more items like them are where systems share what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import bacon

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "key", "effect"),
    [
        ("wmt23_ende_mqm", "seg_id", 7.2),
        ("wmt20_ende_mqm", "seg_id", 4.7),
        ("summeval", "article_id", 2.1),
    ],
)
def test_effects_of_shared_items(shared_data: Path, name: str, key: str, effect: float) -> None:
    table = pl.read_parquet(shared_data / f"{name}.parquet", columns=["human", key])
    y, f = table["human"].to_numpy(), np.zeros(table.height)
    clustered = bacon.aee(y, f, cluster=table[key].to_numpy())
    plain = bacon.aee(y, f)
    assert clustered.se() == plain.se() == 0.0
    ratio = (clustered.se("population") / plain.se("population")) ** 2
    assert ratio == pytest.approx(effect, abs=0.05)
