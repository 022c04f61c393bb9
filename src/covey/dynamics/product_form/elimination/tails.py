"""Tails of linear forms on a lattice, proved by tilting: where a sum over states may end.

The distribution in question is that of independent Poisson counts of means λ, given the lattice:
that every root's total is N. A tilt by (s, θ) makes them Poisson counts of means μ = λ e^(s·needs +
θh), and for every state of the lattice with h·x ≥ k, where θ ≥ 0,

    P(x) = P_μ(x) exp(Σ(μ − λ) − s·N − θ h·x)   ≤   P_μ(x) exp(Σ(μ − λ) − s·N − θk).

Given all other counts, the pivot of a root can only be what is missing from its total, which has
at most the probability of a Poisson count's mode. Pivots are independent of the others, hence

    P(lattice, h·x ≥ k)  ≤  exp(Σ(μ − λ) − s·N − θk) ∏ over roots of max_n Poisson(μ_pivot; n).

This holds for every s and θ. The best ones make N and k the means of the tilted counts, so the
bound falls like the tail of the *conditional* distribution, which is far narrower than Poisson
tails are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.dynamics.product_form.elimination.poisson_weights import log_factorial
from covey.numbers import SPACING, Floats, Ints

_MOST_STEPS = 60
_MOST_TRIALS = 40
_CLOSE = 1.02  # tilts this near give the same window, or nearly
_LARGEST_LOG = 60.0
_LARGEST_TILT = 40.0  # beyond, the form has its largest value or nearly


@dataclass(frozen=True)
class Window:
    """Between which values a form is followed, and ln of a bound on what the rest weighs."""

    low: int
    high: int
    log_lost: float

    @property
    def size(self) -> int:
        """How many values that are."""
        return self.high - self.low + 1


class Tails:
    """The windows of forms h of the free lumps of one lattice."""

    def __init__(self, lattice: LumpedLattice) -> None:
        free, pivots = lattice.free, lattice.pivots
        self.totals = lattice.totals.astype(np.float64)
        self.needs = lattice.needs[np.concatenate([free, pivots])].astype(np.float64)
        self.rates = lattice.log_rates[np.concatenate([free, pivots])].astype(np.float64)
        self.free = len(free)
        self.means = np.exp(self.rates)

    @cached_property
    def covariance(self) -> Floats:
        """About the covariance of the free lumps, given the totals: (free, free)."""
        spread = self.means[:, None] * self.needs
        inner = self.needs.T @ spread
        given = spread @ np.linalg.solve(inner, spread.T) if len(inner) else 0.0
        return np.asarray((np.diag(self.means) - given)[: self.free, : self.free])

    def spread(self, form: Ints | Floats) -> float:
        """About the standard deviation of a form."""
        return math.sqrt(max(float(form @ self.covariance @ form), 0.0))

    def window(self, form: Ints, reach: tuple[int, int], log_tail: float) -> Window:
        """The values of a form, of those within reach, but for such a tail on each side."""
        above, lost_above = self._end(form.astype(np.float64), reach[1], log_tail)
        below, lost_below = self._end(-form.astype(np.float64), -reach[0], log_tail)
        return Window(-below, above, float(np.logaddexp(lost_above, lost_below)))

    def _end(self, form: Floats, most: int, log_tail: float) -> tuple[int, float]:
        """The largest value of a form that has to be followed, and ln of what is beyond it."""
        tilt = math.sqrt(-2.0 * min(log_tail, -0.1)) / max(self.spread(form), 1e-2)
        low, high = 0.0, math.inf  # tilts that are too small, and large enough
        found = most, -math.inf
        shift = np.zeros(len(self.totals))
        for _ in range(_MOST_TRIALS):
            tilt = min(tilt, _LARGEST_TILT)
            shift, means = self._means(form, tilt, shift)
            beyond = math.ceil(float(form @ means[: self.free]))
            bound = self._log_bound(means, shift, tilt, beyond)
            if beyond > most:  # nothing is there
                high = tilt
            elif bound <= log_tail:
                found, high = (beyond - 1, bound), tilt
            else:
                low = tilt
            if high < _CLOSE * low or low == _LARGEST_TILT:
                break
            if high < math.inf:
                tilt = (max(low, high / 2) + high) / 2
            else:
                tilt *= min(max(math.sqrt(log_tail / min(bound, -1e-3)), _CLOSE), 2.0)
        return found

    def _means(self, form: Floats, tilt: float, shift: Floats) -> tuple[Floats, Floats]:
        """The s with which the totals are what they are at θ, from a guess, and the means μ.

        They minimise Σμ − s·N, which is convex. What is not quite the minimum is a bound as well.
        """
        fixed = self.rates.copy()
        fixed[: self.free] += tilt * form
        means = np.exp(np.minimum(fixed + self.needs @ shift, _LARGEST_LOG))
        value = float(means.sum() - shift @ self.totals)
        for _ in range(_MOST_STEPS):
            gap = self.totals - self.needs.T @ means
            if (np.abs(gap) <= 1e-6 * (1 + self.totals)).all():
                break
            inner = self.needs.T @ (means[:, None] * self.needs)
            step = _solved(inner, gap)
            step *= min(1.0, 3.0 / max(float(np.abs(self.needs @ step).max()), 1e-300))
            for _ in range(_MOST_STEPS):
                after = np.exp(np.minimum(fixed + self.needs @ (shift + step), _LARGEST_LOG))
                new = float(after.sum() - (shift + step) @ self.totals)
                if new <= value:
                    break
                step = step / 2
            else:
                break
            shift, means, value = shift + step, after, new
        return shift, means

    def _log_bound(self, means: Floats, shift: Floats, tilt: float, value: int) -> float:
        """The logarithm of the bound of the module for h·x ≥ value, its roundings counted."""
        parts = [means, -self.means, -shift * self.totals, [-tilt * value]]
        modes = means[self.free :]
        tops = np.floor(modes)
        with np.errstate(divide="ignore"):
            logs = np.where(tops > 0, tops * np.log(np.maximum(modes, 1.0)), 0.0) - modes
        logs = np.minimum(logs - log_factorial(tops.astype(np.int64)), 0.0)
        sizes = means * (1 + np.abs(np.log(means))) + self.means * (1 + np.abs(self.rates))
        terms = np.concatenate(parts)
        rounding = float(np.abs(terms).sum() + sizes.sum() + modes @ np.log1p(modes)) + 8
        return float(terms.sum() + logs.sum()) + 16 * SPACING * rounding


def _solved(matrix: Floats, right: Floats) -> Floats:
    """X with matrix·x = right, or the shortest of the nearest where that is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])
