"""The real team of a stand-in that is published: how both are coupled, and paths between states.

Where the pairs of states fit, the coupling is listed for all of them; elsewhere both are coupled on
the way, by a potential of their difference. Where the team turns out to be another one (a robot
came or went), they are coupled greedily: that is as safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.bridge import Bridges
from covey.dynamics.ssa.simulation import end_points
from covey.errors import CoveyError, TooLargeError
from covey.model.io.stand_in_file import Reference
from covey.model.network import Network
from covey.model.scenario import Scenario
from covey.model.structure.reachability import reach
from covey.model.team import Team
from covey.numbers import Floats, Ints
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.difference import difference_potential
from covey.remedy.stand_in.pairs import Coupling, Pairs, Side
from covey.remedy.stand_in.publishing.draws import Draws
from covey.remedy.stand_in.walk import Walk

if TYPE_CHECKING:
    from covey.dynamics.kernels.coupling.pair_coupling import Differences

MOST_STATES = 50_000  # of a team whose paths are drawn, and of a reference that is drawn at rest
_SETTLED = 12.0  # relaxation times that a larger reference runs before anything is published

Path = list[tuple[float, int]]


class CoupledTeam:
    """A real team beside a stand-in.

    Args:
        public: The stand-in.
        state: Where the team is, (species,).
        network: At which rates it moves; by default at the reference's.
    """

    def __init__(self, public: Reference, state: Ints, network: Network | None = None) -> None:
        self.public = public
        self.real = _team_at(public.scenario.with_(network=network, warn=False), state)
        self._solver = Solver(self.real.network)
        self.coupling = self._coupled()
        self.differences: Differences | None = None
        if self.coupling is None and public.coupling != "greedy":
            self.differences = difference_potential(self.real, public.scenario, public.loss)

    def walk(self, state: Ints, stand_in: Ints) -> Walk:
        """Both where they are, coupled; new arrays."""
        public, listed = self.public, self.coupling
        if listed is not None and all(
            side.chain.lattice.index_of(at)[0] >= 0
            for side, at in zip(listed.pairs.sides, (state, stand_in), strict=True)
        ):
            walk = Walk.listed(self.real, public.scenario, public.loss, listed)
            return walk.at(state, stand_in, listed)
        differences = self.differences if self._is_the_team(state) else None
        walk = Walk.on_the_way(self.real, public.scenario, public.loss, differences)
        return walk.at(state, stand_in, None)

    def path(
        self, ends: tuple[Ints, Ints], span: float, random: Callable[[], float]
    ) -> Path | None:
        """What the team did between two states, drawn; None where the second does not follow."""
        index = self.side.chain.lattice.index_of
        numbers = [int(index(state)[0]) for state in ends]
        if min(numbers) < 0:
            return None
        return self._bridges.path((numbers[0], numbers[1]), span, random)

    @cached_property
    def side(self) -> Side:
        """The team's chain; refused where it has too many states to draw paths."""
        if self.coupling is not None:
            return self.coupling.pairs.real
        solver = self._solver
        if (states := _states(solver, self.real.start)) > MOST_STATES:
            raise TooLargeError(
                f"the team has {states:,} states or more, and a path between two of them is drawn "
                f"for up to {MOST_STATES:,}: feed the stand-in with every event instead"
            )
        return Side.of(solver, self.real)

    @cached_property
    def _bridges(self) -> Bridges:
        return Bridges(self.side.rates, self.side.into)

    def _is_the_team(self, state: Ints) -> bool:
        """Whether a state has what the network conserves of the team that it began with."""
        kept = self._solver.structure.conservation_matrix
        return not (kept @ (state - self.real.start)).any()

    def _coupled(self) -> Coupling | None:
        solver, public = self._solver, self.public
        if public.coupling == "difference":
            return None
        try:
            pairs = Pairs.of(solver, self.real, public.scenario, public.loss)
        except TooLargeError:
            return None
        return greedy(pairs) if public.coupling == "greedy" else optimal(pairs)


def _team_at(scenario: Scenario, state: Ints) -> Scenario:
    """The scenario of the team that is in a state: its types and resources are counted there."""
    members: dict[str, int] = dict.fromkeys(scenario.team.members, 0)
    for species, count in zip(scenario.network.species, state.tolist(), strict=True):
        for member in species.members:
            members[member] = members.get(member, 0) + count
    types = {name: members[name] for name in scenario.team.types}
    resources = {name: members[name] for name in scenario.team.resources}
    return scenario.with_(team=Team(types, resources), warn=False)


def _states(solver: Solver, start: Ints) -> int:
    """How many states there are; not to the end where they are too many to be listed."""
    return reach(solver.structure, start.tolist(), enough=MOST_STATES).at_least


class Beginning(NamedTuple):
    """Where a reference begins: in one of these states, and then it runs unseen for a time."""

    states: Ints  # (states, species)
    probabilities: Floats  # (states,)
    unseen: float


def beginning(scenario: Scenario) -> Beginning:
    """Where the reference begins: at its start, or in its stationary distribution.

    Of a reference with too many states, one that has run for twelve relaxation times of its mean
    field is taken: that it has settled by then is not proved.
    """
    network, start = scenario.network, scenario.start
    at_start = Beginning(start[None], np.ones(1), 0.0)
    if scenario.adversary.at != "steady":
        return at_start
    solver = Solver(network)
    try:
        if _states(solver, start) <= MOST_STATES:
            chain = solver.chain(start)
            found = chain.stationary().probabilities
            return Beginning(chain.lattice.states.astype(np.int64), found / found.sum(), 0.0)
        span = settling_time(network, start, equilibrium(network, start), _SETTLED)
    except CoveyError:
        return at_start
    return at_start._replace(unseen=span)


def first_state(scenario: Scenario, draws: Draws) -> Ints:
    """A state that the reference begins in, drawn."""
    states, probabilities, unseen = beginning(scenario)
    if len(states) > 1:
        upto = np.cumsum(probabilities)
        found = np.searchsorted(upto, draws.one() * upto[-1], side="right")
        return np.asarray(states[found])
    if not unseen:
        return np.asarray(states[0])
    seed = int(draws.one() * 2**53)
    (state,) = end_points(scenario.network, states[0], unseen, samples=1, seed=seed)
    return np.asarray(state, dtype=np.int64)
