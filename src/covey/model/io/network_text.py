"""The text of a network: a reaction or a family a line, and lines that set a value.

    take = 3                                         a named rate
    sites = ["dock", "aisle"]                        a set of words, for families
    kinetics = power
    pick: {A} + {R} <-> {A,R} @ take, 1              a reaction, here with a name
    {$i} <-> w{$i} @ 1, 1       for i in sites       a family

What a reaction was written as is kept: errors name its line and its case, and a family prints as a
family again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from covey.errors import InputError
from covey.files.json_reader import read_json
from covey.model.complex import Complex
from covey.model.families.family import Family, check_number
from covey.model.families.word_sets import Sets, check_sets
from covey.model.frozen import FrozenMap
from covey.model.rate import check_rate_constant
from covey.model.rate_laws.control import Rules
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.reaction import Reaction, parse_reaction, print_reactions
from covey.model.stages import Stages
from covey.numbers import number_of

_SETTING = re.compile(r"(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>[^=<>@\[]*|\[.*\])", re.DOTALL)


class Place(NamedTuple):
    """Where a reaction was written: the line, and which case of a family it is."""

    line: int | None = None
    case: str | None = None


@dataclass(frozen=True)
class Written:
    """A family, and that it became the reactions from `start` to `stop`."""

    family: Family
    start: int
    stop: int


@dataclass(frozen=True)
class HowWritten:
    """How a network was written; it does not change what it means."""

    sets: Sets
    places: tuple[Place, ...]
    families: tuple[Written, ...]
    plain: tuple[Reaction, ...]  # without what control and stages make of them
    control: Rules
    stages: Stages = field(default_factory=FrozenMap)


class NetworkText:
    """What was written, read: the reactions, each with its place, and the settings.

    A text has lines; else there is an item for each line, and no settings.
    """

    def __init__(
        self, reactions: str | Iterable[Reaction | str], sets: Mapping[str, Iterable[str]]
    ) -> None:
        self.sets = check_sets(sets)
        self.rates: dict[str, float] = {}
        self.kinetics: str | None = None
        self.reactions: list[Reaction] = []
        self.places: list[Place] = []
        self.families: list[Written] = []
        if isinstance(reactions, str):
            lines = list(enumerate(map(_strip, reactions.split("\n")), start=1))
            for number, line in lines:
                if setting := _SETTING.fullmatch(line):
                    with _at(Place(number)):
                        self._set(setting["name"], setting["value"].strip())
            for number, line in lines:
                if line and not is_setting(line):
                    self._read(line, number)
        else:
            for part in reactions:
                if isinstance(part, Reaction):
                    self._add([part], Place())
                else:
                    self._read(part, None)

    def _set(self, name: str, value: str) -> None:
        is_set = value.startswith("[")
        if name in (self.sets if is_set else self.rates) or (name == "kinetics" and self.kinetics):
            raise InputError(f"{name} is given twice")
        if is_set:
            self.sets = check_sets({**self.sets, name: _as_list(name, value)})
        elif name == "kinetics":
            self.kinetics = value
        else:
            self.rates[name] = check_rate_constant(_as_number(value), f"rates.{name}")

    def _read(self, line: str, number: int | None) -> None:
        """Takes a line: a reaction, or a family of them."""
        with _at(Place(number)):
            family = Family.parse(line)
            if family is None:
                check_number(len(self.reactions) + 1)
                self._add(parse_reaction(line), Place(number))
                return
            start = len(self.reactions)
            check_number(start + family.size(self.sets))
        seen: dict[tuple[Complex, Complex, float | str | RateLaw, int], str] = {}
        for case, plain in family.cases(self.sets):
            place = Place(number, case)
            with _at(place):
                found = parse_reaction(plain)
                for reaction in found:
                    _check_new(reaction, seen, case)
                self._add(found, place)
        self.families.append(Written(family, start, len(self.reactions)))

    def _add(self, reactions: list[Reaction], place: Place) -> None:
        self.reactions += reactions
        self.places += [place] * len(reactions)


def _check_new(
    reaction: Reaction,
    seen: dict[tuple[Complex, Complex, float | str | RateLaw, int], str],
    case: str,
) -> None:
    """Refuses what another case of the family has said already: it would happen twice as often."""
    written = (reaction.reactants, reaction.products, reaction.rate, reaction.stages)
    earlier = seen.setdefault(written, case)
    if earlier != case:
        raise InputError(
            f"{reaction.arrow} is there {earlier} already, at the same rate: together they would "
            "happen twice as often. i < j in a set takes every two of its words once; what two of "
            "a kind do is a line of its own, as {$i} + {$i} <-> {$i,$i} @ … for i in types"
        )


def print_lines(reactions: Sequence[Reaction], families: Iterable[Written]) -> Iterator[str]:
    """The lines of a network's reactions, its families as they were written."""
    at = 0
    for written in families:
        yield from print_reactions(reactions[at : written.start])
        yield written.family.text
        at = written.stop
    yield from print_reactions(reactions[at:])


def is_setting(line: str) -> bool:
    """Whether a line of a network's text sets a value, as `take = 3` does."""
    return _SETTING.fullmatch(_strip(line)) is not None


def _strip(line: str) -> str:
    """A line without its comment."""
    return line.partition("#")[0].strip()


@contextmanager
def _at(place: Place) -> Iterator[None]:
    """Whatever is wrong within is wrong at this place."""
    try:
        yield
    except InputError as error:
        error.key = "network.reactions"
        raise error.at(line=place.line, case=place.case) from None


def _as_number(text: str) -> float | str:
    number = number_of(text)
    return text if number is None else number


def _as_list(name: str, text: str) -> Any:
    try:
        return read_json(text)
    except InputError:
        raise InputError(
            f'the set {name} cannot be read: {name} = ["dock", "aisle"] is expected'
        ) from None
