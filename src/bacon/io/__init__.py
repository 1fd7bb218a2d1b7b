"""Reading pools, labels and samples from files and frames, refusing what cannot be trusted."""

from bacon.io.labels import read_labels
from bacon.io.pools import read_pool
from bacon.io.samples import read_sample

__all__ = ["read_labels", "read_pool", "read_sample"]
