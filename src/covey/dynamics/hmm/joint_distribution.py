"""The joint distribution of several observations of one path, by filtering.

With E(y) keeping the states that look like y, and exp(Δ K) moving on,

    P(y_1, …, y_m) = 1' E(y_m) exp(Δ_m K) E(y_{m−1}) ⋯ exp(Δ_2 K) E(y_1) p(t_1),

one vector for every sequence so far. All numbers are positive: each keeps its relative accuracy,
and the relative errors of the steps add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propagator import MAX_STATES, propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.distribution import Distribution
from covey.dynamics.phases import PhaseChains
from covey.dynamics.solver import Solver
from covey.dynamics.threads import one_blas_thread
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.observation.query import Query
from covey.numbers import LEAST, LOST, SPACING, UNIT, Floats, Ints, distinct_rows

_MAX_NUMBERS = 50_000_000  # held at once
_WORTH = 1e-6  # the largest error of a matrix that there is use for
_PER_MATRIX = 20  # a matrix of n states takes as long as n / 10 to n / 30 distributions


@dataclass(frozen=True, eq=False)
class FirstDistribution:
    """The distribution of the state, and how far it can be trusted (as a `Distribution` can)."""

    distribution: Floats  # (states,)
    log_error: float
    truncated_mass: float


class Filter:
    """The chain of one team, and which of its states look alike."""

    def __init__(
        self, solver: Solver, start: Ints, query: Query, progress: Progress | None
    ) -> None:
        self.phases = PhaseChains(solver, start, progress)
        chain = self.chain = self.phases.chain
        self.names, self.start = tuple(query.groups(solver.network)), chain.start
        # (observations, names), and for each state which of them it shows: (states,)
        self.observations, self.look = distinct_rows(chain.seen(query))
        self.progress = progress

    @property
    def generator(self) -> Generator:
        """K, which is one where rates are constant."""
        if self.phases.timetable:
            self.phases.network.check_constant_rates()
        return self.chain.generator

    def first_distribution(self, stationary: bool) -> FirstDistribution:
        """The distribution of the state before anything was seen: at the start, or once settled."""
        if not stationary:
            return FirstDistribution(self.start, 0.0, 0.0)
        return FirstDistribution(*self.phases.settled())

    def joint_distribution(self, times: Sequence[float], stationary: bool) -> Distribution:
        """P(y_1, …, y_m) at increasing times; settled: counted from the steady state."""
        vectors = Vectors.first(self, stationary)
        _, paths = vectors.watch(times)
        names = self.columns(len(times))
        rows = np.concatenate([self.observations[column] for column in paths.T], axis=1)
        return Distribution.merge(
            names,
            rows,
            vectors.log_weights,
            log_error=vectors.log_error,
            truncated_mass=vectors.truncated_mass,
            method="filtering",
            why=f"{len(paths):,} sequences of {len(times)} snapshots",
            states=len(self.look),
        )

    def columns(self, snapshots: int, first: int = 1) -> list[str]:
        """What is counted in each of several snapshots, numbered from `first` on."""
        return [f"{name}@{i + first}" for i in range(snapshots) for name in self.names]

    def check_size(self, snapshots: int, most: int, begun: int = 1) -> None:
        """Refuses more sequences than are allowed, of which `begun` have begun before."""
        observations = len(self.observations)
        sequences = begun * observations**snapshots
        numbers = begun * observations ** (snapshots - 1) * len(self.look)
        if sequences > most or numbers > _MAX_NUMBERS:
            limit = (
                f"at most {most:,} are allowed"
                if sequences > most
                else f"over {len(self.look):,} states that takes {8 * numbers / 2**30:.1f} GiB"
            )
            raise TooLargeError(
                f"{snapshots} snapshots of {observations:,} observations each make up to "
                f"{sequences:,} sequences, and {limit}: take fewer snapshots, a smaller team or a "
                "coarser query",
                states=sequences,
            )


class Vectors:
    """For every sequence so far, the distribution of the state, and ln of its probability."""

    def __init__(
        self, chain: Filter, rows: Floats, log_weights: Floats, log_error: float, lost: float
    ) -> None:
        self.chain = chain
        self.rows = rows  # (sequences, states); each adds up to one
        self.log_weights = log_weights  # (sequences,)
        self.log_error, self.truncated_mass = log_error, lost
        self.now = 0.0

    @classmethod
    def first(cls, chain: Filter, stationary: bool) -> Vectors:
        """Before anything was seen: one sequence of nothing, which is certain."""
        first = chain.first_distribution(stationary)
        return cls(
            chain, first.distribution[None], np.zeros(1), first.log_error, first.truncated_mass
        )

    def watch(self, times: Sequence[float]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """What is seen at increasing times: which sequence each goes on from, and what it sees.

        (sequences,), and (sequences, times)
        """
        source, paths = np.arange(len(self.rows)), np.empty((len(self.rows), 0), dtype=np.intp)
        progress, before = self.chain.progress, 0.0
        for i, time in enumerate(times):
            if progress is not None:
                progress(i, len(times), f"{len(paths):,} sequences of {i} snapshots")
            self.move(time - before)
            before = time
            came_from, seen = self.split(last=i + 1 == len(times))
            source, paths = source[came_from], np.column_stack([paths[came_from], seen])
        return source, paths

    def move(self, step: float) -> None:
        """On by `step`: every vector for itself, or every state where there are fewer of them."""
        for generator, duration in self.chain.phases.pieces(self.now, self.now + step):
            self._move(generator, duration)
        self.now += step

    def _move(self, generator: Generator, step: float) -> None:
        few = len(self.rows) <= self.rows.shape[1]
        starts = self.rows if few else np.eye(self.rows.shape[1])
        moved, error, lost = transitions(generator, starts, step)
        if few:
            self.rows = moved
            with np.errstate(under="ignore"):
                self.truncated_mass += float(np.exp(self.log_weights) @ lost) * LOST
        else:
            with np.errstate(under="ignore"):
                self.rows = self.rows @ moved
            error += SPACING * len(moved)
            self.truncated_mass += float(lost.max()) * LOST
        self.log_error += error

    def split(self, *, last: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """What is seen: for every sequence now, which one it goes on from, and by what."""
        look, kinds = self.chain.look, len(self.chain.observations)
        order = np.argsort(look, kind="stable")
        begins = np.searchsorted(look[order], np.arange(kinds))
        totals = np.add.reduceat(self.rows[:, order], begins, axis=1)  # (sequences, observations)
        came_from, seen = np.nonzero(totals)
        self.log_weights = self.log_weights[came_from] + np.log(totals[came_from, seen])
        self.log_error += SPACING * (len(look) + 4)
        if not last:
            fresh = np.zeros((len(seen), len(look)))
            for row, (source, kind) in enumerate(zip(came_from, seen, strict=True)):
                members = look == kind
                fresh[row, members] = self.rows[source, members] / totals[source, kind]
            self.rows = fresh
        return came_from, seen


def transitions(generator: Generator, starts: Floats, step: float) -> tuple[Floats, float, Floats]:
    """Each start moved on by `step`; the largest log error, and the states lost by each."""
    moved, error = _moved(generator, starts, step)
    lost = np.zeros(len(starts))
    for i in np.flatnonzero((moved <= LEAST).any(axis=1)):
        # The zero of a state that cannot be reached is exact.
        lost[i] = np.count_nonzero((moved[i] <= LEAST) & _reached(generator, starts[i] > 0))
    return moved, error, lost


@one_blas_thread
def _moved(generator: Generator, starts: Floats, step: float) -> tuple[Floats, float]:
    """By one matrix for all of them where the chain is small, else one after the other."""
    several = len(starts) > max(len(generator) // _PER_MATRIX, 1)
    if several and len(generator) <= MAX_STATES:
        found = propagator(generator, step)
        if found is not None and found.error < _WORTH:
            return starts @ found.matrix, found.error + (len(generator) + 1) * UNIT
    results = [transient(generator, start, [step]) for start in starts]
    error = max((float(result.log_error[0]) for result in results), default=0.0)
    return np.array([result.probabilities[0] for result in results]), error


def _reached(generator: Generator, states: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All states that can be reached from some of `states`, themselves included."""
    pointers = generator.indptr.astype(np.int64)
    targets = np.repeat(np.arange(len(generator)), np.diff(pointers))
    sources = generator.indices.astype(np.intp)
    found = states.copy()
    while len(fresh := targets[found[sources] & ~found[targets]]):
        found[fresh] = True
    return found
