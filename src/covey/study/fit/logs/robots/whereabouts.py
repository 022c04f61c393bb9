"""Where the robots of a team are, and the state x of those that are watched.

With mass action each set of robots that can react does so at its rate, whoever else is there. So
the events and the exposure of those that are watched are right by themselves, and a robot that is
not watched only ends its own. What it held, such as a dock, counts as held all the while.

That is so as long as it shows in the others that one is missing: a robot whose partner is not
watched is in a coalition that is not whole, and no state follows. It is not so of a rate that
depends on everybody: a rate law of the counts, a reaction of several robots that stay apart (one
that is not watched may have urged the other on), or a power of a count. Then all have to be
watched. Docks that an unheard robot may hold, and robots that arrive, need everybody to be heard of
once.
"""

from __future__ import annotations

from collections import Counter

from covey.errors import InputError
from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.scenario import Scenario
from covey.model.structure.arrivals import comes
from covey.model.team import Team
from covey.study.fit.logs.log import State
from covey.study.fit.logs.robots.robot_states import NOWHERE, UNKNOWN


class Whereabouts:
    """How many robots are where.

    Args:
        scenario: Its network has the places, its team says how many robots there are.

    Attributes:
        heard: How many robots of each type were ever heard of.
        open: The types whose robots may arrive.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.network, self.team = scenario.network, scenario.team
        self.heard: Counter[str] = Counter()
        self.open = {name for name in self.team.types if comes(self.network, name)}
        self._at: Counter[tuple[str, int]] = Counter()  # watched robots of a type in a place
        self._left: Counter[int] = Counter()  # robots that are not watched, by their last place
        self._free_places = _free_places(scenario)
        self._needs_all = needs_all(self.network, self.team)

    @property
    def missing(self) -> str | None:
        """A type of which not all robots were heard of."""
        return next((n for n, most in self.team.types.items() if self.heard[n] < most), None)

    def hear(self, type_: str) -> None:
        """One robot more is heard of, and not watched yet."""
        self.heard[type_] += 1
        self._left[NOWHERE] += 1

    def watch(self, type_: str, last: int, place: int) -> None:
        """A robot is watched from now on, that was in a place when it was heard of last."""
        self._left[last] -= 1
        self._at[type_, place] += 1

    def move(self, type_: str, before: int, after: int) -> None:
        """A robot that is watched goes from one place to another."""
        self._at[type_, before] -= 1
        self._at[type_, after] += 1

    def let_go(self, type_: str, place: int) -> None:
        """A robot is not watched any more."""
        self._at[type_, place] -= 1
        self._left[place] += 1

    def state(self) -> State | None:
        """The state x of those that are watched, where it follows from where they are."""
        if self.missing is not None and (self._needs_all or self.open or self.team.resources):
            return None
        if self._needs_all and self._left.total():
            return None
        counts = [0] * len(self.network.species)
        members: dict[int, dict[str, int]] = {}
        for (type_, place), robots in self._at.items():
            if robots and place == UNKNOWN:
                return None
            if robots and place >= 0:
                members.setdefault(place, {})[type_] = robots
        for place, found in members.items():
            need = self.network.species[place].counts()
            private = {name: n for name, n in need.items() if name in self.team.types}
            many, *others = {found.get(name, 0) / n for name, n in private.items()}
            if others or not many.is_integer():
                return None  # somebody is on the way
            counts[place] = int(many)
        if not members and not self.open:
            return None
        return self._with_resources(counts)

    def _with_resources(self, counts: list[int]) -> State | None:
        """The state with the resources that nobody has; those of robots not watched stay theirs."""
        used: Counter[str] = Counter()
        there = Counter({place: n for place, n in enumerate(counts) if n})
        there.update({place: n for place, n in self._left.items() if place >= 0})
        for place, many in there.items():
            for name, n in self.network.species[place].counts().items():
                if name in self.team.resources:
                    used[name] += n * many
        for name, all_ in self.team.resources.items():
            if used[name] > all_:
                return None
            if name in self._free_places:
                counts[self._free_places[name]] += all_ - used[name]
        return tuple(counts)


def needs_all(network: Network, team: Team) -> bool:
    """Whether the rate of a reaction depends on robots that it does not show.

    Args:
        network: Its reactions are asked.
        team: Its types are the robots.
    """

    def robots(side: Complex) -> int:
        """How many species of a side have robots in them."""
        return sum(n for species, n in side if any(m in team.types for m in species.members))

    return any(
        reaction.rate_law is not None
        or (robots(reaction.reactants) > 1 and robots(reaction.products) > 1)
        or (network.kinetics == "power" and any(n > 1 for _, n in reaction.reactants))
        for reaction in network.reactions
    )


def _free_places(scenario: Scenario) -> dict[str, int]:
    """Where the resources are that no robot is with; refused where that does not follow."""
    network, team = scenario.network, scenario.team
    free: dict[str, int] = {}
    for index, species in enumerate(network.species):
        if any(member in team.types for member in species.members):
            continue
        for name in species.members:
            if name in free or species.is_compound:
                raise InputError(
                    f"where a {name} is that no robot is with does not follow from a log of robots "
                    f"({species} is one place): give the counts of all species in every row"
                )
            free[name] = index
        counted = any(
            r.rate_law is not None and str(species) in r.rate_law.words for r in network.reactions
        )
        if species.is_plain and (counted or network.reactants[:, index].any()):
            raise InputError(
                f"how much {species} there is does not follow from a log of robots: give the "
                "counts of all species in every row"
            )
    return free
