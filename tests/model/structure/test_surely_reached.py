"""Bounds from below on the number of states, beside all states that are there."""

from __future__ import annotations

import numpy as np
import pytest

from covey import Network
from covey.dynamics.state_space.enumeration import explore
from covey.model.structure.reachability import reach
from covey.model.structure.surely_reached import surely_reached

DEPOT = """
pick_$i: {$i} + {human} <-> pick{$i,human} @ 1, 2 for i in types
charge_$i: {$i} + {dock} <-> charge{$i,dock} @ 1, 2 for i in types
break_$i: {$i} -> down{$i} @ 1 for i in types
"""
MEND = """
call_$i: down{$i} + {mechanic} -> mend{$i,mechanic} @ 1 for i in types
mended_$i: mend{$i,mechanic} -> {$i} + {mechanic} @ 1 for i in types
"""
THERE = {"{A}": 3, "{B}": 2, "{dock}": 2, "{human}": 1, "{mechanic}": 1}


def bound(text: str, there: dict[str, int]) -> tuple[int, int]:
    """The bound, and how many states there are."""
    network = Network(text, sets={"types": ["A", "B"]})
    counts = {species: there.get(str(species), 0) for species in network.species}
    start = [counts[species] for species in network.species]
    found, _ = surely_reached(network, counts, None)
    return found, len(explore(network, np.array(start), max_states=100_000))


def test_robots_that_break_down_are_counted_with_what_can_be_undone() -> None:
    """Those that nobody mends: the bound is the number."""
    found, there = bound(DEPOT, THERE)
    assert found == there > 100


@pytest.mark.parametrize(
    "more", [MEND, "back_$i: down{$i} -> {$i} @ 1 for i in types", "{A} + {B} -> lost{A,B} @ 1"]
)
def test_it_is_a_bound_whatever_else_happens(more: str) -> None:
    found, there = bound(DEPOT + more, THERE)
    assert 100 < found <= there


@pytest.mark.parametrize("start", [{"down{A}": 2}, {"pick{A,human}": 1}, {"down{A}": 1, "{A}": 2}])
def test_it_holds_from_other_starts(start: dict[str, int]) -> None:
    found, there = bound(DEPOT + MEND, {**THERE, "{A}": 0, **start})
    assert 1 <= found <= there


def test_a_fleet_that_breaks_down_is_counted_without_being_listed() -> None:
    network = Network(DEPOT + MEND, sets={"types": ["A", "B"]})
    there = {name: 60 * count for name, count in THERE.items()}
    found = reach(network, [there.get(str(species), 0) for species in network.species])
    assert found.states is None
    assert found.at_least > 1e9
    assert "reactions that can be undone" in found.why
