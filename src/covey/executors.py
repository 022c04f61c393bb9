"""Where work is done: in this process, in others on this machine, or on a Dask cluster.

`LocalPool` is a `concurrent.futures.Executor` like `ProcessPoolExecutor`, with three differences
that sweeps need. Its workers are fresh interpreters that never import the caller's script again, so
that a script needs no `if __name__ == "__main__"`. They end when this process does, however it
ends. And they can be stopped in the middle of a task.
"""

from __future__ import annotations

import itertools
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from covey.dynamics.threads import SETTING, core_count
from covey.errors import CoveyError, InputError, TooLargeError, shown
from covey.numbers import whole_of

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")

_AHEAD = 4  # tasks that are out for every worker: none has to wait for the next
_FOREIGN = 16  # workers that an executor of unknown size may have
_CONNECT_SECONDS = 10
_NO_WORKER = (
    "no worker is left at {}: waiting for one. What is finished is kept; start workers with "
    "`dask worker`, or end this with Ctrl-C"
)
_LOOK_SECONDS, _LOOKS = 1.0, 3  # without a worker, before a word is said
# What is raised where a worker is out of reach, or has no covey.
_LOST = (OSError, CancelledError, ImportError)
_ADDRESS = re.compile(r"(tcp|tls)://\[?(?P<host>[^/\[\]]+?)\]?:(?P<port>\d+)")


@dataclass(frozen=True)
class Workers:
    """An executor, and how many tasks to keep out."""

    executor: Executor
    ahead: int

    @classmethod
    def of(cls, executor: Executor, count: int | None = None) -> Workers:
        """Those of an executor, which has so many."""
        _check_count(count)
        return cls(executor, _AHEAD * (count or _FOREIGN))


@contextmanager
def workers_for(executor: Executor | None, count: int | None, tasks: int) -> Iterator[Workers]:
    """The executor given, else one worker on each core; `count` says how many it has or gets."""
    if executor is not None:
        yield Workers.of(executor, count)
        return
    _check_count(count)
    count = min(count or os.cpu_count() or 1, tasks)
    if count <= 1:
        yield Workers(InThisProcess(), 1)
        return
    with LocalPool(count) as pool:
        try:
            yield Workers(pool, _AHEAD * count)
        except BaseException:
            pool.stop()
            raise


def _check_count(count: int | None) -> None:
    if count is not None and count < 1:
        raise InputError(f"the number of workers is {count}: at least 1 is expected")


@contextmanager
def cluster(
    address: str, say: Callable[[str], None] | None = None
) -> Iterator[tuple[Executor, int]]:
    """The workers of a Dask cluster, by its scheduler's address, and how many there are.

    `say` is told where none is left for some seconds: Dask itself waits for others without a word.
    """
    _check_address(address)
    try:
        distributed = import_module("distributed")  # an extra, and slow to import
    except ImportError:
        raise InputError(
            'a cluster needs Dask, which is not installed: pip install "covey[cluster]"'
        ) from None
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise _nobody(address, error) from None
    with client:
        threads = sum(client.nthreads().values())
        with _watched(client, address, say):
            yield client.get_executor(), max(threads, 1)


@contextmanager
def _watched(client: Any, address: str, say: Callable[[str], None] | None) -> Iterator[None]:
    """Looks now and then whether there are workers, while work goes on."""
    over = threading.Event()

    def watch() -> None:
        without, told = 0, False
        while not over.wait(_LOOK_SECONDS):
            try:
                there = bool(client.nthreads())
            except Exception:  # whoever waits for an answer is told by Dask
                continue
            without = 0 if there else without + 1
            if there and told:
                said, told = "a worker is there again", False
            elif without >= _LOOKS and not told:
                said, told = _NO_WORKER.format(address), True
            else:
                continue
            if say is not None:
                say(said)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(_CONNECT_SECONDS)


def _check_address(address: str) -> None:
    """Refuses at once what Dask would try for long."""
    parts = _ADDRESS.fullmatch(address)
    if parts is None:
        raise InputError(
            f"{shown(address)} is no address of a Dask scheduler: tcp://HOST:PORT is expected"
        )
    try:
        with socket.create_connection(
            (parts["host"], whole_of(parts["port"]) or 0), _CONNECT_SECONDS
        ):
            pass
    except (OSError, OverflowError, UnicodeError) as error:  # no such port, no such name
        raise _nobody(address, error) from None


