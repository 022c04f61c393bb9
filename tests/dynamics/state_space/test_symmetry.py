"""Folding: orbits instead of states, the same probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.state_space.enumeration import explore
from covey.dynamics.state_space.symmetry import fold
from covey.dynamics.stationary.limit import stationary
from covey.errors import CoveyError
from covey.model.network import Network

# Three queues in a ring, every customer moving on at the same rates: species a, b, c.
RING = Network("a <-> b @ 2, 1\nb <-> c @ 2, 1\nc <-> a @ 2, 1\na + b + c -> 3 a @ 0.5\n"
               "a + b + c -> 3 b @ 0.5\na + b + c -> 3 c @ 0.5")  # fmt: skip
TURN = np.array([1, 2, 0])


def test_folded_and_unfolded_agree_at_a_time_and_in_the_limit() -> None:
    start = np.array([4, 4, 4])
    plain, folded = (
        explore(RING, start, max_states=1_000),
        fold(RING, start, [TURN], max_states=1_000),
    )
    sizes = folded.orbit_sizes()
    assert sizes.sum() == len(plain)
    assert sorted(set(sizes.tolist())) == [1, 3]
    wide, narrow = build(RING, plain), build(RING, folded)
    p = transient(wide, plain.point_mass(), [0.05, 2.0]).probabilities
    q = transient(narrow, folded.point_mass(), [0.05, 2.0]).probabilities
    orbit = folded.index_of(plain.states)  # of every state; its members have equal shares
    assert np.log((q / sizes)[:, orbit]) == pytest.approx(np.log(p), abs=1e-10)
    limit = stationary(wide, plain.point_mass()).probabilities
    short = stationary(narrow, folded.point_mass()).probabilities
    assert np.log((short / sizes)[orbit]) == pytest.approx(np.log(limit), abs=1e-11)


def test_any_member_finds_its_orbit() -> None:
    folded = fold(RING, np.array([2, 2, 2]), [TURN], max_states=1_000)
    places = folded.index_of(np.array([[6, 0, 0], [0, 6, 0], [0, 0, 6], [7, 0, 0]]))
    assert places[0] == places[1] == places[2] >= 0
    assert places[3] == -1


@pytest.mark.parametrize(
    ("network", "start", "permutation", "message"),
    [
        (RING, [4, 4, 3], TURN, "moves the start"),
        (RING, [4, 4, 4], np.array([1, 0, 2]), "does not map the reactions"),
        (RING, [4, 4, 4], np.array([0, 0, 2]), "not a permutation"),
    ],
)
def test_what_is_no_symmetry_is_refused(
    network: Network, start: list[int], permutation: np.ndarray, message: str
) -> None:
    with pytest.raises(CoveyError, match=message):
        fold(network, np.array(start), [permutation], max_states=1_000)
