"""Embeddings of images by a SigLIP or CLIP model in a local folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import InputError
from bacon.features.embedders.base import Float32Array, lacking_extra
from bacon.features.embedders.model_folders import UNREADABLE, check_model_folder
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL import Image

__all__ = ["ImageEmbedder"]

KINDS = ("siglip", "siglip2", "clip")
BATCH = 32


class ImageEmbedder:
    """The image side of a SigLIP or CLIP model, on the processor, without code of its own.

    Parameters
    ----------
    folder : Path
        As ``save_pretrained`` wrote it, with safetensors and ``preprocessor_config.json``.
    batch : int
        Images at once.

    Raises
    ------
    InputError
        The library is not installed, or the folder holds no such model.
    """

    def __init__(self, folder: Path, *, batch: int = BATCH) -> None:
        check_model_folder(folder)
        name = shown(str(folder), 120)
        try:
            import torch
            from safetensors import SafetensorError
            from transformers import AutoConfig, AutoImageProcessor, AutoModel
            from transformers.utils import logging as told
        except ImportError:
            raise lacking_extra("transformers", "transformers") from None
        told.disable_progress_bar()
        where = str(folder.resolve())
        only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            kind = AutoConfig.from_pretrained(where, **only).model_type
            if kind not in KINDS:
                raise InputError(
                    f"{name} holds a model of kind {shown(str(kind), 40)}; images are embedded by "
                    f"{', '.join(KINDS)}."
                )
            self._prepare = AutoImageProcessor.from_pretrained(where, **only)
            loaded, told_of = AutoModel.from_pretrained(
                where, use_safetensors=True, output_loading_info=True, dtype=torch.float32, **only
            )
        except (*UNREADABLE, SafetensorError) as error:
            raise InputError(
                f"{name} cannot be read as a model ({shown(str(error), 160)}); fetch it again, or "
                "name another folder."
            ) from None
        lacking = sorted(told_of["missing_keys"])
        if lacking:
            raise InputError(
                f"{name} lacks {len(lacking):,} weights of its model, {lacking[0]} among them, "
                "which would be drawn at random; fetch it again."
            )
        self._torch = torch
        self._model = loaded.eval()
        self._batch = batch
        self.model = f"{kind} {folder.resolve().name}"

    def embed(self, images: Sequence[Image.Image]) -> Float32Array:
        """Return the model's image features (n, d), each of length one."""
        parts = []
        for start in range(0, len(images), self._batch):
            some = list(images[start : start + self._batch])
            with self._torch.inference_mode():
                read = self._prepare(images=some, return_tensors="pt")
                found = self._model.get_image_features(**read)
            # A tensor in earlier versions of the library.
            pooled = getattr(found, "pooler_output", found)
            parts.append(pooled.numpy())
        features = np.concatenate(parts).astype(np.float32)
        lengths = np.linalg.norm(features, axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return np.asarray(features / lengths, dtype=np.float32)
