"""Changes that have the same effect because a relabelling of the types maps one onto the other.

Where types may change places (`state_space.symmetry`) without changing what is there, what is seen,
what is secret and what the team is for, half of one type's rate does what half of the other's does.
Such scenarios differ by a permutation of their rates and counts: the least of all images is what
they are known by, and one of them is computed. A public set of teams and values of one's own
(`[[secret.against]]`) name types: there no change is taken to be like another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.solver import Solver
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints

_Permutation = NDArray[np.intp]


def alike(solver: Solver, scenario: Scenario, changed: Sequence[Scenario]) -> list[int]:
    """For every changed scenario the first one that has the same effect.

    Args:
        solver: Of the scenario's network.
        scenario: The scenario as it is; the others differ from it in rates and in counts.
        changed: The others.
    """
    symmetries = _symmetries(solver, scenario)
    first: dict[object, int] = {}
    found = []
    for place, one in enumerate(changed):
        key: object = place
        if len(symmetries) > 1 and one.network.same_wiring(scenario.network):
            rates, start = one.network.rate_constants, one.start
            key = min((tuple(rates[r]), tuple(start[g])) for g, r in symmetries)
        found.append(first.setdefault(key, place))
    return found


def _symmetries(solver: Solver, scenario: Scenario) -> list[tuple[_Permutation, _Permutation]]:
    """What changes nothing: permutations of the species, and of the reactions."""
    network = scenario.network
    secret = scenario.secret
    if network.has_rate_laws or scenario.release.instead is not None:
        return []
    if secret.teams is not None or secret.against:
        return []
    sides = np.hstack([network.reactants, network.changes])
    if Counter(map(tuple, sides.tolist())).most_common(1)[0][1] > 1:  # which is which?
        return []
    place = {tuple(row): r for r, row in enumerate(sides.tolist())}
    entering = _entering(scenario)
    weights = [one.weights(network, scenario.query) for one in scenario.performance.values()]
    found = []
    for g in solver.symmetries.keeping(scenario.query).fixing(scenario.start):
        images = np.hstack([network.reactants[:, g], network.changes[:, g]])
        r = np.argsort([place[tuple(row)] for row in images.tolist()])
        kept = {tuple(np.array(one)[g].tolist()) for one in entering} == entering
        if kept and all(_same(w.reactions, r) and _same(w.species, g) for w in weights):
            found.append((g, r))
    return found


def _entering(scenario: Scenario) -> set[tuple[int, ...]]:
    """Where one robot more of each protected type begins: (species,) each."""
    now: Ints = scenario.start
    teams = [scenario.team.joined_by(name) for name in scenario.protected]
    return {tuple((scenario.start_of(team) - now).tolist()) for team in teams}


def _same(values: Floats, image: _Permutation) -> bool:
    return bool((values[image] == values).all())
