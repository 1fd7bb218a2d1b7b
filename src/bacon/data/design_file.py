"""The labelling sheet and the design beside it, as files and back."""

from __future__ import annotations

import itertools
import json
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.arrays import FloatArray, IdArray, IntArray, read_only
from bacon.checks import LEAST_PROBABILITY
from bacon.data.record_fields import (
    LARGEST,
    damaged,
    full_list,
    is_finite,
    object_with,
    text,
    whole,
)
from bacon.data.sample import Sample, StrataRule
from bacon.data.sheet import below, sheet_frame
from bacon.data.stage_record import (
    ITEM_KEYS,
    STAGED,
    expected_chances,
    item_stages,
    stages_from_record,
    stages_record,
)
from bacon.files import check_can_write, write_together

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from bacon.data.notice import Notice

__all__ = ["SCHEMA", "design_path", "design_record", "sample_from_record", "write_sheet"]

SCHEMA = "bacon-design/1"
KINDS = ("uniform", "bernoulli", "stratified", "poisson", "systematic", "clusters", *STAGED)
FIELDS = (
    *("schema", "kind", "parameters", "seed", "n_items", "n_drawn", "pool_fingerprint"),
    *("strata", "clusters", "items"),
)


def design_path(sheet: Path) -> Path:
    """Return where the design of the sheet at `sheet` stands."""
    return sheet.with_name(f"{sheet.name}.design.json")


def write_sheet(
    sample: Sample,
    path: Path,
    *,
    show: Sequence[str] | None = None,
    overwrite: bool = False,
    kept: tuple[pl.DataFrame, int] | None = None,
) -> tuple[Notice, ...]:
    """Write the blind labelling sheet at `path` and its design beside it.

    Parameters
    ----------
    sample : Sample
        A sample as drawn.
    path : Path
        Where the CSV goes; the design goes to ``<path>.design.json``.
    show : sequence of str, optional
        Pool columns the raters see; the pool's text where None.
    overwrite : bool
        Whether files that stand there already may be replaced.
    kept : (polars.DataFrame, int), optional
        A sheet whose rows come first, as they are, labels and all, and for how many of the
        items it stands: only the items after them get new rows.

    Returns
    -------
    tuple of Notice
        What was changed in the shown columns, and ids that a spreadsheet may change.

    Raises
    ------
    InputError
        A column to show is unknown or would not leave the sheet blind.
    OutputError
        A file exists, or cannot be written; then neither is touched.
    """
    frame, notices = sheet_frame(sample, show)
    # First, since the refusal should name the sheet and not the design beside it.
    check_can_write(path, overwrite=overwrite)
    if kept is not None:
        frame = below(*kept, frame)
    record = json.dumps(design_record(sample), sort_keys=True, indent=1, allow_nan=False)
    contents = {
        design_path(path): f"{record}\n".encode(),
        path: frame.write_csv().encode(),
    }
    write_together(contents, overwrite=overwrite)
    return notices


def design_record(sample: Sample) -> dict[str, Any]:
    """Return the design of `sample` as plain values, for JSON."""
    items: list[dict[str, Any]] = [
        {"id": identifier, "pi": pi}
        for identifier, pi in zip(sample.ids.tolist(), sample.pi.tolist(), strict=True)
    ]
    strata = None
    if sample.strata is not None and sample.stratum is not None:
        strata = {
            "column": sample.strata.column,
            "cuts": None if sample.strata.cuts is None else list(sample.strata.cuts),
            "names": list(sample.strata.names),
            "sizes": sample.strata.sizes.tolist(),
        }
        for item, stratum in zip(items, sample.stratum.tolist(), strict=True):
            item["stratum"] = stratum
    staged = {}
    if sample.stages is not None:
        staged = {"stages": stages_record(sample.stages)}
        items = [item | more for item, more in zip(items, item_stages(sample.stages), strict=True)]
    clusters = None
    if sample.cluster_column is not None:
        clusters = {
            "column": sample.cluster_column,
            "n_drawn": sample.n_clusters,
            "n_pool": sample.n_clusters_pool,
        }
    return {
        "schema": SCHEMA,
        "kind": sample.kind,
        "parameters": {name: _plain(value) for name, value in sample.parameters.items()},
        "seed": sample.seed,
        "n_items": sample.n_items,
        "n_drawn": sample.n_drawn,
        "pool_fingerprint": sample.pool_fingerprint,
        "strata": strata,
        "clusters": clusters,
        "items": items,
        **staged,
    }


