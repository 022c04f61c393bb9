"""The linear program with a few of its entries, and more until its bound is met.

Most of thousands of outcomes are never published for one another. A program with some entries for
each z (`blocks`) is solved inside (`interior_point`), and those whose bracket of the bound
(`linear_program`) is too small by its prices are let in (G. B. Dantzig and P. Wolfe, Oper. Res. 8
(1960) 101–111). To begin with, these are the nearest y, and for each pair those that are cheapest
for what they give: by w(y) c(y, z) for each p_i(y) − e^ε p_j(y) below 0, as they are what keeps the
prices of that limit low.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from covey.numbers import Floats, Ints
from covey.remedy.mechanism.program.blocks import Blocks, Rows
from covey.remedy.mechanism.program.interior_point import Inside, lowered, optimum, start
from covey.remedy.mechanism.program.linear_program import TIE, Prices, Program

_LARGEST = 30.0  # an ε that numbers can be e^ε apart for; a channel for less keeps to more
_SHORT = 1e-5  # by how much less than ε it is solved for, relatively
_NOTHING = 1e-8  # of what is published: below it an entry is nothing but inside
_NEAREST = 24  # entries a column to begin with
_GIVING = 3  # and so many for each pair
_LET_IN = 24  # entries a column and round
_ROUNDS = 10
_NUMBERS = 60_000_000  # that the limits of all entries may take
_ROUGH = 0.1  # of the loss: how near the optimum the first rounds go
_ENOUGH = 2e-3  # of the loss, at which no more entries are let in
_NEAR = 1e-8  # of the loss: how near the optimum the last goes, over the entries that it has


def solved_in_part(program: Program) -> tuple[Floats, Prices]:
    """A channel (outcomes, published) that keeps all limits, and the prices behind it."""
    epsilon = min(program.epsilon * (1 - _SHORT), _LARGEST)
    return _Entries(replace(program, epsilon=epsilon)).solved()


def kept(program: Program, channel: Floats) -> Floats:
    """A channel that keeps all limits, near one that keeps them nearly.

    A value z that is published too tellingly is published more often whatever is there, by

        b(z) = max_ij (Σ_y M(z|y) (p_i(y) − e^ε p_j(y)) − s_ij(z)) / (e^ε − 1)

    which makes that sum s_ij(z) at most, as the p_i(y) − e^ε p_j(y) add up to 1 − e^ε. Then all is
    divided by 1 + Σ_z b(z).
    """
    channel = channel / channel.sum(axis=1, keepdims=True)
    over = np.maximum(program.excess @ channel, 0.0)
    total = over.sum(axis=1)
    share = np.minimum(1.0, np.array(program.deltas) / np.maximum(total, 1e-300))
    blind = (over * (1 - share[:, None])).max(axis=0) / math.expm1(program.epsilon)
    blind[np.isinf(program.losses).any(axis=0)] = 0.0  # must not stand for everything
    return np.asarray((channel + blind) / (1 + blind.sum()))


class _Best:
    """The cheapest channel so far, and the prices that prove most."""

    def __init__(self, program: Program) -> None:
        self.program, self.cost, self.bound = program, math.inf, -math.inf
        truth = np.zeros(program.losses.shape)
        truth[np.arange(len(truth)), program.losses.argmin(axis=1)] = 1.0
        self._offer(truth)

    def _offer(self, proposed: Floats) -> None:
        channel = kept(self.program, proposed)
        losses = np.where(channel > 0, self.program.losses, 0.0)
        cost = float((self.program.weights @ (channel * losses).sum(axis=1)).max())
        if cost < self.cost:
            self.cost, self.channel = cost, channel

    def take(self, channel: Floats, prices: Prices) -> None:
        """Keeps what is better of these."""
        self._offer(channel)
        if (bound := self.program.bound(prices)) > self.bound:
            self.bound, self.prices = bound, prices

    @property
    def gap(self) -> float:
        """How much of the cost may be in vain."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0


