"""Merging: two types of which nothing but their names differs, as one.

Call both types the same in every species, and add up what then has the same name: z = φ(x). Where
for every change of z the rates of all reactions that make it add up to a function of z alone, z is
a Markov chain of its own (strong lumpability [1]), and one for all teams: which robots were of
which type shows in nothing that z says.

**Mass action.** By Vandermonde's identity for falling factorials,

    (Σ x_s)_R = Σ_ρ R!/∏ρ_s! · ∏ (x_s)_ρs     over all ρ with Σ ρ_s = R,

the rates add up to κ (z)_R where every choice ρ of reactants that become alike is there, at κ times
its multinomial coefficient: {A} + {B} at 2κ, {A} + {A} and {B} + {B} at κ.

**Rate laws.** A sum of terms k x_s over all s that become alike, with the same k, is k z. It is
found by its form, within a rate law and among the rate laws of reactions that become alike; rate
laws that mean the same and are written otherwise are taken for different ones.

[1] Kemeny, Snell, Finite Markov Chains (1960), section 6.3.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Applied, Term, applied
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.numbers import Ints

_MOST_CHOICES = 10_000  # of reactants that become alike: beyond, nothing is recognised


@dataclass(frozen=True)
class Merged:
    """A network in which two types have become one.

    Attributes:
        network: The network of the one.
        whole: The network as it was.
        image: What each of its species has become.
    """

    network: Network
    whole: Network
    image: dict[Species, Species]

    def state(self, state: Ints) -> Ints:
        """z: how many there are of each species of the merged network."""
        found = np.zeros(len(self.network.species), dtype=np.int64)
        places = [self.network.index[self.image[species]] for species in self.whole.species]
        np.add.at(found, places, state)
        return found

    def shows(self, query: Query) -> bool:
        """Whether what is seen is a function of z: what has become alike is seen as one."""
        seen = query.matrix(self.whole).T.tolist()  # (species, sums)
        looks: dict[Species, list[int]] = {}
        return all(
            looks.setdefault(self.image[species], look) == look
            for species, look in zip(self.whole.species, seen, strict=True)
        )


def merged(network: Network, one: str, other: str) -> Merged | None:
    """The network with two of its types as one, where they are known to move alike; else None."""
    return _Merging(network, one, other).found()


class _Merging:
    def __init__(self, network: Network, one: str, other: str) -> None:
        self.network = network
        self.image = {
            s: Species(s.activity, tuple(one if m == other else m for m in s.members))
            for s in network.species
        }
        self.alike: dict[Species, list[Species]] = defaultdict(list)
        for species, image in self.image.items():
            self.alike[image].append(species)

    def found(self) -> Merged | None:
        together: dict[tuple[Complex, Complex], list[Reaction]] = defaultdict(list)
        for reaction in self.network.reactions:
            sides = self._complex(reaction.reactants), self._complex(reaction.products)
            together[sides].append(reaction)
        reactions = []
        for (left, right), ones in together.items():
            rate = 1.0 if left == right else self._rate(left, ones)  # what changes nothing may stay
            if rate is None:
                return None
            reactions.append(Reaction(left, right, rate))
        network = Network(reactions, self.network.rates, self.network.kinetics)
        return Merged(network, self.network, self.image)

    def _complex(self, side: Complex) -> Complex:
        return Complex(tuple((self.image[species], n) for species, n in side))

    def _rate(self, left: Complex, ones: Sequence[Reaction]) -> float | RateLaw | None:
        """The rate of reactions that become one; None where it is no function of z."""
        laws = [reaction.rate_law.term for reaction in ones if reaction.rate_law is not None]
        if not laws:
            return self._constant(left, ones)
        if len(laws) < len(ones):
            return None
        sums = self._term(laws[0] if len(laws) == 1 else applied("+", *laws))
        return RateLaw(sums[0]) if sums is not None and sums[1] is None else None

    def _constant(self, left: Complex, ones: Sequence[Reaction]) -> float | None:
        """κ, where every choice of reactants has its share of it."""
        rates: dict[Complex, Fraction] = defaultdict(Fraction)
        for reaction in ones:
            rates[reaction.reactants] += Fraction(reaction.rate_constant(self.network.rates))
        shares: set[Fraction] = set()
        for number, (choice, ways) in enumerate(self._choices(left)):
            if number == _MOST_CHOICES or (ways > 1 and self.network.kinetics == "power"):
                return None
            shares.add(rates[choice] / ways)
            if len(shares) > 1:
                return None
        return float(shares.pop())

    def _choices(self, left: Complex) -> Iterator[tuple[Complex, int]]:
        """What may become this complex, and in how many orders it can be picked."""
        picks = [combinations_with_replacement(self.alike[image], n) for image, n in left]
        for picked in product(*picks):
            counts = [Counter(part) for part in picked]
            ways = math.prod(
                math.factorial(count.total()) // math.prod(map(math.factorial, count.values()))
                for count in counts
            )
            yield Complex(tuple(item for count in counts for item in count.items())), ways

    def _term(self, term: Term) -> tuple[Term, Species | None] | None:
        """A term of z; with the species that it is proportional to where it is, but for that one.

        None where neither is found.
        """
        if isinstance(term, Species):
            image = self.image[term]
            return image, (term if len(self.alike[image]) > 1 else None)
        if not isinstance(term, Applied):
            return term, None
        if term.function == "+":
            return self._sum(term.parts)
        own: Species | None = None
        terms: list[Term] = []
        for place, found in enumerate(map(self._term, term.parts)):
            if found is None:
                return None
            terms.append(found[0])
            if found[1] is not None:
                linear = term.function in ("*", "-") or (term.function, place) == ("/", 0)
                if own is not None or not linear:
                    return None
                own = found[1]
        return applied(term.function, *terms), own

    def _sum(self, parts: Sequence[Term]) -> tuple[Term, None] | None:
        """A sum of which every part k x_s comes once for each s that becomes the same."""
        kept: list[Term] = []
        groups: dict[str, list[tuple[Term, Species]]] = defaultdict(list)
        for found in map(self._term, parts):
            if found is None:
                return None
            term, own = found
            if own is None:
                kept.append(term)
            else:
                groups[RateLaw(term).ordered(self.network.rates)].append((term, own))
        for group in groups.values():
            times = Counter(own for _, own in group)
            needed = self.alike[self.image[group[0][1]]]
            if set(times) != set(needed) or len(set(times.values())) > 1:
                return None
            kept += [group[0][0]] * times[needed[0]]
        return (applied("+", *kept) if len(kept) > 1 else kept[0]), None
