"""Vectors of an endpoint: patient, paid once, and never mixed up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.judges.raw_server import raw_server, response
from tests.judges.run_cases import QUICK

from bacon.engine.embedding import remote
from bacon.engine.embedding.request import EmbeddingRequest
from bacon.engine.embedding.run import embed, to_ask
from bacon.errors import BaconError, InputError
from bacon.judges.fake import FakeEndpoint
from bacon.judges.fake_embeddings import embedding_answer

if TYPE_CHECKING:
    from pathlib import Path

N = 300
MODEL = "small"


def pool_file(folder: Path, texts: list[str] | None = None) -> Path:
    texts = texts or [f"text number {k} of the sea" for k in range(N)]
    path = folder / "pool.parquet"
    pl.DataFrame({"item_id": range(len(texts)), "text": texts}).write_parquet(path)
    return path


def request_for(pool: Path, url: str, **settings: Any) -> EmbeddingRequest:
    given = {"out": pool.parent / "e.parquet", "batch": 8, "overwrite": True, **settings}
    return EmbeddingRequest(pool, kind="endpoint", url=url, model=MODEL, **given)


def run(request: EmbeddingRequest) -> Any:
    return embed(request, patience=QUICK)


def values(path: Path) -> np.ndarray:
    return pl.read_parquet(path)["embedding"].to_numpy()


def truth(texts: list[str]) -> np.ndarray:
    body = json.dumps({"input": texts, "model": MODEL}).encode()
    listed = embedding_answer(body)["data"]
    return np.array([one["embedding"] for one in listed], dtype=np.float32)


def test_every_item_has_the_vector_of_its_text(tmp_path: Path) -> None:
    texts = [f"text number {k % 250} of the sea" for k in range(N)]
    with FakeEndpoint(seed=1) as fake:
        result = run(request_for(pool_file(tmp_path, texts), fake.url))
        counts = fake.counts()
    assert (result.n_embedded, result.dimensions, result.models) == (N, 16, (MODEL,))
    assert values(result.out).tobytes() == truth(texts).tobytes()
    # Texts that stand twice are asked for once, in as few requests as there have to be.
    assert set(counts.embedded.values()) == {1}
    assert (len(counts.embedded), result.texts, result.requests) == (250, 250, 32)
    assert result.tokens == sum(1 + len(text) // 4 for text in set(texts))
    about = json.loads(pl.read_parquet_metadata(result.out)["bacon"])
    assert (about["model"], about["url"]) == (MODEL, fake.url)


def test_failures_of_every_kind_change_nothing(tmp_path: Path) -> None:
    failures: dict[int | str, float] = {
        429: 0.1, 500: 0.1, 503: 0.05, "broken": 0.1, "drop": 0.05, "hang": 0.02, "leak": 0.1,
    }  # fmt: skip
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=2, failures=failures, retry_after=0.05) as fake:
        result = run(request_for(pool, fake.url, timeout=1.0))
        counts = fake.counts()
    assert result.n_embedded == N
    assert result.notices == ()
    assert values(result.out).tobytes() == truth(pl.read_parquet(pool)["text"].to_list()).tobytes()
    assert set(counts.embedded.values()) == {1}
    assert counts.requests > result.requests
    assert counts.most_at_once <= 8


def test_a_second_run_asks_for_what_is_new_alone(tmp_path: Path) -> None:
    texts = [f"text {k}" for k in range(40)]
    with FakeEndpoint(seed=1) as fake:
        first = request_for(pool_file(tmp_path, texts), fake.url)
        run(first)
        assert to_ask(first).texts == 0
        second = request_for(pool_file(tmp_path, [*texts, "a new one", "and one more"]), fake.url)
        told = to_ask(second)
        assert (told.texts, told.characters, told.known) == (2, 21, 40)
        result = run(second)
        again = run(second)
        counts = fake.counts()
    assert (result.texts, again.texts) == (2, 0)
    assert set(counts.embedded.values()) == {1}


def test_other_models_and_addresses_are_asked_anew(tmp_path: Path) -> None:
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=1) as fake, FakeEndpoint(seed=1) as other:
        first = values(run(request_for(pool, fake.url)).out)
        request = EmbeddingRequest(
            pool, tmp_path / "e.parquet", kind="endpoint", url=fake.url, model="large",
            overwrite=True,
        )  # fmt: skip
        second = run(request)
        assert second.texts == N
        assert not np.allclose(values(second.out), first)
        assert run(request_for(pool, other.url)).texts == N


def test_components_of_vectors_are_the_same_whatever_the_order_of_answers(tmp_path: Path) -> None:
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=1) as fake:
        calm = run(request_for(pool, fake.url, dimensions=4)).out.read_bytes()
        port = fake.port
    (tmp_path / "e.parquet.vectors.sqlite").unlink()
    with FakeEndpoint(seed=5, port=port, failures={500: 0.4}) as fake:
        assert run(request_for(pool, fake.url, dimensions=4)).out.read_bytes() == calm


SCRIPT = """
import sys
from pathlib import Path
from bacon.engine.embedding.request import EmbeddingRequest
from bacon.engine.embedding.run import embed

