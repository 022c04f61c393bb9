"""A stand-in to publish: what a reference costs, roughly at once, then exactly; a while of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covey.app.answers.asked import Asked
from covey.dynamics.limits import Limits
from covey.model.io.stand_in_file import stand_in_text
from covey.model.scenario import Scenario
from covey.privacy.hypotheses import neighbours_only
from covey.privacy.stream.pace import usual_pace
from covey.remedy.stand_in.pricing import Pricing, Way
from covey.remedy.stand_in.stand_in import StandIn, referring
from covey.remedy.stand_in.stand_in import stand_in as find
from covey.report.json_keys.mechanism import stand_in_keys
from covey.study.feed_hour import HOUR, FeedHour, feed_hour

_SLOWEST = 10  # times of the slowest rate that are shown where nobody said how often is published


def stand_in(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The price of `reference`, robots by type; without one, of a team to begin with."""
    scenario = asked.scenario()
    neighbours_only(scenario, "a stand-in")
    scenario.query.check_linear("a stand-in")
    reference = asked.reference() or _to_begin_with(scenario)
    plain, solver = scenario.unpublished(), asked.solver(scenario)
    quick = Pricing(Way(solver, "l1", "greedy", asked.progress), referring(plain, reference))
    price, _, pairs = quick.price(plain)
    least = quick.least(plain)
    rough = StandIn(scenario, quick.reference, "l1", "greedy", 0.0, price, least, (), ())
    yield "stand_in", _part(rough) | {"rough": True}
    limits = Limits(max_states=solver.max_states)
    found = find(scenario, reference, limits=limits, progress=asked.progress)
    exact = _part(found) | {"rough": False, "file": stand_in_text(found.public)}
    yield "stand_in", exact
    if pairs is not None:
        every, until = usual_pace(scenario)
        looks = HOUR if scenario.release.is_stream else _SLOWEST
        hour = feed_hour(scenario, found.reference, min(until, looks * every))
        yield "stand_in", exact | {"hour": _hour(hour)}


def _to_begin_with(scenario: Scenario) -> dict[str, int]:
    """A reference that tells nothing of the team: one of the public set, or equal shares of it."""
    types, teams = scenario.team.types, scenario.secret.teams
    if teams is not None:
        listed = teams.teams(scenario.team)
        return dict(listed[len(listed) // 2].types)
    share, rest = divmod(sum(types.values()), len(types))
    return {name: share + (place < rest) for place, name in enumerate(types)}


def _part(found: StandIn) -> dict[str, Any]:
    return stand_in_keys(found) | {"said": found.sentences}


def _hour(hour: FeedHour) -> dict[str, Any]:
    return {
        "names": list(hour.names),
        "times": hour.times.tolist(),
        "real": hour.real.T.tolist(),
        "published": hour.published.T.tolist(),
    }
