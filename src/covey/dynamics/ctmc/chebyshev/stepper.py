"""Long steps with a certificate: p(t + h) in about √(qh) products instead of qh.

With an interval [−2q, 0] for the spectrum, X = I + K/q, x = qs and the Chebyshev polynomials T_k,

    p̃(t + s) = Σ_{k ≤ m} a_k(x) u_k,    u_k = T_k(X) p(t),    a_k(x) = (2 − δ_k0) e^−x I_k(x),

each u_k being one product from the two before, u_{k+1} = 2 X u_k − u_{k−1}. As x grows the a_k
become wider like √x, and so does m. Terms have signs, and digits may be lost; nothing is assumed
about how many. By the recurrences of I_k and T_k the curve obeys dp̃/ds = K p̃ + r with

    r = q/2 (a_{m+1} u_m − a_m u_{m+1}) + q (a_0 ε_0 + ½ Σ_{k ≥ 1} a_k ε_k),

ε_k being the rounding of the k-th product, |ε_k| ≤ γ (2 |X| |u_k| + |u_{k−1}|).

**Certificate.** The step is cut into segments. Let w = p̃ at the beginning of one, of length d,
with K w ≥ −λ w and |r| ≤ ρ w all along it. From w the exact distribution goes to y, and y falls by
no more than e^−λs in a time s, because positivity keeps K y ≥ −λ y. So e^{K(d−s)} |r(s)| ≤ ρ e^{λd}
y(d), and

    |ln p̃ − ln y| ≤ −ln(1 − ρ d e^{λd})    for every state at the end of the segment.

Whatever relative error w had stays at most what it was. ρ is found with α_k ≥ a_k all along the
segment (see `weights`): |r| ≤ q γ (|X| Z + Z) + the first part at its end, Z = Σ α_k
|u_k|.

**Time spent.** All that is proved at the end of a segment holds all along it, so the integral of
the curve over a step, Σ_k ∫a_k u_k, is as certain as its end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.chebyshev.weights import beginning, coefficients, integrals
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator

# q over the largest exit rate. The spectrum mostly reaches less far than it could; where it does
# not, or robots run in circles, terms grow, and long steps were measured not to pay.
_HALF_WIDTH = 0.55
_USUAL = 18.0  # terms over √x, at most; half of them do where nothing runs in circles
_NEGLIGIBLE = 1e-14  # of the distribution, per step: what the terms left out may be
_AT_ONCE = 4  # terms that are added to the sums, which take longer to read than a product
_CHECKED = 8  # terms between looks at whether there are enough; a multiple of that
SHORTEST = 60.0  # expected jumps: plain steps are as good below that
CHANGE = 25.0  # by how many powers of e a distribution may fall twice or rise in a step


# The last term that was taken, with a_{m+1} at every end, and the first that was not, with a_m.
_Tails = list[tuple[Floats, Floats]]


@dataclass(frozen=True)
class ChebyshevStep:
    """The distribution at the end of each certified segment, and the error that it adds up to."""

    times: list[float]  # counted from the step's beginning
    distributions: list[Floats]
    errors: list[float]
    spent: Floats | None = None  # (states,): the time in each, where it was asked for


_NOTHING = ChebyshevStep([], [], [])


@dataclass(frozen=True)
class _Total:
    """What has been added up, at every end: Σ a_k u_k, and Z = Σ α_k |u_k|.

    Where the time spent is asked for, the last row has ∫a_k in place of both weights.
    """

    weights: Floats  # (ends, terms): a_k
    bounds: Floats  # (ends, terms): α_k, zero where the term is left out
    sums: Floats  # (ends, states)
    sizes: Floats  # (ends, states)

    def up_to(self, k: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Where the last terms up to k are added, and by which weights."""
        last = slice(k + 1 - _AT_ONCE, k + 1)
        kept = slice(int(np.argmax(self.bounds[:, last.start] > 0)), None)
        return (
            self.weights[kept, last].copy(), self.bounds[kept, last].copy(),
            self.sums[kept], self.sizes[kept],
        )  # fmt: skip


