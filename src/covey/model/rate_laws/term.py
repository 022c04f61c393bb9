"""Terms: what rate laws are made of, and how they are written.

A term is a number, a word (a named rate, or a plain species), a species, of which it is the count,
or a function of terms: + * / ^ min max, the negative of a term, and comparisons, which are 1 where
they hold and 0 elsewhere. Sums and products have all their parts side by side, and a difference is
the sum with a negative: so a term is printed in one way, which reads back as the same term.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Union

from covey.errors import InputError
from covey.model.species import Species

Term = Union[float, str, Species, "Applied"]

MAX_DEPTH = 40
MAX_PARTS = 2_000
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
FUNCTIONS = ("min", "max")
_FLAT = ("+", "*")  # with all parts side by side, in whichever order

# How tightly operations bind: a part that binds more loosely than its place asks stands in ( ).
_COMPARED, _ADDED, _MULTIPLIED, _NEGATED, _RAISED, _ATOM = range(6)
_BINDS = {"+": _ADDED, "*": _MULTIPLIED, "/": _MULTIPLIED, "-": _NEGATED, "^": _RAISED}


@dataclass(frozen=True, slots=True)
class Applied:
    """A function of terms; `applied` makes one.

    Attributes:
        function: Which one, as it is written: `+`, `min`, `<=`.
        parts: What it is a function of.
        depth: How deeply functions are nested in it.
    """

    function: str
    parts: tuple[Term, ...]
    depth: int


def applied(function: str, *parts: Term) -> Term:
    """A function of terms, with sums of sums and products of products written as one.

    Raises `InputError` where the function does not take so many, or is nested too deeply.
    """
    if function in _FLAT:
        flat: list[Term] = []
        for part in parts:
            inner = isinstance(part, Applied) and part.function == function
            flat += part.parts if inner and isinstance(part, Applied) else [part]
        parts = tuple(flat)
    if function == "-" and isinstance(parts[0], Applied) and parts[0].function == "-":
        return parts[0].parts[0]
    depth = 1 + max(part.depth if isinstance(part, Applied) else 0 for part in parts)
    if depth > MAX_DEPTH:
        raise InputError(f"a rate law is nested more than {MAX_DEPTH} deep")
    return Applied(function, parts, depth)


def number(value: float) -> Term:
    """A number as a term; negative ones are the negatives of others."""
    if not math.isfinite(value):
        raise InputError(f"a rate law has the number {value}: a finite one is expected")
    return applied("-", -value) if value < 0 else abs(value)


def print_term(term: Term, place: int = _COMPARED) -> str:
    """A term as text, in ( ) where it binds more loosely than its place asks."""
    if not isinstance(term, Applied):
        return print_number(term) if isinstance(term, float) else str(term)
    if term.function in FUNCTIONS:
        return f"{term.function}({', '.join(map(print_term, term.parts))})"
    binds = _BINDS.get(term.function, _COMPARED)
    first, *rest = term.parts
    if term.function == "+":
        text = print_term(first, _MULTIPLIED) + "".join(map(_added, rest))
    elif term.function == "*":
        text = " * ".join([print_term(first, binds), *(print_term(p, _NEGATED) for p in rest)])
    elif term.function == "/":
        text = f"{print_term(first, binds)} / {print_term(rest[0], _NEGATED)}"
    elif term.function == "-":
        text = f"-{print_term(first, _NEGATED)}"
    elif term.function == "^":
        text = f"{print_term(first, _ATOM)}^{print_term(rest[0], _NEGATED)}"
    else:
        text = f"{print_term(first, _ADDED)} {term.function} {print_term(rest[0], _ADDED)}"
    return text if binds >= place else f"({text})"


def _added(part: Term) -> str:
    if isinstance(part, Applied) and part.function == "-":
        return f" - {print_term(part.parts[0], _MULTIPLIED)}"
    return f" + {print_term(part, _MULTIPLIED)}"


def print_number(value: float) -> str:
    """The shortest text that reads back as the same number: `3`, `0.25`."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
