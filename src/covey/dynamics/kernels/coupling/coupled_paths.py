"""Compiled: the path of a pair of chains that are coupled, for simulation and for publishing.

How both are coupled where they are is in `pair_coupling`. Random numbers come from outside, so that
those of the operating system can be taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.coupling.pair_coupling import Coupled, Pair, Room, couple_here, loss_of
from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.sampling import ssa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.numbers import Floats


uniform = ssa.uniform


@njit(cache=True, nogil=True)
def _differ(coupled: Coupled, off: Floats, ours: int, theirs: int) -> None:
    for count in range(off.shape[0]):
        if ours >= 0:
            off[count] += coupled.shown[ours, count]
        if theirs >= 0:
            off[count] -= coupled.shown[theirs, count]


@njit(cache=True, nogil=True)
def move(coupled: Coupled, pair: Pair, off: Floats, ours: int, theirs: int) -> None:
    """Both do something; -1 stands for nothing."""
    for species in range(pair.x.shape[0]):
        if ours >= 0:
            pair.x[species] += int(coupled.changes[ours, species])
        if theirs >= 0:
            pair.w[species] += int(coupled.changes[theirs, species])
    if coupled.which.shape[0] > 0:
        if ours >= 0:
            pair.places[0] = coupled.into[pair.places[0], ours]
        if theirs >= 0:
            pair.places[1] = coupled.reference_into[pair.places[1], theirs]
    _differ(coupled, off, ours, theirs)


@njit(cache=True, nogil=True)
def _drawn(weights: Floats, target: float) -> int:
    """In whose share the target lies; the last that is possible, where rounding leads past it."""
    found = -1
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            found = k
            if target < weights[k]:
                return found
            target -= weights[k]
    return found


@njit(cache=True, nogil=True)
def move_alone(
    coupled: Coupled,
    pair: Pair,
    off: Floats,
    spare: Floats,
    room: Room,
    now: float,
    until: float,
    randoms: Floats,
    used: int,
) -> tuple[float, int]:
    """The reference's next move by itself, `room` being filled; none after `until`.

    The time it came to, and how many of the random numbers are used; it takes two at most.
    """
    total = room.alone.sum()
    later = now - math.log(randoms[used]) / total if total > 0.0 else math.inf
    if later >= until:
        return until, used + 1
    move(coupled, pair, off, -1, _drawn(room.alone, randoms[used + 1] * total))
    couple_here(coupled, pair, off, spare, room)
    return later, used + 2


@njit(cache=True, nogil=True)
def alone_until(
    coupled: Coupled,
    pair: Pair,
    off: Floats,
    spare: Floats,
    room: Room,
    now: float,
    until: float,
    randoms: Floats,
    used: int,
) -> tuple[float, int]:
    """The reference moves by itself up to a time, `room` being filled; the time it came to.

    That is `until`, unless the random numbers are used up before: then it can go on from there.
    """
    while now < until and used + 2 <= randoms.shape[0]:
        now, used = move_alone(coupled, pair, off, spare, room, now, until, randoms, used)
    return now, used


@njit(cache=True, nogil=True)
def together(
    coupled: Coupled, pair: Pair, off: Floats, spare: Floats, room: Room, ours: int, random: float
) -> int:
    """The real team does something: the reference does what goes with it, -1 for nothing."""
    rest = random * room.ours[ours]
    carried = room.together[ours].sum()
    theirs = _drawn(room.together[ours], rest) if rest < carried else -1
    move(coupled, pair, off, ours, theirs)
    couple_here(coupled, pair, off, spare, room)
    return theirs


@njit(cache=True, nogil=True)
def told(
    coupled: Coupled,
    pair: Pair,
    off: Floats,
    spare: Floats,
    room: Room,
    now: float,
    when: float,
    ours: int,
    randoms: Floats,
    used: int,
) -> tuple[float, int, bool]:
    """An event of the real team at a time: up to then alone, and then together.

    Not to the end where the random numbers are used up before; then it can go on from there.
    """
    now, used = alone_until(coupled, pair, off, spare, room, now, when, randoms, used)
    if now < when or used >= randoms.shape[0]:
        return now, used, False
    together(coupled, pair, off, spare, room, ours, randoms[used])
    return now, used + 1, True


@njit(cache=True, nogil=True)
def follow(
    coupled: Coupled,
    pair: Pair,
    off: Floats,
    spare: Floats,
    room: Room,
    span: float,
    stream: NDArray[np.uint64],
    out: Floats,
) -> None:
    """Both for a time, at the model's rates.

    Adds to out: ∫ loss dt, how long it was 0, and by how much each count was off, ∫ off dt.
    """
    now = 0.0
    while True:
        ours, theirs = room.ours.sum(), room.alone.sum()
        total = ours + theirs
        later = span
        if total > 0.0:
            later = min(span, now - math.log(uniform(stream)) / total)
        cost = loss_of(coupled, off)
        out[0] += cost * (later - now)
        out[1] += (later - now) if cost == 0.0 else 0.0
        for count in range(off.shape[0]):
            out[2 + count] += off[count] * (later - now)
        if later >= span:
            return
        now = later
        target = uniform(stream) * total
        if target < ours:
            together(coupled, pair, off, spare, room, _drawn(room.ours, target), uniform(stream))
        else:
            move(coupled, pair, off, -1, _drawn(room.alone, target - ours))
            couple_here(coupled, pair, off, spare, room)