class ChebyshevStepper:
    """Takes Chebyshev steps on one chain; counts its products."""

    def __init__(self, generator: Generator, roundings: int) -> None:
        self.generator, self.roundings = generator, roundings
        self.noise = roundings * UNIT
        self.products = 0
        self.rate = _HALF_WIDTH * float(generator.exits.max())
        self.stay = self.rate - generator.exits

    def drift(self, distribution: Floats) -> tuple[float, float]:
        """The fastest relative fall and rise of any state's probability, rounding included."""
        self.products += 1
        least, most = self.generator.drift(distribution)
        slack = self.noise * float(self.generator.exits.max())
        return max(-least, 0.0) + slack, max(most, 0.0) + slack

    def ready(self, distribution: Floats) -> bool:
        """Whether the distribution changes slowly enough for steps longer than plain ones."""
        fall, rise = self.drift(distribution)
        return self.rate * CHANGE >= SHORTEST * (rise + 2 * fall)

    def step(
        self, distribution: Floats, ends: Sequence[float], allowed: float, *, spent: bool = False
    ) -> ChebyshevStep:
        """Goes to all `ends` at once; keeps those whose error is certainly at most `allowed`.

        Gives up where terms do not fall as they should. With the time `spent`, all or nothing.
        """
        x, at_end = self.rate * ends[-1], len(ends) - 1
        terms = int(_USUAL * math.sqrt(x)) + 24
        weights, bounds = coefficients(self.rate * np.array(ends), terms + 2)
        if spent:
            over_time = integrals(x, terms + 2) / self.rate
            weights, bounds = np.vstack([weights, over_time]), np.vstack([bounds, over_time])
        total = _Total(weights, bounds, weights[:, :1] * distribution, bounds[:, :1] * distribution)
        none = np.zeros(len(distribution))
        recent, last, size = [none, none, none, distribution], 0, math.inf
        for k in range(1, terms + 1):
            recent = self._next(recent, k, total if k % _AT_ONCE == 0 else None)
            last = k
            if k % _CHECKED == 0 and k * k > 2 * x:
                larger = size
                size = self._size(recent[-1], total.sums[at_end], weights[at_end, k])
                if size < _NEGLIGIBLE:
                    break
                if k * k > 25 * x and k + _terms_left(k, x, size, larger) > terms:
                    return _NOTHING
        else:
            return _NOTHING
        *_, now, beyond = self._next(recent, last + 1)
        tails = [(now, weights[:, last + 1]), (beyond, weights[:, last])]
        rounding = UNIT * (5 * beginning(x, terms + 2) + last + 8)
        found = self._certify(distribution, list(ends), (total, tails), rounding, allowed)
        return self._with_time(found, total, rounding, allowed) if spent else found

    def _with_time(
        self, found: ChebyshevStep, total: _Total, rounding: float, allowed: float
    ) -> ChebyshevStep:
        """The same with the time spent in every state, if all is certain enough; else nothing."""
        if len(found.times) < len(total.sums) - 1 or not total.sums[-1].min() > 0:
            return _NOTHING
        # Adding the weights up rounds once a weight, and they are as many as the recurrence has.
        off = 2 * rounding * float((total.sizes[-1] / total.sums[-1]).max())
        errors = [*found.errors[:-1], found.errors[-1] + off]
        if not errors[-1] <= allowed:
            return _NOTHING
        return replace(found, errors=errors, spent=total.sums[-1])

    def _next(self, recent: list[Floats], k: int, total: _Total | None = None) -> list[Floats]:
        """The last four terms up to u_k from those before it; `total` grows by all of them.

        The oldest gives up its place, but for the very first of all, which is the distribution.
        """
        from covey.dynamics.kernels import grouped_rows  # noqa: PLC0415

        g, (oldest, older, before, now) = self.generator, recent
        out = oldest if k > _AT_ONCE else np.empty_like(now)
        scale = (1.0 if k == 1 else 2.0) / self.rate
        nothing, nowhere = np.empty((0, _AT_ONCE)), np.empty((0, len(now)))
        parts = (nothing, nothing, nowhere, nowhere) if total is None else total.up_to(k)
        vectors = (older, before, now, out)

        chain = (g.rows, g.groups, self.stay)
        g.by_parts(partial(grouped_rows.chebyshev_rows, *chain, scale, vectors, *parts))
        self.products += 1
        return [older, before, now, out]

    def _size(self, term: Floats, total: Floats, weight: float) -> float:
        """How large a term is beside the sum so far, per unit of time, in any state."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        sizes = self.generator.by_parts(partial(sparse_rows.size_rows, term, total))
        return max(sizes) * weight * self.rate

    def _certify(
        self,
        distribution: Floats,
        ends: list[float],
        parts: tuple[_Total, _Tails],
        rounding: float,
        allowed: float,
    ) -> ChebyshevStep:
        """The bound of the module's head, segment by segment, as far as it is small enough."""
        found = ChebyshevStep([], [], [])  # grows
        error, begin, w = 0.0, 0.0, distribution
        for i, (end, total) in enumerate(zip(ends, parts[0].sums, strict=False)):
            if not total.min() > 0:
                break
            fall, _ = self.drift(w)
            defect, summed = self._worst(i, w, *parts)
            summed *= rounding
            d = end - begin
            grown = 1.001 * defect * d * math.exp(min(fall * d, 700.0))
            if not grown < 0.1:
                break
            error -= math.log1p(-grown)
            if not (error + summed <= allowed and summed < 1e-6):
                break
            found.times.append(end)
            found.distributions.append(total)
            found.errors.append(error + summed)
            begin, w = end, total
        return found

    def _worst(self, end: int, w: Floats, total: _Total, tails: _Tails) -> tuple[float, float]:
        """The largest of |r| / w, and of Z / p̃, in any state; what is left out grows to the end."""
        self.products += 1
        size, distribution = total.sizes[end], total.sums[end]
        spread = self.generator.advance(size, np.abs(self.stay), 1 / self.rate)

        def work(first: int, last: int) -> tuple[float, float]:
            rows = slice(first, last)
            defect = self.noise * (spread[rows] + size[rows])
            for term, weights in tails:
                defect += weights[end] / 2 * np.abs(term[rows])
            defect = self.rate * defect / w[rows]
            return float(defect.max()), float((size[rows] / distribution[rows]).max())

        found = np.array(self.generator.by_parts(work))
        return float(found[:, 0].max()), float(found[:, 1].max())  # not a number where one is none


def _terms_left(k: int, x: float, size: float, larger: float) -> float:
    """How many more terms it takes, guessed from the last two sizes.

    Weights fall as e^{−k²/2x}; what the sizes fall less, the terms grow by from one to the next.
    """
    if not (math.isfinite(larger) and math.isfinite(size) and size > 0):
        return 0.0
    excess = math.log(larger / size) / _CHECKED + _CHECKED / 2 / x
    missing = math.log(size / _NEGLIGIBLE)
    return x * (math.sqrt(excess**2 + 2 * missing / x) - excess)
