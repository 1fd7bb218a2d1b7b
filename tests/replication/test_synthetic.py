"""The synthetic study of two stages: its pool, its points, and what is said of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.factories import bench_script

from bacon.errors import InputError
from bacon.experiments.plan import trial_seed
from bacon.replication import synthetic
from bacon.replication.synthetic import (
    LAMBDAS,
    PILOTS,
    RATES,
    Synthetic,
    SyntheticCell,
    run_synthetic,
    synthetic_cells,
    synthetic_pool,
)
from bacon.replication.synthetic_claims import claims_of_cells
from bacon.replication.synthetic_figures import ALONE, FIGURES, ONE, TWO, Point, draw_figures
from bacon.replication.synthetic_report import report_lines, table_of

if TYPE_CHECKING:
    from pathlib import Path


def test_the_synthetic_pool_is_the_papers() -> None:
    full = synthetic_pool(3.0)
    z = np.asarray(full.pool.embeddings) / 0.95 ** np.arange(64)
    assert np.corrcoef(z.T) == pytest.approx(np.eye(64), abs=1e-9)
    assert z.std(axis=0) == pytest.approx(np.ones(64))
    judge = full.pool.judges[0].scores[:, 0]
    noise = full.y - z[:, :5].sum(axis=1) - judge
    scaled = noise / np.sqrt(0.1 * np.exp(3.0 * z[:, 0]))
    assert scaled.std() == pytest.approx(1.0, abs=0.05)
    assert np.array_equal(synthetic_pool(3.0).y, full.y)


def test_the_papers_grids_are_drawn() -> None:
    cells = list(synthetic_cells())
    assert len(cells) == len(set(cells)) == 16
    assert {one.lam for one in cells} == set(LAMBDAS)
    assert {one.pilot for one in cells if one.lam == 1.5 and one.rate == 0.4} == set(PILOTS)
    assert {one.rate for one in cells if one.lam == 1.5 and one.pilot == 0.15} == set(RATES)
    assert all(one.pilot < one.rate for one in cells)
    assert [one.one_stage.n for one in cells[:2]] == [1_840, 1_840]
    assert SyntheticCell(rate=0.35).one_stage.n == 1_610
    assert len(list(synthetic_cells(quick=True))) == 2


M = 40


def points(*, bias: float = 0.0, ratio: float = 0.1) -> list[Point]:
    """Points whose two stages have a bias, and a share of the variance of one stage."""
    rng = np.random.default_rng(0)
    found = []
    for cell in synthetic_cells():
        noise = rng.normal(size=M)
        noise -= noise.mean()
        found.append(
            Point(
                lam=cell.lam,
                pilot=cell.pilot,
                rate=cell.rate,
                errors={ALONE: 9.0 * noise, ONE: 2.0 * noise, TWO: noise + bias},
                variances={
                    ALONE: np.full(M, 81.0),
                    ONE: np.full(M, 4.0),
                    TWO: np.full(M, 4.0 * ratio),
                },
                n_labels=1_840.2,
            )
        )
    return found


def test_the_table_by_hand() -> None:
    made = points(ratio=0.25)
    row = table_of(made).row(0, named=True)
    assert (row["lambda"], row["pilot"], row["budget"], row["trials"]) == (0.5, 0.15, 0.4, M)
    assert row["design_ratio"] == pytest.approx(0.25)
    assert row["error_ratio"] == pytest.approx(0.25)
    assert row["alone_ratio"] == pytest.approx(1.0 / 81.0)
    assert row["mse_two"] == pytest.approx(np.mean(made[0].errors[TWO] ** 2))
    assert row["bias_two"] == pytest.approx(0.0, abs=1e-12)
    assert row["variance_direct"] == pytest.approx(81.0)


@pytest.mark.parametrize(
    ("settings", "held"),
    [
        ({}, [True, True, True, True]),
        ({"bias": 0.6}, [False, True, True, True]),
        ({"ratio": 0.4}, [True, True, False, True]),
        ({"ratio": 0.6}, [True, True, False, False]),
        ({"ratio": 1.06}, [True, False, False, False]),
    ],
)
def test_claims_fail_where_they_should(settings: dict[str, float], held: list[bool]) -> None:
    table = table_of(points(**settings))
    claims = list(claims_of_cells(table))
    assert [claim.held for claim in claims] == [*held, True, True, True, True]
    text = "\n".join(report_lines(table, claims, [], []))
    assert text.count("**NO**") == held.count(False)
    assert len(re.findall(r"^\| [0-9]", text, flags=re.MULTILINE)) == 16


@pytest.mark.parametrize(
    ("place", "values", "text"),
    [
        ({"lambda": 3.0}, {"alone_ratio": 0.2, "alone_ratio_low": 0.11}, "below a tenth"),
        ({"pilot": 0.3}, {"variance_two": 0.1, "variance_two_high": 0.2}, "a pilot of 0.15"),
        (
            {"budget": 0.2},
            {"variance_two": 99.0, "variance_two_low": 90.0},
            "less than labels alone",
        ),
        (
            {"budget": 0.45},
            {"design_ratio": 0.05, "design_ratio_high": 0.06},
            "gain over one stage",
        ),
    ],
)
def test_what_the_paper_says_fails_where_it_should(
    place: dict[str, float], values: dict[str, float], text: str
) -> None:
    ((key, at),) = place.items()
    table = table_of(points()).with_columns(
        pl.when(pl.col(key) == at).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
        for name, value in values.items()
    )
    failed = [claim.text for claim in claims_of_cells(table) if not claim.held]
    assert len(failed) == 1
    assert text in failed[0]


def test_what_was_not_drawn_is_told() -> None:
    quick = table_of(points()).filter(pl.col("pilot") == 0.15, pl.col("budget") == 0.4)
    claims = list(claims_of_cells(quick))
    assert [claim.held for claim in claims] == [True] * 5 + [None] * 3
    assert all("not run" in claim.found for claim in claims[5:])


def test_figures_are_the_same_bytes(tmp_path: Path) -> None:
    made = points()
    assert draw_figures(made, tmp_path / "a") == tuple(FIGURES)
    draw_figures(made[::-1], tmp_path / "b")
    for name in FIGURES:
        content = (tmp_path / "a" / name).read_bytes()
        assert content == (tmp_path / "b" / name).read_bytes()
        assert b"<svg" in content
    # One point is no sweep.
    assert draw_figures(made[:2], tmp_path / "c") == ("adaptive-lambda.svg",)


@pytest.fixture(name="small")
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small pool, so that the study runs in seconds."""
    monkeypatch.setattr(synthetic, "N_ITEMS", 120)
    monkeypatch.setattr(synthetic, "N_COMPONENTS", 6)


