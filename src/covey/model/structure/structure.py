"""Structure: what a network's wiring alone says, whatever the team.

With n complexes in ℓ linkage classes and s = rank Γ, the deficiency is n − ℓ − s. Everything here
is computed in whole numbers, so that a rank is a rank and not a count of singular values.

[1] M. Feinberg, Foundations of Chemical Reaction Network Theory, Springer 2019.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from covey.errors import UnsupportedError
from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.species import Species
from covey.model.structure.collaboration_dag import collaboration_dag
from covey.model.structure.complex_balance import BalancedPoint, balanced_point, complex_balance
from covey.model.structure.conservation import (
    ConservationLaw,
    conservation_laws,
    conservation_matrix,
)
from covey.model.structure.elementary_species import Roots, falls_apart, weak_needs
from covey.model.structure.finding import Finding
from covey.numbers import Ints
from covey.showing import Showing

# What the wiring alone decides, and so is the same at other rates.
_RATELESS = frozenset(
    (
        "linkage_classes",
        "strong_linkage_classes",
        "weakly_reversible",
        "conservation_laws",
        "conservation_matrix",
        "collaboration_dag",
        "roots",
        "needs",
        "_strong",
    )
)


@dataclass(frozen=True)
class Structure(Showing):
    """The findings on one network; each is computed when it is first asked for.

    Args:
        network: The network that is asked about.
    """

    network: Network

    @cached_property
    def linkage_classes(self) -> list[list[Complex]]:
        """The sets of complexes that reactions connect, whichever way they lead."""
        both_ways = [*self.network.edges, *((k, j) for j, k in self.network.edges)]
        return self._named(strong_components(len(self.network.complexes), both_ways))

    @cached_property
    def strong_linkage_classes(self) -> list[list[Complex]]:
        """The sets of complexes that can all be reached from each other."""
        return self._named(self._strong)

    @cached_property
    def weakly_reversible(self) -> Finding:
        """Whether every reaction can be undone by a chain of reactions."""
        class_of = {j: number for number, group in enumerate(self._strong) for j in group}
        for source, target in self.network.edges:
            if class_of[source] != class_of[target]:
                complexes = self.network.complexes
                return Finding.no(
                    f"nothing leads back from {complexes[target]} to {complexes[source]}"
                )
        return Finding.yes("every reaction can be undone by a chain of reactions")

    @cached_property
    def conservation_laws(self) -> tuple[ConservationLaw, ...]:
        """A basis of the conservation laws, non-negative ones where they could be had."""
        return conservation_laws(self.network)

    @cached_property
    def conservation_matrix(self) -> Ints:
        """W with W Γ = 0, a row for every law: (laws, species)."""
        return conservation_matrix(self.network, self.conservation_laws)

    @property
    def rank(self) -> int:
        """The rank of Γ: the dimension of the space in which the state moves."""
        return len(self.network.species) - len(self.conservation_laws)

    @property
    def deficiency(self) -> int:
        """`n − ℓ − s`: how many conditions the rates must meet for complex balance."""
        return len(self.network.complexes) - len(self.linkage_classes) - self.rank

    @cached_property
    def mass_action(self) -> Finding:
        """Whether no reaction has a rate law of its own: the closed forms are for mass action."""
        for reaction in self.network.reactions:
            if reaction.rate_law is not None:
                return Finding.no(f"{reaction.arrow} has a rate law of its own, not mass action")
        return Finding.yes("every reaction happens as often as its reactants can meet")

    @cached_property
    def complex_balanced(self) -> Finding:
        """Whether some c > 0 has A ψ(c) = 0 at these rates: the steady state has a closed form."""
        if not self.mass_action:
            return self.mass_action
        if not self.weakly_reversible:
            return Finding.no(f"not weakly reversible: {self.weakly_reversible.why}")
        return complex_balance(self.network, self.linkage_classes, self.deficiency)

    @cached_property
    def balanced_point(self) -> BalancedPoint:
        """The point c that balances every complex; raises `UnsupportedError` where none does."""
        if not self.complex_balanced:
            raise UnsupportedError(f"not complex-balanced: {self.complex_balanced.why}")
        point = balanced_point(self.network, self.linkage_classes)
        if not point.balanced:
            raise UnsupportedError(
                "a balanced point exists, but these rates are too far apart to compute it: the "
                f"best one is off by {point.residual:.1e} in logarithms"
            )
        return point

    @cached_property
    def collaboration_dag(self) -> Finding:
        """Whether every compound is built from its parts in exactly one way."""
        return collaboration_dag(self.network)

    @cached_property
    def roots(self) -> dict[Species, Roots] | None:
        """What every species falls apart into, where that shows all that laws allow reachable."""
        if self.network.has_rate_laws:  # which may stand still where mass action would not
            return None
        return falls_apart(self.network, len(self.conservation_laws))

    @cached_property
    def needs(self) -> Ints | None:
        """The same by linkage classes, for a weakly reversible network: (species, roots)."""
        return weak_needs(self.network, self.linkage_classes)

    def at_rates(self, network: Network) -> Structure:
        """The structure of a network with the same wiring; what rates do not change is kept.

        Args:
            network: The same reactions at other rates.
        """
        other = Structure(network)
        for name in _RATELESS & vars(self).keys():
            vars(other)[name] = vars(self)[name]
        vars(other)["_origin"] = self
        return other

    def live(self, start: Sequence[int]) -> Structure | None:
        """The structure of the reactions that can ever happen from a start; None without any.

        The same object for all starts that have these reactions.

        Args:
            start: How many there are of each species, in the order of `network.species`.
        """
        numbers = tuple(live_reactions(self.network, start))
        if len(numbers) == len(self.network.reactions):
            return self
        if numbers and numbers not in self._parts:
            part = self.network.part(numbers)
            known = None if self._origin is None else self._origin.live(start)
            self._parts[numbers] = Structure(part) if known is None else known.at_rates(part)
        return self._parts.get(numbers)

    @cached_property
    def _origin(self) -> Structure | None:
        """The structure at other rates that this one was made from, where it was."""
        return None

    @cached_property
    def _parts(self) -> dict[tuple[int, ...], Structure]:
        return {}

    @cached_property
    def _strong(self) -> list[list[int]]:
        return strong_components(len(self.network.complexes), self.network.edges)

    def _named(self, groups: list[list[int]]) -> list[list[Complex]]:
        return [[self.network.complexes[j] for j in group] for group in groups]


def strong_components(nodes: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The strongly connected components of a graph, by Tarjan's algorithm without recursion."""
    leads_to: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in edges:
        leads_to[source].append(target)
    order = [-1] * nodes  # when a node was first met
    lowest = [0] * nodes  # the earliest node on the stack that it can reach
    on_stack = [False] * nodes
    stack: list[int] = []
    components: list[list[int]] = []
    met = 0
    for root in range(nodes):
        work = [(root, 0)] if order[root] < 0 else []
        while work:
            node, child = work.pop()
            if child == 0:
                order[node] = lowest[node] = met
                met += 1
                stack.append(node)
                on_stack[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[leads_to[node][child - 1]])
            for position in range(child, len(leads_to[node])):
                next_node = leads_to[node][position]
                if order[next_node] < 0:
                    work += [(node, position + 1), (next_node, 0)]
                    break
                if on_stack[next_node]:
                    lowest[node] = min(lowest[node], order[next_node])
            else:
                if lowest[node] == order[node]:
                    component = []
                    while on_stack[node]:
                        component.append(stack.pop())
                        on_stack[component[-1]] = False
                    components.append(sorted(component))
    return sorted(components)


def live_reactions(network: Network, start: Sequence[int]) -> list[int]:
    """The numbers of the reactions that can ever happen: all their reactants can come about."""
    absent = {s for s, count in zip(network.species, start, strict=True) if not count}
    lacking = [{s for s, _ in r.reactants if s in absent} for r in network.reactions]
    awaited: dict[Species, list[int]] = defaultdict(list)
    for number, missing in enumerate(lacking):
        for species in missing:
            awaited[species].append(number)
    ready = [number for number, missing in enumerate(lacking) if not missing]
    for number in ready:
        for species, _ in network.reactions[number].products:
            for waiting in awaited.pop(species, []):
                lacking[waiting].discard(species)
                if not lacking[waiting]:
                    ready.append(waiting)
    return sorted(ready)
