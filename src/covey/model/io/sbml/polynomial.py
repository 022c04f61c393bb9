"""Polynomials with exact coefficients: what a kinetic law is multiplied out to.

A polynomial is Σ c_m ∏ s^n over monomials m, with c_m rational and n a whole number, which may be
negative: k·A/V is one too. Its symbols are species, which are counted, and names of parameters.
Two laws mean the same where their polynomials are equal, however they are written.

The same polynomial has a second form, in the falling powers of its species
(x)_k = x (x − 1) … (x − k + 1):

    x^n = Σ_k S(n, k) (x)_k,   S the Stirling numbers of the second kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from covey.errors import InputError
from covey.model.species import Species

Symbol = Species | str
Monomial = frozenset[tuple[Symbol, int]]

ONE: Monomial = frozenset()
MAX_POWER = 100  # as for the coefficients of a reaction
_MAX_TERMS = 5000
_MAX_BITS = 5000  # of a coefficient; a floating-point number has at most 1074


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials. Make one by `number` or `symbol`, and calculate with it."""

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def number(cls, value: Fraction | int) -> Polynomial:
        """A constant."""
        return cls.sum([(ONE, Fraction(value))])

    @classmethod
    def symbol(cls, name: Symbol) -> Polynomial:
        """One symbol by itself."""
        return cls.sum([(frozenset({(name, 1)}), Fraction(1))])

    @classmethod
    def sum(cls, terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
        """The sum of terms, like ones added up; raises where it grows out of all proportion."""
        total: dict[Monomial, Fraction] = {}
        for monomial, c in terms:
            new = total[monomial] = total[monomial] + c if monomial in total else c
            if max(new.numerator.bit_length(), new.denominator.bit_length()) > _MAX_BITS:
                raise InputError("its numbers are too large or too small to calculate with")
            if len(total) > _MAX_TERMS:
                raise InputError("it has too many terms when it is multiplied out")
        return cls({monomial: c for monomial, c in total.items() if c})

    def __len__(self) -> int:
        return len(self.terms)

    def __add__(self, other: Polynomial) -> Polynomial:
        return self.sum([*self.terms.items(), *other.terms.items()])

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -c for monomial, c in self.terms.items()})

    def __mul__(self, other: Polynomial) -> Polynomial:
        return self.sum(
            (_product(m, n), c * d) for m, c in self.terms.items() for n, d in other.terms.items()
        )

    def inverse(self) -> Polynomial:
        """1 / self, which is a polynomial only where self is a single term."""
        ((monomial, c),) = self.terms.items()
        return self.sum([(frozenset((s, -n) for s, n in monomial), 1 / c)])

    def symbols(self) -> set[Symbol]:
        """Every symbol that occurs."""
        return {s for monomial in self.terms for s, _ in monomial}

    def value(self, values: Mapping[Symbol, Fraction]) -> Fraction:
        """The number that it comes to; every symbol must have a value."""
        total = Fraction(0)
        for monomial, c in self.terms.items():
            product = c
            for symbol, n in monomial:
                if n < 0 and not values[symbol]:
                    raise InputError(f"it divides by {symbol}, which is 0")
                product *= values[symbol] ** n
            total += product
        return total

    def by_counts(self) -> dict[Monomial, Polynomial]:
        """The polynomial as one in its species, with polynomials in parameters as coefficients."""
        parts: dict[Monomial, dict[Monomial, Fraction]] = {}
        for monomial, c in self.terms.items():
            counts = frozenset((s, n) for s, n in monomial if isinstance(s, Species))
            parts.setdefault(counts, {})[monomial - counts] = c
        return {counts: Polynomial(constant) for counts, constant in parts.items()}

    def falling(self) -> Polynomial:
        """The same in falling powers of the species: a pair (s, n) now means (s)_n."""
        total = self
        for symbol in self.symbols():
            if isinstance(symbol, Species):
                total = self.sum(
                    term for m, c in total.terms.items() for term in _falling(m, c, symbol)
                )
        return total


def _product(one: Monomial, other: Monomial) -> Monomial:
    powers = dict(one)
    for symbol, n in other:
        powers[symbol] = powers.get(symbol, 0) + n
        if abs(powers[symbol]) > MAX_POWER:
            raise InputError(f"a power is above {MAX_POWER}")
    return frozenset((symbol, n) for symbol, n in powers.items() if n)


def _falling(monomial: Monomial, c: Fraction, symbol: Symbol) -> list[tuple[Monomial, Fraction]]:
    n = dict(monomial).get(symbol, 0)
    if n < 2:
        return [(monomial, c)]
    rest = monomial - {(symbol, n)}
    return [(rest | {(symbol, k)}, c * _stirling(n, k)) for k in range(1, n + 1)]


@cache
def _stirling(n: int, k: int) -> int:
    """S(n, k): in how many ways n things can be put into k groups."""
    if k in (1, n):
        return 1
    return k * _stirling(n - 1, k) + _stirling(n - 1, k - 1)


def print_number(value: Fraction) -> str:
    """A number as a message shows it: `1.5`, however large or small it is."""
    try:
        return f"{float(value):g}"
    except OverflowError:
        return "more than 1e308" if value > 0 else "less than -1e308"
