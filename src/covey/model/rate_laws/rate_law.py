"""RateLaw: how often a reaction happens, as any function of the counts.

Mass action says how often robots meet who meet by chance. Limited servers, saturation, throttles
and thresholds follow other laws, and the paper's r(x; κ) may be any of them. In brackets stands the
whole rate:

    {carrier} -> charge{carrier} @ [plug * min({carrier}, 3 - charge{carrier})]

A law is a term. A term is a number, a word (a named rate, or a plain species), a species, of which
it is the count, or a function of terms: + * / ^ min max, the negative of a term, and comparisons,
which are 1 where they hold and 0 elsewhere. Sums and products have all their parts side by side,
and a difference is the sum with a negative: so a law is printed in one way, which reads back as the
same law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
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
_SYMMETRIC = ("+", "*", "min", "max", "==", "!=")
_BINARY = ("/", "^", *COMPARISONS)

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


@dataclass(frozen=True, slots=True)
class RateLaw:
    """The whole rate of a reaction, as a function of the counts.

    Args:
        term: The function. `RateLaw.parse` reads it from text.
    """

    term: Term

    def __post_init__(self) -> None:
        size = sum(1 for _ in _leaves(self.term))
        if size > MAX_PARTS:
            raise InputError(f"a law of {size:,} parts: at most {MAX_PARTS:,} are read")

    @classmethod
    def parse(cls, text: str) -> RateLaw:
        """The law that a text writes.

        Args:
            text: Such as `plug * min({A}, 3 - charge{A})`, without the brackets around it.
        """
        from covey.model.rate_laws.text import parse_term  # noqa: PLC0415  (it makes terms)

        return cls(parse_term(text))

    @property
    def words(self) -> set[str]:
        """The names in it: of rates, and of species without members."""
        return {leaf for leaf in _leaves(self.term) if isinstance(leaf, str)}

    @property
    def factors(self) -> list[str]:
        """The words that the whole law is proportional to."""

        def found(term: Term) -> list[str]:
            if not isinstance(term, Applied):
                return [term] if isinstance(term, str) else []
            above = term.parts[:1] if term.function == "/" else term.parts
            return [w for p in above for w in found(p)] if term.function in ("*", "/") else []

        return found(self.term)

    def mentions(self, word: str) -> int:
        """How often a word stands in it.

        Args:
            word: The name of a rate, or of a species without members.
        """
        return sum(leaf == word for leaf in _leaves(self.term))

    @property
    def species(self) -> set[Species]:
        """The species with members that it counts."""
        return {leaf for leaf in _leaves(self.term) if isinstance(leaf, Species)}

    def replace(self, meaning: Mapping[str, Term]) -> RateLaw:
        """The law with some of its words replaced by what they mean.

        Args:
            meaning: Terms by the words that they are written for.
        """
        return self._mapped(lambda leaf: meaning.get(leaf, leaf) if isinstance(leaf, str) else leaf)

    def relabelled(self, image: Callable[[Species], Species]) -> RateLaw:
        """The law with every species replaced by its image.

        Args:
            image: From species to species.
        """
        return self._mapped(lambda leaf: image(leaf) if isinstance(leaf, Species) else leaf)

    def _mapped(self, change: Callable[[Term], Term]) -> RateLaw:
        def mapped(term: Term) -> Term:
            if isinstance(term, Applied):
                return applied(term.function, *map(mapped, term.parts))
            return change(term)

        return RateLaw(mapped(self.term))

    def ordered(self, rates: Mapping[str, float]) -> str:
        """A text that is the same for laws that differ only by the order of their parts.

        Args:
            rates: Numbers that named rates stand for.
        """

        def text(term: Term) -> str:
            if not isinstance(term, Applied):
                value = rates.get(term, term) if isinstance(term, str) else term
                return repr(value) if isinstance(value, float) else str(value)
            parts = list(map(text, term.parts))
            return f"{term.function}({'; '.join(sorted(parts) if _symmetric(term) else parts)})"

        return text(self.term)

    def __str__(self) -> str:
        """The law in brackets, as it is written after the @ of a reaction."""
        return f"[{print_term(self.term)}]"


def _symmetric(term: Applied) -> bool:
    return term.function in _SYMMETRIC


def _leaves(term: Term) -> Iterator[Term]:
    if isinstance(term, Applied):
        for part in term.parts:
            yield from _leaves(part)
    else:
        yield term


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
        raise InputError(f"a law is nested more than {MAX_DEPTH} deep")
    return Applied(function, parts, depth)


def number(value: float) -> Term:
    """A number as a term; negative ones are the negatives of others."""
    if not math.isfinite(value):
        raise InputError(f"a law has the number {value}: a finite one is expected")
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
