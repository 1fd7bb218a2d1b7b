"""Coverage and bias of the default calibration over real pools with every label known."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

DRAWS = 2000
N_LABELS = 200


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / "coverage.py"
    spec = importlib.util.spec_from_file_location("bench_coverage", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llmjudge_trecdl23", "hanna"])
def test_pool_mean_is_covered_and_unbiased(bench: ModuleType, shared_data: Path, name: str) -> None:
    truth = bench.one_pool(shared_data, name)[1].mean()
    table = bench.draws(shared_data, name, N_LABELS, range(DRAWS))
    value, low, high = table[:, 0], table[:, 1], table[:, 2]
    ends = bench.wilson(int(np.sum((low <= truth) & (truth <= high))), DRAWS)
    # The band fails only where the 99 % Monte Carlo interval of the coverage leaves it.
    assert ends[1] >= 0.93
    assert ends[0] <= 0.97
    assert abs(value.mean() - truth) <= 3.5 * value.std(ddof=1) / math.sqrt(DRAWS)