embed(EmbeddingRequest(Path(sys.argv[1]), Path(sys.argv[2]), kind="endpoint", url=sys.argv[3],
                       model="small", batch=4, concurrency=4))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_a_run_killed_again_and_again_pays_for_nothing_twice_but_what_was_out(
    tmp_path: Path,
) -> None:
    pool, out = pool_file(tmp_path), tmp_path / "e.parquet"
    rng = np.random.default_rng(0)
    kills = 0
    with FakeEndpoint(seed=1, latency=0.03, process=True) as fake:
        for _ in range(5):
            before = len(fake.counts().embedded)
            words = [sys.executable, "-c", SCRIPT, str(pool), str(out), fake.url]
            with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
                wanted = before + int(rng.integers(5, 60))
                deadline = time.monotonic() + 60
                while len(fake.counts().embedded) < wanted and process.poll() is None:
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
                kills += process.poll() is None
                process.send_signal(signal.SIGKILL)
        result = run(request_for(pool, fake.url))
        counts = fake.counts()
    assert kills == 5
    twice = sum(count - 1 for count in counts.embedded.values())
    assert twice <= kills * 4 * 4
    assert result.texts < N
    assert values(out).tobytes() == truth(pl.read_parquet(pool)["text"].to_list()).tobytes()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_ctrl_c_keeps_what_is_out(tmp_path: Path) -> None:
    pool, out = pool_file(tmp_path), tmp_path / "e.parquet"
    with FakeEndpoint(seed=1, latency=0.05, process=True) as fake:
        words = [sys.executable, "-c", SCRIPT, str(pool), str(out), fake.url]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            while len(fake.counts().embedded) < 20 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        assert "stopped; the same command goes on where this one ended." in err
        assert not out.exists()
        run(request_for(pool, fake.url))
        assert set(fake.counts().embedded.values()) == {1}


def test_a_budget_holds_over_all_runs(tmp_path: Path) -> None:
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=1) as fake:
        for _ in range(2):
            with pytest.raises(BaconError, match="the budget of 700 tokens is used up") as caught:
                run(request_for(pool, fake.url, most_tokens=700, concurrency=3))
            assert caught.value.exit_code == 1
            spent = sum(1 + len(f"text number {k} of the sea") // 4 for k in range(N))
            done = sum(fake.counts().embedded.values())
            assert 0 < done * spent / N <= 700 * 1.02
        result = run(request_for(pool, fake.url, most_tokens=10_000))
        assert result.texts == N - done
        assert set(fake.counts().embedded.values()) == {1}


def test_the_key_comes_from_the_environment_and_shows_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "key-of-much-worth"
    monkeypatch.delenv("WORTH", raising=False)
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=1, key=key, failures={"leak": 0.5}) as fake:
        request = request_for(pool, fake.url, key_variable="WORTH")
        with pytest.raises(InputError, match="the environment variable WORTH is not set"):
            run(request)
        monkeypatch.setenv("WORTH", "another-key")
        with pytest.raises(BaconError, match=r"the endpoint refuses \(http 401\)") as caught:
            run(request)
        assert "another-key" not in str(caught.value)
        monkeypatch.setenv("WORTH", key)
        result = run(request)
    assert result.n_embedded == N
    for path in tmp_path.iterdir():
        assert key.encode() not in path.read_bytes()


def test_an_endpoint_that_always_fails_ends_the_run(tmp_path: Path) -> None:
    with (
        FakeEndpoint(seed=1, failures={500: 1.0}) as fake,
        pytest.raises(BaconError, match=r"the endpoint fails \(http 500"),
    ):
        run(request_for(pool_file(tmp_path), fake.url))


def test_nobody_at_the_address_ends_the_run(tmp_path: Path) -> None:
    with FakeEndpoint() as fake:
        url = fake.url
    with pytest.raises(BaconError, match="no connection"):
        run(request_for(pool_file(tmp_path), url))


@pytest.mark.parametrize("url", ["ftp://a/v1", "a/v1", "http://me:secret@a/v1"])
def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="the endpoint of embeddings: url") as caught:
        run(request_for(pool_file(tmp_path), url))
    assert "secret" not in str(caught.value)


