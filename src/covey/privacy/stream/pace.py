"""How often somebody is taken to look, where a scenario is asked about without saying so.

As often as it is published, where the scenario's [release] says how often; else once in the time
that the slowest rate takes, 1/κ, for a hundred snapshots. The second is a convention, and said to
be one: it shows what looking again does, and is no statement about anybody.
"""

from __future__ import annotations

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.headline import OverTime
from covey.privacy.hypotheses import solver_of, stars_of
from covey.privacy.stream.figures import too_large_to_follow
from covey.privacy.stream.problem import ACCURACY, Sampling, StreamProblem
from covey.privacy.stream.schedule import schedule
from covey.privacy.stream.stream import Stream, stream_by
from covey.words import each

_SNAPSHOTS = 100
_MOST_EVENTS = 3e7  # in all: that many are followed in seconds
_NAMED = 2  # numbers of snapshots in a sentence, besides the first


def usual_stream(
    solver: Solver,
    scenario: Scenario,
    *,
    quick: int,
    roughly: bool = False,
    accuracy: float = ACCURACY,
    progress: Progress | None = None,
) -> Stream:
    """What snapshots at the usual pace tell: as `stream` says it, with the same settings.

    Refused where so many states of the team and its neighbours together would have to be followed
    that it is not `quick`; a team that is too large to be followed at all may be `roughly` told.
    """
    stars = stars_of(scenario)
    own, start = solver_of(solver, scenario, stars), stars[0].scenario.start
    reached = own.reach(start)
    teams = sum(1 + len(star.hypotheses) for star in stars)
    release = scenario.release
    followed = release.stand_in is None  # which shows the same for every team
    roughly = roughly and release.mechanism is None and too_large_to_follow(own, start)
    if followed and not roughly and (reached.states is None or reached.states * teams > quick):
        raise TooLargeError(
            f"many snapshots have to be followed for {teams:,} teams of {reached.at_least:,} or "
            "more states each; that takes long, and is done where it is asked for: covey stream",
            states=reached.at_least,
        )
    every, until = usual_pace(scenario)
    events = until * busiest(scenario)
    if followed and events > _MOST_EVENTS:
        raise TooLargeError(
            f"many snapshots have to be followed over some {events:.0e} events; that takes long, "
            "and is done where it is asked for: covey stream",
            states=reached.at_least,
        )
    looks = schedule(scenario, every, until, None, None)
    return stream_by(solver, StreamProblem(scenario, looks, Sampling(accuracy)), progress)


def busiest(scenario: Scenario, rest: Floats | None = None) -> float:
    """About how many events there are in a unit of time, at the start or at rest."""
    network, start = scenario.network, scenario.start.astype(float)
    states = [start] if rest is None else [start, rest]
    return max(float(one.flows(x).sum()) for one in network.phases for x in states)


def usual_pace(scenario: Scenario) -> tuple[float, float]:
    """The time between snapshots, and how long they go on."""
    release, network = scenario.release, scenario.network
    # A rate law has no constant.
    constants = [r for one in network.phases for r in one.rate_constants.tolist() if r > 0]
    if network.has_rate_laws:
        constants += network.rates.values()
    slowest = 1 / min(constants, default=1.0)
    every = slowest if release.every is None else release.every
    until = _SNAPSHOTS * every if release.until is None else max(release.until, every)
    return every, until


def over_time(scenario: Scenario, found: Stream) -> OverTime:
    """The sentence of a headline: how often an observer is right in the end, and on the way."""
    unit = scenario.unit
    pace = f"One snapshot {each(found.every, unit)}"
    if scenario.release.every is None:
        pace += " (the default: 1 / slowest rate; [release] sets none)"
    rows = [row for row in found.rows if row.snapshots > 1]
    wanted = {rows[-1].snapshots} if rows else set()
    if len(rows) >= _NAMED:
        wanted.add(
            min(rows, key=lambda row: abs(row.snapshots - rows[-1].snapshots ** 0.5)).snapshots
        )
    right = tuple(
        (row.snapshots, row.bayes_success.upper) for row in rows if row.snapshots in wanted
    )
    other = found.neighbour
    return OverTime(
        pace, right, found.sampled, found.every, "", unit, told=other.told, neighbour=str(other)
    )
