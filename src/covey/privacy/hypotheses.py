"""What is compared with what: the scenarios that an observer must not be able to tell apart.

A secret is a set of pairs of hypotheses: Pufferfish's discriminative pairs. `Relation` says which
pairs are in it; here they are listed:

    "type"         a team and each team in which one robot has another type
    "membership"   a team and each team without one of its robots
    "start"        a team, and the same with one robot at another place for it alone at time 0
    against        the scenario, and the same with other values
    follow         a robot that is followed, and the same robot of another type
    teams          all of this for every team of a public set; of two teams both are in the set
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from covey.dynamics.solver import Solver
from covey.errors import InputError, UnsupportedError
from covey.model.following import followed, refuse_following
from covey.model.hypothesis import Hypothesis, OtherStart, OtherValues
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.model.stages import later_stages
from covey.model.team import Absent, Neighbour, Team
from covey.privacy.cases import case_of, team_of
from covey.words import THIS_TEAM

_OF_A_ROBOT = {
    "type": "has another type",
    "membership": "is not there",
    "start": "began somewhere else",
}
_BETS = {
    "type": "any robot's type",
    "membership": "whether any one robot is there",
    "start": "where any one robot began",
}

TOTALS = (
    "What is counted adds up to different totals, which never change: leakage is infinite for that "
    "reason alone."
)


@dataclass(frozen=True)
class Relation:
    """Which scenarios must look alike: the neighbouring relation, in a value that prints itself.

    Attributes:
        kinds: What differs of any one robot: "type", "membership", "start".
        types: The types whose robots these are.
        against: Other values that the scenario could have.
        teams: The public set of teams whose pairs these are; None for the team alone.
        follow: Whether the robot is one that is followed.
    """

    kinds: tuple[str, ...]
    types: tuple[str, ...]
    against: tuple[OtherValues, ...] = ()
    teams: TeamSet | None = None
    follow: bool = False

    @classmethod
    def of(cls, scenario: Scenario) -> Relation:
        """That of a scenario.

        Args:
            scenario: Whose secret it is.
        """
        secret, follow = scenario.secret, scenario.adversary.follow is not None
        return cls(secret.kinds, scenario.protected, secret.against, secret.teams, follow)

    @property
    def odds(self) -> str:
        """What an observer bets on, in a sentence: "any robot's type"."""
        if self.follow:
            return "the followed robot's type"
        others = (f"whether this is a team with {one}" for one in self.against)
        return " or ".join([*(_BETS[kind] for kind in self.kinds), *others])

    @property
    def apart(self) -> str:
        """How two teams differ that must look alike, in a sentence."""
        if self.is_type:
            return "differs in one robot's type"
        return f"must look the same ({self})"

    @property
    def is_type(self) -> bool:
        """Whether it is about the types of robots, and nothing else."""
        return self.kinds == ("type",) and not self.against

    def subject(self, about: str) -> str:
        """Whom a figure is about, in a sentence.

        Args:
            about: What a hypothesis is about: a type, or its own name where it is about none.
        """
        return about if about in map(str, self.against) else f"a robot of type {about}"

    def whom(self, team: Team) -> str:
        """One of the teams in a sentence: the only one, or one of a set.

        Args:
            team: The team.
        """
        return THIS_TEAM if self.teams is None else f"a team of {team}"

    def __str__(self) -> str:
        robot = f"{'the followed' if self.follow else 'one'} robot ({', '.join(self.types)})"
        parts = [f"{robot} {_OF_A_ROBOT[kind]}" for kind in self.kinds]
        said = " or ".join([*parts, *map(str, self.against)])
        return said if self.teams is None else f"{said}; every team of {self.teams}"


@dataclass(frozen=True)
class Star:
    """A scenario, and the hypotheses that it is compared with.

    Attributes:
        scenario: The scenario as it is, or with another team of the set.
        hypotheses: What it is compared with.
        asked: The scenario whose set of teams it is of, or one of whose robots is followed in it;
            None where it is that scenario.
    """

    scenario: Scenario
    hypotheses: tuple[Hypothesis, ...]
    asked: Scenario | None = None


def stars_of(scenario: Scenario) -> list[Star]:
    """Every pair that is compared, by the scenario in which it is told; each pair once."""
    if scenario.adversary.follow is not None:
        return [Star(one.scenario, one.hypotheses, scenario) for one in followed(scenario)]
    _check_types(scenario)
    teams = scenario.secret.teams
    if teams is None:
        return [Star(scenario, tuple(_of_team(scenario)))]
    teams.check_has(scenario.team)
    listed = teams.teams(scenario.team)
    places = {team: place for place, team in enumerate(listed)}
    stars = []
    for place, team in enumerate(listed):
        here = scenario if team == scenario.team else scenario.with_(team=team, warn=False)
        found = tuple(
            one
            for kind in scenario.secret.kinds
            for one in _KINDS[kind](here)
            if not isinstance(one, Neighbour | Absent) or _later(one, places, place)
            if _has_table(here, one)
        )
        found += tuple(
            one for one in scenario.secret.against if case_of(here, one) != case_of(here)
        )
        if found:
            stars.append(Star(here, found, None if here is scenario else scenario))
    if not stars:
        raise InputError(
            f"no two teams of the set {teams} are to be told apart: robots of two types have to "
            "vary, as in carrier=5:7,picker=3:5",
            key="secret.teams",
        )
    return stars


def solver_of(solver: Solver, scenario: Scenario, stars: Sequence[Star]) -> Solver:
    """The solver for a scenario's stars: where a robot is followed, they have another network."""
    if scenario.adversary.follow is None:
        return solver
    return solver.at_rates(stars[0].scenario.network)


