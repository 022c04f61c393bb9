"""What a log of events comes to: how often each reaction happened, and how much it could have.

ln L(κ) of a path that was seen from event to event knows it only by n_l and E_l = ∫ h_l(x(t)) dt
(see `fit`), so a log is added up while it is read, and may be larger than memory. Time is kept by
state until there are many different ones; then it is turned into exposures, and forgotten. Of
events that may have been several reactions, the state is kept, for their share depends on it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propensity import propensity
from covey.errors import InputError
from covey.model.network import Network
from covey.numbers import Floats
from covey.study.fit.logs.log import Log, State
from covey.study.fit.polled_likelihood import Snapshots
from covey.study.fit.task import unit_network

Choice = tuple[int, ...]  # the numbers of the reactions that an event may have been

_STATES = 1 << 14  # that time is kept by
_SILENCES = 3


@dataclass
class Track:
    """One run as far as it was read: since `time` the team has been in `state`."""

    time: float
    state: State
    line: int
    ended: bool = True  # whether the last row was no event: then it is known how long it was quiet
    begun: float = 0.0
    closed: bool = False  # whether nothing is known after it


@dataclass(frozen=True)
class Silence:
    """A stretch of time without an event."""

    length: float
    begin: float
    state: State
    line: int


@dataclass(eq=False)
class Tally:
    """Events and exposures of the reactions of one network, over all runs.

    Attributes:
        network: Its reactions are counted.
        counts: How often each choice happened.
        shared: Where a choice is of several reactions: how often it happened in which state.
        tracks: Where each run is.
        unseen: Reactions that would not have been seen: nothing follows from their silence.
        silences: The longest ones.
        notes: What was odd.
        file: Where it was read from.
        snapshots: What was seen, where the log was polled.
    """

    network: Network
    counts: Counter[Choice] = field(default_factory=Counter)
    shared: Counter[tuple[Choice, State]] = field(default_factory=Counter)
    tracks: list[Track] = field(default_factory=list)
    unseen: set[int] = field(default_factory=set)
    silences: list[Silence] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    file: str | None = None
    snapshots: Snapshots | None = None

    def __post_init__(self) -> None:
        self.unit = unit_network(self.network)
        self._exposure = np.zeros(len(self.network.reactions))
        self._times: dict[State, float] = {}

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self.tracks)

    @property
    def observations(self) -> int:
        """How many events there were."""
        return self.counts.total()

    @property
    def duration(self) -> float:
        """Of all runs together."""
        return math.fsum(track.time - track.begun for track in self.tracks)

    @property
    def exposure(self) -> Floats:
        """E_l of every reaction: (reactions,)."""
        self._add_up()
        return self._exposure

    @property
    def ended(self) -> bool:
        """Whether it is known of every run how long it was watched after its last event."""
        return all(track.ended for track in self.tracks)

    def begin(self, time: float, state: State, line: int) -> Track:
        """Another run, which is in a state from a time on."""
        self.tracks.append(Track(time, state, line, begun=time))
        return self.tracks[-1]

    def wait(self, track: Track, time: float, line: int) -> None:
        """The run goes on to a time, and nothing has happened."""
        self._spend(track, time, line)
        track.ended = True

    def happen(self, track: Track, time: float, choice: Choice, after: State, line: int) -> None:
        """An event leads a run to another state."""
        self._spend(track, time, line)
        self.counts[choice] += 1
        if len(choice) > 1:
            self.shared[choice, track.state] += 1
        track.state, track.ended = after, False

    def until(self, time: float) -> None:
        """All runs were watched to a time, and nothing more has happened."""
        for track in self.tracks:
            if track.closed:
                continue
            if time < track.time:
                raise InputError(
                    f"the log goes on to time {track.time:g}: until = {time:g} is before that",
                    file=self.file,
                    line=track.line or None,
                )
            self.wait(track, time, track.line)

    def propensity(self, reaction: int, states: NDArray[np.integer]) -> Floats:
        """h_l(x) for each row of `states`."""
        return propensity(self.unit, reaction, np.ascontiguousarray(states.T))

    def _spend(self, track: Track, time: float, line: int) -> None:
        gap = time - track.time
        if gap > 0:
            self._times[track.state] = self._times.get(track.state, 0.0) + gap
            if len(self.silences) < _SILENCES or gap > self.silences[-1].length:
                self.silences.append(Silence(gap, track.time, track.state, track.line))
                self.silences.sort(key=lambda one: -one.length)
                del self.silences[_SILENCES:]
            if len(self._times) >= _STATES:
                self._add_up()
        track.time, track.line = time, line

    def _add_up(self) -> None:
        if self._times:
            states = np.array(list(self._times), dtype=np.int64)
            times = np.array(list(self._times.values()))
            for r in range(len(self._exposure)):
                self._exposure[r] += times @ self.propensity(r, states)
            self._times.clear()

    def gaps(self, rates: Sequence[float]) -> list[str]:
        """Silences that these rates do not explain: whether the log was down, the user knows.

        In state x nothing happens for a time g with probability e^{−Σ κ_l h_l(x) g}; one in a
        million for the longest of all is not chance.
        """
        found = []
        for silence in self.silences:
            state = np.array([silence.state], dtype=np.int64)
            hurry = sum(
                rate * float(self.propensity(r, state)[0])
                for r, rate in enumerate(rates)
                if math.isfinite(rate)
            )
            if hurry * silence.length > math.log(max(self.observations, 1)) + math.log(1e6):
                found.append(
                    f"Nothing happened for {silence.length:.6g} from {silence.begin:.6g} on (after "
                    f"line {silence.line:,}), where {hurry * silence.length:,.0f} events are "
                    "usual: if nobody was logging, tell the time before from the time after by a "
                    "column sample."
                )
        return found


def tally_of(log: Log, network: Network, kind: type[Tally] = Tally) -> Tally:
    """What the events of all runs come to.

    Args:
        log: Of events.
        network: The one that the log is of.
        kind: What adds the events up.
    """
    found = kind(network, file=log.file)
    if log.inferred:
        found.unseen = {r for r, row in enumerate(network.changes.tolist()) if not any(row)}
    for run in log.runs:
        states = [tuple(row) for row in run.states.tolist()]
        lines = run.lines.tolist()
        track = found.begin(float(run.times[0]), states[0], lines[0])
        for k, (time, event) in enumerate(
            zip(run.times[1:].tolist(), run.events[1:].tolist(), strict=True), start=1
        ):
            if event < 0:
                found.wait(track, time, lines[k])
                track.state = states[k]
            else:
                found.happen(track, time, log.choices[event], states[k], lines[k])
    return found
