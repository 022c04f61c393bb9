"""`--cluster`: a real Dask scheduler, two workers, one of which is killed midway."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import PATIENCE, Answer, covey
from tests.cli.test_sweep import EXAMPLES, GRIDS, SMALL, TASKS, start, wait_for_cells

pytestmark = pytest.mark.slow  # a cluster of processes

distributed = pytest.importorskip("distributed")

# Each takes two seconds or more on one worker: time enough to be killed at it.
COMMANDS = {
    "design": (TASKS, *SMALL, "--at", "1", "--vary", "rates.*=x0.5:x2", "--starts", "3"),
    "stream": (
        EXAMPLES / "search-and-rescue.toml",
        "--every",
        "0.5",
        "--for",
        "50",
        "--paths",
        "4000",
    ),
}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address and the workers, all on this machine and for this test alone."""
    told = tmp_path / "scheduler.json"
    log = (tmp_path / "dask.log").open("wb")
    local = ("--no-dashboard", "--scheduler-file", str(told))

    def run(module: str, *args: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *local, *args]
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)

    processes = [run("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        end = time.monotonic() + PATIENCE
        while not told.exists():
            assert time.monotonic() < end, (tmp_path / "dask.log").read_text()
            time.sleep(0.05)
        host = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny")
        processes += [run("dask_worker", *host, "--name", str(number)) for number in range(2)]
        yield json.loads(told.read_text())["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait(PATIENCE)
        log.close()


def test_a_cluster_that_loses_a_worker_finds_the_same_bytes(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    here, there = tmp_path / "here.nc", tmp_path / "there.nc"
    assert start("rates", here).wait(PATIENCE) == 0
    command = [sys.executable, "-m", "covey", "sweep", str(TASKS), *GRIDS["rates"], "-q"]
    command += ["--at", "1", "-o", str(there), "--cluster", address]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    wait_for_cells(there, 4, process)
    workers[0].kill()
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said.decode()
    assert workers[1].poll() is None
    assert there.read_bytes() == here.read_bytes()


def loses_a_worker(address: str, worker: subprocess.Popen[bytes], *args: object) -> Answer:
    """What a command answers on the cluster; the first worker is killed while it is at a task."""
    command = [sys.executable, "-m", "covey", *map(str, args), "--cluster", address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    with distributed.Client(address, set_as_default=False) as client:
        while not any(client.processing().get(one) for one in named(client, "0")):
            assert process.poll() is None, "it was over too soon for a worker to be killed"
            assert time.monotonic() < end
            time.sleep(0.01)
        worker.kill()
        out, err = process.communicate(timeout=PATIENCE)
        assert not named(client, "0")
    return Answer(process.returncode, out, err)


def named(client: Any, name: str) -> list[str]:
    """The addresses of the workers of that name."""
    workers = client.scheduler_info()["workers"]
    return [address for address, one in workers.items() if str(one["id"]) == name]


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_cluster_that_loses_a_worker_answers_the_same(
    verb: str, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    args = (verb, *COMMANDS[verb], "--json")
    there = loses_a_worker(address, workers[0], *args).json
    here = covey(*args).json
    here.pop("seconds", None)
    there.pop("seconds", None)
    assert there == here


def test_a_cluster_that_loses_all_workers_says_so(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    command = [sys.executable, "-m", "covey", "sweep", str(TASKS), *GRIDS["rates"], "-q"]
    command += ["--at", "1", "-o", str(tmp_path / "map.nc"), "--cluster", address]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    wait_for_cells(tmp_path / "map.nc", 2, process)
    for worker in workers:
        worker.kill()
    assert process.stderr is not None
    try:
        # Dask may say something of its own before it.
        said = (line.decode() for line in process.stderr)
        assert any(f"no worker is left at {address}" in line for line in said)
    finally:
        process.kill()
        process.communicate()


def test_nobody_answers(tmp_path: Path) -> None:
    vary = ("--vary", "types.1=1:2", "-o", tmp_path / "map.csv")
    answer = covey("sweep", TASKS, *vary, "--cluster", "tcp://127.0.0.1:1")
    assert answer.code == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in answer.err
    answer = covey("sweep", TASKS, *vary, "--cluster", "nonsense")
    assert answer.code == 2
    assert "tcp://HOST:PORT is expected" in answer.err
