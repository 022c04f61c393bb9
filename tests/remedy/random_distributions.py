"""Distributions that no network had to be found for: any probabilities, down to 1e-30 and to none at all."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from covey.dynamics.distribution import Distribution
from covey.model.scenario import Scenario
from covey.model.team import Neighbour
from covey.privacy.snapshot.output_distributions import TeamDistributions
from tests.privacy.small_teams import shared_resource

NAMES = ("free", "busy")
OUTCOMES = [(a, b) for a in range(4) for b in range(3)]


def scenario() -> Scenario:
    return shared_resource()


def distribution(chances: dict[tuple[int, ...], float]) -> Distribution:
    """A distribution whose probabilities are made to add up to one; zeros are impossible."""
    total = math.fsum(chances.values())
    possible = {outcome: p / total for outcome, p in chances.items() if p > 0}
    rows = np.array(list(possible))
    return Distribution.merge(NAMES, rows, np.log(list(possible.values())), log_error=0.0)


def distributions_of(team: Distribution, *others: Distribution) -> TeamDistributions:
    whole = scenario()
    moved = whole.team.move("A", "B")
    neighbours = tuple((Neighbour("A", "B", moved), observed) for observed in others)
    return TeamDistributions(whole, "steady", team, neighbours)


chances = st.one_of(
    st.floats(1e-3, 1.0),
    st.just(0.0),  # impossible
    st.sampled_from([1e-30, 1e-20, 1e-12, 1e-9, 1e-7, 1e-5]),  # tails
)


@st.composite
def some_distributions(draw: st.DrawFn) -> TeamDistributions:
    """A team and up to three neighbours; some neighbours may be as the team is."""
    outcomes = draw(st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=10, unique=True))

    def one() -> Distribution:
        found: dict[tuple[int, ...], float] = {outcome: draw(chances) for outcome in outcomes}
        if not any(found.values()):
            found[outcomes[0]] = 1.0
        return distribution(found)

    team = one()
    others = [
        team if draw(st.integers(0, 5)) == 0 else one() for _ in range(draw(st.integers(1, 3)))
    ]
    return distributions_of(team, *others)
