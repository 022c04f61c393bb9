"""Secret: what must not be learnt, and of which teams everything said has to hold.

    [secret]
    protect = ["type", "membership", "start"]   # each of any one robot
    [[secret.against]]                          # or any other value of the file
    name = "a slower shift"
    set = { "rates.meet" = 0.1 }
    [secret.teams]                              # a public set of teams
    carrier = [5, 7]
    picker = [3, 5]

A secret is a set of pairs of hypotheses, which must look alike: Pufferfish's discriminative pairs
[Kifer and Machanavajjhala, ACM Trans. Database Syst. 39 (2014)]. By default every type of one robot
must look like every other, which is the complete policy graph of Blowfish, and a public set of
teams is what everybody knows beforehand [He, Machanavajjhala and Ding, SIGMOD 2014].
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import OtherValues
from covey.model.team import Neighbour, Team, check_count
from covey.numbers import is_number
from covey.words import many

KINDS = ("type", "membership", "start")  # what is secret of any one robot
SETTABLE = ("types", "resources", "rates", "initial", "control", "adversary.at")
MAX_TEAMS = 10_000


@dataclass(frozen=True, init=False)
class TeamSet:
    """A public set of teams: for each type that it names the least and the most robots.

    TeamSet({"carrier": (5, 7), "picker": (3, 5)}) has nine teams. A type that it does not name has
    the number that the scenario gives, and that number is then public.

    Args:
        ranges: For each type the least and the most, or one number for both.
    """

    ranges: FrozenMap[str, tuple[int, int]]

    def __init__(self, ranges: Mapping[str, object]):
        if not isinstance(ranges, Mapping) or not ranges:
            raise InputError(
                f"secret.teams is {shown(ranges)}: for each type the least and the most robots are "
                "expected, as carrier = [5, 7]",
                key="secret.teams",
            )
        object.__setattr__(
            self, "ranges", FrozenMap((name, _range(name, span)) for name, span in ranges.items())
        )

    @classmethod
    def parse(cls, text: str) -> TeamSet:
        """The set that a text writes, as `carrier=5:7,picker=3:5`.

        Args:
            text: For each type the least and the most, or one number for both.
        """
        ranges: dict[str, object] = {}
        for part in text.split(","):
            name, equals, span = (word.strip() for word in part.partition("="))
            ends = [_whole(end) for end in span.split(":")]
            if not equals or not name or None in ends or len(ends) > 2:
                raise InputError(
                    f"{shown(text)} is no set of teams: ranges are expected, as "
                    "carrier=5:7,picker=3:5",
                    key="secret.teams",
                )
            if name in ranges:
                raise InputError(f"{shown(text)} names {name} twice", key="secret.teams")
            ranges[name] = ends if len(ends) == 2 else ends[0]
        return cls(ranges)

    @property
    def size(self) -> int:
        """How many teams there are."""
        return math.prod(most - least + 1 for least, most in self.ranges.values())

    def __contains__(self, team: Team) -> bool:
        return all(
            least <= team.types.get(name, -1) <= most for name, (least, most) in self.ranges.items()
        )

    def check(self, team: Team) -> None:
        """Refuses types that the team does not have.

        Args:
            team: The scenario's own.
        """
        for name in self.ranges:
            if name not in team.types:
                raise InputError(
                    f"secret.teams has {name}, which is not in [types]."
                    + did_you_mean(name, team.types),
                    key=f"secret.teams.{name}",
                )

    def check_has(self, team: Team) -> None:
        """Refuses a team that is not in the set.

        Args:
            team: The scenario's own.
        """
        self.check(team)
        for name, (least, most) in self.ranges.items():
            count = team.types[name]
            if not least <= count <= most:
                raise InputError(
                    f"secret.teams has {least} to {many(most, name)}, and [types] {count}: the set "
                    "must have the team itself, or what holds for it does not hold for this team",
                    key=f"secret.teams.{name}",
                )

    def teams(self, team: Team) -> list[Team]:
        """Every team of the set.

        Args:
            team: Has the counts of types that the set does not name, and the resources.
        """
        self.check(team)
        if self.size > MAX_TEAMS:
            raise TooLargeError(
                f"the set {self} has {self.size:,} teams, and at most {MAX_TEAMS:,} can be "
                "listed: give narrower ranges"
            )
        spans = [range(least, most + 1) for least, most in self.ranges.values()]
        return [
            Team({**team.types, **dict(zip(self.ranges, counts, strict=True))}, team.resources)
            for counts in itertools.product(*spans)
        ]

    def adjacent(
        self, team: Team, protect: Iterable[str] | None = None
    ) -> list[tuple[Team, Neighbour]]:
        """Every two teams of the set that differ in one robot's type, each two once.

        Args:
            team: As `teams` takes it.
            protect: The types that a robot may move between; by default all.
        """
        teams = self.teams(team)
        places = {each: place for place, each in enumerate(teams)}
        between = None if protect is None else tuple(protect)
        return [
            (each, other)
            for place, each in enumerate(teams)
            for other in each.neighbours(between)
            if places.get(other.team, -1) > place
        ]

    def table(self) -> dict[str, list[int]]:
        """The same as a scenario file and JSON have it."""
        return {name: list(span) for name, span in self.ranges.items()}

    def __str__(self) -> str:
        return ",".join(f"{name}={least}:{most}" for name, (least, most) in self.ranges.items())


@dataclass(frozen=True)
class Secret:
    """What must not be learnt; by default the type of any one robot.

    Args:
        protect: What of any one robot: "type" (it has another one), "membership" (it is not there
            at all), "start" (it began somewhere else). By default its type, or nothing where
            `against` says something else.
        against: Other values that the scenario could have: mappings of dotted names, or tables
            with `name` and `set`.
        teams: Everything said holds for every team of this set; by default for the team alone.
    """

    protect: tuple[str, ...] | None = None
    against: tuple[OtherValues, ...] = ()
    teams: TeamSet | None = None

    def __post_init__(self) -> None:
        if self.protect is not None:
            object.__setattr__(self, "protect", _kinds(self.protect))
        object.__setattr__(self, "against", _against(self.against))
        if self.teams is not None and not isinstance(self.teams, TeamSet):
            read = TeamSet.parse if isinstance(self.teams, str) else TeamSet
            object.__setattr__(self, "teams", read(self.teams))
        if not self.kinds and not self.against:
            raise InputError(
                "secret.protect is empty, and there is no [[secret.against]]: nothing is secret",
                key="secret.protect",
            )

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is secret of any one robot."""
        if self.protect is not None:
            return self.protect
        return () if self.against else ("type",)

    @property
    def is_default(self) -> bool:
        """Whether it is the type of any one robot of the scenario's own team, and nothing else."""
        return self.kinds == ("type",) and not self.against and self.teams is None

    def table(self) -> dict[str, Any]:
        """The same as a scenario file has it; what is not said is left out."""
        said = {
            "protect": None if self.protect is None else list(self.protect),
            "against": [one.table() for one in self.against] or None,
            "teams": None if self.teams is None else self.teams.table(),
        }
        return {key: value for key, value in said.items() if value is not None}


