"""Compiled: which moves both chains of a pair make together where they are.

Where the pairs were listed, their coupling is looked up. Elsewhere it is made on the way: where a
potential of the difference x − w is known, h(x + r, w + s) is that of x − w + r − s, and the
cheapest transport is taken; else greedily (see `remedy.stand_in.coupling`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from covey.dynamics.kernels.coupling.transport import by_gain, transport
from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.sampling import ssa
from covey.dynamics.ssa.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.numbers import Floats, Ints


begin = ssa.compilable().begin

L1, SQUARED, CHANGE = range(3)


class Differences(NamedTuple):
    """A potential of the difference of both states; its key is linear in it."""

    keys: Ints  # (differences,): of those that are listed, in order; none: there is no potential
    values: Floats  # (differences,)
    steps: Ints  # (reactions,): by how much one changes the key
    strides: Ints  # (species,): what one more of each adds to it
    reach: Ints  # (species,): within it no two differences have one key
    fence: float  # what a step to one that is not listed costs


def no_differences() -> Differences:
    """No potential."""
    none = np.empty(0, dtype=np.int64)
    return Differences(none, np.empty(0), none, none, none, 0.0)


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
    differences: Differences  # how both are coupled on the way


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
    rows: Ints  # (reactions,): what can happen, for the transport
    columns: Ints
    left: Floats  # (reactions,): of each of them
    right: Floats
    carried: Floats  # (reactions, reactions)
    reached: Floats  # (2 reactions,)
    back: Ints


def room_for(tables: Tables, species: int) -> Room:
    """Room for pairs of chains of a network."""
    n = len(tables.reaction)
    whole = np.zeros(n, dtype=np.int64)
    return Room(
        np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n, n)),
        np.zeros(species + len(tables.step_operation) + 1), np.zeros(n),
        np.zeros(len(tables.group_factor)), whole, whole.copy(), np.zeros(n), np.zeros(n),
        np.zeros((n, n)), np.zeros(2 * n), np.zeros(2 * n, dtype=np.int64),
    )  # fmt: skip


class Pair(NamedTuple):
    """Where both are."""

    x: Ints  # (species,)
    w: Ints
    places: Ints  # (2,): their numbers, where pairs are listed


@njit(cache=True, nogil=True)
def rates_at(tables: Tables, state: Ints, room: Room, out: Floats) -> None:
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
def key_of(differences: Differences, pair: Pair) -> int:
    """The key of how far both are apart; one that is not listed, where they are too far."""
    key = 0
    for species in range(pair.x.shape[0]):
        away = pair.x[species] - pair.w[species]
        if abs(away) > differences.reach[species]:
            return int(differences.keys[0]) - 1
        key += away * differences.strides[species]
    return key


@njit(cache=True, nogil=True)
def lookup(differences: Differences, key: int) -> int:
    """Where the difference with a key is listed, -1 where it is not."""
    place = np.searchsorted(differences.keys, key)
    if place < differences.keys.shape[0] and differences.keys[place] == key:
        return int(place)
    return -1


@njit(cache=True, nogil=True)
def _ahead(differences: Differences, key: int, here: float) -> float:
    """The potential after a step; `here` is what it was."""
    place = lookup(differences, key)
    return differences.values[place] if place >= 0 else here + differences.fence


@njit(cache=True, nogil=True)
def couple_by(differences: Differences, key: int, here: float, room: Room) -> None:
    """The cheapest transport by a potential of the difference, both rates being filled in.

    `room.together` and `room.alone` are filled in.
    """
    room.together[:] = 0.0
    room.alone[:] = room.theirs
    a, b = 0, 0
    for reaction in range(room.ours.shape[0]):
        if room.ours[reaction] > 0.0:
            room.rows[a], room.left[a] = reaction, room.ours[reaction]
            a += 1
        if room.theirs[reaction] > 0.0:
            room.columns[b], room.right[b] = reaction, room.theirs[reaction]
            b += 1
    if a == 0 or b == 0:
        return
    costs, carried = room.costs[:a, :b], room.carried[:a, :b]
    for q in range(b):
        costs[0, q] = here - _ahead(differences, key - differences.steps[room.columns[q]], here)
    costs[1:] = costs[0]
    for p in range(a):
        ours = key + differences.steps[room.rows[p]]
        we = _ahead(differences, ours, here)
        for q in range(b):
            both = ours - differences.steps[room.columns[q]]
            costs[p, q] += _ahead(differences, both, here) - we
    transport(costs, room.left, room.right, carried, room.reached, room.back)
    for q in range(b):
        room.alone[room.columns[q]] = room.right[q]
        for p in range(a):
            room.together[room.rows[p], room.columns[q]] = carried[p, q]


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
    rates_at(coupled.real, pair.x, room, room.ours)
    rates_at(coupled.reference, pair.w, room, room.theirs)
    if coupled.differences.keys.shape[0] > 0:
        key = key_of(coupled.differences, pair)
        place = lookup(coupled.differences, key)
        if place >= 0:
            couple_by(coupled.differences, key, coupled.differences.values[place], room)
            return
    _greedily(coupled, pair, off, spare, room)


@njit(cache=True, nogil=True)
def _greedily(coupled: Coupled, pair: Pair, off: Floats, spare: Floats, room: Room) -> None:
    """What gains most by what is off now goes together first."""
    n = coupled.changes.shape[0]
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
