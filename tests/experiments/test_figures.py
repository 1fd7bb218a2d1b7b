"""Figures: the same bytes for the same rows, names as they are, nothing drawn that is not there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import matplotlib as mpl
import polars as pl
import pytest
from tests.experiments.cases import essays

import bacon
from bacon.errors import InputError
from bacon.experiments.figure_parts import cut, look
from bacon.experiments.figure_set import draw_figures, draw_sweeps, shares_of
from bacon.experiments.figures import QUALITY, RANKING, curves, draw_lines
from bacon.experiments.plan import Plan
from bacon.experiments.run import Measured, simulate
from bacon.experiments.score_figure import score_distributions
from bacon.experiments.sweeps import swept

if TYPE_CHECKING:
    from pathlib import Path

X = {"uniform n=30": 0.25, "uniform n=50": 50 / 120}
HOSTILE = "$\\frac{x}$ _<b>& \u65e5\u672c\x07"


def plan(*configurations: str, by_group: bool = False) -> Plan:
    """Two budgets of a small pool."""
    designs = [bacon.UniformDesign(n=n) for n in (30, 50)]
    return Plan(essays(), designs, ["human-only", *configurations], by_group=by_group)


def words(path: Path) -> list[str]:
    """Return the words of an SVG, which has to be well-formed."""
    root = ElementTree.fromstring(path.read_text())  # noqa: S314 - written by the test itself
    return [one.text or "" for one in root.iter() if one.tag.endswith("}text")]


def drawn_numbers(path: Path) -> int:
    """Return how many lines with markers an SVG has, legends left out."""
    return len(re.findall(r'<g id="line2d_\d+">\s*<path[^>]*clip-path', path.read_text()))


@pytest.fixture(scope="module")
def measured() -> Measured:
    """A few draws with systems."""
    return simulate(plan("ridge", "raw-judges", by_group=True), trials=4)


@pytest.fixture(scope="module")
def whole(measured: Measured) -> pl.DataFrame:
    """The rows about the whole pool."""
    return measured.summary.filter(pl.col("group").is_null())


def test_an_experiment_has_its_figures(measured: Measured, tmp_path: Path) -> None:
    shares = shares_of(plan("ridge"))
    assert shares == X
    assert shares_of(plan("ridge"), measured) == pytest.approx(X)
    files, notices = draw_figures(measured, essays(), shares, tmp_path)
    assert files == ("estimates.svg", "models.svg", "ranking.svg", "scores.svg")
    assert [one.code for one in notices] == ["judges_not_drawn"]
    first = {name: (tmp_path / name).read_bytes() for name in files}
    # A user's own settings change nothing.
    with mpl.rc_context({"font.size": 30, "savefig.bbox": "tight", "svg.fonttype": "path"}):
        draw_figures(measured, essays(), shares, tmp_path)
    assert first == {name: (tmp_path / name).read_bytes() for name in files}
    assert "judge_b" in notices[0].message
    for earlier in ("estimates-2.svg", "sweep-folds.svg", "own.svg", "estimates.svg.txt"):
        (tmp_path / earlier).write_text("")
    only, _ = draw_figures(measured, essays(), shares, tmp_path, titles={"ridge": "a ridge"})
    assert only == files
    # Figures of an earlier command go, what is none of them stays.
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {*files, "sweep-folds.svg", "own.svg", "estimates.svg.txt"}
    assert "a ridge" in words(tmp_path / "estimates.svg")
    assert "human-only" not in words(tmp_path / "estimates.svg")


def test_clusters_stand_where_their_items_are() -> None:
    full = essays()
    rows = full.pool.table.with_columns(human=pl.Series(full.y))
    pool = bacon.read_pool(rows, label="human", cluster="prompt_id")
    design = bacon.ClusterDesign(n_clusters=10, column="prompt_id")
    asked = Plan(replace(full, pool=pool), [design], ["human-only"])
    assert list(shares_of(asked, simulate(asked, trials=3)).values()) == [30 / 120]


def test_coverage_is_held_against_the_level_asked_for(whole: pl.DataFrame, tmp_path: Path) -> None:
    for level in (0.8, 0.95):
        curves(whole, tmp_path / f"{level}.svg", QUALITY, x=X, level=level)
    assert (tmp_path / "0.8.svg").read_bytes() != (tmp_path / "0.95.svg").read_bytes()


def test_what_nobody_has_is_told_and_not_drawn(whole: pl.DataFrame, tmp_path: Path) -> None:
    for lacking in (None, float("nan"), float("inf")):
        none = whole.with_columns(bias=pl.lit(lacking, pl.Float64))
        path = tmp_path / f"{lacking}.svg"
        assert curves(none, path, QUALITY, x=X) == (QUALITY["bias"],)
        assert QUALITY["bias"] not in words(path)
    empty = whole.filter(pl.col("configuration") == "nothing")
    path = tmp_path / "b.svg"
    assert curves(empty, path, QUALITY, x=X) == tuple(QUALITY.values())
    assert curves(whole, path, QUALITY, x={}) == tuple(QUALITY.values())
    assert not path.exists()


def test_a_figure_that_one_lacks_leaves_a_line_out(whole: pl.DataFrame, tmp_path: Path) -> None:
    # raw-judges has no interval, and its predictions are no model.
    coverage = {"coverage_pool": QUALITY["coverage_pool"]}
    assert curves(whole, tmp_path / "all.svg", coverage, x=X) == ()
    assert "raw-judges" not in words(tmp_path / "all.svg")
    assert drawn_numbers(tmp_path / "all.svg") == 2 + 1  # and the line of the level


def test_one_trial_has_nothing_to_draw(tmp_path: Path) -> None:
    once = simulate(plan("ridge"), trials=1)
    files, notices = draw_figures(once, essays(), X, tmp_path)
    # Wilson's interval of a share exists; means have no error yet.
    assert files == ("estimates.svg", "scores.svg")
    assert [one.code for one in notices] == ["no_figure", "no_figure", "judges_not_drawn"]


def test_one_design_has_a_row_for_each_configuration(whole: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "one.svg"
    assert curves(whole, path, QUALITY, x={"uniform n=30": 0.25}, head="mean") == ()
    found = words(path)
    assert "mean, labelled share of the items: 25 %" in found
    assert found.count("ridge") == len(QUALITY)


def test_kinds_of_designs_are_not_joined(whole: pl.DataFrame, tmp_path: Path) -> None:
    other = whole.with_columns(design=pl.col("design").str.replace("uniform", "stratified"))
    places = {**X, **{name.replace("uniform", "stratified"): at for name, at in X.items()}}
    curves(pl.concat([whole, other]), tmp_path / "two.svg", QUALITY, x=places)
    assert {"ridge, uniform", "ridge, stratified"} <= set(words(tmp_path / "two.svg"))


@pytest.mark.parametrize("places", [X, {"uniform n=30": 0.25}])
def test_names_are_drawn_as_they_are(
    measured: Measured, tmp_path: Path, places: dict[str, float]
) -> None:
    titles = {"human-only": HOSTILE, "ridge": "_" + "long " * 30 + "end"}
    for name in ("odd.svg", "odd.png"):
        assert curves(measured.ranking, tmp_path / name, RANKING, x=places, titles=titles) == ()
    found = words(tmp_path / "odd.svg")
    assert HOSTILE.replace("\x07", "\\x07") in found
    assert any(word.startswith("_long") and word.endswith("long end") for word in found)
    assert (tmp_path / "odd.png").read_bytes().startswith(b"\x89PNG")


def test_long_names_keep_what_tells_them_apart() -> None:
    assert cut("short") == "short"
    long = [f"{'configuration ' * 9}at {k}" for k in (2, 5)]
    assert [len(cut(one)) for one in long] == [44, 44]
    assert cut(long[0]) != cut(long[1])
    assert len({tuple(look(place).values()) for place in range(32)}) == 32


def test_other_kinds_of_files_are_refused(whole: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.pdf: figures are written as \.svg or \.png"):
        curves(whole, tmp_path / "a.pdf", QUALITY, x=X)


def test_scores_of_judges_on_the_labels_scale_are_drawn(tmp_path: Path) -> None:
    # Without a stated scale judge_a is on the labels' range; judge_b is far above it.
    path = tmp_path / "scores.svg"
    assert score_distributions(essays(), path) == ("judge_b",)
    assert {"people", "a", "score"} <= set(words(path))
    # On a stated scale that holds neither, both are drawn in SDs.
    assert score_distributions(essays(scale=(2.0, 3.0)), path) == ()
    assert "score, in SDs from the mean of its judge" in words(path)


def test_labels_in_words_have_no_scores(measured: Measured, tmp_path: Path) -> None:
    named = replace(essays(), levels=("bad", "good"))
    files, notices = draw_figures(measured, named, X, tmp_path)
    assert "scores.svg" not in files
    assert "have no distribution of scores to draw" in notices[0].message


def test_sweeps_have_a_figure_each(tmp_path: Path) -> None:
    sweeps = {"folds": ("2", "5"), "use": ("judges", "judge:judge_a")}
    found = simulate(plan(*swept(["ridge"], sweeps)), trials=3)
    assert draw_sweeps(found, sweeps, tmp_path) == ("sweep-folds.svg", "sweep-use.svg")
    lines = words(tmp_path / "sweep-folds.svg")
    assert "ridge, use=judge.judge_a, uniform n=30" in lines
    assert "human-only, uniform n=30" not in lines
    lines = words(tmp_path / "sweep-use.svg")
    assert {"judges", "judge.judge_a", "ridge, folds=5, uniform n=50"} <= set(lines)
    assert draw_sweeps(found, {"pooling": ("none", "pooled")}, tmp_path) == ()


def test_lines_of_one_point_are_drawn(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "line": ["a", "a", "b"],
            "place": [1.0, 2.0, 2.0],
            "y": [0.1, 0.2, 0.3],
            "y_low": [0.0, 0.1, None],
            "y_high": [0.2, 0.3, None],
        }
    )
    assert draw_lines(rows, tmp_path / "c.svg", {"y": "y"}, axis="k") == ()
    assert drawn_numbers(tmp_path / "c.svg") == 2
