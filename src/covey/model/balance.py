"""Complex balance: is there a point c > 0 with A ψ(c) = 0?

On each linkage class of a weakly reversible network the kernel of A is spanned by one positive
vector h (the stationary law of the class, walked at its rates). Complex balance asks that ψ(c) is
a multiple of h on every class: with g = ln c, and C₀ any complex of the class,

    (ρ_k − ρ_0) · g = ln h_k − ln h_0      for every other complex C_k of it.

These n − ℓ equations have rank s: at deficiency zero they always have a solution, at a positive
deficiency δ the rates must meet δ conditions. Any solution serves every team, because moving g
along a conservation law only rescales the normaliser.

[1] F. Horn, Necessary and sufficient conditions for complex balancing, Arch. Rational Mech. 1972.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.model.elimination import integer_kernel
from covey.model.finding import Finding
from covey.model.network import Network
from covey.model.reaction import Complex

# How far the equations may be off, in logarithms: rounding, not a wrong rate, explains less.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class BalancedPoint:
    """The best candidate for c, as ln c per species, and how far it is from balance.

    `residual` is the largest error of the equations above, and `worst` the two complexes there.
    """

    log_c: NDArray[np.float64]  # (species,)
    residual: float
    worst: tuple[Complex, Complex] | None

    @property
    def balanced(self) -> bool:
        """Whether rounding alone explains the residual."""
        return self.residual <= _TOLERANCE


def complex_balance(
    network: Network, linkage_classes: Sequence[Sequence[Complex]], deficiency: int
) -> Finding:
    """Whether a weakly reversible network is complex-balanced at its rates, and why."""
    if deficiency == 0:
        return Finding.yes("weakly reversible, and the deficiency is zero: at any rates")
    point = balanced_point(network, linkage_classes)
    if point.balanced:
        return Finding.yes(
            f"the deficiency is {deficiency}, but these rates meet its conditions "
            f"(to {point.residual:.1e}): at other rates it may not hold"
        )
    assert point.worst is not None
    first, second = point.worst
    return Finding.no(
        f"no positive point balances every complex at these rates: between {first} and "
        f"{second} the best one is off by a factor of {np.exp(point.residual):.4g}"
    )


def balanced_point(network: Network, linkage_classes: Sequence[Sequence[Complex]]) -> BalancedPoint:
    """Solves the equations of the module's head, with c = 1 on the species left undetermined."""
    number = {complex_: j for j, complex_ in enumerate(network.complexes)}
    equations: list[dict[int, int]] = []
    wanted: list[float] = []
    pairs: list[tuple[Complex, Complex]] = []
    leaving = _reactions_by_source(network)
    for group in linkage_classes:
        log_h = _log_stationary([number[complex_] for complex_ in group], leaving)
        for complex_, value in zip(group[1:], log_h[1:], strict=True):
            equations.append(_difference(network, complex_, group[0]))
            wanted.append(value - log_h[0])
            pairs.append((group[0], complex_))
    log_c = _solve(equations, np.array(wanted), [len(s.members) for s in network.species])
    errors = [
        abs(sum(n * log_c[i] for i, n in equation.items()) - target)
        for equation, target in zip(equations, wanted, strict=True)
    ]
    worst = int(np.argmax(errors)) if errors else None
    return BalancedPoint(
        log_c, 0.0 if worst is None else errors[worst], None if worst is None else pairs[worst]
    )


def _solve(
    equations: list[dict[int, int]], wanted: NDArray[np.float64], priority: list[int]
) -> NDArray[np.float64]:
    """G for a largest set of independent equations; compounds are determined, the others are 0."""
    pivots = integer_kernel(equations, len(priority), priority).pivots
    column = {unknown: j for j, (_, unknown) in enumerate(pivots)}
    matrix = np.zeros((len(pivots), len(pivots)))  # (equations, unknowns) that were pivots
    for i, (equation, _) in enumerate(pivots):
        for unknown, n in equations[equation].items():
            if unknown in column:
                matrix[i, column[unknown]] = n
    log_c = np.zeros(len(priority))
    rows = [equation for equation, _ in pivots]
    log_c[list(column)] = np.linalg.solve(matrix, wanted[rows])
    return log_c


def _difference(network: Network, left: Complex, right: Complex) -> dict[int, int]:
    change = {network.index[species]: n for species, n in left}
    for species, n in right:
        i = network.index[species]
        change[i] = change.get(i, 0) - n
    return {i: n for i, n in change.items() if n}


def _reactions_by_source(network: Network) -> dict[int, list[tuple[int, float]]]:
    """For every complex, where its reactions lead and at which rate constants."""
    leaving: dict[int, list[tuple[int, float]]] = {}
    for (source, target), rate in zip(network.edges, network.rate_constants, strict=True):
        if source != target:
            leaving.setdefault(source, []).append((target, float(rate)))
    return leaving


def _log_stationary(
    group: list[int], reactions: dict[int, list[tuple[int, float]]]
) -> NDArray[np.float64]:
    """Ln h on one strongly connected class, by Grassmann–Taksar–Heyman elimination.

    It adds and multiplies positive numbers only, so that every entry is accurate relatively.
    """
    place = {j: i for i, j in enumerate(group)}
    rates = np.zeros((len(group), len(group)))  # rates[i, k]: from i to k
    for source in group:
        for target, rate in reactions.get(source, []):
            rates[place[source], place[target]] += rate
    leaving = np.zeros(len(group))
    for last in range(len(group) - 1, 0, -1):
        leaving[last] = rates[last, :last].sum()
        rates[:last, :last] += np.outer(rates[:last, last] / leaving[last], rates[last, :last])
    log_h = np.zeros(len(group))
    with np.errstate(divide="ignore"):
        log_rates = np.log(rates)
    for last in range(1, len(group)):
        flows = log_h[:last] + log_rates[:last, last]
        log_h[last] = np.logaddexp.reduce(flows) - np.log(leaving[last])
    return log_h
