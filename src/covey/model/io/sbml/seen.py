"""Species that no reaction of an SBML model changes, made species of the network to be seen.

A species that is held keeps its amount, whatever reactions take from it or give to it: it stands in
a reaction of its own that changes nothing. A species that a rule says is a sum of others,

    y = c + Σ w_s x_s      (c and w whole numbers, not negative),

changes with them: a reaction that changes x by γ changes y by w γ. One that takes from y does so at
the same rate as before, as a rate law of its own; there is enough of y whenever there is enough of
x.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from covey.errors import InputError
from covey.model.complex import Complex
from covey.model.frozen import FrozenMap
from covey.model.io.sbml.formula import Formulas
from covey.model.io.sbml.polynomial import Polynomial, print_number
from covey.model.network import Network
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Term, applied
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.model.team import MAX_COUNT

Amounts = Mapping[str, Polynomial]


def with_seen(
    network: Network,
    initial: FrozenMap[str, int],
    seen: tuple[Amounts, Amounts],
    formulas: Formulas,
) -> tuple[Network, FrozenMap[str, int]]:
    """The network and its start with species that are held, and with sums of others."""
    held, sums = seen
    reactions, counts = list(network.reactions), dict(initial)
    for id_, amount in held.items():
        counts[id_] = _whole(formulas.number(amount, "its amount is one"), id_)
        reactions.append(Reaction(id_, id_, 1.0))
    for id_, amount in sums.items():
        weights = {str(s): int(c) for monomial, c in amount.terms.items() for s, _ in monomial}
        start = sum(
            (c * _start(monomial, initial, id_) for monomial, c in amount.terms.items()),
            Fraction(0),
        )
        counts[id_] = _whole(start, id_)
        reactions = [_following(r, Species(id_), weights, network) for r in reactions]
    if not held and not sums:
        return network, initial
    return Network(reactions, network.rates, network.kinetics), FrozenMap(counts)


def _following(
    reaction: Reaction, sum_: Species, weights: Mapping[str, int], network: Network
) -> Reaction:
    """A reaction that changes the sum together with its parts."""
    change = sum(n * weights.get(str(species), 0) for species, n in reaction.change().items())
    if change >= 0:
        products = _more(reaction.products, sum_, change)
        return Reaction(reaction.reactants, products, reaction.rate, reaction.name)
    law = reaction.rate_law or RateLaw(mass_action_term(reaction, network))
    reactants = _more(reaction.reactants, sum_, -change)
    return Reaction(reactants, reaction.products, law, reaction.name)


def mass_action_term(reaction: Reaction, network: Network) -> Term:
    """The rate of a reaction by mass action, written out as a law."""
    rate = reaction.rate
    if isinstance(rate, RateLaw):
        return rate.term
    factors: list[Term] = [rate]
    for species, n in reaction.reactants:
        count: Term = str(species) if species.is_plain else species
        taken = [0] * n if network.kinetics == "power" else range(n)
        factors += [applied("+", count, applied("-", float(k))) if k else count for k in taken]
    return applied("*", *factors) if len(factors) > 1 else factors[0]


def _more(side: Complex, species: Species, n: int) -> Complex:
    counts = Counter(dict(side.terms))
    counts[species] += n
    return Complex(tuple((s, k) for s, k in counts.items() if k))


def _start(monomial: frozenset[tuple[object, int]], initial: Mapping[str, int], id_: str) -> int:
    for species, _ in monomial:
        if str(species) not in initial:
            raise InputError(
                f"{id_} is a sum with {species}, whose number is not the model's own: leave {id_} "
                "out of [observe], and observe what it is made of"
            )
        return initial[str(species)]
    return 1


def _whole(amount: Fraction, id_: str) -> int:
    if amount.denominator != 1 or not 0 <= amount <= MAX_COUNT:
        raise InputError(
            f"there are {print_number(amount)} of {id_}: a whole number from 0 to {MAX_COUNT:,} is "
            "expected"
        )
    return int(amount)
