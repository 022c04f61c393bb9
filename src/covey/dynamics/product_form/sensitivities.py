"""How the product form changes with the rates: covariances of counts, by smaller teams.

Moving ln c by g moves ln π(x) by Σ g_i (x_i − E x_i), so that for every outcome y, and for every
choice of reactants ρ, with x^(ρ) = ∏ x_i! / (x_i − ρ_i)!,

    d ln P(y)      =  Σ_i g_i (E[x_i | y] − E x_i),
    d ln E x^(ρ)   =  Σ_i g_i (ρ_i + E' x_i − E x_i).

The means are had without listing any state. Because x c^x / x! = c · c^(x−1) / (x−1)!, taking the
reactants away leaves the same product on the states of a smaller team, with P', E', Z' (in queueing
networks: the arrival theorem [1]):

    E[x_i ; y]  =  E x_i · P'(y − what one of i shows),       E x^(ρ)  =  c^ρ Z' / Z.

How ln c itself moves follows from the balance of every complex k. The flows f = κ ψ(c) in and out
of it are equal, and stay so,

    Σ_in f (e + ρ_source·g) = Σ_out f (e + ρ_k·g),     e = d ln κ.

Moving g along a conservation law changes nothing: it is taken to be 0 at the roots.

[1] S. Lavenberg, M. Reiser, Stationary state probabilities at arrival instants for closed queueing
    networks with multiple types of customers, J. Appl. Prob. 17 (1980).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Distribution
from covey.dynamics.product_form.product_form import ProductForm
from covey.errors import UnsupportedError
from covey.model.observation.query import Query
from covey.model.structure.structure import Structure
from covey.numbers import Floats, Ints, rows_in

_BALANCED = 1e-6  # the largest error of an equation whose terms are of the size of one
_NOTHING = 1e-12  # rounding of the same

DistributionOf = Callable[[Ints], Distribution]


def balance_sensitivities(structure: Structure, moved: Floats) -> Floats:
    """`d ln c`, (knobs, species), for d ln κ, (knobs, reactions); refuses where balance is lost."""
    network = structure.network
    sides = np.array(network.edges).reshape(-1, 2)
    real = np.flatnonzero(sides[:, 0] != sides[:, 1])
    sources, targets = sides[real].T
    flows = np.log(network.rate_constants[real]) + network.M.T[sources] @ (
        structure.balanced_point.log_c
    )
    leaving = np.full(len(network.complexes), -np.inf)
    np.logaddexp.at(leaving, sources, flows)
    enters, leaves = np.exp(flows - leaving[targets]), np.exp(flows - leaving[sources])
    matrix = np.zeros((len(network.complexes), len(network.species)))
    np.add.at(matrix, targets, enters[:, None] * (network.M.T[sources] - network.M.T[targets]))
    right = np.zeros((len(network.complexes), len(moved)))
    np.add.at(right, sources, leaves[:, None] * moved.T[real])
    np.add.at(right, targets, -enters[:, None] * moved.T[real])
    found = np.linalg.lstsq(matrix, right, rcond=None)[0]
    if np.abs(matrix @ found - right).max(initial=0.0) > _BALANCED:
        raise UnsupportedError("these rates are balanced, and others beside them are not")
    return np.asarray(found.T)


class ProductSensitivities:
    """The derivatives of one team's steady state; refuses where balance is lost.

    Args:
        form: The closed form.
        start: How many there are of each species, (species,).
        moved: How ln κ of every reaction moves with each knob, (knobs, reactions).
    """

    def __init__(self, form: ProductForm, start: Ints, moved: Floats) -> None:
        self.form, self.knobs = form, len(moved)
        self.team = _team(form, start, moved)
        self._normalisers: dict[tuple[int, ...], float] = {}

    def of_distribution(
        self, distribution: Distribution, query: Query, distribution_of: DistributionOf
    ) -> Floats:
        """`d ln P` of every outcome of the team's distribution: (knobs, outcomes).

        `distribution_of` gives the distribution of what is seen of any other start.
        """
        team, seen = self.team, query.matrix(self.form.network)
        found = np.zeros((self.knobs, len(distribution)))
        for i in np.flatnonzero(team.sensitivities.any(axis=0)).tolist():
            left = team.totals - team.needs[i]
            if (left < 0).any():  # there never is one
                continue
            other = distribution_of(team.of(left))
            at = rows_in(other.outcomes, distribution.outcomes - seen[:, i])
            with np.errstate(under="ignore", over="ignore"):
                ratio = np.exp(other.log_probabilities[at] - distribution.log_probabilities)
            less = np.where(at >= 0, ratio, 0.0) - 1.0
            found += np.outer(team.sensitivities[:, i], self._mean(team.totals, i) * less)
        return found

    def of_choices(self, reactants: Ints) -> tuple[float, Floats]:
        """E x^(ρ) of some reactants, (species,), and d ln of it: (knobs,)."""
        team = self.team
        taken: Ints = np.where(team.changes, reactants, 0)
        still = reactants - taken  # of what cannot change
        ways = math.prod(map(math.perm, team.start[still > 0].tolist(), still[still > 0].tolist()))
        left: Ints = team.totals - taken @ team.needs
        if not ways or (left < 0).any():
            return 0.0, np.zeros(self.knobs)
        log_mean = float(taken @ self.form.log_c) + self._log_z(left) - self._log_z(team.totals)
        sensitivities = team.sensitivities @ taken.astype(float)
        for i in np.flatnonzero(team.sensitivities.any(axis=0)).tolist():
            sensitivities = sensitivities + team.sensitivities[:, i] * (
                self._mean(left, i) - self._mean(team.totals, i)
            )
        return ways * math.exp(log_mean), sensitivities

    def _mean(self, totals: Ints, species: int) -> float:
        """E x_i of a team of such totals: c_i Z'/Z."""
        left = totals - self.team.needs[species]
        if (left < 0).any():
            return 0.0
        ratio = self._log_z(left) - self._log_z(totals)
        return math.exp(float(self.form.log_c[species]) + ratio)

    def _log_z(self, totals: Ints) -> float:
        key = tuple(totals.tolist())
        if key not in self._normalisers:
            self._normalisers[key] = self.form.log_normaliser(self.team.of(totals))
        return self._normalisers[key]


