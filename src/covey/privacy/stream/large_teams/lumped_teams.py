"""A team and a neighbour, one of which has a robot that passes for one of the other's type.

Paths of both are drawn, and `lumped_ratio` weighs them event by event. What is asked for here is
which of the two takes that part, whether it can, and where paths begin: where the teams start, or
in the product form, from which states are drawn exactly. There the robot is in species s with the
probability (its type's robots in s)/(all of its type), and the weights of its places are

    P'(x, robot in s)/P(x) = π'(x − s̃ + s)/π(x) · that,      s̃ being what s passes for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.hmm.lumped_ratio import (
    LumpedPair,
    Starts,
    at_other_rates,
    passing,
    weighed_paths,
)
from covey.dynamics.kernels.sampling.lumped_tables import NOWHERE
from covey.dynamics.product_form.draws import draw_states
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.hypothesis import Hypothesis, OtherValues
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Neighbour
from covey.numbers import Floats, Ints
from covey.privacy.cases import Case, case_of


@dataclass(frozen=True)
class LumpedTeams:
    """Both teams, and when they are looked at.

    Attributes:
        pair: Their networks.
        cases: Of the team of the pair, and of the other.
        type: Of the robot that is told apart; empty where none is.
        swapped: Whether the pair's team is the neighbour.
        begin: When the first snapshot is: a time, or "steady".
        seen: By which counts are seen: (sums, species).
        forms: The closed forms of both networks, where it is "steady".
    """

    pair: LumpedPair
    cases: tuple[Case, Case]
    type: str
    swapped: bool
    begin: Moment
    seen: Ints
    forms: tuple[ProductForm, ProductForm] | None

    def shown(
        self,
        of_neighbour: bool,
        paths: int,
        times: Floats,
        marks: Ints,
        seed: int,
        cores: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[Floats, Floats]:
        """What paths show, (paths, snapshots, sums), and how much all speaks for the team.

        That is (P − P')/(P + P') of all that happened, with P that of the scenario's own team.

        Args:
            of_neighbour: Whose paths.
            paths: How many.
            times: Of the snapshots, from the first one on.
            marks: After how many of them is asked.
            seed: Which paths.
            cores: Threads to compute on; by default one on each core.
            progress: Called as progress(done, total, text) while the work goes on.
        """
        of_other = of_neighbour != self.swapped
        starts = self._starts(of_other, paths, np.random.default_rng([seed, 1]))
        first = 0.0 if isinstance(self.begin, str) else self.begin
        shown, logs = weighed_paths(
            self.pair, starts, first + times, marks, self.seen, of_other=of_other, seed=seed,
            cores=cores, progress=progress,
        )  # fmt: skip
        speaks = np.tanh(logs / 2)
        return shown, speaks if self.swapped else -speaks

    def _starts(self, of_other: bool, paths: int, random: np.random.Generator) -> Starts:
        start = np.array(self.cases[of_other].start)
        states = np.tile(start, (paths, 1))
        if self.forms is not None:
            states = draw_states(self.forms[of_other], start, paths, random)
        if not of_other:
            return Starts(states, states, self._weights(states))
        pair = self.pair
        lifted = np.zeros((paths, len(pair.passes)), dtype=np.int64)
        lifted[:, pair.own] = states
        if not len(pair.apart):
            return Starts(lifted, states, self._weights(states))
        shares = np.cumsum(self._shares(states), axis=1)
        drawn = (random.random((paths, 1)) * shares[:, -1:] >= shares).sum(axis=1)
        places, rows = pair.apart[drawn], np.arange(paths)
        lifted[rows, pair.own[pair.really[places]]] -= 1
        lifted[rows, places] += 1
        seen = lifted @ pair.seen
        weights = self._weights(seen)
        weights[pair.passes[places] == NOWHERE] = np.inf  # the team cannot show it
        return Starts(lifted, seen, weights)

    def _shares(self, states: Ints) -> Floats:
        """In which of `apart` the robot is, in states of the other team: (paths, places)."""
        species = self.pair.team.species
        counts = np.array([species[s].members.count(self.type) for s in self.pair.really])
        held = (counts * states[:, self.pair.really])[:, self.pair.apart]
        shares: Floats = held / held.sum(axis=1, keepdims=True)
        return shares

    def _weights(self, states: Ints) -> Floats:
        """P'/P of states of the team for each place of the robot: (paths, places)."""
        weights = np.zeros((len(states), len(self.pair.places)))
        for row, place in enumerate(self.pair.places):
            moved = self._moved(states, place)
            able = (moved >= 0).all(axis=1)
            weights[able, row] = self._start_ratio(states[able], moved[able])
            if place != NOWHERE:
                weights[able, row] *= self._shares(moved[able])[:, self.pair.apart == place][:, 0]
        return weights

    def _moved(self, states: Ints, place: int) -> Ints:
        """States of the team as those of the other, the robot being in a place."""
        moved = states.copy()
        if place != NOWHERE:
            moved[:, self.pair.passes[place]] -= 1
            moved[:, self.pair.really[place]] += 1
        return moved

    def _start_ratio(self, states: Ints, moved: Ints) -> Floats:
        """P'(moved)/P(states), where paths begin."""
        if self.forms is None:
            return np.asarray((moved == self.cases[1].start).all(axis=1), dtype=float)
        own, other = self.forms
        logs = other.log_weight(moved) - own.log_weight(states)
        return np.exp(logs - self._log_normalisers[1] + self._log_normalisers[0])

    @cached_property
    def _log_normalisers(self) -> tuple[float, float]:
        assert self.forms is not None
        own, other = self.forms
        return own.log_normaliser(self.cases[0].start), other.log_normaliser(self.cases[1].start)

    @property
    def can_begin(self) -> bool:
        """Whether the teams differ in that robot, wherever it is: then they agree else."""
        own, other = (np.array(case.start) for case in self.cases)
        off = np.array([self._moved(own[None], place)[0] - other for place in self.pair.places])
        if self.forms is None:
            return not off.any(axis=1).all()
        roots, index = self.forms[1].roots_of(other), self.pair.team.index
        live = [index[species] for species in roots.species]
        return not (off[:, live] @ roots.needs).any() and not np.delete(off, live, axis=1).any()


