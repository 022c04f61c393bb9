"""Long steps with a certificate: p(t + h) in about √(qh) products instead of qh.

With an interval [−2q, 0] for the spectrum, X = I + K/q, x = qs and the Chebyshev polynomials T_k,

    p̃(t + s) = Σ_{k ≤ m} a_k(x) u_k,    u_k = T_k(X) p(t),    a_k(x) = (2 − δ_k0) e^−x I_k(x),

each u_k being one product from the two before, u_{k+1} = 2 X u_k − u_{k−1}. As x grows the a_k
become wider like √x, and so does m. Terms have signs, and digits may be lost; nothing is assumed
about how many. By the recurrences of I_k and T_k the curve obeys dp̃/ds = K p̃ + r with

    r = q/2 (a_{m+1} u_m − a_m u_{m+1}) + q (a_0 ε_0 + ½ Σ_{k ≥ 1} a_k ε_k),

ε_k being the rounding of the k-th product, |ε_k| ≤ γ (2 |X| |u_k| + |u_{k−1}|).

**Certificate.** The stride is cut into stretches. Let w = p̃ at the beginning of one, of length d,
with K w ≥ −λ w and |r| ≤ ρ w all along it. From w the exact law goes to y, and y falls by no more
than e^−λs in a time s, because positivity keeps K y ≥ −λ y. So e^{K(d−s)} |r(s)| ≤ ρ e^{λd} y(d),
and

    |ln p̃ − ln y| ≤ −ln(1 − ρ d e^{λd})    for every state at the end of the stretch.

Whatever relative error w had stays at most what it was. ρ is found with α_k ≥ a_k all along the
stretch (see `chebyshev_weights`): |r| ≤ q γ (|X| Z + Z) + the first part at its end, Z = Σ α_k
|u_k|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.chebyshev_weights import beginning, coefficients
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress

# q over the largest exit rate. The spectrum mostly reaches less far than it could; where it does
# not, or robots run in circles, terms grow, and strides were measured not to pay.
_HALF_WIDTH = 0.55
_USUAL = 18.0  # terms over √x, at most; half of them do where nothing runs in circles
_STRETCHES = (1 / 16, 3 / 16, 3 / 8, 5 / 8, 1.0)  # where stretches of a stride end
_NEGLIGIBLE = 1e-14  # of the law, per stride: what the terms left out may be
_AT_ONCE = 4  # terms that are added to the sums, which take longer to read than a product
_CHECKED = 8  # terms between looks at whether there are enough; a multiple of that
_BEGINNINGS = (1 / 32, 1 / 16, 1 / 8, 1 / 4)  # of the last time
_SHORTEST = 60.0  # expected jumps: plain steps are as good below that
_LONGEST = 300.0  # about the same for a stride: in a longer one terms often grow too large
_WORTH = 1.4  # products for each of them: plain steps are 1.85, and take half to all of the time
_CHANGE = 25.0  # by how many powers of e a law may fall twice or rise in a stride
_MOST_ENDS = 4  # times asked for in one stride
_PROMISING = 1.0  # near rest: by how many powers of e the law may still change
_RECENT = 9  # laws, of those at the ends of stretches, that its rest is fitted by

# Laws in the past, the newest at a time; later times; the error allowed: their laws and errors.
Close = Callable[
    [list[Floats], float, Sequence[float], float], tuple[list[Floats], list[float]] | None
]


@dataclass(frozen=True)
class Stride:
    """The law at the end of each stretch that was certified, and the error that each adds up to."""

    times: list[float]  # counted from the stride's beginning
    laws: list[Floats]
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


@dataclass(frozen=True)
class _Tail:
    """The last term that was taken and the first that was not, with their weights at every end."""

    taken: Floats
    left: Floats
    weights_taken: Floats  # a_{m+1}, which goes with u_m
    weights_left: Floats  # a_m, which goes with u_{m+1}

    def at(self, end: int, rows: slice) -> Floats:
        """|a_{m+1} u_m| / 2 + |a_m u_{m+1}| / 2 at one end; before it, it is less."""
        taken, left = self.weights_taken[end] / 2, self.weights_left[end] / 2
        both: Floats = taken * np.abs(self.taken[rows]) + left * np.abs(self.left[rows])
        return both


class Strider:
    """Takes strides on one chain; counts its products."""

    def __init__(self, generator: Generator, roundings: int) -> None:
        self.generator = generator
        self.noise = roundings * UNIT
        self.products = 0
        self.rate = _HALF_WIDTH * float(generator.exits.max())
        self.stay = self.rate - generator.exits

    def drift(self, law: Floats) -> tuple[float, float]:
        """The fastest relative fall and rise of any state's probability, rounding included."""
        self.products += 1
        least, most = self.generator.drift(law)
        slack = self.noise * float(self.generator.exits.max())
        return max(-least, 0.0) + slack, max(most, 0.0) + slack

    def ready(self, law: Floats) -> bool:
        """Whether the law changes slowly enough for strides that are longer than plain steps."""
        fall, rise = self.drift(law)
        return self.rate * _CHANGE >= _SHORTEST * (rise + 2 * fall)

    def stride(self, law: Floats, ends: Sequence[float], allowed: float) -> Stride:
        """Goes to all `ends` at once; keeps those whose error is certainly at most `allowed`.

        Gives up where terms do not fall as they should.
        """
        x = self.rate * ends[-1]
        terms = int(_USUAL * math.sqrt(x)) + 24
        weights, bounds = coefficients(self.rate * np.array(ends), terms + 2)
        total = _Total(weights, bounds, weights[:, :1] * law, bounds[:, :1] * law)
        none = np.zeros(len(law))
        recent, last, size = [none, none, none, law], 0, math.inf
        for k in range(1, terms + 1):
            recent = self._next(recent, k, total if k % _AT_ONCE == 0 else None)
            last = k
            if k % _CHECKED == 0 and k * k > 2 * x:
                size, larger = self._size(recent[-1], total.sums[-1], weights[-1, k]), size
                if size < _NEGLIGIBLE:
                    break
                if k * k > 25 * x and k + _terms_left(k, x, size, larger) > terms:
                    return Stride([], [], [])
        else:
            return Stride([], [], [])
        *_, now, beyond = self._next(recent, last + 1)
        tail = _Tail(now, beyond, weights[:, last + 1], weights[:, last])
        rounding = UNIT * (5 * beginning(x, terms + 2) + last + 8)
        return self._certify(law, list(ends), (total, tail), rounding, allowed)

    def _next(self, recent: list[Floats], k: int, total: _Total | None = None) -> list[Floats]:
        """The last four terms up to u_k from those before it; `total` grows by all of them.

        The oldest gives up its place, but for the very first of all, which is the law.
        """
        from covey.dynamics.kernels import grouped_rows  # noqa: PLC0415

        g, (oldest, older, before, now) = self.generator, recent
        out = oldest if k > _AT_ONCE else np.empty_like(now)
        scale = (1.0 if k == 1 else 2.0) / self.rate
        nothing, nowhere = np.empty((0, _AT_ONCE)), np.empty((0, len(now)))
        parts = (nothing, nothing, nowhere, nowhere) if total is None else total.up_to(k)
        vectors = (older, before, now, out)

        chain = (g.rows, g.groups, self.stay)
        g.by_parts(partial(grouped_rows.stride_rows, *chain, scale, vectors, *parts))
        self.products += 1
        return [older, before, now, out]

    def _size(self, term: Floats, total: Floats, weight: float) -> float:
        """How large a term is beside the sum so far, per unit of time, in any state."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        sizes = self.generator.by_parts(partial(sparse_rows.size_rows, term, total))
        return max(sizes) * weight * self.rate

    def _certify(
        self,
        law: Floats,
        ends: list[float],
        parts: tuple[_Total, _Tail],
        rounding: float,
        allowed: float,
    ) -> Stride:
        """The bound of the module's head, stretch by stretch, as far as it is small enough."""
        found = Stride([], [], [])
        error, begin, w = 0.0, 0.0, law
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
            found.laws.append(total)
            found.errors.append(error + summed)
            begin, w = end, total
        return found

    def _worst(self, end: int, w: Floats, total: _Total, tail: _Tail) -> tuple[float, float]:
        """The largest of |r| / w, and of Z / p̃, in any state."""
        self.products += 1
        size, law = total.sizes[end], total.sums[end]
        spread = self.generator.advance(size, np.abs(self.stay), 1 / self.rate)

        def work(first: int, last: int) -> tuple[float, float]:
            rows = slice(first, last)
            noise = self.noise * (spread[rows] + size[rows])
            defect = self.rate * (noise + tail.at(end, rows)) / w[rows]
            return float(defect.max()), float((size[rows] / law[rows]).max())

        found = np.array(self.generator.by_parts(work))
        return float(found[:, 0].max()), float(found[:, 1].max())  # not a number where one is none


