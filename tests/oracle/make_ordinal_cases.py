"""Write the small data sets that R ``MASS::polr`` and BACON's proportional odds both fit.

Run by hand, from any directory: ``python tests/oracle/make_ordinal_cases.py``. Equal seeds give
equal files; ``polr.R`` then has to be run again. Features are related to one another, and the
levels are uneven: a rare one, others with gaps between their values.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

CASES = Path(__file__).parent / "ordinal_cases"
SEED = 20260716


def write(name: str, case: int, n: int, n_features: int, levels: list[float]) -> None:
    """Draw `n` rows whose latent outcome falls between uneven cuts, and write them."""
    rng = np.random.default_rng([SEED, case])
    common = rng.standard_normal(n)
    x = 0.8 * common[:, None] + rng.standard_normal((n, n_features))
    slopes = np.linspace(1.2, -0.4, n_features)
    latent = (x @ slopes) + rng.logistic(size=n)
    shares = np.linspace(0.04, 0.9, len(levels) - 1) if len(levels) > 2 else 0.4
    cuts = np.atleast_1d(np.quantile(latent, shares))
    y = np.array(levels)[np.digitize(latent, cuts)]
    with (CASES / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["y", *(f"x{k + 1}" for k in range(n_features))])
        writer.writerows([label, *row] for label, row in zip(y.tolist(), x.round(4), strict=True))


if __name__ == "__main__":
    write("two_levels", 1, 60, 2, [0.0, 1.0])
    write("three_uneven", 2, 80, 3, [-3.0, 0.0, 10.0])
    write("six_levels", 3, 120, 5, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    write("seven_levels", 4, 300, 12, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0])