@dataclass(frozen=True, eq=False)
class _Team:
    """What can change from a start, what it falls apart into, and how ln c moves."""

    start: Ints  # (species,)
    changes: NDArray[np.bool_]  # (species,): whether it can
    needs: Ints  # (species, roots)
    root: Ints  # (roots,): a species that stands for each
    sensitivities: Floats  # (knobs, species): d ln c

    @property
    def totals(self) -> Ints:
        """How much of each root there is: (roots,)."""
        return np.asarray(self.start @ self.needs)

    def of(self, totals: Ints) -> Ints:
        """A start of such totals."""
        start = np.where(self.changes, 0, self.start)
        start[self.root] += totals
        return start


def _team(form: ProductForm, start: Ints, moved: Floats) -> _Team:
    network, roots = form.network, form.roots_of(start)
    needs = np.zeros((len(network.species), roots.needs.shape[1]), dtype=np.int64)
    changes = np.zeros(len(network.species), dtype=np.bool_)
    place = np.array([network.index[s] for s in roots.species], dtype=np.int64)
    needs[place], changes[place] = roots.needs, True
    # A species that is one of a root and nothing else stands for it.
    alone = (roots.needs == 1) & (roots.needs.sum(axis=1) == 1)[:, None]
    root = place[alone.argmax(axis=0)] if len(place) else place
    sensitivities = balance_sensitivities(form.structure, moved)
    sensitivities = (sensitivities - sensitivities[:, root] @ needs.T) * changes
    sensitivities[np.abs(sensitivities) < _NOTHING] = 0.0
    return _Team(start, changes, needs, root, sensitivities)