def _plain(value: object) -> object:
    """Return numbers of NumPy as Python's, which JSON can hold."""
    return value.item() if isinstance(value, np.generic) else value


def sample_from_record(record: object, source: str) -> Sample:
    """Return the sample that a parsed design file describes.

    Parameters
    ----------
    record : object
        What the JSON file holds; nothing in it is trusted.
    source : str
        Name of the file, for messages.

    Returns
    -------
    Sample
        The sample without its sheet.

    Raises
    ------
    DesignError
        A field is missing, unknown, of the wrong kind, or does not fit the others.
    """
    staged = ("stages",) if isinstance(record, dict) and record.get("kind") in STAGED else ()
    fields = object_with(source, "the design", record, (*FIELDS, *staged))
    if fields["schema"] != SCHEMA:
        raise damaged(source, "schema", f"{SCHEMA!r}", fields["schema"])
    kind = fields["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise damaged(source, "kind", f"one of {', '.join(KINDS)}", kind)
    n_items = whole(source, "n_items", fields["n_items"], 1, LARGEST)
    fingerprint = text(source, "pool_fingerprint", fields["pool_fingerprint"])
    if not re.fullmatch(r"[0-9a-f]{32}", fingerprint):
        raise damaged(source, "pool_fingerprint", "32 hexadecimal digits", fingerprint)
    strata = _strata(source, fields["strata"], kind, n_items)
    cluster_column, n_clusters, n_pool = _clusters(source, fields["clusters"], kind, n_items)
    items = _items(source, fields["items"], kind, 0 if strata is None else len(strata.names))
    stages = stages_from_record(source, fields, items, n_items)
    ids = _ids(source, items)
    n_drawn = whole(source, "n_drawn", fields["n_drawn"], 1, n_items)
    if n_drawn != len(ids):
        raise damaged(source, "n_drawn", f"{len(ids)}, the number of items", n_drawn)
    stratum = None
    if strata is not None:
        stratum = read_only(np.array([item["stratum"] for item in items], dtype=np.int64))
    sample = Sample(
        kind=kind,
        parameters=_parameters(source, fields["parameters"]),
        seed=whole(source, "seed", fields["seed"], 0, LARGEST),
        n_items=n_items,
        pool_fingerprint=fingerprint,
        ids=read_only(ids),
        pi=read_only(np.array([float(item["pi"]) for item in items])),
        strata=strata,
        stratum=stratum,
        cluster_column=cluster_column,
        n_clusters=n_clusters,
        n_clusters_pool=n_pool,
        stages=stages,
    )
    _refuse_other_pi(source, sample)
    return sample


def _parameters(source: str, value: object) -> dict[str, str | int | float | None]:
    if not isinstance(value, dict):
        raise damaged(source, "parameters", "an object", value)
    for name, setting in value.items():
        plain = setting is None or isinstance(setting, str) or is_finite(setting)
        if not isinstance(name, str) or not plain:
            raise damaged(source, f"parameters.{name}", "a text, a finite number or null", setting)
    return dict(value)


def _strata(source: str, value: object, kind: str, n_items: int) -> StrataRule | None:
    if (value is not None) != (kind == "stratified"):
        raise damaged(source, "strata", "there for a stratified draw alone", value)
    if value is None:
        return None
    fields = object_with(source, "strata", value, ("column", "cuts", "names", "sizes"))
    names = [
        text(source, "strata.names", name)
        for name in full_list(source, "strata.names", fields["names"])
    ]
    if len(set(names)) != len(names):
        raise damaged(source, "strata.names", "different from each other", names)
    sizes = [
        whole(source, "strata.sizes", size, 1, n_items)
        for size in full_list(source, "strata.sizes", fields["sizes"])
    ]
    if len(sizes) != len(names) or sum(sizes) != n_items:
        raise damaged(source, "strata.sizes", f"{len(names)} sizes with sum {n_items}", sizes)
    return StrataRule(
        column=text(source, "strata.column", fields["column"]),
        cuts=_cuts(source, fields["cuts"], len(names)),
        names=tuple(names),
        sizes=read_only(np.array(sizes, dtype=np.int64)),
    )


def _cuts(source: str, value: object, n_strata: int) -> tuple[float, ...] | None:
    if value is None:
        return None
    rule = f"{n_strata - 1} ascending finite numbers"
    if not isinstance(value, list) or len(value) != n_strata - 1 or not all(map(is_finite, value)):
        raise damaged(source, "strata.cuts", rule, value)
    cuts = tuple(float(cut) for cut in value)
    if any(low >= high for low, high in itertools.pairwise(cuts)):
        raise damaged(source, "strata.cuts", rule, value)
    return cuts


def _clusters(
    source: str, value: object, kind: str, n_items: int
) -> tuple[str | None, int | None, int | None]:
    if (value is not None) != (kind == "clusters"):
        raise damaged(source, "clusters", "there for a draw of clusters alone", value)
    if value is None:
        return None, None, None
    fields = object_with(source, "clusters", value, ("column", "n_drawn", "n_pool"))
    n_pool = whole(source, "clusters.n_pool", fields["n_pool"], 1, n_items)
    n_drawn = whole(source, "clusters.n_drawn", fields["n_drawn"], 1, n_pool)
    return text(source, "clusters.column", fields["column"]), n_drawn, n_pool


def _items(source: str, value: object, kind: str, n_strata: int) -> list[dict[str, Any]]:
    more = {"stratified": ("stratum",), **dict.fromkeys(STAGED, ITEM_KEYS)}
    # One over the weight of a label drawn in batches may exceed 1.
    most = math.inf if kind == "batches" else 1.0
    items = full_list(source, "items", value)
    for number, item in enumerate(items, start=1):
        fields = object_with(source, f"item {number}", item, ("id", "pi", *more.get(kind, ())))
        pi = fields["pi"]
        if not is_finite(pi) or not LEAST_PROBABILITY <= pi <= most:
            raise damaged(
                source, f"pi of item {number}", f"at least {LEAST_PROBABILITY:g} and at most 1", pi
            )
        if n_strata:
            whole(source, f"stratum of item {number}", fields["stratum"], 0, n_strata - 1)
    return items


def _ids(source: str, items: list[dict[str, Any]]) -> IdArray:
    values = [item["id"] for item in items]
    as_text = isinstance(values[0], str)
    seen: set[str | int] = set()
    for number, value in enumerate(values, start=1):
        if as_text:
            text(source, f"id of item {number}", value)
        else:
            whole(source, f"id of item {number}", value, -LARGEST - 1, LARGEST)
        if value in seen:
            raise damaged(source, f"id of item {number}", "different from those before it", value)
        seen.add(value)
    ids: IdArray = np.array(values, dtype=object if as_text else np.int64)
    return ids


def _expected_pi(sample: Sample) -> FloatArray | None:
    """Return the probabilities that follow from the design, None where each item has its own."""
    if sample.stages is not None:
        return expected_chances(sample.stages, sample.pi)
    if sample.kind == "uniform":
        return np.full(sample.n_drawn, sample.n_drawn / sample.n_items)
    if sample.kind == "bernoulli":
        return np.full(sample.n_drawn, sample.pi[0])
    if sample.n_clusters is not None and sample.n_clusters_pool is not None:
        return np.full(sample.n_drawn, sample.n_clusters / sample.n_clusters_pool)
    if sample.strata is not None and sample.stratum is not None:
        counts: IntArray = np.bincount(sample.stratum, minlength=len(sample.strata.names))
        expected: FloatArray = (counts / sample.strata.sizes)[sample.stratum]
        return expected
    return None


def _refuse_other_pi(source: str, sample: Sample) -> None:
    expected = _expected_pi(sample)
    if expected is None:
        return
    differs = ~np.isclose(sample.pi, expected, rtol=1e-9, atol=0.0)
    if differs.any():
        row = int(np.argmax(differs))
        rule = f"{expected[row]:.12g} by the {sample.kind} design"
        raise damaged(source, f"pi of item {row + 1}", rule, float(sample.pi[row]))
