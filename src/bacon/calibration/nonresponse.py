"""Drawn items that nobody labelled: how the answered ones speak for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bacon.arrays import freeze
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.outcome.response_model import fit_response, response_columns, response_p_value
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.alignment import Aligned
    from bacon.data.survey_design import DesignKind, SurveyDesign
    from bacon.features.columns import Column

__all__ = ["Drawn", "Response", "Treatment", "check_treatment", "with_response"]

Treatment = Literal["auto", "model", "rate"]

LEAST = 10
"""Answered and unanswered items that a response model needs, for each of its columns."""

MOST_COLUMNS = 6

CLEAR = 0.01
"""Below this p value the tie is called one."""

TIED = 0.2
"""The model is used where the p value of "who answers is chance" is below this."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """The drawn items, where some of them have no label.

    Parameters
    ----------
    design : SurveyDesign
        Design of all drawn rows, had all been answered.
    answered : (d,) bool
        Which of them are.
    cell : (d,) int64
        Cells within which the answered speak for the others.
    is_prefix : bool
        Whether the answered are the first of a uniform draw: themselves a sample.
    where : str
        Where the unanswered items are, and the judge on which they differ, in words.
    cells : str
        What the cells are: strata, or the stages of the draw.
    """

    design: SurveyDesign
    answered: BoolArray
    cell: IntArray
    is_prefix: bool
    where: str
    cells: str = "strata"

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "answered", "cell")


@dataclass(frozen=True, eq=False)
class Response:
    """How unanswered items are dealt with.

    Parameters
    ----------
    drawn : SurveyDesign
        Design of all drawn rows, had all been answered.
    answered : (d,) bool
        Which of them are.
    method : {"model", "rate"}
        Weights by a model of who answers, or the answered ones taken as if they were the draw.
    p_value : float
        Of "who answers has nothing to do with judges and features"; NaN where untested.
    """

    drawn: SurveyDesign
    answered: BoolArray
    method: Literal["model", "rate"]
    p_value: float

    def __post_init__(self) -> None:
        """Make the array read-only."""
        freeze(self, "answered")

    @property
    def n_unanswered(self) -> int:
        """Number of drawn items without a label."""
        return int(np.sum(~self.answered))


def check_treatment(treatment: str) -> None:
    """Refuse an unknown treatment of unanswered items."""
    if treatment not in get_args(Treatment):
        raise InputError(
            f"nonresponse must be one of {', '.join(get_args(Treatment))}; got {treatment!r}."
        )


def with_response(
    aligned: Aligned,
    x: FloatArray,
    columns: Sequence[Column],
    *,
    treatment: Treatment = "auto",
    seed: int = 0,
) -> tuple[Aligned, Response | None]:
    """Weigh the answered items for the unanswered ones.

    Parameters
    ----------
    aligned : Aligned
        Labels and design, the answered taken as the draw.
    x : (N, p) float64
        Features of every item; `columns` says what each is.
    treatment : {"auto", "model", "rate"}
        auto takes the model where who answers goes with judges or features, and there are
        enough items of both kinds.
    seed : int
        Seed of the model's folds.

    Returns
    -------
    aligned : Aligned
        With weights 1/(pi rho), rho the chance of an answer, where the model is taken, as a
        second phase of independent draws.
    response : Response or None
        None where all drawn items are answered, or a finished first part of a uniform draw is.

    Notes
    -----
    The rule and its threshold are settled by simulation: see "Unanswered items" in the docs.
    """
    drawn = aligned.drawn
    if drawn is None or (drawn.is_prefix and treatment != "model"):
        return aligned, None
    rows, answered = drawn.design.rows, drawn.answered
    least = int(min(answered.sum(), (~answered).sum()))
    most = min(max(least // LEAST, 1), MOST_COLUMNS)
    read = response_columns(_candidates(x[rows], columns, most), drawn.cell, most)
    tested = least >= LEAST and read.shape[1] > 0
    # Whole clusters that go unanswered together would look like a tie.
    testable = tested and drawn.design.psu is None
    p_value = response_p_value(read, answered, drawn.cell) if testable else float("nan")
    if treatment == "model" and not tested:
        raise InputError(_cannot(least))
    if treatment == "rate" or not (treatment == "model" or p_value < TIED):
        response = Response(drawn.design, answered, "rate", p_value)
        return _told(aligned, _rate_notice(drawn, response, least)), response
    base = 1.0 / drawn.design.pi
    rng = stream(seed, "response folds")
    fitted = fit_response(read, answered, base, drawn.cell, rng)
    design = _second_phase(aligned.design, drawn, fitted.probability[answered])
    response = Response(drawn.design, answered, "model", p_value)
    notices = [_model_notice(drawn, response)]
    if fitted.n_floored:
        text = (
            f"{fitted.n_floored:,} drawn items had a modelled chance to be answered below a fifth "
            "of the average; it was raised to that, so that none outweighs the others."
        )
        notices.append(Notice("response_floored", text))
    return _told(replace(aligned, design=design, stratum=None, pi=None), *notices), response


def _cannot(least: int) -> str:
    """Say why there is no response model."""
    if least < LEAST:
        return (
            f"a model of who answers needs {LEAST} answered and {LEAST} unanswered items, and of "
            f'one kind there are {least}; use --nonresponse rate (nonresponse="rate").'
        )
    return (
        "nothing is known of the drawn items to model who answers; name judges or features, or "
        'use --nonresponse rate (nonresponse="rate").'
    )


def _candidates(x: FloatArray, columns: Sequence[Column], most: int) -> FloatArray:
    """Return what a response model may read (d, c), the most telling first.

    The average of the judges, features, lengths and indicators of missing scores one by one,
    then the leading principal components of all of these and of the embeddings, in turn.
    """
    kinds = np.array([column.kind for column in columns], dtype=object)
    blocks = np.array([column.block for column in columns], dtype=np.int64)
    is_judge = kinds == "judge"
    found = [x[:, is_judge].mean(axis=1)] if is_judge.any() else []
    alone = np.isin(kinds, ("feature", "length", "missing"))
    found += [x[:, k] for k in np.flatnonzero(alone)[:most]]
    own = x[:, blocks == 0]
    components = []
    if own.shape[1]:
        u, d, _ = np.linalg.svd(own - own.mean(axis=0), full_matrices=False)
        components = [u[:, k] * d[k] for k in range(min(len(d), most))]
    embedded = list(x[:, blocks == 1].T[:most])
    for k in range(max(len(components), len(embedded))):
        found += [*components[k : k + 1], *embedded[k : k + 1]]
    return np.column_stack(found) if found else np.zeros((len(x), 0))


def _second_phase(design: SurveyDesign, drawn: Drawn, chance: FloatArray) -> SurveyDesign:
    """Return the design of items drawn, and then answered each by its own chance.

    Clusters stay the units of the draw. Strata end with the first phase: that items answer one
    by one leaves their numbers to chance, and the variance of independent draws covers both.
    """
    pi = drawn.design.pi[drawn.answered] * chance
    if design.psu is not None:
        return replace(design, pi=pi)
    kind: DesignKind = "fixed" if design.kind == "fixed" else "poisson"
    return replace(design, kind=kind, pi=pi, stratum=None, stratum_sizes=None)


def _told(aligned: Aligned, *notices: Notice) -> Aligned:
    """Add what a reader must know."""
    return replace(aligned, notices=(*aligned.notices, *notices))


def _how_many(drawn: Drawn) -> str:
    """Say how many drawn items have no label."""
    return f"{int(np.sum(~drawn.answered)):,} of {len(drawn.answered):,} drawn items have no label"


def _p(p_value: float) -> str:
    """Return a p value in words' length."""
    return "p below 0.001" if p_value < 0.001 else f"p {p_value:.2g}"


