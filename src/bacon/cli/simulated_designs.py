"""Designs of `bacon simulate`, from its options."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bacon.cli.extending import two_stage_design
from bacon.cli.sample import chosen_design, design_of
from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.experiments.adaptive import AdaptiveDraw
    from bacon.experiments.plan import Design

__all__ = ["designs_of"]

TWO_STAGE = "two-stage"
OPTIONS = {"strata": "--strata", "clusters": "--draw-clusters", "pi": "--pi"}


def designs_of(
    kind: str | None,
    sizes: Sequence[tuple[int | None, float | None]],
    *,
    columns: Mapping[str, str | None],
    settings: Mapping[str, str],
    stages: Mapping[str, Any],
) -> list[Design]:
    """Return a design for each size, refusing options that do not belong to it.

    Parameters
    ----------
    kind : str or None
        Kind of design; by default what the other options speak of.
    sizes : sequence of (int or None, float or None)
        Numbers of labels, or shares of the items.
    columns : mapping
        ``strata``, ``clusters`` and ``pi`` of `design_of`.
    settings : mapping
        ``allocation`` and ``method`` of `design_of`.
    stages : mapping
        ``pilot_rate``, ``pilot_model`` and ``hardness`` of two stages, None where not given.
    """
    asked = list(dict.fromkeys(sizes))
    if kind == TWO_STAGE or (kind is None and stages["pilot_rate"] is not None):
        return [_adaptive(n, rate, columns, **stages) for n, rate in asked]
    for name, value in stages.items():
        if value is not None:
            other = f", not --design {kind}" if kind else ""
            raise InputError(
                f"--{name.replace('_', '-')} is for --design two-stage{other}; leave it out, or "
                "give --design two-stage."
            )
    named = kind or chosen_design(**columns)
    given: dict[str, Any] = {**columns, **settings}
    return [design_of(named, n, rate, **given) for n, rate in asked]


def _adaptive(
    n: int | None,
    rate: float | None,
    columns: Mapping[str, str | None],
    *,
    pilot_rate: float | None,
    pilot_model: str | None,
    hardness: str | None,
) -> AdaptiveDraw:
    """Return a draw in two stages, refusing options of other designs."""
    from bacon.experiments.adaptive import AdaptiveDraw

    given = [OPTIONS[name] for name, value in columns.items() if value is not None]
    if given:
        raise InputError(f"{given[0]} does not go with --design two-stage; leave one of them out.")
    if n is not None:
        raise InputError("--design two-stage takes --rate alone; its size is left to chance.")
    design = AdaptiveDraw.by(two_stage_design(rate, pilot_rate, group=None, least=None))
    if pilot_model is not None:
        design = replace(design, model=pilot_model)
    return design if hardness is None else replace(design, hardness=hardness)
