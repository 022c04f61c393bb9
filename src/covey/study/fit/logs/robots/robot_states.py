"""What a log calls robots and their states, as the network has them: types and species.

The type of a robot is what the column `type`, a fleet file or `[log] types` says; or else what its
state says, where that is a species of one type alone. A state is a species, or the activity of
one that the robot's type is in (`charge` of a carrier is `charge{carrier,dock}`), or a word that
`[log] states` has one of these for. `0` is nowhere, as in a reaction: the robot has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from covey.errors import InputError, did_you_mean, shown
from covey.model.scenario import Scenario
from covey.model.species import Species

NOWHERE = -1  # in the place of a species: the robot is not there
UNKNOWN = -2  # the log says something that the network does not know
_KEPT = 1 << 16  # words whose place is known at once
OUT = "\0"  # in the place of a state: from here on the robot is not watched


class RobotStates:
    """Types and places of robots.

    Args:
        scenario: Its network has the species, its team the types, and its [log] what they are
            called.
        fleet: The type of each robot by its name.
    """

    def __init__(self, scenario: Scenario, fleet: Mapping[str, str] | None = None) -> None:
        self.network, self.team = scenario.network, scenario.team
        self.words, self.patterns = scenario.log.states, scenario.log.types
        self.fleet = fleet or {}
        self._places: dict[tuple[str, str], int] = {}

    def type_of(self, robot: str, said: str, state: str) -> str | None:
        """The type of a robot that is heard of for the first time; None where it is none here.

        Args:
            robot: Its name.
            said: What the log says its type is; may be empty.
            state: The first state that is logged of it.
        """
        if found := self.fleet.get(robot) or self._by_pattern(said or robot) or said:
            return found if found in self.team.types else None
        species = self._species(self.words.get(state, state))
        private = {m for m in species.members if m in self.team.types} if species else set()
        if len(private) == 1:
            return private.pop()
        if len(self.team.types) == 1:
            return next(iter(self.team.types))
        raise InputError(
            f"the type of robot {shown(robot)} is not known: a column type is expected, a fleet "
            "file (--fleet), or [log] types in the scenario"
        )

    def place_of(self, type_: str, state: str) -> int:
        """The species that a robot is in, as its number in the network.

        Args:
            type_: The robot's type.
            state: What the log says.
        """
        key = type_, state
        if key not in self._places:
            if len(self._places) >= _KEPT:
                self._places.clear()
            self._places[key] = self._look_up(type_, self.words.get(state, state).strip())
        return self._places[key]

    def _look_up(self, type_: str, text: str) -> int:
        if text == "0":
            return NOWHERE
        species = self._species(text)
        if species is not None and type_ in species.members and species in self.network.index:
            return self.network.index[species]
        those = [s for s in self.network.species if s.activity == text and type_ in s.members]
        if not text:  # by itself, where that is a species
            those = [s for s in those if not s.is_compound] or those
        if len(those) > 1:
            raise InputError(
                f"the state {shown(text)} of a {type_} may be {' or '.join(map(str, those[:4]))}: "
                "name the species, in the log or in [log] states"
            )
        return self.network.index[those[0]] if those else UNKNOWN

    def hint(self, state: str) -> str:
        """What a state that the network does not know may have been meant for."""
        known = {s.activity for s in self.network.species} | set(map(str, self.network.species))
        if state in known:
            return " (where no robot of that type can be)"
        meant = did_you_mean(state, sorted(known)).strip()
        return f" ({meant})" if meant else ""

    def _species(self, text: str) -> Species | None:
        try:
            return Species.parse(text)
        except InputError:
            return None

    def _by_pattern(self, name: str) -> str | None:
        for type_, patterns in self.patterns.items():
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return type_
        return None