def _range(name: object, span: object) -> tuple[int, int]:
    """The least and the most robots of a type."""
    key = f"secret.teams.{name}"
    if is_number(span):
        span = (span, span)
    if not isinstance(span, list | tuple) or len(span) != 2:
        raise InputError(
            f"{key} is {shown(span)}: the least and the most robots are expected, as [5, 7]",
            key=key,
        )
    least, most = (check_count(end, key) for end in span)
    if least > most:
        raise InputError(f"{key} is {shown(span)}: the least comes first", key=key)
    return least, most


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,400}", text.strip()) else None


def _kinds(protect: object) -> tuple[str, ...]:
    key = "secret.protect"
    if not isinstance(protect, list | tuple) or not all(isinstance(one, str) for one in protect):
        raise InputError(f'{key} is {shown(protect)}: a list such as ["type"] is expected', key=key)
    for kind in protect:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f" Known: {', '.join(KINDS)}."
            raise InputError(f"{key} has {shown(kind)}.{hint}", key=key)
    return tuple(kind for kind in KINDS if kind in protect)


def _against(against: object) -> tuple[OtherValues, ...]:
    if not isinstance(against, list | tuple):
        raise InputError(
            f"secret.against is {shown(against)}: tables [[secret.against]] are expected, each "
            'with set = { "rates.meet" = 0.1 }',
            key="secret.against",
        )
    return tuple(
        one if isinstance(one, OtherValues) else _other_values(one, f"secret.against.{place}")
        for place, one in enumerate(against)
    )


def _other_values(table: object, key: str) -> OtherValues:
    """From the table of a file, or from values by their dotted names."""
    if not isinstance(table, Mapping) or not table:
        raise InputError(
            f"secret.against has {shown(table)}: other values by their dotted names are expected, "
            'as { "rates.meet" = 0.1 }',
            key=key,
        )
    if table.keys() <= {"name", "set"}:
        values, name = table.get("set"), table.get("name", "")
    else:
        values, name = table, ""
    if not isinstance(name, str):
        raise InputError(f"its name is {shown(name)}: a text is expected", key=f"{key}.name")
    if not isinstance(values, Mapping) or not values:
        raise InputError(
            f"[[secret.against]] has set = {shown(values)}: other values by their dotted names are "
            'expected, as set = { "rates.meet" = 0.1 }',
            key=f"{key}.set" if "set" in table else key,
        )
    for dotted, value in values.items():
        if not isinstance(value, str) and not is_number(value):
            raise InputError(
                f"{dotted[:60]} is {shown(value)}: a number or a text is expected",
                key=f"{key}.set.{dotted}" if "set" in table else key,
            )
        if dotted.partition(".")[0] not in SETTABLE and dotted not in SETTABLE:
            raise InputError(
                f"{dotted[:60]} cannot differ between hypotheses: they have other counts "
                "(types, resources), rates, initial places, controls or adversary.at; write for "
                "example rates.meet",
                key=f"{key}.set.{dotted}" if "set" in table else key,
            )
    return OtherValues(values, name)
