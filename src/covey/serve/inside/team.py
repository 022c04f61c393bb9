"""From what is heard to what the mechanism takes, in the order of time.

Robots are followed by `LiveFleet`, which makes events of what they say; events, states and counts
wait for their moment in the inbox. Robots that do something together say so in several messages, up
to `together` apart: a moment is published once everything is there up to so long after it.
"""

from __future__ import annotations

from collections.abc import Mapping

from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.serve.inside.counters import Counters
from covey.serve.inside.heard import Event, Gap, Heard, Robot, Seen, State
from covey.serve.inside.inbox import Inbox
from covey.serve.inside.mechanism import Publisher
from covey.study.fit.logs.robots.live_fleet import LiveFleet

_MOST_GAPS = 1_000  # robots of whom messages were missed, before all are taken to be


class LiveTeam:
    """The team, as it is heard of.

    Args:
        publisher: What publishes.
        own: The team's own scenario; None where no robots are heard of by name.
        fleet: The type of each robot by its name, beside what [log] says.
        together: How far apart messages of one event may be, in the unit of the model.
        lost_after: For how long a robot may be silent, likewise.
        robots: Whether robots will be heard of by name: refused where that does not tell enough.
        counters: What cannot be used is counted here.
    """

    def __init__(
        self,
        publisher: Publisher,
        own: Scenario | None,
        fleet: Mapping[str, str],
        *,
        together: float,
        lost_after: float | None,
        robots: bool,
        counters: Counters,
    ) -> None:
        self.publisher, self._together, self._counters = publisher, together, counters
        self._inbox, self._robots = Inbox(), False
        self._fleet = None
        self._counted: dict[str, int] = {}
        self._gaps: set[str] = set()  # whose messages were missed, and nothing was heard since
        if own is not None:
            try:
                self._fleet = LiveFleet(
                    own, fleet, publisher, together=together, lost_after=lost_after
                )
            except InputError:  # what robots say does not tell all events
                if robots:
                    raise
            publisher.notes()

    def hear(self, time: float, heard: Heard) -> None:
        """Something happened.

        Args:
            time: When.
            heard: What.
        """
        if not isinstance(heard, Gap):
            self._gaps.clear()
        elif {heard.robot, ""} & self._gaps:
            return  # of whom nothing was heard since the last one
        else:
            self._gaps.add(heard.robot if len(self._gaps) < _MOST_GAPS else "")
        if isinstance(heard, Gap) and self._robots and self._fleet is not None:
            self._fleet.forget(time, "" if "" in self._gaps else heard.robot)
        elif not isinstance(heard, Robot):
            if not self._inbox.put(time, heard):
                self._counters.refuse("too much came at once")
        elif self._fleet is None:
            self._counters.refuse("a robot, and no scenario that knows it")
        else:
            self._fleet.row(time, heard.name, heard.state, heard.type)
            self._robots = True

    def advance(self, time: float, ahead: float = 0.0) -> None:
        """The mechanism is told all that happened up to a time.

        Args:
            time: Until when.
            ahead: How much later states are told, for a mechanism that draws paths to them.
        """
        if self._robots and self._fleet is not None:
            self._fleet.advance(time + self._together)
            self._count(self._fleet.refused)
        for when, heard in self._inbox.until(time + ahead):
            self._tell(when, heard)
        for note in self.publisher.notes():
            self._counters.refuse(note)
        self._counters.waiting.set(len(self._inbox))
        self._counters.known.set(self.publisher.known)

    def _tell(self, time: float, heard: Heard) -> None:
        publisher, late = self.publisher, time < self.publisher.now
        now = max(time, publisher.now)
        try:
            match heard:
                case Event(reaction):
                    publisher.event(time, reaction)
                case State(counts) if late:  # who knows what has happened since
                    publisher.lose(now, "a time lies before the last one")
                case State(counts):
                    publisher.state(now, counts)
                case Seen(counts) if not late:
                    publisher.seen(now, counts)
                case Gap(why):
                    publisher.lose(now, why)
        except InputError:
            self._counters.refuse("not what the mechanism takes")
            publisher.lose(now, "something was not understood")
        if late and not isinstance(heard, Gap):
            self._counters.refuse("late")

    def _count(self, reasons: Mapping[str, int]) -> None:
        """What robots said that could not be used, since it was counted last."""
        for reason, times in reasons.items():
            if more := times - self._counted.get(reason, 0):
                self._counted[reason] = times
                self._counters.refuse(reason, more)
