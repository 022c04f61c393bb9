"""The optimum of a linear program in blocks, by a primal and dual interior point method.

    minimise c·v,  A v = b,  v ≥ 0        maximise b·y,  z = c − Aᵀ y ≥ 0

Newton's method on v_i z_i = σ μ for all i, μ falling: Mehrotra's predictor and corrector (SIAM J.
Optim. 2 (1992) 575–601). It begins inside: some of everything published blindly keeps every limit
with room to spare, and prices of y that are low enough are below all costs. So there is a channel
that keeps the limits, and prices that prove a bound, whenever it stops.

An interior point beside the simplex method has two advantages here. Steps are relative to every
variable, so that probabilities in the tails are as exact as others; and few steps are needed,
however many entries look alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.numbers import Floats
from covey.remedy.mechanism.program.blocks import Blocks, Rows
from covey.remedy.mechanism.program.linear_program import NotSolvedError

_STEPS = 150
_SHORT = 1e-7  # of a step: no progress
_NOTHING = 1e-13  # of what the start costs: a gap that is nothing, where the optimum costs nothing
_MET = 1e-7  # how well A v = b is to hold, relatively to what is published


@dataclass(frozen=True, eq=False)
class Inside:
    """A point inside: v > 0, y, and z = c − Aᵀ y > 0."""

    variables: Floats
    prices: Rows
    spare: Floats

    def mixed(self, other: Inside, share: float, other_share: float) -> Inside:
        """So much of another one, of its variables and of its prices: inside as well."""
        y, w = self.prices, other.prices
        return Inside(
            (1 - share) * self.variables + share * other.variables,
            Rows(*((1 - other_share) * a + other_share * b for a, b in zip(y, w, strict=True))),
            (1 - other_share) * self.spare + other_share * other.spare,
        )


def start(blocks: Blocks) -> Inside:
    """A point well inside."""
    vector = np.ones(len(blocks.price))
    v = blocks.parts(vector)
    count = np.bincount(blocks.place.ravel(), blocks.used.ravel(), blocks.size)
    v.entries[:] = np.where(blocks.used, 1 / np.maximum(count, 1)[blocks.place], 1e-3)
    over = np.matmul(blocks.excess, v.entries[:, :, None])[:, :, 0]
    if blocks.hub.any():
        wanted = blocks.hub * blocks.scale * (over.max(axis=1).clip(0) + 1e-2)
        v.blind[:] = np.where(blocks.hub, wanted / wanted.sum(), 1e-3)
        spare = -blocks.total * v.blind[:, None]
        share = 0.5 * float((spare / (spare + over.clip(0) + 1e-300))[blocks.hub].min())
        v.entries[blocks.used] *= share
        v.blind[blocks.hub] *= 1 - share
    allowed = blocks.deltas / (2 * len(blocks.scale))
    v.left[:] = v.allowed[:] = v.kept[:] = 0.0
    v.allowed[:] = allowed / blocks.scale[:, None] if len(allowed) else 0.0
    v.kept[:] = blocks.deltas / 2
    left = -blocks.times(vector).limits
    v.left[:] = np.maximum(left, 1e-3 * abs(left).max())
    if blocks.several:
        losses = np.tensordot(blocks.costs, v.entries, 2) + blocks.blind_costs @ v.blind
        v.largest[:] = 1.1 * losses.max() + 1e-300
        v.below[:] = v.largest - losses
    return Inside(vector, *_dual_start(blocks, vector))


def _dual_start(blocks: Blocks, vector: Floats) -> tuple[Rows, Floats]:
    v, n = blocks.parts(vector), blocks.size
    level = 10 * float(blocks.costs.mean(axis=0)[blocks.used].mean()) + 1e-300
    limits = -level * float(np.median(v.entries)) / v.left
    pairs = 1.5 * (-limits / blocks.scale[:, None]).max(axis=0)
    shares = np.full(len(v.below), 0.9 / max(len(v.below), 1))
    joint = np.concatenate([np.zeros(n), -shares, -pairs if len(blocks.deltas) else []])
    return lowered(blocks, Rows(joint, limits), level)


def lowered(blocks: Blocks, prices: Rows, by: float = 0.0) -> tuple[Rows, Floats]:
    """Prices of y that are below all costs by so much, and what they are below."""
    n, joint = blocks.size, prices.joint.copy()
    spare = blocks.parts(blocks.price - blocks.transposed(prices))
    low = np.zeros(n)
    np.minimum.at(low, blocks.place[blocks.used], spare.entries[blocks.used])
    low -= by
    blind = (spare.blind - low.sum())[blocks.hub]
    low += min(float(blind.min(initial=0.0)) - by, 0.0) / n
    joint[:n] += low
    found = Rows(joint, prices.limits)
    return found, blocks.price - blocks.transposed(found)


def optimum(blocks: Blocks, begin: Inside, gap: float) -> Inside:
    """A point whose cost is above its own bound by this share of it, or as near as can be.

    Args:
        blocks: The program.
        begin: A point inside.
        gap: Relatively to the cost.
    """
    now, nothing = begin, _NOTHING * float(blocks.price @ begin.variables)
    for _ in range(_STEPS):
        cost = float(blocks.price @ now.variables)
        bound = float(blocks.right.joint @ now.prices.joint)
        if cost - bound <= gap * cost + nothing and _misses(blocks, now.variables) <= _MET:
            return now
        with np.errstate(all="ignore"):  # what is not finite is not taken
            after = _step(blocks, now)
        if after is None:
            break
        now = after
    return now


def _misses(blocks: Blocks, vector: Floats) -> float:
    """How far A v is from b."""
    have = blocks.times(vector)
    joint = abs(have.joint - blocks.right.joint).max()
    return max(float(joint), float(abs(have.limits).max()))


def _step(blocks: Blocks, now: Inside) -> Inside | None:
    """The next point; None where none is found that is farther."""
    v, y, z = now.variables, now.prices, now.spare
    have = blocks.times(v)
    missing = Rows(blocks.right.joint - have.joint, -have.limits)
    off = blocks.price - blocks.transposed(y) - z
    mean = float(v @ z) / len(v)
    try:
        factor = blocks.eliminated(v / z)
    except NotSolvedError:
        return None

    def direction(aim: Floats) -> tuple[Floats, Rows, Floats]:
        """To where v z has changed by that."""
        moved = blocks.times((v * off - aim) / z)
        right = Rows(missing.joint + moved.joint, missing.limits + moved.limits)
        change = blocks.solved(factor, right)
        spare = off - blocks.transposed(change)
        return (aim - v * spare) / z, change, spare

    ahead, _, spare = direction(-v * z)
    far, high = _length(v, ahead), _length(z, spare)
    reached = float((v + far * ahead) @ (z + high * spare)) / len(v)
    centre = min(max(reached / mean, 0.0), 1.0) ** 3
    ahead, change, spare = direction(centre * mean - v * z - ahead * spare)
    near = min(max(0.98, 1 - centre), 0.9995)
    far, high = (min(1.0, near * _length(*one)) for one in ((v, ahead), (z, spare)))
    after = Inside(
        v + far * ahead,
        Rows(y.joint + high * change.joint, y.limits + high * change.limits),
        z + high * spare,
    )
    inside = after.variables.min() > 0 and after.spare.min() > 0  # which no number is that is none
    return after if inside and max(far, high) >= _SHORT else None


def _length(point: Floats, direction: Floats) -> float:
    """How far it goes until something is 0, at most 1."""
    falls = direction < 0
    return min(1.0, float((-point[falls] / direction[falls]).min(initial=np.inf)))
