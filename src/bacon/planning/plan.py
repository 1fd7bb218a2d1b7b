"""What is known before the labels are bought, and every plan that can be made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bacon.calibration.calibration import Calibration
    from bacon.data.notice import Notice
    from bacon.estimation.intervals import Target
    from bacon.planning.budget import BudgetPlan
    from bacon.planning.differences import DifferencePlan
    from bacon.planning.spread import Spread
    from bacon.planning.strata import StrataPlan
    from bacon.planning.two_stage import TwoStagePlan
    from bacon.planning.widths import WidthPlan

__all__ = ["Plan"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is known before the labels are bought; made by :func:`bacon.plan`.

    Parameters
    ----------
    with_judges, alone : Spread
        What the error is made of with the judges, and with the labels alone.
    level : float
        Confidence level of the planned intervals.
    target : {"pool", "population"}
        What they are for.
    estimand : str
        The mean, or a share.
    pilot : Calibration or None
        The pilot; None for an assumption.
    notices : tuple of Notice
        What a reader must know.
    """

    with_judges: Spread
    alone: Spread
    level: float
    target: Target
    estimand: str
    pilot: Calibration | None = field(default=None, repr=False)
    notices: tuple[Notice, ...] = ()

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return self.with_judges.n_items

    @property
    def n_pilot(self) -> int:
        """Labels of the pilot; 0 for an assumption."""
        return 0 if self.pilot is None else self.pilot.n_labels

    def width(self, n: int, *, labels_alone: bool = False) -> float:
        """Return the full width of the interval that n labels would give.

        Raises
        ------
        InputError
            n is no number of labels, or there are fewer items.
        """
        from bacon.planning.widths import check_labels

        check_labels(n, self.n_items)
        side = self.alone if labels_alone else self.with_judges
        return side.width(n, self.level, self.target)

    def for_width(self, width: float, *, label_cost: float | None = None) -> WidthPlan:
        """Return the labels that an interval of full `width` takes.

        Parameters
        ----------
        width : float
            Upper end less lower end, in the units of the labels.
        label_cost : float, optional
            Price of a label, for the money that the judges save.

        Raises
        ------
        InputError
            Not even all items would do, or an argument is no such number.
        """
        from bacon.planning.widths import plan_width

        return plan_width(self, width, label_cost)

    def for_difference(
        self,
        difference: float,
        *,
        by: str | None = None,
        baseline: str | None = None,
        systems: int | None = None,
        power: float = 0.8,
        label_cost: float | None = None,
    ) -> DifferencePlan:
        """Return the labels per system that show a difference with a chance of `power`.

        Parameters
        ----------
        difference : float
            True difference that is to be found.
        by : str, optional
            Column of the systems; by default the pool's group.
        baseline : str, optional
            System that the others are compared with; by default all pairs are.
        systems : int, optional
            Number of systems, for an assumption: equally many items each.
        power : float
            Chance of finding it.
        label_cost : float, optional
            Price of a label.

        Raises
        ------
        InputError
            Not even all items would show it, or an argument is no such number or column.
        """
        from bacon.planning.differences import plan_difference

        who = (by, baseline, systems)
        return plan_difference(self, difference, who, power=power, label_cost=label_cost)

    def by_stratum(self, width: float, strata: str) -> StrataPlan:
        """Return the labels of every stratum, by proportional and by Neyman shares.

        Parameters
        ----------
        width : float
            Full width of the interval for all items.
        strata : str
            Column, or ``"column:k"`` for k strata by quantiles.

        Raises
        ------
        InputError
            There is no pilot, no such column, or not even all items would do.
        """
        from bacon.planning.strata import plan_strata

        return plan_strata(self, width, strata)

    def for_budget(
        self,
        money: float,
        *,
        label_cost: float,
        rater_cost: float | None = None,
        judge_costs: Mapping[str, float] | None = None,
        rater_sd: float | None = None,
        most_raters: int = 3,
    ) -> BudgetPlan:
        """Return the split of a sum of money that makes the interval narrowest.

        Parameters
        ----------
        money : float
            What can be spent.
        label_cost : float
            Price of an item's first rating.
        rater_cost : float, optional
            Price of every further rating of an item; by default the same.
        judge_costs : mapping of str to float, optional
            Price of one score (one run of one item) of each judge; judges not named are free.
        rater_sd : float, optional
            Standard deviation of two raters' answers about an item's own mean; by default what
            the pilot's ratings show.
        most_raters : int
            Raters an item may have.

        Raises
        ------
        InputError
            A price is negative, a judge unknown, or the money is too little for two labels.
        """
        from bacon.planning.budget import Prices, plan_budget

        prices = Prices(label_cost, rater_cost, dict(judge_costs or {}))
        return plan_budget(self, money, prices, rater_sd, most_raters)

    def two_stage(self, n: int, *, kind: str = "gamma") -> TwoStagePlan:
        """Return the best share of n labels to spend on the pilot of a two-stage draw.

        Parameters
        ----------
        n : int
            Labels in all, pilot included.
        kind : str
            Model of hardness.

        Raises
        ------
        InputError
            There is no pilot, or n is no number of labels.
        """
        from bacon.planning.two_stage import plan_two_stage

        return plan_two_stage(self, n, kind)

    def save_figure(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the figure of width against labels as .svg or .png.

        Raises
        ------
        OutputError
            The file exists (unless `overwrite`) or cannot be written.
        InputError
            Its name has another ending.
        """
        from pathlib import Path

        from bacon.planning.figure import save_figure

        save_figure(self, Path(path), overwrite=overwrite)
