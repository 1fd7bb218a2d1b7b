"""Calls to a loopback endpoint: CPU, throughput and memory of ours, the openai package and httpx.

    python bench/judging.py --calls 20000 --flat 2000 20000 200000

One server process answers every client after 20 ms, with log-probabilities; it makes its answers
beforehand, so that on two cores the clients are what is measured and not the server. Each client
runs in a process of its own, so that peaks of memory are its own; its CPU is that of the process,
reading, parsing and, in ours, storing every answer included. The calls are made in rounds, in
which the clients take turns, so that other work on the machine is borne by all. `--flat` runs ours
alone on the numbers of calls that follow. `--quick` makes 2,000 calls each in one round. openai
and httpx are not dependencies: pip install openai httpx.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.loopback import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.judges.records import Item

LATENCY = 0.02


class Essays:
    """Short essays, made as they are read."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __iter__(self) -> Iterator[Item]:
        from bacon.judges.records import Item

        for k in range(self._count):
            yield Item(
                str(k), {"text": f"essay {k} quality={k % 7 - 3}. " + "The sea is wide. " * 20}
            )


def spec_of(url: str, concurrency: int) -> Any:
    """Return the judge that all clients are."""
    from bacon.judges.prompts import built_in
    from bacon.judges.spec import JudgeSpec

    prompt = built_in("essay", assignment=False)
    return JudgeSpec("judge", url, "small", prompt, concurrency=concurrency)


def ours(url: str, calls: int, concurrency: int) -> int:
    """Run our runner into a store; return the answers."""
    from bacon.judges.runner import run_judges
    from bacon.judges.store import Store

    with Store.open(f"{calls}.sqlite") as store:
        summary = run_judges([spec_of(url, concurrency)], Essays(calls), store)
        return summary.judges[0].ok


def requests_of(url: str, calls: int) -> Iterator[dict[str, Any]]:
    """Yield the same requests as plain values."""
    from bacon.judges.spec import call_of

    spec = spec_of(url, 1)
    for item in Essays(calls):
        yield json.loads(call_of(spec, item, 1).body)


async def in_flight(calls: Iterator[dict[str, Any]], concurrency: int, ask: Any) -> int:
    """Make calls, so many at once; return how many were answered."""
    answered = 0

    async def worker() -> None:
        nonlocal answered
        for call in calls:
            got = await ask(call)
            answered += got

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return answered


def with_openai(url: str, calls: int, concurrency: int) -> int:
    """Run the openai package."""
    import openai

    async def main() -> int:
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:

            async def ask(call: dict[str, Any]) -> bool:
                try:
                    reply = await client.chat.completions.create(**call)
                except openai.OpenAIError:
                    return False
                return bool(reply.choices[0].message.content)

            return await in_flight(requests_of(url, calls), concurrency, ask)

    return asyncio.run(main())


def with_httpx(url: str, calls: int, concurrency: int) -> int:
    """Run httpx."""
    import httpx

    async def main() -> int:
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        async with httpx.AsyncClient(limits=limits, timeout=60.0) as client:

            async def ask(call: dict[str, Any]) -> bool:
                try:
                    reply = await client.post(f"{url}/chat/completions", json=call)
                except httpx.HTTPError:
                    return False
                return bool(reply.json()["choices"][0]["message"]["content"])

            return await in_flight(requests_of(url, calls), concurrency, ask)

    return asyncio.run(main())


CLIENTS = {"ours": ours, "openai": with_openai, "httpx": with_httpx}


def one(name: str, url: str, calls: int, concurrency: int) -> None:
    """Run a client in this process and print what it took, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        CLIENTS[name](url, 50, concurrency)
        cpu, wall = time.process_time(), time.perf_counter()
        answered = CLIENTS[name](url, calls, concurrency)
        found = {
            "answered": answered,
            "cpu": time.process_time() - cpu,
            "wall": time.perf_counter() - wall,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    print(json.dumps(found))


def measured(name: str, url: str, calls: int, concurrency: int) -> dict[str, float]:
    """Run a client in a process of its own."""
    words = [name, url, str(calls), str(concurrency)]
    command = [sys.executable, str(Path(__file__).absolute()), "--one", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (ours)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "calls": calls}


def together(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the sums over rounds, and the highest peak."""
    summed = {key: sum(each[key] for each in rounds) for key in rounds[0]}
    return summed | {"peak": max(each["peak"] for each in rounds)}


def show(name: str, concurrency: int, found: dict[str, float]) -> None:
    """Print a line of the table."""
    calls = found["calls"]
    cpu, speed = 1000 * found["cpu"] / calls, calls / found["wall"]
    lost = calls - found["answered"]
    cells = [name, f"{concurrency}", f"{calls:,}", f"{lost:,.0f}", f"{cpu:.2f}", f"{speed:,.0f}"]
    print("| " + " | ".join([*cells, f"{found['peak']:,.0f}"]) + " |", flush=True)


def compare(names: list[str], url: str, calls: int, concurrency: int, rounds: int) -> None:
    """Run clients by turns, and print their lines and ratios."""
    ran: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            ran[name].append(measured(name, url, calls // rounds, concurrency))
    found = {name: together(each) for name, each in ran.items()}
    for name, each in found.items():
        show(name, concurrency, each)
    for name, other in found.items():
        if name != "ours" and "ours" in found:
            cpu = other["cpu"] / found["ours"]["cpu"]
            speed = other["wall"] / found["ours"]["wall"]
            each_round = [a["cpu"] / b["cpu"] for a, b in zip(ran[name], ran["ours"], strict=True)]
            print(
                f"{name}: {cpu:.1f} times our CPU (rounds {min(each_round):.1f} to "
                f"{max(each_round):.1f}); ours {speed:.1f} times as fast",
                flush=True,
            )


def main() -> None:
    """Serve, run the clients, and print the table and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flat", type=int, nargs="+", default=[], help="calls of ours alone")
    parser.add_argument("--clients", nargs="*", choices=list(CLIENTS), default=list(CLIENTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        name, url, calls, concurrency = asked.one
        one(name, url, int(calls), int(concurrency))
        return
    if asked.quick:
        # What is no dependency may not be here.
        asked.clients = [
            name for name in asked.clients if name == "ours" or importlib.util.find_spec(name)
        ]
    calls, rounds = (2_000, 1) if asked.quick else (asked.calls, asked.rounds)
    print("| client | in flight | calls | lost | CPU ms a call | calls a second | peak MB |")
    print("|---|---|---|---|---|---|---|")
    with served(LATENCY) as url:
        if asked.clients:
            for concurrency in (64, 256):
                compare(asked.clients, url, calls, concurrency, rounds)
        for many in asked.flat:
            show("ours", 256, measured("ours", url, many, 256))


if __name__ == "__main__":
    main()
