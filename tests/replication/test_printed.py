"""Printed values hang together, where the paper prints enough to tell."""

from __future__ import annotations

import pytest

from bacon.replication.printed import PRINTED

SD = 1.098
"""RMSE of the intercept alone in Table 2."""


def test_errors_and_fits_of_the_essays_agree() -> None:
    rows = PRINTED["persuade"].oracle
    assert rows["human-only"][1] == SD
    assert len(rows) == 8
    for r2, rmse, _ in rows.values():
        assert r2 is not None
        assert rmse is not None
        # R2 is one minus the squared RMSE as a share of the variance.
        assert 1.0 - (rmse / SD) ** 2 == pytest.approx(r2, abs=0.01)


def test_errors_and_fits_of_the_pages_agree_about_as_averages_can() -> None:
    rows = PRINTED["webdesign"].oracle
    sd = rows["human-only"][1]
    assert sd == 0.699
    assert len(rows) == 6
    for name in ("full", "judges", "embeddings"):
        r2, rmse, _ = rows[name]
        assert r2 is not None
        assert rmse is not None
        assert 1.0 - (rmse / sd) ** 2 == pytest.approx(r2, abs=0.02)


@pytest.mark.parametrize("study", ["persuade", "mqm", "webdesign"])
def test_the_full_model_fits_better_than_embeddings_alone(study: str) -> None:
    printed = PRINTED[study]
    for row in (printed.oracle, *printed.systems.values()):
        (r2, _, rho), (other_r2, _, other_rho) = row["full"], row["embeddings"]
        assert r2 is not None
        assert other_r2 is not None
        assert r2 > other_r2
        assert rho is not None
        assert other_rho is not None
        assert rho > other_rho


def test_the_tables_of_translations_have_the_same_pooled_row() -> None:
    printed = PRINTED["mqm"]
    assert printed.variance["sqrt-hurdle-ridge"] == printed.oracle["full"]
    assert len(printed.systems) == 10
    # Encoding by the SD and the hurdle each help, in both figures.
    for better, worse in (
        ("sqrt-hurdle-ridge", "sqrt-ridge"),
        ("log-hurdle-ridge", "log-ridge"),
        ("sqrt-hurdle-ridge", "log-hurdle-ridge"),
        ("sqrt-ridge", "log-ridge"),
    ):
        for one, other in zip(printed.variance[better], printed.variance[worse], strict=True):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                assert one > other
