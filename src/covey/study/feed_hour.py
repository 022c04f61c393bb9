"""An hour of a feed: what the real team shows, and what its stand-in publishes, moment by moment.

One path of the team by simulation, and one of the stand-in that moves along with it, from a seed:
to be looked at, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.ssa.simulation import end_points, event_log
from covey.model.io.stand_in_file import Reference
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.remedy.stand_in.publishing.coupled_publisher import CoupledPublisher
from covey.remedy.stand_in.walk import shown

HOUR = 60  # publications that are shown
_MOMENTS = 240
_EVENTS = 120  # that can be told from each other in a picture
_FOLDS = 12.0  # relaxation times after which the team is taken to have settled


@dataclass(frozen=True, eq=False)
class FeedHour:
    """Both side by side.

    Attributes:
        names: What is counted.
        times: The moments, (moments,).
        real: What is there, (moments, counts).
        published: What is published, likewise.
    """

    names: tuple[str, ...]
    times: Floats
    real: Ints
    published: Ints


def feed_hour(
    scenario: Scenario,
    reference: Scenario,
    span: float,
    seed: int = 1,
    coupling: str = "optimal",
) -> FeedHour:
    """A path of the team and of a stand-in for a span, both settled.

    Args:
        scenario: The real team.
        reference: The stand-in's.
        span: For how long, at most; less where more happens than can be drawn.
        seed: Of both.
        coupling: How both are coupled; "greedy" takes no time, also where the team is large.
    """
    plain, network = scenario.unpublished(), scenario.network
    start = plain.start
    if plain.adversary.at == "steady":
        long = settling_time(network, start, equilibrium(network, start), _FOLDS)
        start = np.asarray(end_points(network, start, long, samples=1, seed=seed)[0])
    log = event_log(network, start, span, seed=seed)
    if len(log.times) > _EVENTS:
        span = float(log.times[_EVENTS])
    states = np.vstack([start[None], log.states()])
    publisher = CoupledPublisher(
        Reference(reference.unpublished(), coupling, "l1", 0.0),
        dict(zip(map(str, network.species), map(int, start), strict=True)),
        random=np.random.default_rng(seed).bytes,
    )
    times = np.linspace(0.0, span, _MOMENTS + 1)
    upto = np.searchsorted(log.times, times, side="right")  # of all events, how many were before
    published, done = [], 0
    for time, count in zip(times.tolist(), upto.tolist(), strict=True):
        for event in range(done, count):
            publisher.event(float(log.times[event]), int(log.reactions[event]))
        done = count
        published.append(list(publisher.published(time).values()))
    return FeedHour(publisher.names, times, shown(plain, states[upto]), np.array(published))
