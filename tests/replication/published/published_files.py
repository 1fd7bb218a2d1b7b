"""Small files in the published formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PERSUADE_HEAD = "essay_id_comp,holistic_essay_score,full_text,prompt_name,grade_level,gender"
PERSUADE_ROWS = (
    'A1,4,"The sea, she said, is ""wide"".\nIt ends.",Seas,10,F',
    'A1,4,"The sea, she said, is ""wide"".\nIt ends.",Seas,10,F',
    "A2,6,A short essay.,Seas,10.0,M",
    "A3,1,Another grade.,Seas,8,M",
    "A4,2,Of phones.,Phones,10,F",
)

MQM_HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
MQM_ROWS = (
    # One major and one minor error by a rater, none by the other: (5 + 1 + 0) / 2.
    'OPPO\td1\t1\t1\tr1\tHe said "no.\tEr sagte <v>nie</v>.\tAccuracy/Mistranslation\tMajor',
    'OPPO\td1\t1\t1\tr1\tHe said "no.\tEr <v>sagte</v> nie.\tStyle/Awkward\tMinor',
    'OPPO\td1\t1\t1\tr2\tHe said "no.\tEr sagte nie.\tNo-error\tno-error',
    # Punctuation 0.1 and a neutral error.
    "OPPO\td1\t1\t2\tr1\tGo.\tGeh<v>!</v>\tFluency/Punctuation\tMinor",
    "OPPO\td1\t1\t2\tr1\tGo.\tGeh!\tOther\tNeutral",
    'Human-A.0\td1\t1\t1\tr1\tHe said "no.\tEr sagte nein.\tNo-error\tno-error',
    "Human-A.0\td1\t1\t2\tr3\tGo.\tbla\tNon-translation!\tMajor",
)
MQM_SCORES = {"OPPO:1": 3.0, "OPPO:2": 0.1, "Human-A.0:1": 0.0, "Human-A.0:2": 25.0}

WEB_HEAD = "stimulusId\tAE\tTRU\tTYP\tEXMPL\tAVG\tUS"
WEB_ROWS = (
    "uni1.png\t0.5\t-0.2\t0.1\t0\t0.3\t1.25",
    "uni2.png\t-0.5\t0.2\t-0.1\t0\t-0.3\t-1.25",
    "uni3.png\t0.1\t0.1\t0\t0.1\t0\t0.2",
)
"""A 1x1 PNG is enough for a screenshot: nothing opens it here."""


def write_persuade(folder: Path, rows: tuple[str, ...] = PERSUADE_ROWS) -> Path:
    """Write essays and return the file."""
    path = folder / "persuade_corpus_2.0_train.csv"
    path.write_text("\n".join([PERSUADE_HEAD, *rows]) + "\n", encoding="utf-8")
    return path


def write_mqm(folder: Path, rows: tuple[str, ...] = MQM_ROWS, *, head: str = MQM_HEAD) -> Path:
    """Write marked errors and return the file."""
    path = folder / "mqm_newstest2020_ende.tsv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def write_webdesign(
    folder: Path, rows: tuple[str, ...] = WEB_ROWS, *, shown: tuple[str, ...] = ("uni1", "uni2")
) -> Path:
    """Write ratings and screenshots and return the file."""
    path = folder / "ratings.avg.unis.txt"
    path.write_text("\n".join([WEB_HEAD, *rows]) + "\n", encoding="utf-8")
    images = folder / "universities.part1"
    images.mkdir(exist_ok=True)
    for name in shown:
        (images / f"{name}.jpg").write_bytes(b"not opened")
    return path
