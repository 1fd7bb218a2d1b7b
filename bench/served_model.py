"""A language model served on this machine and asked to judge: the real protocol, no network.

    python -m venv served && served/bin/pip install 'llama-cpp-python[server]' gguf
    python bench/served_model.py --server served/bin/python

Writes a llama of two layers with random weights (0.4 MB), serves it with llama.cpp behind its
OpenAI-compatible server on the loopback address, and runs `bacon judge` and `bacon estimate` on
24 essays. A random model's free answers cannot be read, and have to be missing with their reasons;
asked for JSON by a schema, it gives scores. Both come with log-probabilities.
"""

from __future__ import annotations

import argparse
import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

MODEL = r"""
import sys
import gguf
import numpy as np

path, width, layers, hidden, heads, context = sys.argv[1], 64, 2, 128, 4, 2048
tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
tokens += ["\u2581".encode()] + [bytes([sign]) for sign in range(33, 127)]
kinds = [2, 3, 3] + [6] * 256 + [1] * 95
rng = np.random.default_rng(0)
writer = gguf.GGUFWriter(path, "llama")
writer.add_context_length(context)
writer.add_embedding_length(width)
writer.add_block_count(layers)
writer.add_feed_forward_length(hidden)
writer.add_head_count(heads)
writer.add_head_count_kv(heads)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(width // heads)
writer.add_vocab_size(len(tokens))
writer.add_tokenizer_model("llama")
writer.add_token_list(tokens)
writer.add_token_scores([0.0] * len(tokens))
writer.add_token_types(kinds)
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)


def tensor(name, *shape):
    value = rng.normal(0.0, 0.3, shape) if len(shape) > 1 else np.ones(shape)
    writer.add_tensor(name, value.astype(np.float32))


tensor("token_embd.weight", len(tokens), width)
tensor("output_norm.weight", width)
tensor("output.weight", len(tokens), width)
for k in range(layers):
    tensor(f"blk.{k}.attn_norm.weight", width)
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensor(f"blk.{k}.{part}.weight", width, width)
    tensor(f"blk.{k}.ffn_norm.weight", width)
    tensor(f"blk.{k}.ffn_gate.weight", hidden, width)
    tensor(f"blk.{k}.ffn_up.weight", hidden, width)
    tensor(f"blk.{k}.ffn_down.weight", width, hidden)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
"""

CONFIG = """
[pool]
file = "pool.csv"

[[judge]]
name = "judge_free"
url = "{url}"
model = "tiny"
prompt = "essay"
assignment = false
concurrency = 2

[[judge]]
name = "judge_schema"
url = "{url}"
model = "tiny"
prompt = "essay"
assignment = false
structured = "json_object"
concurrency = 2
"""

N = 24


def answers(port: int) -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def served(python: Path, model: Path) -> Iterator[str]:
    """Serve a model and yield the base address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", "llama_cpp.server", "--model", model, "--model_alias", "tiny"]
    words += ["--host", "127.0.0.1", "--port", port, "--n_ctx", 2048, "--chat_format", "chatml"]
    words += ["--logits_all", "True", "--n_threads", 1]
    server = subprocess.Popen(  # noqa: S603 (the interpreter that the user names)
        [str(python), *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        while not answers(port):
            if server.poll() is not None:
                raise SystemExit("the server ended; is llama-cpp-python[server] installed there?")
            time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait()


def bacon(*words: object) -> None:
    """Run a command, showing what it says."""
    print("$ bacon", *words, flush=True)
    code = "from bacon.cli.main import main; main()"
    subprocess.run(  # noqa: S603 (our own interpreter)
        [sys.executable, "-c", code, *map(str, words)], check=True
    )


def main() -> None:
    """Serve, judge, estimate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--server", type=Path, help="python with llama-cpp-python")
    parser.add_argument("--quick", action="store_true", help="the same; nothing without --server")
    asked = parser.parse_args()
    if asked.server is None:
        missing = "--server is missing: the python that has llama-cpp-python[server] and gguf."
        if asked.quick:
            print(missing)
            return
        parser.error(missing)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(  # noqa: S603 (the interpreter that the user names)
            [str(asked.server), "-c", MODEL, str(folder / "tiny.gguf")], check=True
        )
        pl.DataFrame(
            {
                "item_id": [f"essay-{k:02d}" for k in range(N)],
                "text": [f"Essay {k}: the sea is {'very ' * (k % 5)}wide." for k in range(N)],
                "human": [2 + k % 4 if k % 2 else None for k in range(N)],
            }
        ).write_csv(folder / "pool.csv")
        with served(asked.server, folder / "tiny.gguf") as url:
            (folder / "bacon.toml").write_text(CONFIG.format(url=url))
            bacon("judge", folder)
        judgements = pl.read_parquet(folder / "judgements.parquet")
        shown = ["item_id", "judge", "status", "reason", "entropy", "logprob", "expected", "model"]
        print(judgements.select(one for one in shown if one in judgements.columns))
        told = judgements.filter(pl.col("logprob").is_not_null())
        print(f"{told.height} of {judgements.height} answers came with log-probabilities.")
        bacon(
            *("estimate", folder / "judged.parquet", "--label", "human", "--scale", "1:6"),
            *("--judges", "judge_schema"),
        )


if __name__ == "__main__":
    main()
