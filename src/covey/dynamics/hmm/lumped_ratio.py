"""Two teams that differ in a robot, which passes for one of the other type: the likelihood ratio.

It is that of every event with its time, in closed form, and so bounds what any snapshots tell.

Let the other team have a robot of type b where the team has one of type a. Follow that robot in the
other team (`tagged_network`), and let it pass for an a: where it is in a species, call it the
species with a in its place. What is then seen of the other team is a path x of counts that the team
itself can show, and for the team it is all there is. With Λ, a_v the rate of all jumps and of those
by v in the team, Λ'_s, a'_{s→u,v} in the other while the robot is in s, the weights

    w_s = P'(path so far, robot in s) / P(path so far)

move by dw_s/dt = (Λ − Λ'_s) w_s between events, and at a jump by v to w_u = Σ_s w_s a'_{s→u,v}/a_v:
the forward filter of the other team over the likelihood of the team [1]. Their sum is P'/P.

Where counts are seen in which both types count alike, they are a function of x. So whoever sees
only those, and only now and then, can tell the teams no better than x does [2].

[1] P. Brémaud, Point Processes and Queues, 1981, ch. VI: likelihood ratios of jump processes.
[2] The data processing inequality; Cover, Thomas, Elements of Information Theory, 2006, ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from covey.dynamics.kernels.sampling.lumped_tables import IMPOSSIBLE, NOWHERE, Drawn, Lumped
from covey.dynamics.ssa.tables import tables_of
from covey.dynamics.threads import on_threads
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.network import Network
from covey.model.species import Species
from covey.model.tagged_network import tag
from covey.numbers import Floats, Ints

_CHUNK = 32  # paths that are drawn together
_ROOM = 4096  # events of a path, at first
_MOST_EVENTS = 100_000_000


class Starts(NamedTuple):
    """Where paths of one of the teams begin.

    Attributes:
        states: (paths, species of the network whose paths they are).
        seen: The same, as the robot passes: (paths, species of the team).
        first: P'/P of that, for each place of the robot: (paths, places).
    """

    states: Ints
    seen: Ints
    first: Floats


@dataclass(frozen=True, eq=False)
class LumpedPair:
    """A team's network, and that of another in which one robot is told apart.

    Attributes:
        team: The network of the team.
        other: That of the other team, in which the robot is told apart.
        passes: For each species of `other` the one of `team` that it passes for; NOWHERE: none.
        really: The one of `team` that it is, were the robot not told apart.
        places: Where the robot may be: species of `other`; NOWHERE where no robot is told apart.
    """

    team: Network
    other: Network
    passes: Ints
    really: Ints
    places: tuple[int, ...]

    @cached_property
    def own(self) -> Ints:
        """For each species of the team, the same one of the other."""
        return np.array([self.other.index[species] for species in self.team.species])

    @cached_property
    def apart(self) -> Ints:
        """The species of the other in which the robot is told apart."""
        return np.setdiff1d(np.arange(len(self.passes)), self.own)

    @cached_property
    def seen(self) -> Ints:
        """By which states of the other are seen as states of the team: (species, species)."""
        matrix = np.zeros((len(self.passes), len(self.team.species)), dtype=np.int64)
        known = np.flatnonzero(self.passes != NOWHERE)
        matrix[known, self.passes[known]] = 1
        return matrix

    @cached_property
    def kinds(self) -> tuple[Ints, Ints]:
        """What kind of jump every reaction is, of the team and of the other."""
        jumps, of_team = np.unique(self.team.changes, axis=0, return_inverse=True)
        known = {tuple(jump): kind for kind, jump in enumerate(jumps.tolist())}
        changes = (self.other.changes @ self.seen).tolist()
        unnamed = self.passes == NOWHERE
        strange = (self.other.changes[:, unnamed] > 0).sum(axis=1)
        of_other = [
            IMPOSSIBLE if odd else known.get(tuple(change), IMPOSSIBLE)
            for change, odd in zip(changes, strange.tolist(), strict=True)
        ]
        return of_team.reshape(-1), np.array(of_other)

    @property
    def is_seen(self) -> bool:
        """Whether every reaction changes what is seen, so that none is missed."""
        moved = (self.other.changes @ self.seen).any(axis=1)
        return bool(self.team.changes.any(axis=1).all() and moved.all())

    @cached_property
    def tables(self) -> Lumped:
        """What the kernel reads."""
        team, other = tables_of(self.team), tables_of(self.other)
        of_team, of_other = self.kinds
        lifts = np.zeros((len(self.places), len(self.passes)), dtype=np.int64)
        for row, place in enumerate(self.places):
            if place != NOWHERE:
                lifts[row, place] += 1
                lifts[row, self.own[self.passes[place]]] -= 1
        team_kinds, other_kinds = of_team[team.reaction], of_other[other.reaction]
        leads = self._leads[other.reaction]
        everywhere = (leads == np.arange(len(self.places))).all(axis=1)
        each = range(int(of_team.max()) + 1)
        return Lumped(
            team, other, self.own, lifts, team_kinds, other_kinds, leads,
            np.array([np.flatnonzero(team_kinds == kind)[0] for kind in each]),
            np.array([np.flatnonzero((other_kinds == kind) & everywhere)[0] for kind in each]),
        )  # fmt: skip

    @cached_property
    def _leads(self) -> Ints:
        """To which place each reaction leads from each: (reactions, places)."""
        number = {place: row for row, place in enumerate(self.places)}
        taken = self.other.reactants[:, self.apart]
        made = taken + self.other.changes[:, self.apart]
        leads = np.tile(np.arange(len(self.places)), (len(taken), 1))
        for reaction in np.flatnonzero(taken.any(axis=1)):
            (before,) = self.apart[taken[reaction] > 0].tolist()
            after = self.apart[made[reaction] > 0].tolist() or [NOWHERE]
            leads[reaction] = NOWHERE
            if before in number:
                leads[reaction, number[before]] = number.get(after[0], NOWHERE)
        return leads


def passing(network: Network, own: str, other: str) -> LumpedPair:
    """A team, and one in which a robot of another type passes for one of its own.

    Args:
        network: Of both teams.
        own: The type that it passes for.
        other: Its type.
    """
    tagged = tag(network, [other])
    name, species = tagged.names[other], tagged.network.species
    passes, really = (
        np.array([network.index.get(_with_member(one, name, type_), NOWHERE) for one in species])
        for type_ in (own, other)
    )
    apart = [place for place, one in enumerate(species) if name in one.members]
    places = [place for place in apart if passes[place] != NOWHERE]
    taken, changes = tagged.network.reactants[:, apart], tagged.network.changes[:, apart]
    if (taken.any(axis=1) & ((taken + changes).sum(axis=1) == 0)).any():
        places.append(NOWHERE)  # where it leaves
    return LumpedPair(network, tagged.network, passes, really, tuple(places))


def at_other_rates(network: Network, other: Network) -> LumpedPair:
    """A team, and the same where its network has other rates."""
    same = np.arange(len(network.species))
    return LumpedPair(network, other, same, same, (NOWHERE,))


def _with_member(species: Species, member: str, instead: str) -> Species:
    members = (instead if one == member else one for one in species.members)
    return Species(species.activity, tuple(members))


def weighed_paths(
    pair: LumpedPair,
    starts: Starts,
    times: Floats,
    marks: Ints,
    seen: Ints,
    *,
    of_other: bool = False,
    seed: int = 0,
    cores: int | None = None,
    progress: Progress | None = None,
) -> tuple[Floats, Floats]:
    """What paths show, (paths, snapshots, sums), and ln P'/P of all that happened, (paths, marks).

    Args:
        pair: Both teams.
        starts: Where the paths begin.
        times: Of the snapshots, ascending.
        marks: After how many snapshots the ratio is asked for, ascending.
        seen: By which counts of the team are seen: (sums, species).
        of_other: Whether they are paths of the other team.
        seed: Which paths.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    from covey.dynamics.kernels.sampling.lumped_paths import draw_and_weigh  # noqa: PLC0415  (numba)

    lumped, paths = pair.tables, len(starts.states)
    tables, kinds = (lumped.other if of_other else lumped.team), pair.kinds[int(of_other)]
    by = (seen[:, pair.really] if of_other else seen).T  # as it is, not as the robot passes
    shown, out = np.empty((paths, len(times), len(seen))), np.empty((paths, len(marks)))

    def work(first: int) -> None:
        row, last, room = first, min(first + _CHUNK, paths), _ROOM
        while row < last:
            some = slice(row, last)
            drawn = Drawn(tables, kinds, starts.states[some], starts.seen[some], starts.first[some])
            states = np.empty((last - row, len(times), len(by)), dtype=np.int64)
            done = draw_and_weigh(
                lumped, drawn, times, times[marks - 1], np.uint64(seed), row,
                np.empty(room), states, out[some],
            )  # fmt: skip
            shown[row : row + done] = states[:done] @ by
            row, room = row + done, 4 * room
            if row < last and room > _MOST_EVENTS:
                raise TooLargeError(
                    f"path {row} has more than {room // 4:,} events: ask for fewer snapshots"
                )

    def said(done: int) -> None:
        if progress is not None:
            progress(min(done * _CHUNK, paths), paths, f"paths of {len(times)} snapshots")

    on_threads(work, range(0, paths, _CHUNK), cores, said)
    return shown, out
