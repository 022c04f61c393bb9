"""The rows of a log, one by one: which columns there are, and what their cells say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from covey.errors import InputError, did_you_mean, shown
from covey.files.csv_cells import read_cell
from covey.model.io.clock import Clock
from covey.model.network import Network
from covey.model.species import Species
from covey.numbers import whole_of
from covey.study.fit.logs.log import State

MAX_LOGGED_COUNT = 10_000_000
_SIDE = re.compile(r"(before|after)[\s._:]+(\S.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """What one row of a log says."""

    sample: str
    time: float
    reaction: str  # empty where none is named
    before: State | None
    after: State | None


@dataclass(frozen=True)
class Header:
    """In which column everything is; `before` and `after` in the order of the state vector."""

    width: int
    names: dict[str, int]  # time, sample, reaction
    before: tuple[int, ...] | None
    after: tuple[int, ...] | None
    species: tuple[Species, ...]
    clock: Clock

    @property
    def sampled(self) -> bool:
        """Whether every row is a snapshot."""
        return "reaction" not in self.names and self.before is None

    @classmethod
    def of(cls, cells: Sequence[str], network: Network, clock: Clock) -> Header:
        """The columns that the first line names."""
        names: dict[str, int] = {}
        sides: dict[str, dict[Species, int]] = {"before": {}, "after": {}}
        try:
            for column, cell in enumerate(cells):
                word = cell.strip()
                if word.lower() in ("time", "sample", "reaction"):
                    first = names.setdefault(word.lower(), column)
                else:
                    side, species = _species_column(word, network)
                    first = sides[side].setdefault(species, column)
                if first != column:
                    raise InputError(f"the column {shown(word)} is there twice")
            if "time" not in names:
                found = shown(", ".join(cells)) if cells else "nothing"
                raise InputError(
                    f"the first line is {found}: it names the columns, and time is one of them"
                )
            before = _in_order(sides["before"], network)
            after = _in_order(sides["after"], network)
            if after is None and "reaction" not in names:
                raise InputError(
                    "neither reactions nor states: besides time, a column reaction or one for "
                    f"every species ({', '.join(map(str, network.species))[:200]}) is expected"
                )
        except InputError as error:
            raise error.at(line=1) from None
        return cls(len(cells), names, before, after, network.species, clock)

    def row(self, cells: Sequence[str]) -> Row:
        """What the cells of another line say."""
        if len(cells) != self.width:
            raise InputError(f"{len(cells)} columns, where the header has {self.width}")
        sample, reaction = self.names.get("sample"), self.names.get("reaction")
        return Row(
            "" if sample is None else read_cell(cells[sample]).strip(),
            self.clock.read(cells[self.names["time"]]),
            "" if reaction is None else read_cell(cells[reaction]).strip(),
            self._state(cells, self.before),
            self._state(cells, self.after),
        )

    def _state(self, cells: Sequence[str], columns: tuple[int, ...] | None) -> State | None:
        if columns is None:
            return None
        return tuple(read_count(cells[c], s) for c, s in zip(columns, self.species, strict=True))


def _species_column(word: str, network: Network) -> tuple[str, Species]:
    """Whether a column holds counts before or after the event, and of which species."""
    match = _SIDE.fullmatch(word)
    for side, name in (("after", word), *([match.groups()] if match else [])):
        try:
            species = Species.parse(name)
        except InputError:
            continue
        if species in network.index:
            return side.lower(), species
    known = [*map(str, network.species), "time", "reaction", "sample"]
    raise InputError(
        f"the column {shown(word)} is no species of the network, and none of time, reaction and "
        f"sample.{did_you_mean(word, known)}"
    )


def _in_order(columns: dict[Species, int], network: Network) -> tuple[int, ...] | None:
    missing = [str(species) for species in network.species if species not in columns]
    if columns and missing:
        raise InputError(
            f"no column for {', '.join(missing)[:200]}: all species are expected, or none (then "
            "the state is counted from the scenario's start)"
        )
    return tuple(columns[species] for species in network.species) if columns else None


def read_count(cell: str, species: Species | str) -> int:
    """A whole number that is not negative."""
    count = whole_of(cell)
    if count is None or not 0 <= count <= MAX_LOGGED_COUNT:
        raise InputError(
            f"the count of {species} is {shown(cell)}: a whole number from 0 to "
            f"{MAX_LOGGED_COUNT:,} is expected"
        )
    return count
