"""The outcome models as scikit-learn regressors, for use on arrays of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import ClassifierTags

from bacon.outcome.constant_fit import ConstantFit, fit_constant
from bacon.outcome.estimators import OutcomeRegressor, block_codes
from bacon.outcome.family_fits import (
    BoundedFit,
    HurdleFit,
    LogisticFit,
    LogLinkFit,
    fit_bounded,
    fit_hurdle,
    fit_log_link,
    fit_logistic,
)
from bacon.outcome.forest_fit import ForestFit, fit_forest
from bacon.outcome.models import Layout, Task, fit_stack
from bacon.outcome.ridge_fit import fit_ridge

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.utils import Tags

    from bacon.arrays import FloatArray
    from bacon.outcome.stack import StackFit

__all__ = ["Bounded", "Forest", "Hurdle", "LogLink", "Logistic", "Stack"]


OUTCOMES = ("real", "bounded", "zero-inflated", "ordinal", "binary")
"""Kinds of outcome that the stack knows."""


class _Blocked(OutcomeRegressor):
    """A model whose columns may stand in penalty blocks."""

    def __init__(self, blocks: npt.ArrayLike | None = None) -> None:
        self.blocks = blocks

    def _factors(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return what a ridge of the same columns multiplies each by."""
        return fit_ridge(x, y, block_codes(self.blocks, x.shape[1])).factors_


class Logistic(_Blocked):
    """Penalised logistic regression of an outcome with two values.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        Penalty block of each column; all 0 by default.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(8.0)[:, None]
    >>> model = Logistic().fit(x, [0, 0, 1, 0, 1, 0, 1, 1])
    >>> bool(0 < model.predict([[0.0]])[0] < model.predict([[7.0]])[0] < 1)
    True
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _fit(self, x: FloatArray, y: FloatArray) -> LogisticFit:
        """Return the model of features (n, p) and outcomes (n,).

        Raises
        ------
        ValueError
            The outcome has more than two values.
        """
        n_values = len(np.unique(y))
        if n_values > 2:
            raise ValueError(f"Logistic needs an outcome with two values; y has {n_values}")
        return fit_logistic(x, y, self._factors(x, y))


class _FromZero(_Blocked):
    """A model of outcomes from 0 up."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class LogLink(_FromZero):
    """Penalised quasi-Poisson regression of an outcome from 0 up.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        Penalty block of each column; all 0 by default.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> model = LogLink().fit(x, np.exp(2 * x[:, 0]))
    >>> bool((model.predict(x) > 0).all())
    True
    """

    def _fit(self, x: FloatArray, y: FloatArray) -> ConstantFit | LogLinkFit:
        """Return the model; the mean where all outcomes are 0."""
        _refuse_below_zero("LogLink", y)
        return fit_log_link(x, y, self._factors(x, y)) if y.max() > 0.0 else fit_constant(y)


class Hurdle(_FromZero):
    """A logistic gate for 0 or more, and an amount where there is more.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        Penalty block of each column; all 0 by default.
    amount : {"log", "ridge"}
        Amounts by a log link (heavy tails) or a ridge (the paper, Table 1).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(10.0)[:, None]
    >>> model = Hurdle().fit(x, [0, 0, 0, 1, 0, 2, 2, 3, 4, 4])
    >>> bool((model.predict([[-50.0], [50.0]]) >= 0).all())
    True
    """

    def __init__(self, blocks: npt.ArrayLike | None = None, amount: str = "log") -> None:
        super().__init__(blocks)
        self.amount = amount

    def _fit(self, x: FloatArray, y: FloatArray) -> ConstantFit | HurdleFit:
        """Return the model; the mean where all outcomes are 0."""
        _refuse_below_zero("Hurdle", y)
        if self.amount not in ("log", "ridge"):
            raise ValueError(f'amount must be "log" or "ridge"; got {self.amount!r}')
        if y.max() == 0.0:
            return fit_constant(y)
        blocks = block_codes(self.blocks, x.shape[1])
        return fit_hurdle(x, y, self._factors(x, y), blocks, amount=self.amount)


