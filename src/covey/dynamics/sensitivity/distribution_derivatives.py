"""How distributions and expected values change with the rates: d/d ln θ, by whatever computed them.

    closed form   covariances of counts: of listed states where they are not too many
                  (`conditional_means`), else by distributions of smaller teams (`sensitivities`)
    chains        the linear equations of the derivative (`chain_derivatives`), on the chain that
    was solved

They cost a few solves, however many rates there are. They are for the steps of a search, and to
tell what matters: nothing here bounds their error. Where a distribution comes from neither, from
windows or from robots that move independently at a time, that is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.distribution import Distribution
from covey.dynamics.product_form.conditional_means import ListedMeans
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.product_form.sensitivities import ProductSensitivities
from covey.dynamics.sensitivity.chain_derivatives import (
    Parameter,
    Tangent,
    is_rate_of,
    rate_sensitivity,
    tangent,
    tangent_until,
)
from covey.dynamics.solver import Solver
from covey.dynamics.threads import side_by_side
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.performance import Weights
from covey.numbers import LEAST, Floats, Ints, distinct_rows, rows_in

_MOST_STATES = 300_000  # whose derivatives are solved for
_KEPT = 2_000_000  # numbers of a derivative that is kept
_MOST_LISTED = 3_000_000  # states, for all teams of a closed form together


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """The derivatives of a network's distributions with respect to ln θ of some rates.

    Attributes:
        solver: Of the network.
        knobs: The rates: by name, or by the number of a reaction.
    """

    solver: Solver
    knobs: tuple[Parameter, ...]
    _tangents: dict[object, Tangent] = field(default_factory=dict, repr=False)
    _products: dict[object, ProductSensitivities] = field(default_factory=dict, repr=False)
    _distributions: dict[object, Distribution] = field(default_factory=dict, repr=False)

    def of_distributions(
        self,
        starts: Sequence[Ints],
        at: Moment,
        query: Query,
        distributions: Sequence[Distribution],
    ) -> list[Floats]:
        """`d ln P` of every outcome of distributions that are known: (knobs, outcomes) each."""
        closed = at == "steady" and query.is_linear
        listed = self._listed(starts, query) if closed else None

        def work(i: int) -> Floats:
            if listed is not None:
                return listed.of_distribution(starts[i], distributions[i])
            return self._of_distribution(starts[i], at, query, distributions[i])

        return side_by_side(work, len(starts))

    def _of_distribution(
        self, start: Ints, at: Moment, query: Query, distribution: Distribution
    ) -> Floats:
        closed = at == "steady" and query.is_linear
        if closed and (product := self._product(start)) is not None:
            return product.of_distribution(
                distribution, query, lambda other: self._distribution(other, query)
            )
        chain = self._chain(start)
        found = self._tangent(chain, start, at)
        outcomes, look = distinct_rows(chain.seen(query))
        place = rows_in(outcomes, distribution.outcomes)
        sums = [np.bincount(look, one, len(outcomes))[place] for one in found.sensitivities]
        return np.array(sums).reshape(-1, len(distribution)) / np.maximum(
            distribution.probabilities, LEAST
        )

    def of_mean(self, start: Ints, at: Moment, weights: Weights) -> Floats:
        """`d E f` at a moment: (knobs,)."""
        if at == "steady" and (product := self._product(start)) is not None:
            return self._by_product(product, weights)
        chain = self._chain(start)
        return self._by_states(chain, self._tangent(chain, start, at), weights)

    def of_average(self, start: Ints, until: float, weights: Weights) -> Floats:
        """`d` of `(1/T) ∫ E f dt` over all times until T: (knobs,)."""
        chain = self._chain(start)
        key = tuple(start.tolist()), "until", until
        found = self._known(key, lambda: tangent_until(chain, until, self.knobs))
        return self._by_states(chain, found, weights)

    def _by_product(self, product: ProductSensitivities, weights: Weights) -> Floats:
        network = self.solver.network
        total = np.zeros(len(self.knobs))
        for r in np.flatnonzero(weights.reactions):
            mean, sensitivities = product.of_choices(network.reactants[r])
            rate = weights.reactions[r] * network.rate_constants[r] * mean
            total += rate * (self._moved[:, r] + sensitivities)
        for i in np.flatnonzero(weights.species):
            one = np.zeros(len(network.species), dtype=np.int64)
            one[i] = 1
            mean, sensitivities = product.of_choices(one)
            total += weights.species[i] * mean * sensitivities
        return total

    def _by_states(self, chain: Chain, found: Tangent, weights: Weights) -> Floats:
        """`Σ f s + (df/d ln θ) p`."""
        network = self.solver.network
        columns = np.ascontiguousarray(chain.lattice.states.T)
        values: Floats = weights.species @ columns
        total = np.zeros(len(self.knobs))
        for r in np.flatnonzero(weights.reactions):
            values = values + weights.reactions[r] * propensity(network, int(r), columns)
            own = [
                rate_sensitivity(network, int(r), knob, columns) @ found.distribution
                for knob in self.knobs
            ]
            total += weights.reactions[r] * np.array(own)
        return np.asarray(total + found.sensitivities @ values)

    @cached_property
    def _moved(self) -> Floats:
        """`d ln κ` of every reaction: (knobs, reactions)."""
        network = self.solver.network
        reactions = range(len(network.reactions))
        moved = [[float(is_rate_of(network, r, knob)) for r in reactions] for knob in self.knobs]
        return np.array(moved).reshape(len(self.knobs), len(reactions))

    def _product(self, start: Ints) -> ProductSensitivities | None:
        """By the closed form; None where it does not hold beside these rates too."""
        form, key = self.solver.closed_form, tuple(start.tolist())
        if isinstance(form, ProductForm) and key not in self._products:
            try:
                self._products[key] = ProductSensitivities(form, start, self._moved)
            except UnsupportedError:
                return None
        return self._products.get(key)

    def _listed(self, starts: Sequence[Ints], query: Query) -> ListedMeans | None:
        """By the states of all of these teams; None where they are too many, or not as certain."""
        form, reached = self.solver.closed_form, [self.solver.reach(start) for start in starts]
        most = max(one.states or math.inf for one in reached)
        if not isinstance(form, ProductForm) or most > _MOST_LISTED:
            return None
        try:
            return ListedMeans(form, starts, query, self._moved)
        except (TooLargeError, UnsupportedError):
            return None

    def _distribution(self, start: Ints, query: Query) -> Distribution:
        """The stationary distribution of another team: neighbours ask for many of the same."""
        key = tuple(start.tolist()), query
        if key not in self._distributions:
            (self._distributions[key],) = self.solver.distributions(start, ["steady"], query)
        return self._distributions[key]

    def _chain(self, start: Ints) -> Chain:
        reached = self.solver.reach(start)
        if (reached.states or math.inf) > min(_MOST_STATES, self.solver.max_states):
            raise UnsupportedError(
                f"derivatives are solved for on at most {_MOST_STATES:,} listed states"
            )
        return self.solver.chain(start)

    def _tangent(self, chain: Chain, start: Ints, at: Moment) -> Tangent:
        key = tuple(start.tolist()), "at", at
        return self._known(key, lambda: tangent(chain, at, self.knobs))

    def _known(self, key: object, solve: Callable[[], Tangent]) -> Tangent:
        if key in self._tangents:
            return self._tangents[key]
        found = solve()
        if found.sensitivities.size <= _KEPT:
            self._tangents[key] = found
        return found
