"""Who answers: worker processes that are warm, limited in time, and stopped when nobody waits.

A question goes to a worker that is free, first of all to the one that answered this tab's last
question of the kind: it has that network prepared. Quick questions and long ones have places of
their own, so that no long one keeps a quick one waiting. A new question of the same tab and kind
calls off the one before it. A worker is told so, and mostly stops at its next distribution or part,
warm for the next question; one that is deep in the work does not hear it, and is ended. Another is
started in time, so that one more is ready.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from covey.app.worker import HEARS, Key, Worker, WorkerEndedError

_SOON = 0.3  # seconds that a question waits for the worker that knows it
_READY = 2  # workers that are kept for the next questions


@dataclass(frozen=True)
class Allowance:
    """How much of the machine questions may take.

    Args:
        quick: Seconds for a question that is asked at every change.
        long: Seconds for any other.
        quick_places: So many quick questions are answered at a time.
        long_places: So many others.
        memory: Bytes for each worker.
    """

    quick: float = 60.0
    long: float = 900.0
    quick_places: int = 4
    long_places: int = 3
    memory: int = 2_000_000_000


QUICK = frozenset({"answer", "network", "check", "commands", "publish"})


@dataclass(eq=False)
class WorkerPool:
    """All workers, and the questions that they are at."""

    allowance: Allowance = field(default_factory=Allowance)

    def __post_init__(self) -> None:
        self._ready: list[Worker] = []
        self._returning = 0  # workers that were called off, and may come back
        self._all: set[Worker] = set()
        self._asked: dict[Key, asyncio.Task[None]] = {}
        self._aside: set[asyncio.Task[None]] = set()  # what is done while nobody waits for it
        self._coming_back = asyncio.Condition()
        self._places = {
            True: asyncio.Semaphore(self.allowance.quick_places),
            False: asyncio.Semaphore(self.allowance.long_places),
        }
        self._open = True

    async def start(self) -> None:
        """Has the first workers ready."""
        for _ in range(_READY):
            self._ready.append(await self._new())

    async def stop(self) -> None:
        """Ends every worker and every question."""
        self._open = False
        tasks = [*self._asked.values(), *self._aside]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._all))
        self._all.clear()

    async def answer(self, tab: str, question: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """The lines of an answer as they are known; whoever stops reading them calls it off."""
        key = tab, str(question.get("question"))
        before = self._asked.get(key)
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        task = asyncio.create_task(self._work(key, question, lines))
        self._asked[key] = task
        if before is not None:
            before.cancel()
        try:
            while (line := await lines.get()) is not None:
                yield line
        finally:
            task.cancel()
            if self._asked.get(key) is task:
                del self._asked[key]

    async def _work(
        self, key: Key, question: Mapping[str, Any], lines: asyncio.Queue[bytes | None]
    ) -> None:
        quick = key[1] in QUICK
        seconds = self.allowance.quick if quick else self.allowance.long
        if self._places[quick].locked():
            lines.put_nowait(_WAITING)
        try:
            async with self._places[quick], asyncio.timeout(seconds), self._lent(key) as worker:
                async for line in worker.ask(question):
                    lines.put_nowait(line)
        except TimeoutError:
            message = f"no answer within {seconds:g} seconds: take a smaller team, or ask for less"
            lines.put_nowait(_error("time", message))
        except WorkerEndedError:
            message = (
                "the worker was ended, most likely because memory ran out: take a smaller team"
            )
            lines.put_nowait(_error("too_large", message))
        except OSError as error:
            message = f"no worker could be started ({error.strerror}): ask again later"
            lines.put_nowait(_error("system", message))
        except RecursionError:
            lines.put_nowait(_error("input", "the question is nested too deeply to be followed"))
        except asyncio.CancelledError:
            lines.put_nowait(_error("stopped", "another question came after it"))
            raise
        finally:
            lines.put_nowait(None)

    @asynccontextmanager
    async def _lent(self, key: Key) -> AsyncIterator[Worker]:
        worker = await self._taken(key)
        try:
            yield worker
        finally:
            self._do_aside(self._back(worker))

    async def _taken(self, key: Key) -> Worker:
        """A worker that is free: the one that knows the question, if it comes back soon.

        Where none is, one that was called off is waited for: a new one takes longer to be ready.
        """
        async with self._coming_back:
            await self._bury()
            known = next((one for one in self._all if one.last == key), None)
            if known is not None and known not in self._ready:
                await self._wait(lambda: known in self._ready, _SOON)
            if not self._ready and self._returning:
                await self._wait(lambda: bool(self._ready), HEARS)
            worker = known if known in self._ready else None
            if worker is None and self._ready:
                worker = min(self._ready, key=lambda one: one.last is not None)
            if worker is not None:
                self._ready.remove(worker)
        worker = worker or await self._new()
        worker.last = key
        if not self._ready:
            self._do_aside(self._one_more())
        return worker

    async def _wait(self, until: Callable[[], bool], seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._coming_back.wait_for(until)

    async def _bury(self) -> None:
        """Forgets workers that were ready and have died."""
        for dead in [one for one in self._ready if not one.alive]:
            self._ready.remove(dead)
            self._all.discard(dead)
            await dead.end()

    async def _back(self, worker: Worker) -> None:
        """Has a worker ready again, or ended where it does not hear."""
        self._returning += 1
        try:
            heard = worker.alive and (not worker.answering or await worker.stop())
        finally:
            self._returning -= 1
        if not heard:
            self._all.discard(worker)
            await worker.end()
            if not self._ready:
                await self._one_more()
            return
        async with self._coming_back:
            self._ready.append(worker)
            spare = self._ready.pop(0) if len(self._ready) > _READY else None
            self._coming_back.notify_all()
        if spare is not None:
            self._all.discard(spare)
            await spare.end()

    async def _one_more(self) -> None:
        worker = await self._new()
        async with self._coming_back:
            self._ready.append(worker)
            self._coming_back.notify_all()

    async def _new(self) -> Worker:
        worker = await Worker.start(self.allowance.memory)
        self._all.add(worker)
        return worker

    def _do_aside(self, work: Coroutine[Any, Any, None]) -> None:
        if not self._open:
            work.close()
            return
        task = asyncio.create_task(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)


_WAITING = b'{"progress": {"done": 0, "total": 1, "text": "waiting for other questions"}}\n'


def _error(kind: str, message: str) -> bytes:
    """The last lines of an answer that was cut short."""
    error = {"message": message, "line": None, "key": None, "kind": kind}
    return f"{json.dumps({'error': error})}\n{json.dumps({'done': {'seconds': None}})}\n".encode()
