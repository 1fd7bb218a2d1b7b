"""JSON with a digest of itself."""

from __future__ import annotations

import hashlib

import pytest

from bacon.signed import digest, read_signed, signed


def test_the_digest_is_blake2b_of_16_bytes():
    assert digest(b"abc") == hashlib.blake2b(b"abc", digest_size=16).hexdigest()


def test_a_record_comes_back_with_its_digest():
    record = {"schema": "mine", "x": [1.5, None, "ü\n"]}
    found = read_signed(signed(record), "mine")
    assert found == {**record, "blake2b": found["blake2b"]}
    assert len(found["blake2b"]) == 32


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"schema": "mine"}',
        signed({"schema": "other"}),
        signed({"schema": "mine", "x": 1}).replace(b"1", b"2", 1),
        signed({"schema": "mine", "x": 1})[:-1],
        b'{"schema": "mine", "x": NaN, "blake2b": "0"}',
    ],
)
def test_what_is_not_whole_is_not_read(content):
    assert read_signed(content, "mine") is None


def test_not_a_number_is_not_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        signed({"x": float("nan")})
