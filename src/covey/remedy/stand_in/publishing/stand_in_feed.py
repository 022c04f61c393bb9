"""A feed of a stand-in: lines about the real team in, the stand-in's counts out, on a clock.

Out go the times t, t + D, t + 2 D, … from the first one on, each with what is published then; which
and how many never depends on what the team does. Or a line for each change of what is published: at
the stand-in's own times, or on the clock where it has changed since the last one. These times are
part of the stand-in's path, which has the reference's distribution. What cannot be used is said, in
words that tell nothing of the state. `recorded` follows the times of its input, for logs: a time is
answered once something later was read. `live` follows the wall's clock: what is read counts when it
is read, and a line is published when it is due, whether anything was read or not.
"""

from __future__ import annotations

import math
import queue
import threading
import time as wall
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from covey.errors import InputError, shown
from covey.model.io.clock import UNITS
from covey.model.io.stand_in_file import Reference
from covey.model.network import Network
from covey.remedy.stand_in.publishing.coupled_publisher import CoupledPublisher
from covey.remedy.stand_in.publishing.feed_lines import BEGIN, UNIT, FeedLines, Line, Say
from covey.remedy.stand_in.publishing.pair_file import SavedFeed, saved_feed

Published = tuple[float, dict[str, int]]
_ON_A_CLOCK = "looks for changes on a clock: add --every D"


