"""ρ of zero-concentrated differential privacy [1]: the least ρ with D_α ≤ ρ α for every α > 1.

    ρ = sup over α > 1, both directions, of D_α/α

f(α) = (α − 1) D_α is convex and f(1) = 0. Between two orders it lies below its chord A + B (α − 1),
so D_α/α ≤ A/(α (α − 1)) + B/α there, whose maximum is at an end or where B u² + 2 A u + A = 0 with
u = α − 1. The interval with the largest such bound is halved until bound and value agree. Beyond
D_∞/ρ no order can matter. D_α grows with α, so that from 1 to the first order it is at most what it
is there.

[1] Bun, Steinke, Concentrated differential privacy, TCC 2016.
"""

from __future__ import annotations

import heapq
import math

from covey.numbers import Floats
from covey.privacy.snapshot import divergences
from covey.privacy.snapshot.pair_profile import DivergenceProfile, Interval

_FIRST = 1e-5  # above 1: below, rounding would drown what is looked for
_AGREE = 1e-6
_MOST_HALVINGS = 400


def concentrated_rho(log_p: Floats, log_q: Floats, error: float = 0.0) -> Interval:
    """Between what ρ of one direction lies; logarithms may be off by `error`."""

    def renyi(alpha: float) -> float:
        return divergences.renyi(log_p, log_q, alpha)

    largest, kl = renyi(math.inf), renyi(1.0)
    if math.isinf(largest) or largest == 0:
        return largest, largest
    low = 1 + _FIRST
    value = max(kl, renyi(low) / low)
    end = max(largest / value, 2.0) if value > 0 else 2.0
    nodes = {low: renyi(low), end: renyi(end)}
    value = max(value, nodes[end] / end)
    waiting = [(-_above(low, nodes[low], end, nodes[end]), low, end)]
    for _ in range(_MOST_HALVINGS):
        if -waiting[0][0] <= value * (1 + _AGREE):
            break
        _, left, right = heapq.heappop(waiting)
        middle = 1 + math.sqrt((left - 1) * (right - 1))
        nodes[middle] = renyi(middle)
        value = max(value, nodes[middle] / middle)
        for a, b in ((left, middle), (middle, right)):
            heapq.heappush(waiting, (-_above(a, nodes[a], b, nodes[b]), a, b))
    off = 6 * error / _FIRST
    highest = max(-waiting[0][0], nodes[low], value) + off
    return max(value - off, 0.0), highest


def concentrated_rho_of(pair: DivergenceProfile) -> tuple[float, Interval]:
    """ρ and its bounds: the larger of both directions, from above."""
    found = [concentrated_rho(p, q, max(pair.errors)) for p, q in pair.directions]
    low, high = (max(one[i] for one in found) for i in (0, 1))
    if any(pair.truncated_mass):  # ρ ≥ KL ≥ 2 TV²
        sure = math.isinf(pair.epsilon_interval(0.0)[0])
        low = math.inf if sure else 2 * pair.delta_interval(0.0)[0] ** 2
    return high, (min(low, high), high)


def _above(a: float, at_a: float, b: float, at_b: float) -> float:
    """The most that D_α/α can be between two orders, from D at both."""
    left, right = (a - 1) * at_a, (b - 1) * at_b
    slope = (right - left) / (b - a)
    start = left - slope * (a - 1)  # what the chord is at 1: not positive
    places = [a, b]
    if slope > 0 and start * (start - slope) >= 0:
        u = (-start + math.sqrt(start * (start - slope))) / slope
        places += [1 + u] if a < 1 + u < b else []
    return max((start + slope * (x - 1)) / (x * (x - 1)) for x in places)
