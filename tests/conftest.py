"""Fixtures and settings shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and no deadline, since a busy machine is not a defect.
settings.register_profile("bacon", max_examples=50, derandomize=True, deadline=None, database=None)
settings.load_profile("bacon")

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real pools beside the repository."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real pools (../shared/data beside the repository) are not here")
    return folder