class Bounded(_Blocked):
    """Penalised fractional logistic regression of an outcome on a range.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        Penalty block of each column; all 0 by default.
    scale : (float, float), optional
        Lowest and highest possible outcome; by default those seen.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(8.0)[:, None]
    >>> model = Bounded(scale=(1, 6)).fit(x, [1, 2, 2, 3, 4, 4, 5.5, 6])
    >>> bool(model.predict([[100.0]])[0] <= 6)
    True
    """

    def __init__(
        self, blocks: npt.ArrayLike | None = None, scale: tuple[float, float] | None = None
    ) -> None:
        super().__init__(blocks)
        self.scale = scale

    def _fit(self, x: FloatArray, y: FloatArray) -> BoundedFit | ConstantFit:
        """Return the model; the mean where all outcomes are alike and no range is given."""
        scale = _scale_of(y, self.scale)
        if scale[0] == scale[1]:
            return fit_constant(y)
        return fit_bounded(x, y, self._factors(x, y), scale)


class Forest(OutcomeRegressor):
    """A small forest of extremely randomised trees.

    Parameters
    ----------
    seed : int
        Seed of the trees.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(20.0)[:, None]
    >>> model = Forest().fit(x, (x[:, 0] > 9).astype(float))
    >>> bool(model.predict([[0.0]])[0] < model.predict([[19.0]])[0])
    True
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def _fit(self, x: FloatArray, y: FloatArray) -> ForestFit:
        """Return the forest of features (n, p) and outcomes (n,)."""
        return fit_forest(x, y, self.seed)


class Stack(_Blocked):
    """Several outcome models, weighted by what each says of labels it has not seen.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        Penalty block of each column; all 0 by default.
    average : (p,) array_like of float, optional
        Weights of the columns in the judge average; by default all columns of block 0 equally.
        Columns should be standardised and turned to agree.
    outcome : {"real", "bounded", "zero-inflated", "ordinal", "binary"}
        Kind of outcome: which models take part.
    scale : (float, float), optional
        Lowest and highest possible outcome, for bounded ones; by default those seen.
    seed : int
        Seed of the forest.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 3))
    >>> model = Stack().fit(x, x.mean(axis=1) + rng.normal(size=60))
    >>> float(round(model.fit_.weights_.sum(), 6))
    1.0
    """

    def __init__(
        self,
        blocks: npt.ArrayLike | None = None,
        average: npt.ArrayLike | None = None,
        outcome: str = "real",
        scale: tuple[float, float] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(blocks)
        self.average = average
        self.outcome = outcome
        self.scale = scale
        self.seed = seed

    def _fit(self, x: FloatArray, y: FloatArray) -> StackFit:
        """Return the stack of features (n, p) and outcomes (n,).

        Raises
        ------
        ValueError
            The kind of outcome is unknown, or `y` is not of this kind.
        """
        if self.outcome not in OUTCOMES:
            raise ValueError(f"outcome must be one of {', '.join(OUTCOMES)}; got {self.outcome!r}")
        if self.outcome == "zero-inflated":
            _refuse_below_zero("a zero-inflated Stack", y)
        scale = _scale_of(y, self.scale) if self.outcome == "bounded" else None
        blocks = block_codes(self.blocks, x.shape[1])
        if self.average is None:
            judges = (blocks == 0).astype(np.float64)
            average = judges / judges.sum() if judges.any() else None
        else:
            average = np.asarray(self.average, dtype=np.float64)
        layout = Layout(blocks, average)
        return fit_stack(x, y, Task(layout, self.outcome, scale, self.seed))


def _scale_of(y: FloatArray, scale: tuple[float, float] | None) -> tuple[float, float]:
    """Return the range of the outcomes: the one stated, or the one seen."""
    low, high = (float(y.min()), float(y.max())) if scale is None else scale
    if not (low <= y.min() and y.max() <= high):
        raise ValueError(f"y reaches from {y.min():g} to {y.max():g}, beyond {low:g} to {high:g}")
    return low, high


def _refuse_below_zero(name: str, y: FloatArray) -> None:
    """Refuse outcomes that have no logarithm of a mean."""
    if y.min() < 0.0:
        raise ValueError(f"{name} needs an outcome from 0 up; the smallest is {y.min():g}")
