"""Finite state projection: the law at a time, on as many states as carry it, with a proved bound.

For networks with very many or infinitely many states. Whatever leaves the kept set is lost; so is
what is pruned. Then p is below the true law in every state, and since both are laws,

    p(x) ≤ p_true(x) ≤ p(x) + lost   for every x, and for every set of states,   lost = 1 − Σ p

with no need to know how the mass was lost [1]. Time goes in steps of at most `_STEP` expected jumps
at the rate Λ, no state leaving faster than Λ; each is uniformisation with positive terms,

    p(t + h) = Σ_k e^{−Λh} (Λh)^k / k! · P^k p(t),    P = I + A/Λ, without what leaves the set,

and the set grows in between two products P v, where more than a share of the tolerance would leave.

Rounding is in `lost` as well. All numbers are non-negative, so that after N operations a result is
at most (1 + u)^N times the exact one, u = 2⁻⁵³; it is multiplied by 1 − N u, with N counted from
above, and is then below the exact one whichever way it was rounded. Exit rates are rounded up
before they are subtracted. The steps add up to the time exactly, if each is taken (1 ± u) times as
long. What underflows is below 1e-300 in all, and no probability below 1e-280 is kept. Assumed are
IEEE arithmetic, an `exp` right to 2 u, and rate constants that are the numbers they are stored as.

1. B. Munsky and M. Khammash, J. Chem. Phys. 124 (2006) 044104.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.dynamics.question import Progress, check_start, check_time, check_times
from covey.dynamics.state_set import StateSet
from covey.errors import InputError, TooLargeError
from covey.model.network import Network
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array


MAX_STATES = 1_000_000  # about 600 bytes each with twenty reactions
_STEP = 128.0  # jumps: e^-128 is far from underflow, and most of a step's products are of use
_GROWTH, _PRUNING, _TRUNCATION = 0.5, 0.1, 0.1  # shares of the tolerance; the rest is for rounding
_SMALLEST = 1e-280
_MOST_WORK = 1e12  # multiplications: some hours
_PATIENCE = 3e9  # multiplications spent on the bound of a projection that will be refused


@dataclass(frozen=True)
class Projection:
    """A lower bound on the law at time `at`: p(x) ≤ p_true(x) ≤ p(x) + lost_mass.

    States that are not listed have p = 0, and the same upper bound.
    """

    at: float
    states: NDArray[np.int64]  # (states, species), sorted
    probabilities: Floats  # (states,)
    lost_mass: float
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
    """The law at one time, up to a lost mass of at most `tolerance`.

    Raises `TooLargeError` where that takes more than `max_states` states at once, or more products
    than rounding allows.
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
    """The laws at several increasing times, in one pass; the tolerance holds at the last."""
    wanted = check_times(times)
    if isinstance(tolerance, bool) or not 0 < tolerance < 1:
        raise InputError(
            f"the tolerance is {tolerance!r:.40}: a number between 0 and 1 is expected"
        )
    if isinstance(max_states, bool) or not max_states >= 1:
        raise InputError(f"max_states is {max_states!r:.40}: at least 1 is expected")
    run = _Run(network, check_start(network, start), float(wanted[-1]), tolerance, max_states)
    found, now, said = [], 0.0, clock.monotonic()
    for at in map(float, wanted):
        left = at - now
        while left > 0:
            left -= run.step(left, at - left)  # exact, since steps are powers of two or all of it
            if progress is not None and clock.monotonic() - said > 0.25:
                said = clock.monotonic()
                text = f"{len(run.set):,} states, lost {run.lost:.1e}"
                progress(at - left, run.until, text)
        now = at
        found.append(run.result(at))
    run.check_tolerance(run.until)
    return tuple(found)


