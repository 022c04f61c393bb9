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

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.structure.exact_algebra import integer_kernel
from covey.model.structure.finding import Finding

# How far the equations may be off, in logarithms: rounding, not a wrong rate, explains less.
_TOLERANCE = 1e-9
_ROUNDING = 1e-13  # and as much again of the largest numbers that cancel


@dataclass(frozen=True, eq=False)
class BalancedPoint:
    """The best candidate for c, and how far it is from balance.

    Attributes:
        log_c: Ln c of every species, (species,).
        residual: The largest error of the equations above.
        tolerance: How large an error rounding explains.
        worst: The two complexes of the largest error; None where there are no equations.
    """

    log_c: NDArray[np.float64]  # (species,)
    residual: float
    tolerance: float
    worst: tuple[Complex, Complex] | None

    @property
    def balanced(self) -> bool:
        """Whether rounding alone explains the residual."""
        return self.residual <= self.tolerance


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
    off = f"a factor of {np.exp(point.residual):.4g}" if point.residual < 700 else "any factor"
    if not np.isfinite(point.residual):
        return Finding.no("the rates are too far apart to tell: scale them")
    return Finding.no(
        f"no positive point balances every complex at these rates: between {first} and "
        f"{second} the best one is off by {off}"
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
            change = group[0].change_to(complex_)
            equations.append({network.index[species]: n for species, n in change.items()})
            wanted.append(value - log_h[0])
            pairs.append((group[0], complex_))
    log_c = _solve(equations, np.array(wanted), [len(s.members) for s in network.species])
    worst, residual, noise = None, 0.0, 0.0
    for equation, target, pair in zip(equations, wanted, pairs, strict=True):
        error = abs(sum(n * log_c[i] for i, n in equation.items()) - target)
        noise = max(noise, sum(abs(n * log_c[i]) for i, n in equation.items()) + abs(target))
        if not error <= residual:  # a comparison that takes "not a number" for the worst
            worst, residual = pair, float(error)
    return BalancedPoint(log_c, residual, _TOLERANCE + _ROUNDING * noise, worst)


def _solve(
    equations: list[dict[int, int]], wanted: NDArray[np.float64], priority: list[int]
) -> NDArray[np.float64]:
    """`g` for a largest set of independent equations; compounds are determined, others are 0."""
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
    """`ln h` on one strongly connected class, by Grassmann–Taksar–Heyman elimination.

    It adds and multiplies positive numbers only, so that every entry is accurate relatively. The
    complex with fewest neighbours goes first, which keeps the rates sparse; they are kept as
    logarithms, because rates may be as far apart as floating point allows.
    """
    leaves: dict[int, dict[int, float]] = {j: {} for j in group}  # logarithms of rates
    enters: dict[int, set[int]] = {j: set() for j in group}

    def add(source: int, target: int, log_rate: float) -> None:
        leaves[source][target] = _log_sum([leaves[source].get(target, -math.inf), log_rate])
        enters[target].add(source)

    for source in group:
        for target, rate in reactions.get(source, []):
            add(source, target, math.log(rate))
    queue = [(len(leaves[j]) * len(enters[j]), j) for j in group]
    heapify(queue)
    removed: list[tuple[int, dict[int, float]]] = []  # a complex, and the flow into it per flow out
    while len(leaves) > 1:
        size, last = heappop(queue)
        if last not in leaves or size != len(leaves[last]) * len(enters[last]):
            continue
        out, sources = leaves.pop(last), enters.pop(last)
        total = _log_sum(list(out.values()))
        inflow = {j: leaves[j].pop(last) - total for j in sources}
        removed.append((last, inflow))
        for target in out:
            enters[target].discard(last)
        for source, flow in inflow.items():
            for target, log_rate in out.items():
                if target != source:
                    add(source, target, flow + log_rate)
        for j in {*sources, *out}:
            heappush(queue, (len(leaves[j]) * len(enters[j]), j))
    log_h = {next(iter(leaves)): 0.0}
    for j, inflow in reversed(removed):
        log_h[j] = _log_sum([log_h[k] + flow for k, flow in inflow.items()])
    return np.array([log_h[j] for j in group])


def _log_sum(logs: list[float]) -> float:
    """The logarithm of a sum, from the logarithms of its terms."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs))
