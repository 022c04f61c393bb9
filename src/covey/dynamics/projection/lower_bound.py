"""A law carried on in time from below, on a window that mass may leave.

K is the chain on the window. With q no less than any exit rate, P = I + K/q ≥ 0, and

    p(t + h) = Σ_k w_k v_k ≥ Σ_{k in a range} w_k v_k,   v_k = P^k p(t),   w_k = e^{−qh} (qh)^k/k!,

term by term, so that whatever is left out of the sum is lost and nothing else. Stiff windows would
need qh products. But a law that is let alone comes to rest, and that shows, from below:

    if K v ≥ −η v in every state, then e^{Ks} v ≥ e^{−ηs} v for every s ≥ 0,

because e^{Ks} ≥ 0 keeps the inequality. So as soon as η times the way that is left is small, the
law stays, at the cost of that part of it. What still rises, in the tails for example, does no harm.
Where the rounding of K v would hide a small η, K v is computed in doubled precision. Before that,
some thousand terms are leapt over where a few earlier vectors tell them (see `extrapolation`).

Rounding. Products and sums have positive terms only: after N operations a number is at most
(1 + u)^N times the exact one, and the law is made smaller by N u at the end. A length of time that
is off by a part δ costs a part qhδ, since e^{Ks} ≥ e^{−qs}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.extrapolation import Closing, close
from covey.dynamics.ctmc.poisson_weights import SCALE, PoissonWeights
from covey.dynamics.projection.truncated_chain import StateSet
from covey.numbers import UNIT, Floats

_SLACK = 1.02  # q over the largest exit rate: P must not be periodic
_LOOK = 16  # products between looks at how the law does
_SMALLEST = 1e-250  # probabilities below are left out: they would slow arithmetic down
_TRUNCATED = 0.05  # of what may be lost, to the sum's two ends each
_RESTING = 0.3  # of what may be lost, to taking the law for at rest
_LEAPING = 0.1  # of what may be lost, to a leap
_SHORTEST_LEAP = 200  # terms
_SNAPSHOTS = 9  # vectors that a leap is told by, as in `transient`
_PROMISING = 1.0  # a leap is tried once (relative change per step) · (steps ahead) is below this
_STEADY = 0.98  # a flow out of the window that falls more slowly than this will go on
_PATIENCE = 64  # products before such a flow is judged


@dataclass(frozen=True)
class Carried:
    """The law afterwards; or, where too much leaves, how much that is and from where."""

    law: Floats  # (states,): at the end, or where it was broken off
    products: int
    broken_off: bool
    part: float  # of the way that was gone
    expected: float  # what was lost, or would be
    leaks: Floats  # (states,): about how much left the window from where
    flow: float  # the rate at which it leaves at the end


def carry(
    window: StateSet,
    law: Floats,
    length: float,
    allowed: float,
    *,
    insist: bool = False,
    told: Callable[[int, float], None] | None = None,
) -> Carried:
    """The law a time later, from below, where it loses at most `allowed` of itself on the way.

    With `insist` it goes on whatever is lost. `stream_row` hears of every look: how many products
    there were, and which part of the way they have gone.
    """
    if not window.rate * length > 0:
        return Carried(law, 0, False, 1.0, 0.0, np.zeros(len(law)), 0.0)
    course = _Course(window, law, length, allowed)
    while not course.done:
        course.step()
        if course.k % _LOOK == 0 and not course.done:
            if course.hopeless() and not insist:
                return course.result(course.v, course.expected, broken_off=True)
            if not course.rest():
                course.leap()
            if told is not None:
                told(course.products, course.k / course.weights.last)
    found, rounding = course.found()
    lost = course.begin - float(found.sum())
    course.visits += found
    return course.result(found, lost, broken_off=lost > allowed + 2 * rounding and not insist)


class _Course:
    """The sequence v_k = P^k p, and the sum of its terms so far; v is the term that comes next."""

    def __init__(self, window: StateSet, law: Floats, length: float, allowed: float) -> None:
        self.window, self.allowed = window, allowed
        self.rate = _SLACK * window.rate
        self.stay = self.rate - window.chain.exits
        self.weights = _Weights(self.rate * length, _TRUNCATED * allowed)
        self.begin = float(law.sum())
        self.v = self.before = law.copy()
        self.total = np.zeros((1, len(law)))
        self.k = self.products = 0
        self.done = False
        self.flow = self.expected = math.inf
        self.visits = law.copy()  # the sum of the terms that were looked at
        self.snapshots: list[Floats] = []
        self.leapt = 0.0  # what leaps have cost, once and for all
        self.next_leap = self.next_polish = 0.0

    @property
    def left(self) -> float:
        """The time from the next term to the last."""
        return (self.weights.last - self.k) / self.rate

    def step(self) -> None:
        """Adds a term, and goes on to the next."""
        part = self.weights.at(self.k)
        listed = slice(None) if part > 0 else slice(0, 0)
        kept = self.before is self.v or any(self.before is s for s in self.snapshots)
        spare = np.empty_like(self.v) if kept else self.before
        after = self._advance(self.v, spare, part[listed], self.total[listed])
        self.before, self.v = self.v, after
        self.done = self.k == self.weights.last
        self.k += 1

    def _advance(self, vector: Floats, out: Floats | None = None, *sums: Floats) -> Floats:
        self.products += 1
        weights, total = sums or (None, None)
        return self.window.chain.advance(vector, self.stay, 1 / self.rate, weights, total, out)

    def hopeless(self) -> bool:
        """Whether more has left the window, or will, than may be lost."""
        self.v[self.v < _SMALLEST] = 0.0
        self.visits += self.v
        gone = self.begin - float(self.v.sum())
        before, self.flow = self.flow, float(self.window.leaving @ self.v)
        leaving = max(gone - self.leapt, 0.0) * (self.weights.last / self.k - 1)
        self.expected = gone + max(self.flow * self.left, leaving)
        lasting = self.k >= _PATIENCE and self.flow >= _STEADY * before
        return gone > self.allowed or (self.expected > self.allowed and lasting)

    def rest(self) -> bool:
        """Ends the sum where the law may stay as it is: at about the cost of what leaves anyway."""
        most = _RESTING * self.allowed + 1.2 * self.flow * self.left
        enough = most / max(self.left, 1e-300)
        noise = self.rate * (len(self.window.changes) + 8) * UNIT
        fall = self.rate * self._change(falling=True) + noise
        if noise > enough / 4 and fall <= 2 * enough + 2 * noise and self.k >= self.next_polish:
            self.next_polish = 1.05 * self.k
            self.v, fall = self._polished()
        if fall > enough:
            return False
        self.total[0] += self.weights.beyond(self.k - 1) * (1 - fall * self.left) * self.v
        self.done = True
        return True

    def _change(self, *, falling: bool) -> float:
        """The largest relative change of a state in the last step, or the largest fall."""
        there = self.before > 0
        ratio = self.v[there] / self.before[there]
        fall = 1.0 - float(ratio.min(initial=1.0))
        return fall if falling else max(fall, float(ratio.max(initial=1.0)) - 1.0)

    def _polished(self) -> tuple[Floats, float]:
        """The term again, from the one before it, rounded only once; and how fast it falls."""
        from covey.dynamics.kernels import truncated  # noqa: PLC0415

        chain = self.window.chain
        matrix = chain.indptr, chain.indices, chain.rates, chain.exits
        v = truncated.advance(*matrix, self.before, self.rate)
        v[v < _SMALLEST] = 0.0
        self.products += 2
        fall = truncated.fastest_fall(*matrix, v)
        return v, max(fall, 0.0) * (1 + 1e-12) + self.rate * 2.0**-80

    def leap(self) -> None:
        """Goes many terms ahead at once, where few vectors tell how the sequence goes on."""
        if self.k % max(self.k // 24 // _LOOK * _LOOK, _LOOK) == 0:  # they span the recent past
            self.snapshots = [*self.snapshots[2 - _SNAPSHOTS :], self.v]
        # Rounding is counted for every term that is passed.
        roundings = len(self.window.changes) + 8
        audible = _LEAPING * self.allowed / (2 * (roundings + 3 * _SNAPSHOTS) * UNIT)
        steps = int(min(self.weights.last - self.k, 20 * self.k, audible))
        if self.k < self.next_leap or len(self.snapshots) < 3 or steps < _SHORTEST_LEAP:
            return
        if not self._change(falling=False) * steps < _PROMISING:
            return
        rows = np.flatnonzero(self.v)

        def step(vector: Floats) -> Floats:
            whole = np.zeros_like(self.v)
            whole[rows] = vector
            return self._advance(whole)[rows]

        earlier = [s[rows] for s in self.snapshots if s is not self.v]
        closing = None
        if all((s > 0).all() for s in earlier):
            closing = close([*earlier, self.v[rows]], step, steps, roundings)
        error = math.inf if closing is None else closing.error(steps) + _summing(closing, steps)
        if closing is None or error > _LEAPING * self.allowed:
            missing = min(math.log10(max(error / (_LEAPING * self.allowed), 3.0)), 3.0)
            self.next_leap = self.k * (1 + 0.12 * missing)  # as measured, per digit
            return
        weights = self.weights.between(self.k, self.k + steps)
        self.total[0][rows] += (1 - error) * self.v[rows] * closing.combine(0, weights)
        there = np.zeros(steps + 1)
        there[-1] = 1 - error
        self.v = self.v.copy()
        self.v[rows] *= closing.combine(0, there)
        self.before, self.snapshots = self.v, []
        self.k += steps
        self.leapt += error
        self.done = self.k > self.weights.last

    def found(self) -> tuple[Floats, float]:
        """The sum, made smaller by what rounding may have added; and what rounding may cost."""
        operations = self.products * (len(self.window.changes) + 6) + self.weights.roundings
        rates = self.weights.mean * self.window.noise
        return self.total[0] * (1 - operations * UNIT), operations * UNIT + rates

    def result(self, law: Floats, lost: float, *, broken_off: bool) -> Carried:
        """What there is to say at the end, or before."""
        leaks = self.window.leaving * self.visits * (_LOOK / self.rate)
        flow = float(self.window.leaving @ law)
        part = min(self.k / max(self.weights.last, 1), 1.0)
        return Carried(law, self.products, broken_off, part, lost, leaks, flow)


def _summing(closing: Closing, steps: int) -> float:
    """What rounding adds, relatively, when up to so many terms of a closing are summed."""
    size = np.abs(closing.path).max(axis=0) @ np.abs(closing.basis)  # (states,): all signs apart
    return (2 * steps + 40) * UNIT * float(size.max())


class _Weights:
    """Poisson weights from below: those of a range that leaves out no more than two tails."""

    def __init__(self, mean: float, tail: float) -> None:
        self.mean = mean
        weights = PoissonWeights(mean)
        values = weights.values / SCALE
        low = int(np.searchsorted(np.cumsum(values), tail, side="right"))
        high = len(values) - 1 - int(np.searchsorted(np.cumsum(values[::-1]), tail, side="right"))
        self.first, self.last = weights.first + low, weights.first + high
        self._values = values[low : high + 1]
        self._tails = np.append(np.cumsum(self._values[::-1])[::-1], 0.0)
        # Of the weights, from the mode outwards, of adding them up, and of the mean.
        self.roundings = 4 * len(values) + 2 * mean + 8

    def at(self, k: int) -> Floats:
        """The weight of the k-th term, 0 before the range: (1,)."""
        return self._values[k - self.first : k - self.first + 1] if k >= self.first else np.zeros(1)

    def between(self, k: int, end: int) -> Floats:
        """The weights from the k-th term up to, and without, another: (terms,)."""
        listed = np.zeros(end - k)
        first, last = max(k, self.first), min(end, self.last + 1)
        if first < last:
            listed[first - k : last - k] = self._values[first - self.first : last - self.first]
        return listed

    def beyond(self, k: int) -> float:
        """The weight of all terms after the k-th."""
        return float(self._tails[max(k + 1 - self.first, 0)])
