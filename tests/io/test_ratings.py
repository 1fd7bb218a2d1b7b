"""Single ratings kept behind the labels, from long and from wide files."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.errors import InputError
from bacon.io.labels import read_labels


def test_long_files_keep_who_gave_what():
    table = {
        "id": ["a", "b", "a", "c", "b"],
        "who": ["ann", "bob", "cy", "ann", "cy"],
        "y": [1, 2, 3, None, 4],
        "z": [5, None, 6, 7, 8],
    }
    labels = read_labels(table, value=["y", "z"], rater="who")
    ratings = labels.ratings
    assert ratings.raters == ("ann", "bob", "cy")
    assert labels.ids[ratings.item].tolist() == ["a", "b", "a", "c", "b"]
    assert [ratings.raters[k] for k in ratings.rater] == table["who"]
    np.testing.assert_array_equal(
        ratings.values, [[1, 5], [2, np.nan], [3, 6], [np.nan, 7], [4, 8]]
    )


def test_wide_files_keep_who_gave_what():
    table = {
        "id": [7, 8, 9],
        "r1_tone": [1, None, 3],
        "r2_tone": [2, None, None],
        "r3_tone": [None, None, None],
        "r4_tone": [None, 4, 5],
    }
    labels = read_labels(table, raters="r*_tone")
    ratings = labels.ratings
    # A column nobody filled is no rater.
    assert ratings.raters == ("r1_tone", "r2_tone", "r4_tone")
    assert (ratings.n_raters, labels.n_raters) == (3, 3)
    kept = sorted(
        zip(
            labels.ids[ratings.item].tolist(),
            [ratings.raters[k] for k in ratings.rater],
            ratings.values.ravel().tolist(),
            strict=True,
        )
    )
    assert kept == [
        (7, "r1_tone", 1.0),
        (7, "r2_tone", 2.0),
        (8, "r4_tone", 4.0),
        (9, "r1_tone", 3.0),
        (9, "r4_tone", 5.0),
    ]


@pytest.mark.parametrize("form", ["long", "wide"])
def test_labels_are_the_means_of_the_ratings(form):
    rng = np.random.default_rng(0)
    table = np.where(rng.random((20, 3)) < 0.7, rng.integers(1, 6, (20, 3)), np.nan)
    table[0] = np.nan
    if form == "wide":
        names = {f"r{k}": table[:, k].tolist() for k in range(3)}
        labels = read_labels({"id": list(range(20)), **names}, raters="r*")
    else:
        item, rater = np.nonzero(~np.isnan(table))
        long = {"id": item.tolist(), "who": rater.tolist(), "y": table[item, rater].tolist()}
        labels = read_labels(long, value="y", rater="who")
    ratings = labels.ratings
    total = np.bincount(ratings.item, weights=ratings.values[:, 0])
    np.testing.assert_allclose(labels.values[:, 0], total / np.bincount(ratings.item))
    assert len(ratings.item) == labels.n_ratings.sum()


def test_words_keep_their_positions():
    table = {"id": [1, 2], "who": ["x", "y"], "y": ["ok", "bad"]}
    labels = read_labels(table, value="y", rater="who", levels="bad,ok")
    np.testing.assert_array_equal(labels.ratings.values, [[1.0], [0.0]])


def test_labels_that_name_no_rater_keep_none():
    assert read_labels({"id": [1, 2], "y": [1, 2]}, value="y").ratings is None


def test_ratings_cannot_be_changed():
    labels = read_labels({"id": [1, 2], "r1": [1, 2], "r2": [3, 4]}, raters="r*")
    for array in (labels.ratings.item, labels.ratings.rater, labels.ratings.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_two_words_on_who_rated_are_refused():
    table = {"id": [1], "who": ["x"], "r1": [1], "r2": [2]}
    with pytest.raises(InputError, match=r"either rater, the column .* or raters"):
        read_labels(table, raters="r*", rater="who")
