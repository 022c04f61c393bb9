"""The paper's Proposition 1, under its own name and by a closed form.

For a complex-balanced network seen through the identity query the paper gives as leakage

    max over D' ∈ Adj(D), x ∈ 𝒳(D) ∪ 𝒳(D')  of  |Σ_i x_i ln(x̄_i/x̄'_i) − x̄_i + x̄'_i|,

x̄ and x̄' being the mean-field equilibria of the two teams. It is the largest log-ratio of two
products of Poisson densities, which are the stationary distributions up to their normalisers only,
and it evaluates each density on states that its team cannot be in: conserved counts differ between
D and D', so that no state is possible for both, and the true leakage under the identity query is
infinite. So this number is an *index*, a measure of how far the equilibria of neighbours are apart,
and no leakage: it bounds none, from neither side.

The maximum over states needs no search. Both equilibria are c_i exp((Wᵀλ)_i) with the same c > 0, W
being the conservation laws, so ln x̄ − ln x̄' is a combination of conservation laws, and
Σ_i x_i ln(x̄_i/x̄'_i) is the same for every state x of a team: that of its start will do
(docs/theory/snapshot.md has the proof, and the case in which a species is at rest at 0 under one
team only).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.product_form.product_form import ProductForm
from covey.model.scenario import Scenario
from covey.model.team import Neighbour
from covey.numbers import Floats, Ints
from covey.privacy.hypotheses import neighbours_only
from covey.showing import Showing


@dataclass(frozen=True)
class PaperIndex(Showing):
    """The index, and where it is attained.

    Attributes:
        value: Infinite where a species has an equilibrium of 0 under one team only.
        neighbour: The neighbour.
        state: A state at which it is attained, as a count for every species: the start of the team
            or of the neighbour. Where the value is finite, every state of that team attains it.
    """

    value: float
    neighbour: Neighbour
    state: dict[str, int]


def paper_index(scenario: Scenario) -> PaperIndex:
    """The right-hand side of the paper's Proposition 1 for a scenario's team at steady state.

    Not a leakage: see the module.

    Args:
        scenario: The team and its network; what can be seen of it plays no part.
    """
    network = scenario.network
    ProductForm(network)  # refuses what has no product form, with its reason
    start = scenario.start
    ours = equilibrium_point(network, start)
    found = []
    for neighbour in neighbours_only(scenario, "the paper's index"):
        other = scenario.start_of(neighbour.team)
        theirs = equilibrium_point(network, other)
        value, state = max(
            ((_shift(state, ours, theirs), state) for state in (start, other)),
            key=lambda pair: pair[0],
        )
        named = zip(map(str, network.species), state.tolist(), strict=True)
        found.append(PaperIndex(value, neighbour, dict(named)))
    return max(found, key=lambda index: index.value)


def _shift(state: Ints, ours: Floats, theirs: Floats) -> float:
    """|Σ x ln(x̄/x̄') − x̄ + x̄'| at a state x, a species of which there is none adding nothing."""
    present = state > 0
    if (present & ((ours > 0) != (theirs > 0))).any():
        return math.inf
    sensitivity = np.log(ours[present] / theirs[present])
    return abs(float(state[present] @ sensitivity) + float((theirs - ours).sum()))
