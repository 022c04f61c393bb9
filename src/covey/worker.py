"""A worker process of `LocalPool`: tasks on standard input, answers on standard output.

They are pickled, as `multiprocessing` does it: both ends are one program, and nothing is kept.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import IO, Any

_NO_MEMORY = pickle.dumps((False, MemoryError()))  # while there is some
Task = tuple[Any, tuple[Any, ...], dict[str, Any]]


def main() -> None:
    """Answers tasks until the process that gives them has no more, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    try:
        threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    except RuntimeError:  # no room for a thread: to whoever listens, the worker has ended
        return
    while True:
        answer = _answer(*tasks.get())
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:
            return


def _read(stream: IO[bytes], tasks: queue.SimpleQueue[Task]) -> None:
    """Runs beside the work, so that a worker nobody listens to ends in the middle of it."""
    try:
        while True:
            tasks.put(pickle.load(stream))
    finally:
        os._exit(0)


def _answer(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> bytes:
    try:
        return pickle.dumps((True, function(*args, **options)))
    except MemoryError:
        return _NO_MEMORY
    except Exception as error:
        try:
            pickled = pickle.dumps((False, error))
            pickle.loads(pickled)
        except Exception:  # one that does not survive the way
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return pickled
