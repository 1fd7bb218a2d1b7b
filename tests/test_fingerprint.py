from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bacon.fingerprint import fingerprint_ids


def of_text(*ids: str) -> str:
    return fingerprint_ids(np.array(ids, dtype=object))


def test_numbers_by_hand() -> None:
    expected = hashlib.blake2b(b"int64" + bytes([7] + [0] * 7 + [0, 1] + [0] * 6), digest_size=16)
    assert fingerprint_ids(np.array([7, 256])) == expected.hexdigest()


def test_text_by_hand() -> None:
    lengths = b"".join(k.to_bytes(8, "little") for k in (2, 1, 2))
    expected = hashlib.blake2b(b"str" + lengths + b"a\xc3\xa9", digest_size=16)
    assert of_text("a", "é") == expected.hexdigest()


def test_numbers_and_text_differ() -> None:
    assert fingerprint_ids(np.array([7])) != of_text("7")


def test_where_one_id_ends_matters() -> None:
    assert len({of_text("ab", "c"), of_text("a", "bc"), of_text("abc"), of_text("abc", "")}) == 4


@given(st.lists(st.text()), st.lists(st.text()))
def test_equal_only_when_the_ids_are(first: list[str], second: list[str]) -> None:
    assert (of_text(*first) == of_text(*second)) == (first == second)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
)
def test_numbers_equal_only_when_the_ids_are(first: list[int], second: list[int]) -> None:
    same = fingerprint_ids(np.array(first, dtype=np.int64)) == fingerprint_ids(
        np.array(second, dtype=np.int64)
    )
    assert same == (first == second)
