"""Terms of laws as MathML, in the part of it that SBML Level 3 Version 1 has.

There min and max are values by pieces, and so is the 1 or 0 of a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from xml.etree.ElementTree import Element, SubElement

from covey.model.rate_laws.term import Applied, Term

_OPERATIONS = {"+": "plus", "*": "times", "/": "divide", "^": "power", "-": "minus"}
_COMPARISONS = {"<": "lt", "<=": "leq", ">": "gt", ">=": "geq", "==": "eq", "!=": "neq"}


def mathml(term: Term, ids: Mapping[str, str]) -> Element:
    """A term as MathML; `ids` says what rates and species are called there."""
    if isinstance(term, float):
        return real(term)
    if not isinstance(term, Applied):
        return leaf("ci", ids[str(term)])
    if term.function in ("min", "max"):
        return _extreme(term, ids)
    parts = [mathml(part, ids) for part in term.parts]
    if term.function in _COMPARISONS:
        holds = apply(_COMPARISONS[term.function], *parts)
        return _pieces([(integer(1), holds)], integer(0))
    return apply(_OPERATIONS[term.function], *parts)


def _extreme(term: Applied, ids: Mapping[str, str]) -> Element:
    """The part that no other is below, or above; the last, where it is none of the others."""
    comparison = "leq" if term.function == "min" else "geq"
    pieces = []
    for i, part in enumerate(term.parts[:-1]):
        others = [*term.parts[:i], *term.parts[i + 1 :]]
        holds = [apply(comparison, mathml(part, ids), mathml(other, ids)) for other in others]
        value = mathml(part, ids)
        pieces.append((value, apply("and", *holds) if len(holds) > 1 else holds[0]))
    return _pieces(pieces, mathml(term.parts[-1], ids))


def _pieces(pieces: Sequence[tuple[Element, Element]], otherwise: Element) -> Element:
    whole = Element("piecewise")
    for value, holds in pieces:
        SubElement(whole, "piece").extend([value, holds])
    SubElement(whole, "otherwise").append(otherwise)
    return whole


def apply(operation: str, *operands: Element) -> Element:
    """An operation on some operands."""
    applied = Element("apply")
    applied.append(Element(operation))
    applied.extend(operands)
    return applied


def real(value: float) -> Element:
    """A number; the shortest decimal reads back as the same one, and MathML has no exponents."""
    return leaf("cn", format(Decimal(repr(value)), "f"))


def integer(n: int) -> Element:
    """A whole number."""
    number = leaf("cn", str(n))
    number.set("type", "integer")
    return number


def leaf(tag: str, text: str) -> Element:
    """An element with nothing but text in it."""
    element = Element(tag)
    element.text = f" {text} "  # as MathML is usually set
    return element
