"""Prices by simulation against exact ones, at a time and in the long run."""

import pytest

from covey import Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.model.observation.adversary import Moment
from covey.remedy.stand_in.coupling import greedy
from covey.remedy.stand_in.pairs import Pairs
from covey.remedy.stand_in.price import exact_price
from covey.remedy.stand_in.pricing import Pricing, Way
from covey.remedy.stand_in.simulated_price import simulated_price

NETWORK = Network("{A} + {B} <-> {A,B} @ 2, 1\n{A} <-> w{A} @ 0.5, 3\n{B} <-> w{B} @ 0.2, 1")


@pytest.mark.parametrize("at", [0.3, 2.0, "steady"])
def test_the_exact_price_is_met(at: Moment) -> None:
    real, reference = (
        Scenario(NETWORK, Team({"A": a, "B": b}), Query(free="{A} + {B}")).with_(
            {"adversary.at": at}
        )
        for a, b in ((4, 1), (2, 3))
    )
    exact = exact_price(greedy(Pairs.of(Solver(NETWORK), real, reference, "l1")), at)
    plain = simulated_price(real, reference, "l1")
    means = Pricing(Way(Solver(NETWORK), "l1", "greedy", None), reference)._means(real)
    found = simulated_price(real, reference, "l1", means)
    low, high = found.interval
    assert high - low < 0.8 * (plain.interval[1] - plain.interval[0])  # for the same paths
    assert low - (high - low) < exact.loss < high + (high - low)  # three times as wide
    assert found.unchanged == pytest.approx(exact.unchanged, abs=0.06)
    assert 0 < high - low < 0.3
