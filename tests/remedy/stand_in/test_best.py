"""The best reference of a public set of teams, against all of them priced one by one."""

import pytest

import covey
from covey import InputError, Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.remedy.stand_in.best import BEST, best_reference
from covey.remedy.stand_in.pricing import Pricing, Way

NETWORK = Network("{A} + {B} <-> {A,B} @ 2, 1\n{A} <-> w{A} @ 0.5, 3\n{B} <-> w{B} @ 0.2, 1")
SCENARIO = Scenario(NETWORK, Team({"A": 2, "B": 2}), Query(free="{A} + {B}"))


def _way() -> Way:
    return Way(Solver(NETWORK), "l1", None, None)


@pytest.mark.parametrize("which", BEST)
def test_nothing_in_the_set_costs_less(which: str) -> None:
    teams = [Team({"A": a, "B": b}) for a in (1, 2, 3) for b in (1, 2)]
    scenarios = [SCENARIO.with_(team=team) for team in teams]
    prices = [
        [Pricing(_way(), one).price(real).price.loss for real in scenarios] for one in scenarios
    ]
    whole = [BEST[which](row) for row in prices]
    found = best_reference(SCENARIO, teams, _way(), which)
    assert whole[teams.index(found.team)] == pytest.approx(min(whole), rel=1e-9)


def test_whichever_team_is_real_the_reference_is_the_same() -> None:
    public = {"A": (1, 3), "B": (1, 2)}
    found = set()
    for team in ({"A": 2, "B": 2}, {"A": 1, "B": 1}):
        real = SCENARIO.with_(team=Team(team)).keeping(teams=public)
        made = covey.stand_in(real, "best")
        found.add(made.reference.team)
        assert len(made.others) == 6
        own = [price.loss for _, other, price in made.others if other == real.team]
        assert own == [made.price.loss]
    assert len(found) == 1


def test_without_a_set_there_is_no_best() -> None:
    with pytest.raises(InputError, match="none is given"):
        covey.stand_in(SCENARIO, "best")
    with pytest.raises(InputError, match="robots by type are expected"):
        covey.stand_in(SCENARIO, "bets")
    with pytest.raises(InputError, match="100 at most"):
        covey.stand_in(SCENARIO.keeping(teams={"A": (0, 20), "B": (0, 20)}), "best")
