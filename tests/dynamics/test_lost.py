"""What lies below a solver's accuracy is lost, and never given as a probability."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from covey import Network, Query, Scenario, Team, distribution
from covey.dynamics.engine import Engine

# Whoever meets first parts for good: that the last two are still free is less likely than 1e-400.
MEETING = Scenario(
    Network("w{B} + w{A} <-> e{A,B} @ 1.704, 7.542\nw{B} + w{B} -> e{B,B} @ 0.6685"),
    Team({"A": 1, "B": 4}),
    Query(free="w{A} + w{B}"),
    initial={"A": "w{A}", "B": "w{B}"},
)
AT = 205.415


def exact_logs(scenario: Scenario, at: float) -> dict[tuple[int, ...], float]:
    """Ln p of every state by uniformisation in 50 digits, whose exponents have no end."""
    chain = Engine(scenario.network).chain(scenario.start)
    rates = chain.generator.dense_rates()  # from row to column
    exits = rates.sum(axis=1)
    with mp.workdps(50):
        q = mp.mpf(float(exits.max())) * 2
        moves = [
            [(int(j), mp.mpf(float(rates[j, i])) / q) for j in np.flatnonzero(rates[:, i])]
            for i in range(len(rates))
        ]
        stay = [1 - mp.mpf(float(e)) / q for e in exits]
        vector = [mp.mpf(float(p)) for p in chain.start]
        weight, sums = mp.exp(-q * mp.mpf(at)), [mp.mpf(0)] * len(rates)
        for k in range(1, int(q * at * 2) + 200):
            sums = [s + weight * v for s, v in zip(sums, vector, strict=True)]
            vector = [
                stay[i] * v + mp.fsum(r * vector[j] for j, r in moves[i])
                for i, v in enumerate(vector)
            ]
            weight *= q * mp.mpf(at) / k
        states = map(tuple, chain.lattice.states.tolist())
        return {state: float(mp.log(p)) for state, p in zip(states, sums, strict=True)}


def test_no_floor_is_a_probability() -> None:
    law = distribution(MEETING, AT, states=True)
    true = exact_logs(MEETING, AT)
    assert min(true.values()) < -1150  # far below what doubles can tell
    assert law.proved
    for state, log in zip(map(tuple, law.outcomes.tolist()), law.log_probabilities, strict=True):
        assert abs(log - true[state]) <= law.log_error
    missing = set(true) - set(map(tuple, law.outcomes.tolist()))
    assert missing
    assert all(true[state] < np.log(law.lost_mass) for state in missing)
