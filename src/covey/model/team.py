"""Team: how many robots of each type there are, and the resources they share.

Robots of one type are exchangeable, so the counts say all that the paper's database D says. A
neighbour is a team in which one robot has another type: one robot moved from a type that has one
to another type of the network, which may have none.
"""

from __future__ import annotations

import csv
import io
import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.files.bounded_file import read_text
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import Hypothesis, of_two_types, one_robot
from covey.showing import Showing
from covey.words import many

MAX_COUNT = 1_000_000_000
MAX_MEMBERS = 1_000  # types, or resources: each may be mistaken for every other
MAX_FLEET_BYTES = 100_000_000


@dataclass(frozen=True, init=False)
class Team(Showing):
    """Counts per type, whose robots' types are private, and per resource, which are not.

    Team({"A": 2, "B": 1}, resources={"R": 2})

    Args:
        types: The number of robots of each type.
        resources: The number of each resource; by default there are none.
    """

    types: FrozenMap[str, int]
    resources: FrozenMap[str, int]

    def __init__(self, types: Mapping[str, int], resources: Mapping[str, int] | None = None):
        both = set(types) & set(resources or {})
        if both:
            raise InputError(
                f"{min(both)} is both a type and a resource: it must be one of them",
                key=f"resources.{min(both)}",
            )
        object.__setattr__(self, "types", _counts(types, "types"))
        object.__setattr__(self, "resources", _counts(resources or {}, "resources"))

    @classmethod
    def from_fleet(
        cls, path: str | Path, types: Iterable[str], resources: Mapping[str, int] | None = None
    ) -> Team:
        """The team that a fleet file lists.

        Args:
            path: A CSV file with a header `robot,type` and a robot a line.
            types: The types that the network knows; one without a robot in the file counts 0.
            resources: The number of each resource, which no fleet file holds.
        """
        counts = Counter(dict.fromkeys(types, 0))
        for line, _, type_ in read_fleet(path):
            if type_ not in counts:
                raise InputError(
                    f'"{type_[:40]}" is not a type of this network, which has '
                    f"{', '.join(counts)}.{did_you_mean(type_, counts)}",
                    file=str(path),
                    line=line,
                )
            counts[type_] += 1
        return cls(counts, resources)

    @property
    def robots(self) -> int:
        """The number of robots, of all types."""
        return sum(self.types.values())

    @cached_property
    def members(self) -> FrozenMap[str, int]:
        """Types and resources together."""
        return FrozenMap({**self.types, **self.resources})

    def move(self, from_type: str, to_type: str) -> Team:
        """The team in which one robot has another type.

        Args:
            from_type: The type that it had.
            to_type: The type that it gets.
        """
        for name in (from_type, to_type):
            if name not in self.types:
                raise InputError(f"{shown(name)} is not a type of this team")
        return self._moved(from_type, to_type)

    def _moved(self, from_type: str, to_type: str) -> Team:
        types = {**self.types, from_type: self.types[from_type] - 1}
        types[to_type] += 1
        return self._having(types)

    def _having(self, types: Mapping[str, int]) -> Team:
        """One robot off this team: what this one checked need not be checked again."""
        team = object.__new__(Team)
        object.__setattr__(team, "types", FrozenMap(types))
        object.__setattr__(team, "resources", self.resources)
        return team

    def joined_by(self, type_: str) -> Team:
        """The team with one robot more.

        Args:
            type_: Its type.
        """
        return self._having({**self.types, type_: self.types[type_] + 1})

    def neighbours(self, protect: Iterable[str] | None = None) -> list[Neighbour]:
        """Every adjacent team.

        Args:
            protect: The types that a robot may move between; by default all.
        """
        between = list(self.types) if protect is None else list(protect)
        return [
            Neighbour(from_type, to_type, self._moved(from_type, to_type))
            for from_type in between
            if self.types[from_type] > 0
            for to_type in between
            if to_type != from_type
        ]

    def without(self, type_: str) -> Team:
        """The team with one robot fewer.

        Args:
            type_: Its type.
        """
        return Team({**self.types, type_: self.types[type_] - 1}, self.resources)

    def __str__(self) -> str:
        return ", ".join(many(count, name) for name, count in self.members.items())


