"""Performance: what the team is for, as named measures.

A measure is a sum of expected rates of reactions and of mean counts, each with a factor:

    throughput = "rate(pick')"                      events per unit of time
    charging   = "mean(charge{carrier,dock})"       a count, or a sum of counts
    balance    = "2 rate(pick') - 0.1 mean(idle) at steady"

`rate` takes the name of a reaction, or names with * for any letters, `rate(move_*)`; `mean` takes
a sum of species, or the name of a sum that is seen. It is meant at the moment at which the
adversary looks; `at 10` and `at steady` say another one, and `until 480` the average from the start
until then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from covey.errors import InputError, did_you_mean, shown
from covey.model.complex import parse_sum
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.reaction import called
from covey.model.stages import counted
from covey.numbers import Floats

# What results name beside the measures of a scenario, which therefore cannot have these names.
PRIVACY = ("guess", "total_variation", "leakage", "epsilon")

_LONGEST = 2_000  # characters of a measure
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-])?\s*(?:(?P<factor>{_NUMBER})\s*\*?\s*)?"
    r"(?P<what>rate|mean)\s*\((?P<of>[^()]*)\)\s*"
)
_WHEN = re.compile(rf"\s*(?P<word>at|until)\s+(?P<time>steady|{_NUMBER})\s*")
_LARGEST = 1e100  # factor: no sum of terms overflows
_EXPECTED = 'write a sum of rate(NAME) and mean(SPECIES), as in "rate(pick\') until 480"'


@dataclass(frozen=True)
class Term:
    """One part of a measure: `2 rate(pick')`.

    Attributes:
        factor: What it is multiplied by.
        what: "rate" or "mean".
        of: The name of a reaction, or a sum of species.
    """

    factor: float
    what: Literal["rate", "mean"]
    of: str


@dataclass(frozen=True)
class Weights:
    """A measure as a function of the state, f(x) = Σ of reactions' rates + Σ of counts.

    Attributes:
        reactions: The factor of each reaction's rate, (reactions,).
        species: The factor of each species' count, (species,).
    """

    reactions: Floats
    species: Floats


@dataclass(frozen=True)
class Measure:
    """What a text says is to be expected; `Measure.parse` reads one.

    Attributes:
        text: As it stands in a scenario file.
        terms: What is added up.
        at: When it is meant; None: when the adversary looks.
        until: The average over all times until then is meant, where it is given.
    """

    text: str
    terms: tuple[Term, ...]
    at: Moment | None
    until: float | None

    @classmethod
    def parse(cls, text: object) -> Measure:
        """The measure that a text writes.

        Args:
            text: Such as `rate(pick') + 2 rate(pack') until 480`.
        """
        if not isinstance(text, str):
            raise InputError(f"{shown(text)} is no measure: {_EXPECTED}")
        if len(text) > _LONGEST:
            raise InputError(f"a measure of {len(text):,} characters: {_LONGEST:,} are allowed")
        terms: list[Term] = []
        place = 0
        while match := _TERM.match(text, place):
            if terms and match["sign"] is None:
                break
            factor = float(match["factor"] or 1)
            if factor > _LARGEST:
                raise InputError(f'the factor {match["factor"]} of "{text[:60]}" is too large')
            sign = -1.0 if match["sign"] == "-" else 1.0
            what: Literal["rate", "mean"] = "rate" if match["what"] == "rate" else "mean"
            terms.append(Term(sign * factor, what, match["of"].strip()))
            place = match.end()
        when = _WHEN.fullmatch(text, place)
        if not terms or (when is None and place < len(text)):
            rest = text[place:].strip()
            found = f'"{rest[:40]}" in "{text[:60]}"' if rest else f'"{text[:60]}"'
            raise InputError(f"{found} is not understood: {_EXPECTED}")
        return cls(text, tuple(terms), *_moment(when))

    def under(self, before: Query, after: Query) -> Measure:
        """The same measure where something else is seen: sums that are gone are spelled out.

        So are species, where a sum has their name now.

        Args:
            before: Whose sums it may name.
            after: Whose sums it may name afterwards.
        """
        terms = tuple(
            replace(term, of=_spelled_out(before.texts().get(term.of, term.of), after))
            if term.what == "mean" and before.sums.get(term.of) != after.sums.get(term.of)
            else term
            for term in self.terms
        )
        return self if terms == self.terms else replace(self, terms=terms, text=self._text(terms))

    def _text(self, terms: Iterable[Term]) -> str:
        written = " ".join(
            f"{'-' if term.factor < 0 else '+'} {_factor(term.factor)}{term.what}({term.of})"
            for term in terms
        ).removeprefix("+ ")
        if self.until is not None:
            return f"{written} until {self.until!r}"
        return written if self.at is None else f"{written} at {self.at}"

    def weights(self, network: Network, query: Query) -> Weights:
        """The measure as a function of the state.

        Args:
            network: Whose reactions and species it names.
            query: Whose sums it may name.
        """
        reactions, species = np.zeros(len(network.reactions)), np.zeros(len(network.species))
        for term in self.terms:
            if term.what == "rate":
                for i in called(term.of, network.reactions):
                    reactions[i] += term.factor
            else:
                for i, times in _counts(term.of, network, query):
                    species[i] += term.factor * times
        return Weights(reactions, species)


def read_measures(
    texts: Mapping[str, object], network: Network, query: Query
) -> FrozenMap[str, Measure]:
    """The measures of a scenario, checked; errors carry the dotted name as `key`."""
    found: dict[str, Measure] = {}
    for name, text in texts.items():
        try:
            if not isinstance(name, str) or not re.fullmatch(r"[^\W\d][\w-]*", name):
                raise InputError(f"{shown(name)} cannot be the name of a measure: use a word")
            if name in PRIVACY:
                raise InputError(f"{name} is a measure of privacy already: choose another name")
            found[name] = text if isinstance(text, Measure) else Measure.parse(text)
            found[name].weights(network, query)
        except InputError as error:
            raise error.at(key=f"performance.{name}") from None
    return FrozenMap(found)


def _moment(when: re.Match[str] | None) -> tuple[Moment | None, float | None]:
    if when is None:
        return None, None
    if when["word"] == "at":
        return ("steady" if when["time"] == "steady" else float(when["time"])), None
    if when["time"] == "steady" or not 0 < float(when["time"]) < math.inf:
        raise InputError(f"until {when['time']}: a time after the start is expected")
    return None, float(when["time"])


def _spelled_out(text: str, query: Query) -> str:
    """A sum of species, written as no sum that is seen is called."""
    if text not in query.sums:
        return text
    return " + ".join(f"{times} {species}" for species, times in parse_sum(text))


def _counts(text: str, network: Network, query: Query) -> list[tuple[int, int]]:
    if text in query.sums:
        query.check_linear("a measure of performance")
        return [(network.index[species], weight) for species, weight in query.sums[text].terms]
    terms = list(parse_sum(text))
    for species, _ in terms:
        if species not in network.index:
            hint = did_you_mean(str(species), [*map(str, network.species), *query.sums])
            raise InputError(f"{species} is in no reaction, and is no sum that is seen.{hint}")
    every = counted(terms, network.stages)
    return [(network.index[species], times) for species, times in every.items()]


def _factor(factor: float) -> str:
    """The size of a factor as it is written before a term: `2 `, and nothing where it is 1."""
    size, short = abs(factor), f"{abs(factor):g}"
    return "" if size == 1 else f"{short if float(short) == size else repr(size)} "
