"""Polynomials in the counts of the species, in the basis that suits whole numbers.

The basis are products of falling factorials, x^(m) = prod_i x_i (x_i - 1) … (x_i - m_i + 1): what
mass action is made of, and never negative where counts are whole and not negative. So a polynomial
without negative coefficients is nowhere negative in any state. In this basis

    x^(j) x^(k)  = sum_l C(j,l) C(k,l) l! x^(j+k-l)            for each species by itself,
    (x + d)^(m)  = sum_l C(m,l) x^(l) d^(m-l)                  (Vandermonde)

so that the generator of the chain, (L g)(x) = sum_r a_r(x) (g(x + change_r) - g(x)), takes
polynomials to polynomials. Coefficients are fractions: what is shown of them is shown exactly.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.numbers import Floats

Monomial = tuple[int, ...]  # the order in each species
Polynomial = Mapping[Monomial, Fraction]


def monomials(species: int, degree: int) -> Iterator[Monomial]:
    """Every product of at most so many factors, the smallest first."""
    for factors in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(range(species), factors):
            orders = [0] * species
            for i in chosen:
                orders[i] += 1
            yield tuple(orders)


def unit(species: int, one: int) -> Monomial:
    """The monomial of one species alone."""
    return tuple(int(i == one) for i in range(species))


def times(one: Monomial, other: Monomial) -> dict[Monomial, int]:
    """The product of two monomials."""
    ways = [
        [(j + k - m, math.comb(j, m) * math.comb(k, m) * math.factorial(m))
         for m in range(min(j, k) + 1)]
        for j, k in zip(one, other, strict=True)
    ]  # fmt: skip
    return _expanded(ways)


def generated(network: Network, monomial: Monomial) -> dict[Monomial, Fraction]:
    """What the generator of the chain makes of a monomial, by mass action (falling factorials)."""
    found: dict[Monomial, Fraction] = defaultdict(Fraction)
    for rate, reactants, change in zip(
        network.rate_constants.tolist(), network.reactants, network.changes, strict=True
    ):
        for lower, number in _shifted(monomial, change.tolist()).items():
            if lower == monomial:  # g(x) itself, which is taken away
                continue
            for product, ways in times(tuple(reactants.tolist()), lower).items():
                found[product] += Fraction(rate) * number * ways
    return {product: value for product, value in found.items() if value}


def evaluate(polynomial: Polynomial, states: NDArray[np.integer]) -> Floats:
    """The value in every state, in doubles: (states,)."""
    total = np.zeros(len(states))
    for monomial, coefficient in polynomial.items():
        term = np.full(len(states), float(coefficient))
        for i, order in enumerate(monomial):
            for taken in range(order):
                term *= np.maximum(states[:, i].astype(np.float64) - taken, 0.0)
        total += term
    return total


def _shifted(monomial: Monomial, change: list[int]) -> dict[Monomial, int]:
    """(x + change)^(monomial)."""
    ways = [
        [(k, math.comb(order, k) * _falling(step, order - k)) for k in range(order + 1)]
        for order, step in zip(monomial, change, strict=True)
    ]
    return _expanded(ways)


def _expanded(ways: list[list[tuple[int, int]]]) -> dict[Monomial, int]:
    """The product of a sum for each species, each a list of (order, number)."""
    found: dict[Monomial, int] = {(): 1}
    for choices in ways:
        found = {
            (*orders, order): number * more
            for orders, number in found.items()
            for order, more in choices
            if more
        }
    return found


def _falling(number: int, factors: int) -> int:
    return math.prod(number - taken for taken in range(factors))
