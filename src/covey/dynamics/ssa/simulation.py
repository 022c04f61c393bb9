"""Simulation: exact sample paths of the Markov chain, one event after another.

Trajectory i of a seed is always the same path, however many are asked for, at whatever times and
on however many cores: `end_points`, `trajectories` and `event_log` all look at the same paths. In
state x reaction l happens at the rate κ_l ∏ x!/(x−ρ)!, or κ_l ∏ x^ρ with power kinetics, or at what
its rate law says; always only where its reactants are there. `kernels/ssa` says how it is done.

Short requests run in plain Python, before numba could be loaded; the paths are the same.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.dynamics.ctmc.propensity import propensity, state_text
from covey.dynamics.kernels.sampling import ssa as kernels
from covey.dynamics.ssa.tables import Tables, tables_of
from covey.dynamics.threads import core_count
from covey.dynamics.validation import Progress, check_start, check_time, check_times
from covey.errors import InputError, TooLargeError
from covey.model.network import Network

MAX_EVENTS = 100_000_000  # per trajectory: about ten seconds
_MAX_LOGGED = 10_000_000
_MAX_BYTES = 2**33
_PLAIN_EVENTS = 10_000  # what plain Python does while numba would still be loading
_CHUNK_SECONDS = 0.1


@dataclass(frozen=True)
class EventLog:
    """Every event of one trajectory.

    Attributes:
        network: Whose trajectory it is.
        start: The state at time 0, (species,).
        until: The time up to which it was followed.
        times: When each event happened, (events,).
        reactions: Which reaction it was, as an index into `network.reactions`, (events,).
    """

    network: Network
    start: NDArray[np.int64]  # (species,)
    until: float
    times: NDArray[np.float64]  # (events,)
    reactions: NDArray[np.int64]  # (events,)

    def states(self) -> NDArray[np.int64]:
        """The state after each event: (events, species)."""
        steps = self.network.changes[self.reactions]
        return np.asarray(self.start + np.cumsum(steps, axis=0), dtype=np.int64)


def end_points(
    network: Network,
    start: ArrayLike,
    at: float,
    *,
    samples: int,
    seed: int = 0,
    max_events: int = MAX_EVENTS,
    cores: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """The states of several trajectories at one time: (samples, species).

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        at: The time.
        samples: How many trajectories.
        seed: Which ones: trajectory i of a seed is always the same path.
        max_events: A trajectory of more events is taken to run away, and refused.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    states = trajectories(
        network,
        start,
        times=[check_time(at)],
        samples=samples,
        seed=seed,
        max_events=max_events,
        cores=cores,
        progress=progress,
    )
    return states[:, 0]


