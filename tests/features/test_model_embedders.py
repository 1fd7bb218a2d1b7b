"""Embedders with a model in a folder: a tiny one with random weights, saved to disk."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.features.tiny_models import image_model, sentence_model

from bacon.errors import InputError
from bacon.features.embedders.model_folders import check_model_folder

if TYPE_CHECKING:
    from pathlib import Path

# What these libraries warn of on import is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

TEXTS = ["the sea", "tea", "the cold blue sea the tax", "unknown words", "salt " * 40]


@pytest.fixture(name="sentences", scope="module")
def _sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sentence_model(tmp_path_factory.mktemp("sentences"))


@pytest.fixture(name="images", scope="module", params=["siglip", "clip"])
def _images(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_model(tmp_path_factory.mktemp("images"), request.param)


def test_sentence_vectors_are_the_models_means_over_tokens(sentences: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    from bacon.features.embedders.sentence import SentenceEmbedder

    embedder = SentenceEmbedder(sentences, batch=2)
    found = embedder.embed(TEXTS)
    assert found.dtype == np.float32
    assert embedder.model == "sentence-transformers tiny-sentences"
    inner = sentences.parent / "inner"
    tokenizer, model = AutoTokenizer.from_pretrained(inner), AutoModel.from_pretrained(inner)
    for text, vector in zip(TEXTS, found, strict=True):
        read = tokenizer(text, return_tensors="pt", truncation=True, max_length=12)
        with torch.inference_mode():
            mean = model.eval()(**read).last_hidden_state[0].mean(dim=0)
        assert vector == pytest.approx(mean.numpy(), abs=1e-5)


def test_texts_that_are_too_long_for_the_model_are_counted(sentences: Path) -> None:
    from bacon.features.embedders.sentence import SentenceEmbedder

    embedder = SentenceEmbedder(sentences)
    embedder.embed(TEXTS)
    assert embedder.cut == 1


def pictures() -> list:
    from PIL import Image

    rng = np.random.default_rng(0)
    sizes = [(20, 30), (16, 16), (300, 10)]
    return [Image.fromarray(rng.integers(0, 256, size=(h, w, 3), dtype=np.uint8)) for w, h in sizes]


def test_image_vectors_are_the_models_features_of_length_one(images: Path) -> None:
    import torch
    from transformers import AutoImageProcessor, AutoModel

    from bacon.features.embedders.image import ImageEmbedder

    embedder = ImageEmbedder(images, batch=2)
    found = embedder.embed(pictures())
    assert found.dtype == np.float32
    assert found.shape[0] == 3
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)
    prepare = AutoImageProcessor.from_pretrained(images)
    model = AutoModel.from_pretrained(images).eval()
    for picture, vector in zip(pictures(), found, strict=True):
        with torch.inference_mode():
            pooled = model.vision_model(**prepare(images=[picture], return_tensors="pt"))
            feature = pooled.pooler_output
            if hasattr(model, "visual_projection"):
                feature = model.visual_projection(feature)
        feature = feature.numpy()[0]
        assert vector == pytest.approx(feature / np.linalg.norm(feature), abs=1e-5)


def test_a_model_without_an_image_side_is_refused(sentences: Path) -> None:
    from bacon.features.embedders.image import ImageEmbedder

    with pytest.raises(InputError, match=r"images are embedded by siglip, siglip2, clip"):
        ImageEmbedder(sentences.parent / "inner")


def test_weights_that_are_missing_are_not_drawn_at_random(images: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    from bacon.features.embedders.image import ImageEmbedder

    copy = shutil.copytree(images, tmp_path / "copy")
    weights = load_file(copy / "model.safetensors")
    name = next(one for one in weights if one.startswith("vision_model.encoder"))
    save_file(
        {k: v for k, v in weights.items() if k != name},
        copy / "model.safetensors",
        {"format": "pt"},
    )
    with pytest.raises(InputError, match="lacks 1 weights of its model"):
        ImageEmbedder(copy)


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"not weights at all"])
def test_damaged_weights_are_refused_in_one_sentence(
    sentences: Path, tmp_path: Path, content: bytes
) -> None:
    from bacon.features.embedders.sentence import SentenceEmbedder

    copy = shutil.copytree(sentences, tmp_path / "copy")
    for path in copy.rglob("*.safetensors"):
        path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as a model"):
        SentenceEmbedder(copy)


def made(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]" if name == "modules.json" else "{}")
    return folder


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "has no config.json"),
        (("config.json",), "holds no weights as safetensors"),
        (("config.json", "model.safetensors", "deep/pytorch_model.bin"), "can run code"),
        (("config.json", "model.safetensors", "x.PKL"), "can run code"),
    ],
)
def test_folders_that_are_no_models_or_could_run_code_are_refused(
    tmp_path: Path, names: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        check_model_folder(made(tmp_path, *names))


def test_names_of_hubs_are_no_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder: models are read from this machine alone"):
        check_model_folder(tmp_path / "org" / "model")


@pytest.mark.parametrize("kind", ["os.system", "custom.Module", 7, "sentence_transformersx.Y"])
def test_parts_made_by_code_of_their_own_are_refused(tmp_path: Path, kind: object) -> None:
    folder = made(tmp_path, "model.safetensors")
    (folder / "modules.json").write_text(json.dumps([{"type": kind, "path": ""}]))
    with pytest.raises(InputError, match="no part of sentence-transformers"):
        check_model_folder(folder)


def test_modules_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path, "model.safetensors")
    (folder / "modules.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"modules\.json cannot be read"):
        check_model_folder(folder)
