"""Compiled: the likelihood ratio along one path in which one robot passes for another type.

What it computes, and why, is in `hmm/lumped_ratio`. Tables, and what is computed of them, are
those of simulation (`ssa`): the team moves by its own, and for every place that the robot may be
in, the other team moves by those in which the robot is told apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.sampling import ssa
from covey.dynamics.kernels.sampling.lumped_tables import IMPOSSIBLE, NOWHERE, Drawn, Lumped
from covey.dynamics.ssa.tables import Tables
from covey.numbers import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray


seed_stream, begin = ssa.compilable().seed_stream, ssa.compilable().begin
fire, follow = ssa.compilable().fire, ssa.compilable().follow

_TINY, _HUGE = 1e-100, 1e100


@njit(cache=True, nogil=True)
def _leaving(tables: Tables, terms: Floats, sums: Floats) -> float:
    """The rate of all jumps."""
    total = 0.0
    for group in range(tables.group_factor.shape[0]):
        total += terms[tables.group_factor[group]] * sums[group]
    return total


@njit(cache=True, nogil=True)
def _rate(tables: Tables, kinds: Ints, terms: Floats, parts: Floats, kind: int) -> float:
    """The rate of all jumps of a kind."""
    total = 0.0
    for group in range(tables.group_factor.shape[0]):
        factor = terms[tables.group_factor[group]]
        for slot in range(tables.group_start[group], tables.group_start[group + 1]):
            if kinds[slot] == kind:
                total += factor * parts[slot]
    return total


@njit(cache=True, nogil=True)
def _jump(
    lumped: Lumped, terms: Floats, parts: Floats, kind: int, now: Floats, then: Floats
) -> None:
    """The weights of places after a jump: of those before, times the rate of going there."""
    tables = lumped.other
    then[:] = 0.0
    for place in range(now.shape[0]):
        if now[place] > 0.0:
            for group in range(tables.group_factor.shape[0]):
                factor = terms[place, tables.group_factor[group]]
                for slot in range(tables.group_start[group], tables.group_start[group + 1]):
                    into = lumped.leads[slot, place]
                    if lumped.other_kinds[slot] == kind and into != NOWHERE:
                        then[into] += now[place] * factor * parts[place, slot]


@njit(cache=True, nogil=True)
def weigh(
    lumped: Lumped,
    seen: Ints,
    first: Floats,
    times: Floats,
    kinds: Ints,
    looks: Floats,
    out: Floats,
) -> None:
    """Fill out (looks,) with ln P'/P of one path up to each of these times.

    times, kinds: Of every jump, ascending.
    """
    places, width = lumped.lifts.shape
    team, other = lumped.team, lumped.other
    terms = np.empty(seen.shape[0] + team.step_operation.shape[0] + 1)
    parts, sums = np.empty(team.rates.shape[0]), np.empty(team.group_factor.shape[0])
    begin(team, seen, terms, parts, sums)
    terms_of = np.empty((places, width + other.step_operation.shape[0] + 1))
    parts_of = np.empty((places, other.rates.shape[0]))
    sums_of = np.empty((places, other.group_factor.shape[0]))
    for place in range(places):
        state = lumped.lifts[place].copy()
        for i in range(seen.shape[0]):
            state[lumped.own[i]] += seen[i]
        begin(other, state, terms_of[place], parts_of[place], sums_of[place])
    now, then = first.copy(), np.empty(places)
    log, at, event, look = 0.0, 0.0, 0, 0
    while look < looks.shape[0]:
        jumps = event < times.shape[0] and times[event] <= looks[look]
        upto = times[event] if jumps else looks[look]
        rate, total = _leaving(team, terms, sums), 0.0
        for place in range(places):
            if now[place] > 0.0:
                gone = _leaving(other, terms_of[place], sums_of[place])
                now[place] *= math.exp((rate - gone) * (upto - at))
                total += now[place]
        at = upto
        if not 0.0 < total < math.inf or (jumps and kinds[event] == IMPOSSIBLE):
            out[look:] = -math.inf if total == 0.0 else math.inf
            return
        if not _TINY < total < _HUGE:
            log += math.log(total)
            now /= total
            total = 1.0
        if not jumps:
            out[look] = log + math.log(total)
            look += 1
            continue
        kind = kinds[event]
        _jump(lumped, terms_of, parts_of, kind, now, then)
        now[:] = then / _rate(team, lumped.team_kinds, terms, parts, kind)
        fire(team, np.uint32(lumped.team_slots[kind]), terms, parts, sums)
        slot = np.uint32(lumped.other_slots[kind])
        for place in range(places):
            fire(other, slot, terms_of[place], parts_of[place], sums_of[place])
        event += 1


@njit(cache=True, nogil=True)
def draw_and_weigh(
    lumped: Lumped,
    drawn: Drawn,
    times: Floats,
    looks: Floats,
    seed: np.uint64,
    path: int,
    log_times: Floats,
    states: NDArray[np.int64],
    out: Floats,
) -> int:
    """Draw paths, and fill states (paths, times, species) and out (paths, looks) with ln P'/P.

    How many are done: as many as no path has more events than `log_times` has room for.

    path: The number of the first one.
    """
    tables, n_groups = drawn.tables, drawn.tables.group_factor.shape[0]
    stream, stop = np.empty(4, np.uint64), np.zeros(1, np.bool_)
    terms = np.empty(drawn.starts.shape[1] + tables.step_operation.shape[0] + 1)
    parts = np.empty(tables.rates.shape[0])
    sums, cumulative = np.empty(n_groups), np.empty(n_groups)
    reactions = np.empty(log_times.shape[0], np.int64)
    for row in range(out.shape[0]):
        seed_stream(seed, np.uint64(path + row), stream)
        begin(tables, drawn.starts[row], terms, parts, sums)
        status, events, _ = follow(
            tables, times, log_times.shape[0], stream, terms, parts, sums, cumulative,
            states[row], log_times, reactions, stop,
        )  # fmt: skip
        if status != ssa.FINISHED:
            return row
        for event in range(events):
            reactions[event] = drawn.kinds[reactions[event]]
        weigh(
            lumped, drawn.seen[row], drawn.first[row], log_times[:events], reactions[:events],
            looks, out[row],
        )  # fmt: skip
    return int(out.shape[0])
