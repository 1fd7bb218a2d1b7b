"""What holds for every design: reproducible, free of row order, and what raters may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import make_pool, permuted

from bacon.errors import InputError
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import BernoulliDesign, UniformDesign

if TYPE_CHECKING:
    from bacon.data.sample import Sample

N = 60
PI = np.random.default_rng(5).uniform(0.05, 0.6, size=N).tolist()
DESIGNS = {
    "uniform": UniformDesign(n=12),
    "rate": UniformDesign(rate=0.2),
    "bernoulli": BernoulliDesign(rate=0.3),
    "by column": StratifiedDesign(n=12, strata="system"),
    "by judge": StratifiedDesign(n=12, strata="judge_llama:4", allocation="equal"),
    "by all judges": StratifiedDesign(n=12, strata="judge_mean:3", allocation="neyman"),
    "systematic": ProbabilityDesign(),
    "poisson": ProbabilityDesign(pi="pi", n=20, method="poisson"),
    "clusters": ClusterDesign(n_clusters=5, column="prompt_id"),
}
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=DESIGNS, name="design")
def _design(request: pytest.FixtureRequest) -> object:
    return DESIGNS[request.param]


def draw(design: object, seed: int | None = 3, **roles: object) -> Sample:
    pool = make_pool(N, pi=PI)
    sample: Sample = design.draw(pool, seed=seed, **roles)
    return sample


def test_same_seed_same_draw(design: object) -> None:
    first, second = draw(design), draw(design)
    assert first.same_as(second)
    assert first.sheet is not None
    assert first.sheet.equals(second.sheet)


def test_another_seed_another_draw(design: object) -> None:
    assert not np.array_equal(draw(design, 3).ids, draw(design, 4).ids)


@settings(max_examples=8)
@given(st.permutations(range(N)))
def test_row_order_changes_nothing(order: list[int]) -> None:
    pool = make_pool(N, pi=PI)
    shuffled = permuted(pool, np.array(order))
    for design in DESIGNS.values():
        assert design.draw(pool, seed=3).same_as(design.draw(shuffled, seed=3))


def test_pi_strata_and_sheet_belong_to_the_drawn_ids(design: object) -> None:
    pool = make_pool(N, pi=PI, ids=[f"item {i}" for i in range(N)])
    sample: Sample = design.draw(pool, seed=1)
    assert len(set(sample.ids.tolist())) == sample.n_drawn
    assert sample.sheet is not None
    assert sample.sheet["item_id"].to_list() == sample.ids.tolist()
    assert ((sample.pi > 0) & (sample.pi <= 1)).all()
    assert sample.pool_fingerprint == pool.fingerprint
    assert sample.n_items == N


def test_without_a_seed_one_is_made_and_recorded(design: object) -> None:
    sample = draw(design, seed=None)
    assert draw(design, seed=sample.seed).same_as(sample)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, 2**63])
def test_a_seed_that_is_none_is_refused(design: object, seed: object) -> None:
    with pytest.raises(InputError, match=r"seed must be (a whole number|at most)"):
        draw(design, seed)


def test_judges_group_and_probabilities_are_hidden(design: object) -> None:
    sample = draw(design, hide=["prompt_id"])
    assert sample.hidden == (
        "judge_gpt",
        "judge_gpt__entropy",
        "judge_llama",
        "system",
        "prompt_id",
        "pi",
    )
    assert sample.default_shown == ("answer",)
    assert sample.sheet is not None
    assert sample.sheet.columns == ["item_id", "answer"]


def test_a_column_to_hide_that_does_not_exist_is_refused(design: object) -> None:
    with pytest.raises(InputError, match=r"pool\.csv has no column 'human' to hide"):
        draw(design, hide=["human"])


def test_arrays_cannot_be_written(design: object) -> None:
    sample = draw(design)
    with pytest.raises(ValueError, match="read-only"):
        sample.pi[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        sample.ids[0] = 1


def test_a_text_hidden_on_request_is_not_shown_by_default() -> None:
    sample = draw(UniformDesign(n=2), hide="answer")
    assert sample.default_shown == ()
