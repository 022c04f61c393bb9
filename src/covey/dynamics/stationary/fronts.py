"""Elimination (GTH) of a sparse chain, part by part, in numbers that neither under- nor overflow.

The parts are those of a `dissection`. Each has a dense matrix of the rates between its states and
its rim, a front [1]: rates of the chain, and what is left of the fronts of earlier parts. Its own
states are censored there, and the rest goes to the part that has the first state of the rim.

Both halves of what is left behind are kept. The rates into a censored state over its exit rate give
the distribution on the way back; the rates out of it pass a source on, which solves

    −K z = b    off the last state, where z = 0,          b ≥ 0,

by sums of positive numbers again: z(x) = b(x) / exit(x) + Σ_i z(i) share(i → x).

[1] I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.stationary.dissection import Dissection, Indices, dissection
from covey.numbers import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress

Levels = NDArray[np.int32]


class _Front(NamedTuple):
    """What is left of a part: numbers m · B^k in pairs of arrays."""

    places: Indices  # (states of the front,): in the order
    shares: tuple[Floats, Levels]  # (states of the front, censored)
    rates: tuple[Floats, Levels]  # (censored, states of the front)
    exits: tuple[Floats, Levels]  # (censored,)


@dataclass(frozen=True, eq=False)
class Eliminated:
    """A chain whose states were all eliminated but the last of an order."""

    order: Indices
    fronts: tuple[_Front, ...]

    def distribution(self) -> Floats:
        """The ln p of every state, up to a constant."""
        m, k = self._nothing()
        m[-1] = 1.0
        return self._restored(m, k)

    def sojourn(self, log_source: Floats) -> Floats:
        """The ln z of −K z = b, from ln b; −inf at the last state."""
        from covey.dynamics.kernels import elimination as kernels  # noqa: PLC0415

        m, k = self._nothing()
        exponents = np.floor(log_source[self.order] / (kernels.DIGITS * math.log(2.0)))
        exponents[np.isinf(exponents)] = 0.0
        unit = kernels.DIGITS * math.log(2.0)
        m[:] = np.exp(log_source[self.order] - exponents * unit - unit / 2)
        k[:] = exponents
        for front in self.fronts:
            kernels.pass_on(*front.rates, *front.exits, front.places, m, k)
        m[-1] = 0.0
        return self._restored(m, k) + unit / 2

    def _nothing(self) -> tuple[Floats, Levels]:
        return np.zeros(len(self.order)), np.zeros(len(self.order), dtype=np.int32)

    def _restored(self, m: Floats, k: Levels) -> Floats:
        from covey.dynamics.kernels import elimination as kernels  # noqa: PLC0415

        for front in reversed(self.fronts):
            kernels.restore(*front.shares, front.places, m, k)
        logs = np.empty(len(m))
        with np.errstate(divide="ignore"):
            logs[self.order] = np.log(m) + k * (kernels.DIGITS * math.log(2.0))
        return logs


def order_of(generator: Generator, last: int) -> Dissection | None:
    """The order in which the states of a chain are eliminated, all but the last; or None."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    moves: csr_array = generator.moves()
    links = csr_array((np.ones(moves.nnz, dtype=np.int8), moves.indices, moves.indptr), moves.shape)
    return dissection(csr_array(links + links.T), last)


def eliminated(
    generator: Generator, order: Dissection, progress: Progress | None = None
) -> Eliminated:
    """All states but the last of the order eliminated."""
    from covey.dynamics.kernels import elimination as kernels  # noqa: PLC0415

    n, done, whole = len(generator), 0.0, order.work
    place = np.empty(n, dtype=np.int64)
    place[order.order] = np.arange(n)
    source, target = place[generator.indices], np.repeat(place, generator.lengths)
    sorted_ = np.argsort(np.minimum(source, target), kind="stable")
    source, target, rates = source[sorted_], target[sorted_], generator.rates[sorted_]
    ends = np.array([part.end for part in order.parts])
    first = np.searchsorted(np.minimum(source, target), [part.begin for part in order.parts])
    first = np.append(first, len(source))
    left: list[list[tuple[Indices, Floats, Levels]]] = [[] for _ in order.parts]
    fronts = []
    for number, part in enumerate(order.parts):
        places = np.concatenate([np.arange(part.begin, part.end), part.rim])
        own = slice(first[number], first[number + 1])
        m = np.zeros((part.size, part.size))
        rows, columns = (np.searchsorted(places, ends_[own]) for ends_ in (source, target))
        np.add.at(m, (rows, columns), rates[own])
        k = np.zeros(m.shape, dtype=np.int32)
        kernels.normalise(m.ravel(), k.ravel())
        for rim, more, level in left[number]:
            kernels.merge(m, k, more, level, np.searchsorted(places, rim))
        left[number].clear()
        count = len(part) if len(part.rim) else len(part) - 1
        exits, levels = np.zeros(count), np.zeros(count, dtype=np.int32)
        kernels.censor(m, k, count, exits, levels)
        if len(part.rim):
            after = int(np.searchsorted(ends, part.rim[0], side="right"))
            left[after].append((part.rim, m[count:, count:].copy(), k[count:, count:].copy()))
        shares, out = (
            (m[:, :count].copy(), k[:, :count].copy()),
            (m[:count].copy(), k[:count].copy()),
        )
        fronts.append(_Front(places, shares, out, (exits, levels)))
        if progress is not None:
            done += float((part.neighbours**2).sum())
            progress(done, whole, f"{n:,} states eliminated one by one")
    return Eliminated(order.order, tuple(fronts))
