"""What the species and parameters of an SBML model are called in covey.

In SBML everything has an id, and may have a name for people. A species is called by its name where
that is a covey species, `pick{carrier,picker}` or a plain word, and nothing else is called so; else
by its id. The table `[species]` of a scenario, from ids to covey's names, goes before both. A
parameter is called in the same way; one that belongs to a single reaction by that reaction and
itself, `binding_k`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from covey.errors import InputError, did_you_mean, shown
from covey.model.rate import check_rate_name
from covey.model.species import Species


def name_species(parts: Iterable[Any], given: Mapping[str, object]) -> dict[str, Species]:
    """From the ids of SBML species to covey's; `given` is the scenario's table `[species]`."""
    by_id = {part.getId(): part for part in parts}
    for id_ in given:
        if id_ not in by_id:
            raise InputError(
                f"species.{id_[:40]}: the SBML model has no species with this id that its "
                f"reactions could change.{did_you_mean(id_, by_id)}",
                key=f"species.{id_}",
            )
    words = _words(by_id.values(), _is_plain)
    found: dict[str, Species] = {}
    owner: dict[Species, str] = {}
    for id_, part in by_id.items():
        species = _given(id_, given[id_]) if id_ in given else _of_name(part, words[id_])
        if species in owner:
            raise InputError(
                f"the species {owner[species]} and {id_} of the SBML model are both {species}: "
                f'give one of them another name under [species], as {id_} = "other{{A}}"',
                line=None if id_ in given else part.getLine() or None,
                key=f"species.{id_}" if id_ in given else None,
            )
        found[id_] = species
        owner[species] = id_
    return found


def name_parameters(parts: Iterable[Any]) -> dict[str, str]:
    """From the ids of global parameters to the names of rates."""
    return _words(parts, _is_rate_name)


def name_local(reaction: str, parameter: str, taken: Container[str]) -> str:
    """The name of a parameter that belongs to one reaction; no other is called so."""
    name = f"{reaction}_{parameter}"
    while name in taken:
        name += "_"
    return name


def _words(parts: Iterable[Any], fits: Callable[[str], bool]) -> dict[str, str]:
    """For each part its name, where it fits and nothing else is called so; else its id."""
    named = {part.getId(): part.getName().strip() for part in parts}
    times = Counter(named.values())
    owner = {name: id_ for id_, name in named.items() if times[name] == 1 and fits(name)}
    by_id = [id_ for id_, name in named.items() if owner.get(name) != id_]
    for id_ in by_id:  # whoever has this id for a name must go by its own id, and so on
        if id_ in owner:
            by_id.append(owner.pop(id_))
    return {**dict(zip(by_id, by_id, strict=True)), **{id_: name for name, id_ in owner.items()}}


def _given(id_: str, name: object) -> Species:
    key = f"species.{id_}"
    if not isinstance(name, str):
        raise InputError(
            f'{key} is {shown(name)}: a species is expected, as "pick{{carrier,picker}}"', key=key
        )
    try:
        return Species.parse(name)
    except InputError as error:
        raise error.at(key=key) from None


def _of_name(part: Any, word: str) -> Species:
    name = part.getName()
    if "{" not in name and "}" not in name:
        return Species(word)
    try:
        return Species.parse(name)
    except InputError as error:
        raise InputError(
            f"the name of species {part.getId()} is no name in covey ({error.message[:200]}): "
            f'say under [species] which one it is, as {part.getId()} = "w{{A,B}}"',
            line=part.getLine() or None,
        ) from None


def _is_plain(name: str) -> bool:
    try:
        return Species(name).is_plain
    except InputError:
        return False


def _is_rate_name(name: str) -> bool:
    try:
        check_rate_name(name)
    except InputError:
        return False
    return True