@dataclass(frozen=True)
class Neighbour(Hypothesis):
    """An adjacent team, in which one robot has another type.

    Attributes:
        from_type: The type of one robot in the team itself.
        to_type: Its type here.
        team: The adjacent team.
    """

    from_type: str
    to_type: str
    team: Team

    @property
    def about(self) -> str:
        """The type of the robot in the team itself."""
        return self.from_type

    @property
    def whose(self) -> str:
        """What somebody learns who tells the two apart."""
        return "a robot's type"

    @property
    def told(self) -> str:
        """The same after "somebody tells"."""
        return f"one {of_two_types(self.from_type, self.to_type)}"

    @property
    def key(self) -> Hashable:
        """The two types."""
        return self.from_type, self.to_type

    def keys(self) -> dict[str, Any]:
        """It as JSON."""
        return {"from": self.from_type, "to": self.to_type}

    def __str__(self) -> str:
        return f"{one_robot(self.from_type)} turned {self.to_type}"


@dataclass(frozen=True)
class Arrival(Neighbour):
    """The same where robots come and go: one that arrived is of another type.

    Attributes:
        age: How long ago it arrived.
    """

    age: float

    def __str__(self) -> str:
        other, own = self.to_type, self.from_type
        if own.isdecimal():
            other, own = f"robot of type {other}", f"one of type {own}"
        else:
            own = f"a {own}"
        return f"a {other} that arrived {self.age:.3g} ago instead of {own}"


def age_of(hypothesis: Hypothesis) -> float | None:
    """How long ago the robot arrived that has another type; None for one of the start."""
    return hypothesis.age if isinstance(hypothesis, Arrival) else None


@dataclass(frozen=True)
class Absent(Hypothesis):
    """The team without one of its robots.

    Attributes:
        type: The type of the robot.
        team: The team without it.
    """

    type: str
    team: Team

    @property
    def about(self) -> str:
        """The type of the robot."""
        return self.type

    @property
    def whose(self) -> str:
        """What somebody learns who tells the two apart."""
        return "whether a robot is there"

    @property
    def told(self) -> str:
        """The same after "somebody tells"."""
        return f"whether {one_robot(self.type)} is there"

    def keys(self) -> dict[str, Any]:
        """It as JSON."""
        return {"set": {f"types.{self.type}": self.team.types[self.type]}}

    def __str__(self) -> str:
        return f"{one_robot(self.type)} fewer"


def check_count(value: object, what: str, most: int = MAX_COUNT) -> int:
    """`value` as a number of robots: whole and not negative. `what` is its dotted name."""
    found = shown(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        raise InputError(f"{what} is {found}: a whole number is expected", key=what)
    if not 0 <= count <= most:
        limits = "must not be negative" if count < 0 else f"must be at most {most:,}"
        raise InputError(f"{what} is {found}: it {limits}", key=what)
    return count


def check_members(table: str, names: Sized) -> None:
    """Refuses more types or resources than there can be, before any is looked at."""
    if len(names) > MAX_MEMBERS:
        raise TooLargeError(
            f"[{table}] has {len(names):,} names: at most {MAX_MEMBERS:,} can be; robots that do "
            "the same at the same rates are of one type"
        ).at(key=table)


def _counts(counts: Mapping[str, int], table: str) -> FrozenMap[str, int]:
    check_members(table, counts)
    for name in counts:
        if not isinstance(name, str):
            raise InputError(f"{shown(name)} in {table} is not a name: a text is expected")
    return FrozenMap(
        (name, check_count(count, f"{table}.{name}")) for name, count in counts.items()
    )


def read_fleet(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """The line, the name and the type of every robot in a fleet file."""
    text = read_text(path, "a fleet file", MAX_FLEET_BYTES)
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        yield from _robots(rows)
    except InputError as error:
        raise error.at(file=str(path), line=rows.line_num) from None
    except csv.Error as error:
        raise InputError(f"not a CSV file: {error}", file=str(path), line=rows.line_num) from None


def _robots(rows: Any) -> Iterator[tuple[int, str, str]]:
    """The same, from the rows that a `csv.reader` gives."""
    header = [cell.strip().lower() for cell in next(rows, [])]
    if header.count("robot") != 1 or header.count("type") != 1:
        hint = "; separate columns by commas" if ";" in "".join(header) else ""
        raise InputError(
            f'the first line must name the columns "robot" and "type", once each{hint}', line=1
        )
    robot_column, type_column = header.index("robot"), header.index("type")
    seen: dict[str, int] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise InputError(f"{len(row)} columns, where the header has {len(header)}")
        robot = row[robot_column].strip()
        if not robot:
            raise InputError("the robot has no name")
        if robot in seen:
            raise InputError(f'robot "{robot[:40]}" is listed already, on line {seen[robot]}')
        seen[robot] = rows.line_num
        yield rows.line_num, robot, row[type_column].strip()
    if not seen:
        raise InputError("no robot is listed: a line for each is expected")
