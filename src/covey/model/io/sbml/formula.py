"""The formulas of an SBML model, multiplied out to polynomials.

The symbols of the polynomials are the counted species (as `Species`) and the parameters (as their
names). Everything else that a formula names is replaced by what it means, and a call of a function
by its body. Sums, products, quotients and whole powers are all that mass action needs; a law that
does something else is none, and is read as it is written (`law`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from covey.errors import InputError
from covey.model.io.sbml.polynomial import MAX_POWER, Polynomial, Symbol, print_number
from covey.model.species import Species

_MAX_WORK = 400_000  # parts of formulas and products of terms: some seconds


class NotPolynomialError(InputError):
    """A formula that is no polynomial; it may be a law of another kind."""


class Formulas:
    """Reads the formulas of one model.

    `define` says what a name means, and is asked once for each; `values` are the numbers of the
    parameters. `folded` collects the parameters whose value went into a number somewhere.
    """

    def __init__(
        self,
        libsbml: Any,
        functions: Mapping[str, Any],
        define: Callable[[str], Polynomial],
        values: Mapping[Symbol, Fraction],
    ) -> None:
        self.folded: set[Symbol] = set()
        self._functions = functions
        self._define = define
        self._values = values
        self._known: dict[str, Polynomial] = {}
        self._work = 0
        self._sbml = libsbml
        self._operations: dict[tuple[int, int], Callable[..., Polynomial]] = {
            (libsbml.AST_MINUS, 1): lambda one: -one,
            (libsbml.AST_MINUS, 2): lambda one, other: one + -other,
            (libsbml.AST_DIVIDE, 2): self.divide,
            (libsbml.AST_POWER, 2): self._power,
            (libsbml.AST_FUNCTION_POWER, 2): self._power,
        }

    def polynomial(self, node: Any, local: Mapping[str, Polynomial] | None = None) -> Polynomial:
        """A formula as a polynomial; `local` are names that mean something in it alone."""
        if node is None:
            raise InputError("its formula is missing")
        try:
            return self._read(node, local or {})
        except RecursionError:
            raise InputError("its formulas call each other too deeply, or in a circle") from None

    def name(self, id_: str) -> Polynomial:
        """What a name means, anywhere in the model."""
        if id_ not in self._known:
            self._known[id_] = self._define(id_)
        return self._known[id_]

    def number(self, polynomial: Polynomial, what: str) -> Fraction:
        """The value of a polynomial that must not depend on species."""
        symbols = polynomial.symbols()
        for symbol in symbols:
            if isinstance(symbol, Species):
                raise NotPolynomialError(f"{what} that depends on {symbol}")
        self.folded |= symbols
        return polynomial.value(self._values)

    def _read(self, node: Any, local: Mapping[str, Polynomial]) -> Polynomial:
        self.spend(1)
        sbml, kind = self._sbml, node.getType()
        if node.isNumber():
            return Polynomial.number(self.literal(node))
        if kind == sbml.AST_NAME:
            name = node.getName()
            return local[name] if name in local else self.name(name)
        if kind == sbml.AST_PLUS:
            total = Polynomial.number(0)
            for child in self.operands(node):
                self.spend(len(total))
                total += self._read(child, local)
            return total
        if kind == sbml.AST_TIMES:
            product = Polynomial.number(1)
            for child in self.operands(node):
                product = self._times(product, self._read(child, local))
            return product
        if kind == sbml.AST_FUNCTION:
            return self._call(node.getName(), [self._read(c, local) for c in children(node)])
        operation = self._operations.get((kind, node.getNumChildren()))
        if operation is None:
            raise NotPolynomialError(
                f"its formula has {self.named(node)}: only + - * / and whole powers are read"
            )
        return operation(*(self._read(child, local) for child in children(node)))

    def literal(self, node: Any) -> Fraction:
        """The value of a number that is written out."""
        if node.getType() == self._sbml.AST_RATIONAL:
            if node.getDenominator() == 0:
                raise InputError("its formula divides by 0")
            return Fraction(node.getNumerator(), node.getDenominator())
        value = float(node.getInteger() if node.isInteger() else node.getReal())
        if not math.isfinite(value):
            raise InputError(f"its formula has the number {value}")
        return Fraction(value)

    def operands(self, node: Any) -> Iterator[Any]:
        """The operands of a sum or product; libsbml nests a long one to the left, in pairs."""
        kind, waiting = node.getType(), []
        while node.getType() == kind and node.getNumChildren():
            first, *others = children(node)
            waiting += reversed(others)
            node = first
        if node.getType() != kind:
            yield node
        yield from reversed(waiting)

    def _times(self, one: Polynomial, other: Polynomial) -> Polynomial:
        self.spend(len(one) * len(other))
        return one * other

    def divide(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """The quotient; a sum below the line is allowed where it comes to a number."""
        if len(other) > 1:
            other = Polynomial.number(self.number(other, "its formula divides by a sum"))
        if not len(other):
            raise InputError("its formula divides by 0")
        return self._times(one, other.inverse())

    def _power(self, base: Polynomial, exponent: Polynomial) -> Polynomial:
        n = self.number(exponent, "its formula has a power")
        if n.denominator != 1 or abs(n) > MAX_POWER:
            kind = NotPolynomialError if n.denominator != 1 else InputError
            raise kind(
                f"its formula has the power {print_number(n)}: whole ones up to {MAX_POWER} are "
                "read"
            )
        result = Polynomial.number(1)
        for _ in range(abs(int(n))):
            result = self._times(result, base)
        return self.divide(Polynomial.number(1), result) if n < 0 else result

    def _call(self, name: str, arguments: list[Polynomial]) -> Polynomial:
        names, body = self.function(name, len(arguments))
        return self._read(body, dict(zip(names, arguments, strict=True)))

    def function(self, name: str, values: int) -> tuple[list[str], Any]:
        """The names of a function's arguments, and its body."""
        function: Any = self._functions.get(name)
        body = None if function is None else function.getBody()
        if body is None or function.getNumArguments() != values:
            raise InputError(
                f"its formula calls {name[:40]}, which is no function of so many values"
            )
        names = [function.getArgument(i).getName() for i in range(values)]
        if len(set(names)) < len(names):
            raise InputError(f"its formula calls {name}, which has an argument twice")
        return names, body

    def named(self, node: Any) -> str:
        """What an operation or symbol is called, for a message."""
        if node.getType() == self._sbml.AST_NAME_TIME:
            return "the time"
        name = node.getName() or node.getOperatorName()
        return f'"{name[:40]}"' if name else "a part that is empty or unknown"

    def spend(self, work: int) -> None:
        """Counts what is done, and refuses where it is too much."""
        self._work += work
        if self._work > _MAX_WORK:
            raise InputError("the formulas are too long when they are multiplied out")


def children(node: Any) -> Iterator[Any]:
    """The operands of a part of a formula."""
    return (node.getChild(i) for i in range(node.getNumChildren()))
