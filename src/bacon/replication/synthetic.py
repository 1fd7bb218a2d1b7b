"""The paper's synthetic study (appendix D.3): two stages against one where errors are uneven.

Outcomes are drawn once and errors are held against the pool's mean of them (the paper: against
the mean of their expectations).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.experiments.adaptive import AdaptiveDraw
from bacon.experiments.full_pool import FullPool
from bacon.experiments.plan import Plan, design_name
from bacon.experiments.run import simulate
from bacon.experiments.store import CHUNK, parquet
from bacon.files import write_atomically
from bacon.io.pools import read_pool
from bacon.random import stream
from bacon.replication.synthetic_claims import claims_of_cells
from bacon.replication.synthetic_figures import ALONE, ONE, STUDY, TWO, Point, draw_figures
from bacon.replication.synthetic_report import report_lines, table_of
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.experiments.plan import Design
    from bacon.experiments.run import Measured
    from bacon.replication.claims import Claim

__all__ = ["Synthetic", "SyntheticCell", "run_synthetic", "synthetic_cells", "synthetic_pool"]

N_ITEMS = 4_600
N_COMPONENTS = 64
LAMBDAS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
PILOTS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
RATES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
QUICK_LAMBDAS = (1.5, 3.0)
TRIALS, QUICK_TRIALS = 400, CHUNK
MODEL = "ridge"
LABELS = "human-only"
CHANGED = "program_changed"


@dataclass(frozen=True)
class SyntheticCell:
    """One point of the study's grids; by default the point that all sweeps share.

    Parameters
    ----------
    lam : float
        How much the variance of the errors grows with the first component.
    pilot, rate : float
        Share of the pool in the pilot, and in both stages.
    """

    lam: float = STUDY[0]
    pilot: float = STUDY[1]
    rate: float = STUDY[2]

    @property
    def two_stages(self) -> AdaptiveDraw:
        """The draw in two stages."""
        return AdaptiveDraw(rate=self.rate, pilot=self.pilot, model=MODEL)

    @property
    def one_stage(self) -> UniformDesign:
        """The simple draw of as many labels."""
        return UniformDesign(n=math.floor(self.rate * N_ITEMS + 1e-9))


@dataclass(frozen=True, eq=False)
class Synthetic:
    """What the synthetic study found.

    Parameters
    ----------
    table : polars.DataFrame
        One row a point: bias and mean squared error of labels alone, one stage and two stages,
        by errors and by design, and their ratios, with 99 % Monte Carlo intervals.
    claims : tuple of Claim
        What the paper and this project say of it, each held against the figures.
    figures : tuple of str
        Files in the folder of the study.
    notices : tuple of Notice
        What a reader must know.
    text : str
        The report in Markdown.
    """

    table: pl.DataFrame
    claims: tuple[Claim, ...]
    figures: tuple[str, ...]
    notices: tuple[Notice, ...]
    text: str


def synthetic_pool(lam: float) -> FullPool:
    """Return the pool of the paper's appendix D.3 with standard normals for its embeddings.

    Parameters
    ----------
    lam : float
        Heteroskedasticity, 0 for errors that are all alike.

    Returns
    -------
    FullPool
        4,600 items with a judge average and 64 principal components, independent standard
        normals; y = PC1 + ... + PC5 + average + error, and the variance of the error is
        0.1 exp(lambda PC1). The same for every call.

    Examples
    --------
    >>> full = synthetic_pool(3.0)
    >>> full.pool.n_items, full.pool.embeddings.shape
    (4600, (4600, 64))
    """
    z = stream(0, "synthetic components").normal(size=(N_ITEMS, N_COMPONENTS + 1))
    z -= z.mean(axis=0)
    # Principal components are uncorrelated over their items, to the last digit.
    q, r = np.linalg.qr(z)
    z = q * np.sign(np.diag(r)) * math.sqrt(N_ITEMS)
    noise = stream(0, f"synthetic noise {lam:g}").normal(size=N_ITEMS)
    y = z[:, :5].sum(axis=1) + z[:, -1] + np.sqrt(0.1 * np.exp(lam * z[:, 0])) * noise
    # Their variances fall, or nobody could tell the first from the last.
    embeddings = z[:, :-1] * 0.95 ** np.arange(N_COMPONENTS)
    table = {"item_id": np.arange(N_ITEMS), "judge_average": z[:, -1]}
    pool = replace(read_pool(table, embeddings=embeddings), notices=())
    return FullPool(name=f"synthetic-{lam:g}", pool=pool, y=y)


def synthetic_cells(*, quick: bool = False) -> Iterator[SyntheticCell]:
    """Yield the points of the paper's grids; quick, two points of the first."""
    shared = SyntheticCell()
    yield from (replace(shared, lam=lam) for lam in (QUICK_LAMBDAS if quick else LAMBDAS))
    if not quick:
        yield from (replace(shared, pilot=one) for one in PILOTS if one != shared.pilot)
        yield from (replace(shared, rate=one) for one in RATES if one != shared.rate)


