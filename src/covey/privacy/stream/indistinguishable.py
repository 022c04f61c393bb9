"""Neighbours that nothing seen can tell from the team, however often somebody looks.

Two ways in which that is known, both from the model alone and exactly:

  a relabelling of the types that keeps the network and what is seen takes the one start to the
  other (`symmetry`);
  the two types are one but for their names (`merging`), what is seen is the same of both, and both
  teams start alike. At steady state they need not: it is enough that both starts of the merged
  chain lead to one closed class, and to the same.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.merging import merged
from covey.dynamics.stationary.communicating_classes import closed_classes
from covey.errors import TooLargeError
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Neighbour
from covey.numbers import Ints
from covey.privacy.cases import case_of

_MOST_STATES = 100_000  # of a merged chain: beyond, where it ends is not looked for


def told_by_nothing(solver: Solver, scenario: Scenario, neighbour: Hypothesis, at: Moment) -> bool:
    """Whether snapshots from a moment on have the same distribution for the team and a neighbour.

    False where that is not known.
    """
    case = case_of(scenario, neighbour)
    if case.network != scenario.network:
        return False
    start, other = scenario.start, np.array(case.start)
    symmetries = solver.symmetries.keeping(scenario.query)
    if symmetries.least(start) == symmetries.least(other):
        return True
    if not isinstance(neighbour, Neighbour) or scenario.network.timetable:
        return False
    both = merged(scenario.network, neighbour.from_type, neighbour.to_type)
    if both is None or not both.shows(scenario.query):
        return False
    ours, theirs = both.state(start), both.state(other)
    if (ours == theirs).all():
        return True
    few = Limits(max_states=min(solver.max_states, _MOST_STATES))
    return at == "steady" and _end_alike(Solver(both.network, few), ours, theirs)


def _end_alike(solver: Solver, one: Ints, other: Ints) -> bool:
    """Whether two starts are bound to come to the same closed class."""
    ends = []
    for start in (one, other):
        try:
            chain = solver.chain(start)
        except TooLargeError:
            return False
        classes = closed_classes(chain.generator, chain.start)
        if len(classes) > 1:
            return False
        ends.append({state.tobytes() for state in chain.lattice.states[classes[0]]})
    return ends[0] == ends[1]
