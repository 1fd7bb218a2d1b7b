"""Saving a calibration as JSON and npz, and using it on new items."""

from __future__ import annotations

import io
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.baseline import baseline_record
from bacon.errors import InputError
from bacon.features.feature_map import Column, FeatureMap, feature_matrix
from bacon.files import write_together
from bacon.outcome.persist import can_keep, keep_models, restore_model
from bacon.signed import digest, read_signed, signed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Pool
    from bacon.outcome.base import FittedModel

__all__ = ["SavedCalibration", "load_calibration", "save_calibration"]

SCHEMA = "bacon-calibration/3"


@dataclass(frozen=True, eq=False)
class SavedCalibration:
    """A calibration read back: it scores new items and shows the result it was saved with.

    Parameters
    ----------
    source : str
        File it came from.
    result : mapping
        The result record at the time of saving.
    text : str
        The summary at the time of saving.
    scale : (float, float) or None
        Lowest and highest possible label.
    monitoring : mapping
        What later labels and judge scores are held against
        (:func:`bacon.calibration.baseline.baseline_record`).
    digest : str
        Digest of the calibration: which one it is.
    """

    source: str
    result: Mapping[str, Any] = field(repr=False)
    text: str = field(repr=False)
    scale: tuple[float, float] | None
    monitoring: Mapping[str, Any] = field(repr=False)
    digest: str
    feature_map: FeatureMap = field(repr=False)
    model: FittedModel = field(repr=False)

    def summary(self) -> str:
        """Return the summary as it was when saved."""
        return self.text

    def scores(self, pool: Pool) -> FloatArray:
        """Return the scores (N,) of :meth:`predict` in the order of the pool's rows."""
        score = self.model.predict(feature_matrix(pool, self.feature_map))
        return score if self.scale is None else np.clip(score, *self.scale)

    def predict(self, pool: Pool) -> Any:
        """Return the calibrated score of every item of a pool, new or old.

        Parameters
        ----------
        pool : Pool
            Items with the same judges and features.

        Returns
        -------
        frame
            item_id and score, in the library the pool came from. Scores are surrogates: no
            human has seen these items, and no interval comes with them. Cut to the scale
            where one was stated.

        Raises
        ------
        InputError
            The pool lacks a judge, a feature or the embeddings of the calibration.
        """
        import polars as pl

        from bacon.io.frames import to_backend

        score = self.scores(pool)
        ids = pl.Series(pool.ids.tolist())
        return to_backend(pl.DataFrame({"item_id": ids, "score": score}), pool.backend)


def _paths(path: Path) -> tuple[Path, Path]:
    """Return the JSON and npz files of a calibration called `path`."""
    if not path.name:
        raise InputError(f"name the calibration, such as cal for cal.json and cal.npz; got {path}.")
    stem = path.with_suffix("") if path.suffix in (".json", ".npz") else path
    return stem.with_name(stem.name + ".json"), stem.with_name(stem.name + ".npz")


def save_calibration(cal: Calibration, path: Path, *, overwrite: bool) -> None:
    """Write models, features and result; see :meth:`Calibration.save`."""
    if cal.model == "human-only" or cal.levels is not None:
        why = "it has no model" if cal.model == "human-only" else "its labels are words"
        raise InputError(f"this calibration cannot score new items, as {why}; it is not saved.")
    if not can_keep(cal.fitted.models):
        raise InputError(
            f"model {cal.model} is your own and cannot be kept in a file; calibrate with a named "
            "model to save."
        )
    predictions = cal.fitted.predictions
    labelled = np.bincount(
        predictions.stratum[cal.aligned.design.rows], minlength=len(predictions.weights)
    )
    weights = labelled @ predictions.weights / labelled.sum()
    model, arrays = keep_models(cal.fitted.models, weights)
    if cal.feature_map.components is not None and cal.feature_map.embedding_centre is not None:
        arrays["components"] = cal.feature_map.components
        arrays["embedding_centre"] = cal.feature_map.embedding_centre
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    payload = buffer.getvalue()
    record = {
        "schema": SCHEMA,
        "arrays_blake2b": digest(payload),
        "columns": [asdict(column) for column in cal.feature_map.columns],
        "model": model,
        "scale": None if cal.scale is None else [float(end) for end in cal.scale],
        "result": cal.to_dict(),
        "summary": cal.summary(),
        "monitoring": baseline_record(cal),
    }
    json_path, npz_path = _paths(path)
    write_together({npz_path: payload, json_path: signed(record)}, overwrite=overwrite)


def _damaged(path: Path) -> InputError:
    """Return the error for a file that is no whole calibration."""
    return InputError(
        f"{path}: is not a calibration saved by this version of bacon, or is damaged; save it "
        "again."
    )


def load_calibration(path: str | Path) -> SavedCalibration:
    """Read a calibration that was saved by ``cal.save(path)``.

    Parameters
    ----------
    path : str or Path
        The name given to ``save``, with or without its ending.

    Returns
    -------
    SavedCalibration

    Raises
    ------
    InputError
        A file is missing, damaged, or the two do not belong together.

    Examples
    --------
    ``bacon.load_calibration("cal").predict(new_pool)``
    """
    json_path, npz_path = _paths(Path(path))
    try:
        text_bytes, payload = json_path.read_bytes(), npz_path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{error.filename} cannot be read ({error.strerror}); a calibration is the two files "
            f"{json_path.name} and {npz_path.name} together."
        ) from None
    record = read_signed(text_bytes, SCHEMA)
    if record is None:
        raise _damaged(json_path)
    if digest(payload) != record.get("arrays_blake2b"):
        raise InputError(
            f"{npz_path}: does not belong to {json_path.name}; the two files were not saved "
            "together. Copy both again."
        )
    try:
        columns = tuple(Column(**column) for column in record["columns"])
        with np.load(io.BytesIO(payload), allow_pickle=False) as stored:
            arrays: dict[str, FloatArray] = {name: stored[name] for name in stored.files}
        scale = None if record["scale"] is None else (record["scale"][0], record["scale"][1])
        model = restore_model(record["model"], arrays, len(columns))
        result, text, monitoring = record["result"], record["summary"], record["monitoring"]
    except (KeyError, TypeError, ValueError, IndexError, EOFError, zipfile.BadZipFile):
        raise _damaged(json_path) from None
    feature_map = FeatureMap(columns, arrays.get("components"), arrays.get("embedding_centre"))
    return SavedCalibration(
        json_path.name,
        result,
        text,
        scale,
        monitoring,
        record["blake2b"],
        feature_map,
        model,
    )
