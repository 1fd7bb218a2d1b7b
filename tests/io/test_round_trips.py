"""A frame is the same pool, whatever kind of file or library it comes from."""

from __future__ import annotations

import pandas as pd
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from bacon.io import read_labels, read_pool

# Text that is no number, no Boolean and not blank, with what makes formats stumble.
TRICKY = st.text(alphabet="abz\u00e9\u4e16 ,;|\"'\n\\{}", min_size=1, max_size=8).map("w".__add__)
FLOATS = st.floats(-1e12, 1e12, allow_nan=False, width=64)


@st.composite
def frames(draw) -> pl.DataFrame:
    n = draw(st.integers(1, 12))
    ids = draw(
        st.one_of(
            st.lists(TRICKY, min_size=n, max_size=n, unique=True),
            st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n, max_size=n, unique=True),
            st.lists(st.integers(1, 999).map("{:04d}".format), min_size=n, max_size=n, unique=True),
        )
    )

    def column(values, kind):
        given = draw(st.lists(st.one_of(st.none(), values), min_size=n, max_size=n))
        given[draw(st.integers(0, n - 1))] = draw(values)
        return pl.Series(given, dtype=kind)

    return pl.DataFrame(
        {
            "item_id": ids,
            "judge_a": column(FLOATS, pl.Float64),
            "judge_b_run1": column(st.integers(-5, 5), pl.Int64),
            "judge_b_run2": column(FLOATS, pl.Float64),
            "judge_c": column(TRICKY, pl.String),
            "judge_d": column(st.booleans(), pl.Boolean),
            "len": column(st.integers(0, 10**6), pl.Int64),
            "human": column(FLOATS, pl.Float64),
        }
    )


def written(frame: pl.DataFrame, kind: str, folder) -> object:
    path = folder / f"pool.{kind}"
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "tsv":
        frame.write_csv(path, separator="\t", quote_style="always")
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    elif kind == "pandas":
        return pd.DataFrame(frame.to_dict(as_series=False))
    elif kind == "pyarrow":
        return frame.to_arrow()
    elif kind == "columns":
        return frame.to_dict(as_series=False)
    else:
        return frame.to_dicts()
    return path


KINDS = ("csv", "tsv", "jsonl", "parquet", "pandas", "pyarrow", "columns", "records")


@settings(max_examples=40)
@given(frame=frames())
def test_same_pool_and_labels(tmp_path_factory, frame):
    folder = tmp_path_factory.mktemp("trip")
    roles = {"judges": "judge_*", "features": "len", "label": "human"}
    pool, labels = read_pool(frame, **roles), read_labels(frame, value="human")
    for kind in KINDS:
        source = written(frame, kind, folder)
        assert read_pool(source, **roles).same_as(pool), kind
        assert read_labels(source, value="human").same_as(labels), kind
