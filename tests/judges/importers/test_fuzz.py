"""Whatever JSON holds: an importer reads it or refuses it in a sentence, and makes up no score."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.judges.importers.cases import head, result

from bacon.errors import InputError
from bacon.judges.importers.detect import read_samples
from bacon.judges.importers.samples import Choices, Sample
from bacon.judges.prompts import built_in

NAMES = st.sampled_from(
    (
        *("id", "epoch", "scores", "value", "error", "limit", "metadata", "score", "item_id"),
        *("testIdx", "gradingResult", "namedScores", "vars", "componentResults", "provider"),
        *("name", "metricsData", "metrics", "doc_id", "filtered_resps", "filter", "acc"),
        *("custom_id", "response", "body", "choices", "message", "content", "status_code"),
    )
)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["C", "N", "4", "nan", "\ud800"]),
)
ANY = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
PATIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbers(value):
    """Return every number in a value, and those that words in it mean."""
    if isinstance(value, dict):
        return {n for one in value.values() for n in numbers(one)}
    if isinstance(value, list):
        return {n for one in value for n in numbers(one)}
    if isinstance(value, bool | int | float):
        return {float(value)} if abs(value) < 1e300 else set()
    try:
        return {float(value)} if isinstance(value, str) else set()
    except ValueError:
        return set()


def check(content, ending, kind):
    """Read content as a file: scores are numbers of the file, or what grades mean."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{ending}"
        path.write_text(content)
        try:
            _, found = read_samples(path, Choices(format=kind, prompt=built_in("essay")))
            samples = [one for one in found if isinstance(one, Sample)]
        except InputError:
            return
    legal = set()
    for line in content.splitlines() if ending == ".jsonl" else [content]:
        legal |= numbers(json.loads(line))
    words = {"C": 1.0, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
    if any(f'"{word}' in content for word in words):
        legal |= {0.0, 1.0}
    for one in samples:
        for score in one.scores.values():
            for value in score.scores:
                assert value is None or value in legal
                assert (value is not None) or score.reason


@PATIENT
@given(st.lists(ANY, max_size=3))
def test_documents(values):
    check(json.dumps({**head(), "samples": values}), ".json", "auto")
    check(json.dumps({"results": {"results": values}}), ".json", "auto")
    check(json.dumps({"testCases": values}), ".json", "auto")
    check(json.dumps({"results": {"results": [{**result(), "x": 1}, *values]}}), ".json", "auto")


@PATIENT
@given(st.lists(ANY, min_size=1, max_size=3), st.sampled_from(["auto", "lm-eval", "jsonl"]))
def test_lines(values, kind):
    check("".join(json.dumps(value) + "\n" for value in values), ".jsonl", kind)


@PATIENT
@given(st.dictionaries(NAMES, ANY, max_size=6))
def test_lines_of_a_batch(record):
    content = json.dumps({"custom_id": "a", "response": record, **record})
    check(content + "\n", ".jsonl", "openai-batch")
