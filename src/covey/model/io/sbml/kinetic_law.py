"""Kinetic laws that are not mass action, as laws of covey's own (`covey.model.rate_laws.rate_law`).

What cannot be multiplied out to a polynomial, or is not mass action when it is, is read as it is
written: sums, products, quotients and powers, the minimum and maximum of Level 3 Version 2,
comparisons, and values by pieces, each piece times whether its condition holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from covey.errors import InputError
from covey.model.io.sbml.formula import children
from covey.model.io.sbml.polynomial import Monomial, Polynomial, Symbol
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Applied, Term, applied, number
from covey.model.species import Species

if TYPE_CHECKING:
    from covey.model.io.sbml.symbols import Symbols

_KNOWN = "+ - * / and powers, min, max, comparisons and values by pieces are read"


class KineticLawReader:
    """Reads the kinetic laws of one model as they are written."""

    def __init__(self, libsbml: Any, symbols: Symbols) -> None:
        self._symbols, self._formulas, self._sbml = symbols, symbols.formulas, libsbml
        self._functions = {
            libsbml.AST_DIVIDE: "/",
            libsbml.AST_POWER: "^",
            libsbml.AST_FUNCTION_POWER: "^",
            libsbml.AST_FUNCTION_MIN: "min",
            libsbml.AST_FUNCTION_MAX: "max",
            libsbml.AST_RELATIONAL_LT: "<",
            libsbml.AST_RELATIONAL_LEQ: "<=",
            libsbml.AST_RELATIONAL_GT: ">",
            libsbml.AST_RELATIONAL_GEQ: ">=",
            libsbml.AST_RELATIONAL_EQ: "==",
            libsbml.AST_RELATIONAL_NEQ: "!=",
            libsbml.AST_LOGICAL_AND: "*",
        }

    def law(self, reaction: Any) -> RateLaw:
        """The kinetic law of a reaction, as it is written."""
        local = {
            id_: self.of_polynomial(polynomial)
            for id_, polynomial in self._symbols.local(reaction).items()
        }
        try:
            return RateLaw(self._read(reaction.getKineticLaw().getMath(), local))
        except RecursionError:
            raise InputError("its formulas call each other too deeply, or in a circle") from None

    def _read(self, node: Any, local: Mapping[str, Term]) -> Term:
        self._formulas.spend(1)
        sbml, kind = self._sbml, node.getType()
        if node.isNumber():
            return number(float(self._formulas.literal(node)))
        if kind == sbml.AST_NAME:
            name = node.getName()
            return local[name] if name in local else self._name(name)
        if kind in (sbml.AST_PLUS, sbml.AST_TIMES):
            listed = [self._read(child, local) for child in self._formulas.operands(node)]
            return _joined("+" if kind == sbml.AST_PLUS else "*", listed)
        return self._applied(node, [self._read(child, local) for child in children(node)])

    def _applied(self, node: Any, parts: list[Term]) -> Term:
        """What a function makes of its parts."""
        sbml, kind = self._sbml, node.getType()
        if kind == sbml.AST_FUNCTION:
            names, body = self._formulas.function(node.getName(), len(parts))
            return self._read(body, dict(zip(names, parts, strict=True)))
        if kind == sbml.AST_FUNCTION_PIECEWISE:
            return _pieces(parts)
        if kind == sbml.AST_MINUS and len(parts) in (1, 2):
            negative = applied("-", parts[-1])
            return negative if len(parts) == 1 else applied("+", parts[0], negative)
        function = self._functions.get(kind)
        if function is None or len(parts) < 2 or (len(parts) > 2 and function not in _MANY):
            raise InputError(f"its formula has {self._formulas.named(node)}: {_KNOWN}")
        return applied(function, *parts)

    def _name(self, id_: str) -> Term:
        rule = self._symbols.rule(id_)
        if rule is not None:
            return self._read(rule, {})
        return self.of_polynomial(self._formulas.name(id_))

    def of_polynomial(self, polynomial: Polynomial) -> Term:
        """A polynomial as a term: what a name in a formula means."""
        terms = sorted(polynomial.terms.items(), key=str)
        return _joined("+", [self._product(monomial, c) for monomial, c in terms])

    def _product(self, monomial: Monomial, coefficient: Fraction) -> Term:
        above = [_power(self._symbol(s), n) for s, n in sorted(monomial, key=str) if n > 0]
        below = [_power(self._symbol(s), -n) for s, n in sorted(monomial, key=str) if n < 0]
        factor = [] if abs(coefficient) == 1 and above else [number(float(abs(coefficient)))]
        product = _joined("*", [*factor, *above])
        if below:
            product = applied("/", product, _joined("*", below))
        return product if coefficient > 0 else applied("-", product)

    def _symbol(self, symbol: Symbol) -> Term:
        if isinstance(symbol, Species):
            return str(symbol) if symbol.is_plain else symbol
        taken = {str(species) for species in self._symbols.counted.values()}
        # A parameter that is called like a species stands for its number.
        return number(float(self._symbols.values[symbol])) if symbol in taken else symbol


_MANY = ("min", "max", "*")


def _joined(function: str, parts: list[Term]) -> Term:
    if not parts:
        return 0.0 if function == "+" else 1.0
    return applied(function, *parts) if len(parts) > 1 else parts[0]


def _power(base: Term, n: int) -> Term:
    return base if n == 1 else applied("^", base, float(n))


def _pieces(parts: list[Term]) -> Term:
    """Values with their conditions, and the value elsewhere; the first that holds counts."""
    if len(parts) % 2 == 0:
        raise InputError("its formula has a value by pieces and none elsewhere: give one")
    values, conditions = parts[::2], parts[1::2]
    if values == [1.0, 0.0]:
        return conditions[0]
    for function, comparison in (("min", "<="), ("max", ">=")):
        beaten = [_beats(values, i, comparison) for i in range(len(conditions))]
        if conditions and conditions == beaten:
            return applied(function, *values)
    value = values[-1]
    for piece, holds in reversed(list(zip(values, conditions, strict=False))):
        other = applied("+", 1.0, applied("-", holds))
        value = applied("+", applied("*", holds, piece), applied("*", other, value))
    return value


def _beats(values: list[Term], i: int, comparison: str) -> Term:
    """That one of several values is the least, or the largest, as `mathml` writes it."""
    others = [*values[:i], *values[i + 1 :]]
    return _joined("*", [applied(comparison, values[i], other) for other in others])


def split(law: RateLaw) -> tuple[RateLaw, RateLaw | None]:
    """The way there and the way back of a reversible law: what is added, and what is subtracted."""
    term = law.term
    parts = term.parts if isinstance(term, Applied) and term.function == "+" else ()
    ahead, back = [], []
    for part in parts:
        if isinstance(part, Applied) and part.function == "-":
            back.append(part.parts[0])
        else:
            ahead.append(part)
    if not back or not ahead:
        return law, None
    return RateLaw(_joined("+", ahead)), RateLaw(_joined("+", back))
