"""The paper's index: against brute force over all states, and what it says of itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import root

from covey import Network, Query, Scenario, Team, UnsupportedError
from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.state_space.enumeration import explore
from covey.privacy.snapshot.paper_index import paper_index
from tests.privacy.small_teams import turned

THREE = "{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1"
SEEN = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
MOTIVATING = "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1"

pytestmark = pytest.mark.filterwarnings("ignore::covey.DirectBreachWarning")


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
    assert index.value == pytest.approx(brute_force(scenario), rel=1e-11)
    assert sum(index.state.values()) > 0


def three_at_rest(team: tuple[int, ...]) -> list[float]:
    """Amounts at equilibrium of {1} + {2} <-> {1,2}, {1,2} + {3} <-> {1,2,3}, all rates 1.

    By hand: {1,2} = {1}{2} and {1,2,3} = {1}{2}{3}, the rest from the robots of each type, in
    logarithms so that nothing is negative.
    """

    def species(logs: list[float]) -> list[float]:
        one, two, three = np.exp(logs)
        return [one, two, three, one * two, one * two * three]

    def missing(logs: list[float]) -> list[float]:
        one, two, three, pairs, triples = species(logs)
        found = (one + pairs + triples, two + pairs + triples, three + triples)
        return [amount - count for amount, count in zip(found, team, strict=True)]

    solved = root(missing, [0.0, 0.0, 0.0], tol=1e-14)
    assert max(map(abs, missing(solved.x))) < 1e-10
    return species(solved.x)


@pytest.mark.parametrize("team", [(4, 3, 5), (6, 6, 2), (1, 7, 3), (9, 9, 9)])
def test_against_states_and_equilibria_that_covey_does_not_compute(team: tuple[int, ...]) -> None:
    ours = three_at_rest(team)
    worst = 0.0
    for away, to in itertools.permutations(range(3), 2):
        other = tuple(n - (i == away) + (i == to) for i, n in enumerate(team))
        if min(other) == 0:  # infinite: see below
            continue
        theirs = three_at_rest(other)
        for counts in (team, other):
            values = []
            for pairs, triples in itertools.product(range(max(counts) + 1), repeat=2):
                held = (pairs + triples, pairs + triples, triples)
                lone = [n - h for n, h in zip(counts, held, strict=True)]
                if min(lone) >= 0:
                    state = [*lone, pairs, triples]
                    terms = zip(state, ours, theirs, strict=True)
                    values.append(abs(sum(x * math.log(a / b) - a + b for x, a, b in terms)))
            assert max(values) - min(values) < 1e-9 * (1 + max(values))  # the theorem
            worst = max(worst, *values)
    index = paper_index(Scenario(Network(THREE), Team(dict(zip("123", team, strict=True)))))
    if min(team) > 1:
        assert index.value == pytest.approx(worst, rel=1e-9)
    else:
        assert math.isinf(index.value)


def test_the_state_attains_it_and_belongs_to_one_of_the_teams() -> None:
    scenario = Scenario(Network(THREE), Team({"1": 22, "2": 22, "3": 20}), SEEN)
    index = paper_index(scenario)
    ours = equilibrium_point(scenario.network, scenario.start)
    theirs = equilibrium_point(scenario.network, scenario.start_of(turned(index.neighbour).team))
    state = np.array(list(index.state.values()))
    value = abs(state @ np.log(ours / theirs) + (theirs - ours).sum())
    assert value == pytest.approx(index.value, rel=1e-12)
    robots = state @ np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    assert robots.tolist() in ([22, 22, 20], list(turned(index.neighbour).team.types.values()))


def test_a_type_that_only_one_team_has_makes_it_infinite() -> None:
    index = paper_index(Scenario(Network(THREE), Team({"1": 2, "2": 2, "3": 0}), SEEN))
    assert math.isinf(index.value)
    assert index.state["{3}"] + index.state["{1,2,3}"] > 0


def test_it_refuses_what_has_no_product_form() -> None:
    unbalanced = Network("{A} -> w{A} @ 1\nw{A} + {B} -> {A} + {B} @ 1")
    with pytest.raises(UnsupportedError, match="complex-balanced"):
        paper_index(Scenario(unbalanced, Team({"A": 1, "B": 1})))


def test_an_open_network_has_an_index_too() -> None:
    """A robot that comes and goes is at rest at the same amount for every team: it adds nothing."""
    closed = Scenario(Network("{B} <-> w{B} @ 2, 1\n{C} <-> w{C} @ 1, 1"), Team({"B": 3, "C": 2}))
    opened = Scenario(
        Network("0 <-> X @ 3, 1\n{B} <-> w{B} @ 2, 1\n{C} <-> w{C} @ 1, 1"),
        Team({"B": 3, "C": 2}),
    )
    assert paper_index(opened).value == pytest.approx(paper_index(closed).value, rel=1e-12)
