"""Embedders without a model of their own: hashed n-grams, and word vectors of a package."""

from __future__ import annotations

import itertools
import logging
import socket
from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.features.embedders import tfidf
from bacon.features.embedders.base import clean_text
from bacon.features.embedders.tfidf import fit_tfidf

TEXTS = (
    "The sea is blue and cold.",
    "The sea was grey, and colder still!",
    "A tax on salt was paid.",
    "The tax on tea: nobody paid it.",
    "Tea and salt, salt and tea.",
    "The cold sea, the blue sea.",
)


def grams(text: str) -> Counter[tuple[str, str]]:
    """Words and pairs of words; two to four letters within words that have blanks around them."""
    words = [w.strip(".,:!") for w in text.lower().split()]
    words = [w for w in words if len(w) > 1]
    found = Counter(("word", w) for w in words)
    found.update(("word", f"{a} {b}") for a, b in itertools.pairwise(words))
    for word in text.lower().split():
        padded = f" {word} "
        for n in (2, 3, 4):
            found.update(("char", padded[i : i + n]) for i in range(len(padded) - n + 1))
    return found


def by_hand(texts: tuple[str, ...]) -> np.ndarray:
    counted = [grams(text) for text in texts]
    having = Counter(gram for one in counted for gram in one)
    shared = sorted(gram for gram, count in having.items() if count > 1)
    rows = []
    for one in counted:
        row = [
            (1 + log(one[g])) * (1 + log((1 + len(texts)) / (1 + having[g]))) if one[g] else 0.0
            for g in shared
        ]
        length = sqrt(sum(v * v for v in row))
        rows.append([v / length for v in row])
    return np.array(rows)


def test_likeness_of_texts_is_that_of_weights_counted_by_hand() -> None:
    vectors = fit_tfidf([TEXTS], dimensions=6, seed=0).embed(TEXTS)
    expected = by_hand(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors @ vectors.T == pytest.approx(expected @ expected.T, abs=1e-5)


def test_blocks_of_texts_are_as_good_as_all_at_once() -> None:
    whole = fit_tfidf([TEXTS], dimensions=3, seed=1)
    parts = fit_tfidf([TEXTS[:2], TEXTS[2:5], TEXTS[5:]], dimensions=3, seed=1)
    assert whole.n_texts == parts.n_texts == 6
    assert whole.embed(TEXTS).tobytes() == parts.embed(TEXTS).tobytes()


def test_the_seed_decides_the_bytes() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(TEXTS[0].split(), 5)) + f" {k % 7} {k}" for k in range(200)]
    first, again, other = (
        fit_tfidf([texts], dimensions=4, seed=seed).embed(texts).tobytes() for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_what_is_beyond_the_limits_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfidf, "MOST_NONZERO", 50)

    def blocks():
        yield TEXTS[:3]
        pytest.fail("more was read than is needed")

    assert fit_tfidf(blocks(), dimensions=2, seed=0).n_texts == 3


@pytest.mark.parametrize(
    "texts",
    [
        ["今日は海が青い", "海が青い日", "税金を払った", "税金の話"],
        ["x" * 50_000, "x" * 40_000 + " y", "z z z", "y z"],
        ["\ufffd\ufffd \U0001f600", "\U0001f600 sad", "sad \x00 sad", "\u202e sad"],
        ["one", "one", "one", "one"],
        ["alone", "different", "nothing shared 1", "q"],
    ],
)
def test_any_text_has_a_finite_vector(texts: list[str]) -> None:
    embedder = fit_tfidf([texts], dimensions=3, seed=0)
    for some in (texts, ["unseen 42"], [""], ["a" * 100_000]):
        vectors = embedder.embed(some)
        assert vectors.shape == (len(some), embedder.loadings.shape[1])
        assert np.isfinite(vectors).all()


def test_texts_without_letters_are_refused() -> None:
    with pytest.raises(InputError, match="no words and no letters"):
        fit_tfidf([["", " "]], dimensions=2, seed=0)


def test_texts_are_cut_and_counted() -> None:
    assert clean_text("short", 10) == ("short", False)
    assert clean_text("x" * 10**7, 5) == ("xxxxx", True)


@given(st.text(st.characters(codec=None), max_size=20), st.integers(1, 30))
def test_what_is_cleaned_is_unicode(text: str, most: int) -> None:
    cleaned, cut = clean_text(text, most)
    cleaned.encode("utf-8")
    assert cut == (len(text) > most)
    if not any("\ud800" <= sign <= "\udfff" for sign in text[:most]):
        assert cleaned == text[:most]


def test_lone_surrogates_become_the_sign_for_no_character() -> None:
    assert clean_text("a\ud800b", 10) == ("a\ufffdb", False)


def test_word_vectors_are_the_packages_own_without_a_download(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wordllama = pytest.importorskip("wordllama", reason="the extra text is not installed")
    from bacon.features.embedders.word_llama import WordLlamaEmbedder

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    before = logging.getLogger().level, list(logging.getLogger().handlers)
    embedder = WordLlamaEmbedder()
    assert (logging.getLogger().level, list(logging.getLogger().handlers)) == before
    texts = [*TEXTS, "word " * 3000, "\U0001f600", ""]
    found = embedder.embed(texts)
    assert found.shape == (len(texts), 256)
    assert found.dtype == np.float32
    assert np.isnan(found[-1]).all()
    folder = __import__("pathlib").Path(wordllama.__file__).parent
    own = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed(list(TEXTS))
    assert found[: len(TEXTS)] == pytest.approx(own, abs=1e-6)
    # A batch of other texts changes nothing.
    assert embedder.embed([TEXTS[2]])[0] == pytest.approx(found[2], abs=0)


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from bacon.features.embedders.word_llama import WordLlamaEmbedder

    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(InputError, match=r"wordllama is not installed.*bacon-eval\[text\]"):
        WordLlamaEmbedder()
