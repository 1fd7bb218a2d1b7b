"""Claims hold where figures hold them, and fail where they do not."""

from __future__ import annotations

import polars as pl
import pytest
from tests.replication.cases import study_folder

from bacon.experiments.run import Measured, simulate
from bacon.replication.claims import Claim, claim_lines, claims_of, claims_said
from bacon.replication.protocol import configurations_of, plan_of
from bacon.replication.study import read_study


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Eight draws of the small study."""
    study = read_study(study_folder(tmp_path_factory.mktemp("study")))
    part = study.parts[0]
    return simulate(plan_of(study, part, configurations_of(part, "ridge")), trials=8)


def with_column(measured: Measured, table: str, **values: float | None) -> Measured:
    """The same with figures of the full model replaced."""
    tables = {"summary": measured.summary, "ranking": measured.ranking}
    changed = tables[table].with_columns(
        pl.when(pl.col("configuration") == "full")
        .then(pl.lit(value, dtype=tables[table].schema[name]))
        .otherwise(pl.col(name))
        .alias(name)
        for name, value in values.items()
    )
    tables[table] = changed
    return Measured(measured.results, measured.timing, **tables)


def failed(measured: Measured) -> list[str]:
    """Claims that do not hold."""
    return [claim.text for claim in claims_of(measured) if not claim.held]


def test_the_pattern_holds_on_a_pool_with_good_judges(measured: Measured) -> None:
    assert failed(measured) == []
    assert len(claims_of(measured)) == 4


@pytest.mark.parametrize(
    ("table", "values", "text"),
    [
        ("summary", {"bias": 0.2, "bias_low": 0.15, "bias_high": 0.25}, "no bias beyond"),
        (
            "summary",
            {"rmse_ratio": 1.1, "rmse_ratio_low": 1.01, "rmse_ratio_high": 1.2},
            "less error",
        ),
        ("ranking", {"spearman": 0.1, "spearman_low": 0.0, "spearman_high": 0.2}, "ranked better"),
        (
            "ranking",
            {"coverage_joint": 0.8, "coverage_joint_low": 0.7, "coverage_joint_high": 0.9},
            "hold at once",
        ),
        (
            "ranking",
            {"coverage_joint": 1.0, "coverage_joint_low": 0.99, "coverage_joint_high": 1.0},
            "hold at once",
        ),
    ],
)
def test_each_claim_fails_where_its_figure_does(
    measured: Measured, table: str, values: dict[str, float], text: str
) -> None:
    (only,) = failed(with_column(measured, table, **values))
    assert text in only


def test_without_a_model_nothing_is_claimed(measured: Measured) -> None:
    alone = measured.summary.filter(pl.col("configuration") == "human-only")
    assert claims_of(Measured(measured.results, measured.timing, alone, measured.ranking)) == []


def test_with_few_draws_a_bias_may_be_more_of_its_errors(measured: Measured) -> None:
    far = {"bias": 0.2, "bias_low": 0.1, "bias_high": 0.3}
    many = with_column(measured, "summary", trials=10_000, **far)
    assert len(failed(many)) == 1
    assert failed(with_column(measured, "summary", trials=3, **far)) == []


def test_what_has_no_figures_is_not_judged(measured: Measured) -> None:
    bare = with_column(
        with_column(measured, "summary", rmse_ratio=None, design_ratio=None),
        "ranking",
        spearman=None,
        coverage_joint=None,
    )
    judged = {claim.text: claim.held for claim in claims_of(bare)}
    assert list(judged.values()) == [True, None, None, None]
    assert list(claims_said(claims_of(bare))) == ["1 of 1 claims hold."]


def test_figures_on_the_wrong_side_are_within_error_and_no_yes(measured: Measured) -> None:
    wide = {"rmse_ratio": 1.1, "rmse_ratio_low": 0.9, "rmse_ratio_high": 1.3}
    wide |= {f"design_ratio{end}": None for end in ("", "_low", "_high")}
    claims = claims_of(with_column(measured, "summary", **wide))
    (one,) = [claim for claim in claims if "less error" in claim.text]
    assert (one.held, one.agrees, one.verdict) == (True, False, "within Monte Carlo error")
    assert claim_lines([one])[0].startswith("- within Monte Carlo error: full: less error")


def test_what_is_said_counts_and_names_what_fails() -> None:
    claims = [
        Claim("a", True, "1"),
        Claim("b", False, "2"),
        Claim("c", True, "3", agrees=False),
        Claim("d", None, "4"),
    ]
    assert list(claims_said(claims)) == [
        "1 of 3 claims hold, 1 more within Monte Carlo error: further draws would tell.",
        "  Does not hold: b. 2.",
    ]
    assert list(claims_said([claims[3]])) == []


@pytest.mark.parametrize(("trials", "verdict"), [(3, None), (200, False)])
def test_a_few_draws_that_err_alike_show_no_bias(
    measured: Measured, trials: int, verdict: bool | None
) -> None:
    alike = measured.summary.with_columns(
        pl.lit(0.1).alias(name) for name in ("bias", "bias_low", "bias_high")
    ).with_columns(pl.lit(trials).alias("trials"))
    bias = claims_of(Measured(measured.results, measured.timing, alike, measured.ranking))[0]
    assert bias.held is verdict


def test_rounding_is_no_bias(measured: Measured) -> None:
    rounded = measured.summary.with_columns(
        pl.lit(1e-16).alias(name) for name in ("bias", "bias_low", "bias_high", "rmse")
    ).with_columns(trials=pl.lit(200))
    bias = claims_of(Measured(measured.results, measured.timing, rounded, measured.ranking))[0]
    assert bias.held is True
