"""Tiny models with random weights, saved as real ones are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PAD, UNKNOWN, START, END = MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = (*MARKS, "the", "sea", "tax", "tea", "salt", "cold", "blue")


def sentence_model(folder: Path) -> Path:
    """Two layers over eleven words, the mean of their vectors, texts of up to 12 tokens."""
    pytest.importorskip("sentence_transformers", reason="the extra transformers is not installed")
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    tokenizer = Tokenizer(models.WordLevel({w: k for k, w in enumerate(WORDS)}, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=12,
        pad_token=PAD,
        unk_token=UNKNOWN,
        cls_token=START,
        sep_token=END,
    )
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
    )
    inner = folder / "inner"
    BertModel(config).save_pretrained(inner)
    fast.save_pretrained(inner)
    body = Transformer(str(inner), max_seq_length=12)
    whole = folder / "tiny-sentences"
    SentenceTransformer(modules=[body, Pooling(8)], device="cpu").save(str(whole))
    return whole


def image_model(folder: Path, kind: str) -> Path:
    """A SigLIP or CLIP model for images of 16 by 16 pixels in patches of 8."""
    pytest.importorskip("transformers", reason="the extra transformers is not installed")
    torch = pytest.importorskip("torch", reason="the extra transformers is not installed")
    from transformers import (
        CLIPConfig,
        CLIPImageProcessor,
        CLIPModel,
        SiglipConfig,
        SiglipImageProcessor,
        SiglipModel,
    )

    torch.manual_seed(1)
    vision = {
        "hidden_size": 8,
        "intermediate_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 16,
        "patch_size": 8,
    }
    text = {
        "hidden_size": 8,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "vocab_size": 20,
        "max_position_embeddings": 8,
    }
    whole = folder / f"tiny-{kind}"
    if kind == "clip":
        config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=6)
        CLIPModel(config).save_pretrained(whole)
        CLIPImageProcessor(
            size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
        ).save_pretrained(whole)
    else:
        config = SiglipConfig(text_config=text, vision_config=vision)
        SiglipModel(config).save_pretrained(whole)
        SiglipImageProcessor(size={"height": 16, "width": 16}).save_pretrained(whole)
    return whole
