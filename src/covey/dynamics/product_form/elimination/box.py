"""The box that an elimination runs over: between which counts every lump of species is followed.

Exactly, a lump may hold anything from 0 to what the totals allow. With a tolerance it is followed
within a Poisson window only, and the weight P of all states outside is at most the sum of the
tails (a union bound). Roots link the counts, r_k = Σ needs·x: what they rule out costs nothing and
is cut off, root by root, until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.dynamics.product_form.elimination.poisson_weights import log_tails, window
from covey.errors import TooLargeError
from covey.numbers import Ints

_MOST_ROUNDS = 100
_LARGEST_LOG_RATE = 40.0  # e^40 robots are followed by nobody


@dataclass(frozen=True, eq=False)
class Box:
    """Least and largest count of every lump, and ln of the Poisson weight left out."""

    low: Ints  # (lumps,)
    high: Ints  # (lumps,)
    log_lost: float

    @property
    def sizes(self) -> Ints:
        """How many counts each lump may have."""
        return self.high - self.low + 1


def whole_box(lattice: LumpedLattice, log_tail: float | None) -> Box:
    """All that the totals allow; lumps without totals within windows of this tail."""
    return _box(lattice, np.asarray(lattice.needs.sum(axis=1) == 0), log_tail)


def window_box(lattice: LumpedLattice, log_tail: float) -> Box:
    """Every lump within a Poisson window that leaves out at most this tail on either side."""
    return _box(lattice, np.ones(len(lattice.needs), dtype=np.bool_), log_tail)


def _box(lattice: LumpedLattice, windowed: NDArray[np.bool_], log_tail: float | None) -> Box:
    low = np.zeros(len(lattice.needs), dtype=np.int64)
    high = np.zeros(len(lattice.needs), dtype=np.int64)
    lost = [-np.inf]
    for i, needs in enumerate(lattice.needs):
        used = needs > 0
        most = int((lattice.totals[used] // needs[used]).min()) if used.any() else None
        high[i] = most or 0
        if windowed[i] and log_tail is not None:
            rate = float(lattice.log_rates[i])
            if rate > _LARGEST_LOG_RATE:
                raise TooLargeError(f"about e^{rate:.0f} robots are expected in one place")
            low[i], high[i] = window(rate, log_tail)
            if most is not None and most <= high[i]:
                high[i] = most
                low[i] = min(low[i], most)
                lost.append(log_tails(int(low[i]), None, rate))
            else:
                lost.append(log_tails(int(low[i]), int(high[i]), rate))
        high[i] = max(low[i], min(high[i], lattice.highest(i)))
    low, high = _tighten(lattice, low, high)
    return Box(low, high, float(np.logaddexp.reduce(lost)))


def _tighten(lattice: LumpedLattice, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Cuts off counts that no state within the box has: they would break a total."""
    for _ in range(_MOST_ROUNDS):
        before = low.copy(), high.copy()
        for root, total in enumerate(lattice.totals):
            needs = lattice.needs[:, root]
            used = np.flatnonzero(needs)
            least = int(needs[used] @ low[used])
            most = int(needs[used] @ high[used])
            room_above = total - (least - needs[used] * low[used])
            room_below = total - (most - needs[used] * high[used])
            high[used] = np.minimum(high[used], room_above // needs[used])
            low[used] = np.maximum(low[used], -(-room_below // needs[used]))
        if (high < low).any():  # nothing at all is inside: the window was far too narrow
            return before
        if (low == before[0]).all() and (high == before[1]).all():
            break
    return low, high
