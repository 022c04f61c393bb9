"""The uniformised chain, term by term: v_k = P^k p(0) with P = I + K/q >= 0.

With q above every exit rate, whatever a chain does in time is a sum of these terms,

    p(t) = sum_k w_k(qt) v_k,    w_k(m) = e^-m m^k / k!,

and only the weights and the way to end the sum differ: at times (`uniformization`), from below
(`projection/lower_bound`), averaged over a span (`occupation`), with derivatives riding along
(`sensitivity/chain_derivatives`), from all states at once (`propagator`).

Terms that are kept now and then span the recent past: later ones are extrapolated from them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.extrapolation import Extrapolation, extrapolate
from covey.dynamics.ctmc.poisson_weights import SCALE, PoissonWeights, term_count
from covey.numbers import Bools, Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from covey.dynamics.ctmc.generator import Generator

_SLACK = 1.02  # q over the largest exit rate: P must not be periodic
RECENT = 9  # terms; more were measured to add more noise than knowledge
_PROMISING = 1.0  # a fit is tried once (relative change per step) * (steps ahead) is below this


def uniformization_rate(generator: Generator) -> float:
    """The q of a chain; of one in which nothing happens, any."""
    return _SLACK * float(generator.exits.max(initial=0.0)) or 1.0


class UniformizedChain:
    """Goes from one term to the next: `v` is v_k, which is still to be summed, `before` v_{k-1}."""

    def __init__(self, generator: Generator, start: Floats) -> None:
        self.generator = generator
        self.rate = uniformization_rate(generator)
        self.stay = self.rate - generator.exits
        self.v = self.before = start.copy()  # terms are overwritten in turn
        self.k = self.products = 0
        self.recent: list[Floats] = []
        self._next_attempt = 0.0

    @property
    def time(self) -> float:
        """About when it is."""
        return self.k / self.rate

    def apply(
        self,
        vector: Floats,
        weights: Floats | None = None,
        sums: Floats | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """P times a vector; on the way, sums[a] += weights[a] * vector."""
        self.products += 1
        return self.generator.advance(vector, self.stay, 1 / self.rate, weights, sums, out)

    def step(self, weights: Floats, sums: Floats) -> None:
        """Adds v_k to the sums, by a weight each, and goes on to v_{k+1}."""
        kept = self.before is self.v or any(self.before is term for term in self.recent)
        spare = np.empty_like(self.v) if kept else self.before
        self.before, self.v = self.v, self.apply(self.v, weights, sums, spare)
        self.k += 1

    def jump(self, v: Floats, steps: int) -> None:
        """Goes on from a term that is known otherwise, so many steps ahead."""
        self.v = self.before = v
        self.recent = []
        self.k += steps

    def change(self, dead: float) -> tuple[float, float]:
        """The least and the largest of v_k / v_{k-1}, where that is larger than `dead`."""
        return self.generator.ratios(self.v, self.before, dead)

    def remember(self, look: int) -> None:
        """Keeps v_k, at the first looks each time, and at ever fewer of them later on."""
        if look % max(look // 24, 1) == 0:
            self.recent = [*self.recent[2 - RECENT :], self.v]

    def promising(self, change: float, ahead: float) -> bool:
        """Whether to try and extrapolate so many steps, at such a relative change in one."""
        return self.k >= self._next_attempt and change * ahead < _PROMISING

    def extrapolate(
        self, rows: slice | NDArray[np.intp], ahead: float, roundings: int
    ) -> Extrapolation | None:
        """The terms from v_k on, so many steps ahead, on rows in which v_k is positive."""

        def step(part: Floats) -> Floats:
            if isinstance(rows, slice):
                return self.apply(part)
            whole = np.zeros_like(self.v)
            whole[rows] = part
            return self.apply(whole)[rows]

        earlier = [term[rows] for term in self.recent if term is not self.v]
        return extrapolate([*earlier, self.v[rows]], step, ahead, roundings)

    def extrapolate_in_time(
        self, recent: list[Floats], ahead: Sequence[float], roundings: int, allowed: float
    ) -> tuple[list[Floats], list[float]] | None:
        """Distributions at times ahead of the last of `recent`, with errors; None beyond `allowed`.

        The recent ones are of any times, as long as few vectors tell how they go on.
        """
        weights = [PoissonWeights(self.rate * time) for time in ahead]
        steps = [term_count(w.mean) for w in weights]
        fitted = extrapolate(recent, self.apply, steps[-1], roundings)
        if fitted is None or not fitted.error(steps[-1]) <= allowed:
            return None
        sums = [fitted.combine(w.first, w.values) / SCALE for w in weights]
        return [recent[-1] * part for part in sums], [fitted.error(count) for count in steps]

    def put_off(self, error: float, allowed: float) -> None:
        """Lets some terms pass before the next attempt, after one with such an error."""
        missing = math.log10(max(error / allowed, 3.0))
        self._next_attempt = self.k * (1 + 0.12 * min(missing, 3.0))  # as measured, per digit


def rows_where(mask: Bools) -> slice | NDArray[np.intp]:
    """The rows at which a mask is true: a slice, which copies nothing, if it is everywhere."""
    return slice(None) if mask.all() else np.flatnonzero(mask)


def rest_of_sum(
    weights: PoissonWeights, k: int, ratio: float, term: Floats, total: Floats
) -> float:
    """At most what the terms after v_k add to a sum, relative to every entry of it.

    If v_{k+1} <= ratio v_k componentwise, positivity of P gives v_{k+j} <= ratio^j v_k, so the rest
    of the series is at most v_k sum_j w_{k+j} ratio^j. `total` is positive.
    """
    rest = weights.rest(k, ratio)
    if not math.isfinite(rest):
        return math.inf
    with np.errstate(over="ignore"):  # infinite is a truthful answer here
        return float((term / total).max(initial=0.0)) * rest
