"""Whether the parts of a scenario fit: who is in the network, and where everybody starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from covey.errors import InputError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.species import Species
from covey.model.team import Team, check_count


def check_members(network: Network, team: Team) -> None:
    """Refuses robots and resources that only the team, or only the network, knows."""
    for reaction, (line, case) in zip(network.reactions, network.places, strict=True):
        for member in reaction.reactants.members() | reaction.products.members():
            if member not in team.members:
                advice = did_you_mean(member, team.members) or " Say how many there are."
                raise InputError(
                    f"{reaction.arrow} has {member}, which is neither in [types] nor in "
                    f"[resources].{advice}",
                    line=line,
                    case=case,
                    key="network.reactions",
                )
    for table, names in (("types", team.types), ("resources", team.resources)):
        for name in names:
            if name not in network.members:
                raise InputError(
                    f"{table}.{name} is in no reaction: what it does is not known."
                    + did_you_mean(name, network.members),
                    key=f"{table}.{name}",
                )


def check_types(key: str, names: Iterable[str], team: Team) -> None:
    """Refuses what a key of the file takes for a type of the team, and is none."""
    for name in names:
        if name not in team.types:
            raise InputError(
                f"{key} has {name}, which is not in [types]." + did_you_mean(name, team.types),
                key=key,
            )


def read_places(
    network: Network, team: Team, initial: Mapping[str, object]
) -> FrozenMap[str, Species | int]:
    """Where each type and resource starts, and how many there are of each plain species."""
    plain = {str(s) for s in network.species if s.is_plain}
    for name in plain & team.members.keys():
        raise InputError(
            f"{name} is a plain species in a reaction, and a type or resource: "
            f"write {{{name}}} for the robot, or give one of them another name",
            key="network.reactions",
        )
    lone: dict[str, list[Species]] = {}
    for species in network.species:
        if len(species.members) == 1:
            lone.setdefault(species.members[0], []).append(species)
    for name in initial:
        if name not in team.members and name not in plain:
            raise InputError(
                f"initial.{name}: {name} is no type, resource or plain species here."
                + did_you_mean(name, [*team.members, *plain]),
                key=f"initial.{name}",
            )
    places: dict[str, Species | int] = {
        name: _place(name, initial.get(name), lone.get(name, [])) for name in team.members
    }
    for name in sorted(plain):
        places[name] = check_count(initial.get(name, 0), f"initial.{name}")
    return FrozenMap(places)


def _place(name: str, given: object, lone: list[Species]) -> Species:
    """Where a type or resource starts, checked to be one of the species for it alone."""
    key = f"initial.{name}"
    choices = " or ".join(f'"{species}"' for species in lone[:4])
    if given is None:
        if Species("", (name,)) in lone:
            return Species("", (name,))
        raise InputError(
            f"{name} would start at {{{name}}}, which is in no reaction: "
            + (f"say where under [initial], as {choices}" if lone else "add it to one"),
            key="network.reactions",
        )
    if not isinstance(given, str | Species):
        raise InputError(f"{key} is {shown(given)}: expected a species, {choices}", key=key)
    try:
        place = Species.parse(given) if isinstance(given, str) else given
    except InputError as error:
        raise error.at(key=key) from None
    if place not in lone:
        raise InputError(
            f"{key} is {place}, which is no species for one {name} alone"
            + (f": expected {choices}" if lone else " in any reaction"),
            key=key,
        )
    return place
