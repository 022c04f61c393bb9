"""What the words in rate laws mean: named rates, species without members, and sums of species.

A sum is written out in the rate law, so that a network needs nothing besides itself; rates and
species stay words, which the network looks up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from covey.errors import InputError, did_you_mean
from covey.model.complex import parse_sum
from covey.model.io.network_text import NetworkText
from covey.model.observation.observed_sum import split_threshold
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Term, applied
from covey.model.reaction import Reaction
from covey.model.species import Species, species_order


class RateLawWords:
    """What the words in the rate laws of some reactions mean."""

    def __init__(
        self, reactions: Sequence[Reaction], rates: Mapping[str, float], sums: Mapping[str, str]
    ) -> None:
        self.rates = rates
        self.sums = {name: sum_ for name, sum_ in sums.items() if sum_.strip() != name}
        self.species = {
            s
            for reaction in reactions
            for side in (reaction.reactants, reaction.products)
            for s, _ in side
        }
        self.plain = {str(species) for species in self.species if species.is_plain}

    def resolve(self, text: NetworkText) -> None:
        """Writes the sums out that the rate laws of a text name.

        A family with such rate laws is a family no longer: its line alone would not say what they
            mean.
        """
        before = list(text.reactions)
        for r, (reaction, place) in enumerate(zip(before, text.places, strict=True)):
            try:
                text.reactions[r] = self._resolved(reaction)
            except InputError as error:
                raise InputError(
                    f"the rate law of {reaction.arrow} {error.message}", key="network.reactions"
                ).at(line=place.line, case=place.case) from None
        same = [one == other for one, other in zip(before, text.reactions, strict=True)]
        text.families = [one for one in text.families if all(same[one.start : one.stop])]

    def _resolved(self, reaction: Reaction) -> Reaction:
        if reaction.rate_law is None:
            return reaction
        law = self.spelled_out(reaction.rate_law)
        return Reaction(reaction.reactants, reaction.products, law, reaction.name)

    def spelled_out(self, law: RateLaw) -> RateLaw:
        """A rate law with the sums that it names written out; every species in it is known."""
        law = law.replace({word: self._meaning(word) for word in sorted(law.words)})
        counted = law.species | {Species(word) for word in law.words - self.rates.keys()}
        for species in sorted(counted - self.species, key=species_order):
            raise InputError(
                f"counts {species}, which is in no reaction."
                + did_you_mean(str(species), map(str, self.species))
            )
        return law

    def _meaning(self, word: str) -> Term:
        """The word itself, for a rate or a species; the sum of species that it names."""
        kinds = {"a rate": self.rates, "a species": self.plain, "a sum": self.sums}
        found = [kind for kind, names in kinds.items() if word in names]
        if len(found) > 1:
            raise InputError(
                f"has {word}, which is {' and '.join(found)}: give one of them another name"
            )
        if not found:
            known = [*self.rates, *self.sums, *map(str, self.species)]
            raise InputError(
                f"has {word[:40]}, which is no rate, no species and no observed sum."
                + did_you_mean(word, known)
            )
        if word not in self.sums:
            return word
        text, threshold = split_threshold(self.sums[word])
        counts: list[Term] = [
            str(species) if species.is_plain else species
            for species, n in parse_sum(text)
            for _ in range(n)
        ]
        sum_ = applied("+", *counts) if len(counts) > 1 else counts[0]
        return applied(threshold.sign, sum_, float(threshold.bound)) if threshold else sum_
