"""RateLaw: how often a reaction happens, as any function of the counts.

Mass action says how often robots meet who meet by chance. Limited servers, saturation, throttles
and thresholds follow other rate laws, and the paper's r(x; κ) may be any of them. In brackets
stands the whole rate, a term (see `term`):

    {carrier} -> charge{carrier} @ [plug * min({carrier}, 3 - charge{carrier})]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from covey.errors import InputError
from covey.model.rate_laws.term import MAX_PARTS, Applied, Term, applied, print_term
from covey.model.rate_laws.text import parse_term
from covey.model.species import Species

_SYMMETRIC = ("+", "*", "min", "max", "==", "!=")


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
            raise InputError(f"a rate law of {size:,} parts: at most {MAX_PARTS:,} are read")

    @classmethod
    def parse(cls, text: str) -> RateLaw:
        """The rate law that a text writes.

        Args:
            text: Such as `plug * min({A}, 3 - charge{A})`, without the brackets around it.
        """
        return cls(parse_term(text))

    @property
    def words(self) -> set[str]:
        """The names in it: of rates, and of species without members."""
        return {leaf for leaf in _leaves(self.term) if isinstance(leaf, str)}

    @property
    def factors(self) -> list[str]:
        """The words that the whole rate law is proportional to."""

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
        """The rate law with some of its words replaced by what they mean.

        Args:
            meaning: Terms by the words that they are written for.
        """
        return self._mapped(lambda leaf: meaning.get(leaf, leaf) if isinstance(leaf, str) else leaf)

    def relabelled(self, image: Callable[[Species], Term]) -> RateLaw:
        """The rate law with every species replaced by its image.

        Args:
            image: From species to species, or to any term of counts.
        """
        return self._mapped(lambda leaf: image(leaf) if isinstance(leaf, Species) else leaf)

    def _mapped(self, change: Callable[[Term], Term]) -> RateLaw:
        def mapped(term: Term) -> Term:
            if isinstance(term, Applied):
                return applied(term.function, *map(mapped, term.parts))
            return change(term)

        return RateLaw(mapped(self.term))

    def ordered(self, rates: Mapping[str, float]) -> str:
        """A text that is the same for rate laws that differ only by the order of their parts.

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
        """The rate law in brackets, as it is written after the @ of a reaction."""
        return f"[{print_term(self.term)}]"


def _symmetric(term: Applied) -> bool:
    return term.function in _SYMMETRIC


def _leaves(term: Term) -> Iterator[Term]:
    if isinstance(term, Applied):
        for part in term.parts:
            yield from _leaves(part)
    else:
        yield term
