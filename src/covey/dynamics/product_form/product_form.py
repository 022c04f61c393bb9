"""The product form: the stationary distribution of a complex-balanced network, in closed form.

If c > 0 balances every complex, A ψ(c) = 0, then on each closed irreducible class of states [1]

    π(x) = (1/Z) ∏ c_i^x_i / x_i!,       Z = the same, summed over the class,

for propensities that count ordered choices of robots (falling factorials). One c serves every team.
Where every species falls apart reversibly into basic ones, the class is all that the conservation
laws allow, and the distribution of an observation is had by summing over one species at a time
(`convolution`), never listing the states.

With a tolerance, only states within windows are followed (`windows`). If their weight is S and the
share of all others is at most t, then p(y) = (1 − t) S(y)/S is a lower bound of the true
probability, and p(y) + t an upper one: `truncated_mass` is t.

[1] D. Anderson, G. Craciun, T. Kurtz, Product-form stationary distributions for deficiency zero
    chemical reaction networks, Bull. Math. Biol. 72, 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.distribution import Distribution
from covey.dynamics.product_form.elimination.box import whole_box
from covey.dynamics.product_form.elimination.contraction import Routes
from covey.dynamics.product_form.elimination.convolve import MAX_ROWS, Convolution, convolve
from covey.dynamics.product_form.elimination.lumped_lattice import (
    LumpedLattice,
    Roots,
    find_roots,
    lump,
    point_error,
    vanishing_steps,
)
from covey.dynamics.product_form.elimination.poisson_weights import Wides, log_factorial
from covey.dynamics.product_form.slow_sums import SlowSums
from covey.dynamics.product_form.truncation import sums
from covey.dynamics.validation import check_start
from covey.errors import InputError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.structure.reachability import reach
from covey.model.structure.structure import Structure
from covey.numbers import SPACING, Floats, Ints
from covey.words import rounded


@dataclass(frozen=True, eq=False)
class Prepared:
    """The distribution of one team under one query, ready to be summed: what is too large is out.

    `certain` is False where the sums fit by all that bounds can tell, but this is not proved.
    """

    distribution: Callable[[], Distribution]
    certain: bool


@dataclass(frozen=True, init=False)
class ProductForm:
    """The closed form of one network; `observe` answers for any team and query.

    Raises `UnsupportedError` where the network has none, and says why.

    Args:
        network: A complex-balanced network.
    """

    structure: Structure
    why: ClassVar[str] = "complex-balanced: the steady state has a closed form"

    def __init__(self, network: Network | Structure) -> None:
        structure = network if isinstance(network, Structure) else Structure(network)
        object.__setattr__(self, "structure", structure)
        if self.network.kinetics == "power":
            for reaction in self.network.reactions:
                if any(n > 1 for _, n in reaction.reactants):
                    raise UnsupportedError(
                        f'{reaction.arrow} takes several of one species, and kinetics is "power": '
                        'the product form holds for kinetics = "falling" only'
                    )
        _ = structure.balanced_point

    @property
    def network(self) -> Network:
        """The network whose steady states these are."""
        return self.structure.network

    @cached_property
    def roots(self) -> Roots:
        """What every species falls apart into, where everything can happen."""
        return find_roots(self.structure)

    @cached_property
    def log_c(self) -> Floats:
        """`ln c`: (species,)."""
        return self.structure.balanced_point.log_c

    @cached_property
    def most(self) -> FrozenMap[str, int]:
        """By names of sums: states in which more is seen are left out."""
        return FrozenMap()

    def at_point(self, log_c: Wides, most: Mapping[str, int]) -> ProductForm:
        """The same sums at another point, which need not balance anything, and as far as asked.

        Args:
            log_c: The logarithms of the point, (species,).
            most: By names of sums; states in which more is seen may be left out.
        """
        other = copy(self)
        vars(other).update(log_c=log_c, most=FrozenMap(most))
        return other

    @property
    def residual(self) -> float:
        """How far c is from balancing every complex, in logarithms."""
        return self.structure.balanced_point.residual

    def log_weight(self, states: ArrayLike) -> Floats:
        """Σ x_i ln c_i − ln x_i! of every state: (...,) for states (..., species).

        Args:
            states: States of the network, (..., species).
        """
        counts = np.asarray(states, dtype=np.int64)
        if counts.shape[-1:] != (len(self.network.species),) or (counts < 0).any():
            raise InputError(
                f"states of the shape {counts.shape}: whole numbers that are not negative, one "
                f"for each of the {len(self.network.species)} species, are expected"
            )
        return np.asarray((counts * self.log_c - log_factorial(counts)).sum(axis=-1))

    def log_normaliser(self, start: ArrayLike, *, max_rows: int = MAX_ROWS) -> float:
        """`ln Z`, with which ln π(x) = log_weight(x) − ln Z for every x that can be reached.

        Args:
            start: How many of each species there are at first.
            max_rows: Rows that a table may have; with more it is refused with `TooLargeError`.
        """
        state = check_start(self.network, start)
        lattice = self._lattice(state, None)
        if lattice is None:
            return float(self.log_weight(state))
        found = convolve(lattice, whole_box(lattice, None), max_rows)
        return found.log_total + lattice.log_scale

    def observe(
        self,
        start: ArrayLike,
        query: Query | None = None,
        *,
        tolerance: float | None = None,
        max_rows: int = MAX_ROWS,
    ) -> Distribution:
        """The stationary distribution of what the query shows of the team that starts so.

        Raises `UnsupportedError` where the reachable states are not certain.

        Args:
            start: How many of each species there are at first.
            query: What is seen; by default every species.
            tolerance: How much of the probability may be left out; by default nothing is, unless
                some species is unbounded.
            max_rows: Rows that a table may have; with more it is refused with `TooLargeError`.
        """
        distribution = self.prepare(
            start, query, tolerance=tolerance, max_rows=max_rows
        ).distribution()
        if distribution.states is not None or distribution.truncated_mass > 0:
            return distribution
        state = check_start(self.network, start)
        return replace(distribution, states=reach(self.structure, state.tolist()).states)

    def prepare(
        self,
        start: ArrayLike,
        query: Query | None = None,
        *,
        tolerance: float | None = None,
        max_rows: int = MAX_ROWS,
        max_written: float | None = None,
    ) -> Prepared:
        """All of `observe` but the sums: whatever it would refuse is refused here.

        Without a tolerance, so is what would write more than `max_written` rows in all.
        """
        whole = query or Query()
        whole.check(self.network)
        query = whole.linear
        check_tolerance(tolerance)
        state = check_start(self.network, start)
        lattice = self._lattice(state, query)
        if lattice is None:
            seen = query.matrix(self.network) @ state
            still = Distribution(
                tuple(query.groups(self.network)), seen[None], np.zeros(1), 0.0,
                method="product form", why="nothing can happen", states=1,
            )  # fmt: skip
            return Prepared(lambda: _compared(still, whole), certain=True)
        if tolerance is None and max_written is not None:
            self._slow_sums.check(lattice, max_rows, max_written)
        unseen = lattice if tolerance is None else self._lattice(state, None)
        how = sums(lattice, unseen or lattice, tolerance, max_rows, max_written, self._routes)

        def distribution() -> Distribution:
            return _compared(self._distribution(lattice, *how.solve()), whole)

        return Prepared(distribution, certain=how.certain)

    def moments(
        self, start: ArrayLike, query: Query | None = None, *, tolerance: float | None = None
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Mean and variance of every sum of the query, or of every species.

        Each is observed by itself, so that no joint distribution has to fit.

        Args:
            start: How many of each species there are at first.
            query: The sums; by default every species.
            tolerance: How much of the probability may be left out, as for `observe`.
        """
        groups = (query or Query()).groups(self.network)
        means, variances = {}, {}
        for name, group in groups.items():
            one = Query({name: str(group)})
            distribution = self.observe(start, one, tolerance=tolerance)
            means[name], variances[name] = distribution.mean[name], distribution.variance[name]
        return means, variances

    def roots_of(self, start: Ints) -> Roots:
        """What every species that can change from a start falls apart into; empty without any.

        Args:
            start: How many of each species there are at first.
        """
        live = self.structure.live(start.tolist())
        if live is None:
            return Roots((), np.zeros((0, 0), dtype=np.int64))
        if live not in self._known_roots:
            self._known_roots[live] = find_roots(live)
        return self._known_roots[live]

    @cached_property
    def _slow_sums(self) -> SlowSums:
        return SlowSums()

    @cached_property
    def _routes(self) -> Routes:
        return {}

    @cached_property
    def _known_roots(self) -> dict[Structure, Roots]:
        return {}

    def _lattice(self, start: Ints, query: Query | None) -> LumpedLattice | None:
        """The states that can be reached; None where nothing can happen."""
        roots = self.roots_of(start)
        if not roots.species:
            return None
        return replace(lump(self.network, self.log_c, roots, start, query), most=self.most)

    def _distribution(
        self, lattice: LumpedLattice, found: Convolution, lost: float
    ) -> Distribution:
        order = np.lexsort(found.outcomes.T[::-1]) if found.outcomes.size else slice(None)
        # Two states are at most twice `steps` apart, and each step is two of c's equations. What
        # comes from nothing takes part in them, and as often as it is seen.
        off, alone = point_error(self.structure), vanishing_steps(self.structure)
        most = int(found.outcomes.sum(axis=1).max(initial=0))
        parts = int(self.network.M.sum(axis=0).max())  # of a complex
        balance = (4 * lattice.steps * (1 + parts * alone) + 2 * most * alone) * off
        whole = (
            "every outcome"
            if not lost
            else f"all but {rounded(lost, '.1e', 'up')} of the probability"
        )
        return Distribution(
            lattice.names,
            found.outcomes[order],
            found.log_shares[order] + math.log1p(-lost),
            log_error=found.error + balance + SPACING,
            truncated_mass=lost,
            method="product form",
            why=f"complex-balanced: {self.structure.complex_balanced.why}; {whole}",
            states=found.states,
        )


def _compared(distribution: Distribution, query: Query) -> Distribution:
    """What the thresholds of a query show of its sums."""
    if query.is_linear:
        return distribution
    return distribution.shown_as(distribution.names, query.compared)


def check_tolerance(tolerance: float | None) -> None:
    """Refuses what is no probability that may be left out."""
    if tolerance is not None and not 0 < tolerance < 1:
        raise InputError(f"tolerance is {tolerance:g}: a number between 0 and 1 is expected")