def trajectories(
    network: Network,
    start: ArrayLike,
    until: float | None = None,
    *,
    times: Iterable[float] | None = None,
    samples: int,
    seed: int = 0,
    max_events: int = MAX_EVENTS,
    cores: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """The states of several trajectories at increasing times: (samples, times, species).

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        until: The last of 101 times, evenly from 0; for when `times` is not given.
        times: The times, in increasing order.
        samples: How many trajectories.
        seed: Which ones: trajectory i of a seed is always the same path.
        max_events: A trajectory of more events is taken to run away, and refused.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    wanted, state = _times(until, times), check_start(network, start)  # (times,), (species,)
    samples = _whole(samples, "samples", 1)
    shape = (samples, len(wanted), len(network.species))
    if np.prod(shape, dtype=float) * 8 > _MAX_BYTES:
        raise TooLargeError(
            f"{samples:,} samples at {len(wanted):,} times take "
            f"{np.prod(shape, dtype=float) * 8 / 1e9:.0f} GB: ask for fewer samples or times"
        )
    out = np.zeros(shape, dtype=np.int64)  # (samples, times, species)
    if network.timetable:
        for i, path in enumerate(out):
            log = event_log(network, state, float(wanted[-1]), seed=seed, trajectory=i)
            states = np.concatenate([state[None], log.states()])
            path[:] = states[np.searchsorted(log.times, wanted, side="right")]
            if progress is not None:
                progress(i, samples, "trajectories")
        return out
    request = _Request(tables_of(network), state, wanted, _seed(seed), _limit(max_events))
    done = 0 if _compiled.cache_info().currsize else _run_plain(request, network, out)
    if done < samples:
        _run_compiled(request, network, out, done, cores or core_count(), progress)
    return out


def event_log(
    network: Network,
    start: ArrayLike,
    until: float,
    *,
    seed: int = 0,
    trajectory: int = 0,
    max_events: int = _MAX_LOGGED,
) -> EventLog:
    """Every event of one trajectory up to a time.

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        until: The time up to which it is followed.
        seed: Which trajectories there are.
        trajectory: The number of the one that is logged, from 0.
        max_events: A trajectory of more events is taken to run away, and refused.
    """
    until = check_time(until, "until")
    if network.timetable:
        return _in_phases(network, check_start(network, start), until, seed, trajectory, max_events)
    state, limit = check_start(network, start), _limit(max_events)
    trajectory = _whole(trajectory, "trajectory", 0)
    out = np.zeros((1, 1, len(network.species)), dtype=np.int64)
    room = min(1024, limit)
    while True:  # the path is the same each time, so it need not be kept while room is made
        request = _Request(tables_of(network), state, np.array([until]), _seed(seed), room)
        logs = np.empty(room), np.empty(room, dtype=np.int64)
        plain = room <= _PLAIN_EVENTS and not _compiled.cache_info().currsize
        outcome = request.run(kernels.simulate if plain else _compiled(), trajectory, out, logs)
        if outcome.status != kernels.TOO_MANY_EVENTS or room == limit:
            break
        room = min(8 * room, limit)
    _check(outcome, network, trajectory, out)
    times, reactions = logs
    n = outcome.events
    return EventLog(network, state, until, times[:n].copy(), reactions[:n].copy())


def _in_phases(
    network: Network,
    start: NDArray[np.int64],
    until: float,
    seed: int,
    trajectory: int,
    max_events: int,
) -> EventLog:
    """A trajectory under a timetable: in each phase it begins anew where it is.

    Rates are constant within a phase, so waiting times are exponential, and have no memory.
    """
    words = np.random.SeedSequence([int(_seed(seed)), _whole(trajectory, "trajectory", 0)])
    begin, state, parts = 0.0, start, list[EventLog]()
    for phase, duration in network.timetable.segments(0.0, until):
        fresh = int(words.spawn(1)[0].generate_state(1, np.uint64)[0])
        found = event_log(network.phases[phase], state, duration, seed=fresh, max_events=max_events)
        state = found.states()[-1] if len(found.times) else state
        parts.append(EventLog(network, start, until, begin + found.times, found.reactions))
        begin += duration
    return EventLog(
        network,
        start,
        until,
        np.concatenate([np.empty(0), *(part.times for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.reactions for part in parts)]),
    )


_NO_LOGS = np.empty(0), np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class _Request:
    """What is simulated, and the call of the kernel that does it."""

    tables: Tables
    start: NDArray[np.int64]
    times: NDArray[np.float64]
    seed: np.uint64
    max_events: int

    def run(
        self,
        simulate: Callable[..., kernels.Outcome],
        first: int,
        out: NDArray[np.int64],
        logs: tuple[NDArray[np.float64], NDArray[np.int64]] = _NO_LOGS,
        stop: NDArray[np.bool_] | None = None,
    ) -> kernels.Outcome:
        """Fills `out` with the trajectories from number `first` on."""
        stop = np.zeros(1, dtype=np.bool_) if stop is None else stop
        # The random numbers are made by overflowing; an infinite rate is found and refused.
        with np.errstate(over="ignore", invalid="ignore"):
            return simulate(
                self.tables, self.start, self.times, self.seed, first, self.max_events,
                out, *logs, stop,
            )  # fmt: skip


def _run_plain(request: _Request, network: Network, out: NDArray[np.int64]) -> int:
    """As many trajectories as plain Python does in a moment; the rest is left to the kernel."""
    left = _PLAIN_EVENTS
    for row in range(len(out)):
        limit = min(left, request.max_events)
        attempt = _Request(request.tables, request.start, request.times, request.seed, limit)
        outcome = attempt.run(kernels.simulate, row, out[row : row + 1])
        if outcome.status == kernels.TOO_MANY_EVENTS and limit < request.max_events:
            return row
        _check(outcome, network, row, out[row:])
        left -= outcome.events + 1
        if left <= 0:
            return row + 1
    return len(out)


def _run_compiled(
    request: _Request,
    network: Network,
    out: NDArray[np.int64],
    done: int,
    cores: int,
    progress: Progress | None,
) -> None:
    """The trajectories from number `done` on, in chunks over the cores.

    The main thread only waits, so that Ctrl-C reaches it; it then tells the kernels to stop.
    """
    simulate, stop = _compiled(), np.zeros(1, dtype=np.bool_)
    request.run(simulate, 0, out[:0])  # compiles, before two threads would both do it

    def work(first: int, size: int) -> tuple[kernels.Outcome, float]:
        began = time.perf_counter()
        outcome = request.run(simulate, first, out[first : first + size], stop=stop)
        return outcome, time.perf_counter() - began

    running: dict[Future[tuple[kernels.Outcome, float]], int] = {}
    given, size, said = done, 8, time.monotonic()
    pool = ThreadPoolExecutor(cores)
    try:
        while done < len(out):
            while given < len(out) and len(running) < 2 * cores:
                running[pool.submit(work, given, size)] = given
                given = min(given + size, len(out))
            for future in wait(running, timeout=0.5, return_when=FIRST_COMPLETED).done:
                first = running.pop(future)
                outcome, seconds = future.result()
                _check(outcome, network, first + outcome.done, out[first + outcome.done :])
                done += outcome.done
                size = max(1, int(outcome.done * min(4.0, _CHUNK_SECONDS / max(seconds, 1e-6))))
            if progress is not None and time.monotonic() - said > 0.25:
                said = time.monotonic()
                progress(done, len(out), "trajectories")
    finally:
        stop[0] = True
        pool.shutdown(cancel_futures=True)
    if progress is not None:
        progress(len(out), len(out), "trajectories")


@cache
def _compiled() -> Callable[..., kernels.Outcome]:
    """`simulate`, compiled. Loading numba takes half a second, compiling some seconds once."""
    import numba  # noqa: PLC0415

    simulate = kernels.compilable().simulate
    compiled: Callable[..., kernels.Outcome] = numba.njit(cache=True, nogil=True)(simulate)
    return compiled


def _check(
    outcome: kernels.Outcome, network: Network, trajectory: int, out: NDArray[np.int64]
) -> None:
    """Refuses a trajectory that runs away, saying how far it came; `out` begins with it."""
    if outcome.status not in (kernels.TOO_MANY_EVENTS, kernels.INFINITE_RATE):
        return
    for reaction in network.programs:  # refuses a rate law that gives no rate here
        propensity(network, reaction, out[0, -1][:, None])
    state = state_text(network, out[0, -1])
    why = (
        f"{outcome.events:,} events" if outcome.status == kernels.TOO_MANY_EVENTS
        else "a rate too large for a number"
    )  # fmt: skip
    raise TooLargeError(
        f"trajectory {trajectory} had {why} by time {outcome.time:.6g}, at {state}: the network "
        "runs away, or a shorter time or a larger max_events is needed"
    )


def _times(until: float | None, times: Iterable[float] | None) -> NDArray[np.float64]:
    if times is None:
        if until is None:
            raise InputError("neither until nor times is given: one is expected")
        return np.linspace(0.0, check_time(until, "until"), 101)
    wanted = check_times(times)
    if until is not None and wanted[-1] > check_time(until, "until"):
        raise InputError(f"the time {wanted[-1]:g} is after until = {until:g}")
    return wanted


def _whole(value: object, name: str, least: int, most: int = 2**62) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise InputError(f"{name} is {value!r:.40}: a whole number of at least {least} is expected")
    return number


def _seed(seed: int) -> np.uint64:
    return np.uint64(_whole(seed, "seed", 0, 2**64 - 1))


def _limit(max_events: int) -> int:
    # With at most 100 of a species more per event, counts stay exact in a float.
    return _whole(max_events, "max_events", 1, 2**44)
