"""Errors marked in translations become penalties: by hand, in any order, never by a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.replication.published.published_files import (
    MQM_HEAD,
    MQM_ROWS,
    MQM_SCORES,
    write_mqm,
)

from bacon.errors import InputError
from bacon.judges.parsers.mqm import error_weight
from bacon.replication.printed import PRINTED
from bacon.replication.published import mqm

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.replication.published.items import Items

ERROR = "S\td\t1\t1\tr\tGo.\tGeh.\t"
"""A row but for its category and severity."""


def scores(items: Items) -> dict[str, float]:
    """Return the penalty of every segment."""
    return dict(items.table.select("item_id", "human").iter_rows())


def test_weights_are_summed_by_rater_and_averaged(tmp_path: Path) -> None:
    write_mqm(tmp_path)
    items = mqm.read_items(tmp_path)
    assert scores(items) == pytest.approx(MQM_SCORES)
    assert items.table.columns[:4] == ["item_id", "human", "system", "seg_id"]
    row = items.table.filter(item_id="OPPO:1").row(0, named=True)
    # Marks are taken out, a lone quote is a sign like others.
    assert row["target"] == "Er sagte nie."
    assert row["source"] == 'He said "no.'
    assert (row["n_raters"], row["doc"]) == (2, "d1")
    assert items.notices == ()


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Mistranslation", "Major", 5.0),
        ("Locale convention/Date format", "Minor", 1.0),
        ("Terminology/Inconsistent use of terminology", "Neutral", 0.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Non-translation!", "Major", 25.0),
        ("Source error/-", "Minor", 0.0),
        ("Other", "Minor", 1.0),
        ("No-error", "no-error", 0.0),
        ("No-error", "No-error", 0.0),
    ],
)
def test_weights_are_those_of_the_scheme(
    tmp_path: Path, category: str, severity: str, weight: float
) -> None:
    write_mqm(tmp_path, (f"{ERROR}{category}\t{severity}",))
    assert scores(mqm.read_items(tmp_path)) == {"S:1": weight}
    # The table of weights that judges' answers are read by is the same one.
    assert error_weight(category, severity) == weight


@given(st.permutations(MQM_ROWS))
def test_the_order_of_rows_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("mqm")
    write_mqm(folder)
    usual = mqm.read_items(folder).table
    write_mqm(folder, tuple(rows))
    assert mqm.read_items(folder).table.equals(usual)


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_byte_order_marks_and_line_ends_do_not_matter(
    tmp_path: Path, start: bytes, end: str
) -> None:
    path = write_mqm(tmp_path)
    path.write_bytes(start + path.read_bytes().replace(b"\n", end.encode()) + end.encode() * 2)
    assert scores(mqm.read_items(tmp_path)) == pytest.approx(MQM_SCORES)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ERROR + "Style\tTerrible", r'row 8, column severity: "Terrible" \(category "Style"\)'),
        (ERROR + "Style\tno-error", 'row 8, column severity: "no-error"'),
        (ERROR + "Beauty\tMinor", 'row 8, column category: "Beauty" is no category'),
        (ERROR + "Stylish\tMinor", 'row 8, column category: "Stylish" is no category'),
        (ERROR + "No-error\tMajor", 'row 8, column severity: "Major" stands beside the category'),
        (ERROR + "Style\t", "row 8, column severity: it is empty"),
        (ERROR + "\tMinor", "row 8, column category: it is empty"),
        ("\td\t1\t1\tr\ts\tt\tStyle\tMinor", "row 8, column system: it is empty"),
        ("S\td\t1\t \tr\ts\tt\tStyle\tMinor", "row 8, column seg_id: it is empty"),
        (ERROR + "Style\tMinor\tmore", "row 8 has 10 cells between tabs where the header has 9"),
        ("S\td\t1\t1\tr", "row 8 has 5 cells between tabs where the header has 9"),
    ],
)
def test_a_row_without_a_weight_is_never_a_zero(tmp_path: Path, row: str, message: str) -> None:
    write_mqm(tmp_path, (*MQM_ROWS, row))
    with pytest.raises(InputError, match=message):
        mqm.read_items(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no rows below a header"),
        (b"\n\n", "has no rows below a header"),
        (MQM_HEAD.encode(), "has no rows below a header"),
        (b"system\tsystem\nS\tT\n", "has the column name system 2 times"),
        (MQM_HEAD.replace("severity", "grade").encode() + b"\n" + b"\t" * 8, "no column severity"),
        (MQM_HEAD.encode() + b"\nM\xfcller" + b"\t" * 8, r"is not UTF-8 \(byte 6\d\)"),
    ],
)
def test_a_file_that_is_not_as_published_is_refused(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "mqm_newstest2020_ende.tsv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        mqm.read_items(tmp_path)


def test_a_file_saved_again_by_a_csv_writer_has_the_same_texts(tmp_path: Path) -> None:
    path = write_mqm(tmp_path)
    usual = mqm.read_items(tmp_path)
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    frame = pl.DataFrame(rows[1:], schema=rows[0], orient="row")
    frame.write_csv(path, separator="\t")
    again = mqm.read_items(tmp_path)
    assert again.table.equals(usual.table)
    assert [note.code for note in again.notices] == ["published_quotes"]


def test_marks_between_quotes_that_belong_together_do_not_matter(tmp_path: Path) -> None:
    write_mqm(
        tmp_path,
        (
            'S\td\t1\t1\tr\tGo.\t"Er sagte: ""Geh!<v>"</v>""\tStyle\tMinor',
            'S\td\t1\t1\tr\tGo.\t"Er sagte: <v>""</v>Geh!"""\tStyle\tMinor',
        ),
    )
    items = mqm.read_items(tmp_path)
    assert items.table["target"].to_list() == ['Er sagte: "Geh!"']
    assert [note.code for note in items.notices] == ["published_quotes"]


