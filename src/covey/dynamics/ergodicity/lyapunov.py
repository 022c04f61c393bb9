"""A drift condition: a proof that a team keeps coming back to where there are few of some species.

With L the generator of the chain, a polynomial g without negative coefficients and weights l >= 0
are found so that in every state x that the conservation laws W x = b allow

    (L g)(x) <= c - l·x.                                                          (1)

So wherever l·x > c + gamma, g falls by more than gamma per unit of time on average: from x the team
is back among the states with l·x <= c + gamma after at most g(x) / gamma on average (Foster [1]).

It is found by a linear program [2, 3]. With multipliers q_k, polynomials of either sign, and all
written in falling factorials (`falling_polynomials`), (1) holds if

    c - l·x - (L g)(x) + sum_k (b_k - W_k x) q_k(x) - sum_s r_s(x)
                                                            has no negative coefficient,   (2)

where the r_s are any multiples >= 0 of (x_i - k)(x_i - k - 1) x^(m), for species i and whole
numbers k: they are not negative either, since no whole number lies between k and k + 1. They let
a square pay for what is linear.

The smallest c is asked for; then, at a c a little above that, for coefficients in (2) that are
clearly positive. The program works in doubles, the proof does not: (2) is computed again in
fractions from the g, l, q and r that it proposes, and where a coefficient comes out negative, the
factors that conservation laws bound are replaced by their bounds, and c or l pay for the rest. What
cannot be paid for is no proof.

In the same way, weights w with (L w·x) >= e > 0 in every state show that more arrive than can
leave: the mean of w·x, and so that of its positive part, grows by e per unit of time for ever.

[1] F. G. Foster, Ann. Math. Stat. 24 (1953); S. P. Meyn, R. L. Tweedie, Adv. Appl. Prob. 25 (1993).
[2] A. Gupta, C. Briat, M. Khammash, PLoS Comput. Biol. 10 (2014): with g linear.
[3] D. Handelman, Pacific J. Math. 132 (1988): polynomials that are positive on a polytope.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from covey.dynamics.ergodicity.falling_polynomials import (
    Monomial,
    Polynomial,
    generated,
    monomials,
    times,
    unit,
)
from covey.model.network import Network
from covey.numbers import Floats, Ints

_MOST_ROWS = 6_000  # monomials in (2): a linear program of seconds
DEGREES = (1, 2, 3)  # of g
_SLACK = 1e-6  # of a coefficient, in units of the usual counts
_GIVING = 0.02  # how much of c is given for clearly positive coefficients


@dataclass(frozen=True, eq=False)
class Drift:
    """(1), proved: `level` is c, `weights` is l, `potential` is g."""

    weights: Floats  # (species,)
    level: float
    potential: Polynomial
    degree: int

    def __repr__(self) -> str:
        return f"Drift(level={self.level:.6g}, degree={self.degree})"


class DriftProblem:
    """The drift of one network within the conservation laws of one start.

    Args:
        network: Reactions by mass action, in falling factorials.
        conserved: W, (laws, species).
        start: A state, which says b = W x.
        usual: Roughly how many there are of each species, (species,).
        few: The species that l weighs: those that are to be few, and all that no conservation law
            bounds.
    """

    def __init__(
        self, network: Network, conserved: Ints, start: Ints, usual: Floats, few: Iterable[int]
    ) -> None:
        self.network, self.conserved, self.totals = network, conserved, conserved @ start
        self.scale = np.maximum(usual, 1.0)  # (species,)
        self.few = tuple(few)
        self.most = _bounds(conserved, self.totals)  # per species, None where nothing bounds it

    def find(self, degree: int) -> Drift | None:
        """The condition with the smallest c, by a g of this degree; None where none was found."""
        return self._find(degree, squares=False) or self._find(degree, squares=True)

    def _find(self, degree: int, *, squares: bool) -> Drift | None:
        n = len(self.scale)
        program = _Program(self, degree)
        if program.rows > _MOST_ROWS:
            return None
        weights = np.zeros(n)
        weights[list(self.few)] = 1 / np.sqrt(self.scale[list(self.few)])
        pull = {unit(n, i): Fraction(-float(weights[i])) for i in self.few}
        potential = [m for m in monomials(n, degree) if any(m)]
        program.add([_negated(generated(self.network, m)) for m in potential], least=0.0)
        level = program.add([{(0,) * n: Fraction(1)}], least=0.0)
        program.add_multipliers()
        if squares:
            program.add_squares()
        found = program.solve(level, pull)
        if found is None:
            return None
        values = [Fraction(max(value, 0.0)) for value in found[: len(potential)].tolist()]
        g = {m: value for m, value in zip(potential, values, strict=True) if value}
        paid = self._pay(program.exact(found, pull))
        if paid is None:
            return None
        cost, per_species = paid
        c = float(found[level]) + float(cost)
        left = weights - np.array([float(per_species[i]) for i in range(n)])
        kept = (left >= 0).all() and (left[list(self.few)] > 0).all()
        if not (kept and self._returns(g) and math.isfinite(c)):
            return None
        return Drift(left * (1 - 1e-12), c + 1e-12 * (1 + abs(c)), g, degree)

    def growth(self) -> tuple[Floats, float] | None:
        """Weights w from -1 to 1, and the largest e with L w·x >= e everywhere."""
        n = len(self.scale)
        if None not in self.most:
            return None
        program = _Program(self, 1)
        gains = [generated(self.network, unit(n, i)) for i in range(n)]
        program.add(gains, least=-1.0, most=1.0)
        most = float(self.network.rate_constants.sum())
        rate = program.add([{(0,) * n: Fraction(-1)}], most=most)
        program.add_multipliers()
        program.add_squares()
        found = program.solve(rate, {}, sign=-1.0, giving=1e-6)
        if found is None:
            return None
        paid = self._pay(program.exact(found, {}))
        if paid is None or any(paid[1].values()):
            return None
        return found[:n], float(found[rate]) - float(paid[0])

    def _pay(self, polynomial: Polynomial) -> tuple[Fraction, dict[int, Fraction]] | None:
        """What c, and l per species, must give so that the polynomial is nowhere negative."""
        owed: dict[Monomial, Fraction] = defaultdict(Fraction)
        for monomial, value in polynomial.items():
            if value < 0:
                factor, rest = Fraction(1), list(monomial)
                for i, bound in enumerate(self.most):
                    if bound is not None:
                        factor *= bound ** monomial[i]
                        rest[i] = 0
                owed[tuple(rest)] -= value * factor
        cost, per_species = Fraction(0), dict.fromkeys(range(len(self.scale)), Fraction(0))
        for monomial, debt in owed.items():
            if not any(monomial):
                cost = debt
            elif sum(monomial) == 1:
                per_species[monomial.index(1)] = debt
            else:
                return None
        return cost, per_species

    def _returns(self, g: Polynomial) -> bool:
        """Whether g grows with every species that nothing bounds: then the team cannot explode."""
        alone = {i for m in g for i, order in enumerate(m) if order and order == sum(m)}
        return all(bound is not None or i in alone for i, bound in enumerate(self.most))


class _Program:
    """(2) as a linear program.

    A column for each polynomial that may be taken; a row for each monomial, whose coefficient must
    not be negative. Rows are in units of the usual counts.
    """

    def __init__(self, problem: DriftProblem, degree: int) -> None:
        self.problem, self.n = problem, len(problem.scale)
        self.degree = degree - 1 + max(int(problem.network.reactants.sum(axis=1).max()), 1)
        self.rows = math.comb(self.n + self.degree, self.degree)
        self.columns: list[Polynomial] = []
        self.bounds: list[tuple[float | None, float | None]] = []

    def add(
        self,
        columns: list[dict[Monomial, Fraction]],
        least: float | None = None,
        most: float | None = None,
    ) -> int:
        """Polynomials that may be taken so many times; the number of the first."""
        first = len(self.columns)
        self.columns += columns
        self.bounds += [(least, most)] * len(columns)
        return first

    def add_multipliers(self) -> None:
        """(b_k - W_k x) times every monomial: 0 in every state, as often as wanted."""
        for law, total in zip(self.problem.conserved, self.problem.totals.tolist(), strict=True):
            for monomial in monomials(self.n, self.degree - 1):
                found: dict[Monomial, Fraction] = defaultdict(Fraction)
                found[monomial] += Fraction(total)
                for i in np.flatnonzero(law).tolist():
                    for product, ways in times(unit(self.n, i), monomial).items():
                        found[product] -= int(law[i]) * ways
                self.add([dict(found)])

    def add_squares(self) -> None:
        """-(x_i - k)(x_i - k - 1) times every monomial, for k at the usual count and at twice that.

        In falling factorials (x - k)(x - k - 1) = x^(2) - 2 k x + k (k + 1).
        """
        for i, usual in enumerate(self.problem.scale.tolist()):
            one, two = unit(self.n, i), tuple(2 * order for order in unit(self.n, i))
            for k in (round(usual), 2 * round(usual) + 1):
                for monomial in monomials(self.n, self.degree - 2):
                    found: dict[Monomial, Fraction] = defaultdict(Fraction)
                    found[monomial] -= k * (k + 1)
                    for factor, number in ((one, -2 * k), (two, 1)):
                        for product, ways in times(factor, monomial).items():
                            found[product] -= number * ways
                    self.add([dict(found)], least=0.0)

    def solve(
        self, goal: int, fixed: Polynomial, *, sign: float = 1.0, giving: float = _GIVING
    ) -> Floats | None:
        """How often each column is taken: the least `goal`, or the largest with sign -1."""
        from scipy.optimize import linprog  # noqa: PLC0415  (takes most of a second)
        from scipy.sparse import coo_array, eye_array, hstack  # noqa: PLC0415

        place = {m: row for row, m in enumerate(monomials(self.n, self.degree))}
        size = np.array([math.prod((self.problem.scale ** np.array(m)).tolist()) for m in place])
        entries = [(place[m], j, float(v)) for j, column in enumerate(self.columns)
                   for m, v in column.items()]  # fmt: skip
        row, column, value = map(np.array, zip(*entries, strict=True))
        shape = (len(place), len(self.columns))
        matrix = coo_array((value * size[row], (row, column)), shape=shape).tocsc()
        width = np.maximum(np.abs(matrix).max(axis=0).toarray().ravel(), 1e-300)  # (columns,)
        matrix = matrix.multiply(1 / width).tocsc()
        offset = np.zeros(len(place))
        for monomial, number in fixed.items():
            offset[place[monomial]] = float(number) * size[place[monomial]]
        bounds = [
            (None if low is None else low * w, None if high is None else high * w)
            for (low, high), w in zip(self.bounds, width.tolist(), strict=True)
        ]
        cost = np.zeros(len(bounds))
        cost[goal] = sign / width[goal]
        options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        best = linprog(cost, A_ub=-matrix, b_ub=offset, bounds=bounds, options=options)
        if best.x is None:
            return None
        # Again, with a little less of the goal and clear coefficients instead.
        goal_at = float(best.x[goal]) + sign * giving * abs(float(best.x[goal]))
        bounds[goal] = (goal_at, goal_at)
        clear = hstack([-matrix, eye_array(len(place))])
        clearly = linprog(
            np.concatenate([np.zeros(len(cost)), -np.ones(len(place))]),
            A_ub=clear, b_ub=offset, bounds=[*bounds, *[(0.0, _SLACK)] * len(place)],
            options=options,
        )  # fmt: skip
        taken = best.x if clearly.x is None else clearly.x[: len(cost)]
        return np.asarray(taken / width)

    def exact(self, taken: Floats, fixed: Polynomial) -> Polynomial:
        """The polynomial of (2), from these numbers of each column, in fractions."""
        total: dict[Monomial, Fraction] = defaultdict(Fraction)
        for monomial, number in fixed.items():
            total[monomial] += number
        for column, number, (least, _) in zip(
            self.columns, taken.tolist(), self.bounds, strict=True
        ):
            often = Fraction(number if least is None else max(number, least))
            if often:
                for monomial, value in column.items():
                    total[monomial] += often * value
        return total


def _bounds(conserved: Ints, totals: Ints) -> list[Fraction | None]:
    """The most that a law without negative coefficients allows of each species."""
    most: list[Fraction | None] = []
    for column in range(conserved.shape[1]):
        held = [
            Fraction(int(total), int(law[column]))
            for law, total in zip(conserved, totals, strict=True)
            if law[column] > 0 and (law >= 0).all()
        ]
        most.append(min(held) if held else None)
    return most


def _negated(polynomial: dict[Monomial, Fraction]) -> dict[Monomial, Fraction]:
    return {monomial: -value for monomial, value in polynomial.items()}
