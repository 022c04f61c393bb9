"""The inner loops of `simulation`: plain Python, in the part of it that numba compiles.

One trajectory is the direct method of Gillespie [1]: the time to the next event is exponential at
the total propensity, and the reaction is drawn in proportion to its own. Propensities are kept in
parts [2]. Reactions that share a reactant are a group; what is stored of each is its propensity
without that factor, and of the group the sum of these. So when a robot meets one of many others,
only the few parts that have one of the changed counts besides the shared one are computed anew.
The sums are added up afresh, never updated by differences: no rounding error builds up.

Trajectory i of a seed has its own random stream, xoshiro256++ [3], with a state that is hashed
from (seed, i): a path depends on nothing else, not on the core, the batch or the times asked for.

Indices are unsigned, for numba then leaves out the check for negative ones; and only `simulate`
makes arrays, so that what it calls can be compiled without counting references.

1. D. T. Gillespie, J. Phys. Chem. 81 (1977) 2340.
2. R. Ramaswamy, N. González-Segredo and I. F. Sbalzarini, J. Chem. Phys. 130 (2009) 244104.
3. D. Blackman and S. Vigna, ACM Trans. Math. Softw. 47 (2021) 36.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ssa.tables import Tables
from covey.model.rate_laws.program import (
    ADD,
    AT_MOST,
    BELOW,
    CHOICES,
    CONSTANT,
    DIFFERENT,
    DIVIDE,
    EQUAL,
    LEAST,
    MOST,
    MULTIPLY,
    POWER,
    RATE,
    SUBTRACT,
)
from covey.numbers import Floats

# How a batch of trajectories ended.
FINISHED, TOO_MANY_EVENTS, INFINITE_RATE, STOPPED = range(4)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_U11, _U17, _U19, _U23, _U27 = (np.uint64(n) for n in (11, 17, 19, 23, 27))
_U30, _U31, _U41, _U45 = (np.uint64(n) for n in (30, 31, 41, 45))
_ZERO, _ONE = np.uint32(0), np.uint32(1)
_LOOK_UP_EVERY = 4096  # events between two looks at the stop flag: less than a millisecond


class Outcome(NamedTuple):
    """Where a batch of trajectories stopped; the numbers are those of the last one."""

    status: int
    done: int
    events: int
    time: float


def mix(z: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64: a bijection that scatters the bits."""
    z = (z ^ (z >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return z ^ (z >> _U31)


def seed_stream(seed: np.uint64, trajectory: np.uint64, stream: NDArray[np.uint64]) -> None:
    """Each word is a bijection of the trajectory, so that no two of a seed share a stream."""
    key = seed
    for word in range(4):
        key = mix(key + _GOLDEN)
        stream[word] = mix(key ^ mix(trajectory + _GOLDEN))


def uniform(stream: NDArray[np.uint64]) -> float:
    """The next number of the stream, strictly between 0 and 1."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    z = s0 + s3
    bits = ((z << _U23) | (z >> _U41)) + s0
    s2 ^= s0
    s3 ^= s1
    stream[0] = s0 ^ s3
    stream[1] = s1 ^ s2
    stream[2] = s2 ^ (s1 << _U17)
    stream[3] = (s3 << _U45) | (s3 >> _U19)
    return (float(bits >> _U11) + 0.5) * 2.0**-53


def choices(count: float, order: int, falling: bool) -> float:
    """The power x (x − 1) … (x − ρ + 1), or x^ρ if the kinetics say so, and 0 where x < ρ."""
    if count < order:
        return 0.0
    value = 1.0
    for k in range(order):
        value *= count - k if falling else count
    return value


def step(tables: Tables, which: int, terms: Floats) -> float:
    """The term that a step makes; nan where that is no number, or was made of such."""
    operation = tables.step_operation[which]
    if operation == CONSTANT:
        return float(tables.step_constant[which])
    left = terms[tables.step_left[which]]
    if operation == CHOICES:
        return choices(left, tables.step_right[which], tables.falling)
    right = terms[tables.step_right[which]]
    if not (math.isfinite(left) and math.isfinite(right)):
        return math.nan
    if operation <= MOST:
        return calculated(operation, left, right)
    if operation <= DIFFERENT:
        return 1.0 if holds(operation, left, right) else 0.0
    # RATE: the rate that a rate law gives must not be negative. ONLY: and 0 without its reactants.
    fine = left >= 0.0 if operation == RATE else right != 0.0 or left == 0.0
    return left if fine else math.nan


def calculated(operation: int, left: float, right: float) -> float:
    """A step of arithmetic; nan where that is no number."""
    value = math.nan
    if operation == ADD:
        value = left + right
    elif operation == SUBTRACT:
        value = left - right
    elif operation == MULTIPLY:
        value = left * right
    elif operation == DIVIDE:
        if right != 0.0:
            value = left / right
    elif operation == POWER:
        if left != 0.0 or right >= 0.0:
            value = left**right
    elif operation == LEAST:
        value = min(left, right)
    else:
        value = max(left, right)
    return value


def holds(operation: int, left: float, right: float) -> bool:
    """Whether a comparison holds."""
    if operation == BELOW:
        return left < right
    if operation == AT_MOST:
        return left <= right
    return left == right if operation == EQUAL else left != right


def part(tables: Tables, slot: int, terms: Floats) -> float:
    """The propensity of one reaction, without the factor that its group shares."""
    value: float = tables.rates[slot] * terms[tables.rest[slot, 0]]
    for k in range(1, tables.rest.shape[1]):
        value *= terms[tables.rest[slot, k]]
    return value


def add_group(tables: Tables, group: np.uint32, parts: Floats) -> float:
    """The sum of the parts of one group."""
    total = 0.0
    for slot in range(tables.group_start[group], tables.group_start[group + _ONE]):
        total += parts[slot]
    return total


def begin(
    tables: Tables, start: NDArray[np.int64], terms: Floats, parts: Floats, sums: Floats
) -> None:
    """Fills the terms, parts and sums for the start state."""
    n_species, n_steps = start.shape[0], tables.step_operation.shape[0]
    for i in range(n_species):
        terms[i] = start[i]
    for k in range(n_steps):
        terms[n_species + k] = step(tables, k, terms)
    terms[n_species + n_steps] = 1.0
    for slot in range(parts.shape[0]):
        parts[slot] = part(tables, slot, terms)
    for group in range(sums.shape[0]):
        sums[group] = add_group(tables, np.uint32(group), parts)


def fire(tables: Tables, slot: np.uint32, terms: Floats, parts: Floats, sums: Floats) -> None:
    """Changes the state by one reaction, and whatever depends on what it changed."""
    after = slot + _ONE
    for k in range(tables.changes_start[slot], tables.changes_start[after]):
        terms[tables.changes_species[k]] += tables.changes_amount[k]
    first_step = terms.shape[0] - 1 - tables.step_operation.shape[0]
    for k in range(tables.steps_start[slot], tables.steps_start[after]):
        which = tables.steps[k]
        terms[first_step + which] = step(tables, which, terms)
    for k in range(tables.touched_start[slot], tables.touched_start[after]):
        touched = tables.touched[k]
        parts[touched] = part(tables, touched, terms)
    for k in range(tables.groups_start[slot], tables.groups_start[after]):
        group = tables.groups[k]
        sums[group] = add_group(tables, group, parts)


def choose(
    tables: Tables, terms: Floats, parts: Floats, sums: Floats, cumulative: Floats, target: float
) -> np.uint32:
    """The reaction in whose share of (0, total) the target lies.

    Counting, rather than stopping, keeps the processor from guessing where the loops would end.
    By rounding the target may lie past the last that is possible: then that one is meant.
    """
    group = _ZERO
    for k in range(cumulative.shape[0] - 1):
        group += _ONE if target >= cumulative[k] else _ZERO
    while terms[tables.group_factor[group]] * sums[group] <= 0.0:
        group -= _ONE
    if group > _ZERO:
        target -= cumulative[group - _ONE]
    factor = terms[tables.group_factor[group]]
    slot = tables.group_start[group]
    total = 0.0
    for k in range(tables.group_start[group], tables.group_start[group + _ONE] - _ONE):
        total += factor * parts[k]
        slot += _ONE if target >= total else _ZERO
    while parts[slot] <= 0.0:
        slot -= _ONE
    return np.uint32(slot)


def follow(
    tables: Tables,
    times: Floats,
    max_events: int,
    stream: NDArray[np.uint64],
    terms: Floats,
    parts: Floats,
    sums: Floats,
    cumulative: Floats,
    out: NDArray[np.int64],
    log_times: Floats,
    log_reactions: NDArray[np.int64],
    stop: NDArray[np.bool_],
) -> tuple[int, int, float]:
    """One trajectory: fills out (times, species), and gives its status, events and time."""
    now, events, reached, last = 0.0, 0, 0, times.shape[0] - 1
    while True:
        total = 0.0
        for group in range(sums.shape[0]):
            total += terms[tables.group_factor[group]] * sums[group]
            cumulative[group] = total
        later = now if math.isnan(total) else math.inf
        if total > 0.0:
            later = now - math.log(uniform(stream)) / total
        while times[reached] < later:
            for i in range(out.shape[1]):
                out[reached, i] = int(terms[i])
            if reached == last:
                return FINISHED, events, now
            reached += 1
        status = FINISHED
        if not total < math.inf:
            status = INFINITE_RATE
        elif events == max_events:
            status = TOO_MANY_EVENTS
        elif events % _LOOK_UP_EVERY == 0 and stop[0]:
            status = STOPPED
        if status != FINISHED:
            for i in range(out.shape[1]):
                out[last, i] = int(terms[i])
            return status, events, now
        now = later
        slot = choose(tables, terms, parts, sums, cumulative, total * uniform(stream))
        fire(tables, slot, terms, parts, sums)
        if log_times.shape[0] > 0:
            log_times[events] = now
            log_reactions[events] = tables.reaction[slot]
        events += 1


def simulate(
    tables: Tables,
    start: NDArray[np.int64],
    times: Floats,
    seed: np.uint64,
    first: int,
    max_events: int,
    out: NDArray[np.int64],
    log_times: Floats,
    log_reactions: NDArray[np.int64],
    stop: NDArray[np.bool_],
) -> Outcome:
    """Fills out (trajectories, times, species) with the states of trajectories first, first + 1, …

    Where it cannot go on, the state reached is the last one of that trajectory in `out`. The logs
    hold the events of the last trajectory; they are empty, or have room for `max_events`.
    """
    n_groups = tables.group_factor.shape[0]
    stream = np.empty(4, np.uint64)
    terms = np.empty(start.shape[0] + tables.step_operation.shape[0] + 1)
    parts = np.empty(tables.rates.shape[0])
    sums, cumulative = np.empty(n_groups), np.empty(n_groups)
    status, events, now = FINISHED, 0, 0.0
    for row in range(out.shape[0]):
        seed_stream(seed, np.uint64(first + row), stream)
        begin(tables, start, terms, parts, sums)
        status, events, now = follow(
            tables, times, max_events, stream, terms, parts, sums, cumulative,
            out[row], log_times, log_reactions, stop,
        )  # fmt: skip
        if status != FINISHED:
            return Outcome(status, row, events, now)
    return Outcome(status, out.shape[0], events, now)


_CALLED = (
    mix, seed_stream, uniform, choices, calculated, holds, step, part, add_group, begin, fire,
    choose, follow,
)  # fmt: skip


@cache
def compilable() -> ModuleType:
    """This module, whose functions numba may then compile into whatever calls them."""
    from numba.extending import register_jitable  # noqa: PLC0415

    for function in _CALLED:
        register_jitable(forceinline=True, _nrt=False)(function)
    return sys.modules[__name__]
