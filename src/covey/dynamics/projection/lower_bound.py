"""Lower bounds of a distribution as time goes on, on a truncated state space that mass may leave.

K is the chain on the states that are kept. With q no less than any exit rate, P = I + K/q ≥ 0, and

    p(t + h) = Σ_k w_k v_k ≥ Σ_{k in a range} w_k v_k,   v_k = P^k p(t),   w_k = e^{−qh} (qh)^k/k!,

term by term, so that whatever is left out of the sum is lost and nothing else. Stiff chains would
need qh products. But a distribution that is let alone comes to rest, and that shows, from below:

    if K v ≥ −η v in every state, then e^{Ks} v ≥ e^{−ηs} v for every s ≥ 0,

because e^{Ks} ≥ 0 keeps the inequality. So as soon as η times the way that is left is small, the
distribution stays, at the cost of that part of it. What still rises, in the tails for example, does
no harm. Where the rounding of K v would hide a small η, K v is computed in doubled precision.
Before that, some thousand terms are passed at once where a few earlier vectors tell them (see
`extrapolation`).

Rounding. Products and sums have positive terms only: after N operations a number is at most
`(1 + u)^N` times the exact one, and the distribution is made smaller by N u at the end. A length of
time that is off by a part δ costs a part qhδ, since e^{Ks} ≥ e^{−qs}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.extrapolation import Extrapolation
from covey.dynamics.ctmc.poisson_weights import PoissonRange
from covey.dynamics.ctmc.uniformized_chain import RECENT, UniformizedChain, rows_where
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.numbers import UNIT, Floats

_LOOK = 16  # products between looks at how the distribution does
_SMALLEST = 1e-250  # probabilities below are left out: they would slow arithmetic down
_TRUNCATED = 0.05  # of what may be lost, to the sum's two ends each
_RESTING = 0.3  # of what may be lost, to taking the distribution for at rest
_EXTRAPOLATING = 0.1  # of what may be lost, to an extrapolation
_FEWEST_TERMS = 200  # that one is worth it for
_STEADY = 0.98  # a flow out of the states that falls more slowly than this will go on
_PATIENCE = 64  # products before such a flow is judged


@dataclass(frozen=True)
class LowerBound:
    """The distribution afterwards; or, where too much leaves, how much that is and from where."""

    distribution: Floats  # (states,): at the end, or where it was broken off
    products: int
    broken_off: bool
    part: float  # of the way that was gone
    expected: float  # what was lost, or would be
    leaks: Floats  # (states,): about how much left the states from where
    flow: float  # the rate at which it leaves at the end


def lower_bound(
    truncated: TruncatedChain,
    distribution: Floats,
    length: float,
    allowed: float,
    *,
    insist: bool = False,
    notify: Callable[[int, float], None] | None = None,
) -> LowerBound:
    """The distribution a time later, from below, where it loses at most `allowed` on the way.

    With `insist` it goes on whatever is lost. `notify` hears of every look: how many products there
    were, and which part of the way they have gone.
    """
    if not truncated.rate * length > 0:
        return LowerBound(distribution, 0, False, 1.0, 0.0, np.zeros(len(distribution)), 0.0)
    run = _Run(truncated, distribution, length, allowed)
    while not run.done:
        run.step()
        if run.chain.k % _LOOK == 0 and not run.done:
            if run.hopeless() and not insist:
                return run.result(run.chain.v, run.expected, broken_off=True)
            if not run.rest():
                run.extrapolate()
            if notify is not None:
                notify(run.products, run.chain.k / run.weights.last)
    found, rounding = run.found()
    lost = run.begin - float(found.sum())
    run.visits += found
    return run.result(found, lost, broken_off=lost > allowed + 2 * rounding and not insist)


class _Run:
    """The terms of the uniformised chain, and the sum of them so far."""

    def __init__(
        self, truncated: TruncatedChain, distribution: Floats, length: float, allowed: float
    ) -> None:
        self.truncated, self.allowed = truncated, allowed
        self.chain = UniformizedChain(truncated.generator, distribution)
        self.weights = PoissonRange(self.chain.rate * length, _TRUNCATED * allowed)
        self.begin = float(distribution.sum())
        self.total = np.zeros((1, len(distribution)))
        self.done = False
        self.flow = self.expected = math.inf
        self.visits = distribution.copy()  # the sum of the terms that were looked at
        self.extrapolated = 0.0  # what extrapolations have cost, once and for all
        self.polished = 0  # products in doubled precision
        self.next_polish = 0.0

    @property
    def products(self) -> int:
        return self.chain.products + self.polished

    @property
    def left(self) -> float:
        """The time from the next term to the last."""
        return (self.weights.last - self.chain.k) / self.chain.rate

    def step(self) -> None:
        """Adds a term, and goes on to the next."""
        part = self.weights.at(self.chain.k)
        listed = slice(None) if part > 0 else slice(0, 0)
        self.done = self.chain.k == self.weights.last
        self.chain.step(part[listed], self.total[listed])

    def hopeless(self) -> bool:
        """Whether more has left the states, or will, than may be lost."""
        v = self.chain.v
        v[v < _SMALLEST] = 0.0
        self.visits += v
        gone = self.begin - float(v.sum())
        before, self.flow = self.flow, float(self.truncated.leaving @ v)
        leaving = max(gone - self.extrapolated, 0.0) * (self.weights.last / self.chain.k - 1)
        self.expected = gone + max(self.flow * self.left, leaving)
        lasting = self.chain.k >= _PATIENCE and self.flow >= _STEADY * before
        return gone > self.allowed or (self.expected > self.allowed and lasting)

    def rest(self) -> bool:
        """Ends the sum where the distribution may stay: at about the cost of what leaves anyway."""
        chain = self.chain
        most = _RESTING * self.allowed + 1.2 * self.flow * self.left
        enough = most / max(self.left, 1e-300)
        noise = chain.rate * self.roundings * UNIT
        fall = chain.rate * max(1.0 - chain.change(0.0)[0], 0.0) + noise
        if noise > enough / 4 and fall <= 2 * enough + 2 * noise and chain.k >= self.next_polish:
            self.next_polish = 1.05 * chain.k
            chain.v, fall = self._polished()
        if fall > enough:
            return False
        self.total[0] += self.weights.beyond(chain.k - 1) * (1 - fall * self.left) * chain.v
        self.done = True
        return True

    @property
    def roundings(self) -> int:
        """At most, of an entry of a product."""
        return len(self.truncated.outside) + 8

    def _polished(self) -> tuple[Floats, float]:
        """The term again, from the one before it, rounded only once; and how fast it falls."""
        from covey.dynamics.kernels import truncated as kernels  # noqa: PLC0415

        g, rate = self.chain.generator, self.chain.rate
        matrix = g.indptr, g.indices, g.rates, g.exits
        v = kernels.product(*matrix, self.chain.before, rate) / rate
        v[v < _SMALLEST] = 0.0
        self.polished += 2
        there = v > 0
        fall = -float((kernels.product(*matrix, v, 0.0)[there] / v[there]).min(initial=0.0))
        return v, fall * (1 + 1e-12) + rate * 2.0**-80

    def extrapolate(self) -> None:
        """Goes many terms ahead at once, where few vectors tell how the sequence goes on."""
        chain, allowed = self.chain, _EXTRAPOLATING * self.allowed
        chain.remember(chain.k // _LOOK)
        # Rounding is counted for every term that is passed.
        audible = allowed / (2 * (self.roundings + 3 * RECENT) * UNIT)
        steps = int(min(self.weights.last - chain.k, 20 * chain.k, audible))
        if len(chain.recent) < 3 or steps < _FEWEST_TERMS:
            return
        least, most = chain.change(0.0)
        if not chain.promising(max(1.0 - least, most - 1.0, 0.0), steps):
            return
        rows = rows_where(chain.v > 0)
        fitted = chain.extrapolate(rows, steps, self.roundings)
        error = math.inf if fitted is None else fitted.error(steps) + _summing(fitted, steps)
        if fitted is None or error > allowed:
            chain.put_off(error, allowed)
            return
        weights = self.weights.between(chain.k, chain.k + steps)
        self.total[0][rows] += (1 - error) * chain.v[rows] * fitted.combine(0, weights)
        there = np.zeros(steps + 1)
        there[-1] = 1 - error
        v = chain.v.copy()
        v[rows] *= fitted.combine(0, there)
        chain.jump(v, steps)
        self.extrapolated += error
        self.done = chain.k > self.weights.last

    def found(self) -> tuple[Floats, float]:
        """The sum, made smaller by what rounding may have added; and what rounding may cost."""
        operations = self.products * (self.roundings - 2) + self.weights.roundings
        rates = self.weights.mean * self.truncated.noise
        return self.total[0] * (1 - operations * UNIT), operations * UNIT + rates

    def result(self, distribution: Floats, lost: float, *, broken_off: bool) -> LowerBound:
        """What there is to say at the end, or before."""
        leaks = self.truncated.leaving * self.visits * (_LOOK / self.chain.rate)
        flow = float(self.truncated.leaving @ distribution)
        part = min(self.chain.k / max(self.weights.last, 1), 1.0)
        return LowerBound(distribution, self.products, broken_off, part, lost, leaks, flow)


def _summing(fitted: Extrapolation, steps: int) -> float:
    """What rounding adds, relatively, when up to so many extrapolated terms are summed."""
    size = np.abs(fitted.path).max(axis=0) @ np.abs(fitted.basis)  # (states,): all signs apart
    return (2 * steps + 40) * UNIT * float(size.max())
