"""The part of a calibration that one group of its items makes up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.fitting import fold_plan
from bacon.data.predictions import Predictions
from bacon.data.subpool import items_alone, pool_of_rows
from bacon.estimation.domains import Domain, domain_design
from bacon.outcome.crossfit import CrossFit
from bacon.sampling.columns import categories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.arrays import IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.raters import RowRatings

__all__ = ["Part", "parts_of", "refitted"]


@dataclass(frozen=True, eq=False)
class Part:
    """A group of a calibration.

    Parameters
    ----------
    name : str
        The group.
    rows : (N_g,) int64
        Its rows in the pool, ascending.
    inside : (m_g,) int64
        Positions of its labels among those of the calibration.
    cal : Calibration
        The calibration of its items: predictions of the whole pool's models, and its own labels.
        Its pool has the items alone, since models read the fitter's features.
    domain : Domain
        What its items share with other groups.
    """

    name: str
    rows: IntArray
    inside: IntArray
    cal: Calibration
    domain: Domain

    @property
    def n_units(self) -> int:
        """Number of labels, or of labelled clusters where these were drawn."""
        psu = self.cal.aligned.design.psu
        return len(self.inside) if psu is None else len(np.unique(psu))


def parts_of(cal: Calibration, by: str) -> Iterator[Part]:
    """Yield the part of every group of a column, in the order of the names.

    Raises
    ------
    InputError
        There is no such column, or items without a group.
    """
    codes, names = categories(cal.pool, by, role="groups")
    aligned = cal.aligned
    shared = aligned.psu if cal.pool.cluster is None else cal.pool.cluster.codes
    n_drawn = 0 if aligned.design.psu is None else int(aligned.design.psu.max()) + 1
    key = _draw_key(cal)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(names) + 1))
    items = items_alone(cal.pool)
    for g, name in enumerate(names):
        rows = order[starts[g] : starts[g + 1]]
        design, inside, told = domain_design(
            aligned.design, rows, stratum=aligned.stratum, psu=aligned.psu
        )
        own = replace(
            aligned,
            y=aligned.y[inside],
            design=design,
            n_drawn=len(inside),
            stratum=_recoded(aligned.stratum, rows),
            psu=_recoded(aligned.psu, rows),
            notices=told,
            drawn=None,
            pi=None if aligned.pi is None else aligned.pi[rows],
        )
        domain = Domain(
            pool=cal.pool.fingerprint,
            key=key,
            by=by,
            name=name,
            cluster=None if shared is None else shared[rows],
            psu=None if aligned.design.psu is None else aligned.design.psu[inside],
            n_clusters=0 if shared is None else int(shared.max()) + 1,
            n_drawn=n_drawn,
        )
        part = replace(
            cal,
            pool=pool_of_rows(items, rows),
            aligned=own,
            fitter=replace(
                cal.fitter,
                x=cal.fitter.x[rows],
                rows=design.rows,
                order=_order_within(cal.fitter.order, inside),
            ),
            fitted=CrossFit(cal.fitted.models, _of_rows(cal.fitted.predictions, rows)),
            notices=told,
            response=None,
            ratings=_ratings_within(cal.ratings, inside),
        )
        yield Part(name, rows, inside, part, domain)


def _draw_key(cal: Calibration) -> str:
    """Return what tells the labelled rows of a pool, and how they were drawn, from any others."""
    design = cal.aligned.design
    digest = hashlib.blake2b(f"{cal.pool.fingerprint} {design.kind}".encode(), digest_size=16)
    for array in (cal.pool.order, design.rows, design.pi, design.psu):
        if array is not None:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def refitted(part: Part) -> Calibration:
    """Return a part with a model of its own, which sees the labels of its group alone.

    Raises
    ------
    InputError
        The labels of the group are too few or too alike for the model.
    """
    cal = part.cal
    plan = cal.fitter.plan and fold_plan(cal.pool, cal.aligned, "auto", cal.seed)
    fitter = replace(cal.fitter, plan=plan)
    return replace(cal, fitter=fitter, fitted=fitter.fit(cal.aligned.y))


def _recoded(codes: IntArray | None, rows: IntArray) -> IntArray | None:
    """Return codes of `rows`, numbered anew so that every code occurs."""
    if codes is None:
        return None
    return np.unique(codes[rows], return_inverse=True)[1].astype(np.int64)


def _order_within(order: IntArray, inside: IntArray) -> IntArray:
    """Return the order of the labels `inside` a group, as positions among them."""
    position = np.full(len(order), -1, dtype=np.int64)
    position[inside] = np.arange(len(inside))
    found = position[order]
    return np.asarray(found[found >= 0])


def _of_rows(predictions: Predictions, rows: IntArray) -> Predictions:
    """Return the predictions of some rows."""
    return Predictions(
        predictions.mean[rows],
        predictions.fold[rows],
        predictions.stratum[rows],
        predictions.weights,
    )


def _ratings_within(ratings: RowRatings | None, inside: IntArray) -> RowRatings | None:
    """Return the single ratings of the labels `inside` a group."""
    if ratings is None:
        return None
    kept = np.isin(ratings.item, inside)
    return replace(
        ratings,
        item=np.searchsorted(inside, ratings.item[kept]),
        rater=ratings.rater[kept],
        values=ratings.values[kept],
    )
