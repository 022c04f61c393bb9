"""The paper's index: against brute force over all states, and what it says of itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from covey import Network, Query, Scenario, Team, UnsupportedError
from covey.dynamics.equilibrium import equilibrium_point
from covey.dynamics.lattice import explore
from covey.privacy.paper_index import paper_index

THREE = "{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1"
SEEN = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
MOTIVATING = "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1"


def brute_force(scenario: Scenario) -> float:
    """The proposition's formula, over every state that a search finds."""
    network, start = scenario.network, scenario.start
    ours = equilibrium_point(network, start)
    worst = 0.0
    for neighbour in scenario.team.neighbours():
        other = scenario.start_of(neighbour.team)
        theirs = equilibrium_point(network, other)
        for begin in (start, other):
            states = explore(network, begin, max_states=10_000).states.astype(float)
            values = states @ np.log(ours / theirs) + (theirs - ours).sum()
            worst = max(worst, float(np.abs(values).max()))
    return worst


@pytest.mark.parametrize(
    ("text", "team"),
    [
        (THREE, Team({"1": 4, "2": 3, "3": 5})),
        (THREE, Team({"1": 6, "2": 6, "3": 2})),
        (MOTIVATING, Team({"A": 2, "B": 3}, resources={"R": 2})),
        ("2 {A} + {B} <-> {A,A,B} @ 0.3, 2\n{A} <-> w{A} @ 1, 5", Team({"A": 5, "B": 3})),
    ],
)
def test_it_is_the_maximum_over_all_states(text: str, team: Team) -> None:
    scenario = Scenario(Network(text), team)
    index = paper_index(scenario)
    assert index.value == pytest.approx(brute_force(scenario), abs=1e-6)
    assert sum(index.state.values()) > 0


pytestmark = pytest.mark.filterwarnings("ignore::covey.DirectBreachWarning")


def test_the_state_attains_it_and_belongs_to_one_of_the_teams() -> None:
    scenario = Scenario(Network(THREE), Team({"1": 22, "2": 22, "3": 20}), SEEN)
    index = paper_index(scenario)
    ours = equilibrium_point(scenario.network, scenario.start)
    theirs = equilibrium_point(scenario.network, scenario.start_of(index.neighbour.team))
    state = np.array(list(index.state.values()))
    value = abs(state @ np.log(ours / theirs) + (theirs - ours).sum())
    assert value == pytest.approx(index.value, rel=1e-12)
    robots = state @ np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    assert robots.tolist() in ([22, 22, 20], list(index.neighbour.team.types.values()))


def test_a_type_that_only_one_team_has_makes_it_infinite() -> None:
    index = paper_index(Scenario(Network(THREE), Team({"1": 2, "2": 2, "3": 0}), SEEN))
    assert math.isinf(index.value)
    assert index.state["{3}"] + index.state["{1,2,3}"] > 0


def test_it_refuses_what_has_no_product_form() -> None:
    unbalanced = Network("{A} -> w{A} @ 1\nw{A} + {B} -> {A} + {B} @ 1")
    with pytest.raises(UnsupportedError, match="complex-balanced"):
        paper_index(Scenario(unbalanced, Team({"A": 1, "B": 1})))
    arriving = Network("0 <-> {A} @ 1, 1\n{A} + {B} <-> {A,B} @ 1, 1")
    with pytest.raises(UnsupportedError, match="infinitely many"):
        paper_index(Scenario(arriving, Team({"A": 1, "B": 1})))
