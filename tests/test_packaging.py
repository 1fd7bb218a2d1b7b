"""What is installed: quick import, public names, types, pins and the changelog."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata, resources
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import bacon

REPOSITORY = Path(__file__).resolve().parents[1]
HEAVY = ("matplotlib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn", "typer")
OLDEST_PYTHON = "3.11.0"
PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.+!]+)( ; .+)?")


def project() -> dict:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_import_loads_no_heavy_library():
    code = f"import bacon, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_public_names_are_sorted_few_and_there():
    names = list(bacon.__all__)
    assert names == sorted(names)
    assert len(set(names)) == len(names) <= 40
    assert [name for name in names if not hasattr(bacon, name)] == []


def test_types_are_shipped():
    assert resources.files("bacon").joinpath("py.typed").is_file()


def test_installed_version_is_the_one_of_the_project():
    assert metadata.version("bacon-eval") == bacon.__version__


def test_changelog_mentions_the_version():
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"(?<![\d.]){re.escape(bacon.__version__)}(?![\d.]*\d)", text)


def pins() -> dict[str, str]:
    """Version of every pinned package; a line of another form fails."""
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    matches = filter(None, map(PIN.fullmatch, lines))
    return {canonicalize_name(match["name"]): match["version"] for match in matches}


def test_constraints_cover_every_direct_dependency():
    extras = project()["optional-dependencies"]
    wanted = map(Requirement, chain(project()["dependencies"], *extras.values()))
    pinned = pins()
    unmet = [
        str(one)
        for one in wanted
        if not one.specifier.contains(pinned.get(canonicalize_name(one.name), "0"))
    ]
    assert unmet == []


def test_every_pin_installs_on_the_oldest_python():
    assert SpecifierSet(project()["requires-python"]).contains(OLDEST_PYTHON)
    pinned = pins()
    too_new = [
        f"{one.name} {one.version} needs Python {one.metadata['Requires-Python']}"
        for one in metadata.distributions()
        if pinned.get(canonicalize_name(one.name)) == one.version
        and not SpecifierSet(one.metadata.get("Requires-Python", "")).contains(OLDEST_PYTHON)
    ]
    assert too_new == []
