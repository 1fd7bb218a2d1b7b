"""The fake endpoint: the same answers for the same requests, and failures on demand."""

from __future__ import annotations

import http.client
import json
import math
from statistics import mean

import pytest
from tests.judges.run_cases import items_of, judge

from bacon.errors import InputError
from bacon.judges.fake import FakeEndpoint, FakeJudge
from bacon.judges.prompts import built_in
from bacon.judges.records import Item
from bacon.judges.spec import JudgeSpec, call_of
from bacon.judges.uncertainty import read_logprobs

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)


def posted(fake, body, path="/v1/chat/completions", headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", fake.port, timeout=30)
    try:
        connection.request("POST", path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def asked(fake, spec, item, run=1):
    status, _, body = posted(fake, call_of(spec, item, run).body)
    assert status == 200
    answer = json.loads(body)
    return answer["choices"][0]["message"]["content"], answer


@pytest.fixture(scope="module")
def fake():
    with FakeEndpoint(
        {"judge_a": FakeJudge(bias=0.5), "harsh": FakeJudge(bias=-0.5)}, seed=3
    ) as it:
        yield it


def test_answers_depend_on_nothing_but_the_request_and_the_seed(fake):
    item = items_of(1)[0]
    first, _ = asked(fake, judge(fake.url), item)
    with FakeEndpoint({"judge_a": FakeJudge(bias=0.5)}, seed=3, process=True) as other:
        assert asked(other, judge(fake.url), item)[0] == first


def test_runs_with_a_seed_differ(fake):
    spec = judge(fake.url, parameters={"seed": 5})
    answers = [asked(fake, spec, item, run)[0] for item in items_of(10) for run in (1, 2)]
    assert answers[::2] != answers[1::2]


def test_bias_is_known(fake):
    items = items_of(200)
    kind, harsh = (
        [int(asked(fake, judge(fake.url, name), item)[0]) for item in items]
        for name in ("judge_a", "harsh")
    )
    # 1.25 points for each standard deviation of quality; clipping takes a little of it.
    assert 0.9 < mean(kind) - mean(harsh) < 1.35


def test_quality_in_the_text_decides(fake):
    spec = judge(fake.url)
    scores = [
        int(asked(fake, spec, Item(str(k), {"text": f"{k} quality={quality}"}))[0])
        for quality in (-3.0, 3.0)
        for k in range(20)
    ]
    assert max(scores[:20]) < min(scores[20:])


def test_log_probabilities_fit_the_score(fake):
    spec = judge(fake.url)
    for item in items_of(30):
        text, answer = asked(fake, spec, item)
        content = answer["choices"][0]["logprobs"]["content"]
        assert max(content[0]["top_logprobs"], key=lambda one: one["logprob"])["token"] == text
        reading = read_logprobs(content, spec.prompt, text)
        assert abs(reading.expected - int(text)) < 0.8
        assert reading.entropy > 0
        assert 0 <= reading.off_scale < 0.05
        assert reading.logprob == pytest.approx(content[0]["logprob"])


@pytest.mark.parametrize(
    ("name", "choices", "item"),
    [
        ("essay", {}, Item("1", {"text": "a", "assignment": "from 7 to 9"})),
        ("webdesign", {"kind": "bank"}, Item("1", {}, (PIXEL,))),
        ("mqm", {}, Item("1", {"source": "Hallo", "target": "Hello"})),
    ],
)
@pytest.mark.parametrize("structured", [False, True])
def test_built_in_prompts_are_answered(fake, name, choices, item, structured):
    prompt = built_in(name, **choices)
    prompt = prompt.structured() if structured else prompt
    spec = JudgeSpec("judge_a", fake.url, "judge_a", prompt, structured=structured)
    text, answer = asked(fake, spec, item)
    parsed = prompt.parse(text)
    assert parsed.reason is None
    assert all(score is not None for score in parsed.scores)
    tokens = answer["choices"][0]["logprobs"]["content"]
    assert "".join(token["token"] for token in tokens) == text


def test_failures_depend_on_the_attempt_and_scores_do_not():
    with FakeEndpoint(seed=1, failures={500: 0.5}) as fake:
        body = call_of(judge(fake.url), items_of(1)[0], 1).body
        seen = [posted(fake, body) for _ in range(30)]
        assert {status for status, _, _ in seen} == {200, 500}
        assert len({answer for status, _, answer in seen if status == 200}) == 1
        counts = fake.counts()
        assert counts.requests == 30
        assert list(counts.answers.values()) == [sum(status == 200 for status, _, _ in seen)]


def test_retry_after_and_broken_answers():
    with FakeEndpoint(failures={429: 1.0}, retry_after=7) as fake:
        status, headers, _ = posted(fake, call_of(judge(fake.url), items_of(1)[0], 1).body)
        assert (status, headers["Retry-After"]) == (429, "7")
    with FakeEndpoint(failures={"broken": 1.0}) as fake:
        _, _, body = posted(fake, call_of(judge(fake.url), items_of(1)[0], 1).body)
        with pytest.raises(json.JSONDecodeError):
            json.loads(body)
    with FakeEndpoint(failures={"drop": 1.0}) as fake, pytest.raises(http.client.IncompleteRead):
        posted(fake, call_of(judge(fake.url), items_of(1)[0], 1).body)


def test_unknown_models_bodies_paths_and_keys_are_refused(fake):
    assert posted(fake, call_of(judge(fake.url, "nobody"), items_of(1)[0], 1).body)[0] == 404
    for body in (b"", b"[]", b'{"model": "judge_a", "messages": []}', b'{"model": []}'):
        assert posted(fake, body)[0] == 400
    assert posted(fake, b"{}", "/v2")[0] == 404
    with FakeEndpoint(key="secret-key") as locked:
        body = call_of(judge(locked.url), items_of(1)[0], 1).body
        assert posted(locked, body)[0] == 401
        assert posted(locked, body, headers={"Authorization": "Bearer secret-key"})[0] == 200


def test_embeddings(fake):
    def embedded(texts, **more):
        body = json.dumps({"model": "e", "input": texts, **more})
        return [d["embedding"] for d in json.loads(posted(fake, body, "/v1/embeddings")[2])["data"]]

    rain, again, sun = embedded(["rain on the roof", "rain on a roof", "quite another thing"])
    assert len(rain) == 16
    assert math.isclose(sum(value * value for value in rain), 1.0)
    assert embedded("rain on the roof") == [rain]
    assert sum(a * b for a, b in zip(rain, again, strict=True)) > 0.5
    assert sum(a * b for a, b in zip(rain, sun, strict=True)) < 0.9
    assert len(embedded("x", dimensions=64)[0]) == 64


def test_the_models_are_listed(fake):
    connection = http.client.HTTPConnection("127.0.0.1", fake.port, timeout=30)
    connection.request("GET", "/v1/models")
    listed = json.loads(connection.getresponse().read())
    connection.close()
    assert [model["id"] for model in listed["data"]] == ["judge_a", "harsh"]


@pytest.mark.parametrize("failures", [{"hangs": 0.1}, {200: 0.1}, {429: 1.5}, {429: 0.6, 500: 0.6}])
def test_failures_that_cannot_be(failures):
    with pytest.raises(InputError, match="failures"):
        FakeEndpoint(failures=failures)
