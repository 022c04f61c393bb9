"""Workers: called off, limited, replaced, and none left behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

import covey
from covey.app.worker_pool import Allowance, WorkerPool

EXAMPLES = Path(__file__).parents[2] / "examples"
WAREHOUSE = (EXAMPLES / "warehouse.toml").read_text(encoding="utf-8")
# Thousands of states are followed for many snapshots: minutes, which say how far they are.
LONG = {
    "question": "snapshots",
    "text": (EXAMPLES / "task-families.toml").read_text(encoding="utf-8")
    + "\n[release]\nevery = 0.01\nuntil = 20.0\n",
}
# A linear program for two thousand outcomes, which hears nothing while it is solved.
DEAF = {
    "question": "protect",
    "text": WAREHOUSE.replace("carrier = 6", "carrier = 40").replace("picker = 4", "picker = 30"),
    "epsilon": 0.01,
    "set": {},
}
QUICK = {"question": "answer", "text": WAREHOUSE}
A_MOMENT = 5.0  # seconds, on a machine that is busy otherwise


def at_a_desk(test: Callable[[WorkerPool], Awaitable[None]], **allowance: Any) -> None:
    """Runs the test, and sees to it that no worker is left."""

    async def run() -> None:
        pool = WorkerPool(Allowance(**allowance))
        await pool.start()
        try:
            await test(pool)
        finally:
            await pool.stop()

    # In a thread of its own: the browser that other tests share has a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(run())).result()
    assert workers() == []


def workers() -> list[psutil.Process]:
    """Those of this process: an app that the browser tests have open is one, and has its own."""
    return [process for process in psutil.Process().children() if "covey.app" in _command(process)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


async def everything(lines: AsyncIterator[bytes]) -> list[dict[str, Any]]:
    """All that is said; two lines may come at once."""
    return [
        json.loads(line)
        for block in [b"".join([x async for x in lines])]
        for line in block.splitlines()
    ]


def kind_of(lines: list[dict[str, Any]]) -> str:
    (error,) = [line["error"] for line in lines if "error" in line]
    assert "done" in lines[-1]
    return str(error["kind"])


async def begun(lines: AsyncIterator[bytes]) -> None:
    """Waits until something is said of how far the work is."""
    async for line in lines:
        if b"progress" in line:
            return


async def called_off(pool: WorkerPool) -> None:
    """A new question of the same tab stops the one before it."""
    first = pool.answer("tab", LONG)
    await begun(first)
    second = pool.answer("tab", {**LONG, "text": WAREHOUSE + "[release]\nevery = 9\nuntil = 9\n"})
    after = asyncio.create_task(everything(second))
    before = await asyncio.wait_for(everything(first), A_MOMENT)
    assert kind_of(before) == "stopped"
    assert [line["part"] for line in await after if "part" in line][-1] == "snapshots"
    assert len(workers()) <= 4


async def not_kept_waiting(pool: WorkerPool) -> None:
    """However many long questions there are."""
    long = [asyncio.create_task(everything(pool.answer(str(i), LONG))) for i in range(4)]
    right = covey.leakage(covey.loads(WAREHOUSE)).profile.bayes_success
    for tab in ("a", "b"):
        found = await everything(pool.answer(tab, QUICK))
        headline = next(line["value"] for line in found if line.get("part") == "headline")
        assert headline["guess"] == right
    assert not any(task.done() for task in long)
    for task in long:
        task.cancel()
    await asyncio.gather(*long, return_exceptions=True)


async def nonsense_is_said_to_be(pool: WorkerPool) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for question in (
        {}, {"question": 7}, {"question": "__import__"}, {"question": None},
        {"question": "check", "stop": 10**9}, {"stop": "x"}, {"question": "check", "text": deep},
    ):  # fmt: skip
        assert kind_of(await everything(pool.answer("tab", question))) == "input"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pool, "_taken", _no_more_processes)
        assert kind_of(await everything(pool.answer("tab", QUICK))) == "system"


async def _no_more_processes(_: object) -> None:
    raise BlockingIOError(11, "Resource temporarily unavailable")


async def replaced_where_it_dies(pool: WorkerPool) -> None:
    lines = pool.answer("tab", LONG)
    await begun(lines)
    for process in workers():
        process.kill()
    assert kind_of(await everything(lines)) == "too_large"
    await asyncio.sleep(0.5)  # until the system has told of those that were ready
    assert "headline" in str(await everything(pool.answer("a", QUICK)))


@pytest.mark.slow
def test_questions_beside_each_other() -> None:
    async def test(pool: WorkerPool) -> None:
        await nonsense_is_said_to_be(pool)
        await called_off(pool)
        await not_kept_waiting(pool)
        await replaced_where_it_dies(pool)

    at_a_desk(test)


@pytest.mark.slow
def test_whoever_has_gone_is_not_answered() -> None:
    """Also where the work does not hear of it: then the worker is ended, and another one comes."""

    async def test(pool: WorkerPool) -> None:
        for question in (LONG, DEAF):
            lines = pool.answer("tab", question)
            task = asyncio.create_task(everything(lines))
            await asyncio.sleep(1.5)
            busy = {p.pid for p in workers()}
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(60):
            while any(p.pid in busy and p.cpu_percent(0.2) > 30 for p in workers()):
                await asyncio.sleep(0.1)
        assert "headline" in str(await everything(pool.answer("tab", QUICK)))

    at_a_desk(test)


@pytest.mark.slow
def test_too_long_or_too_large_is_said_and_the_next_is_answered() -> None:
    large = {"types.1": 60, "types.2": 60, "types.3": 60}

    async def test(pool: WorkerPool) -> None:
        lines = await everything(pool.answer("tab", LONG))
        assert kind_of(lines) == "time"
        (error,) = [line["error"] for line in lines if "error" in line]
        assert "no answer within 1 seconds" in error["message"]
        too_large = {"question": "answer", "text": LONG["text"], "set": large}
        assert kind_of(await everything(pool.answer("tab", too_large))) == "too_large"
        assert "headline" in str(await everything(pool.answer("tab", QUICK)))
        if hasattr(psutil.Process, "rlimit"):
            allowed = [p.rlimit(psutil.RLIMIT_DATA)[0] for p in workers()]
            assert set(allowed) == {700_000_000}

    at_a_desk(test, long=1.0, memory=700_000_000)
