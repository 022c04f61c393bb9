"""Simulation: the right distribution, the same paths however they are asked for, and no running away."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2, poisson

from covey.dynamics.projection.finite_state_projection import project
from covey.dynamics.ssa import simulation
from covey.dynamics.ssa.simulation import end_points, event_log, trajectories
from covey.errors import InputError, TooLargeError
from covey.model.network import Network

DIMERS = "0 -> A @ 6\nA -> 0 @ 0.5\n2 A <-> B @ 0.2, 1\nA + B -> C @ 0.1\nC -> 0 @ 1"


def chi_square(drawn: NDArray[np.int64], distribution: dict[tuple[int, ...], float]) -> float:
    """The p-value of the drawn states (samples, species); rare states are taken together."""
    seen: dict[tuple[int, ...], int] = {}
    for state in map(tuple, drawn.tolist()):
        seen[state] = seen.get(state, 0) + 1
    often = [state for state, p in distribution.items() if p * len(drawn) >= 8]
    expected = np.array(
        [distribution[state] for state in often] + [1 - sum(distribution[s] for s in often)]
    )
    observed = np.array([seen.get(s, 0) for s in often] + [len(drawn)], dtype=float)
    observed[-1] -= observed[:-1].sum()
    expected *= len(drawn)
    kept = expected > 1e-6
    assert (observed[~kept] == 0).all()
    statistic = np.sum((observed[kept] - expected[kept]) ** 2 / expected[kept])
    return float(chi2.sf(statistic, kept.sum() - 1))


@pytest.mark.parametrize("samples", [500, 20_000])  # in plain Python for the most part; compiled
def test_immigration_and_death_is_poisson(samples: int) -> None:
    drawn = end_points(Network("0 -> X @ 4\nX -> 0 @ 0.5"), [0], 3.0, samples=samples, seed=1)
    distribution: dict[tuple[int, ...], float] = {
        (n,): float(poisson.pmf(n, 8 * (1 - math.exp(-1.5)))) for n in range(60)
    }
    assert chi_square(drawn, distribution) > 1e-3


def test_independent_flips_are_binomial() -> None:
    drawn = end_points(Network("{A} <-> b{A} @ 3, 1"), [30, 0], 0.4, samples=20_000, seed=2)
    stay = 0.25 + 0.75 * math.exp(-1.6)
    distribution: dict[tuple[int, ...], float] = {
        (n, 30 - n): float(binom.pmf(n, 30, stay)) for n in range(31)
    }
    assert chi_square(drawn, distribution) > 1e-3


@pytest.mark.parametrize("kinetics", ["falling", "power"])
def test_reactions_of_two_in_both_kinetics(kinetics: str) -> None:
    network = Network(f"kinetics = {kinetics}\n{DIMERS}")
    exact = project(network, [3, 0, 1], 1.5)
    distribution = dict(
        zip(map(tuple, exact.states.tolist()), exact.probabilities.tolist(), strict=True)
    )
    drawn = end_points(network, [3, 0, 1], 1.5, samples=40_000, seed=3)
    assert chi_square(drawn, distribution) > 1e-3
    wrong = end_points(Network(DIMERS), [3, 0, 2], 1.5, samples=40_000, seed=3)
    assert chi_square(wrong, distribution) < 1e-6  # the test can fail


def test_many_reactions_with_many_reactants() -> None:
    """More than one block of propensities, of different sizes, some of them never possible."""
    text = "\n".join(f"s{i} -> s{i + 1} @ {1 + i % 3}" for i in range(30))
    network = Network(text + "\n3 s0 + 2 s1 + s2 -> 3 s0 + 2 s1 + s3 @ 0.5")
    start = np.zeros(31, dtype=np.int64)
    start[[network.index[s] for s in network.species if str(s) in ("s0", "s1", "s2")]] = [3, 2, 1]
    drawn = end_points(network, start, 0.05, samples=30_000, seed=4)
    assert (drawn.sum(axis=1) == 6).all()
    exact = project(network, start, 0.05, tolerance=1e-6)
    distribution = dict(
        zip(map(tuple, exact.states.tolist()), exact.probabilities.tolist(), strict=True)
    )
    assert chi_square(drawn, distribution) > 1e-3


def test_the_same_paths_on_any_number_of_cores() -> None:
    network = Network(DIMERS)
    one, two, five = (
        end_points(network, [3, 0, 1], 2.0, samples=3_000, seed=9, cores=cores)
        for cores in (1, 2, 5)
    )
    assert (one == two).all()
    assert (one == five).all()
    other = end_points(network, [3, 0, 1], 2.0, samples=3_000, seed=10)
    assert (one != other).any(axis=1).mean() > 0.5


def test_the_same_paths_at_any_times_and_in_the_log() -> None:
    network, start = Network(DIMERS), np.array([3, 0, 1])
    times = [0.0, 0.3, 0.3, 1.1, 2.0]
    paths = trajectories(network, start, 2.0, samples=20, times=times, seed=5)
    assert paths.shape == (20, 5, 3)
    assert (paths[:, 0] == start).all()
    assert (paths[:, 4] == end_points(network, start, 2.0, samples=20, seed=5)).all()
    for i in (0, 7, 19):
        log = event_log(network, start, 2.0, seed=5, trajectory=i)
        assert (np.diff(log.times) > 0).all()
        assert 0 < log.times[0] <= log.times[-1] <= 2.0
        states = np.vstack([start, log.states()])
        assert (states >= 0).all()
        for time, state in zip(times, paths[i], strict=True):
            assert (states[np.searchsorted(log.times, time, side="right")] == state).all()


def test_a_long_log_is_a_log_made_longer() -> None:
    network = Network("0 -> X @ 100\nX -> 0 @ 1")
    long, short = (event_log(network, [0], until, seed=3) for until in (200.0, 2.0))
    assert len(long.times) > 20_000
    assert len(short.times) < 1_000
    assert (long.times[: len(short.times)] == short.times).all()
    assert (long.reactions[: len(short.times)] == short.reactions).all()


@pytest.mark.slow
def test_plain_python_and_numba_walk_the_same_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; from covey.model.network import Network;"
        "from covey.dynamics.ssa import simulation as s;"
        f"s._PLAIN_EVENTS = 0; network = Network({DIMERS!r});"
        "x = s.end_points(network, [3, 0, 1], 1.0, samples=40, seed=7);"
        "print(x.tolist())"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    network = Network(DIMERS)
    monkeypatch.setattr(simulation, "_PLAIN_EVENTS", 0)
    compiled = end_points(network, [3, 0, 1], 1.0, samples=40, seed=7)
    assert str(compiled.tolist()) == done.stdout.strip()
    simulation._compiled.cache_clear()
    monkeypatch.setattr(simulation, "_PLAIN_EVENTS", 10**6)
    plain = end_points(network, [3, 0, 1], 1.0, samples=40, seed=7)
    assert not simulation._compiled.cache_info().currsize
    assert (plain == compiled).all()


def test_a_short_request_does_without_numba() -> None:
    code = (
        "import sys; from covey.model.network import Network;"
        "from covey.dynamics.ssa.simulation import end_points;"
        "end_points(Network('0 <-> X @ 4, 0.5'), [0], 3.0, samples=10);"
        "assert 'numba' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=environment, check=True)


def test_an_absorbing_chain_ends() -> None:
    network = Network("X -> 0 @ 1\n2 X -> X @ 1")
    paths = trajectories(network, [5], 1e300, samples=50, times=[0.0, 1e6, 1e300])
    assert (paths[:, 0] == 5).all()
    assert (paths[:, 1:] == 0).all()
    log = event_log(network, [5], 1e300)
    assert 3 <= len(log.times) <= 5
    assert event_log(network, [0], 1e300).times.size == 0


@pytest.mark.parametrize("max_events", [1_000, 200_000])  # in plain Python; compiled
def test_an_explosive_network_is_refused(max_events: int) -> None:
    network = Network("2 X -> 3 X @ 1")
    with pytest.raises(TooLargeError, match=rf"{max_events:,} events by time 0\.\d+, at \d+ X"):
        end_points(network, [3], 10.0, samples=4, max_events=max_events)
    with pytest.raises(TooLargeError, match="runs away"):
        event_log(network, [3], 10.0, max_events=max_events)


def test_a_rate_beyond_all_numbers_is_refused() -> None:
    network = Network("3 X -> 4 X @ 1e300")
    with pytest.raises(TooLargeError, match="too large for a number"):
        end_points(network, [2**50], 1.0, samples=1)


def test_exactly_as_many_events_as_allowed() -> None:
    network = Network("X -> 0 @ 1")
    assert end_points(network, [7], 1e6, samples=3, max_events=7).tolist() == [[0]] * 3
    with pytest.raises(TooLargeError, match="6 events"):
        end_points(network, [7], 1e6, samples=3, max_events=6)


def test_progress_is_told_and_an_interrupt_stops_the_work() -> None:
    network, told = Network("0 -> X @ 1000\nX -> 0 @ 1"), list[float]()

    def tell(done: float, total: float, text: str) -> None:
        assert text == "trajectories"
        assert total == 10**6
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        end_points(network, [0], 5.0, samples=10**6, progress=tell)
    assert 0 < told[0] < told[1] < 10**6


@pytest.mark.parametrize("at", [-1.0, math.nan, math.inf, None])
def test_absurd_times(at: Any) -> None:
    with pytest.raises(InputError, match="time is"):
        end_points(Network(DIMERS), [0, 0, 0], at, samples=1)
    with pytest.raises(InputError, match=r"time is|until"):
        trajectories(Network(DIMERS), [0, 0, 0], at, samples=1)
    with pytest.raises(InputError, match="until is"):
        event_log(Network(DIMERS), [0, 0, 0], at)


@pytest.mark.parametrize(
    "wrong",
    [{"samples": 0}, {"samples": 1.5}, {"seed": -1}, {"seed": 2**64}, {"max_events": 0}],
)
def test_absurd_requests(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a whole number"):
        end_points(Network(DIMERS), [0, 0, 0], 1.0, **{"samples": 1, **wrong})


def test_more_than_fits_is_refused_before_it_is_taken() -> None:
    with pytest.raises(TooLargeError, match="GB"):
        end_points(Network(DIMERS), [0, 0, 0], 1.0, samples=10**12)
