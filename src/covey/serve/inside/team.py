"""From what is heard to what the mechanism takes: robots become events, in the order of time.

Robots that do something together say so in several messages, up to `together` apart; so robots are
followed (`LiveFleet`) a little beyond the moment that is published, and what they come to is kept
(`_Script`) until the mechanism gets there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.serve.inside.counters import Counters
from covey.serve.inside.heard import Event, Gap, Heard, Robot, Seen, State
from covey.serve.inside.mechanism import Publisher
from covey.study.fit.logs.live_fleet import LiveFleet


class _Script:
    """What the mechanism will be told, and when."""

    def __init__(self, publisher: Publisher) -> None:
        self.publisher = publisher
        self._lines: list[tuple[float, str, Any]] = []

    def event(self, time: float, reaction: int) -> None:
        self._lines.append((time, "event", reaction))

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        self._lines.append((time, "state", dict(counts)))

    def lose(self, time: float, why: str) -> None:
        self._lines.append((time, "lose", why))

    def seen(self, time: float, counts: tuple[object, ...]) -> None:
        self._lines.append((time, "seen", counts))

    def play(self, until: float, counters: Counters) -> None:
        """Tells all that was up to a time."""
        self._lines.sort(key=lambda line: line[0])
        due = [line for line in self._lines if line[0] <= until]
        del self._lines[: len(due)]
        for time, what, told in due:
            if what != "event":  # what is known now was not known before
                time = max(time, self.publisher.now)
            elif time < self.publisher.now:
                counters.refuse("late")
            try:
                getattr(self.publisher, what)(time, told)
            except InputError:
                counters.refuse("not what the mechanism takes")
                self.publisher.lose(max(time, self.publisher.now), "something was not understood")


class LiveTeam:
    """The team, as it is heard of.

    Args:
        publisher: What publishes.
        own: The team's own scenario; None where no robots are heard of by name.
        fleet: The type of each robot by its name, beside what [log] says.
        together: How far apart messages of one event may be, in the unit of the model.
        lost_after: For how long a robot may be silent, likewise.
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
        counters: Counters,
    ) -> None:
        self._script, self._counters = _Script(publisher), counters
        self.publisher = publisher
        self._fleet = None
        if own is not None:
            self._fleet = LiveFleet(
                own, fleet, self._script, together=together, lost_after=lost_after
            )
        self._counted: dict[str, int] = {}

    def hear(self, time: float, heard: Heard) -> None:
        """Something happened.

        Args:
            time: When.
            heard: What.
        """
        match heard:
            case Robot(name, state, type_) if self._fleet is not None:
                try:
                    self._fleet.row(time, name, state, type_)
                except InputError:
                    self._counters.refuse("a robot that the scenario does not know")
            case Robot():
                self._counters.refuse("a robot, and no scenario that knows it")
            case Event(reaction):
                self._script.event(time, reaction)
            case State(counts):
                self._script.state(time, counts)
            case Seen(counts):
                self._script.seen(time, counts)
            case Gap(why):
                if self._fleet is not None:
                    self._fleet.forget(time)
                self._script.lose(time, why)

    def advance(self, heard: float, until: float) -> None:
        """All is known that happened up to `heard`; the mechanism is told what was up to `until`.

        Args:
            heard: A time.
            until: A time, not later.
        """
        if self._fleet is not None:
            self._fleet.advance(heard)
            self._count(self._fleet.unexplained)
        self._script.play(until, self._counters)
        for note in self.publisher.notes():
            self._counters.refuse(note)

    def _count(self, reasons: Mapping[str, int]) -> None:
        """What robots did that nothing explains, since it was counted last."""
        for reason, times in reasons.items():
            if more := times - self._counted.get(reason, 0):
                self._counted[reason] = times
                self._counters.refuse(reason, more)