def hypotheses_of(scenario: Scenario) -> list[Hypothesis]:
    """What the scenario's own team is compared with; `InputError` where there is nothing."""
    refuse_following(scenario, "this question")
    _check_types(scenario)
    return _of_team(scenario)


def neighbours_only(scenario: Scenario, what: str) -> list[Neighbour]:
    """The neighbours of a team; refused by name where the secret is another one."""
    check_types_only(scenario, what)
    return [one for one in _of_team(scenario) if isinstance(one, Neighbour)]


def check_types_only(scenario: Scenario, what: str) -> None:
    """Refuses, by name, what compares a team with its neighbours only."""
    refuse_following(scenario, what)
    if not Relation.of(scenario).is_type:
        raise UnsupportedError(
            f"{what} compares a team with its neighbours only, and the secret here is another one: "
            f"{Relation.of(scenario)}. Leave secret.protect and secret.against out, or ask "
            "leakage, profile or stream"
        )
    _check_types(scenario)


def check_same_moment(hypotheses: Iterable[Hypothesis], what: str) -> None:
    """Refuses, by name, what cannot compare two moments."""
    for one in hypotheses:
        if isinstance(one, OtherValues) and "adversary.at" in one.values:
            raise UnsupportedError(
                f"{what} compares what is seen at the same moments, and {one} is another moment: "
                "leakage and profile compare them"
            )


def about(hypothesis: Hypothesis, relation: Relation) -> tuple[str, ...]:
    """The types whose robots a pair is about; over a set each pair stands for both directions."""
    if relation.teams is not None and isinstance(hypothesis, Neighbour):
        return hypothesis.from_type, hypothesis.to_type
    return (hypothesis.about,)


def _later(hypothesis: Neighbour | Absent, places: dict[Team, int], place: int) -> bool:
    """Whether it is a team of the set, and which of the two comes first."""
    if isinstance(hypothesis, Absent):
        return hypothesis.team in places
    return places.get(hypothesis.team, -1) > place


def _of_team(scenario: Scenario) -> list[Hypothesis]:
    """All hypotheses of the scenario's own team."""
    found: list[Hypothesis] = []
    for kind in scenario.secret.kinds:
        some = [one for one in _KINDS[kind](scenario) if _has_table(scenario, one)]
        if not some:
            raise InputError(_NOTHING[kind], key="types" if kind == "type" else "secret.protect")
        found += some
    for place, one in enumerate(scenario.secret.against):
        if case_of(scenario, one) == case_of(scenario):
            raise InputError(
                f"{one} is what the scenario has already: there is nothing to compare it with",
                key=f"secret.against.{place}",
            )
        found.append(one)
    return found


def _has_table(scenario: Scenario, hypothesis: Hypothesis) -> bool:
    """Whether the mechanism has a table for it: else whoever knows that rules it out."""
    table = scenario.release.mechanism
    if table is None or not table.teams:
        return True
    table.for_team(scenario.team.types)  # says where there is none
    return table.has(team_of(scenario, hypothesis).types)


def _neighbours(scenario: Scenario) -> list[Hypothesis]:
    return [*scenario.team.neighbours(scenario.protected)]


def _absent(scenario: Scenario) -> list[Hypothesis]:
    team = scenario.team
    return [Absent(t, team.without(t)) for t in scenario.protected if team.types[t]]


def _other_starts(scenario: Scenario) -> list[Hypothesis]:
    hidden = later_stages(scenario.network.stages)  # whoever begins there is in the first stage
    return [
        OtherStart(name, species)
        for name in scenario.protected
        if scenario.team.types[name]
        for species in scenario.network.species
        if species.members == (name,) and species not in {scenario.initial[name], *hidden}
    ]


_KINDS = {"type": _neighbours, "membership": _absent, "start": _other_starts}
_NOTHING = {
    "type": "there are no robots of the protected types: at least one is expected",
    "membership": "there are no robots of the protected types: at least one is expected",
    "start": 'secret.protect has "start", and no robot could begin anywhere else: no other species '
    "of the network is for one robot alone",
}


def _check_types(scenario: Scenario) -> None:
    if "type" in scenario.secret.kinds and len(scenario.protected) < 2:
        found = "is one type" if scenario.team.types else "are no types"
        raise InputError(
            f"there {found} in [types]: leakage needs at least two, between which a robot could "
            "be confused",
            key="types",
        )