def run_synthetic(
    out: Path | str,
    *,
    trials: int | None = None,
    workers: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    quick: bool = False,
) -> Synthetic:
    """Run the paper's synthetic study, or go on with one that was stopped.

    Parameters
    ----------
    out : path
        Folder of the study: draws, ``synthetic.parquet``, ``report.md`` and ``figures``.
    trials : int, optional
        Draws of each point; 400, or 25 of a quick run.
    workers : int
        Processes; results are the same for any number.
    seed : int
        Seed of all draws; the pools are always the same.
    progress : callable, optional
        Told of draws done and draws in all.
    quick : bool
        Two points: a look at whether it runs.

    Returns
    -------
    Synthetic

    Raises
    ------
    InputError
        A setting cannot be used, or the folder holds another experiment.
    """
    folder = Path(out)
    cells = list(synthetic_cells(quick=quick))
    trials = (QUICK_TRIALS if quick else TRIALS) if trials is None else trials
    points, notices = _drawn(cells, folder / "draws", _How(trials, workers, seed, progress))
    table = table_of(points)
    claims = tuple(claims_of_cells(table))
    figures = draw_figures(points, folder / "figures")
    write_atomically(folder / "synthetic.parquet", parquet(table), overwrite=True)
    files = tuple(f"figures/{name}" for name in figures)
    text = "\n".join(report_lines(table, claims, files, notices)) + "\n"
    write_atomically(folder / "report.md", text.encode(), overwrite=True)
    return Synthetic(table, claims, files, notices, text)


@dataclass(frozen=True)
class _How:
    """How the study is drawn; see :func:`run_synthetic`."""

    trials: int
    workers: int
    seed: int
    progress: Callable[[int, int], None] | None


def _drawn(
    cells: Sequence[SyntheticCell], folder: Path, how: _How
) -> tuple[list[Point], tuple[Notice, ...]]:
    """Draw every point, and return them with what must be told."""
    lambdas = list(dict.fromkeys(cell.lam for cell in cells))
    plans: dict[tuple[float, str], Plan] = {}
    for lam in lambdas:
        full = synthetic_pool(lam)
        own = [cell for cell in cells if cell.lam == lam]
        one: list[Design] = list(dict.fromkeys(cell.one_stage for cell in own))
        two: list[Design] = [cell.two_stages for cell in own]
        plans[lam, ONE] = Plan(full, one, [LABELS, MODEL], seed=how.seed)
        # Apart, so that no pilot is calibrated for the sake of labels alone.
        plans[lam, TWO] = Plan(full, two, [MODEL], seed=how.seed)
    measured: dict[tuple[float, str], Measured] = {}
    sizes = [
        len(plan.designs) * len(plan.named) * CHUNK * math.ceil(how.trials / CHUNK)
        for plan in plans.values()
    ]
    for place, (key, plan) in enumerate(plans.items()):
        lam, stages = key
        measured[key] = simulate(
            plan,
            trials=how.trials,
            workers=how.workers,
            out=folder / f"lambda-{lam:g}" / stages,
            progress=_onwards(how.progress, sum(sizes[: place + 1]), sum(sizes)),
        )
    points = [_point(cell, measured[cell.lam, ONE], measured[cell.lam, TWO]) for cell in cells]
    return points, _notices(measured.values())


def _notices(measured: Iterable[Measured]) -> tuple[Notice, ...]:
    """Return what must be told, once, of all experiments of the study."""
    changed = Notice(
        CHANGED,
        "Some draws were made with another state of this program, and are kept; name another "
        "folder to make all of them anew.",
    )
    every = [one for found in measured for one in found.notices]
    return tuple(dict.fromkeys(changed if one.code == CHANGED else one for one in every))


def _onwards(
    progress: Callable[[int, int], None] | None, upto: int, total: int
) -> Callable[[int, int], None] | None:
    """Return the progress of one experiment as that of all, of which it ends at `upto`."""
    if progress is None:
        return None
    return lambda done, own: progress(upto - own + done, total)


def _point(cell: SyntheticCell, one: Measured, two: Measured) -> Point:
    """Return errors and design variances of a point, by trial."""
    tables = {
        ALONE: _of(one, cell.one_stage, LABELS),
        ONE: _of(one, cell.one_stage, MODEL),
        TWO: _of(two, cell.two_stages, MODEL),
    }

    def column(name: str) -> dict[str, FloatArray]:
        return {method: table[name].to_numpy() for method, table in tables.items()}

    labels = column("n_labels")[TWO]
    return Point(
        lam=cell.lam,
        pilot=cell.pilot,
        rate=cell.rate,
        errors=column("error"),
        variances=column("design_variance"),
        n_labels=float(labels.mean()),
    )


def _of(measured: Measured, design: Design, configuration: str) -> pl.DataFrame:
    """Return the draws of a design and configuration, by trial."""
    import polars as pl

    return measured.results.filter(
        (pl.col("design") == design_name(design)) & (pl.col("configuration") == configuration)
    ).sort("trial")
