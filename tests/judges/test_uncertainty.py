"""What log-probabilities say of an answer, and what they do not."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.judges.prompts import built_in, prompt_from_toml
from bacon.judges.records import Reading
from bacon.judges.uncertainty import perplexity, read_logprobs

ESSAY = built_in("essay")
WEB = built_in("webdesign", kind="bank")


def own(parser, **keys):
    lines = "\n".join(f"{key} = {value}" for key, value in keys.items())
    return prompt_from_toml(
        f'name = "p"\nversion = 1\nsystem = "s"\nuser = "{{text}}"\nparser = "{parser}"\n{lines}',
        "p",
    )


def token(text, share, others=None):
    """A token with its probability and those of the alternatives, itself the first."""
    listed = {text: share, **(others or {})}
    return {
        "token": text,
        "logprob": math.log(share),
        "bytes": list(text.encode()),
        "top_logprobs": [
            {"token": one, "logprob": math.log(p), "bytes": list(one.encode())}
            for one, p in listed.items()
        ],
    }


def test_one_digit_by_hand():
    reading = read_logprobs([token("4", 0.5, {"5": 0.25, "3": 0.125})], ESSAY, "4")
    assert reading.logprob == pytest.approx(math.log(0.5))
    assert perplexity(reading.logprob) == pytest.approx(2.0)
    # 1/2, 1/4 and 1/8 listed, the rest 1/8 as one: 0.5 + 0.5 + 0.375 + 0.375 bits.
    assert reading.entropy == pytest.approx(1.75 * math.log(2))
    assert reading.expected == pytest.approx((4 * 0.5 + 5 * 0.25 + 3 * 0.125) / 0.875)
    assert reading.off_scale == pytest.approx(0.125)
    assert reading.note is None


def test_means_are_over_all_tokens():
    content = [token("Score", 0.9), token(":", 0.8), token(" 4", 0.5, {" 5": 0.5})]
    reading = read_logprobs(content, ESSAY, "Score: 4")
    assert reading.logprob == pytest.approx(math.log(0.9 * 0.8 * 0.5) / 3)
    two = [-(p * math.log(p) + (1 - p) * math.log(1 - p)) for p in (0.9, 0.8)]
    assert reading.entropy == pytest.approx((sum(two) + math.log(2)) / 3)
    assert reading.expected == pytest.approx(4.5)
    assert reading.off_scale == pytest.approx(0.0, abs=1e-12)


def test_writings_of_one_score_are_added_and_others_count_as_off_the_scale():
    others = {" 4": 0.2, "four": 0.1, "5": 0.1, "7": 0.1, "The": 0.05, "4th": 0.05}
    reading = read_logprobs([token("4", 0.3, others)], ESSAY, "4")
    assert reading.expected == pytest.approx((4 * 0.6 + 5 * 0.1) / 0.7)
    assert reading.off_scale == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("pieces", "position"),
    [
        (["On", " a", " scale", " of", " ", "1", " to", " ", "6", ":", " ", "4"], 11),
        (["4", "/", "6"], 0),
        (["Score", ": ", "4", " out", " of", " ", "6"], 2),
        (["Rating", ":\n\n", "**", "4", "**"], 3),
        (["I", " give", " it", " a", " four", "."], 4),
        (["4", ".", " Again", ":", " ", "4"], 0),
        (["<think>", "maybe", " 3", "</think>", "4"], 4),
        (["é", "😀", ":", " 4"], 3),
    ],
)
def test_the_token_of_the_score_is_found_among_words(pieces, position):
    content = [token(piece, 0.99) for piece in pieces]
    content[position] = token(pieces[position], 0.5, {"2": 0.5})
    reading = read_logprobs(content, ESSAY, "".join(pieces))
    assert reading.expected == pytest.approx(3.0)


def test_an_answer_trimmed_by_the_endpoint_is_still_found():
    content = [token(" ", 0.9), token("4", 0.5, {"2": 0.5}), token("\n", 0.9)]
    assert read_logprobs(content, ESSAY, "4").expected == pytest.approx(3.0)


def test_pieces_of_raw_vocabularies_are_read():
    for mark in ("\u2581", "\u0120"):
        content = [token("Score:", 0.9), token(mark + "4", 0.5, {mark + "2": 0.5})]
        for entry in content:
            entry["bytes"] = None
        assert read_logprobs(content, ESSAY, "Score: 4").expected == pytest.approx(3.0)


def test_a_digit_in_several_byte_tokens_is_not_guessed():
    first, second = "٤".encode()[:1], "٤".encode()[1:]
    content = [
        {"token": "?", "bytes": list(part), "logprob": -0.1, "top_logprobs": []}
        for part in (first, second)
    ]
    reading = read_logprobs(content, ESSAY, "٤")
    assert reading.expected is None
    assert "several tokens" in reading.note


TEN = own("number", scale="[1, 10]", whole="true")


def test_a_number_of_several_tokens_has_no_expected_score():
    reading = read_logprobs([token("1", 0.9, {"2": 0.1}), token("0", 0.9, {"1": 0.1})], TEN, "10")
    assert reading.expected is None
    assert reading.off_scale is None
    assert reading.logprob == pytest.approx(math.log(0.9))
    assert reading.note == "no expected score: it spans several tokens"


def test_the_beginning_of_a_longer_number_is_not_taken_for_a_score():
    # "1" may go on to "10": nobody can tell its share.
    split = read_logprobs([token("7", 0.7, {"1": 0.3})], TEN, "7")
    assert split.expected is None
    assert "may span several tokens" in split.note
    # Where "10" is a token of its own, "1" is 1.
    whole = read_logprobs([token("7", 0.7, {"1": 0.2, "10": 0.1})], TEN, "7")
    assert whole.expected == pytest.approx(7 * 0.7 + 1 * 0.2 + 10 * 0.1)
    # A share too small to matter counts as off the scale.
    small = read_logprobs([token("7", 0.99, {"1": 0.005})], TEN, "7")
    assert small.expected == pytest.approx(7.0)
    assert small.off_scale == pytest.approx(0.01)


def test_a_minus_of_its_own_is_no_score():
    signed = own("number", scale="[-3, 3]", whole="true")
    assert read_logprobs([token("2", 0.6, {"-": 0.4})], signed, "2").expected is None
    listed = {"-": 0.4, "-2": 0.1}
    assert read_logprobs([token("2", 0.5, listed)], signed, "2").expected is None
    split = [token("-", 0.9), token("2", 0.5, {"1": 0.5})]
    assert read_logprobs(split, signed, "-2").expected is None
    joined = read_logprobs([token("-2", 0.5, {"2": 0.25, "0": 0.25})], signed, "-2")
    assert joined.expected == pytest.approx(-0.5)


def test_labels():
    words = own("label", levels='["no", "partly", "yes"]')
    reading = read_logprobs(
        [token("Yes", 0.5, {" yes": 0.2, "no": 0.2, "Maybe": 0.1})], words, "Yes"
    )
    assert reading.expected == pytest.approx((3 * 0.7 + 1 * 0.2) / 0.9)
    assert reading.off_scale == pytest.approx(0.1)
    assert read_logprobs([token("part", 0.9), token("ly", 0.9)], words, "partly").expected is None


def test_structured_answers():
    content = [token('{"', 0.9), token("score", 0.9), token('":', 0.9), token(" ", 0.9)]
    content += [token("4", 0.5, {"2": 0.5}), token("}", 0.9)]
    reading = read_logprobs(content, ESSAY.structured(), '{"score": 4}')
    assert reading.expected == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        (WEB, "AE: 1\nTRU: 2\nTYP: 0\nEXMPL: -1\nAVG: -2\nUS: 3"),
        (built_in("mqm"), '{"errors": []}'),
        (own("number", scale="[0, 100]"), "85"),
    ],
)
def test_several_scores_and_long_scales_have_no_expected_score(prompt, text):
    reading = read_logprobs([token(text, 0.5)], prompt, text)
    assert reading.expected is None
    assert reading.logprob == pytest.approx(math.log(0.5))
    assert "several scores, or a scale of many values" in reading.note


@pytest.mark.parametrize("text", ["", "4 or 5", "7", "I cannot rate this"])
def test_without_a_score_there_is_no_expected_score(text):
    reading = read_logprobs([token(text or "4", 0.5, {"5": 0.5})], ESSAY, text)
    assert reading.expected is None


def test_tokens_that_spell_another_answer_are_not_matched():
    reading = read_logprobs([token("5", 0.5, {"4": 0.5})], ESSAY, "4")
    assert reading.expected is None
    assert reading.note == "no expected score: the tokens do not spell the answer"


def test_without_alternatives_there_is_no_entropy():
    bare = {"token": "4", "logprob": -0.5}
    for more in ({}, {"top_logprobs": []}, {"top_logprobs": None}, {"top_logprobs": "x"}):
        reading = read_logprobs([{**bare, **more}], ESSAY, "4")
        assert reading.logprob == -0.5
        assert reading.entropy is None
        assert reading.expected is None
        assert reading.note.startswith("no usable alternatives")


def test_a_token_left_out_of_its_own_list_is_added():
    entry = token("4", 0.25, {"5": 0.75})
    del entry["top_logprobs"][0]
    reading = read_logprobs([entry], ESSAY, "4")
    assert reading.expected == pytest.approx(4.75)
    assert reading.off_scale == pytest.approx(0.0, abs=1e-12)


def test_minus_9999_means_unlikely_for_an_alternative_and_unknown_for_the_token():
    entry = token("4", 0.5, {"5": 0.25})
    entry["top_logprobs"].append({"token": "3", "logprob": -9999.0})
    assert read_logprobs([entry], ESSAY, "4").expected == pytest.approx(13 / 3)
    entry["logprob"] = -9999.0
    assert read_logprobs([entry], ESSAY, "4").logprob is None


@pytest.mark.parametrize(
    "logprob",
    [None, math.nan, math.inf, -math.inf, 0.7, 50, "-0.5", True, [], {}, 10**400, -(10**400), 1j],
)
def test_what_is_no_log_probability_gives_no_figure(logprob):
    entry = {**token("4", 0.5), "logprob": logprob}
    reading = read_logprobs([token("Score: ", 0.5), entry], ESSAY, "Score: 4")
    assert reading == Reading(note="a token without a usable log-probability")


def test_rounding_above_zero_is_zero():
    reading = read_logprobs([{**token("4", 1.0), "logprob": 1e-9}], ESSAY, "4")
    assert reading.logprob == 0.0


@pytest.mark.parametrize(
    "alternatives",
    [
        [{"token": "4", "logprob": math.log(0.9)}, {"token": "5", "logprob": math.log(0.9)}],
        [{"token": "4", "logprob": math.nan}],
        [{"token": "4", "logprob": "x"}],
        [{"logprob": -1.0}],
        [None],
        ["4"],
    ],
)
def test_alternatives_that_are_no_probabilities_give_neither_entropy_nor_expected(alternatives):
    entry = {**token("4", 0.9), "top_logprobs": alternatives}
    reading = read_logprobs([entry], ESSAY, "4")
    assert reading.logprob == pytest.approx(math.log(0.9))
    assert reading.entropy is None
    assert reading.expected is None


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        "x",
        3,
        [None],
        [[]],
        ["4"],
        [{}],
        [{"token": 4, "logprob": -1}],
        [token("4", 0.5)] * 100_001,
    ],
    ids=lambda content: repr(content)[:20],
)
def test_what_is_no_list_of_tokens_gives_no_figure(content):
    reading = read_logprobs(content, ESSAY, "4")
    assert (reading.logprob, reading.entropy, reading.expected) == (None, None, None)
    assert reading.note


def test_very_many_alternatives_are_cut():
    entry = token("4", 0.5)
    entry["top_logprobs"] += [{"token": str(k), "logprob": -30.0} for k in range(1_000_000)]
    assert read_logprobs([entry], ESSAY, "4").expected == pytest.approx(4.0, abs=1e-6)


JUNK = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3) | st.just("4"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["token", "logprob", "bytes", "top_logprobs", "x"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)
PAIRS = st.fixed_dictionaries(
    {
        "token": st.sampled_from(["4", "5", " 4", "10", "four", "-", "x"]) | JUNK,
        "logprob": st.floats(-12, 0) | JUNK,
    },
    optional={"bytes": JUNK},
)
ENTRIES = st.tuples(PAIRS, st.lists(PAIRS, max_size=5) | JUNK).map(
    lambda pair: {**pair[0], "top_logprobs": pair[1]}
)


@given(
    content=JUNK | st.lists(ENTRIES | JUNK, max_size=4),
    text=st.sampled_from(["4", "Score: 4", "", "10", "-4"]) | st.text(max_size=5),
    prompt=st.sampled_from([ESSAY, TEN, WEB, ESSAY.structured()]),
)
def test_hostile_log_probabilities_never_raise_and_give_only_numbers(content, text, prompt):
    reading = read_logprobs(content, prompt, text)
    assert reading.logprob is None or -1000 <= reading.logprob <= 0
    assert reading.entropy is None or 0 <= reading.entropy < 10
    assert reading.off_scale is None or 0 <= reading.off_scale <= 1
    assert reading.expected is None or prompt.scale[0] <= reading.expected <= prompt.scale[-1]
    ppl = perplexity(reading.logprob)
    assert ppl is None or 1 <= ppl < math.inf
    assert reading.note or None not in (reading.logprob, reading.entropy, reading.expected)


@given(shares=st.lists(st.floats(0.01, 1.0), min_size=6, max_size=6))
def test_the_expected_score_is_the_mean_of_the_listed_scores(shares):
    total = sum(shares) * 1.1
    listed = {str(score): share / total for score, share in enumerate(shares, start=1)}
    reading = read_logprobs([token("1", listed["1"], listed)], ESSAY, "1")
    mean = sum(int(score) * share for score, share in listed.items()) / sum(listed.values())
    assert reading.expected == pytest.approx(mean)
    assert reading.off_scale == pytest.approx(1 - sum(listed.values()))
