"""Compiled: the path of a pair of chains that are coupled, for simulation and for publishing.

Where the pairs were listed, their coupling is looked up; elsewhere it is made on the way, greedily
(see `remedy.stand_in.coupling`).

Random numbers come from outside, so that those of the operating system can be taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from covey.dynamics.kernels import ssa
from covey.dynamics.kernels.transport import by_gain
from covey.dynamics.ssa.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from covey.numbers import Floats, Ints

    _F = TypeVar("_F", bound=Callable[..., Any])

    def njit(**options: bool | str) -> Callable[[_F], _F]: ...
else:
    from numba import njit

begin, uniform = ssa.compilable().begin, ssa.uniform

L1, SQUARED, CHANGE = range(3)


class Coupled(NamedTuple):
    """What is known of both chains."""

    real: Tables  # how fast the real team's reactions are
    reference: Tables
    changes: Floats  # (reactions, species): of either
    shown: Floats  # (reactions, counts): by how much what is seen changes
    weights: Floats  # (counts,): what an error of each count costs
    kind: int  # L1, SQUARED or CHANGE
    near: float  # for each robot that is elsewhere
    rates: Floats  # where pairs are listed: (states, reactions); else (0, 0)
    into: Ints
    reference_rates: Floats
    reference_into: Ints
    which: NDArray[np.int32]  # (pairs, at most)
    carried: Floats


class Room(NamedTuple):
    """Room to work in."""

    ours: Floats  # (reactions,): λ
    theirs: Floats  # (reactions,): μ
    together: Floats  # (reactions, reactions): m
    alone: Floats  # (reactions,): what is left of μ
    costs: Floats  # (reactions, reactions): of what goes together
    terms: Floats
    parts: Floats
    sums: Floats


class Pair(NamedTuple):
    """Where both are."""

    x: Ints  # (species,)
    w: Ints
    places: Ints  # (2,): their numbers, where pairs are listed


@njit(cache=True, nogil=True)
def _rates(tables: Tables, state: Ints, room: Room, out: Floats) -> None:
    """How fast every reaction is in a state."""
    begin(tables, state, room.terms, room.parts, room.sums)
    for group in range(tables.group_factor.shape[0]):
        factor = room.terms[tables.group_factor[group]]
        for slot in range(tables.group_start[group], tables.group_start[group + 1]):
            out[tables.reaction[slot]] = factor * room.parts[slot]


@njit(cache=True, nogil=True)
def loss_of(coupled: Coupled, off: Floats) -> float:
    """What it costs that counts are off by so many."""
    total = 0.0
    for count in range(off.shape[0]):
        away = abs(off[count])
        if coupled.kind == CHANGE and away > 0.0:
            return 1.0
        total += coupled.weights[count] * (away * away if coupled.kind == SQUARED else away)
    return 0.0 if coupled.kind == CHANGE else total


@njit(cache=True, nogil=True)
def _potential(
    coupled: Coupled, off: Floats, apart: Floats, ours: int, theirs: int, spare: Floats
) -> float:
    """The value h after one of our reactions and one of theirs; -1 stands for none."""
    value = 0.0
    for species in range(apart.shape[0]):
        away = apart[species]
        if ours >= 0:
            away += coupled.changes[ours, species]
        if theirs >= 0:
            away -= coupled.changes[theirs, species]
        value += abs(away)
    for count in range(off.shape[0]):
        spare[count] = off[count]
        if ours >= 0:
            spare[count] += coupled.shown[ours, count]
        if theirs >= 0:
            spare[count] -= coupled.shown[theirs, count]
    return loss_of(coupled, spare) + coupled.near * value


@njit(cache=True, nogil=True)
def couple_here(coupled: Coupled, pair: Pair, off: Floats, spare: Floats, room: Room) -> None:
    """Fill in both rates and what goes together at a pair; `off` is by how much counts differ."""
    n = coupled.changes.shape[0]
    room.together[:] = 0.0
    if coupled.which.shape[0] > 0:
        i, j = pair.places[0], pair.places[1]
        place = i * coupled.reference_rates.shape[0] + j
        room.ours[:], room.theirs[:] = coupled.rates[i], coupled.reference_rates[j]
        room.alone[:] = room.theirs
        for k in range(coupled.which.shape[1]):
            number = coupled.which[place, k]
            if number < 0:
                break
            r, s = number // n, number % n
            room.together[r, s] += coupled.carried[place, k]
            room.alone[s] = max(room.alone[s] - coupled.carried[place, k], 0.0)
        return
    _rates(coupled.real, pair.x, room, room.ours)
    _rates(coupled.reference, pair.w, room, room.theirs)
    room.alone[:] = room.theirs
    left = room.ours.copy()
    apart = (pair.x - pair.w).astype(np.float64)
    here, they = _potential(coupled, off, apart, -1, -1, spare), np.empty(n)
    for s in range(n):
        they[s] = _potential(coupled, off, apart, -1, s, spare)
    for r in range(n):
        if room.ours[r] <= 0.0:
            continue
        we = _potential(coupled, off, apart, r, -1, spare)
        for s in range(n):
            if room.theirs[s] > 0.0:
                both = _potential(coupled, off, apart, r, s, spare)
                room.costs[r, s] = both - we - they[s] + here
    by_gain(room.costs, left, room.alone, room.together)


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
    while used + 2 <= randoms.shape[0]:
        total = room.alone.sum()
        later = now - math.log(randoms[used]) / total if total > 0.0 else math.inf
        used += 1
        if later >= until:
            return until, used
        move(coupled, pair, off, -1, _drawn(room.alone, randoms[used] * total))
        used += 1
        now = later
        couple_here(coupled, pair, off, spare, room)
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
