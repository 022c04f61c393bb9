"""The potential of the difference: on the way it is a coupling, and its price is the exact one."""

from pathlib import Path

import numpy as np
import pytest

import covey
from covey import Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.difference import difference_potential
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.price import exact_price
from covey.remedy.stand_in.simulated_price import simulated_price
from covey.remedy.stand_in.walk import Walk

WAREHOUSE = covey.load(Path(__file__).parents[3] / "examples" / "warehouse.toml")


def _team(carriers: int, pickers: int) -> Scenario:
    return WAREHOUSE.with_({"types.carrier": carriers, "types.picker": pickers})


def _listed(real: Scenario, reference: Scenario, pairs: Pairs) -> Coupling:
    """What is coupled on the way at every pair, as a list."""
    walk = Walk.on_the_way(real, reference, "l1", difference_potential(real, reference, "l1"))
    ours, theirs = (side.chain.lattice.states.astype(np.int64) for side in pairs.sides)
    n = len(real.network.reactions)
    which = np.full((len(pairs), 2 * n + 1), -1, dtype=np.int32)
    rates = np.zeros(which.shape)
    for pair in range(len(pairs)):
        i, j = divmod(pair, len(theirs))
        together = walk.at(ours[i], theirs[j], None).room.together.ravel()
        (carried,) = np.nonzero(together)
        which[pair, : len(carried)], rates[pair, : len(carried)] = carried, together[carried]
    return Coupling(pairs, which, rates, best=False)


@pytest.mark.parametrize("team", [(7, 3), (5, 5)])
def test_its_price_lies_between_the_best_and_the_greedy_one(team: tuple[int, int]) -> None:
    real, reference = _team(*team), _team(6, 4)
    pairs = Pairs.of(Solver(real.network), real, reference, "l1")
    best, quick = (exact_price(couple(pairs), "steady").loss for couple in (optimal, greedy))
    exact = exact_price(_listed(real, reference, pairs), "steady")
    assert best * (1 - 1e-9) <= exact.loss < quick
    found = simulated_price(
        real, reference, "l1", differences=difference_potential(real, reference, "l1")
    )
    low, high = found.interval
    assert low - (high - low) < exact.loss < high + (high - low)  # three times as wide
    assert found.unchanged == pytest.approx(exact.unchanged, abs=0.06)


def test_it_knows_nothing_of_the_number_of_robots() -> None:
    """Differences are listed, and states are not: as many for a hundred times the team."""
    rates = {"rates.meet": 0.002, "rates.carrier_low": 0.0005, "rates.picker_low": 0.0003}
    docks = {"resources.dock": 300}
    many = [_team(*team).with_(rates | docks) for team in ((601, 399), (600, 400))]
    found = difference_potential(many[0], many[1], "l1")
    assert found is not None
    assert len(found.keys) == len(found.values) <= 4_000
    assert (np.diff(found.keys) > 0).all()
    assert found.fence > 0


def test_there_is_none_where_nothing_settles_or_losses_are_by_outcome() -> None:
    growing = Network("0 -> {A} @ 1\n{A} -> w{A} @ 2\n{B} -> w{B} @ 1")
    seen = Query(all="{A} + w{A} + {B} + w{B}")
    ours, theirs = (Scenario(growing, Team({"A": n, "B": 2 - n}), seen) for n in (2, 1))
    assert difference_potential(ours, theirs, "l1") is None
    table = {(4, 2, 2): {(4, 2, 2): 0.0}}
    assert difference_potential(_team(7, 3), _team(6, 4), table) is None


def test_a_robot_that_came_is_coupled_without_it() -> None:
    """The team is another one then: the potential was made for what the network conserves."""
    made = covey.stand_in(_team(7, 3), {"carrier": 6, "picker": 4}, coupling="difference")
    assert made.coupling == "difference"
    publisher = made.publisher()
    team = publisher._team
    assert team.walk(_team(7, 3).start, _team(6, 4).start).coupled.differences.keys.size
    assert not team.walk(_team(8, 3).start, _team(6, 4).start).coupled.differences.keys.size


def test_there_is_none_where_nothing_moves() -> None:
    still = Network("{A} + {B} -> {A,B} @ 1")
    ours, theirs = (
        Scenario(still, Team({"A": n, "B": 0}), Query(free="{A} + {B}")).with_({"adversary.at": 1})
        for n in (2, 1)
    )
    assert difference_potential(ours, theirs, "l1") is None
