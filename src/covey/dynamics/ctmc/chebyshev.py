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
segment (see `chebyshev_weights`): |r| ≤ q γ (|X| Z + Z) + the first part at its end, Z = Σ α_k
|u_k|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.chebyshev_weights import beginning, coefficients
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.ctmc.uniformized_chain import UniformizedChain
    from covey.dynamics.validation import Progress

# q over the largest exit rate. The spectrum mostly reaches less far than it could; where it does
# not, or robots run in circles, terms grow, and long steps were measured not to pay.
_HALF_WIDTH = 0.55
_USUAL = 18.0  # terms over √x, at most; half of them do where nothing runs in circles
_SEGMENTS = (1 / 16, 3 / 16, 3 / 8, 5 / 8, 1.0)  # where segments of a step end
_NEGLIGIBLE = 1e-14  # of the distribution, per step: what the terms left out may be
_AT_ONCE = 4  # terms that are added to the sums, which take longer to read than a product
_CHECKED = 8  # terms between looks at whether there are enough; a multiple of that
_BEGINNINGS = (1 / 32, 1 / 16, 1 / 8, 1 / 4)  # of the last time
_SHORTEST = 60.0  # expected jumps: plain steps are as good below that
_LONGEST = 300.0  # about the same for a Chebyshev step: in a longer one terms often grow too large
_WORTH = 1.4  # products for each of them: plain steps are 1.85, and take half to all of the time
_CHANGE = 25.0  # by how many powers of e a distribution may fall twice or rise in a step
_MOST_ENDS = 4  # times asked for in one step
_PROMISING = 1.0  # near rest: by how many powers of e the distribution may still change
_RECENT = 9  # distributions, of those at the ends of segments, that its rest is fitted by


# The last term that was taken, with a_{m+1} at every end, and the first that was not, with a_m.
_Tails = list[tuple[Floats, Floats]]


@dataclass(frozen=True)
class ChebyshevStep:
    """The distribution at the end of each certified segment, and the error that it adds up to."""

    times: list[float]  # counted from the step's beginning
    distributions: list[Floats]
    errors: list[float]


@dataclass(frozen=True)
class _Total:
    """What has been added up, at every end: Σ a_k u_k, and Z = Σ α_k |u_k|."""

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
        return self.rate * _CHANGE >= _SHORTEST * (rise + 2 * fall)

    def step(self, distribution: Floats, ends: Sequence[float], allowed: float) -> ChebyshevStep:
        """Goes to all `ends` at once; keeps those whose error is certainly at most `allowed`.

        Gives up where terms do not fall as they should.
        """
        x = self.rate * ends[-1]
        terms = int(_USUAL * math.sqrt(x)) + 24
        weights, bounds = coefficients(self.rate * np.array(ends), terms + 2)
        total = _Total(weights, bounds, weights[:, :1] * distribution, bounds[:, :1] * distribution)
        none = np.zeros(len(distribution))
        recent, last, size = [none, none, none, distribution], 0, math.inf
        for k in range(1, terms + 1):
            recent = self._next(recent, k, total if k % _AT_ONCE == 0 else None)
            last = k
            if k % _CHECKED == 0 and k * k > 2 * x:
                size, larger = self._size(recent[-1], total.sums[-1], weights[-1, k]), size
                if size < _NEGLIGIBLE:
                    break
                if k * k > 25 * x and k + _terms_left(k, x, size, larger) > terms:
                    return ChebyshevStep([], [], [])
        else:
            return ChebyshevStep([], [], [])
        *_, now, beyond = self._next(recent, last + 1)
        tails = [(now, weights[:, last + 1]), (beyond, weights[:, last])]
        rounding = UNIT * (5 * beginning(x, terms + 2) + last + 8)
        return self._certify(distribution, list(ends), (total, tails), rounding, allowed)

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
        found = ChebyshevStep([], [], [])
        error, begin, w = 0.0, 0.0, distribution
        for i, (end, total) in enumerate(zip(ends, parts[0].sums, strict=True)):
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


def milestones(rate: float, end: float) -> list[float]:
    """When long steps may begin: before, the distribution changes too fast for them."""
    return [end * part for part in _BEGINNINGS if rate * end * part >= _SHORTEST]


def propagate_to(
    times: Sequence[float],
    stepper: ChebyshevStepper,
    p: Floats,
    begin: float,
    allowed: float,
    chain: UniformizedChain | None = None,
    progress: Progress | None = None,
) -> tuple[list[Floats], list[float]] | None:
    """Those at later times by Chebyshev steps, and their errors; None where that does not pay.

    A step is as long as the distribution p needs to change by some powers of e, and is cut short to
    the segments of it that are certified; where none is, it and all later ones are half as long,
    as long as that pays. Near rest the uniformised chain, if there is one, extrapolates the
    distributions at the ends of the last segments.
    """
    found: list[Floats] = []
    errors: list[float] = []
    now, error, recent, longest = begin, 0.0, [p], _LONGEST
    while len(found) < len(times):
        if progress is not None:
            progress(now, times[-1], "long steps")
        fall, rise = stepper.drift(p)
        ahead = [time - now for time in times[len(found) :]]
        left = [max(fall, rise) * time for time in ahead]
        if error + left[-1] <= allowed:  # at rest: no logarithm moves faster, now or later
            return [*found, *[p] * len(left)], [*errors, *(error + off for off in left)]
        if chain is not None and left[-1] < _PROMISING and len(recent) > len(_SEGMENTS):
            fitted = chain.extrapolate_in_time(recent, ahead, stepper.roundings, allowed - error)
            if fitted is not None:
                return [*found, *fitted[0]], [*errors, *(error + off for off in fitted[1])]
        even = ahead[-1] / max(round(stepper.rate * ahead[-1] / longest), 1)  # no short one at last
        length = min(_CHANGE / (rise + 2 * fall), even)
        ends = _ends(now, length, times[len(found) :])
        spent = stepper.products
        step = stepper.step(p, [end - now for end in ends], allowed - error)
        if not step.times:
            longest = min(longest, stepper.rate * length) / 2
            if longest < _SHORTEST:
                return None
            continue
        spent = stepper.products - spent
        if longest < _LONGEST and spent > _WORTH * stepper.rate * step.times[-1]:
            return None
        for end, there, off in zip(ends, step.distributions, step.errors, strict=False):
            if end in times[len(found) :]:
                found.append(there)
                errors.append(error + off)
        reached = len(step.times) - 1
        now, p, error = ends[reached], step.distributions[reached], error + step.errors[reached]
        recent = [*recent, *step.distributions][-_RECENT:]
    return found, errors


def _ends(now: float, length: float, times: Sequence[float]) -> list[float]:
    """Where the segments of a step end: at parts of its length, and at times that are asked for.

    With many of those the step is cut short: every end costs memory and time.
    """
    inside = [time for time in times if time <= now + length]
    last = inside[_MOST_ENDS - 1] if len(inside) > _MOST_ENDS else now + length
    parts = [now + part * (last - now) for part in _SEGMENTS[:-1]]
    return sorted({*parts, *inside[:_MOST_ENDS], last})
