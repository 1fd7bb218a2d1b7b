"""What a calibration says of groups, of coefficients and of single items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.calibration.anytime import Anytime
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.groups import Pooling
    from bacon.calibration.hardness import HardnessKind
    from bacon.calibration.item_scores import ItemScores
    from bacon.calibration.pairwise import Wins
    from bacon.data.hardness import Hardness
    from bacon.estimation.compare import Kind
    from bacon.estimation.comparisons import Comparisons
    from bacon.estimation.intervals import Target
    from bacon.estimation.pairwise import Ties
    from bacon.estimation.ranking import Ranking
    from bacon.estimation.vector import Estimates

__all__ = ["Claims"]


class Claims:
    """Methods of :class:`bacon.Calibration` about more than one number; not used by itself."""

    @property
    def _cal(self) -> Calibration:
        """The calibration that this is a part of."""
        return cast("Calibration", self)

    def groups(
        self,
        name: str = "mean",
        *,
        by: str | None = None,
        pooling: Pooling = "pooled",
        labels_alone: bool = False,
    ) -> Estimates:
        """Estimate one number, by name, for every group of a column.

        Parameters
        ----------
        name : str
            The estimand: mean, sd, variance, quantile:0.5, proportion:ge:4.
        by : str, optional
            Column of the groups; by default the pool's group.
        pooling : {"pooled", "none"}
            One model of all groups, corrected by each group's own labels; or a model for each
            group (the paper's), which needs more labels.
        labels_alone : bool
            Ignore the judges: the same estimator with a constant prediction.

        Returns
        -------
        Estimates
            By group. The variances of means are moderated by what all groups say of the size of
            residuals (:mod:`bacon.estimation.moderated`). Groups with fewer than two labels stand
            in `left_out`.

        Raises
        ------
        InputError
            No such column, or an item has no group.
        TooFewLabelsError
            No group has two labels.
        """
        from bacon.calibration.comparing import group_column
        from bacon.calibration.groups import group_estimates

        return group_estimates(
            self._cal, name, group_column(self._cal, by), pooling=pooling, labels_alone=labels_alone
        )

    def compare(
        self,
        by: str | None = None,
        *,
        baseline: str | None = None,
        kind: Kind = "difference",
        estimand: str | None = None,
        pooling: Pooling = "pooled",
    ) -> Comparisons:
        """Compare all pairs of groups, or each with a baseline; see :func:`bacon.compare`."""
        from bacon.calibration.comparing import compare

        return compare(
            self._cal, by, baseline=baseline, kind=kind, estimand=estimand, pooling=pooling
        )

    def rank(
        self,
        by: str | None = None,
        *,
        estimand: str | None = None,
        level: float = 0.95,
        target: Target = "pool",
        pooling: Pooling = "pooled",
    ) -> Ranking:
        """Rank groups, with the ranks each could hold and those among which the best is.

        Parameters
        ----------
        by : str, optional
            Column of the groups; by default the pool's group.
        estimand : str, optional
            What they are ranked by; by default the mean.
        level, target
            Of the rank sets.
        pooling : {"pooled", "none"}
            One model of all groups, or a model for each.

        Raises
        ------
        InputError
            There are no groups, or fewer than two have an estimate.
        """
        from bacon.calibration.comparing import rank_groups

        return rank_groups(
            self._cal, by, estimand=estimand, level=level, target=target, pooling=pooling
        )

    def regression(
        self,
        columns: str | Sequence[str],
        *,
        family: str = "linear",
        intercept: bool = True,
        baseline: Mapping[str, str] | None = None,
        adjust: bool = True,
        labels_alone: bool = False,
    ) -> Estimates:
        """Estimate the coefficients of a regression of the human outcome on columns of the pool.

        Parameters
        ----------
        columns : str or sequence of str
            Columns, judges or features. Text, and the pool's group, enter as indicators of
            their values.
        family : {"linear", "logistic", "poisson"}
            OLS; log odds of labels 0 and 1 or shares between; logs of labels from 0 up.
        intercept : bool
            Include an intercept.
        baseline : mapping of str to str, optional
            The value that the others of a column are compared with; by default the first. A
            column of numbers named here enters as indicators.
        adjust : bool
            Adjust the predictions by the labels' own regression first, which never loses to
            the labels alone by much; False gives ppi-python's logistic coefficients.
        labels_alone : bool
            Ignore the judges: the labels' own weighted regression.

        Returns
        -------
        Estimates
            Of kind "coefficient": ``intercept``, the columns, and ``column=value``.

        Raises
        ------
        InputError
            A missing value, collinear columns, labels the family does not have, or labels in words.
        EstimationError
            No finite coefficients.
        """
        from bacon.calibration.regression import regress

        return regress(
            self._cal,
            columns,
            family=family,
            intercept=intercept,
            baseline=baseline,
            adjust=adjust,
            labels_alone=labels_alone,
        )

    def bradley_terry(
        self,
        first: str,
        second: str,
        *,
        ties: Ties = "half",
        wins: Wins | None = None,
        order_effect: bool = False,
        adjust: bool = True,
        labels_alone: bool = False,
    ) -> Estimates:
        """Estimate strengths of systems from who won each comparison of two outputs.

        Parameters
        ----------
        first, second : str
            Columns with the systems of each item.
        ties : {"half", "davidson"}
            A tie is half a win for each (told), or has a chance of its own.
        wins : mapping, optional
            What labels mean: by default the words 1, 2 and tie, or the numbers 1, 0 and 0.5, as
            in ``{"first": "A", "second": "B", "tie": ["tie", "both bad"]}``.
        order_effect : bool
            Also estimate the advantage of being shown first.
        adjust, labels_alone
            As in :meth:`regression`.

        Returns
        -------
        Estimates
            Of kind "system": log strengths that sum to 0; with an order effect and Davidson's
            model also ``(shown first)`` and ``(ties)``.

        Raises
        ------
        InputError
            Labels without a meaning, or systems that no labelled comparison links.
        EstimationError
            No finite strengths.
        """
        from bacon.calibration.pairwise import preferences

        return preferences(
            self._cal,
            first,
            second,
            ties=ties,
            wins=wins,
            order_effect=order_effect,
            adjust=adjust,
            labels_alone=labels_alone,
        )

    def hardness(
        self, kind: HardnessKind = "gamma", *, rate: float, regressor: Any = None
    ) -> Hardness:
        """Return how hard every item is to predict, for the next stage of a draw.

        Parameters
        ----------
        kind : {"gamma", "optimal", "logistic", "uniform"}
            How squared residuals are predicted; see :mod:`bacon.calibration.hardness`.
        rate : float
            Budget of all stages together, as a share of the pool.
        regressor : object, optional
            For optimal, a scikit-learn regressor; a forest by default.

        Raises
        ------
        InputError
            An unknown kind, a regressor that is none or not asked for, or a budget that is spent.
        """
        from bacon.calibration.hardness import fit_hardness

        return fit_hardness(self._cal, kind, rate=rate, regressor=regressor)

    def anytime(
        self, estimand: str = "mean", *, level: float = 0.95, width: float | None = None
    ) -> Anytime:
        """Return intervals that hold after every label at once, so that labelling may stop.

        Parameters
        ----------
        estimand : str
            mean, or a share such as proportion:ge:4.
        level : float
            Confidence level, for all times together.
        width : float, optional
            Full width of the interval at which labelling stops.

        Returns
        -------
        Anytime
            The intervals in the order of the draw, `stopped_at`, and about how many `more`
            labels the width takes.

        Raises
        ------
        InputError
            A width that is none, or an estimand other than a mean or a share.
        DesignError
            The labels answer no uniform draw.
        TooFewLabelsError
            The first drawn items have no labels.

        Examples
        --------
        >>> import bacon
        >>> pool = bacon.read_pool({"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0]})
        >>> sample = bacon.UniformDesign(n=3).draw(pool, seed=1)
        >>> told = {"item_id": sample.ids.tolist(), "human": [2, 4, 5]}
        >>> labels = bacon.read_labels(told, value="human")
        >>> cal = bacon.calibrate(pool, labels, sample=sample, model="human-only", scale=(1, 6))
        >>> cal.anytime(width=2.0).stopped_at
        3
        """
        from bacon.calibration.stopping import anytime

        return anytime(self._cal, estimand, level=level, width=width)

    def items(
        self,
        *,
        level: float = 0.9,
        flag_below: float | None = None,
        flag_above: float | None = None,
        fdr: float = 0.1,
        method: str = "auto",
        by: str | None = None,
    ) -> Any:
        """Return a row for every item: its score, interval, rank and flag.

        Parameters
        ----------
        level, flag_below, flag_above, fdr, method, by
            As of :meth:`item_scores`, which returns the same frame with what a reader must know.

        Returns
        -------
        frame
            item_id, score, lower, upper, rank, labelled, label, and where flags were asked for
            flagged and p_value; for labels in words item_id, class, a probability for each class,
            set, set_size, labelled, label. In the library the pool came from.
        """
        return self.item_scores(
            level=level,
            flag_below=flag_below,
            flag_above=flag_above,
            fdr=fdr,
            method=method,
            by=by,
        ).frame

    def item_scores(
        self,
        *,
        level: float = 0.9,
        flag_below: float | None = None,
        flag_above: float | None = None,
        fdr: float = 0.1,
        method: str = "auto",
        by: str | None = None,
    ) -> ItemScores:
        """Return what is known of every item, with its notices and a summary.

        Labelled items show their label; the scores of the others are surrogates, predictions of
        what people would say.

        Parameters
        ----------
        level : float
            Probability with which the interval or set of an item without a label holds its
            label, over draws and items.
        flag_below, flag_above : float, optional
            Flag items whose label would be below, or above, a cut.
        fdr : float
            Share of the flags that may be false on average.
        method : {"auto", "out-of-fold", "split"}
            out-of-fold (auto): all labels train and calibrate, and the level is approximate.
            split: half of the labels train and half calibrate.
        by : str, optional
            Column within each of whose groups intervals or sets are to hold.

        Returns
        -------
        ItemScores
            ``.frame``, ``.notices``, ``.flags``, ``.summary()``, ``.to_dict()``.

        Raises
        ------
        InputError
            An argument has no usable value, or flags are asked for labels in words.
        TooFewLabelsError
            There are too few labels to split.
        """
        from bacon.calibration.items import item_scores

        return item_scores(
            self._cal,
            level=level,
            flag_below=flag_below,
            flag_above=flag_above,
            fdr=fdr,
            method=method,
            by=by,
        )
