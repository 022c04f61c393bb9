"""Publishing a stand-in: every event of the real team goes in, the stand-in's counts come out.

When the real team does r, the stand-in does s with the probability m_rs / λ_r(x); in between it
does s by itself at the rate μ_s(w) − Σ_r m_rs. So its own clock decides when something that is
published changes, and never a line that came in. All draws are the operating system's.

An event that the network does not know, or that cannot happen where the team is, and a time that
runs backwards are said and left out: then the state is not known any more, and the stand-in goes on
alone, at its own rates μ, until a whole state is there again. That is safe, as any coupling is; an
event that was never told is not, for the stand-in waited for it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from copy import copy

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.simulation import end_points
from covey.errors import CoveyError, InputError, shown
from covey.model.scenario import Scenario
from covey.model.team import Team, check_count
from covey.numbers import Floats, Ints
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.stand_in_file import Reference
from covey.remedy.stand_in.walk import Walk
from covey.remedy.stand_in.walk import shown as seen_of

_POOL = 4096  # random numbers that are fetched at a time
_SETTLED = 12.0  # relaxation times that the reference runs before anything is published


class CoupledPublisher:
    """Publishes a stand-in: `publisher.event(3.2, 1)`, then `publisher.published(4)`.

    `notes` has a sentence for all that could not be used, added when it happens; none says anything
    of the real team. `known` says whether the team's state is known, so that both move together.

    Args:
        public: The stand-in, as `open_stand_in` reads it.
        start: How many of the real team there are of each species, by name; all that are left out
            are 0.
        time: When that is.
        random: Gives so many random bytes; nobody else may foresee them.
    """

    def __init__(
        self,
        public: Reference,
        start: Mapping[str, int],
        time: float = 0.0,
        *,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        from covey.dynamics.kernels import coupled_paths  # noqa: PLC0415

        self.public, self._bytes, self._kernels = public, random, coupled_paths
        self.network = public.scenario.network
        self.names = tuple(public.scenario.query.groups(self.network))
        self.now = float(time)
        self.notes: list[str] = []
        self.known = True
        self._bits: Floats = np.empty(0)
        self._used = 0
        state = self._state(start)
        self._real = _team_at(public.scenario, state)
        self._coupling = self._coupled()
        self._truth = self._random() < public.truth
        seed = int.from_bytes(random(8), "little")
        self._walk = self._begin(state, _settled(public.scenario, seed))

    def again(self, start: Mapping[str, int], random: Callable[[int], bytes]) -> CoupledPublisher:
        """Another one for the same team, coupled as this one is.

        Args:
            start: How many there are of each species, by name.
            random: Gives so many random bytes.
        """
        other = copy(self)
        other.now, other.notes, other.known, other._bytes = 0.0, [], True, random
        other._bits, other._used = np.empty(0), 0
        seed = int.from_bytes(random(8), "little")
        other._walk = other._begin(other._state(start), _settled(self.public.scenario, seed))
        return other

    def event(self, time: float, reaction: int) -> None:
        """The real team did something.

        Args:
            time: When.
            reaction: Which of the network's reactions, by its number from 0.
        """
        if not self.known or not self.now <= time < math.inf:
            self._until(time)
        elif not 0 <= reaction < len(self._walk.room.ours):
            self._until(time)
            self._lose(f"{shown(reaction)} is no reaction of the network")
        elif not self._walk.room.ours[reaction] > 0:
            self._until(time)
            self._lose("a reaction was told that cannot happen where the team is")
        else:
            done = False
            while not done:
                self._fetch(3)
                self.now, self._used, done = self._kernels.told(
                    *self._walk.all, self.now, float(time), reaction, self._bits, self._used
                )

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """The real team as a whole: it is checked, or known again.

        Args:
            time: When.
            counts: How many there are of each species, by name.
        """
        if not self._until(time):
            return
        state = self._state(counts)
        if self.known and (state != self._walk.pair.x).any():
            self._lose("the state is not the one that the events led to")
        if not self.known:
            self.known = True
            self._walk = self._begin(state, self._walk.pair.w.copy())

    def published(self, time: float) -> dict[str, int]:
        """What is published at a time; every event before it must have been told.

        Args:
            time: When; not before what was told or published last.
        """
        if time < self.now:
            raise InputError(f"{time:g} lies before {self.now:g}, when something was published")
        self._until(time)
        pair = self._walk.pair
        shows = pair.x if self._truth and self.known else pair.w
        counts = seen_of(self.public.scenario, shows[None])[0].tolist()
        return dict(zip(self.names, counts, strict=True))

    def _until(self, time: float) -> bool:
        """The stand-in moves by itself up to a time; False where that is past."""
        if not math.isfinite(time):
            raise InputError(f"the time is {shown(time)}: a finite number is expected")
        if time < self.now:
            self._lose(f"the time {time:g} lies before {self.now:g}")
            return False
        while self.now < time:
            self._fetch(2)
            self.now, self._used = self._kernels.alone_until(
                *self._walk.all, self.now, float(time), self._bits, self._used
            )
        return True

    def _lose(self, why: str) -> None:
        """The state is not known any more: the stand-in goes on alone."""
        self.notes.append(f"{why}: the stand-in goes on alone until a whole state is told")
        if self.known:
            self.known = False
            self._walk = self._walk.alone()

    def _begin(self, state: Ints, stand_in: Ints) -> Walk:
        """Both where they are, coupled."""
        real = self._real
        if self._coupling is None:
            walk = Walk.greedy(real, self.public.scenario, self.public.loss)
        else:
            walk = Walk.listed(real, self.public.scenario, self.public.loss, self._coupling)
        return walk.at(state, stand_in, self._coupling)

    def _coupled(self) -> Coupling | None:
        if self.public.coupling == "greedy":
            try:
                pairs = self._pairs()
            except CoveyError:
                return None
            return greedy(pairs)
        return optimal(self._pairs())

    def _pairs(self) -> Pairs:
        solver = Solver(self.network)
        return Pairs.of(solver, self._real, self.public.scenario, self.public.loss)

    def _state(self, counts: Mapping[str, int]) -> Ints:
        index = {str(species): i for species, i in self.network.index.items()}
        state = np.zeros(len(index), dtype=np.int64)
        for name, count in counts.items():
            if name not in index:
                raise InputError(f"{shown(name)} is no species of the network")
            state[index[name]] = check_count(count, name)
        return state

    def _fetch(self, least: int) -> None:
        """Random numbers strictly between 0 and 1, of the operating system."""
        if self._used + least > len(self._bits):
            bits = np.frombuffer(self._bytes(8 * _POOL), dtype=np.uint64)
            self._bits = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
            self._used = 0

    def _random(self) -> float:
        self._fetch(1)
        self._used += 1
        return float(self._bits[self._used - 1])


def _team_at(scenario: Scenario, state: Ints) -> Scenario:
    """The scenario of the team that is in a state: its types and resources are counted there."""
    members: dict[str, int] = dict.fromkeys(scenario.team.members, 0)
    for species, count in zip(scenario.network.species, state.tolist(), strict=True):
        for member in species.members:
            members[member] = members.get(member, 0) + count
    types = {name: members[name] for name in scenario.team.types}
    resources = {name: members[name] for name in scenario.team.resources}
    return scenario.with_(team=Team(types, resources), warn=False)


def _settled(scenario: Scenario, seed: int) -> Ints:
    """A state of the reference once it has settled, as far as the mean field can tell."""
    network, start = scenario.network, scenario.start
    if scenario.adversary.at != "steady":
        return start.copy()
    try:
        span = settling_time(network, start, equilibrium(network, start), _SETTLED)
    except CoveyError:
        return start.copy()
    (state,) = end_points(network, start, span, samples=1, seed=seed)
    return np.asarray(state, dtype=np.int64)
