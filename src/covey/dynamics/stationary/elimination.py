"""The stationary distribution by elimination without subtractions (GTH [1]), at any depth.

States are censored one by one. When state s of the states 0 … s goes, the others see

    rate(i → j) += rate(i → s) rate(s → j) / Σ_k rate(s → k)          i, j, k < s,

and on the way back p(s) = Σ_i p(i) rate(i → s) / Σ_k rate(s → k): sums, products and quotients of
positive numbers only.

What is proved. p(x) is a sum of products of n − 1 rates over a sum of such, the trees of the chain
[2]: rates that are each off by a factor e^d move ln p by at most 2 (n − 1) d. So the roundings of
every rate that a censored chain is made of add up, whatever the rates are: neither groups of states
that are hardly ever left nor rates far apart matter.

Nothing underflows. Few states are eliminated as one dense matrix of doubles, and that is believed
where every number it made is far from the ends of their range. All others are ordered so that
transitions stay near the diagonal (reverse Cuthill–McKee), and their band is eliminated in numbers
with an exponent of their own (`kernels/elimination`).

[1] Grassmann, Taksar, Heyman, Oper. Res. 33 (1985). [2] O'Cinneide, Numer. Math. 65 (1993).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.errors import UnsupportedError
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress

DENSE = 600  # states up to which one matrix of doubles is quickest
_CENSORED = 32  # states that are eliminated together
_SAFE = 1e-140  # numbers between this and its inverse have products that are doubles
_MOST_WORK = 2e10  # additions: a minute
_MOST_ROOM = 6e7  # rates in a band: 0.7 GB
_AT_ONCE = 2e8  # additions between two reports of progress


@dataclass(frozen=True, eq=False)
class Band:
    """An order of the states in which no transition leads further than `width` places."""

    order: NDArray[np.intp]  # (states,)
    width: int

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Where each state stands: (states,)."""
        return np.argsort(self.order)

    @property
    def work(self) -> float:
        """How many additions elimination takes."""
        return float(len(self.order)) * self.width**2

    @property
    def affordable(self) -> bool:
        """Whether it can be eliminated in about a minute."""
        return self.work <= _MOST_WORK and len(self.order) * (2 * self.width + 1) <= _MOST_ROOM

    @property
    def error(self) -> float:
        """The bound on |ln p| of every state that is eliminated in this order."""
        return elimination_error(len(self.order), self.width)


def band(generator: Generator) -> Band:
    """The states of a chain in an order with a narrow band."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415

    n = len(generator)
    ends = np.repeat(np.arange(n), generator.lengths), generator.indices.astype(np.intp)
    linked = csr_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n))
    order = reverse_cuthill_mckee(linked, symmetric_mode=False).astype(np.intp)
    place = np.argsort(order)
    return Band(order, int(np.abs(place[ends[0]] - place[ends[1]]).max(initial=0)))


def eliminate(
    generator: Generator, within: Band | None = None, progress: Progress | None = None
) -> Floats:
    """The ln p of every state of an irreducible chain, up to a constant."""
    if len(generator) <= DENSE:
        distribution = _dense(generator)
        if distribution is not None:
            return np.log(distribution)
    try:
        return _banded(generator, within or band(generator), progress)
    except ZeroDivisionError:
        raise UnsupportedError(
            "some rates are so small that a sum of them is 0: give them in another unit of time"
        ) from None


def elimination_error(n: int, width: int | None = None) -> float:
    """The bound on |ln p| of elimination, for n states (in a band of some width).

    With k states left, one is censored with at most as many roundings in each new rate as the
    longer of two sums has terms, and 40 more: its share of the others' sum, and the products of a
    block. The rates themselves have a few, and the way back has as many as its sum has terms.
    """
    k = np.arange(2.0, n + 1)
    terms = np.minimum(k, n if width is None else width)
    return 1.01 * UNIT * float((2 * (k - 1) * (terms + 40) + terms + 3).sum() + 16 * n)


def _dense(generator: Generator) -> Floats | None:
    """One matrix of doubles; None where some number came near the ends of their range.

    By blocks: what censoring a block does to all states before it is one product of matrices. Each
    product has two factors that stay in the matrix: it is a double where both are `_SAFE`.
    """
    rates = generator.dense_rates()
    rates /= rates.max()
    if not _safe(rates):
        return None
    n = len(rates)
    with np.errstate(all="ignore"):  # what goes out of range is seen below
        for end in range(n, 1, -_CENSORED):
            begin = max(end - _CENSORED, 1)
            for k in range(end - 1, begin - 1, -1):
                later = slice(k + 1, end)  # those of the block that are censored already
                rates[k, :k] += rates[k, later] @ rates[later, :k]
                rates[:k, k] += rates[:k, later] @ rates[later, k]
                rates[:k, k] /= rates[k, :k].sum()
            block = slice(begin, end)
            rates[:begin, :begin] += rates[:begin, block] @ rates[block, :begin]
        distribution = np.ones(n)
        for k in range(1, n):
            distribution[k] = distribution[:k] @ rates[:k, k]
            if distribution[k] > 1 / _SAFE:
                distribution[: k + 1] /= distribution[k]
    return distribution if _safe(rates) and _safe(distribution) and distribution.min() > 0 else None


def _safe(numbers: Floats) -> bool:
    """Whether every number is 0 or far from the ends of the range of doubles."""
    positive = numbers[numbers > 0]
    least, most = positive.min(initial=1.0), positive.max(initial=1.0)
    return bool(least >= _SAFE and most <= 1 / _SAFE and np.isfinite(numbers).all())


def _banded(generator: Generator, within: Band, progress: Progress | None) -> Floats:
    """A band of numbers with exponents."""
    from covey.dynamics.kernels import elimination as kernels  # noqa: PLC0415

    n, width, place = len(generator), within.width, within.place
    into = place[np.repeat(np.arange(n), generator.lengths)]
    source = place[generator.indices]
    m = np.zeros((n, 2 * width + 1))
    k = np.zeros(m.shape, dtype=np.int32)
    np.add.at(m, (source, into - source + width), generator.rates)
    kernels.normalise(m.ravel(), k.ravel())
    step = max(int(_AT_ONCE / max(width, 1) ** 2), 1)
    for last in range(n - 1, 0, -step):
        if progress is not None:
            progress(n - 1 - last, n - 1, f"{n:,} states eliminated one by one")
        kernels.censor(m, k, max(last - step + 1, 1), last)
    distribution, level = np.zeros(n), np.zeros(n, dtype=np.int32)
    kernels.restore(m, k, distribution, level)
    logs = np.empty(n)
    logs[within.order] = np.log(distribution) + (level - level.max()) * (
        kernels.DIGITS * math.log(2.0)
    )
    return logs
