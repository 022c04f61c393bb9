"""The product form: the stationary law of a complex-balanced network, without a Markov chain.

If c > 0 balances every complex, A ψ(c) = 0, then on each closed irreducible class of states [1]

    π(x) = (1/Z) ∏ c_i^x_i / x_i!,       Z = the same, summed over the class,

for propensities that count ordered choices of robots (falling factorials). One c serves every
team. Where every species falls apart reversibly into basic ones, the class is all that the
conservation laws allow, and the law of an observation is had by summing over one species at a
time (`convolution`), never listing the states.

With a tolerance, only states within Poisson windows are followed (`convolution.box`). If their
weight is S and all others weigh at most T, then p(y) = S(y)/(S + T) is a lower bound of the true
probability, and p(y) + T/S an upper one: `lost_mass` is T/S.

[1] D. Anderson, G. Craciun, T. Kurtz, Product-form stationary distributions for deficiency zero
    chemical reaction networks, Bull. Math. Biol. 72, 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.dynamics.closed_form.convolution.box import Box, whole_box, window_box
from covey.dynamics.closed_form.convolution.convolve import MAX_ROWS, Convolution, convolve
from covey.dynamics.closed_form.convolution.lumped_lattice import (
    LumpedLattice,
    Roots,
    find_roots,
    live_part,
    lump,
    point_error,
)
from covey.dynamics.closed_form.convolution.poisson_weights import UNIT, log_factorial
from covey.dynamics.distribution import Distribution
from covey.dynamics.question import check_start
from covey.errors import InputError, UnsupportedError
from covey.model.network import Network
from covey.model.query import Query
from covey.model.structure import Structure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEFAULT_TOLERANCE = 1e-12  # where something is unbounded and none is given
_MOST_TRIES = 6


@dataclass(frozen=True)
class ProductForm:
    """The closed form of one network; `observe` answers for any team and query.

    Raises `UnsupportedError` where the network has none, and says why.

    Args:
        network: A complex-balanced network.
    """

    network: Network

    def __post_init__(self) -> None:
        if self.network.kinetics == "power":
            for reaction in self.network.reactions:
                if any(n > 1 for _, n in reaction.reactants):
                    raise UnsupportedError(
                        f'{reaction.arrow} takes several of one species, and kinetics is "power": '
                        'the product form holds for kinetics = "falling" only'
                    )
        _ = self._structure.balanced_point

    @cached_property
    def _structure(self) -> Structure:
        return Structure(self.network)

    @cached_property
    def roots(self) -> Roots:
        """What every species falls apart into, where everything can happen."""
        return find_roots(self.network)

    @cached_property
    def log_c(self) -> Floats:
        """Ln c: (species,)."""
        return self._structure.balanced_point.log_c

    @property
    def residual(self) -> float:
        """How far c is from balancing every complex, in logarithms."""
        return self._structure.balanced_point.residual

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
        """Ln Z, with which ln π(x) = log_weight(x) − ln Z for every x that can be reached.

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
        """The stationary law of what the query shows of the team that starts so.

        Raises `UnsupportedError` where the reachable states are not certain.

        Args:
            start: How many of each species there are at first.
            query: What is seen; by default every species.
            tolerance: How much of the probability may be left out; by default nothing is, unless
                some species is unbounded.
            max_rows: Rows that a table may have; with more it is refused with `TooLargeError`.
        """
        query = query or Query()
        query.check(self.network)
        if tolerance is not None and not 0 < tolerance < 1:
            raise InputError(f"tolerance is {tolerance:g}: a number between 0 and 1 is expected")
        state = check_start(self.network, start)
        lattice = self._lattice(state, query)
        if lattice is None:
            seen = query.matrix(self.network) @ state
            return Distribution(
                tuple(query.groups(self.network)), seen[None], np.zeros(1), 0.0,
                method="product form", why="nothing can happen", states=1,
            )  # fmt: skip
        found, lost = _solve(lattice, tolerance, max_rows)
        return self._distribution(lattice, found, lost)

    def moments(
        self, start: ArrayLike, query: Query | None = None, *, tolerance: float | None = None
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Mean and variance of every sum of the query, or of every species.

        Each is observed by itself, so that no joint law has to fit.

        Args:
            start: How many of each species there are at first.
            query: The sums; by default every species.
            tolerance: How much of the probability may be left out, as for `observe`.
        """
        groups = (query or Query()).groups(self.network)
        means, variances = {}, {}
        for name, group in groups.items():
            one = Query({name: " + ".join(map(str, group))})
            law = self.observe(start, one, tolerance=tolerance)
            means[name], variances[name] = law.mean[name], law.variance[name]
        return means, variances

    def average_group_size(self, start: ArrayLike, *, tolerance: float | None = None) -> float:
        """The paper's Σ_y π_y (Σ y_i i / Σ y_i), y_i being the number of groups of i members.

        A state without any group counts as size 0.

        Args:
            start: How many of each species there are at first.
            tolerance: How much of the probability may be left out, as for `observe`.
        """
        sizes: dict[int, list[str]] = {}
        for species in self.network.species:
            if species.members:
                sizes.setdefault(len(species.members), []).append(str(species))
        if not sizes:
            raise UnsupportedError("no species has members: there are no groups to measure")
        if all(reaction.reactants and reaction.products for reaction in self.network.reactions):
            # Members are conserved: it is enough to see how many groups they form.
            members = [len(species.members) for species in self.network.species]
            robots = int(check_start(self.network, start) @ np.array(members))
            every = Query(groups=" + ".join(name for names in sizes.values() for name in names))
            law = self.observe(start, every, tolerance=tolerance)
            groups, robots_seen = law.outcomes[:, 0], np.full(len(law), robots)
        else:
            by_size = Query({str(size): " + ".join(names) for size, names in sizes.items()})
            law = self.observe(start, by_size, tolerance=tolerance)
            groups, robots_seen = law.outcomes.sum(axis=1), law.outcomes @ np.array(list(sizes))
        mean_size = robots_seen / np.maximum(groups, 1)
        return float(law.probabilities @ mean_size / law.probabilities.sum())

    def _lattice(self, start: Ints, query: Query | None) -> LumpedLattice | None:
        """The states that can be reached; None where nothing can happen."""
        part = live_part(self.network, start)
        if part is None:
            return None
        roots = self.roots if part is self.network else find_roots(part)
        return lump(self.network, self.log_c, roots, start, query)

    def _distribution(
        self, lattice: LumpedLattice, found: Convolution, lost: float
    ) -> Distribution:
        order = np.lexsort(found.outcomes.T[::-1]) if found.outcomes.size else slice(None)
        # Two states are at most twice `steps` apart, and each step is two of c's equations.
        off = point_error(self._structure)
        balance = 4 * (lattice.steps or int(found.outcomes.max(initial=0))) * off
        whole = "every outcome" if not lost else f"all but {lost:.1e} of the probability"
        return Distribution(
            lattice.names,
            found.outcomes[order],
            found.log_shares[order] - math.log1p(lost),
            log_error=found.error + balance + UNIT,
            lost_mass=lost,
            proved=lattice.steps is not None or off == 0.0,
            method="product form",
            why=f"complex-balanced: {self._structure.complex_balanced.why}; {whole}",
            states=found.states,
        )


def _solve(
    lattice: LumpedLattice, tolerance: float | None, max_rows: int
) -> tuple[Convolution, float]:
    """The convolution, and a bound on the share of what it left out."""
    unbounded = not lattice.needs.any(axis=1).all()
    if tolerance is None and not unbounded:
        return convolve(lattice, whole_box(lattice, None), max_rows), 0.0
    box: Callable[[LumpedLattice, float], Box] = whole_box if tolerance is None else window_box
    wanted = math.log(tolerance or DEFAULT_TOLERANCE)
    log_tail = wanted - math.log(4 * len(lattice.needs)) + min(0.0, _log_density(lattice))
    for _ in range(_MOST_TRIES):
        chosen = box(lattice, log_tail)
        found = convolve(lattice, chosen, max_rows)
        log_lost = chosen.log_lost - found.log_total + found.error
        if log_lost <= wanted:
            return found, math.exp(log_lost)
        log_tail += wanted - log_lost - 1
    raise UnsupportedError(
        f"no window was found that holds all but {math.exp(wanted):.1g} of the probability: the "
        "totals make this team far from what independent counts would be. Leave the tolerance out"
    )


def _log_density(lattice: LumpedLattice) -> float:
    """Ln of about what the lattice weighs: a normal density with one dimension for each root."""
    spread = (lattice.needs.T * np.exp(lattice.log_rates.astype(float))) @ lattice.needs
    return float(-np.linalg.slogdet(2 * np.pi * spread)[1] / 2) if len(spread) else 0.0
