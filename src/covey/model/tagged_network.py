"""A network in which one robot carries a tag: it moves as any other of its type, and is told apart.

Every species with a robot of type t has a copy in which one such robot is the tagged one, of a type
of its own. Let X = x + x̃ count all of a species s, x̃ ≤ 1 of which hold the tagged robot. A
reaction takes n of the X at random, so that it takes the tagged one with probability n x̃ / X:

    mass action    κ (x + 1)ₙ = κ (x)ₙ + n κ (x)ₙ₋₁          without it, and with it
    rate law R     R(X) (X − n x̃) / X,   R(X) n x̃ / X        its counts include the tagged one

(x)ₙ = x (x − 1) … (x − n + 1). So the counts X move exactly as those of the network itself.

Where the tagged robot goes a network does not say where several robots of its type take part. What
stands on both sides of a reaction stays as it is; who is in the rest is dealt to the places for
that type at random, all alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from covey.model.complex import Complex
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.rate_laws.control import rate_term
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Term, applied
from covey.model.reaction import Reaction
from covey.model.species import Species


@dataclass(frozen=True)
class TaggedNetwork:
    """A network, and the same with one robot told apart; `tag` makes one.

    Attributes:
        plain: The network itself.
        names: The type of the tagged robot, for each type that it may have.
        network: The network with all that a tagged robot does besides.
    """

    plain: Network
    names: FrozenMap[str, str]
    network: Network

    def copies(self, species: Species) -> list[Species]:
        """The species in which one robot is the tagged one.

        Args:
            species: One of the plain network.
        """
        return _copies(species, self.names)


def tag(network: Network, types: Iterable[str]) -> TaggedNetwork:
    """The network in which a robot of any of these types may be the tagged one."""
    known = set(network.members)
    names: dict[str, str] = {}
    for type_ in types:
        names[type_] = f"followed_{type_}"
        while names[type_] in known:
            names[type_] += "_"
        known.add(names[type_])
    reactions = [one for reaction in network.reactions for one in _tagged(reaction, network, names)]
    return TaggedNetwork(
        network,
        FrozenMap(names),
        Network(reactions, network.rates, network.kinetics, timetable=network.timetable),
    )


def _copy(species: Species, type_: str, name: str) -> Species:
    """The species with one robot of a type the tagged one."""
    members = list(species.members)
    members[members.index(type_)] = name
    return Species(species.activity, tuple(members))


def _copies(species: Species, names: Mapping[str, str]) -> list[Species]:
    return [_copy(species, t, name) for t, name in names.items() if t in species.members]


def _tagged(reaction: Reaction, network: Network, names: Mapping[str, str]) -> Iterator[Reaction]:
    """The reaction without the tagged robot, and with it in any place among the reactants."""
    law = _rate_law(reaction, network)
    if law is None:
        yield reaction
    else:
        law = law.relabelled(lambda species: _all(species, names))
        parts = [_others_share(s, n, names) for s, n in reaction.reactants if _copies(s, names)]
        rate = RateLaw(applied("*", law.term, *parts)) if parts else law
        yield Reaction(reaction.reactants, reaction.products, rate, reaction.name)
    for species, _ in reaction.reactants:
        for type_, name in names.items():
            if type_ not in species.members:
                continue
            place = _copy(species, type_, name)
            reactants = _with_one(reaction.reactants, species, place)
            for products, times in _products(reaction, species, type_, name).items():
                made = replace(reaction, reactants=reactants, products=products)
                if law is None:
                    yield from _repeated(made, times, network)
                    continue
                share = _share(place, _all(species, names), times)
                yield Reaction(
                    reactants, products, RateLaw(applied("*", law.term, share)), reaction.name
                )


def _rate_law(reaction: Reaction, network: Network) -> RateLaw | None:
    """Its rate law; also where powers of counts do not split as falling products do."""
    several = any(n > 1 for _, n in reaction.reactants)
    if reaction.rate_law is None and network.kinetics == "power" and several:
        return RateLaw(rate_term(reaction, network.kinetics, network.rates))
    return reaction.rate_law


def _all(species: Species, names: Mapping[str, str]) -> Term:
    """How many there are of a species, with the tagged one."""
    copies = _copies(species, names)
    return applied("+", species, *copies) if copies else species


def _others_share(species: Species, taken: int, names: Mapping[str, str]) -> Term:
    """(X − n x̃) / X: the probability that the tagged one is not among those taken."""
    count, copies = _all(species, names), _copies(species, names)
    tagged = applied("+", *copies) if len(copies) > 1 else copies[0]
    less = tagged if taken == 1 else applied("*", float(taken), tagged)
    left = applied("+", count, applied("-", less))
    return applied("/", left, applied("max", count, 1.0))


def _share(place: Species, count: Term, times: Fraction) -> Term:
    """`times` x̃ / X."""
    share = applied("/", place, applied("max", count, 1.0))
    return share if times == 1 else applied("*", float(times), share)


def _repeated(made: Reaction, times: Fraction, network: Network) -> list[Reaction]:
    """A reaction of mass action so many times as fast; a rate that has a name keeps it."""
    if isinstance(made.rate, float):
        return [replace(made, rate=made.rate * float(times))]
    if times.denominator == 1:
        return [made] * int(times)  # whose rates add up
    term = applied("*", float(times), rate_term(made, network.kinetics, network.rates))
    return [Reaction(made.reactants, made.products, RateLaw(term), made.name)]


def _products(
    reaction: Reaction, species: Species, type_: str, name: str
) -> dict[Complex, Fraction]:
    """What becomes of the tagged robot that is in one of the reactants, each with its weight.

    Weights add up to how many of that reactant are taken.
    """
    taken, given = dict(reaction.reactants.terms), dict(reaction.products.terms)
    stay = min(taken[species], given.get(species, 0))
    found: dict[Complex, Fraction] = defaultdict(Fraction)
    if stay:
        place = _copy(species, type_, name)
        found[_with_one(reaction.products, species, place)] += stay
    move = taken[species] - stay
    slots = {
        s: (n - min(n, taken.get(s, 0))) * s.members.count(type_)
        for s, n in given.items()
        if type_ in s.members
    }
    total = sum(slots.values())
    if move and not total:  # everybody leaves
        found[reaction.products] += move
    for one, count in slots.items():
        if move and count:
            products = _with_one(reaction.products, one, _copy(one, type_, name))
            found[products] += Fraction(move * count, total)
    return found


def _with_one(side: Complex, species: Species, other: Species) -> Complex:
    """A complex with one of a species replaced by another."""
    terms = [(s, n - (s == species)) for s, n in side]
    return Complex((*((s, n) for s, n in terms if n), (other, 1)))
