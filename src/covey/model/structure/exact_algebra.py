"""Exact linear algebra on sparse integer matrices: rank and kernel, without growing numbers.

Elimination over the rationals can blow up: its entries double in length at every step. Modulo a
prime p they cannot. And the answer is certain all the same:

    rank mod p ≤ rank, because a minor that is not 0 mod p is not 0;
    rank ≤ n − k, as soon as k independent integer vectors of the kernel are at hand.

So the kernel found mod p is lifted to the rationals (Wang's reconstruction [1]) and checked in
whole numbers against every equation. If it passes, both bounds meet and the rank is exact; if not,
the next prime is larger. Conservation laws have small entries: the first prime nearly always does.

[1] P. S. Wang, A p-adic algorithm for univariate partial fractions, SYMSAC 1981.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from covey.errors import TooLargeError

Equation = Mapping[int, int]

# Mersenne primes. Products of two residues modulo the first fit in 64 bits.
_PRIMES = tuple(2**e - 1 for e in (31, 61, 127, 521, 2203, 9689))

# Beyond this many updates for one pivot the remaining equations are handled as a dense matrix.
_DENSE_ABOVE = 300


@dataclass(frozen=True)
class Kernel:
    """The integer solutions of a homogeneous system: `vectors` is a basis, sparse and primitive.

    `pivots` are `rank` pairs (equation, unknown): the equations are independent, and the other
    unknowns determine those.
    """

    rank: int
    vectors: tuple[dict[int, int], ...]
    pivots: tuple[tuple[int, int], ...]


def integer_kernel(
    equations: Sequence[Equation], unknowns: int, priority: Sequence[int] | None = None
) -> Kernel:
    """All w with Σ_i e_i w_i = 0 for every equation e. Unknowns of high priority are solved for."""
    for prime in _PRIMES:
        elimination = _Elimination(equations, unknowns, priority or [0] * unknowns, prime)
        vectors = [_lift(vector, prime) for vector in elimination.kernel()]
        if all(vector is not None and _solves(vector, equations) for vector in vectors):
            pivots = tuple((row, unknown) for row, unknown, _ in elimination.solved)
            return Kernel(len(pivots), tuple(v for v in vectors if v is not None), pivots)
    raise TooLargeError(
        "the conservation laws of this network have coefficients of thousands of digits: "
        "use smaller coefficients in its reactions"
    )


class _Elimination:
    """Elimination modulo a prime: `solved` holds (equation, unknown, expression), in order.

    An expression writes its unknown by unknowns that are solved for later, or never.
    """

    def __init__(
        self, equations: Sequence[Equation], unknowns: int, priority: Sequence[int], prime: int
    ) -> None:
        self.prime = prime
        self.unknowns = unknowns
        self.priority = priority
        self.solved: list[tuple[int, int, dict[int, int]]] = []
        self.rows = {
            number: {i: c % prime for i, c in equation.items() if c % prime}
            for number, equation in enumerate(equations)
        }
        self.columns: list[set[int]] = [set() for _ in range(unknowns)]
        for number, row in self.rows.items():
            for unknown in row:
                self.columns[unknown].add(number)
        if self._eliminate_sparse():
            self._eliminate_dense()

    def _eliminate_sparse(self) -> bool:
        """Takes the shortest equation each time; whether it stopped because rows had filled in."""
        queue = [(len(row), number) for number, row in self.rows.items()]
        heapify(queue)
        while queue:
            length, number = heappop(queue)
            row = self.rows.get(number)
            if row is None or len(row) != length:
                continue
            if not row:
                del self.rows[number]
                continue
            pivot = max(row, key=lambda i: (self.priority[i], -len(self.columns[i])))
            if (length - 1) * (len(self.columns[pivot]) - 1) > _DENSE_ABOVE:
                return True
            for other in self._solve_for(number, pivot):
                heappush(queue, (len(self.rows[other]), other))
        return False

    def _solve_for(self, number: int, pivot: int) -> set[int]:
        """Uses one equation up and substitutes its pivot in the others, which are returned."""
        row = self.rows.pop(number)
        for unknown in row:
            self.columns[unknown].discard(number)
        scale = -pow(row.pop(pivot), -1, self.prime)
        expression = {i: c * scale % self.prime for i, c in row.items()}
        self.solved.append((number, pivot, expression))
        others = self.columns[pivot]
        self.columns[pivot] = set()
        for other in others:
            target = self.rows[other]
            factor = target.pop(pivot)
            for unknown, coefficient in expression.items():
                value = (target.get(unknown, 0) + factor * coefficient) % self.prime
                if value:
                    target[unknown] = value
                    self.columns[unknown].add(other)
                elif unknown in target:
                    del target[unknown]
                    self.columns[unknown].discard(other)
        return others

    def _eliminate_dense(self) -> None:
        """Row echelon form of what is left, one outer product per pivot."""
        numbers = list(self.rows)
        unknowns = sorted({i for row in self.rows.values() for i in row})
        place = {unknown: column for column, unknown in enumerate(unknowns)}
        dtype = np.int64 if self.prime < 2**32 else object
        matrix = np.zeros((len(numbers), len(unknowns)), dtype=dtype)  # (equations, unknowns)
        for i, number in enumerate(numbers):
            for unknown, coefficient in self.rows[number].items():
                matrix[i, place[unknown]] = coefficient
        top = 0
        for column in sorted(range(len(unknowns)), key=lambda j: -self.priority[unknowns[j]]):
            below = np.flatnonzero(matrix[top:, column]) + top
            if not below.size:
                continue
            swap = int(below[0])
            matrix[[top, swap]] = matrix[[swap, top]]
            numbers[top], numbers[swap] = numbers[swap], numbers[top]
            scale = -pow(int(matrix[top, column]), -1, self.prime)
            pivot_row = matrix[top] * (scale % self.prime) % self.prime
            pivot_row[column] = 0
            rows = np.flatnonzero(matrix[top + 1 :, column]) + top + 1
            factors = matrix[rows, column].copy()
            matrix[rows] = (matrix[rows] + factors[:, None] * pivot_row) % self.prime
            matrix[rows, column] = 0
            expression = {unknowns[int(j)]: int(pivot_row[j]) for j in np.flatnonzero(pivot_row)}
            self.solved.append((numbers[top], unknowns[column], expression))
            top += 1

    def kernel(self) -> list[dict[int, int]]:
        """One vector for every unknown that was not solved for, which has a 1 there."""
        free = set(range(self.unknowns)) - {unknown for _, unknown, _ in self.solved}
        values: dict[int, dict[int, int]] = {unknown: {unknown: 1} for unknown in free}
        for _, unknown, expression in reversed(self.solved):
            value: dict[int, int] = {}
            for other, coefficient in expression.items():
                for base, factor in values[other].items():
                    value[base] = (value.get(base, 0) + coefficient * factor) % self.prime
            values[unknown] = {base: factor for base, factor in value.items() if factor}
        vectors: dict[int, dict[int, int]] = {unknown: {} for unknown in sorted(free)}
        for unknown, value in values.items():
            for base, factor in value.items():
                vectors[base][unknown] = factor
        return list(vectors.values())


def _lift(vector: dict[int, int], prime: int) -> dict[int, int] | None:
    """The primitive integer vector with these residues, up to a factor; None if there is none."""
    entries = {}
    for unknown, residue in vector.items():
        entry = _reconstruct(residue, prime)
        if entry is None:
            return None
        entries[unknown] = entry
    common = math.lcm(*(entry.denominator for entry in entries.values()))
    whole = {unknown: int(entry * common) for unknown, entry in entries.items()}
    shared = math.gcd(*whole.values())
    return {unknown: entry // shared for unknown, entry in sorted(whole.items())}


def _reconstruct(residue: int, prime: int) -> Fraction | None:
    """The fraction n/d ≡ residue with n and d below √(p/2), by Euclid's algorithm stopped early."""
    bound = math.isqrt(prime // 2)
    above, below, left, right = prime, residue, 0, 1
    while below > bound:
        quotient = above // below
        above, below = below, above - quotient * below
        left, right = right, left - quotient * right
    return Fraction(below, right) if 0 < abs(right) <= bound else None


def _solves(vector: dict[int, int], equations: Sequence[Equation]) -> bool:
    return not any(sum(c * vector.get(i, 0) for i, c in e.items()) for e in equations)
