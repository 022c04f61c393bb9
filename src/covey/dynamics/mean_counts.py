"""What is seen on average, E y at a moment: a model that is not the one meant shows in its means.

Quick or not at all, as it stands beside other answers. A chain of few states, whose distribution
takes few products with its generator, is solved: E y = Σ y p(y). Else the mean field is followed.
Where every reaction has at most one reactant and mass action it is the mean, d/dt E x = Γ v(E x),
as v is affine; otherwise it is an approximation, and is called one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.mean_field.rate_equations import equilibrium, mean_field
from covey.dynamics.solver import Solver
from covey.errors import CoveyError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints
from covey.words import when

_FEW_STATES = 2_000  # of a chain
_SUMMED = 50_000  # of a closed form, which lists none of them
_FEW_PRODUCTS = 1e4  # fastest rate × time: of a transition matrix with a vector
_LARGEST = 300  # species, or tens of reactions, of a mean field: its Jacobian is dense
_EVALUATIONS = 20_000  # of a mean field: a second or two


@dataclass(frozen=True)
class Means:
    """The mean of everything that is seen, at one moment.

    Attributes:
        at: The moment: a time, or "steady".
        counts: The mean of each; empty where it was not computed.
        exact: Whether these are the means, and no approximation of them.
        method: By what: the method of a distribution, or "mean-field"; None where it was not
            computed.
        why: What kind of approximation it is, or why there is none; empty for exact ones.
    """

    at: Moment
    counts: FrozenMap[str, float]
    exact: bool
    method: str | None
    why: str = ""

    @classmethod
    def of_distribution(cls, at: Moment, distribution: Distribution) -> Means:
        """Those of a distribution that was computed already."""
        return cls(at, FrozenMap(distribution.mean), True, distribution.method)

    def keys(self) -> dict[str, Any]:
        """As JSON has them."""
        known = self.method is not None
        return {
            "at": self.at,
            "counts": dict(self.counts) if known else None,
            "exact": self.exact if known else None,
            "method": self.method,
            "why": self.why or None,
        }

    def lead(self, unit: str | None = None) -> str:
        """What the figures are, or why there are none: `On average at steady state`."""
        moment = when(self.at, unit)
        if self.method is None:
            return f"What is seen on average {moment} was not computed: {self.why}"
        return f"On average {moment}" + (f" ({self.why})" if self.why else "")

    def sentence(self, unit: str | None = None, most: int = 20) -> str:
        """`On average at steady state: free 1.5, busy 2.5.`"""
        first = [f"{name} {mean:.4g}" for name, mean in list(self.counts.items())[:most]]
        left = len(self.counts) - len(first)
        more = f" and {left:,} more" if left else ""
        lead = self.lead(unit)
        return f"{lead}: {', '.join(first)}{more}." if first else f"{lead}."


def means(solver: Solver, start: Ints, at: Moment, query: Query) -> Means:
    """The means of what is seen, where they are quickly had; never an error."""
    try:
        free = solver.by_any_method()
        if _quick(free, start, at, query):
            (distribution,) = free.distributions(start, [at], query)
            return Means.of_distribution(at, distribution)
        return _by_mean_field(solver, start, at, query)
    except CoveyError as error:
        return Means(at, FrozenMap(), False, None, error.message)
    except np.linalg.LinAlgError:
        why = "the mean field's equations cannot be solved in doubles"
        return Means(at, FrozenMap(), False, None, why)


def _quick(solver: Solver, start: Ints, at: Moment, query: Query) -> bool:
    """Whether the distribution of what is seen is soon computed."""
    states = solver.reach(start).states
    if states is None or states > solver.max_states:
        return False
    if at == "steady":
        closed = solver.plan(start, at, query).method == "product-form"
        return states <= (_SUMMED if closed else _FEW_STATES)
    if states > _FEW_STATES:
        return False
    phases = [one.chain(start).generator.exits for one in solver.phases]
    fastest = max(float(exits.max(initial=0.0)) for exits in phases)
    return float(at) * fastest <= _FEW_PRODUCTS


def _by_mean_field(solver: Solver, start: Ints, at: Moment, query: Query) -> Means:
    network = solver.network
    query.check_linear("a mean field")
    if max(len(network.species), len(network.reactions) / 10) > _LARGEST:
        raise UnsupportedError(
            f"a mean field of {len(network.species):,} species and {len(network.reactions):,} "
            "reactions takes long"
        )
    try:
        state = _followed(solver, start, at)
    except UnsupportedError:
        if network.has_rate_laws:
            jumps = "there are many states, and a mean field does not follow rate laws that jump"
            raise UnsupportedError(jumps) from None
        raise
    exact = not network.has_rate_laws and bool((np.abs(network.reactants).sum(axis=1) <= 1).all())
    rough = ", rougher where rate laws jump" if network.has_rate_laws else ""
    near = "" if exact else f"by the mean field, an approximation for large teams{rough}"
    seen = query.matrix(network) @ state
    counts = dict(zip(query.groups(network), seen.tolist(), strict=True))
    return Means(at, FrozenMap(counts), exact, "mean-field", near)


def _followed(solver: Solver, start: Ints, at: Moment) -> Floats:
    network = solver.network
    if at == "steady":
        if solver.structure.complex_balanced and not network.timetable:  # no path to be followed
            return equilibrium_point(solver.structure, start)
        return equilibrium(network, start, max_evaluations=_EVALUATIONS)
    (state,) = mean_field(network, start, [at], max_evaluations=_EVALUATIONS)
    return np.asarray(state)
