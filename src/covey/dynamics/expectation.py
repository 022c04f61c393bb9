"""Expected rates of reactions and mean counts, E f(x), each with bounds.

With p the distribution of what f depends on, within log_error and but for a lost mass of m,

    Σ f p e^-log_error ≤ E f ≤ Σ f p e^log_error + m max f        for f ≥ 0,

max f being what the conservation laws allow. Where a chain is solved, its distribution gives all of
f at once; where a closed form is, every term is asked for by itself: a rate needs the joint
distribution of a reaction's reactants, a mean that of one count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import CLOSED_FORMS
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.performance import Weights
from covey.model.species import Species
from covey.model.structure.count_bounds import largest_counts
from covey.numbers import SPACING, Floats, Ints


@dataclass(frozen=True)
class Expected:
    """E f, and between what it lies.

    Attributes:
        value: What is expected.
        lower: It is at least that.
        upper: And at most that.
        size: What its terms add up to without their signs: rounding is relative to that.
    """

    value: float
    lower: float
    upper: float
    size: float


def expected(
    solver: Solver,
    start: Ints,
    at: Sequence[Moment],
    weights: Sequence[Weights],
    progress: Progress | None = None,
) -> list[list[Expected]]:
    """At every moment, E f of every function."""
    network = solver.network
    wanted = [_terms(network, one) for one in weights]
    distributions: dict[tuple[int, ...], list[Distribution]] = {}
    together = solver.plan(start, at[-1]).method not in CLOSED_FORMS
    every = tuple(sorted({i for terms in wanted for term in terms for i in term.species}))

    def mean(term: _Term, moment: int) -> Expected:
        key = every if together else term.species
        if key not in distributions:
            distributions[key] = _distributions(solver, start, at, key, progress)
        now = network.phases[network.timetable.phase_at(_time(at[moment]))]
        return _mean(now, start, term, key, distributions[key][moment])

    return [
        [_total([mean(term, moment) for term in terms]) for terms in wanted]
        for moment in range(len(at))
    ]


def average(
    chain: Chain, until: float, weights: Sequence[Weights], progress: Progress | None = None
) -> list[Expected]:
    """(1/T) ∫ E f dt over all times until T, of every function."""
    network = chain.network
    columns = np.ascontiguousarray(chain.lattice.states.T)
    spent = chain.occupation(until, progress)
    found = []
    for one in weights:
        parts = []
        for term in _terms(network, one):
            values = np.abs(term.factor) * term.values(network, columns)
            total = float(values @ spent.shares)
            off = spent.log_error + SPACING * (len(values) + 4)
            upper = total * math.exp(off) + spent.lost * float(values.max())
            parts.append(_signed(term.factor, total, total * math.exp(-off), upper))
        found.append(_total(parts))
    return found


def chain_of_all(solver: Solver, start: Ints, progress: Progress | None = None) -> Chain:
    """The chain that an average over time is computed on."""
    if solver.reach(start).grows is not None or solver.too_many(start):
        raise TooLargeError(
            "an average over time needs the Markov chain on all states, and they do not fit: ask "
            "for the measure at a time or at steady state",
            states=solver.reach(start).at_least,
        )
    return solver.chain(start, progress=progress)


def _time(at: Moment) -> float:
    """When a timetable is looked up: a periodic steady state is that at the period's beginning."""
    return 0.0 if at == "steady" else float(at)


@dataclass(frozen=True)
class _Term:
    """factor × the rate of a reaction, or × a count."""

    factor: float
    reaction: int | None
    species: tuple[int, ...]  # that it depends on

    def values(self, network: Network, columns: Ints) -> Floats:
        """Without its factor, in every state of (species, states)."""
        if self.reaction is None:
            counts: Floats = columns[self.species[0]].astype(float)
            return counts
        return propensity(network, self.reaction, columns)


def _terms(network: Network, weights: Weights) -> list[_Term]:
    rates = [
        _Term(float(weights.reactions[r]), int(r), _needed(network, int(r)))
        for r in np.flatnonzero(weights.reactions)
    ]
    counts = [
        _Term(float(weights.species[i]), None, (int(i),)) for i in np.flatnonzero(weights.species)
    ]
    return rates + counts


def _needed(network: Network, reaction: int) -> tuple[int, ...]:
    """The species that a reaction's rate depends on."""
    found = set(np.flatnonzero(network.reactants[reaction]).tolist())
    distribution = network.reactions[reaction].rate_law
    if distribution is not None:
        plain = {Species(word) for word in distribution.words} & network.index.keys()
        found |= {network.index[species] for species in distribution.species | plain}
    return tuple(sorted(found))


def _distributions(
    solver: Solver,
    start: Ints,
    at: Sequence[Moment],
    species: tuple[int, ...],
    progress: Progress | None,
) -> list[Distribution]:
    """The joint distribution of some species at every moment."""
    if not species:  # a rate that depends on nothing
        return [Distribution((), np.zeros((1, 0), dtype=np.int64), np.zeros(1), 0.0)] * len(at)
    names = [str(solver.network.species[i]) for i in species]
    return solver.distributions(start, at, Query({name: name for name in names}), progress=progress)


def _mean(
    network: Network, start: Ints, term: _Term, species: tuple[int, ...], distribution: Distribution
) -> Expected:
    columns = np.zeros((len(network.species), len(distribution)), dtype=np.int64)
    names = {name: i for i, name in enumerate(distribution.names)}
    for i in species:
        columns[i] = distribution.outcomes[:, names[str(network.species[i])]]
    values = abs(term.factor) * term.values(network, columns)
    total = float(values @ distribution.probabilities)
    off = distribution.log_error + SPACING * (len(distribution) + 4)
    upper = total * math.exp(off)
    if distribution.truncated_mass:
        upper += distribution.truncated_mass * abs(term.factor) * _most(network, start, term)
    return _signed(term.factor, total, total * math.exp(-off), upper)


def _total(parts: Sequence[Expected]) -> Expected:
    """The sum of several."""
    size = math.fsum(part.size for part in parts)
    rounding = SPACING * (len(parts) + 1) * size
    return Expected(
        math.fsum(part.value for part in parts),
        math.fsum(part.lower for part in parts) - rounding,
        math.fsum(part.upper for part in parts) + rounding,
        size,
    )


def _signed(factor: float, total: float, lower: float, upper: float) -> Expected:
    if factor < 0:
        return Expected(-total, -upper, -lower, total)
    return Expected(total, lower, upper, total)


def _most(network: Network, start: Ints, term: _Term) -> float:
    """The largest value of a term in any state that can be reached, or infinite."""
    if term.reaction is not None and network.reactions[term.reaction].rate_law is not None:
        return math.inf  # a distribution may be largest anywhere
    bounds = list(largest_counts(network, start).values())
    counts = np.zeros((len(bounds), 1), dtype=np.int64)
    for i in term.species:
        most = bounds[i]
        if most is None:
            return math.inf
        counts[i] = most
    return float(term.values(network, counts)[0])
