"""Two types as one: only where nothing but their names differs, and then the same chain."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from covey import Network, Query
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.state_space.enumeration import explore
from covey.dynamics.state_space.merging import Merged, merged

FLIP = "{A} <-> x{A} @ 1, 2\n{B} <-> x{B} @ 1, "
PAIRS = "{A} + {A} <-> {A,A} @ 1, 3\n{B} + {B} <-> {B,B} @ 1, 3\n{A} + {B} <-> {A,B} @ "
SERVED = "x{A} -> {A} @ 1\nx{B} -> {B} @ 1\n"
ALIKE = [
    FLIP + "2",
    "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 3, 1",
    PAIRS + "2, 3",  # a pair of different robots is met in two ways
    "{A} + {A} -> x{A} + {A} @ 1\n{B} + {B} -> x{B} + {B} @ 1\n{A} + {B} -> x{A} + {B} @ 1\n"
    "{A} + {B} -> {A} + x{B} @ 1\n" + SERVED,
    "k = 0.5\n{A} -> x{A} @ [k * {A} / (1 + x{A} + x{B})]\n"
    "{B} -> x{B} @ [0.5 * {B} / (1 + x{B} + x{A})]\n" + SERVED,
    "{A} -> x{A} @ [{A} * (3 - x{A} - x{B}) * (x{A} + x{B} <= 2)]\n"
    "{B} -> x{B} @ [{B} * (3 - x{A} - x{B}) * (x{A} + x{B} <= 2)]\n" + SERVED,
]
DIFFERENT = [
    FLIP + "2.5",
    PAIRS + "1, 3",
    "{A} + {B} <-> {A,B} @ 1, 1",  # alike by a swap, but two of one type never meet
    "{A} -> x{A} @ [min({A}, 1)]\n{B} -> x{B} @ [min({B}, 1)]\n" + SERVED,
    "{A} -> x{A} @ [{A} * (1 + x{A})]\n{B} -> x{B} @ [{B} * (1 + x{B})]\n" + SERVED,
    "{A} -> x{A} @ [{A}^2]\n{B} -> x{B} @ [{B}^2]\n" + SERVED,
    "{A} -> x{A} @ [{A} / (1 + {A})]\n{B} -> x{B} @ [{B} / (1 + {B})]\n" + SERVED,
]


def _rates(network: Network, state: list[int]) -> dict[tuple[int, ...], float]:
    """By how much a state changes, and how often."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for number, change in enumerate(network.changes.tolist()):
        (rate,) = propensity(network, number, np.array(state)[:, None])
        found[tuple(change)] += float(rate)
    return {change: rate for change, rate in found.items() if rate and any(change)}


def _all_states(network: Network) -> list[list[int]]:
    """Those of five robots, whichever of them are of which type."""
    found: list[list[int]] = []
    for a in range(6):
        there = {"{A}": a, "{B}": 5 - a, "{R}": 2}
        start = np.array([there.get(str(species), 0) for species in network.species])
        found += explore(network, start, max_states=1000).states.tolist()
    return found


def _of_merged(both: Merged, state: list[int]) -> dict[tuple[int, ...], float]:
    """The changes of z in a state of the whole network."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for change, rate in _rates(both.whole, state).items():
        found[tuple(both.state(np.array(change)).tolist())] += rate
    return {change: rate for change, rate in found.items() if any(change)}


@pytest.mark.parametrize("text", ALIKE)
def test_types_alike_become_one_whose_chain_is_the_sum(text: str) -> None:
    both = merged(Network(text), "A", "B")
    assert both is not None
    states = _all_states(both.whole)
    assert len(states) > 5
    for state in states:
        alone = _rates(both.network, both.state(np.array(state)).tolist())
        assert _of_merged(both, state) == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("text", DIFFERENT)
def test_types_that_move_differently_are_not_taken_for_one(text: str) -> None:
    network = Network(text)
    assert merged(network, "A", "B") is None
    # Rightly so: states that are one by their sums move on differently.
    names = {s: str(s).replace("B", "A") for s in network.species}
    moves: dict[tuple[object, ...], set[tuple[object, ...]]] = defaultdict(set)
    for state in _all_states(network):
        sums: dict[str, int] = defaultdict(int)
        for species, count in zip(network.species, state, strict=True):
            sums[names[species]] += count
        rates: dict[tuple[object, ...], float] = defaultdict(float)
        for change, rate in _rates(network, state).items():
            moved: dict[str, int] = defaultdict(int)
            for species, n in zip(network.species, change, strict=True):
                moved[names[species]] += n
            rates[tuple(sorted(moved.items()))] += rate
        moves[tuple(sorted(sums.items()))].add(
            tuple(sorted((k, round(v, 9)) for k, v in rates.items()))
        )
    assert any(len(found) > 1 for found in moves.values())


def test_powers_of_counts_are_not_those_of_their_sum() -> None:
    assert merged(Network(PAIRS + "2, 3", kinetics="power"), "A", "B") is None
    assert merged(Network(FLIP + "2", kinetics="power"), "A", "B") is not None


def test_what_is_seen_must_not_name_the_type() -> None:
    both = merged(Network(FLIP + "2"), "A", "B")
    assert both is not None
    assert both.shows(Query(home="{A} + {B}"))
    assert not both.shows(Query(home="{A}"))
    assert not both.shows(Query())
