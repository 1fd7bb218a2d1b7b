"""Parts of an experiment run in this process or spread over others, one BLAS thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pickle import PicklingError
from typing import TYPE_CHECKING

from bacon.errors import EstimationError, InputError
from bacon.experiments.plan import design_name
from bacon.experiments.store import CHUNK
from bacon.experiments.trials import run_trials

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from bacon.experiments.plan import Plan
    from bacon.experiments.store import Store

__all__ = ["Job", "run_jobs"]

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")


@dataclass(frozen=True)
class Job:
    """Trials `start` to `start` + CHUNK - 1 of a design and a configuration, by position."""

    design: int
    configuration: int
    start: int


def run_jobs(
    plan: Plan,
    store: Store,
    jobs: Sequence[Job],
    *,
    workers: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Run every job and keep what it gives, in whatever order they end.

    Raises
    ------
    EstimationError
        A configuration failed in every draw of its first part, or a process was ended from
        outside.
    """
    for done, (job, results, timing) in enumerate(_outcomes(plan, jobs, workers), start=1):
        design, configuration = plan.designs[job.design], plan.named[job.configuration]
        if job.start == 0 and results["problem"].null_count() == 0:
            raise EstimationError(
                f"configuration {configuration.name} failed in each of the first {CHUNK} draws of "
                f"{design_name(design)}: {results['problem'][0]}"
            )
        store.write(design, configuration, job.start, results=results, timing=timing)
        if progress is not None:
            progress(done * CHUNK, len(jobs) * CHUNK)


def _outcomes(
    plan: Plan, jobs: Sequence[Job], workers: int
) -> Iterator[tuple[Job, pl.DataFrame, pl.DataFrame]]:
    """Yield each job with its tables."""
    if workers == 1 or len(jobs) < 2:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            for job in jobs:
                yield job, *_tables(plan, job)
        return
    before = multiprocessing.active_children()
    executor = ProcessPoolExecutor(
        min(workers, len(jobs)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(plan,),
    )
    try:
        with _one_thread(), _sendable():
            waiting = {executor.submit(_work, job): job for job in jobs}
        for future in as_completed(waiting):
            yield waiting[future], *future.result()
        executor.shutdown()
    except BrokenProcessPool:
        raise EstimationError(
            "a process of the experiment was ended from outside, perhaps for want of memory; take "
            "fewer workers. Draws made so far are kept."
        ) from None
    except BaseException:
        # An interrupted run stops at once: a part that is not whole is made again anyway.
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()
        executor.shutdown(wait=False, cancel_futures=True)
        raise


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started meanwhile use one thread each."""
    earlier = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in earlier.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _sendable() -> Iterator[None]:
    """Tell that a plan cannot be handed to the processes that are started meanwhile."""
    try:
        yield
    except (PicklingError, AttributeError, TypeError):
        raise InputError(
            "a configuration cannot be sent to another process; define its function at the top "
            "of a module, or use one worker."
        ) from None


_plan: list[Plan] = []
"""The plan of a worker process."""


def _start(plan: Plan) -> None:
    """Begin a worker: take the plan, and end when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Made anew, so that what configurations import is there before the first trial is timed.
    _plan.append(replace(plan))


def _end_with_parent() -> None:
    """Wait for the parent to end, and end then."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(job: Job) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Run a job in a worker."""
    return _tables(_plan[0], job)


def _tables(plan: Plan, job: Job) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Run a job."""
    return run_trials(
        plan,
        plan.designs[job.design],
        plan.named[job.configuration],
        range(job.start, job.start + CHUNK),
    )
