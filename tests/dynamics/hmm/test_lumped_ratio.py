"""The likelihood ratio where one robot passes for another type: against sums over who moved."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import covey
from covey.dynamics.hmm.lumped_ratio import Starts, at_other_rates, passing, weighed_paths
from covey.dynamics.kernels.sampling.lumped_paths import weigh
from covey.model.network import Network
from covey.numbers import Floats

_RATES = {"A": (1.0, 0.5), "B": (3.0, 0.2)}  # on, off
_LINES = "\n".join(f"{{{t}}} <-> on{{{t}}} @ {on}, {off}" for t, (on, off) in _RATES.items())


def _labelled(types: str, times: Floats, ups: list[bool], until: float) -> float:
    """The density of a path of the number that is on: summed over which robot moves each time."""
    total = 0.0
    for who in itertools.product(range(len(types)), repeat=len(ups)):
        on, density, at = [False] * len(types), 1.0, 0.0
        for robot, time, up in zip([*who, None], [*times, until], [*ups, None], strict=True):
            leaving = sum(_RATES[t][is_on] for t, is_on in zip(types, on, strict=True))
            density *= math.exp(-leaving * (time - at))
            at = time
            if robot is not None:
                density *= _RATES[types[robot]][on[robot]] * (on[robot] != up)
                on[robot] = not on[robot]
        total += density
    return total


@pytest.mark.parametrize("ups", [[], [True], [True, True, False], [True, False, True, True, False]])
def test_it_is_the_sum_over_who_moved(ups: list[bool]) -> None:
    network = Network(_LINES)
    pair = passing(network, "A", "B")
    off, on = network.index[covey.Species.parse("{A}")], network.index[covey.Species.parse("on{A}")]
    start = np.zeros(len(network.species), dtype=np.int64)
    start[off] = 3
    first = np.array([float(pair.passes[place] == off) for place in pair.places])
    reactions = {int(change[on]): r for r, change in enumerate(network.changes) if change[on]}
    kinds = np.array([pair.kinds[0][reactions[1 if up else -1]] for up in ups], dtype=np.int64)
    times = np.cumsum(np.full(len(ups), 0.3))
    out = np.empty(2)
    until = 0.3 * len(ups) + 0.2
    weigh(pair.tables, start, first, times, kinds, np.array([until - 0.1, until]), out)
    for look, found in zip((until - 0.1, until), out.tolist(), strict=True):
        exact = _labelled("AAB", times, ups, look) / _labelled("AAA", times, ups, look)
        assert found == pytest.approx(math.log(exact), rel=1e-12, abs=1e-12)


def test_its_mean_is_one_and_paths_do_not_depend_on_the_cores() -> None:
    network = Network(_LINES)
    pair = passing(network, "A", "B")
    start = np.array([4 * (str(s) == "{A}") + 2 * (str(s) == "{B}") for s in network.species])
    first = np.array([float(str(pair.other.species[p]) == "{followed_B}") for p in pair.places])
    starts = Starts(np.tile(start, (4000, 1)), np.tile(start, (4000, 1)), np.tile(first, (4000, 1)))
    times, marks = np.array([0.5, 1.0, 2.0]), np.array([1, 3])
    seen = np.eye(len(start), dtype=np.int64)
    shown, logs = weighed_paths(pair, starts, times, marks, seen, seed=5)
    ratios = np.exp(logs)
    off = np.abs(ratios.mean(axis=0) - 1) / (ratios.std(axis=0) / math.sqrt(len(ratios)))
    assert (off < 4).all()
    again, same = weighed_paths(pair, starts, times, marks, seen, seed=5, cores=1)
    assert (again == shown).all()
    assert (same == logs).all()


def test_other_rates_of_one_robot_have_the_ratio_of_their_densities() -> None:
    slow, fast = Network("{A} -> on{A} @ 1"), Network("{A} -> on{A} @ 3")
    pair, out = at_other_rates(slow, fast), np.empty(2)
    start = np.array([int(str(s) == "{A}") for s in slow.species])
    kinds, times = np.array([0]), np.array([0.25])
    weigh(pair.tables, start, np.ones(1), times, kinds, np.array([0.2, 1.0]), out)
    assert out == pytest.approx([-2 * 0.2, math.log(3) - 2 * 0.25])


def test_a_jump_that_the_team_cannot_make_settles_it() -> None:
    """Only a B can go off again; and where the B must have gone on, no A can be seen to stay."""
    network = Network("{A} -> on{A} @ 1\n{B} <-> on{B} @ 1, 1")
    pair = passing(network, "A", "B")
    index = {str(s): i for i, s in enumerate(pair.other.species)}
    states = np.zeros((200, len(index)), dtype=np.int64)
    states[:, index["{followed_B}"]] = 1
    seen = states @ pair.seen
    first = np.tile([float(p == index["{followed_B}"]) for p in pair.places], (200, 1))
    shown, logs = weighed_paths(
        pair, Starts(states, seen, first), np.array([30.0]), np.array([1]), seen[:1] * 0 + 1,
        of_other=True, seed=1,
    )  # fmt: skip
    assert shown.shape == (200, 1, 1)
    assert np.isposinf(logs).all()