def lumped_teams(
    solver: Solver, scenario: Scenario, supposed: Hypothesis, begin: Moment
) -> LumpedTeams | None:
    """Both teams, where a robot of one may pass for another type without being seen to; else None.

    Args:
        solver: For the scenario's network.
        scenario: The team, its network, and what is seen of it.
        supposed: What it is compared with.
        begin: When the first snapshot is.
    """
    own, other = case_of(scenario), case_of(scenario, supposed)
    if own.network.timetable or own.at != other.at:
        return None
    seen = scenario.query.matrix(scenario.network)
    for swapped in _orders(scenario, supposed):
        cases = (other, own) if swapped else (own, other)
        pair, type_ = _pair(cases, supposed, swapped=swapped)
        places = np.array([place for place in pair.places if place != NOWHERE], dtype=np.int64)
        alike = (seen[:, pair.passes[places]] == seen[:, pair.really[places]]).all()
        if not (pair.is_seen and alike):
            continue
        forms = None
        if begin == "steady":
            ours, theirs = (solver.at_rates(case.network).closed_form for case in cases)
            if not (isinstance(ours, ProductForm) and isinstance(theirs, ProductForm)):
                return None
            forms = ours, theirs
        teams = LumpedTeams(pair, cases, type_, swapped, begin, seen, forms)
        if teams.can_begin:
            return teams
    return None


def _orders(scenario: Scenario, supposed: Hypothesis) -> tuple[bool, ...]:
    """Whether the team of the pair is the neighbour: first where the robot is one among more."""
    if isinstance(supposed, OtherValues):
        return (False,)
    if type(supposed) is not Neighbour:
        return ()
    ours, theirs = supposed.from_type, supposed.to_type
    fewer = scenario.team.types[ours] < supposed.team.types[theirs]
    return fewer, not fewer


def _pair(
    cases: tuple[Case, Case], supposed: Hypothesis, *, swapped: bool
) -> tuple[LumpedPair, str]:
    if not isinstance(supposed, Neighbour):
        return at_other_rates(cases[0].network, cases[1].network), ""
    types = supposed.from_type, supposed.to_type
    own, other = reversed(types) if swapped else types
    return passing(cases[0].network, own, other), other
