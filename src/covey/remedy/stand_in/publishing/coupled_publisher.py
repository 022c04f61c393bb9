"""Publishing a stand-in: what the real team does goes in, the stand-in's counts come out.

When the real team does r, the stand-in does s with the probability m_rs / λ_r(x); in between it
does s by itself at the rate μ_s(w) − Σ_r m_rs. So its own clock decides when something that is
published changes, and never a line that came in. All draws are the operating system's.

What goes in is every event, or (`polled`) the whole state now and then. Between two states the
team's path is drawn from its distribution given both (`ssa.bridge`), and the stand-in moves along
with that. As long as the next state is not there, it goes on alone, at its own rates μ; what is
published later is coupled again. Either way its distribution is the reference's, exactly.

An event that the network does not know, or that cannot happen where the team is, a state that does
not follow from the last one, and a time that runs backwards are said and left out: then the state
is not known any more, and the stand-in goes on alone until a whole state is there. That is safe, as
any coupling is; an event that was never told is not, for the stand-in waited for it.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Mapping
from copy import copy

import numpy as np

from covey.errors import InputError, TooLargeError, shown
from covey.model.io.stand_in_file import Reference
from covey.model.network import Network
from covey.model.team import check_count
from covey.numbers import Ints
from covey.remedy.stand_in.publishing.coupled_team import CoupledTeam, first_state
from covey.remedy.stand_in.publishing.draws import Draws
from covey.remedy.stand_in.publishing.pair_file import SavedPair
from covey.remedy.stand_in.walk import shown as seen_of

_ALONE = "the stand-in goes on alone until a whole state is told"


class CoupledPublisher:
    """Publishes a stand-in: `publisher.event(3.2, 1)`, then `publisher.published(4)`.

    `notes` has a sentence for all that could not be used, added when it happens; none says anything
    of the real team. `known` says whether the team's state is known, so that both move together.
    `changes` has what was published from when on, where they are followed: the first counts, then
    each change at its own time.

    Args:
        public: The stand-in, as `open_stand_in` reads it.
        start: How many of the real team there are of each species, by name; all that are left out
            are 0.
        time: When that is.
        network: The real team's, where it moves at other rates than the reference; by default the
            reference's. At wrong rates what is published is not the reference's distribution.
        polled: Whether whole states are told at times, and no events.
        follow: Whether to note `changes`.
        saved: The pair as an earlier publisher left it (`saved()`): the stand-in goes on from
            there, alone until `state` tells where the team is.
        random: Gives so many random bytes; nobody else may foresee them.
    """

    now: float
    _last: dict[str, int] | None

    def __init__(
        self,
        public: Reference,
        start: Mapping[str, int],
        time: float = 0.0,
        *,
        network: Network | None = None,
        polled: bool = False,
        follow: bool = False,
        saved: SavedPair | None = None,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        from covey.dynamics.kernels.coupling import coupled_paths  # noqa: PLC0415

        self.public, self.polled, self._kernels = public, polled, coupled_paths
        self._following = follow
        self.network = public.scenario.network
        self.names = tuple(public.scenario.query.groups(self.network))
        self._index = {str(species): i for species, i in self.network.index.items()}
        state = self._state(start)
        self._team = CoupledTeam(public, state, network)
        if polled:
            _ = self._team.side  # refused here, where it has too many states
        self._begin(state, float(time), Draws(random), saved)

    def again(
        self,
        start: Mapping[str, int],
        random: Callable[[int], bytes],
        saved: SavedPair | None = None,
    ) -> CoupledPublisher:
        """Another one for the same team, coupled as this one is.

        Args:
            start: How many there are of each species, by name.
            random: Gives so many random bytes.
            saved: The pair as another publisher left it, from which it goes on.
        """
        other = copy(self)
        other._begin(other._state(start), 0.0, Draws(random), saved)
        return other

    def event(self, time: float, reaction: int) -> None:
        """The real team did something.

        Args:
            time: When.
            reaction: Which of the network's reactions, by its number from 0.
        """
        if self.polled:
            raise InputError("it is told whole states, and no events: leave out polled")
        if not self.known or not self.now <= time < math.inf:
            self._on_time(time)
        elif not 0 <= reaction < len(self.network.reactions):
            self._until(time)
            self._lose("this is no reaction of the network")
        elif not self._does(time, reaction):
            self._until(time)
            self._lose("a reaction was told that cannot happen where the team is")

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """The real team as a whole: it is checked, or known again; polled, its path is drawn.

        Args:
            time: When.
            counts: How many there are of each species, by name.
        """
        state = self._state(counts)
        if self.polled:
            self._follow(time, state)
        elif self._on_time(time):
            if self.known and (state != self._walk.pair.x).any():
                self._lose("the state is not the one that the events led to")
            if not self.known:
                self._couple(state)

    def lose(self, time: float, why: str) -> None:
        """From a time on it is not known what the real team does: the stand-in goes on alone.

        Args:
            time: When; not before what was told last.
            why: A note about it, which must tell nothing of the team.
        """
        if self.polled:
            raise InputError("it is told whole states, and goes on alone where one is missing")
        if self._on_time(time):
            self._lose(why)

    def published(self, time: float) -> dict[str, int]:
        """What is published at a time; all that was before it must have been told.

        Args:
            time: When; not before what was told or published last.
        """
        if time < self.now:
            raise InputError(f"{time:g} lies before {self.now:g}, when something was published")
        self._until(_finite(time))
        return self._shown()

    @property
    def told_until(self) -> float:
        """Up to when it is known what the team did."""
        return self._since if self.polled else self.now

    def saved(self) -> SavedPair:
        """Where both are, for a publisher that goes on from here. It tells of the real team."""
        real = self._told if self.polled else self._walk.pair.x
        known = real.tolist() if self.known or self.polled else None
        return SavedPair(self.now, self._walk.pair.w.tolist(), known, self.told_until, self._truth)

    def _shown(self) -> dict[str, int]:
        """What is published where both are."""
        pair = self._walk.pair
        shows = pair.x if self._truth and self.known else pair.w
        counts = seen_of(self.public.scenario, shows[None])[0].tolist()
        return dict(zip(self.names, counts, strict=True))

    def _note_change(self) -> None:
        counts = self._shown()
        if counts != self._last:
            self._last = counts
            self.changes.append((self.now, counts))

    def _begin(self, state: Ints, time: float, draws: Draws, saved: SavedPair | None) -> None:
        """Both where they are; from what was saved on, the stand-in goes on."""
        self._draws, self.known = draws, True
        self.notes: list[str] = []
        self.changes: list[tuple[float, dict[str, int]]] = []
        self._last = None
        self._plan: deque[tuple[float, int | Ints | None]] = deque()
        if saved is None:
            self.now, self._truth = time, draws.one() < self.public.truth
            stand_in = first_state(self.public.scenario, draws)
            self._since, self._told = time, state
            self._walk = self._team.walk(state, stand_in)
            if self._following:
                self._note_change()
            return
        self.now, self._truth = saved.time, saved.truth
        self._since = saved.since
        self._told = state if saved.real is None else np.array(saved.real, dtype=np.int64)
        self._walk = self._team.walk(self._told, np.array(saved.stand_in, dtype=np.int64))
        self._part()
        if self._following:
            self._note_change()

    def _follow(self, time: float, state: Ints) -> None:
        """The team's path from the state that was told last to this one, drawn."""
        if _finite(time) < self._since:
            self.notes.append("a time lies before the last one: the line is left out")
            return
        begin, before = self._since, self._told
        self._since, self._told = time, state
        try:
            path = self._team.path((before, state), time - begin, self._draws.one)
            why = "the state does not follow from the one before it"
        except TooLargeError:
            path, why = None, "too much may have happened since the last state; tell it more often"
        if path is None:
            self.notes.append(f"{why}: the stand-in goes on alone from the one to the other")
            self._plan += [(begin, None), (time, state)]
            return
        if not self.known and not self._plan and self.now < begin:
            self._plan.append((begin, before))  # alone until then
        here = before.copy()
        for after, reaction in path:
            if begin + after <= self.now:
                here += self.network.changes[reaction]
            else:
                self._plan.append((begin + after, reaction))
        if (
            not self.known and begin <= self.now < time
        ):  # it had to go on alone: from here on coupled again
            self._couple(here)

    def _until(self, time: float) -> None:
        """Both move up to a time, as far as it is known what the team did."""
        while self._plan and self._plan[0][0] <= time:
            when, what = self._plan.popleft()
            if isinstance(what, int):
                self._does(when, what)
                continue
            self._alone(max(when, self.now))
            if what is None:
                self._part()
            else:
                self._couple(what)
        if self.polled and self.known and time > self._since:
            self._alone(max(self._since, self.now))
            self._part()
        self._alone(time)

    def _does(self, time: float, reaction: int) -> bool:
        """The team does something, and with it the stand-in; False where it cannot."""
        if not self._walk.room.ours[reaction] > 0:
            return False
        if self._following:
            self._alone(time)
        draws, done = self._draws, False
        while not done:
            draws.fetch(3)
            self.now, draws.used, done = self._kernels.told(
                *self._walk.all, self.now, float(time), reaction, draws.bits, draws.used
            )
        if self._following:
            self._note_change()
        return True

    def _alone(self, time: float) -> None:
        """The stand-in moves by itself up to a time."""
        draws = self._draws
        go_on = self._kernels.move_alone if self._following else self._kernels.alone_until
        while self.now < time:
            draws.fetch(2)
            self.now, draws.used = go_on(
                *self._walk.all, self.now, float(time), draws.bits, draws.used
            )
            if self._following:
                self._note_change()

    def _on_time(self, time: float) -> bool:
        """Goes on to a time; False where that is past."""
        if _finite(time) < self.now:
            self._lose("a time lies before the last one")
            return False
        self._until(time)
        return True

    def _lose(self, why: str) -> None:
        """The state is not known any more: the stand-in goes on alone."""
        self.notes.append(f"{why}: {_ALONE}")
        self._part()

    def _part(self) -> None:
        if self.known:
            self.known, self._walk = False, self._walk.alone()

    def _couple(self, state: Ints) -> None:
        self.known, self._walk = True, self._team.walk(state, self._walk.pair.w.copy())

    def _state(self, counts: Mapping[str, int]) -> Ints:
        index = self._index
        state = np.zeros(len(index), dtype=np.int64)
        for name, count in counts.items():
            if name not in index:
                raise InputError(f"{shown(name)} is no species of the network")
            state[index[name]] = check_count(count, name)
        return state


def _finite(time: float) -> float:
    if not math.isfinite(time):
        raise InputError(f"the time is {shown(time)}: a finite number is expected")
    return time
