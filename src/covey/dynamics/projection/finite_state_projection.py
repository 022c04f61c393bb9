"""Finite state projection: the distribution at a time, on the states that carry it, bounded.

For networks with very many or infinitely many states. Whatever leaves the truncation is lost; so is
what is pruned. Then p is below the true distribution in every state, and since both are
distributions,

    p(x) ≤ p_true(x) ≤ p(x) + lost   for every x, and for every set of states,   lost = 1 − Σ p

with no need to know how the mass was lost [1]. Where the mass is, and where it will go, is known
beforehand from its mean and covariance (`linear_noise`), for teams of any size. Time is cut into
segments: short ones at first, while the distribution changes fast, and later wherever the mean has
moved by more than a few standard deviations. Each has a truncation of its own, a level set of an
approximate density along the segment (`level_set`), on which it is bounded from below
(`lower_bound`). Of the tolerance every segment has a share. Where more would leave the states they
become more, by raising the level and by those that the leaks lead to, and half of the way is gone
again. The next level is this one, raised or lowered by the logarithm of what leaked.

Rounding is in `lost` as well: see `truncated_chain` for rates and `lower_bound` for the rest.
Assumed are IEEE arithmetic, and rate constants that are the numbers they are stored as.

1. B. Munsky and M. Khammash, J. Chem. Phys. 124 (2006) 044104.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.dynamics.projection.lower_bound import LowerBound, lower_bound
from covey.dynamics.projection.time_segments import Path, TimeSegment
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.dynamics.validation import Progress, check_start, check_time, check_times
from covey.errors import InputError, TooLargeError
from covey.model.network import Network
from covey.numbers import Floats, Ints

MAX_STATES = 4_000_000  # about 600 bytes each with twenty reactions
_PRUNING = 0.05  # of a segment's share
_MOST_WORK = 3e11  # multiplications: some minutes
_PATIENCE = 3e9  # multiplications spent on the bound of a projection that will be refused
_MARGIN = 0.7  # added to a level that is told by leaks: e^-0.7 is half
_REGROWTH = 2.0  # the same for a truncation that has to grow: another beginning costs more


@dataclass(frozen=True)
class Projection:
    """A lower bound on the distribution at time `at`: p(x) ≤ p_true(x) ≤ p(x) + truncated_mass.

    States that are not listed have p = 0, and the same upper bound.
    """

    at: float
    states: NDArray[np.int64]  # (states, species), sorted
    probabilities: Floats  # (states,)
    truncated_mass: float
    products: int  # the work done so far: products with the matrix

    def __len__(self) -> int:
        return len(self.states)


def project(
    network: Network,
    start: ArrayLike,
    at: float,
    *,
    tolerance: float = 1e-9,
    max_states: int = MAX_STATES,
    progress: Progress | None = None,
) -> Projection:
    """The distribution at one time, up to a lost mass of at most `tolerance`.

    Raises `TooLargeError` where that takes more than `max_states` states at once, more products
    than are made in half an hour, or more of them than rounding allows.
    """
    (projection,) = project_many(
        network,
        start,
        [check_time(at)],
        tolerance=tolerance,
        max_states=max_states,
        progress=progress,
    )
    return projection


def project_many(
    network: Network,
    start: ArrayLike,
    times: Iterable[float],
    *,
    tolerance: float = 1e-9,
    max_states: int = MAX_STATES,
    progress: Progress | None = None,
) -> tuple[Projection, ...]:
    """The distributions at several increasing times in one pass; the tolerance is for the last."""
    wanted = check_times(times)
    if isinstance(tolerance, bool) or not 0 < tolerance < 1:
        raise InputError(
            f"the tolerance is {tolerance!r:.40}: a number between 0 and 1 is expected"
        )
    if isinstance(max_states, bool) or not max_states >= 1:
        raise InputError(f"max_states is {max_states!r:.40}: at least 1 is expected")
    state = check_start(network, start)
    run = _Run(network, state, wanted, (tolerance, max_states), progress)
    found = []
    segments = iter(run.path.segments)
    for at in map(float, wanted):
        while run.now < at:
            run.pass_through(next(segments))
        found.append(run.result(at))
    run.check_tolerance()
    return tuple(found)


class _Run:
    """The truncation and the distribution on it, as time goes on."""

    def __init__(
        self,
        network: Network,
        start: Ints,
        times: Floats,
        limits: tuple[float, int],
        progress: Progress | None,
    ) -> None:
        self.network, self.progress = network, progress
        self.tolerance, self.max_states = limits
        self.until, self.now = float(times[-1]), 0.0
        self.path = Path(network, start, times)
        self.truncation = TruncatedChain.of(network, start[None, :]).below()
        self.p = np.ones(1)  # (states,)
        self.lost, self.products, self.work = 0.0, 0, 0.0
        self._check_rounding(self.path.busiest * self.until)
        self.level: float | None = None
        self.flow = 0.0  # out of the truncation at the end of the last segment
        self.said = clock.monotonic()

    def result(self, at: float) -> Projection:
        """What is known at this time, the states in lexicographic order."""
        there = np.flatnonzero(self.p)
        states = self.truncation.states[there]
        order = np.lexsort(states.T[::-1])
        return Projection(at, states[order], self.p[there[order]], self.lost, self.products)

    def pass_through(self, segment: TimeSegment) -> None:
        """Moves on by one segment."""
        if len(self.p) and not self.truncation.rate:  # nothing moves
            self.now = segment.end
            return
        if self.lost > 0.5:
            self.check_tolerance()
        share = self.tolerance * segment.share
        self._prune(_PRUNING * share)
        share *= 1 - _PRUNING
        whole = segment.end - segment.begin
        level = self._level(whole, share)
        self._place(self.path.fill(self.truncation.states, segment, level, self.max_states))
        end, insist, expected = segment.end, False, 0.0
        while self.now < segment.end:
            self._check_feasible(segment, expected)
            insist = insist or len(self.truncation) >= self.max_states
            length = end - self.now
            bound = self._lower_bound(length, share * length / whole, insist=insist)
            if bound.broken_off:
                # The next attempt is at less, so that what went well is not done again.
                end = self.now + length * bound.part / 2 if bound.part < 1 else end
                expected = bound.expected * whole / length
                level += min(math.log(max(expected / share, 1.0)), 20.0) + _REGROWTH
                insist = not self._grow(segment, level, bound, share * length / whole)
            else:
                self.p, self.now, self.flow = bound.distribution, end, bound.flow
                self.lost = 1.0 - math.fsum(self.p) + 2.0**-52
                end, insist, expected = segment.end, False, 0.0
        self.level = level

    def _level(self, length: float, share: float) -> float:
        """How improbable the states of the next truncation may be."""
        if self.level is None or not self.flow > 0:
            known = self.level or 0.0
            return max(known, self.path.first_level(share / (self.truncation.rate * length + 1)))
        return max(self.level + math.log(self.flow * length / share) + _MARGIN, 1.0)

    def _place(self, states: Ints) -> None:
        """Moves the distribution to these states, among which are all that it has."""
        if len(states) > len(self.truncation):
            states = states[: self.max_states]  # where there is mass first, the nearest next
            truncation = TruncatedChain.of(self.network, states).below()
            self.p = truncation.take(self.truncation.states, self.p)
            self.truncation = truncation

    def _grow(self, segment: TimeSegment, level: float, bound: LowerBound, share: float) -> bool:
        """Takes in the states up to a level, and those that the largest leaks lead to, if any."""
        before = len(self.truncation)
        states = self.path.fill(self.truncation.states, segment, level, self.max_states)
        wanted = int(self.path.growth * before) + 32 - (len(states) - before)
        order = np.argsort(bound.leaks)
        leaks = np.cumsum(bound.leaks[order])
        small = int(np.searchsorted(leaks, leaks[-1] * min(share / bound.expected, 1) / 8))
        near = self.path.filler.neighbours(states, self.truncation.states[order[small:]], wanted)
        self._place(np.concatenate([states, near]))
        return len(self.truncation) > before

    def _lower_bound(self, length: float, allowed: float, *, insist: bool) -> LowerBound:
        size = len(self.truncation.generator.indices) + 2 * len(self.truncation)
        base = self.products

        def notify(products: int, part: float) -> None:
            self.products = base + products
            if (self.work + products * size) > 2 * _MOST_WORK:
                self._too_long(self.work + products * size / max(part, 1e-9))
            if self.progress is not None and clock.monotonic() - self.said > 0.25:
                self.said = clock.monotonic()
                at = self.now + part * length
                text = f"{len(self.truncation):,} states, lost {self.lost:.1e}"
                self.progress(at, self.until, text)

        bound = lower_bound(self.truncation, self.p, length, allowed, insist=insist, notify=notify)
        self.products = base + bound.products
        self.work += bound.products * size
        return bound

    def _prune(self, allowed: float) -> None:
        order = np.argsort(self.p)
        drop = order[: int(np.searchsorted(np.cumsum(self.p[order]), allowed))]
        keep = np.ones(len(self.p), dtype=np.bool_)
        keep[drop] = False
        keep &= self.p > 0
        keep[order[-1]] = True
        if keep.mean() < 0.7 or len(self.p) > 0.7 * self.max_states:
            truncation = TruncatedChain.of(self.network, self.truncation.states[keep]).below()
            self.p = truncation.take(self.truncation.states[keep], self.p[keep])
            self.truncation = truncation

    def _check_feasible(self, segment: TimeSegment, expected: float) -> None:
        """Refuses as soon as it is clear that the tolerance will not be met, or not in time.

        `expected` is what a truncation of almost as many states would have lost.
        """
        left = self.until - self.now
        self._check_rounding(self.truncation.rate * left)
        ahead = self.truncation.rate * min(left, self.path.settling)
        work = ahead * (len(self.truncation.generator.indices) + 2 * len(self.truncation))
        if len(self.truncation) >= self.max_states and work > _PATIENCE:
            self.check_tolerance()
            if expected:
                raise TooLargeError(
                    f"{self.max_states:,} states do not hold the mass from time {self.now:.6g} to "
                    f"{segment.end:.6g}: about {min(expected, 1.0):.1e} of it would leave them, "
                    f"more than the tolerance of {self.tolerance:.1e} allows. Ask for an earlier "
                    "time",
                    states=self.max_states,
                    larger=("tolerance", "max_states"),
                )
        if work > _MOST_WORK:
            self._too_long(work)

    def _check_rounding(self, jumps: float) -> None:
        """Refuses what rounding alone would spoil."""
        rounding = jumps * self.truncation.noise
        if self.lost + rounding > self.tolerance >= self.lost:
            wider = f"a tolerance of {10 * rounding:.0e}, " if rounding < 0.02 else ""
            raise TooLargeError(
                f"at time {self.now:.6g} there are about {jumps:.3g} jumps left to follow: "
                f"rounding alone may lose {min(rounding, 1.0):.1e} then, more than the tolerance "
                f"of {self.tolerance:.1e}. Ask for {wider}an earlier time, or take a smaller team",
                states=len(self.truncation),
            )

    def _too_long(self, work: float) -> None:
        raise TooLargeError(
            f"at time {self.now:.6g}, with {self.lost:.1e} of the mass lost so far, there are "
            f"about {work:.1g} multiplications ahead on {len(self.truncation):,} states: hours. "
            "Ask for an earlier time, or take a smaller team",
            states=len(self.truncation),
        )

    def check_tolerance(self) -> None:
        """Refuses what has lost more than it may."""
        if self.lost > self.tolerance:
            raise TooLargeError(
                f"with {len(self.truncation):,} states the mass lost by time {self.now:.6g} is "
                f"{self.lost:.2e}, more than the tolerance of {self.tolerance:.1e} (asked for: "
                f"time {self.until:.6g}). Ask for an earlier time",
                states=len(self.truncation),
                larger=("tolerance", "max_states"),
            )
