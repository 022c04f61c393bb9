"""The cores of this machine, shared by everything that computes in this process.

Whoever has parts to compute does them one after the other, and as many idle cores as there are help
with those that have not begun. A distribution alone has the cores for the rows of its products;
several distributions beside each other have one each, and the last of them has all again. Nobody
waits for a core: where all are busy, or the machine is slow to wake a thread, the work is done
where it was asked for.

Which core does a part, and how many there are, never changes a number: parts are cut by the size of
the problem alone. `NUMBA_NUM_THREADS` says how many cores to use; by default all that this process
may use. Kernels take no threads of numba's own: those spin while they wait, and were ten times
slower than one core beside any other busy process. BLAS is kept from it as well, where matrices are
small (`one_blas_thread`).
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ContextDecorator
from functools import lru_cache
from queue import SimpleQueue
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
SETTING = "NUMBA_NUM_THREADS"


def core_count() -> int:
    """How many cores this process uses."""
    asked = os.environ.get(SETTING, "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Hired:
    """Work for another core, that either begins there or is called off."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.taken, self.done = threading.Lock(), threading.Lock()
        self.done.acquire()

    def take(self) -> bool:
        """Whether the caller, of the core and of whoever hired it, is the first to ask."""
        return self.taken.acquire(blocking=False)


class _Helpers:
    """A thread for every core but that of whoever asks.

    A product takes less than a millisecond, and waking a thread a tenth of one: so nothing but
    locks stands between the two, where a pool of futures would take as long again.
    """

    def __init__(self) -> None:
        self.others = core_count() - 1
        self.idle = threading.Semaphore(self.others)
        self.asked: SimpleQueue[_Hired] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.starting = threading.Lock()

    def hire(self, work: Callable[[], None]) -> _Hired | None:
        """Starts the work on an idle core; None where there is none."""
        if not self.idle.acquire(blocking=False):
            return None
        if len(self.threads) < self.others:
            self._start()
        hired = _Hired(work)
        self.asked.put(hired)
        return hired

    def _start(self) -> None:
        with self.starting:
            while len(self.threads) < self.others:
                name = f"covey-core-{len(self.threads) + 1}"
                thread = threading.Thread(target=self._serve, name=name, daemon=True)
                thread.start()
                self.threads.append(thread)

    def _serve(self) -> None:
        while True:
            hired = self.asked.get()
            if hired.take():
                try:
                    hired.work()
                finally:
                    self.idle.release()
                    hired.done.release()
            del hired  # and with it the arrays of the work, while the next is waited for

    def dismiss(self, hired: _Hired) -> None:
        """Returns when the work is done, or will never begin."""
        if hired.take():
            self.idle.release()
        else:
            hired.done.acquire()


_helpers = _Helpers()


class _OneBlasThread(ContextDecorator):
    """BLAS computes where it is called, for as long as anybody is inside.

    How many threads it has is said to the whole process: so the first one in says it, and the last
    one out says what was said before.
    """

    def __init__(self) -> None:
        self.inside, self.entering = 0, threading.Lock()

    def __enter__(self) -> None:
        with self.entering:
            if not self.inside:
                self.limited = _blas(len(sys.modules)).limit(limits=1)
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.entering:
            self.inside -= 1
            if not self.inside:
                self.limited.restore_original_limits()


@lru_cache(maxsize=1)
def _blas(modules: int) -> ThreadpoolController:
    """What is loaded of BLAS, by so many modules: looking for it takes some milliseconds.

    numpy has a BLAS, and scipy and other libraries bring their own when they are imported, late or
    never: so it is looked for again where anything has been. Who computes by one of them imports it
    before coming inside.
    """
    return ThreadpoolController().select(user_api="blas")


one_blas_thread = _OneBlasThread()


def _after_fork() -> None:
    """A child process has none of its parent's threads."""
    global _helpers  # noqa: PLW0603
    _helpers = _Helpers()
    one_blas_thread.entering = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def side_by_side(work: Callable[[int], T], count: int) -> list[T]:
    """The list of work(0), …, work(count − 1), computed here and on cores that are idle.

    As one after the other would: the first error in their order is raised. What has not begun by
    then never does.
    """
    if count == 1:
        return [work(0)]
    waiting = deque(range(count))
    found: dict[int, T] = {}
    errors: dict[int, Exception] = {}

    def take() -> None:
        while waiting:
            try:
                part = waiting.popleft()
            except IndexError:  # another core was faster
                return
            try:
                found[part] = work(part)
            except Exception as error:
                errors[part] = error
                waiting.clear()

    helpers = _helpers
    hired: list[_Hired] = []
    try:
        while len(hired) < count - 1 and (helper := helpers.hire(take)) is not None:
            hired.append(helper)
        take()
    finally:
        waiting.clear()
        for helper in hired:
            helpers.dismiss(helper)
    if errors:
        raise errors[min(errors)]
    return [found[part] for part in range(count)]


def on_threads(
    work: Callable[[int], None],
    parts: Iterable[int],
    cores: int | None,
    said: Callable[[int], None] = lambda done: None,
) -> None:
    """Calls work(part) for every part, on as many cores as are asked for, or on all.

    said(n) is called here whenever n of them are done. What has not begun when one of them fails,
    or when this is interrupted, never does.
    """
    parts = list(parts)
    if len(parts) == 1:
        work(parts[0])
        said(1)
        return
    with ThreadPoolExecutor(cores or core_count()) as pool:
        running = [pool.submit(work, part) for part in parts]
        try:
            for done, future in enumerate(as_completed(running), start=1):
                future.result()
                said(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
