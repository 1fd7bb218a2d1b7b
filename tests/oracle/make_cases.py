"""Write the small pools that R ``survey`` and BACON are both run on.

Run by hand, from any directory: ``python tests/oracle/make_cases.py``. Equal seeds give
equal files; ``survey.R`` then has to be run again (``make oracle`` does both). A blank y is
an item that was not drawn. Predictions are biased and imperfect on purpose: they are fixed
numbers here, so that nothing but the estimator and its variance is compared.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = Path(__file__).parent / "cases"
SEED = 20260716
CONSTANT = 250.0
"""The prediction of the constant cases; any number does, it cancels."""


def generator(case: int) -> np.random.Generator:
    """Return the generator of one case, so that changing a case leaves the others alone."""
    return np.random.default_rng([SEED, case])


def outcome_and_prediction(
    rng: np.random.Generator, n_items: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Draw a skewed outcome and a prediction that is too high and too flat."""
    signal = rng.standard_normal(n_items)
    y = 2.0 + signal + 0.6 * np.exp(0.7 * rng.standard_normal(n_items))
    f = 3.4 + 0.7 * signal + 0.3 * rng.standard_normal(n_items)
    return y.round(4), f.round(4)


def mark(n_items: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return the (N,) mask that is true at `rows`."""
    drawn = np.zeros(n_items, dtype=bool)
    drawn[rows] = True
    return drawn


def draw_in_strata(
    rng: np.random.Generator, stratum: npt.NDArray[np.str_], sizes: Mapping[str, int]
) -> npt.NDArray[np.bool_]:
    """Draw `sizes` items without replacement in each stratum."""
    rows = [
        rng.choice(np.flatnonzero(stratum == name), size=size, replace=False)
        for name, size in sizes.items()
    ]
    return mark(len(stratum), np.concatenate(rows))


def probabilities(
    rng: np.random.Generator, f: npt.NDArray[np.float64], n: int
) -> npt.NDArray[np.float64]:
    """Return unequal pi with sum `n`; the first item is drawn with certainty."""
    size = np.exp(0.25 * f + 0.3 * rng.standard_normal(len(f)))
    pi = np.asarray((n - 1) * size / size[1:].sum()).round(6)
    pi[0] = 1.0
    pi[-1] = round(pi[-1] + n - pi.sum(), 6)
    return pi


def write(
    name: str,
    drawn: npt.NDArray[np.bool_],
    outcomes: Mapping[str, npt.NDArray[np.float64]],
    known: Mapping[str, npt.NDArray[np.generic]],
) -> None:
    """Write one pool: `known` columns in full, `outcomes` blank where not drawn."""
    CASES.mkdir(exist_ok=True)
    with (CASES / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["item", *known, *outcomes])
        for i, labelled in enumerate(drawn):
            labels = [column[i] if labelled else "" for column in outcomes.values()]
            rows.writerow([i + 1, *(column[i] for column in known.values()), *labels])


def simple() -> None:
    """Simple random sample: 30 of 120."""
    rng = generator(1)
    y, f = outcome_and_prediction(rng, 120)
    write("simple", mark(120, rng.choice(120, size=30, replace=False)), {"y": y}, {"f": f})


def stratified() -> None:
    """Four strata of 20 to 80 items with unequal sampling fractions."""
    rng = generator(2)
    y, f = outcome_and_prediction(rng, 200)
    stratum = rng.permutation(np.repeat(["a", "b", "c", "d"], [80, 60, 40, 20]))
    y = (y + 0.8 * (stratum == "c") - 0.5 * (stratum == "d")).round(4)
    drawn = draw_in_strata(rng, stratum, {"a": 8, "b": 11, "c": 6, "d": 15})
    write("stratified", drawn, {"y": y}, {"stratum": stratum, "f": f})


def poisson() -> None:
    """Independent draws with unequal pi, 35 expected of 150."""
    rng = generator(3)
    y, f = outcome_and_prediction(rng, 150)
    pi = probabilities(rng, f, 35)
    write("poisson", rng.random(150) < pi, {"y": y}, {"pi": pi, "f": f})


def fixed() -> None:
    """Systematic sample of exactly 32 of 140 with unequal pi."""
    rng = generator(4)
    y, f = outcome_and_prediction(rng, 140)
    pi = probabilities(rng, f, 32)
    order = rng.permutation(140)
    ends = np.cumsum(pi[order])
    ticks = rng.random() + np.arange(32)
    write("fixed", mark(140, order[np.searchsorted(ends, ticks)]), {"y": y}, {"pi": pi, "f": f})


def clusters() -> None:
    """Nine whole clusters of 30, each of 3 to 12 items, rows in random order."""
    rng = generator(5)
    psu = rng.permutation(np.repeat(np.arange(1, 31), rng.integers(3, 13, size=30)))
    y, f = outcome_and_prediction(rng, len(psu))
    y = (y + 0.9 * rng.standard_normal(31)[psu]).round(4)
    drawn = np.isin(psu, rng.choice(np.arange(1, 31), size=9, replace=False))
    write("clusters", drawn, {"y": y}, {"psu": psu, "f": f})


def constant_outcomes(rng: np.random.Generator, n_items: int) -> dict[str, npt.NDArray[np.float64]]:
    """Draw y without ties, a related positive y2, and a yes-or-no z."""
    latent = rng.standard_normal(n_items)
    y = (300 + 80 * latent + 30 * rng.standard_normal(n_items) ** 2).round(4)
    y2 = (50 + 0.2 * y + 6 * rng.standard_normal(n_items)).round(4)
    z = (latent + 0.8 * rng.standard_normal(n_items) > 0.7).astype(np.float64)
    return {"y": y, "y2": y2, "z": z}


def simple_constant() -> None:
    """Constant f, 40 of 200: every weight is exactly 5, so that R's sums of weights are exact."""
    rng = generator(6)
    outcomes = constant_outcomes(rng, 200)
    drawn = mark(200, rng.choice(200, size=40, replace=False))
    write("simple_constant", drawn, outcomes, {"f": np.full(200, CONSTANT)})


def stratified_constant() -> None:
    """Constant f, four strata with the whole-number weights 10, 5, 4 and 2."""
    rng = generator(7)
    outcomes = constant_outcomes(rng, 200)
    stratum = rng.permutation(np.repeat(["a", "b", "c", "d"], [80, 60, 40, 20]))
    drawn = draw_in_strata(rng, stratum, {"a": 8, "b": 12, "c": 10, "d": 10})
    known = {"stratum": stratum, "f": np.full(200, CONSTANT)}
    write("stratified_constant", drawn, outcomes, known)


if __name__ == "__main__":
    for case in (
        simple,
        stratified,
        poisson,
        fixed,
        clusters,
        simple_constant,
        stratified_constant,
    ):
        case()
