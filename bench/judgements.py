"""A million stored judgements: adding them, looking keys up, and the tables made of them.

    python bench/judgements.py [--rows 1000000] [--quick] [--folder DIR]

Each piece of work runs in a process of its own; time, time of the processor and peak memory.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bacon import read_pool
from bacon.judges.records import Answer, Call, Reading
from bacon.judges.store import Store
from bacon.judges.tables import wide, write_judgements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JUDGES = 10
RUNS = 2
BATCH = 256


def key_of(number: int) -> str:
    return hashlib.blake2b(b"%d" % number, digest_size=16).hexdigest()


def answers(rows: int) -> Iterator[Answer]:
    """Yield answers item by item, one in fifty without a score."""
    draw = random.Random(1)  # noqa: S311 (invented figures)
    text = "4 because the essay keeps to its point and has few slips. " * 5
    for n in range(rows):
        item, place = divmod(n, JUDGES * RUNS)
        judge, run = divmod(place, RUNS)
        fine = draw.random() > 0.02
        yield Answer(
            Call(key_of(n), f"judge_{judge}", str(item), run + 1, b""),
            "ok" if fine else "na",
            None if fine else draw.choice(["refused", "no score in the answer", "timed out"]),
            text,
            (float(draw.randint(1, 6)),) if fine else (None,),
            Reading(-draw.random(), draw.random(), 1 + 5 * draw.random(), draw.random() / 100),
            prompt_tokens=900,
            completion_tokens=60,
            cost=draw.random() / 1000,
            latency=draw.random(),
            model=f"model-{judge}-2025-04-14",
            fingerprint="fp_1a2b3c4d5e",
            prompt_version="essay/1",
        )


def fill(folder: Path, rows: int) -> str:
    with Store.open(folder / "store.db") as store:
        batch = []
        for answer in answers(rows):
            batch.append(answer)
            if len(batch) == BATCH:
                store.add(batch)
                batch.clear()
        store.add(batch)
    return f"batches of {BATCH}, file {(folder / 'store.db').stat().st_size / 1e6:,.0f} MB"


def look_up(folder: Path, rows: int) -> str:
    keys = [key_of(n) for n in range(0, 2 * rows, max(1, rows // 50_000))]
    with Store.open(folder / "store.db", read_only=True) as store:
        return f"{len(store.done(keys)):,} of {len(keys):,} keys known"


def sums(folder: Path, _rows: int) -> str:
    with Store.open(folder / "store.db", read_only=True) as store:
        ok = sum(one.ok for one in store.counts().values())
        return f"{store.spent().calls:,} calls, {ok:,} ok"


def judgements(folder: Path, _rows: int) -> str:
    with Store.open(folder / "store.db", read_only=True) as store:
        n_rows = write_judgements(store, folder / "judgements.parquet").n_rows
    return f"{n_rows:,} rows, {(folder / 'judgements.parquet').stat().st_size / 1e6:,.0f} MB"


def from_store(folder: Path, _rows: int) -> str:
    with Store.open(folder / "store.db", read_only=True) as store:
        frame = wide(store)
    frame.write_parquet(folder / "wide.parquet")
    return f"{frame.height:,} items, {frame.width} columns"


def from_file(folder: Path, _rows: int) -> str:
    frame = wide(folder / "judgements.parquet")
    return f"{frame.height:,} items, {frame.width} columns"


def pool(folder: Path, _rows: int) -> str:
    read = read_pool(folder / "wide.parquet")
    return f"{read.n_items:,} items, {len(read.judges)} judges"


def measured(work: Callable[[Path, int], str], folder: Path, rows: int) -> None:
    """Run one piece of work in this process, and print what it took."""
    start, before = time.perf_counter(), time.process_time()
    told = work(folder, rows)
    seconds, processor = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = f"{seconds:>8.2f} s {processor:>8.2f} s {peak:>7,.0f} MB"
    print(f"{NAMES[work]:<30}{figures}   {told}", flush=True)


NAMES = {
    fill: "add",
    look_up: "done",
    sums: "spent and counts",
    judgements: "judgements to parquet",
    from_store: "store to feature table",
    from_file: "parquet to feature table",
    pool: "feature table read as a pool",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--quick", action="store_true", help="20,000 rows")
    options.add_argument("--folder", type=Path)
    chosen = options.parse_args()
    rows = 20_000 if chosen.quick else chosen.rows
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for work, name in NAMES.items():
            fresh = multiprocessing.get_context("spawn").Process(
                target=measured, args=(work, Path(folder), rows)
            )
            fresh.start()
            fresh.join()
            if fresh.exitcode:
                raise SystemExit(f"{name} failed")


if __name__ == "__main__":
    main()
