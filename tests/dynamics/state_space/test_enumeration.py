"""The reachable states: all of them, none twice, found again by their rows."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.state_space.enumeration import explore
from covey.errors import TooLargeError
from covey.model.network import Network

if TYPE_CHECKING:
    from numpy.typing import NDArray

TASK = """
{1} <-> w{1} @ 1, 1
{2} <-> w{2} @ 1, 1
{3} <-> w{3} @ 1, 1
{1} + w{2} <-> w{1,2} @ 1, 1
{2} + w{1} <-> w{1,2} @ 1, 1
{1} + w{3} <-> w{1,3} @ 1, 1
{3} + w{1} <-> w{1,3} @ 1, 1
{2} + w{3} <-> w{2,3} @ 1, 1
{3} + w{2} <-> w{2,3} @ 1, 1
{1} + w{2,3} -> {1} + {2} + {3} @ 1
{2} + w{1,3} -> {1} + {2} + {3} @ 1
{3} + w{1,2} -> {1} + {2} + {3} @ 1
"""


def state(network: Network, counts: dict[str, int]) -> NDArray[np.int64]:
    names = [str(s) for s in network.species]
    assert set(counts) <= set(names)
    return np.array([counts.get(name, 0) for name in names], dtype=np.int64)


def by_hand(network: Network, start: NDArray[np.int64]) -> set[tuple[int, ...]]:
    seen, todo = {tuple(start.tolist())}, [start]
    while todo:
        x = todo.pop()
        for need, change in zip(network.reactants, network.changes, strict=True):
            y = x + change
            if (x >= need).all() and tuple(y.tolist()) not in seen:
                seen.add(tuple(y.tolist()))
                todo.append(y)
    return seen


@pytest.mark.parametrize(("robots", "states"), [(3, 336), (4, 1023), (10, 67_677)])
def test_the_task_network_has_the_known_number_of_states(robots: int, states: int) -> None:
    network = Network(TASK)
    start = state(network, {"{1}": robots, "{2}": robots, "{3}": robots})
    lattice = explore(network, start, max_states=10**6)
    assert len(lattice) == states
    assert lattice.states.dtype == np.uint8
    assert (lattice.states[lattice.start] == start).all()
    assert (lattice.index_of(lattice.states) == np.arange(states)).all()


def test_a_ring_reaches_every_split_of_its_tokens() -> None:
    network = Network("a -> b @ 1\nb -> c @ 1\nc -> a @ 1")
    lattice = explore(network, state(network, {"a": 300}), max_states=10**6)
    assert len(lattice) == comb(302, 2)
    assert lattice.states.dtype == np.uint16
    assert (lattice.states.sum(axis=1) == 300).all()


def test_absent_states_are_not_found() -> None:
    network = Network("a <-> b @ 1, 1")
    lattice = explore(network, np.array([3, 0]), max_states=10)
    assert lattice.index_of(np.array([[3, 0], [4, 0], [4, -1], [0, 3]])).tolist() == [
        lattice.start, -1, -1, lattice.index_of(np.array([0, 3]))[0],
    ]  # fmt: skip


def test_nothing_happens_where_nothing_can() -> None:
    network = Network("a + b -> c @ 1")
    assert len(explore(network, np.array([5, 0, 2]), max_states=10)) == 1


def test_an_open_network_is_refused_at_the_limit() -> None:
    network = Network("0 <-> a @ 1, 1")
    with pytest.raises(TooLargeError, match="more than 1,000 states") as refused:
        explore(network, np.array([0]), max_states=1_000)
    assert refused.value.states is not None
    assert refused.value.states > 1_000


def test_more_species_than_a_key_has_bits_for() -> None:
    network = Network("\n".join(f"a{i} <-> b{i} @ 1, 1" for i in range(4)) + "\n" + "\n".join(
        f"c{i} + a0 -> d{i} + a0 @ 1" for i in range(66)
    ))  # fmt: skip
    start = state(network, {"a0": 2, "a1": 2, "a2": 2, "a3": 2, "c0": 1, "c1": 1, "c65": 1})
    lattice = explore(network, start, max_states=10_000)
    assert len(lattice) == 3**4 * 2**3
    assert (lattice.index_of(lattice.states) == np.arange(len(lattice))).all()


def test_progress_is_told() -> None:
    told: list[float] = []
    network = Network("a <-> b @ 1, 1")
    explore(network, np.array([5, 0]), max_states=10, progress=lambda d, t, s: told.append(d))
    assert told[-1] == 6


@st.composite
def small_networks(draw: st.DrawFn) -> tuple[Network, NDArray[np.int64]]:
    side = st.dictionaries(st.sampled_from("abc"), st.integers(1, 2), min_size=1, max_size=2)
    rate = st.floats(0.1, 10)
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        left, right = draw(side), draw(side)
        # A right side no larger than the left one keeps the set finite.
        while sum(right.values()) > sum(left.values()):
            right = {k: v - 1 for k, v in right.items() if v > 1} or {min(right): 1}
        text = [" + ".join(f"{n} {s}" for s, n in sorted(x.items())) for x in (left, right)]
        lines.append(f"{text[0]} -> {text[1]} @ {draw(rate)}")
    network = Network("\n".join(lines))
    start = [draw(st.integers(0, 4)) for _ in network.species]
    return network, np.array(start, dtype=np.int64)


@settings(max_examples=60, deadline=None)
@given(small_networks())
def test_random_networks_reach_what_a_plain_search_reaches(
    case: tuple[Network, NDArray[np.int64]],
) -> None:
    network, start = case
    lattice = explore(network, start, max_states=10_000)
    assert {tuple(row) for row in lattice.states.astype(int).tolist()} == by_hand(network, start)
    assert len(lattice) == len(by_hand(network, start))
