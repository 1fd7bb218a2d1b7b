"""Imports go one way: a room of the package imports rooms of lower layers and itself only."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "bacon"

# From the bottom up. Rooms of one layer know nothing of each other, except in the first,
# which is one foundation. FRONT is the package's __init__.py, where the public names stand.
FRONT = "__init__"
FOUNDATION = (
    "version",
    "errors",
    "arrays",
    "random",
    "fingerprint",
    "files",
    "checks",
    "data",
    "judge_scores",
    "signed",
    "simplex",
    "sink",
    "words",
)
LAYERS: tuple[tuple[str, ...], ...] = (
    FOUNDATION,
    ("io", "config", "judges", "features", "sampling", "outcome", "estimation", "items"),
    ("calibration",),
    ("inspection", "planning", "monitor", "experiments", "engine", "labelling", "report"),
    ("study", "demo", "replication"),
    (FRONT,),
    ("cli",),
)
LEVEL = {room: level for level, layer in enumerate(LAYERS) for room in layer}


def modules(package: Path) -> Iterator[tuple[Path, str]]:
    """Every file of the package with the room it belongs to."""
    for path in sorted(package.rglob("*.py")):
        yield path, path.relative_to(package).with_suffix("").parts[0]


def imported_rooms(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """Line and room of every import from the package, wherever in the file it stands."""
    here = [package.name, *path.relative_to(package).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            targets = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in targets:
            first, *rest = target.split(".")
            if first == package.name:
                yield node.lineno, room_of(rest, package)


def room_of(parts: list[str], package: Path) -> str:
    """The room that the dotted path after the package's name leads into."""
    if parts and ((package / parts[0]).is_dir() or (package / f"{parts[0]}.py").is_file()):
        return parts[0]
    return FRONT


def complaints(package: Path) -> list[str]:
    """One sentence for every import against the direction and every room without a place."""
    unplaced = sorted({room for _, room in modules(package)} - set(LEVEL))
    found = [
        f"{room} has no place in LAYERS of tests/test_layers.py; give it one" for room in unplaced
    ]
    for path, room in modules(package):
        for line, target in imported_rooms(path, package):
            if room in unplaced or target in unplaced or may_import(room, target):
                continue
            where = f"{path.relative_to(package)}:{line}"
            found.append(f"{where}: {room} imports {target}, which is not below it")
    return found


def may_import(room: str, target: str) -> bool:
    """Whether `room` may know `target`."""
    same_foundation = room in FOUNDATION and target in FOUNDATION
    return room == target or same_foundation or LEVEL[target] < LEVEL[room]


def test_imports_go_one_way():
    assert complaints(PACKAGE) == []


def package_of(folder: Path, files: dict[str, str]) -> Path:
    package = folder / "bacon"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return package


def test_allowed_imports_pass(tmp_path):
    package = package_of(
        tmp_path,
        {
            "__init__.py": "from bacon.calibration import calibrate",
            "errors.py": "import math",
            "data/__init__.py": "",
            "data/pool.py": "from bacon.errors import BaconError\nfrom bacon.data import other",
            "outcome/ridge.py": "from bacon import errors\nimport bacon.data.pool",
            "calibration.py": "from bacon.outcome.ridge import fit\ncalibrate = fit",
            "cli/main.py": "import bacon\nfrom bacon import calibrate",
        },
    )
    assert complaints(package) == []


def test_every_kind_of_forbidden_import_is_found(tmp_path):
    package = package_of(
        tmp_path,
        {
            "__init__.py": "",
            "errors.py": "import bacon.calibration",
            "sampling/uniform.py": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from bacon.outcome.ridge import Ridge",
            "outcome/ridge.py": "def f():\n    from ..sampling import uniform",
            "calibration.py": "from bacon import calibrate",
            "cellar.py": "",
        },
    )
    assert complaints(package) == [
        "cellar has no place in LAYERS of tests/test_layers.py; give it one",
        "calibration.py:1: calibration imports __init__, which is not below it",
        "errors.py:1: errors imports calibration, which is not below it",
        "outcome/ridge.py:2: outcome imports sampling, which is not below it",
        "sampling/uniform.py:3: sampling imports outcome, which is not below it",
    ]