def test_quotes_that_belong_to_the_text_stay(tmp_path: Path) -> None:
    # In quotes from end to end, and with doubled ones, but beside a text that no writer makes.
    write_mqm(
        tmp_path,
        (
            'S\td\t1\t1\tr\t"Go ""now""."\tGeh.\tStyle\tMinor',
            'S\td\t1\t2\tr\tHe said "no.\tEr sagte nie.\tStyle\tMinor',
        ),
    )
    items = mqm.read_items(tmp_path)
    assert items.table["source"].to_list() == ['"Go ""now""."', 'He said "no.']
    assert items.notices == ()


def test_different_texts_and_numbers_of_segments_are_told(tmp_path: Path) -> None:
    row = "OPPO\td1\t1\t{}\tr3\tGo.\t{}\tOther\tNeutral"
    rows = (row.format(2, "Los!"), *MQM_ROWS, row.format(9, "Geh!"))
    write_mqm(tmp_path, rows)
    items = mqm.read_items(tmp_path)
    # Two of the three rows of OPPO:2 have this one; of as many, it is the first by the alphabet.
    assert items.table.filter(item_id="OPPO:2")["target"].to_list() == ["Geh!"]
    assert [note.code for note in items.notices] == ["segment_texts_differ", "uneven_systems"]
    assert str(items.notices[0]).startswith(
        "1 segments have rows with different texts, such as OPPO:2"
    )
    assert str(items.notices[1]) == "Systems have from 2 to 3 segments, not the same number."
    write_mqm(tmp_path, (row.format(1, "Los!"), row.format(1, "Ab!")))
    assert mqm.read_items(tmp_path).table["target"].to_list() == ["Ab!"]


def test_what_is_unlike_the_published_file_is_told_and_not_refused(tmp_path: Path) -> None:
    write_mqm(tmp_path)
    told = [check.text for check in mqm.read_items(tmp_path).checks]
    assert told == [
        "segments scored: 4 (unlike what is published: 14,180)",
        "systems: 2 (unlike what is published: 10)",
        "systems whose mean is the published one: 0 (unlike what is published: 10)",
        "mean penalty: 7.03 (unlike what is published: 1.99)",
        "share of segments without error: 0.25 (unlike what is published: 0.13)",
        "largest penalty: 25",
    ]


def _written(tenths: int) -> list[str]:
    """Return categories and severities that weigh so many tenths together."""
    whole, rest = divmod(tenths, 250)
    majors, rest = divmod(rest, 50)
    minors, rest = divmod(rest, 10)
    return (
        ["Non-translation!\tMajor"] * whole
        + ["Accuracy/Omission\tMajor"] * majors
        + ["Style/Awkward\tMinor"] * minors
        + ["Fluency/Punctuation\tMinor"] * rest
    )


def test_the_scores_of_the_real_file_come_back_from_its_format(
    tmp_path: Path, shared_data: Path
) -> None:
    """The publishers' own scores, written as errors of one of three raters, and read again."""
    real = pl.read_parquet(shared_data / "wmt20_ende_mqm.parquet")
    rows = []
    for system, segment, human in real.select("system", "seg_id", "human").iter_rows():
        place = f"{system}\tdoc\t1\t{segment}"
        rows += [f"{place}\t{rater}\ts\tt\tNo-error\tno-error" for rater in ("r2", "r3")]
        kinds = _written(round(human * 30)) or ["No-error\tno-error"]
        rows += [f"{place}\tr1\ts\tt\t{kind}" for kind in kinds]
    write_mqm(tmp_path, tuple(rows))
    items = mqm.read_items(tmp_path)
    keys = {f"{system}:{segment}" for system, segment in real["system", "seg_id"].iter_rows()}
    assert set(items.table["item_id"]) == keys
    back = real.with_columns(pl.format("{}:{}", "system", "seg_id").alias("item_id")).join(
        items.table, on="item_id"
    )
    np.testing.assert_allclose(back["human_right"], back["human"], atol=1e-6)
    assert [check.text for check in items.checks if not check.agrees] == []
    assert items.notices == ()
    # The paper's table of systems has a row for each of them.
    plain = {name if name.endswith(".0") else name.rpartition(".")[0] for name in mqm.MEANS}
    assert plain == set(PRINTED["mqm"].systems)
