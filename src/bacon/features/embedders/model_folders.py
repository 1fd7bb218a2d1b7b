"""Folders of models: only local ones, only weights that cannot run code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.words import shown

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["UNREADABLE", "check_model_folder"]

UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError)
"""What libraries raise where a folder holds something else than they expect."""

PICKLED = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".npy", ".npz", ".h5")
"""Endings of weights that are pickled, or may hold what is."""


def check_model_folder(folder: Path) -> None:
    """Refuse what is no local folder of a model, and one with files that could run code.

    Parameters
    ----------
    folder : Path
        As ``save_pretrained`` writes it.

    Raises
    ------
    InputError
        No such folder, no ``config.json`` or ``modules.json``, no safetensors, pickled weights
        anywhere in it, or parts made by code of its own.
    """
    name = shown(str(folder), 120)
    if not folder.is_dir():
        raise InputError(
            f"{name} is no folder: models are read from this machine alone, so fetch it first and "
            "name its folder with --model."
        )
    if not any((folder / one).is_file() for one in ("config.json", "modules.json")):
        raise InputError(f"{name} has no config.json; name the folder that a model was saved into.")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    pickled = next((path for path in files if path.suffix.lower() in PICKLED), None)
    if pickled is not None:
        raise InputError(
            f"{name} holds {shown(str(pickled.relative_to(folder)), 80)}, and such files can run "
            "code when they are read; save the model as safetensors, or take the file away if "
            "those are there too."
        )
    if not any(path.suffix == ".safetensors" for path in files):
        raise InputError(f"{name} holds no weights as safetensors; save the model in that form.")
    _check_modules(folder / "modules.json", name)


def _check_modules(path: Path, name: str) -> None:
    """Refuse parts of a model that are not those of sentence-transformers."""
    if not path.is_file():
        return
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        kinds = [part["type"] for part in parts]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise InputError(f"{name}: modules.json cannot be read; fetch the model again.") from None
    for kind in kinds:
        if not (isinstance(kind, str) and kind.startswith("sentence_transformers.")):
            raise InputError(
                f"{name}: modules.json names {shown(str(kind), 60)}, which is no part of "
                "sentence-transformers; code of models is not run, so take another model."
            )