class _Run:
    """The kept states and their probabilities, as time goes on."""

    def __init__(
        self,
        network: Network,
        start: NDArray[np.int64],
        until: float,
        tolerance: float,
        max_states: int,
    ) -> None:
        self.set = StateSet(network, start)
        self.p = np.ones(1)  # (states,)
        self.until, self.tolerance, self.max_states = until, tolerance, max_states
        self.lost, self.products = 0.0, 0
        # Roundings of one entry of P v: the rate, the division, the terms of the sum.
        rate = int(network.reactants.sum(axis=1).max()) + len(network.reactions)
        self.roundings = rate + len(self.set.changes) + 8
        self.exit_margin = 1 + self.roundings * UNIT

    def result(self, at: float) -> Projection:
        """What is known at this time, the states in lexicographic order."""
        order = np.lexsort(self.set.states.T[::-1])
        order = order[self.p[order] > 0]
        return Projection(at, self.set.states[order], self.p[order], self.lost, self.products)

    def step(self, left: float, now: float) -> float:
        """Moves on by as much of `left` as one step takes, and says by how much."""
        while True:
            if not len(self.set):  # all of it was pruned, because nearly all was lost before
                self.check_tolerance(now)
            exits = self.set.exits * self.exit_margin  # (states,): rounded up
            if exits.max(initial=0.0) == 0:  # nothing moves, or nothing is left to move
                return left
            rate = 1.1 * float(exits.max())
            self._check_feasible(rate * left, now)
            h = left if rate * left <= _STEP else 2.0 ** math.floor(math.log2(_STEP / rate))
            after = self._uniformise(rate, h)
            if after is not None:
                break
        self.p = after
        self._prune(_PRUNING * self.tolerance * h / self.until)
        self.lost = 1.0 - math.fsum(self.p) + 2.0**-52
        return h

    def _uniformise(self, rate: float, h: float) -> Floats | None:
        """The law after a time h; None where a state was added that leaves faster than `rate`."""
        share = self.tolerance * h / self.until
        weights = _poisson(rate * h, _TRUNCATION * share)  # (terms,)
        tails = np.cumsum(weights[::-1])[::-1]
        k = np.arange(len(weights))
        # Of m = Λh, of its exponential, its powers and factorials, of adding up; of P^k p.
        roundings = 2 * rate * h + 5 * len(weights) + 8 + k * self.roundings
        weights = weights * (1 - roundings * UNIT)
        v, total = self.p, weights[0] * self.p
        leaving, stay, matrix = self._operator(rate)
        room = True
        for n in range(1, len(weights)):
            leaks = v * leaving * tails[n]  # (states,): what this product is going to lose
            if room and leaks.sum() > _GROWTH * share / len(weights):
                before = len(self.set)
                room = self._grow(leaks, _GROWTH * share / len(weights))
                v, total, self.p = (_pad(a, len(self.set)) for a in (v, total, self.p))
                if len(self.set) > before:
                    if self.set.exits.max() * self.exit_margin > rate:
                        return None
                    leaving, stay, matrix = self._operator(rate)
            v = matrix @ v + stay * v
            total += weights[n] * v
            self.products += 1
        return np.asarray(total, dtype=float)

    def _operator(self, rate: float) -> tuple[Floats, Floats, csc_array]:
        """Per jump: the part that leaves the set, the part that stays, the moves inside."""
        stay = (rate - self.set.exits * self.exit_margin) / rate
        return self.set.leaving() / rate, stay, self.set.moves(rate)

    def _grow(self, leaks: Floats, allowed: float) -> bool:
        """Adds the neighbours of the states that leak most; False where there is no room."""
        order = np.argsort(leaks)
        enough = int(np.searchsorted(np.cumsum(leaks[order]), allowed / 64))
        room = self.max_states - len(self.set)
        wanted = min(max(32, len(self.set) // 8), room)  # by a part, for few rebuilds
        rows = self.set.neighbourhood(order[enough:], wanted)
        self.set.add(rows[:room])  # the nearest come first
        return len(rows) < room

    def _prune(self, allowed: float) -> None:
        order = np.argsort(self.p)
        drop = order[: int(np.searchsorted(np.cumsum(self.p[order]), allowed))]
        keep = np.ones(len(self.p), dtype=np.bool_)
        keep[drop] = False
        if keep.mean() < 0.8 or len(self.p) > 0.8 * self.max_states:
            self.p = self.p[keep]
            self.set.keep(keep)
        self.p[self.p < _SMALLEST] = 0.0

    def _check_feasible(self, jumps: float, now: float) -> None:
        """Refuses as soon as it is clear that the tolerance will not be met."""
        rounding = 1.2 * jumps * (self.roundings + 8) * UNIT
        if self.lost + rounding > self.tolerance >= self.lost:
            wider = f"a tolerance of {2 * rounding:.0e}, " if rounding < 0.1 else ""
            raise TooLargeError(
                f"at time {now:.6g} there are about {jumps:.3g} jumps left to follow: rounding "
                f"alone may lose {min(rounding, 1.0):.1e} then, more than the tolerance of "
                f"{self.tolerance:.1e}. Ask for {wider}an earlier time, or take a smaller team",
                states=len(self.set),
            )
        work = jumps * len(self.set) * len(self.set.changes)
        if self.lost > 0.5 or work > _PATIENCE:
            self.check_tolerance(now)
        if work > _MOST_WORK:
            raise TooLargeError(
                f"at time {now:.6g} there are about {jumps:.3g} jumps left to follow on "
                f"{len(self.set):,} states: {work:.1g} multiplications would take hours. Ask for "
                "an earlier time, or take a smaller team",
                states=len(self.set),
            )

    def check_tolerance(self, now: float) -> None:
        """Refuses what has lost more than it may."""
        if self.lost > self.tolerance:
            raise TooLargeError(
                f"with {self.max_states:,} states the mass lost by time {now:.6g} is "
                f"{self.lost:.2e}, more than the tolerance of {self.tolerance:.1e} (asked for: "
                f"time {self.until:.6g}). Allow more states, a larger tolerance or an earlier time",
                states=self.max_states,
            )


def _poisson(mean: float, tail: float) -> Floats:
    """Poisson weights from 0 on, until at most `tail` is left: (terms,)."""
    weights = [math.exp(-mean)]
    while True:
        k = len(weights)
        weights.append(weights[-1] * mean / k)
        if k > mean and weights[-1] * mean / (k + 1 - mean) <= tail:
            return np.array(weights)


def _pad(values: Floats, length: int) -> Floats:
    return np.concatenate([values, np.zeros(length - len(values))])
