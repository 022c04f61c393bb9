"""Following one robot: a scenario in which somebody does not count, and follows *that* robot.

    [adversary]
    follow = true          # or "beside": the counts are seen as well

The robot is one of the team. What is asked is its type, the rest of the team being what it is: with
six carriers and four pickers, whoever follows a carrier has to tell it from a picker among the
other five carriers and four pickers. Those are the neighbours of the team, one robot having
another type, seen in another way.

It is a transformation of the scenario: the robot carries a tag (`tagged_network`), and what is seen
is, for each sum of [observe], whether the robot is in it: 0 or 1. Weights do not matter then, and a
threshold on a sum says nothing of one robot.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from covey.errors import InputError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import of_two_types
from covey.model.io.log_table import LogTable
from covey.model.observation.adversary import Adversary
from covey.model.observation.observed_sum import ObservedSum
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.tagged_network import TaggedNetwork, tag
from covey.model.team import Neighbour, Team

COLUMN = "followed"  # of a series: what the robot does


@dataclass(frozen=True)
class FollowedAs(Neighbour):
    """The robot that is followed has another type; `team` has the tagged robot by itself."""

    @property
    def whose(self) -> str:
        """What somebody learns who tells the two apart."""
        return "the followed robot's type"

    @property
    def told(self) -> str:
        """The same after "somebody tells"."""
        return f"a followed {of_two_types(self.from_type, self.to_type)}"

    def __str__(self) -> str:
        robot = f"robot of type {self.from_type}" if self.from_type.isdecimal() else self.from_type
        return f"the followed {robot} turned {self.to_type}"


@dataclass(frozen=True)
class Followed:
    """One robot of a team, followed.

    Attributes:
        type: Its type.
        scenario: What is seen of it, as a scenario of its own.
        hypotheses: That it has another type.
    """

    type: str
    scenario: Scenario
    hypotheses: tuple[FollowedAs, ...]


def followed(scenario: Scenario) -> list[Followed]:
    """The robot that is followed, of each type that it may have; all have one network.

    Args:
        scenario: Whose adversary follows a robot.
    """
    _check(scenario)
    tagged = tag(scenario.network, scenario.protected)
    query = _query(scenario, tagged)
    network, names = tagged.network, tagged.names
    initial: dict[str, Species | int] = dict(scenario.initial)
    for type_, name in names.items():
        (place,) = (copy for copy in tagged.copies(_lone(scenario, type_)) if name in copy.members)
        initial[name] = place
    found = []
    for type_ in scenario.protected:
        if scenario.team.types[type_] == 0:
            continue
        rest = scenario.team.without(type_)
        teams = {t: _joined(rest, name, names.values()) for t, name in names.items()}
        own = scenario.with_parts(
            network=network,
            team=teams[type_],
            query=query,
            adversary=Adversary(
                scenario.adversary.at, scenario.adversary.smoothing, tuple(names.values())
            ),
            initial=initial,
            performance={},
            vary=FrozenMap({}),
            log=LogTable(),
        )
        others = tuple(FollowedAs(type_, t, team) for t, team in teams.items() if t != type_)
        found.append(Followed(type_, own, others))
    if not found:
        raise InputError(
            "there are no robots of the protected types to follow: at least one is expected",
            key="types",
        )
    return found


def activities(scenario: Scenario) -> FrozenMap[str, str]:
    """What the robot may be seen doing, and the name under which each is counted, 0 or 1.

    Args:
        scenario: Whose adversary follows a robot.
    """
    beside = scenario.adversary.follow == "beside"
    groups = scenario.query.groups(scenario.network)
    robots = set(scenario.protected)
    return FrozenMap(
        (name, f"{COLUMN}_{name}" if beside else name)
        for name, one in groups.items()
        if one.threshold is None and any(robots & set(s.members) for s in one.species)
    )


def refuse_following(scenario: Scenario, what: str) -> None:
    """`UnsupportedError` where a robot is followed, and something else cannot do that.

    Args:
        scenario: Whose adversary may follow a robot.
        what: What cannot: "a stand-in".
    """
    if scenario.adversary.follow is not None:
        raise UnsupportedError(
            f"{what} is about what is counted, and does not follow one robot: leave out "
            "adversary.follow (--set adversary.follow=false), or ask leakage, profile, stream, "
            "trace, sweep, design, infer or certainty",
            key="adversary.follow",
        )


def _check(scenario: Scenario) -> None:
    if scenario.release.instead is not None:
        raise UnsupportedError(
            "whoever follows a robot sees it, and nothing that is published instead: leave out "
            "release.mechanism or adversary.follow",
            key="release.mechanism",
        )
    if not scenario.secret.is_default:
        raise UnsupportedError(
            "whoever follows a robot is asked for its type, in this team: leave out [secret], "
            "--against and --teams, or adversary.follow",
            key="secret",
        )
    if len(scenario.protected) < 2:
        raise InputError(
            "a robot is followed to tell its type, and there is one type: at least two are "
            "expected",
            key="types",
        )


def _lone(scenario: Scenario, type_: str) -> Species:
    place = scenario.initial[type_]
    assert isinstance(place, Species)  # of a type
    return place


def _joined(rest: Team, name: str, names: Iterable[str]) -> Team:
    """The rest of the team with one tagged robot, and none of the other tagged types."""
    counts = {one: int(one == name) for one in names}
    return Team({**rest.types, **counts}, rest.resources)


def _query(scenario: Scenario, tagged: TaggedNetwork) -> Query:
    """What is seen of the robot, after the counts where they are seen as well."""
    groups = scenario.query.groups(scenario.network)
    sums = (
        {name: _text(one, tagged) for name, one in groups.items()}
        if scenario.adversary.follow == "beside"
        else {}
    )
    for name, shown in activities(scenario).items():
        if shown in sums or shown == COLUMN:
            raise InputError(
                f"{shown} is what the followed robot does, and a sum of [observe]: give that "
                "another name",
                key=f"observe.{shown}",
            )
        copies = [copy for s in groups[name].species for copy in tagged.copies(s)]
        sums[shown] = " + ".join(map(str, dict.fromkeys(copies)))
    if not activities(scenario):
        raise InputError(
            "nothing is seen of the followed robot: no sum of [observe] counts robots of its types",
            key="observe",
        )
    return Query(sums)


def _text(one: ObservedSum, tagged: TaggedNetwork) -> str:
    """A sum that counts the tagged robot with all others."""
    terms = [(s, n) for own, n in one.terms for s in (own, *tagged.copies(own))]
    return str(ObservedSum(tuple(terms), one.threshold))
