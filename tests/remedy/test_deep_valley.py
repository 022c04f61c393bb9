"""A team with two ways to be, between which lies a valley of 1e-300, from the chain to the table."""

from __future__ import annotations

import numpy as np
import pytest

from covey import Network, Query, Scenario, Team, profile, protect
from covey.numbers import Floats

SCENARIO = Scenario(
    Network(
        """
        {A} -> on{A} @ [0.84 * {A} * (1e-9 + 1e9 * (busy >= 20))]
        on{A} -> {A} @ [on{A} * (1e-9 + 1e9 * (busy <= 20))]
        {B} -> on{B} @ [1000 * {B} * (1e-9 + 1e9 * (busy >= 20))]
        on{B} -> {B} @ [0.001 * on{B} * (1e-9 + 1e9 * (busy <= 20))]
        """,
        sums={"busy": "on{A} + on{B}"},
    ),
    Team({"A": 40, "B": 0}),
    Query(busy="on{A} + on{B}"),
)


def busy(up: Floats, down: Floats) -> Floats:
    """Ln P(busy) of births and deaths: `up` from 0, 1, …, `down` from 1, 2, …"""
    logs = np.concatenate([[0.0], np.cumsum(np.log(up) - np.log(down))])
    return np.asarray(logs - np.logaddexp.reduce(logs))


def of_the_team() -> Floats:
    n = np.arange(41.0)
    up = 0.84 * (40 - n) * (1e-9 + 1e9 * (n >= 20))
    down = n * (1e-9 + 1e9 * (n <= 20))
    return busy(up[:-1], down[1:])


def test_the_neighbour_tips_the_balance() -> None:
    found = profile(SCENARIO)
    assert found.total_variation == pytest.approx(0.99817, abs=5e-6)
    team = found.distributions.team
    exact = of_the_team()[team.outcomes[:, 0]]
    assert np.abs(team.log_probabilities - exact).max() <= team.log_error + 1e-11


def test_a_table_does_not_publish_the_truth() -> None:
    kept = protect(SCENARIO, epsilon=0.5, delta=1e-6, teams="this")
    assert kept.leakage.profile.delta(0.5) <= 1e-6
    # The team is idle, one with a B is busy to the last robot: that is not let through.
    table = kept.release
    seen, published = table.seen[:, 0].tolist(), table.published[:, 0].tolist()
    assert 40 not in published or table.table[seen.index(40), published.index(40)] < 1e-3
