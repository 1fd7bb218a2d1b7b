"""The stages of an adaptive draw as plain values, and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.checks import LEAST_PROBABILITY
from bacon.data.record_fields import damaged, full_list, is_finite, object_with, whole
from bacon.data.stages import Stages

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = [
    "ITEM_KEYS",
    "STAGED",
    "expected_chances",
    "item_stages",
    "stages_from_record",
    "stages_record",
]

STAGED = ("two-stage", "batches")
"""Kinds of draw with stages."""

ITEM_KEYS = ("stage", "chance", "fold")
"""What the record of each drawn item has beside its id and pi."""

TOLERANCE = 1e-9


def stages_record(stages: Stages) -> dict[str, Any]:
    """Return what the design file says of all items together."""
    everyone = None if stages.everyone is None else stages.everyone.tolist()
    return {"shares": list(stages.shares), "everyone": everyone}


def item_stages(stages: Stages) -> list[dict[str, Any]]:
    """Return what the design file says of each drawn item."""
    columns = (stages.stage.tolist(), stages.chance.tolist(), stages.fold.tolist())
    return [dict(zip(ITEM_KEYS, one, strict=True)) for one in zip(*columns, strict=True)]


def stages_from_record(
    source: str, record: dict[str, Any], items: list[dict[str, Any]], n_items: int
) -> Stages | None:
    """Return the stages of a parsed design file, None for a draw at once; nothing is trusted.

    Raises
    ------
    DesignError
        A field is missing, of the wrong kind, or does not fit the others.
    """
    kind = record["kind"]
    if kind not in STAGED:
        return None
    fields = object_with(source, "stages", record["stages"], ("shares", "everyone"))
    shares = _shares(source, fields["shares"], kind)
    everyone = _everyone(source, fields["everyone"], kind, n_items)
    for number, item in enumerate(items, start=1):
        whole(source, f"stage of item {number}", item["stage"], 0, len(shares))
        whole(source, f"fold of item {number}", item["fold"], -1, n_items)
        _probability(source, f"chance of item {number}", item["chance"])
    stages = Stages(
        stage=np.array([item["stage"] for item in items], dtype=np.int64),
        chance=np.array([float(item["chance"]) for item in items]),
        fold=np.array([item["fold"] for item in items], dtype=np.int64),
        shares=shares,
        everyone=everyone,
    )
    if len(np.unique(stages.stage)) != stages.n_stages or np.any(np.diff(stages.stage) < 0):
        raise damaged(source, "stage of the items", "0, 1, ... in the order drawn", "others")
    return stages


def _probability(source: str, field: str, value: object) -> float:
    """Return a chance, refusing what is none."""
    if is_finite(value) and isinstance(value, int | float) and LEAST_PROBABILITY <= value <= 1.0:
        return float(value)
    raise damaged(source, field, f"at least {LEAST_PROBABILITY:g} and at most 1", value)


def _shares(source: str, value: object, kind: str) -> tuple[float, ...]:
    shares = full_list(source, "stages.shares", value)
    found = tuple(_probability(source, "stages.shares", one) for one in shares)
    fits = (len(found) == 1) == (kind == "two-stage")
    if not fits or not math.isclose(sum(found), 1.0, rel_tol=TOLERANCE):
        rule = f"shares of the batches of a {kind} draw, with sum 1"
        raise damaged(source, "stages.shares", rule, value)
    return found


def _everyone(source: str, value: object, kind: str, n_items: int) -> FloatArray | None:
    if (value is not None) != (kind == "two-stage"):
        raise damaged(source, "stages.everyone", "there for two stages alone", value)
    if value is None:
        return None
    chances = full_list(source, "stages.everyone", value)
    if len(chances) != n_items:
        rule = f"{n_items} chances, one an item of the pool"
        raise damaged(source, "stages.everyone", rule, len(chances))
    return np.array([_probability(source, "stages.everyone", one) for one in chances])


def expected_chances(stages: Stages, pi: FloatArray) -> FloatArray:
    """Return what the chances `pi` (m,) of drawn items should be, as far as the stages say.

    Of two stages p + (1 - p) sigma, at least p in the pilot, whose weights take another hardness
    each; of more stages `pi` itself, which is worked out anew wherever it is used.
    """
    if stages.everyone is None:
        return pi
    p = float(stages.chance[0])
    pilot = stages.stage == 0
    joint = p + (1.0 - p) * stages.chance
    return np.where(pilot, np.where(stages.chance == p, np.maximum(pi, p), np.nan), joint)
