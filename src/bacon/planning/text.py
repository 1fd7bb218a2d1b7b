"""Plans in a table and plain sentences, as the command prints them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.words import escaped, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.data.notice import Notice
    from bacon.planning.budget import BudgetPlan, Option
    from bacon.planning.differences import DifferencePlan
    from bacon.planning.plan import Plan
    from bacon.planning.strata import StrataPlan
    from bacon.planning.two_stage import TwoStagePlan
    from bacon.planning.widths import Need, WidthPlan

__all__ = [
    "budget_lines",
    "difference_lines",
    "notice_lines",
    "plan_lines",
    "strata_lines",
    "table_lines",
    "two_stage_lines",
    "width_lines",
    "width_sentence",
]

LONGEST = 24
"""Signs of a name in a table."""


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells in columns; the first row is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def notice_lines(notices: Sequence[Notice]) -> list[str]:
    """Return what a reader must know, a line each."""
    return [f"Note: {one.message}" for one in notices]


def figure(value: float) -> str:
    """Return a number in three significant digits, without an exponent where it is readable."""
    if value == 0.0 or not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    digits = max(2 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{digits}f}"


def claim(plan: Plan) -> str:
    """Say what the interval is for."""
    percent = f"{plan.level * 100:g} %"
    items = "these" if plan.target == "pool" else "more items like these"
    number = "" if plan.estimand == "mean" else f" of {plan.estimand}"
    return f"{percent} interval{number} for {items}" + (
        f" {plan.n_items:,} items" if plan.target == "pool" else ""
    )


def plan_lines(plan: Plan) -> list[str]:
    """Return the table of widths alone, where nothing else was asked."""
    from bacon.planning.widths import width_table

    return [
        *_width_rows(plan, width_table(plan).rows()),
        f"Full widths of the {claim(plan)}{_from(plan)}.",
        "Ask for a --width, a --difference or a --budget to be told how many labels it takes.",
    ]


def _width_rows(plan: Plan, rows: Sequence[tuple[float, ...]]) -> list[str]:
    """Return the table of widths."""
    assumed = plan.pilot is None
    head = ["labels", "width with judges", *([] if assumed else ["could be"]), "labels alone"]
    cells = [
        [
            f"{int(n):,}",
            figure(width),
            *([] if assumed else [f"{figure(low)} - {figure(high)}"]),
            figure(alone),
        ]
        for n, width, low, high, alone in rows
    ]
    return table_lines([head, *cells])


def _from(plan: Plan) -> str:
    """Say where the figures come from."""
    return f", from a pilot of {plan.n_pilot:,} labels" if plan.pilot is not None else ""


def width_lines(found: WidthPlan) -> list[str]:
    """Return the table and the sentences of a wanted width."""
    plan = found.plan
    lines = _width_rows(plan, found.table.rows())
    lines.append(f"Full widths of the {claim(plan)}.")
    return [*lines, width_sentence(found)]


def width_sentence(found: WidthPlan) -> str:
    """Say how many labels a width takes."""
    plan = found.plan
    text = (
        f"For a {plan.level * 100:g} % interval {found.width:g} wide: {found.n_labels:,} labels "
        f"with the judges, {found.n_alone:,} without"
    )
    if found.judges.low is not None and found.judges.high is not None:
        text += f" (pilot of {plan.n_pilot:,}: could be {_ends(found.judges)}"
        text += f" and {_ends(found.alone)})"
    text += "."
    if found.n_labels >= plan.n_items:
        text += " That is every item."
    elif plan.pilot is not None and found.n_labels >= found.n_alone:
        text += " This pilot shows no gain from the judges."
    if plan.n_pilot >= found.n_labels:
        text += f" The {plan.n_pilot:,} labels of the pilot are already as many."
    if found.saved is not None and found.label_cost is not None:
        text += f" At {_price(found.label_cost)} a label " + _saved(found.saved)
    return text


def _ends(need: Need) -> str:
    """Return the ends of what a plan could be."""
    return f"{need.low:,} to {need.high:,}"


def _saved(money: float) -> str:
    """Say what the judges save."""
    if money < 0.0:
        return f"the judges cost about {_money(-money)} more."
    return f"the judges save about {_money(money)}."


def _money(value: float) -> str:
    """Return a sum of money in three significant digits."""
    size = 10 ** max(math.floor(math.log10(value)) - 2, 0) if value >= 1.0 else 1
    return f"{round(value / size) * size:,}" if value >= 10.0 else f"{value:.2f}"


def _price(value: float) -> str:
    """Return a price."""
    return f"{value:.2f}" if value >= 0.01 or value == 0.0 else f"{value:g}"


def difference_lines(found: DifferencePlan) -> list[str]:
    """Return the table and the sentences of a detectable difference."""
    rows = [[found.by, "items", "labels with judges", "labels alone"]]
    for name, size in list(found.systems.items()):
        judged, alone = min(found.per_system, size), min(found.per_system_alone, size)
        rows.append([shown(name, LONGEST), f"{size:,}", f"{judged:,}", f"{alone:,}"])
    rows.append(["together", f"{sum(found.systems.values()):,}"])
    rows[-1] += [f"{found.n_labels:,}", f"{found.n_alone:,}"]
    n = found.n_comparisons
    against = "all pairs" if found.baseline is None else f"each against {escaped(found.baseline)}"
    many = f"{n:,} comparisons, {against}" if n > 1 else "one comparison"
    a, b = (escaped(name) for name in found.hardest)
    lines = [
        *table_lines(rows),
        f"To find a difference of {found.difference:g} with a chance of {found.power * 100:g} % "
        f"at {found.plan.level * 100:g} % ({many}): {found.per_system:,} labels per system with "
        f"the judges, {found.per_system_alone:,} without.",
    ]
    if found.plan.pilot is not None and n > 1:
        lines.append(
            f"Of these differences, that of {a} and {b} has the widest interval, which sets the "
            "number."
        )
    if found.saved is not None and found.label_cost is not None:
        saved = _saved(found.saved)
        lines.append(f"At {_price(found.label_cost)} a label {saved}")
    return lines


def strata_lines(found: StrataPlan) -> list[str]:
    """Return the table and the sentences of labels per stratum."""
    head = ["stratum", "items", "pilot", "SD", "proportional", "Neyman"]
    rows = [head]
    for row in found.table.iter_rows(named=True):
        counts = [f"{row[name]:,}" for name in ("items", "pilot")]
        shares = [f"{row[name]:,}" for name in ("proportional", "neyman")]
        rows.append([shown(row["stratum"], LONGEST), *counts, figure(row["sd"]), *shares])
    totals = {
        name: found.total(name)
        for name in (
            "items",
            "pilot",
            "proportional",
            "neyman",
            "alone_proportional",
            "alone_neyman",
        )
    }
    rows.append(
        [
            "together",
            f"{totals['items']:,}",
            f"{totals['pilot']:,}",
            "",
            f"{totals['proportional']:,}",
            f"{totals['neyman']:,}",
        ]
    )
    return [
        *table_lines(rows),
        f"For a {found.plan.level * 100:g} % interval {found.width:g} wide in strata of "
        f"{escaped(found.strata)}: {totals['proportional']:,} labels in proportion to the items, "
        f"{totals['neyman']:,} where hard strata get more (Neyman); without the judges "
        f"{totals['alone_proportional']:,} and {totals['alone_neyman']:,}.",
    ]


def budget_lines(found: BudgetPlan) -> list[str]:
    """Return the table and the sentences of a budget."""
    rows = [["width", "labels", "raters", "runs", "judges", "labels cost", "judges cost"]]
    rows += [_option_row(one) for one in found.shown()[:12]]
    best = found.best
    judges = listed(best.judges, 6) if best.judges else "no judge"
    runs = f", {best.runs} runs each" if best.runs > 1 else ""
    raters = "one rater" if best.raters == 1 else f"{best.raters} raters"
    lines = [
        *table_lines(rows),
        f"{found.money:,g} buys a {found.plan.level * 100:g} % interval {figure(best.width)} wide "
        f"at best: {best.labels:,} items with {raters} each, scored by {judges}{runs}.",
    ]
    one = next((o for o in found.options if o.raters == 1), None)
    two = next((o for o in found.options if o.raters == 2), None)
    if one is not None and two is not None:
        wider, word = two.width / one.width - 1.0, "wider"
        if wider < 0.0:
            wider, word = -wider, "narrower"
        lines.append(
            f"A second rater for each item, paid for by fewer items ({two.labels:,} for "
            f"{one.labels:,}), makes it {wider * 100:.0f} % {word}."
        )
    alone = next((o for o in found.options if not o.judges), None)
    if alone is not None and best.judges:
        lines.append(f"All of it spent on labels alone: {figure(alone.width)} wide.")
    return lines


def _option_row(one: Option) -> list[str]:
    """Return one split as cells."""
    names = shown(listed(one.judges, 3), 3 * LONGEST) if one.judges else "none"
    return [
        figure(one.width),
        f"{one.labels:,}",
        str(one.raters),
        str(one.runs) if one.judges else "-",
        names,
        f"{one.label_money:,.2f}",
        f"{one.judge_money:,.2f}",
    ]


def two_stage_lines(found: TwoStagePlan) -> list[str]:
    """Return the table and the sentences of the best pilot."""
    rows = [["pilot", "share", "variance / one draw"]]
    for share, ratio in zip(found.shares.tolist(), found.ratio.tolist(), strict=True):
        rows.append([f"{round(found.n_labels * share):,}", f"{share:.0%}", f"{ratio:.2f}"])
    lines = table_lines(rows)
    if not found.worth_it:
        return [
            *lines,
            "The pilot does not show hard items told from easy ones well enough for people to be "
            f"asked twice: draw all {found.n_labels:,} at once.",
        ]
    gain = 1.0 - float(found.ratio[found.best])
    return [
        *lines,
        f"Of {found.n_labels:,} labels, {found.pilot:,} in the pilot: predicted variance "
        f"{gain * 100:.0f} % below that of drawing all at once.",
        "It rests on the residuals of this pilot and on hardness fitted without each of them.",
    ]
