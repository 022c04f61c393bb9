"""Query: what can be seen of the team.

An observer does not see the state x but y = q(x), a few named sums of it, y_i = Σ_{j ∈ Ω_i} x_j
over disjoint sets Ω_i of species. The identity query sees every species by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, did_you_mean, shown
from covey.model.families.sum_family import WrittenSums, plain_sums
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.reaction import parse_sum
from covey.model.species import Species, species_order
from covey.showing import Showing


@dataclass(frozen=True, init=False)
class Query(Showing):
    """Named, disjoint sums of species; `Query()` is the identity, which sees everything.

    Query(free="{A} + {B}", busy="{A,R} + {B,R}")

    Args:
        sums: For each name that is seen a sum of species as text: `{"free": "{A} + {B}"}`.
        **more: The same as keywords; names that are no Python names go into `sums`.
    """

    sums: FrozenMap[str, tuple[Species, ...]]
    if TYPE_CHECKING:  # no field: it says nothing of what is seen
        _written: WrittenSums | None

    def __init__(self, sums: Mapping[str, str] | None = None, /, **more: str) -> None:
        for name in sums or {}:
            if not isinstance(name, str):
                raise InputError(f"{shown(name)} is not a name for a sum: a text is expected")
        parsed = {name: _parse(name, text) for name, text in {**(sums or {}), **more}.items()}
        seen_in: dict[Species, str] = {}
        for name, group in parsed.items():
            for species in group:
                if species in seen_in:
                    where = "twice in" if seen_in[species] == name else f"in {seen_in[species]} and"
                    raise InputError(
                        f"{species} is seen {where} {name}: sums must be disjoint",
                        key=f"observe.{name}",
                    )
                seen_in[species] = name
        object.__setattr__(self, "sums", FrozenMap(parsed))
        object.__setattr__(self, "_written", None)

    @classmethod
    def of_table(cls, table: Mapping[str, object], sets: Mapping[str, tuple[str, ...]]) -> Query:
        """The query that the table [observe] of a scenario writes; its sums may be over sets.

        Args:
            table: For each name a sum as text, such as `w{$i} for i in types`.
            sets: The words of every set.
        """
        plain, written = plain_sums(table, sets)
        query = cls(cast("Mapping[str, str]", plain))
        object.__setattr__(query, "_written", written)
        return query

    def table(self, sets: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        """The table that `of_table` reads, with sums over sets as they were written.

        Args:
            sets: The words of every set; where they are others than before, sums are written out.
        """
        if self._written is not None and self._written.means_the_same_for(sets):
            return dict(self._written.table)
        return self.texts()

    def over(self, sets: Mapping[str, tuple[str, ...]]) -> Query:
        """The same sums over other sets.

        Args:
            sets: The words of every set; where one is missing, sums stay as they are.
        """
        if self._written is None or self._written.sets.keys() - sets.keys():
            return self
        return Query.of_table(self._written.table, sets)

    @property
    def is_identity(self) -> bool:
        """Whether every species is seen by itself."""
        return not self.sums

    def groups(self, network: Network) -> dict[str, tuple[Species, ...]]:
        """The sums, written out: for the identity, one for every species of the network.

        Args:
            network: The network that is looked at.
        """
        return dict(self.sums) or {str(species): (species,) for species in network.species}

    def matrix(self, network: Network) -> NDArray[np.int64]:
        """Q with y = Q x: (observations, species), zeros and ones.

        Args:
            network: The network that is looked at; its species are the columns.
        """
        groups = self.groups(network)
        matrix = np.zeros((len(groups), len(network.species)), dtype=np.int64)
        for row, group in enumerate(groups.values()):
            for species in group:
                matrix[row, network.index[species]] = 1
        return matrix

    def check(self, network: Network) -> None:
        """Raises `InputError` where the query names a species that the network does not have.

        Args:
            network: The network that is to be looked at.
        """
        for name, group in self.sums.items():
            for species in group:
                if species not in network.index:
                    raise InputError(
                        f"{name} sees {species}, which is in no reaction."
                        + did_you_mean(str(species), map(str, network.species)),
                        key=f"observe.{name}",
                    )

    def breaches(self, network: Network, types: Iterable[str]) -> list[tuple[str, str]]:
        """The sums that count lone robots of a single type, each with that type.

        Whoever sees such a sum reads the type off directly, whatever the team does.

        Args:
            network: The network that is looked at.
            types: The types that are to be protected.
        """
        private = set(types)
        found = []
        for name, group in self.groups(network).items():
            members = {s.members for s in group}
            if len(members) == 1 and len(only := members.pop()) == 1 and only[0] in private:
                found.append((name, only[0]))
        return found

    def __str__(self) -> str:
        if self.is_identity:
            return "everything"
        return "; ".join(f"{name} = {_print(group)}" for name, group in self.sums.items())

    def texts(self) -> dict[str, str]:
        """The sums as they are written in a scenario file."""
        return {name: _print(group) for name, group in self.sums.items()}


def _parse(name: str, text: object) -> tuple[Species, ...]:
    try:
        if not isinstance(text, str):
            raise InputError(f'{name} is {shown(text)}: a sum such as "{{A}} + {{B}}" is expected')
        terms = list(parse_sum(text))
        for species, coefficient in terms:
            if coefficient != 1:
                raise InputError(
                    f"{name} counts {species} {coefficient} times: leave the factor out"
                )
    except InputError as error:
        raise error.at(key=f"observe.{name}") from None
    return tuple(sorted((species for species, _ in terms), key=species_order))


def _print(group: tuple[Species, ...]) -> str:
    return " + ".join(map(str, group))
