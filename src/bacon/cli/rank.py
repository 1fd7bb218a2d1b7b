"""`bacon rank`: which system is best, and which ranks each could hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from bacon.cli.calibrating import Reading, with_calibration
from bacon.cli.options import AsJson, ConfidenceLevel, Pooling, TargetOption
from bacon.cli.output import say, say_json

if TYPE_CHECKING:
    from bacon.calibration import groups
    from bacon.estimation.intervals import Target

__all__ = ["rank_command"]


@with_calibration
def rank_command(
    read: Reading,
    estimand: Annotated[
        str | None, typer.Option(help="What they are ranked by: mean, proportion:ge:4, ...")
    ] = None,
    target: TargetOption = "pool",
    level: ConfidenceLevel = 0.95,
    pooling: Pooling = "pooled",
    as_json: AsJson = False,
) -> None:
    """Rank the groups of --group, with the ranks each could hold, all at once."""
    from bacon.calibration.group_record import group_result
    from bacon.calibration.group_text import ranking_text
    from bacon.calibration.groups import check_pooling
    from bacon.checks import check_level, check_target

    check_level(level)
    check_target(target)
    check_pooling(pooling)
    found = read()
    ranking = found.cal.rank(
        estimand=estimand,
        level=level,
        target=cast("Target", target),
        pooling=cast("groups.Pooling", pooling),
    )
    if as_json:
        name = next(iter(ranking.estimates.values())).name
        record = found.cal.to_dict(name, level=level, target=ranking.target)
        say_json(group_result(record, ranking))
    else:
        say(ranking_text(found.cal, ranking))
    found.tell()