def files(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "draws" not in path.parts
    }


@pytest.mark.usefixtures("small")
def test_a_quick_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_synthetic(tmp_path / "out", quick=True, progress=stop)
    assert told == [(25, 150), (50, 150), (75, 150), (100, 150)]
    assert not (tmp_path / "out" / "report.md").exists()
    told.clear()
    found = run_synthetic(
        tmp_path / "out", quick=True, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(125, 150), (150, 150)]
    assert isinstance(found, Synthetic)
    assert found.figures == ("figures/adaptive-lambda.svg",)
    assert found.table["trials"].to_list() == [25, 25]
    written = files(tmp_path / "out")
    assert set(written) == {"report.md", "synthetic.parquet", *found.figures}
    assert written["report.md"].decode() == found.text
    assert pl.read_parquet(tmp_path / "out" / "synthetic.parquet").equals(found.table)
    # Again: nothing is drawn, and the files are the same.
    again = run_synthetic(tmp_path / "out", quick=True)
    assert again.table.equals(found.table)
    after = files(tmp_path / "out")
    # A program changed meanwhile is told in the report, and in nothing else.
    assert {**after, "report.md": b""} == {**written, "report.md": b""}


def test_bad_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="trials must be a whole number"):
        run_synthetic(tmp_path, trials=0)
    with pytest.raises(InputError, match="workers must be a whole number"):
        run_synthetic(tmp_path, quick=True, workers=0)


@pytest.mark.slow
def test_the_study_is_the_benchmarks_draw_for_draw(tmp_path: Path) -> None:
    found: Any = run_synthetic(tmp_path / "one", quick=True)
    two = run_synthetic(tmp_path / "two", quick=True, workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert two.table.equals(found.table)
    # docs/adaptive.md, with 400 draws: 0.381 and 0.093.
    assert found.table["design_ratio"].to_list() == pytest.approx([0.381, 0.093], rel=0.15)
    assert all(claim.held for claim in found.claims)
    trials = bench_script("lib/adaptive_trials.py")
    cell = trials.Cell("synthetic:3", 0.15, 0.4, "ridge")
    draws = [trials.trial(synthetic_pool(3.0), cell, trial_seed(0, t)) for t in range(3)]
    folder = tmp_path / "one" / "draws" / "lambda-3"
    for name, stages, configuration in (
        ("direct", "one", "human-only"),
        ("one", "one", "ridge"),
        ("two", "two", "ridge"),
    ):
        table = pl.read_parquet(folder / stages / "results.parquet").filter(
            pl.col("configuration") == configuration
        )
        for row, draw in zip(table.head(3).iter_rows(named=True), draws, strict=True):
            assert row["error"] == pytest.approx(draw[f"{name}_error"], rel=1e-12)
            assert row["design_variance"] == pytest.approx(draw[f"{name}_variance"], rel=1e-9)
