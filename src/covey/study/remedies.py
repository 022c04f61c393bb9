"""What to publish instead and how to run the team instead, as a report says it: a quick look.

One snapshot: what the mechanism costs at some ε, beside the usual ways to say less (`front`); where
the scenario is published again and again, each is judged by all of that as well (`whole_stream`). A
stream: where the scenario's [release] says how often and how long it is published, how often,
through which table and with what memory so that an observer is right at most 60% of the time in
the end. Whoever wants it better, or something else, asks `covey protect`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, TooLargeError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.headline import DELTA
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.stream.stream import Stream
from covey.remedy.design.design import Design, design
from covey.remedy.mechanism.front import POINTS, Front, as_point, front_of
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.protect_stream import StreamMechanism, protect_stream
from covey.remedy.mechanism.whole_stream import WholeStream, whole_stream
from covey.remedy.stand_in.one_away import OneAway, one_away
from covey.study.feed_hour import HOUR, FeedHour, feed_hour
from covey.words import rounded

TARGET = 0.6
_OUTCOMES = 150  # for which mechanisms are found in seconds; and
_MOST_OUTCOMES, _FEW_POINTS = 600, 2  # for which each takes some ten seconds
_STATES = 250  # on which streams are followed in seconds, and
_PUBLICATIONS = 128  # so many of them
_ACCURACY = 0.1
_DAYS = 2_000  # states of all teams, for which seven tables are judged soon
_DESIGNED = 8_000  # states of the team and its neighbours, for which designs are found in seconds
_FACTOR = 2.0  # by which every rate may be less or more


@dataclass(frozen=True, eq=False)
class Remedies:
    """What could be published instead.

    Attributes:
        front: For one snapshot: privacy against accuracy.
        stream: For a stream; None where it was not looked for.
        why_no_stream: The reason.
        days: What all that [release] publishes gives away through each mechanism of the front;
            empty where [release] has no stream, or where that takes long.
        why_no_days: The reason; empty where there is no stream.
        stand_in: What a stand-in costs whose reference is one robot off; None where that was not
            computed.
        hour: A while of the team and of such a stand-in, to look at; None where [release] has no
            stream, too.
    """

    front: Front
    stream: StreamMechanism | None
    why_no_stream: str
    days: tuple[WholeStream, ...] = ()
    why_no_days: str = ""
    stand_in: OneAway | None = None
    hour: FeedHour | None = None

    @property
    def place(self) -> int:
        """Which mechanism of the front is shown, a constant only where nothing else is there.

        The first that keeps a stream to the target; else the middle, or the last before it.
        """
        middle = len(self.front.mechanisms) // 2
        plain = [i for i, m in enumerate(self.front.mechanisms) if m.release.constant is None]
        kept = [i for i in plain if self.days and self.days[i].bayes_success <= TARGET]
        before = [i for i in plain if i <= middle]
        return kept[0] if kept else before[-1] if before else middle

    @property
    def mechanism(self) -> Mechanism:
        """The one that is shown, for one snapshot."""
        return self.front.mechanisms[self.place]

    @property
    def day(self) -> WholeStream | None:
        """What a stream gives away through it, where that is known."""
        return self.days[self.place] if self.days else None


def remedies(
    solver: Solver,
    distributions: TeamDistributions,
    stream: Stream | None,
    *,
    streams: bool,
    progress: Progress | None = None,
) -> Remedies:
    """What to publish instead of what is there.

    Args:
        solver: For the scenario's network.
        distributions: The distributions of what one snapshot shows.
        stream: What snapshots tell as it is, where that is known.
        streams: Whether streams are looked for, which takes some time.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if distributions.own.release.instead is not None:
        raise InputError(
            "a mechanism is in place already, and all figures are of what it publishes"
        )
    outcomes = max(len(distribution) for _, *pair in distributions.pairs for distribution in pair)
    shown = _stand_in(solver, distributions.own, progress)
    if outcomes > _MOST_OUTCOMES:
        instead = "" if shown[0] is None else f". {str(shown[0]).removesuffix('.')}"
        raise TooLargeError(
            f"a snapshot has {outcomes:,} outcomes; the table for so many takes a while, and is "
            f"found where it is asked for: covey protect{instead}",
            states=outcomes,
        )
    lost = any(
        distribution.truncated_mass > 0 for _, *pair in distributions.pairs for distribution in pair
    )
    points = POINTS if outcomes <= _OUTCOMES else _FEW_POINTS
    found = front_of(
        [distributions], delta=DELTA if lost else 0.0, progress=progress, points=points
    )
    days, why_no_days = _days(solver, distributions.own, found, progress)
    if shown[0] is not None:
        found = replace(found, stand_in=as_point(shown[0], found.delta))
    table, why = None, "not asked for"
    if streams:
        try:
            table, why = _stream(solver, distributions, stream, progress), ""
        except CoveyError as error:
            why = error.message
    return Remedies(found, table, why, days, why_no_days, *shown)