@dataclass(frozen=True, eq=False)
class _Entries:
    program: Program

    def solved(self) -> tuple[Floats, Prices]:
        program, place = self.program, self._first()
        scale = np.maximum(program.distributions.max(axis=0)[place].max(axis=1), 1e-300)
        scale *= 1 + math.exp(program.epsilon)  # then no limit is above 1
        blocks, best = self._blocks(place, scale), _Best(program)
        gap, now = _ROUGH, optimum(blocks, start(blocks), _ROUGH)
        for _ in range(_ROUNDS):
            best.take(self._channel(blocks, now), prices := self._prices(blocks, now))
            if best.gap <= _ENOUGH or not (more := self._room(place)):
                break
            gap = max(gap / 10, _ENOUGH / 2) if best.gap <= 2 * gap else gap
            place = self._let_in(place, prices, now, more)
            grown = self._blocks(place, scale)
            now = optimum(grown, _carried(blocks, now, grown), gap)
            blocks = grown
        now = optimum(blocks, now, _NEAR)
        best.take(self._channel(blocks, now), self._prices(blocks, now))
        return best.channel, best.prices

    def _room(self, place: Ints) -> int:
        """How many entries more each column may have."""
        columns, entries = map(int, place.shape)
        most = _NUMBERS // (columns * max(len(self.program.pairs), 1))
        return max(min(_LET_IN, most - entries, len(self.program.losses) - entries), 0)

    def _first(self) -> Ints:
        """Which outcomes are looked at for each that may be published: (published, entries)."""
        program = self.program
        outcomes, published = program.losses.shape
        first = min(_NEAREST + _GIVING * len(program.pairs), outcomes)
        likely = program.distributions.max(axis=0)
        weights = program.weights.mean(axis=0) + 1e-3 * likely
        found = np.empty((published, first), np.int64)
        for some in program.chunks():
            losses = program.losses[:, some]
            paid, rank = weights[:, None] * losses, losses.copy()
            for excess in program.excess:
                gives = np.flatnonzero(excess < 0)
                if len(gives) > _GIVING:
                    price = paid[gives] / -excess[gives, None]
                    best = gives[np.argpartition(price, _GIVING - 1, axis=0)[:_GIVING]]
                    np.put_along_axis(rank, best, -1.0, 0)
            found[some] = np.argpartition(rank, first - 1, axis=0)[:first].T
        return found

    def _let_in(self, place: Ints, prices: Prices, now: Inside, count: int) -> Ints:
        """The entries with those besides whose brackets are too small, or nearest to it."""
        program = self.program
        most = now.prices.joint[: len(program.losses), None]
        likely = program.distributions.max(axis=0)[:, None] + 1e-300
        found = np.empty((len(place), count), np.int64)
        for some in program.chunks():
            over = program.brackets(prices, some) - most
            over = np.where(over < 0, over * 1e12, over / likely)
            np.put_along_axis(over, place[some].T, math.inf, 0)
            found[some] = np.argpartition(over, count - 1, axis=0)[:count].T
        return np.concatenate([place, found], axis=1)

    def _blocks(self, place: Ints, scale: Floats) -> Blocks:
        """The program with these entries."""
        program = self.program
        losses = np.take_along_axis(program.losses.T, place, 1)
        used, hub = np.isfinite(losses), np.asarray(np.isfinite(program.losses).all(axis=0))
        excess = program.excess[:, place] * (used / scale[:, None])
        paid = program.weights[:, place] * np.where(used, losses, 0.0)
        blind = np.where(hub, program.weights @ np.where(hub, program.losses, 0.0), 0.0)
        total = program.excess.sum(axis=1)[None, :] * (hub / scale)[:, None]
        deltas = np.array(program.deltas) if any(program.deltas) else np.zeros(0)
        return Blocks(
            place, used, np.ascontiguousarray(excess.transpose(1, 0, 2)), total, paid, blind, hub,
            scale, np.maximum(deltas, 1e-300), TIE, len(program.losses),
        )  # fmt: skip

    def _channel(self, blocks: Blocks, now: Inside) -> Floats:
        v = blocks.parts(now.variables)
        channel = np.repeat((v.blind * blocks.hub)[None, :], blocks.size, axis=0)
        channel[blocks.place, np.arange(len(blocks.place))[:, None]] += v.entries * blocks.used
        likely = self.program.distributions.max(axis=0)[:, None] * channel
        rest = likely < _NOTHING * likely.max(axis=0)
        channel[rest & (channel < channel.max(axis=1, keepdims=True))] = 0.0
        return channel

    def _prices(self, blocks: Blocks, now: Inside) -> Prices:
        limits = np.maximum(-now.prices.limits / blocks.scale[:, None], 0.0).T
        if not blocks.several:
            return Prices(limits, np.ones(1))
        losses = now.prices.joint[blocks.size : blocks.size + len(self.program.weights)]
        shares = np.maximum(-losses, 0.0) + TIE / len(losses)
        total = float(shares.sum())
        return Prices(limits / total, shares / total)


def _carried(before: Blocks, now: Inside, after: Blocks) -> Inside:
    """The point in a program with more entries: inside, if its entries are a little above 0."""
    old, begin = before.parts(now.variables), start(after)
    vector = np.zeros(len(begin.variables))
    new = after.parts(vector)
    new.entries[:, : before.place.shape[1]] = old.entries
    for one, other in list(zip(new, old, strict=True))[1:]:
        one[:] = other
    prices, spare = lowered(after, Rows(now.prices.joint, now.prices.limits))
    gap = abs(float(after.price @ vector) - float(now.prices.joint @ before.right.joint))
    cost = float(after.price @ begin.variables)
    bound = abs(float(after.right.joint @ begin.prices.joint))
    shares = (min(gap / (far + gap), 0.5) for far in (cost, bound))
    return Inside(vector, prices, spare).mixed(begin, *shares)