def served(answer: Any) -> Any:
    """A server that answers each request with what `answer` makes of its texts."""

    def serve(connection: Any, request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(1_000_000)
        made = answer(json.loads(body)["input"])
        connection.sendall(made if made.startswith(b"HTTP") else response(made))

    return raw_server(serve)


def vectors(*listed: Any) -> bytes:
    return json.dumps({"data": [{"embedding": one} for one in listed]}).encode()


def test_a_text_that_the_endpoint_refuses_is_found_among_the_others(tmp_path: Path) -> None:
    bad = {"text number 7 of the sea", "text number 123 of the sea"}

    def answer(texts: list[str]) -> bytes:
        if bad & set(texts):
            told = b'{"error": {"message": "maximum context length is 5"}}'
            return response(told, status="400 Bad Request")
        return vectors(*([len(text), 1.0] for text in texts))

    with served(answer) as (url, _):
        result = run(request_for(pool_file(tmp_path), url))
    assert result.lacking == {"no vector of text from the endpoint (context too long)": 2}
    assert pl.read_parquet(result.out)["item_id"].to_list() == [
        k for k in range(N) if k not in (7, 123)
    ]
    assert [one.code for one in result.notices] == ["items_not_embedded"]


def test_an_endpoint_that_takes_one_text_at_a_time_is_served_so(tmp_path: Path) -> None:
    texts = ["one", "three", "eleven", "of"]
    with served(lambda given: vectors([len(given[0]), 1.0])) as (url, _):
        result = run(request_for(pool_file(tmp_path, texts), url))
    assert values(result.out)[:, 0].tolist() == [3.0, 5.0, 6.0, 2.0]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda texts: vectors(*([[1.0]] * (len(texts) + 1))), "vectors for"),
        (lambda texts: vectors(*([[float("nan")]] * len(texts))), "finite numbers"),
        (lambda texts: vectors(*([[]] * len(texts))), "finite numbers"),
        (lambda _: b"<html>busy</html>", "broken answer"),
    ],
)
def test_an_endpoint_that_answers_nonsense_ends_the_run(
    tmp_path: Path, made: Any, said: str
) -> None:
    with served(made) as (url, _), pytest.raises(BaconError, match=said):
        run(request_for(pool_file(tmp_path), url))
    assert not (tmp_path / "e.parquet").exists()


def test_a_model_that_changes_its_width_gives_no_vectors_of_two(tmp_path: Path) -> None:
    pool = pool_file(tmp_path, [f"text {k}" for k in range(20)])
    with served(lambda texts: vectors(*([1.0, 2.0] for _ in texts))) as (url, _):
        run(request_for(pool, url))
        port = url
    pool = pool_file(tmp_path, [f"text {k}" for k in range(24)])
    with FakeEndpoint(port=int(port.split(":")[2].partition("/")[0])) as fake:
        assert fake.url == port
        with pytest.raises(BaconError, match="vectors of 16 numbers where 2 were wanted"):
            run(request_for(pool, fake.url))


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "404 Not Found"])
def test_what_no_request_can_pass_ends_the_run_at_once(tmp_path: Path, status: str) -> None:
    with served(lambda _: response(b"{}", status=status)) as (url, seen):
        with pytest.raises(BaconError, match=rf"the endpoint refuses \(http {status[:3]}"):
            run(request_for(pool_file(tmp_path), url, concurrency=1))
        assert len(seen) == 1


def test_a_model_that_refuses_every_text_ends_the_run(tmp_path: Path) -> None:
    told = b'{"error": {"message": "no such model"}}'
    with served(lambda _: response(told, status="400 Bad Request")) as (url, seen):
        with pytest.raises(BaconError, match=r"refuses every text \(http 400: no such model"):
            run(request_for(pool_file(tmp_path), url))
        assert len(seen) < N


def test_a_wait_of_hours_ends_the_run(tmp_path: Path) -> None:
    late = response(b"{}", "Retry-After: 90000", status="429 Too Many Requests")
    with (
        served(lambda _: late) as (url, _),
        pytest.raises(BaconError, match=r"the endpoint asks to wait 25\.0 hours"),
    ):
        run(request_for(pool_file(tmp_path), url))


def test_requests_hold_no_more_than_so_many_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MOST_CHARACTERS", 100)
    seen: list[list[str]] = []

    def answer(texts: list[str]) -> bytes:
        seen.append(texts)
        return vectors(*([1.0] for _ in texts))

    texts = ["a" * 60, "b" * 30, "c" * 30, "d" * 500, "e"]
    with served(answer) as (url, _):
        result = run(
            request_for(pool_file(tmp_path, texts), url, concurrency=1, most_characters=300)
        )
    assert [len(one) for one in seen] == [2, 1, 1, 1]
    assert [len(text) for one in seen for text in one] == [60, 30, 30, 300, 1]
    assert [one.code for one in result.notices] == ["embedded_texts_cut"]


def test_a_damaged_file_of_vectors_is_told(tmp_path: Path) -> None:
    pool = pool_file(tmp_path)
    with FakeEndpoint(seed=1) as fake:
        kept = run(request_for(pool, fake.url)).kept
        content = bytearray(kept.read_bytes())
        content[4096:] = b"\xab" * (len(content) - 4096)
        kept.write_bytes(content)
        with pytest.raises(InputError, match="is damaged; delete it, and the vectors in it"):
            run(request_for(pool, fake.url))
        kept.unlink()
        assert run(request_for(pool, fake.url)).texts == N


def test_only_an_endpoint_has_something_to_ask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--dry-run is for --kind endpoint"):
        to_ask(EmbeddingRequest(pool_file(tmp_path), tmp_path / "e.parquet"))