def _goes(p_value: float) -> str:
    """Say how surely who answered goes with something."""
    return f"{'goes' if p_value < CLEAR else 'may go'} ({_p(p_value)}) with"


def _rate_notice(drawn: Drawn, response: Response, least: int) -> Notice:
    """Tell that the answered items are taken as the draw."""
    p = response.p_value
    tie = ""
    if p < TIED:
        tie = (
            f" Who answered goes with judges or features ({_p(p)}): --nonresponse model allows it."
        )
    elif p >= TIED:
        tie = f" Who answered shows no clear tie to judges and features ({_p(p)})."
    elif least < LEAST:
        tie = " They are too few to see whether answering goes with judges or features."
    within = f" within {drawn.cells}" if drawn.cell.any() else ""
    return Notice(
        "unanswered",
        f"{_how_many(drawn)}. The claim now assumes that they are missing at random{within}, "
        f"which nothing here checks.{tie}{drawn.where}",
    )


def _model_notice(drawn: Drawn, response: Response) -> Notice:
    """Tell that answers are weighted by a model, and what that assumes."""
    p = response.p_value
    tie = f", and who answered {_goes(p)} judges or features" if p < TIED else ""
    return Notice(
        "unanswered",
        f"{_how_many(drawn)}{tie}. Answered items are weighted by a model of who answers, and the "
        "claim now assumes that items alike in judges and features are missing at random, which "
        f"nothing here checks.{drawn.where}",
    )