@dataclass(eq=False)
class StandInFeed:
    """Publishes a stand-in from lines of text.

    Args:
        public: The stand-in.
        every: The time from one publication to the next; None for every change at its own time.
        say: Called with what could not be used: `-:7: …`.
        polled: Whether lines tell whole states, and no events; a first line that names columns and
            none for reactions says so, too.
        file: Keeps where both are, so that the next run goes on from there.
        network: The real team's, where it moves at other rates than the reference.
        on_change: Whether to leave out lines that say the same as the one before.
    """

    public: Reference
    every: float | None
    say: Say
    polled: bool = False
    file: Path | None = None
    network: Network | None = None
    on_change: bool = False
    _last: dict[str, int] | None = field(default=None, init=False)
    _publisher: CoupledPublisher | None = field(default=None, init=False)
    _begin: float = field(default=0.0, init=False)
    _ticks: int = field(default=0, init=False)
    _origin: float | None = field(default=None, init=False)
    _saved: SavedFeed | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.every is None:
            if not self.on_change:
                raise InputError("a time from one publication to the next is needed, or on_change")
            if self.file is not None:
                raise InputError(f"a feed that is kept in a file {_ON_A_CLOCK}")
        elif not 0 < self.every < math.inf:
            raise InputError(f"every is {shown(self.every)}: a time above 0 is expected")
        self._saved = None if self.file is None else saved_feed(self.public, self.file)
        if self._saved is not None and self._saved.every != self.every:
            raise InputError(
                f"every is {self.every:g}, and the feed that goes on here published every "
                f"{self._saved.every:g}: go on as it began",
                file=str(self.file),
            )

    def recorded(self, lines: Iterable[str]) -> Iterator[Published]:
        """What is published, by the times of the lines.

        Args:
            lines: What the real team does, in the order of time.
        """
        reader = self._reader()
        for text in lines:
            line = reader.read(text)
            if line is None:
                continue
            if reader.clock.dated and self.file is not None:
                raise InputError(
                    "--state goes with times that are numbers: dates are counted from the first "
                    "line on, which another run does not know"
                )
            if self._publisher is None:
                self._start(line, reader.states_only)
            if not self._polled:
                yield from self._due(line.time, including=False)
            self._take(line)
            yield from self._changes()
            if self._polled:  # what was published in between moved along with a path to this state
                yield from self._due(self._told_until, including=True)
        if self._publisher is not None:
            yield from self._due(self._told_until, including=True)
            self._save(complete=True)

    def live(
        self, lines: Iterable[str], clock: Callable[[], float] = wall.time
    ) -> Iterator[Published]:
        """What is published, by the wall's clock; it ends when the lines have ended.

        Args:
            lines: What the real team does; what is read counts when it is read.
            clock: Gives the seconds since 1970.
        """
        unit = self.public.scenario.unit
        if self.every is None:
            raise InputError(f"a live feed {_ON_A_CLOCK}")
        if unit is None:
            raise InputError(f"a live feed needs a unit of time: {UNIT}")
        reader, seconds, lines = self._reader(live=True), UNITS[unit], iter(lines)
        line = next((line for line in map(reader.read, lines) if line is not None), None)
        if line is None:
            return
        self._start(line, reader.states_only, live=True)
        arrived: queue.Queue[tuple[float, str | None]] = queue.Queue()
        threading.Thread(target=_read, args=(lines, arrived, clock), daemon=True).start()
        origin = self._origin = clock() if self._origin is None else self._origin
        if self._saved is not None:  # what was due in the meantime is left out
            self._ticks = max(self._ticks, math.ceil((clock() - origin) / seconds / self.every))
            self._take(line, (clock() - origin) / seconds)
        ended = False
        while not ended:
            due = self._begin + self._ticks * self.every
            while (left := origin + due * seconds - clock()) > 0:
                try:
                    when, text = arrived.get(timeout=left)
                except queue.Empty:
                    break
                ended = ended or text is None
                if text is not None and (line := reader.read(text)) is not None:
                    self._take(line, (when - origin) / seconds)
            yield from self._due(due, including=True)

    @property
    def _polled(self) -> bool:
        return self._publisher is not None and self._publisher.polled

    @property
    def _told_until(self) -> float:
        assert self._publisher is not None
        return self._publisher.told_until

    def _reader(self, live: bool = False) -> FeedLines:
        scenario = self.public.scenario
        return FeedLines(scenario.network, scenario.unit, self.say, live=live)

    def _start(self, line: Line, states_only: bool, live: bool = False) -> None:
        """The first line: where both are, anew or as the run before left them."""
        polled, saved = self.polled or states_only, self._saved
        state = line.state if line.reaction is None else None
        real = None if saved is None else saved.pair.real
        goes_on = saved is not None and saved.complete and not live and not polled
        if state is None and goes_on and real is not None:
            network = self.public.scenario.network
            state = dict(zip(map(str, network.species), real, strict=True))
        if state is None:
            raise InputError(BEGIN, file="-", line=line.number)
        pair = None if saved is None else saved.pair
        publisher = CoupledPublisher(
            self.public, state, line.time, network=self.network, polled=polled, saved=pair,
            follow=self.every is None,
        )  # fmt: skip
        self._publisher, self._begin = publisher, line.time
        if saved is not None:
            self._begin, self._ticks = saved.begin, saved.ticks
            self._origin = saved.origin
            if line.reaction is not None:  # every event since then is told
                publisher.state(saved.pair.time, state)

    def _take(self, line: Line, time: float | None = None) -> None:
        """What a line tells."""
        publisher = self._publisher
        assert publisher is not None
        when = line.time if time is None else max(time, publisher.now)
        if line.reaction is not None and self._polled:
            publisher.notes.append("an event, and whole states are expected: it is left out")
        elif line.reaction is not None:
            publisher.event(when, line.reaction)
        if line.state is not None:
            publisher.state(when, line.state)
        for note in publisher.notes:
            self.say(f"-:{line.number}: {note}")
        publisher.notes.clear()

    def _due(self, time: float, *, including: bool) -> Iterator[Published]:
        """What is to be published up to a time; the file knows of it before anybody else."""
        assert self._publisher is not None
        if self.every is None:
            if time >= self._publisher.now:
                self._publisher.published(time)
            yield from self._changes()
            return
        while (due := self._begin + self._ticks * self.every) < time or (including and due == time):
            counts = self._publisher.published(max(due, self._publisher.now))
            self._ticks += 1
            self._save(complete=False)
            if not (self.on_change and counts == self._last):
                self._last = counts
                yield due, counts

    def _changes(self) -> Iterator[Published]:
        """What has changed since it was asked last, where every change is published."""
        assert self._publisher is not None
        yield from self._publisher.changes
        self._publisher.changes.clear()

    def _save(self, *, complete: bool) -> None:
        if self.file is None or self._publisher is None or self.every is None:
            return
        pair = self._publisher.saved()
        feed = SavedFeed(pair, self._begin, self.every, self._ticks, complete, self._origin)
        feed.save(self.public, self.file)


def _read(
    lines: Iterable[str],
    arrived: queue.Queue[tuple[float, str | None]],
    clock: Callable[[], float],
) -> None:
    for line in lines:
        arrived.put((clock(), line))
    arrived.put((clock(), None))
