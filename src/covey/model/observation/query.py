"""Query: what can be seen of the team.

An observer does not see the state x but y = q(x): a few named sums y_i = Σ_j w_ij x_j with whole
weights, or whether such a sum passes a bound, y_i = 0 or 1 (`observed_sum`). Sums may overlap. The
identity query sees every species by itself.

Species that have the same weights in all sums are told apart by nobody. The counts z of such
classes are plain sums without overlap, and y is a function of z: a method that knows only plain
sums computes P(z), and what is shown of z follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, UnsupportedError, did_you_mean, shown
from covey.model.families.sum_family import WrittenSums, plain_sums
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.observation.observed_sum import ObservedSum
from covey.model.species import Species, species_order
from covey.model.stages import counted, later_stages
from covey.numbers import Ints
from covey.showing import Showing


@dataclass(frozen=True, init=False)
class Query(Showing):
    """Named sums of species; `Query()` is the identity, which sees everything.

    Query(free="{A} + {B}", bodies="2 pair{A,B} + {A}", full="{dock} <= 0")

    Args:
        sums: For each name that is seen a sum of species as text: `{"free": "{A} + {B}"}`.
            `2 {A}` counts twice; `{A} <= 2` is seen as 1 where it holds and as 0 elsewhere.
        **more: The same as keywords; names that are no Python names go into `sums`.
    """

    sums: FrozenMap[str, ObservedSum]
    if TYPE_CHECKING:  # no fields: they say nothing of what is seen
        _written: WrittenSums | None
        _hidden: frozenset[Species]  # stages, which are not written

    def __init__(self, sums: Mapping[str, str] | None = None, /, **more: str) -> None:
        for name in sums or {}:
            if not isinstance(name, str):
                raise InputError(f"{shown(name)} is not a name for a sum: a text is expected")
        parsed = {name: _parse(name, text) for name, text in {**(sums or {}), **more}.items()}
        object.__setattr__(self, "sums", FrozenMap(parsed))
        object.__setattr__(self, "_written", None)
        object.__setattr__(self, "_hidden", frozenset())

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

    def with_stages(self, network: Network) -> Query:
        """The same where the times of some species are in stages, which nobody sees.

        Args:
            network: The network that is looked at.
        """
        stages = network.stages
        if not stages:
            return self
        later = later_stages(stages)
        sums = {
            name: replace(one, terms=_ordered(counted(one.terms, stages)))
            for name, one in self.groups(network).items()
            if self.sums or not later.intersection(one.species)
        }
        staged = Query()
        object.__setattr__(staged, "sums", FrozenMap(sums))
        object.__setattr__(staged, "_written", self._written)
        object.__setattr__(staged, "_hidden", later)
        return staged

    @property
    def is_identity(self) -> bool:
        """Whether every species is seen by itself."""
        return not self.sums

    def groups(self, network: Network) -> dict[str, ObservedSum]:
        """All that is seen, by name: for the identity, every species of the network.

        Args:
            network: The network that is looked at.
        """
        alone = {str(species): ObservedSum(((species, 1),)) for species in network.species}
        return dict(self.sums) or alone

    def matrix(self, network: Network) -> Ints:
        """W, by which the sums are W x: (observations, species). Of thresholds, what they compare.

        Args:
            network: The network that is looked at; its species are the columns.
        """
        groups = self.groups(network)
        matrix = np.zeros((len(groups), len(network.species)), dtype=np.int64)
        for row, group in enumerate(groups.values()):
            for species, weight in group.terms:
                matrix[row, network.index[species]] = weight
        return matrix

    def shown(self, states: NDArray[np.integer], columns: Mapping[Species, int]) -> Ints:
        """Y of every state: (states, observations).

        Args:
            states: The states, (states, columns).
            columns: Which column counts each species that is seen.
        """
        if self.is_identity:
            return np.asarray(states[:, list(columns.values())], dtype=np.int64)
        found = np.zeros((len(states), len(self.sums)), dtype=np.int64)
        for row, one in enumerate(self.sums.values()):
            for species, weight in one.terms:
                part = states[:, columns[species]]
                found[:, row] += part if weight == 1 else weight * part.astype(np.int64)
        return self.compared(found)

    def compared(self, sums: Ints) -> Ints:
        """Y of the sums W x: thresholds as 0 or 1, all others as they are.

        Args:
            sums: The sums, (states, observations).
        """
        if self.is_linear:
            return sums
        found = sums.copy()
        for column, one in enumerate(self.sums.values()):
            if one.threshold is not None:
                found[:, column] = one.threshold.holds(sums[:, column])
        return found

    @cached_property
    def linear(self) -> Query:
        """The same with sums in place of thresholds on them: `compared` leads back."""
        if self.is_linear:
            return self
        return Query({name: str(ObservedSum(one.terms)) for name, one in self.sums.items()})

    @property
    def is_linear(self) -> bool:
        """Whether there is no threshold."""
        return not any(one.threshold for one in self.sums.values())

    @cached_property
    def is_plain(self) -> bool:
        """Whether it has neither weights nor thresholds nor overlaps."""
        weighted = any(one.is_weighted for one in self.sums.values())
        return self.is_linear and not weighted and not self.overlaps

    @cached_property
    def overlaps(self) -> dict[Species, tuple[str, ...]]:
        """The species that are in several sums, each with their names."""
        found: dict[Species, tuple[str, ...]] = {}
        for name, one in self.sums.items():
            for species in one.species:
                found[species] = (*found.get(species, ()), name)
        return {species: names for species, names in found.items() if len(names) > 1}

    @cached_property
    def classes(self) -> tuple[Query, Ints]:
        """The classes of species that look alike, as plain sums; and their weights.

        y is `compared(z @ weights)`, where z are the counts of the classes: (classes, sums).
        """
        rows: dict[Species, list[int]] = {}
        for column, one in enumerate(self.sums.values()):
            for species, weight in one.terms:
                rows.setdefault(species, [0] * len(self.sums))[column] = weight
        members: dict[tuple[int, ...], list[str]] = {}
        for species, row in rows.items():
            members.setdefault(tuple(row), []).append(str(species))
        plain = {f"class{i}": " + ".join(alike) for i, alike in enumerate(members.values())}
        return Query(plain), np.array(list(members), dtype=np.int64).reshape(-1, len(self.sums))

    def check_linear(self, what: str) -> None:
        """Raises `UnsupportedError` where a threshold is seen, which something cannot do with.

        Args:
            what: What cannot: the error begins with it.
        """
        for name, one in self.sums.items():
            if one.threshold is not None:
                raise UnsupportedError(
                    f"{what} takes sums, and {name} is a threshold, seen as 0 or 1: observe "
                    f"{ObservedSum(one.terms)} instead, or leave {name} out",
                    key=f"observe.{name}",
                )

    def check(self, network: Network) -> None:
        """Raises `InputError` where the query names a species that the network does not have.

        Args:
            network: The network that is to be looked at.
        """
        for name, group in self.sums.items():
            for species in group.species:
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
            members = {s.members for s in group.species}
            if len(members) == 1 and len(only := members.pop()) == 1 and only[0] in private:
                found.append((name, only[0]))
        return found

    def __str__(self) -> str:
        if self.is_identity:
            return "everything"
        sums = "; ".join(f"{name} = {text}" for name, text in self.texts().items())
        return f"{sums}{self.overlap_note()}"

    def overlap_note(self) -> str:
        """` (counts overlap: {A} is in free and bodies)`; nothing where none do."""
        if not self.overlaps:
            return ""
        (species, names), *more = self.overlaps.items()
        others = f", and {len(more)} more" if more else ""
        return f" (counts overlap: {species} is in {' and '.join(names)}{others})"

    def texts(self) -> dict[str, str]:
        """The sums as they are written in a scenario file."""
        return {
            name: str(one if not self._hidden else one.without(self._hidden))
            for name, one in self.sums.items()
        }


def _ordered(terms: Mapping[Species, int]) -> tuple[tuple[Species, int], ...]:
    return tuple(sorted(terms.items(), key=lambda term: species_order(term[0])))


def _parse(name: str, text: object) -> ObservedSum:
    try:
        return ObservedSum.parse(text, name)
    except InputError as error:
        raise error.at(key=f"observe.{name}") from None
