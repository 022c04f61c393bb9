"""Cores: what is computed does not depend on how many there are, nor on who computes it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing import get_context

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.irreducible import StationarySolver
from covey.dynamics.threads import SETTING, core_count, one_blas_thread, side_by_side
from covey.errors import CoveyError
from covey.executors import LocalPool
from covey.numbers import Floats
from covey.paper.scenarios import task_network

LAWS = """
import hashlib, json
import numpy as np
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.limit import stationary
from covey.dynamics.ctmc.uniformization import transient
from covey.paper.scenarios import task_network
team = task_network((11, 11, 11), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
chain = Solver(team.network).chain(team.start)
generator, start = chain.generator, chain.start
timed = transient(generator, start, [0.5, 10.0])
steady = stationary(generator, start)
arrays = [generator.exits, timed.scaled, timed.log_error, steady.probabilities]
print(json.dumps({
    "parts": len(generator.parts), "blocks": len(generator.blocks),
    "products": timed.products, "error": steady.log_error,
    "bytes": [hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest() for a in arrays],
}))
"""


# scipy.special brings scipy's BLAS without scipy.linalg, as other libraries bring their own.
LATER = """
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from covey.dynamics.threads import one_blas_thread
with one_blas_thread:
    pass
import scipy.special
with threadpool_limits(2, user_api="blas"), one_blas_thread:
    print(*(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"))
"""


def _distributions(cores: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LAWS],
        env=os.environ | {SETTING: str(cores)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_any_number_of_cores_gives_the_same_bytes() -> None:
    alone = _distributions(1)
    assert '"parts": 1,' not in alone  # there was something to share
    assert '"blocks": 1,' not in alone
    assert _distributions(2) == alone
    assert _distributions(5) == alone


def test_everything_is_done_once_and_keeps_its_place() -> None:
    done: list[int] = []

    def work(i: int) -> int:
        done.append(i)
        return i * i

    assert side_by_side(work, 50) == [i * i for i in range(50)]
    assert sorted(done) == list(range(50))
    assert side_by_side(work, 0) == []


def test_work_within_work_ends() -> None:
    def work(i: int) -> list[int]:
        return side_by_side(lambda j: 10 * i + j, 4)

    assert side_by_side(work, 4) == [[10 * i + j for j in range(4)] for i in range(4)]


def test_the_first_error_in_order_is_raised() -> None:
    began = threading.Barrier(2) if core_count() > 1 else None

    def work(i: int) -> None:
        if i < 2 and began is not None:
            began.wait()  # both fail, the second perhaps before the first
        raise CoveyError(f"distribution {i}")

    with pytest.raises(CoveyError, match="distribution 0"):
        side_by_side(work, 6)


def test_an_interruption_ends_what_has_not_begun() -> None:
    done = []

    def work(i: int) -> None:
        done.append(i)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, 10_000)
    assert len(done) < 10_000
    assert side_by_side(abs, 3) == [0, 1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_child_process_has_cores_of_its_own() -> None:
    side_by_side(np.sqrt, 8)  # the threads of this process are there
    with get_context("fork").Pool(1) as pool:
        assert pool.apply(side_by_side, (abs, 8)) == list(range(8))


@pytest.mark.parametrize(("setting", "found"), [("3", 3), ("1", 1), ("0", None), ("many", None)])
def test_the_number_of_cores_can_be_set(
    monkeypatch: pytest.MonkeyPatch, setting: str, found: int | None
) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    usual = core_count()
    monkeypatch.setenv(SETTING, setting)
    assert core_count() == (usual if found is None else found)


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "6")
    with LocalPool(2) as pool:
        assert pool.submit(core_count).result() == 3
    monkeypatch.setenv(SETTING, "1")
    with LocalPool(2) as pool:
        assert pool.submit(core_count).result() == 1


def _blas_threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_blas_has_one_thread_while_anybody_is_inside() -> None:
    with threadpool_limits(2, user_api="blas"):
        with one_blas_thread:
            another = threading.Thread(target=one_blas_thread(_blas_threads))
            another.start()
            another.join()
            assert _blas_threads() == {1}
        assert _blas_threads() == {2}


def test_a_blas_that_comes_later_has_one_thread_too() -> None:
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"1"}


@pytest.mark.parametrize("team", [(2, 2, 2), (4, 4, 4)])  # eliminated, and swept
def test_a_steady_state_starts_no_threads_of_blas(
    team: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []
    normalised = StationarySolver._normalised

    def watched(solver: StationarySolver, logs: Floats) -> Floats:
        seen.append(_blas_threads())
        return normalised(solver, logs)

    monkeypatch.setattr(StationarySolver, "_normalised", watched)
    with threadpool_limits(2, user_api="blas"):
        scenario = task_network(team, (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
        Solver(scenario.network, Limits("stationary")).distributions(scenario.start, ["steady"])
        assert _blas_threads() == {2}
    assert seen == [{1}]