def _nobody(address: str, error: Exception) -> InputError:
    return InputError(
        f"no Dask scheduler answers at {address} ({error}): start one with `dask scheduler`, and "
        "give the address that it prints"
    )


def a_few_at_a_time(
    submit: Callable[[K], Future[T]], keys: Iterable[K], ahead: int
) -> Generator[list[tuple[K, Future[T]]], None, None]:
    """What is submitted for every key, in batches as it is done; so many are out at a time.

    The next ones are submitted when a batch has been taken: an executor may do them at once, and
    whoever takes a batch has kept it by then. What is still out is cancelled where this ends early.
    """
    waiting, out = iter(keys), dict[Future[T], K]()
    try:
        while True:
            for key in itertools.islice(waiting, ahead - len(out)):
                out[submit(key)] = key
            if not out:
                return
            done, _ = wait(out, return_when=FIRST_COMPLETED)
            yield [(out.pop(future), future) for future in done]
    finally:
        for future in out:
            future.cancel()


def result_of(future: Future[T], kept: str = "") -> T:
    """What a worker found; if it came to an end instead, that is said, and what to do.

    `kept` is what whoever asked wants to add: what is not lost, and how to go on. What else a task
    raises comes out as it is.
    """
    smaller = "Take fewer workers, or allow fewer states"
    try:
        return future.result()
    except CoveyError:
        raise
    except MemoryError:
        raise TooLargeError(_sentences("memory ran out in a worker", smaller, kept)) from None
    except Exception as error:
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            what = "a worker was killed, most likely because memory ran out"
            raise TooLargeError(_sentences(what, smaller, kept)) from None
        if not (isinstance(error, _LOST) or type(error).__module__.startswith("distributed")):
            raise
        what = f"the workers do not answer any more ({type(error).__name__}: {error})"
        raise CoveyError(_sentences(what, kept)) from error


def _sentences(*parts: str) -> str:
    return ". ".join(part for part in parts if part)


class InThisProcess(Executor):
    """Computes a task when it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The task's future, which is done already."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class LocalPool(ThreadPoolExecutor):
    """Worker processes on this machine, each behind a thread that talks to it."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, thread_name_prefix="covey")
        self._own = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Runs `fn`, which must be importable, in a worker."""
        return super().submit(self._ask, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Lets workers finish what they are at."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for process in self._processes:
            process.communicate()  # a worker ends when nobody will write to it any more

    def stop(self) -> None:
        """Ends all workers at once, whatever they are at."""
        super().shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()

    def _ask(self, fn: Callable[..., T], args: Any, kwargs: Any) -> T:
        if not hasattr(self._own, "process"):
            self._own.process = _start(max(1, core_count() // self._max_workers))
            self._processes.append(self._own.process)
        process = self._own.process
        try:
            pickle.dump((fn, args, kwargs), process.stdin)
            process.stdin.flush()
            succeeded, answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            del self._own.process  # the next task gets a new one
            raise BrokenExecutor(f"a worker ended (exit code {process.wait()})") from None
        if succeeded:
            return answer  # type: ignore[no-any-return]
        raise answer


def _start(cores: int) -> subprocess.Popen[bytes]:
    """A worker that has its share of the cores."""
    command, own = worker_command("covey.worker", cores)
    with _blocked_interrupts():
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own)


def worker_command(module: str, cores: int) -> tuple[list[str], dict[str, str]]:
    """How to start `main` of a module in an interpreter that finds the same modules as this one.

    The command, and its environment, which says how many cores it may use.
    """
    program = f"import sys; sys.path[:] = {sys.path!r}; import {module} as w; w.main()"
    return [sys.executable, "-P", "-c", program], os.environ | {SETTING: str(cores)}


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Whatever this thread starts meanwhile never sees a SIGINT.

    Ctrl-C is for this process alone, so workers start with SIGINT blocked: ignoring it comes too
    late for one that is pressed while Python is starting.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
