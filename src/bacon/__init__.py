"""BACON: budgeted human calibration with multiple AI judges.

Judge scores of every item and human labels of a few go in; what people would say of all
items comes out, with intervals that hold. Names load when first used, so that importing
bacon stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bacon.version import __version__ as __version__

if TYPE_CHECKING:
    from bacon.calibration.calibrate import calibrate
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.comparing import compare
    from bacon.calibration.saved import load_calibration
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.errors import BaconError
    from bacon.estimation.arrays_api import aee
    from bacon.estimation.compare import contrast
    from bacon.estimation.results import Estimate
    from bacon.estimation.vector import Estimates
    from bacon.io.labels import read_labels
    from bacon.io.pools import read_pool
    from bacon.io.samples import read_sample
    from bacon.monitor.monitor import Monitor
    from bacon.planning.start import plan
    from bacon.sampling.cluster import ClusterDesign
    from bacon.sampling.probability import ProbabilityDesign
    from bacon.sampling.stratified import StratifiedDesign
    from bacon.sampling.two_stage import TwoStageDesign
    from bacon.sampling.uniform import BernoulliDesign, UniformDesign

_HOMES = {
    "BaconError": "bacon.errors",
    "BernoulliDesign": "bacon.sampling.uniform",
    "Calibration": "bacon.calibration.calibration",
    "ClusterDesign": "bacon.sampling.cluster",
    "Estimate": "bacon.estimation.results",
    "Estimates": "bacon.estimation.vector",
    "Labels": "bacon.data.labels",
    "Monitor": "bacon.monitor.monitor",
    "Pool": "bacon.data.pool",
    "ProbabilityDesign": "bacon.sampling.probability",
    "Sample": "bacon.data.sample",
    "StratifiedDesign": "bacon.sampling.stratified",
    "TwoStageDesign": "bacon.sampling.two_stage",
    "UniformDesign": "bacon.sampling.uniform",
    "aee": "bacon.estimation.arrays_api",
    "calibrate": "bacon.calibration.calibrate",
    "compare": "bacon.calibration.comparing",
    "contrast": "bacon.estimation.compare",
    "load_calibration": "bacon.calibration.saved",
    "plan": "bacon.planning.start",
    "read_labels": "bacon.io.labels",
    "read_pool": "bacon.io.pools",
    "read_sample": "bacon.io.samples",
}

__all__ = [
    "BaconError",
    "BernoulliDesign",
    "Calibration",
    "ClusterDesign",
    "Estimate",
    "Estimates",
    "Labels",
    "Monitor",
    "Pool",
    "ProbabilityDesign",
    "Sample",
    "StratifiedDesign",
    "TwoStageDesign",
    "UniformDesign",
    "aee",
    "calibrate",
    "compare",
    "contrast",
    "load_calibration",
    "plan",
    "read_labels",
    "read_pool",
    "read_sample",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bacon' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*globals(), *__all__])
