"""Embeddings by a sentence-transformers model in a local folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.features.embedders.base import Float32Array, lacking_extra
from bacon.features.embedders.model_folders import UNREADABLE, check_model_folder
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["SentenceEmbedder"]

BATCH = 32


class SentenceEmbedder:
    """A sentence-transformers model, on the processor, without code of its own.

    Parameters
    ----------
    folder : Path
        As ``save_pretrained`` wrote it, with safetensors.
    batch : int
        Texts at once.

    Raises
    ------
    InputError
        The library is not installed, or the folder holds no such model.
    """

    def __init__(self, folder: Path, *, batch: int = BATCH) -> None:
        check_model_folder(folder)
        try:
            from safetensors import SafetensorError
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as told
        except ImportError:
            raise lacking_extra("sentence-transformers", "transformers") from None
        told.disable_progress_bar()
        try:
            self._model = SentenceTransformer(
                str(folder.resolve()),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except (*UNREADABLE, SafetensorError) as error:
            raise InputError(
                f"{shown(str(folder), 120)} cannot be read as a model of sentence-transformers "
                f"({shown(str(error), 160)}); fetch it again, or name another folder."
            ) from None
        self.model = f"sentence-transformers {folder.resolve().name}"
        self.cut = 0
        self._batch = batch

    def embed(self, texts: Sequence[str]) -> Float32Array:
        """Return the model's vectors (n, d); texts longer than it reads are cut and counted."""
        longest = self._model.max_seq_length
        if longest is not None:
            read = self._model.tokenizer(list(texts), truncation=False, verbose=False)
            self.cut += sum(len(ids) > longest for ids in read["input_ids"])
        found = self._model.encode(
            list(texts),
            batch_size=self._batch,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(found, dtype=np.float32)