def _stand_in(
    solver: Solver, scenario: Scenario, progress: Progress | None
) -> tuple[OneAway | None, FeedHour | None]:
    """What a stand-in costs, where that is soon known; where there is a stream, a while of it."""
    release = scenario.release
    try:
        found = one_away(solver, scenario, progress=progress)
        if release.every is None or release.until is None:
            return found, None
        reference, price = found.worst
        coupling = "optimal" if price.confidence is None else "greedy"
        span = min(release.until, HOUR * release.every)
        return found, feed_hour(scenario, reference, span, coupling=coupling)
    except CoveyError:
        return None, None


def _days(
    solver: Solver, scenario: Scenario, found: Front, progress: Progress | None
) -> tuple[tuple[WholeStream, ...], str]:
    """What the stream of [release] gives away through every mechanism; or why that is not known."""
    if not scenario.release.is_stream:
        return (), ""
    days = []
    try:
        for one in found.mechanisms:
            days.append(whole_stream(solver, scenario, one.release, quick=_DAYS, progress=progress))
    except CoveyError as error:
        return (), error.message
    return tuple(days), ""


def _stream(
    solver: Solver, distributions: TeamDistributions, now: Stream | None, progress: Progress | None
) -> StreamMechanism:
    release, states = (
        distributions.own.release,
        solver.reach(distributions.own.start).states,
    )
    if release.every is None or release.until is None:
        raise InputError(
            "say how often and how long it is published, as every and until under [release]"
        )
    if now is not None and now.bayes_success[-1].upper <= TARGET:
        raise InputError(
            f"published as it is, an observer is right at most "
            f"{rounded(now.bayes_success[-1].upper, '.1%', 'up')} of the time in the end"
        )
    if states is None or states > _STATES:
        raise TooLargeError(
            f"streams of more than {_STATES:,} states take a while, and are protected where it is "
            "asked for: covey protect --target guess=0.6 --only-this-team"
        )
    return protect_stream(
        distributions.own,
        max(release.every, release.until / _PUBLICATIONS),
        release.until,
        guess=TARGET,
        accuracy=_ACCURACY,
        limits=solver.limits,
        progress=progress,
    )


def usual_design(
    solver: Solver, distributions: TeamDistributions, progress: Progress | None
) -> Design:
    """Settings that give away less by one snapshot and achieve all that is achieved now.

    Within the ranges of [design], else rates up to a factor 2 from now. Of a stream it is said what
    becomes of it; to aim at it takes long, and is done where it is asked for: covey design.

    Args:
        solver: Of the scenario's network.
        distributions: Of the team and its neighbours.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    scenario, rates = distributions.own, distributions.own.network.rates
    if not scenario.performance:
        raise UnsupportedError(
            "the scenario has no [performance], which says what the team has to achieve"
        )
    if not rates and not scenario.vary:
        raise UnsupportedError("no rate has a name by which it could be changed")
    states = (distributions.computed.states or _DESIGNED) * (1 + len(distributions.neighbours))
    if states > _DESIGNED:
        raise TooLargeError(
            f"a design takes long for {states:,} states, and is found where it is asked for: "
            "covey design",
            states=states,
        )
    return design(
        scenario,
        scenario.vary
        or {f"rates.{name}": (rate / _FACTOR, rate * _FACTOR) for name, rate in rates.items()},
        minimise="guess",
        keep=dict.fromkeys(scenario.performance, 1.0),
        starts=1,
        workers=1,
        limits=solver.limits,
        progress=progress,
    )
