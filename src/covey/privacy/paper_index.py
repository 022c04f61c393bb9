"""The paper's Proposition 1, under its own name.

For a complex-balanced network seen through the identity query the paper gives as leakage

    max over D' ∈ Adj(D), x ∈ 𝒳(D) ∪ 𝒳(D')  of  |Σ_i x_i ln(x̄_i/x̄'_i) − x̄_i + x̄'_i|,

x̄ and x̄' being the mean-field equilibria of the two teams. It is the largest log-ratio of two
products of Poisson densities, which are the stationary laws up to their normalisers only, and it
evaluates each density on states that its team cannot be in: conserved counts differ between D and
D', so that no state is possible for both, and the true leakage under the identity query is
infinite. So this number is an *index*, a measure of how far the equilibria of neighbours are apart,
and no leakage: it bounds none, from neither side.

For each neighbour it is the maximum of a linear function of x and of its negative, over the whole
points of two lattices {x ≥ 0: W x = b}: integer programs, solved by HiGHS [1].

[1] Q. Huangfu, J. Hall, Parallelizing the dual revised simplex method, Math. Prog. Comp. 10, 2018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.closed_form.convolution.lumped_lattice import find_roots
from covey.dynamics.closed_form.product_form import ProductForm
from covey.dynamics.equilibrium import equilibrium_point
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.scenario import Scenario
from covey.model.structure import Structure
from covey.model.team import Neighbour
from covey.numbers import Floats, Ints
from covey.privacy.laws import neighbours_of
from covey.showing import Showing


@dataclass(frozen=True)
class PaperIndex(Showing):
    """The index, and where it is attained.

    Attributes:
        value: Infinite where a species has an equilibrium of 0 under one team only.
        neighbour: The neighbour.
        state: The state, as a count for every species.
    """

    value: float
    neighbour: Neighbour
    state: dict[str, int]


def paper_index(scenario: Scenario) -> PaperIndex:
    """The right-hand side of the paper's Proposition 1 for a scenario's team at steady state.

    Not a leakage: see the module. To 1e-6, HiGHS's tolerance; the value is that of the state that
    comes with it.

    Args:
        scenario: The team and its network; what can be seen of it plays no part.
    """
    network = scenario.network
    ProductForm(network)  # refuses what has no product form, with its reason
    start = scenario.start
    ours, lattice = equilibrium_point(network, start), _Lattice.of(network, start)
    found = []
    for neighbour in neighbours_of(scenario):
        other = scenario.start_of(neighbour.team)
        theirs = equilibrium_point(network, other)
        both = [lattice, _Lattice.of(network, other)]
        value, state = max((_extreme(ours, theirs, one) for one in both), key=lambda pair: pair[0])
        named = zip(map(str, network.species), state.tolist(), strict=True)
        found.append(PaperIndex(value, neighbour, dict(named)))
    return max(found, key=lambda index: index.value)


@dataclass(frozen=True, eq=False)
class _Lattice:
    """All states of a team: x ≥ 0 with needsᵀ x = totals, and x as at the start where inert."""

    start: Ints  # (species,)
    changing: Ints  # (changing species,)
    needs: Ints  # (changing species, roots)

    @classmethod
    def of(cls, network: Network, start: Ints) -> _Lattice:
        live = Structure(network).live(start.tolist())
        if live is None:
            return cls(start, np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
        roots = find_roots(live)
        if not roots.needs.any(axis=1).all():
            raise UnsupportedError(
                "robots come from nothing here: there are infinitely many states, and the index "
                "has no maximum"
            )
        place = np.array([network.index[species] for species in roots.species], dtype=np.int64)
        return cls(start, place, roots.needs)

    def maximise(self, objective: Floats) -> Ints:
        """The state with the largest Σ objective·x."""
        from scipy.optimize import LinearConstraint, milp  # noqa: PLC0415  (0.8 s)

        state = self.start.copy()
        if not len(self.changing):
            return state
        totals = self.start[self.changing] @ self.needs
        result = milp(
            -objective[self.changing],
            integrality=np.ones(len(self.changing)),
            constraints=LinearConstraint(self.needs.T, totals, totals),
            options={"mip_rel_gap": 0.0},
        )
        if result.x is None:
            raise UnsupportedError(f"the integer program was not solved: {result.message}")
        state[self.changing] = np.rint(result.x).astype(np.int64)
        if (state[self.changing] @ self.needs != totals).any() or (state < 0).any():
            raise UnsupportedError(
                "the integer program's solution breaks a conservation law when it is rounded: "
                "counts this large are beyond its tolerance. Take a smaller team"
            )
        return state


def _extreme(ours: Floats, theirs: Floats, lattice: _Lattice) -> tuple[float, Ints]:
    """The largest |Σ x ln(x̄/x̄') − x̄ + x̄'| on one lattice, and where."""
    one_sided = (ours > 0) != (theirs > 0)
    if one_sided.any():
        state = lattice.maximise(one_sided.astype(float))
        if state[one_sided].any():
            return math.inf, state
    both = (ours > 0) & (theirs > 0)
    slope = np.zeros(len(ours))
    slope[both] = np.log(ours[both]) - np.log(theirs[both])
    constant = float((theirs - ours).sum())
    candidates = [lattice.maximise(sign * slope) for sign in (1.0, -1.0)]
    values = [abs(float(state @ slope) + constant) for state in candidates]
    best = int(np.argmax(values))
    return values[best], candidates[best]
