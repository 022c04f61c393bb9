"""Every refusal of the planner, over teams, methods and moments: what it advises answers.

Few states are allowed, so that small teams stand for large ones. Whatever a refusal says to do is
done, and has to answer: a refusal with nothing to do, or that sends to another refusal, fails.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

import covey
from covey import Limits, Network, Query, Scenario, Solver, Team, TooLargeError
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import METHODS, MethodName
from covey.errors import CoveyError
from covey.model.observation.adversary import Moment
from tests.conftest import EXAMPLES

BY_NAME = {path.stem: path for path in EXAMPLES}
FEW = 20
TOO_LARGE = "should the states not fit"
TWO = {"courier": 1, "loader": 1}


def crowd(more: str = "") -> Scenario:
    """Those who leave in pairs, of which one comes more often; or `more`."""
    network = Network(
        f"0 -> {{courier}} @ 3\n0 -> {{loader}} @ 2\n{{courier}} + {{loader}} -> 0 @ 1\n{more}"
    )
    return Scenario(network, Team(TWO), Query(seen="{courier} + {loader}"))


TEAMS: dict[str, Callable[[], Scenario]] = {
    "closed form": lambda: covey.load(BY_NAME["warehouse"]),
    "not balanced": lambda: covey.load(BY_NAME["task-network"]).with_(
        {f"types.{i}": 3 for i in (1, 2, 3)}
    ),
    "open and linear": lambda: covey.load(BY_NAME["ride-sharing"]),
    "rate laws": lambda: covey.load(BY_NAME["limited-chargers"]),
    "timetable": lambda: covey.load(BY_NAME["lunch-break"]),
    "never settles": crowd,
}
SOON = 0.2
MOMENTS: tuple[Moment, ...] = ("steady", SOON)


def ask(scenario: Scenario, at: Moment, limits: Limits) -> Distribution:
    solver = Solver(scenario.network, limits)
    return solver.distributions(scenario.start, [at], scenario.query)[0]


@cache
def audited(team: str, at: Moment) -> bool:
    scenario = TEAMS[team]().with_({"adversary.at": at})
    return len(covey.audit(scenario, samples=50).pairs) > 0


@cache
def stood_in(team: str, at: Moment) -> bool:
    scenario = TEAMS[team]().with_({"adversary.at": at})
    reference = {name: 1 for name in scenario.team.types}
    return covey.stand_in(scenario, reference, limits=Limits(max_states=FEW)).price.loss >= 0


def answers(advice: str, team: str, at: Moment, limits: Limits, refusal: str) -> object:
    """Does what is advised."""
    scenario = TEAMS[team]()
    if "Without the method" in refusal:
        limits = replace(limits, method=None)
    match advice:
        case "Leave the method out":
            try:
                return ask(scenario, at, replace(limits, method=None))
            except TooLargeError:  # only where it was said that this may be
                return TOO_LARGE in refusal
        case "a larger max_states" | "or max_states":
            return ask(scenario, at, replace(limits, max_states=100_000))
        case "a larger tolerance":
            return ask(scenario, at, replace(limits, tolerance=0.999))
        case "Ask for an earlier time":
            return ask(scenario, 1e-12, limits)
        case "Take a smaller team":
            one = {f"types.{name}": 1 for name in scenario.team.types}
            return ask(scenario.with_(one), at, limits)
        case "covey audit":
            return audited(team, SOON if "at a time, covey audit" in refusal else at)
        case "covey protect finds a stand-in":
            return stood_in(team, at)
        case "Let them leave faster":
            left = crowd("{courier} -> 0 @ 5\n{loader} -> 0 @ 5")
            return ask(left, at, Limits())
        case "A distribution at a time exists" | "ask at a time":
            return ask(scenario, 1.0, Limits())
        case "as [time] period":
            return ask(scenario.with_({"time.period": 1440}), at, Limits())
    raise AssertionError(advice)


ADVICE = (
    "Leave the method out",
    "a larger max_states",
    "or max_states",
    "a larger tolerance",
    "Ask for an earlier time",
    "Take a smaller team",
    "covey audit",
    "covey protect finds a stand-in",
    "Let them leave faster",
    "A distribution at a time exists",
    "ask at a time",
    "as [time] period",
)


@pytest.mark.parametrize("most", [None, FEW])
@pytest.mark.parametrize("method", [None, *METHODS])
@pytest.mark.parametrize("at", MOMENTS)
@pytest.mark.parametrize("team", TEAMS)
def test_what_a_refusal_advises_answers(
    team: str, at: Moment, method: MethodName | None, most: int | None
) -> None:
    limits = Limits(method=method, max_states=most)
    try:
        ask(TEAMS[team](), at, limits)
        return
    except CoveyError as error:
        refusal = str(error)
    advised = [advice for advice in ADVICE if advice in refusal]
    assert advised, refusal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is asked may be rough; here it only has to answer
        for advice in advised:
            assert answers(advice, team, at, limits, refusal), (advice, refusal)