def _terms_left(k: int, x: float, size: float, larger: float) -> float:
    """How many more terms it takes, guessed from the last two sizes.

    Weights fall as e^{−k²/2x}; what the sizes fall less, the terms grow by from one to the next.
    """
    if not (math.isfinite(larger) and math.isfinite(size) and size > 0):
        return 0.0
    slope = math.log(larger / size) / _CHECKED + _CHECKED / 2 / x
    missing = math.log(size / _NEGLIGIBLE)
    return x * (math.sqrt(slope**2 + 2 * missing / x) - slope)


def milestones(rate: float, end: float) -> list[float]:
    """When long steps may begin: before, the law changes too fast for them."""
    return [end * part for part in _BEGINNINGS if rate * end * part >= _SHORTEST]


def far(
    strider: Strider,
    law: Floats,
    begin: float,
    times: Sequence[float],
    allowed: float,
    close: Close | None = None,
    progress: Progress | None = None,
) -> tuple[list[Floats], list[float]] | None:
    """The laws at all later times by strides, and their errors; None where strides do not pay.

    A stride is as long as the law needs to change by some powers of e, and is cut short to the
    stretches of it that are certified; where none is, it and all later ones are half as long, as
    long as that pays. Near rest `close` is asked, with the laws at the ends of the last stretches,
    when they were, and the times still open.
    """
    found: list[Floats] = []
    errors: list[float] = []
    now, error, recent, longest = begin, 0.0, [law], _LONGEST
    while len(found) < len(times):
        if progress is not None:
            progress(now, times[-1], "long steps")
        fall, rise = strider.drift(law)
        left = [max(fall, rise) * (time - now) for time in times[len(found) :]]
        if error + left[-1] <= allowed:  # at rest: no logarithm moves faster, now or later
            return [*found, *[law] * len(left)], [*errors, *(error + off for off in left)]
        if close is not None and left[-1] < _PROMISING and len(recent) > len(_STRETCHES):
            closed = close(recent, now, times[len(found) :], allowed - error)
            if closed is not None:
                return [*found, *closed[0]], [*errors, *(error + off for off in closed[1])]
        way = times[-1] - now
        even = way / max(round(strider.rate * way / longest), 1)  # no short one at the end
        length = min(_CHANGE / (rise + 2 * fall), even)
        ends = _ends(now, length, times[len(found) :])
        spent = strider.products
        stride = strider.stride(law, [end - now for end in ends], allowed - error)
        if not stride.times:
            longest = min(longest, strider.rate * length) / 2
            if longest < _SHORTEST:
                return None
            continue
        spent = strider.products - spent
        if longest < _LONGEST and spent > _WORTH * strider.rate * stride.times[-1]:
            return None
        for end, there, off in zip(ends, stride.laws, stride.errors, strict=False):
            if end in times[len(found) :]:
                found.append(there)
                errors.append(error + off)
        reached = len(stride.times) - 1
        now, law, error = ends[reached], stride.laws[reached], error + stride.errors[reached]
        recent = [*recent, *stride.laws][-_RECENT:]
    return found, errors


def _ends(now: float, length: float, times: Sequence[float]) -> list[float]:
    """Where the stretches of a stride end: at parts of its length, and at times that are asked for.

    With many of those the stride is cut short: every end costs memory and time.
    """
    inside = [time for time in times if time <= now + length]
    last = inside[_MOST_ENDS - 1] if len(inside) > _MOST_ENDS else now + length
    parts = [now + part * (last - now) for part in _STRETCHES[:-1]]
    return sorted({*parts, *inside[:_MOST_ENDS], last})
