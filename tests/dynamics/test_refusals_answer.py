"""Every refusal of the planner, over teams, methods and moments: what it advises answers.

Few states are allowed, so that small teams stand for large ones. Whatever a refusal says to do is
done, and has to answer: a refusal with nothing to do, or that sends to another refusal, fails.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
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
    reference = dict.fromkeys(scenario.team.types, 1)
    return covey.stand_in(scenario, reference, limits=Limits(max_states=FEW)).price.loss >= 0


@cache
def streamed(team: str, at: Moment) -> bool:
    scenario, limits = TEAMS[team](), Limits(max_states=FEW)
    return covey.stream(scenario, 1, 2, at=at, accuracy=0.5, limits=limits).method == "normal"


@dataclass(frozen=True)
class Refusal:
    """What was refused, and in which words."""

    team: str
    at: Moment
    limits: Limits
    text: str

    @property
    def scenario(self) -> Scenario:
        return TEAMS[self.team]()

    def asked(self, changes: dict[str, object] | None = None, **limits: object) -> Distribution:
        """The same question of a changed team, or within other limits."""
        if "Without the method" in self.text:
            limits["method"] = None
        allowed = replace(self.limits, **limits)  # type: ignore[arg-type]
        return ask(self.scenario.with_(changes or {}), self.at, allowed)

    def left_out(self) -> object:
        try:
            return self.asked(method=None)
        except TooLargeError:  # only where it was said that this may be
            return "Should the states not fit" in self.text

    def audited(self) -> bool:
        return audited(self.team, SOON if "at a time, covey audit" in self.text else self.at)


ADVICE: dict[str, Callable[[Refusal], object]] = {
    "Leave the method out": Refusal.left_out,
    "a larger max_states": lambda one: one.asked(max_states=100_000),
    "or max_states": lambda one: one.asked(max_states=100_000),
    "a larger tolerance": lambda one: one.asked(tolerance=0.999),
    "Ask for an earlier time": lambda one: ask(one.scenario, 1e-12, one.limits),
    "Take a smaller team": lambda one: one.asked(
        {f"types.{t}": 1 for t in one.scenario.team.types}
    ),
    "covey audit": Refusal.audited,
    "covey stream": lambda one: streamed(one.team, one.at),
    "covey protect finds a stand-in": lambda one: stood_in(one.team, one.at),
    "Let them leave faster": lambda one: ask(
        crowd("{courier} -> 0 @ 5\n{loader} -> 0 @ 5"), one.at, Limits()
    ),
    "A distribution at a time exists": lambda one: ask(one.scenario, SOON, Limits()),
    "ask at a time": lambda one: ask(one.scenario, SOON, Limits()),
    "as [time] period": lambda one: one.asked({"time.period": 1440}),
}


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
        refusal = Refusal(team, at, limits, str(error))
    advised = [advice for advice in ADVICE if advice in refusal.text]
    assert advised, refusal.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is asked may be rough; here it only has to answer
        for advice in advised:
            assert ADVICE[advice](refusal), (advice, refusal.text)
