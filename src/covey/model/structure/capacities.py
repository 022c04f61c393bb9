"""Capacities: rate laws that cut off a reversible network, `[κ {A} (charge{A} + charge{B} < 24)]`.

A gate is a factor of a rate law that is 1 while a sum w·x is below a number, and else 0. Where the
rate laws are mass action but for gates, and the gated reactions are just those that raise w·x, all
closed for the same K as soon as they would lead beyond w·x ≤ K, the network with gates is the one
without, confined to the states {x: w·x ≤ K}. If that one is in detailed balance,

    κ c^ρ = κ' c^ρ'      for every reaction ρ → ρ' and its reverse,

so is the confined one, with the same weights [1]: truncating a reversible process keeps what its
states weigh against each other, as long as they still lead to each other.

[1] F. P. Kelly, Reversibility and Stochastic Networks, 1979, §1.6.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.rate_laws.term import Applied, Term
from covey.model.reaction import Reaction
from covey.model.species import Species, species_order
from covey.model.structure.structure import Structure
from covey.numbers import Ints

Weights = tuple[tuple[Species, int], ...]  # of a sum, in the order of species
Gates = dict[Weights, int]  # up to which value of each sum a reaction may happen

_LEAST = Fraction(1, 10**300)  # of a rate constant
_LARGEST_WEIGHT = 1_000_000  # sums of so many robots are exact as doubles


@dataclass(frozen=True)
class Capacity:
    """A sum of counts, and the most that it can be."""

    weights: Weights
    most: int

    def row(self, network: Network) -> Ints:
        """How often each species of a network counts: (species,); others do not."""
        weights = dict(self.weights)
        return np.array([weights.get(s, 0) for s in network.species], dtype=np.int64)

    def __str__(self) -> str:
        terms = (str(s) if n == 1 else f"{n} {s}" for s, n in self.weights)
        return f"{' + '.join(terms)} ≤ {self.most}"


@dataclass(frozen=True, eq=False)
class Capped:
    """A network in detailed balance, and the capacities that it is confined to.

    Attributes:
        structure: Of the network without gates.
        capacities: What confines it.
        error: How far reactions are from detailed balance, in logarithms: rounding.
    """

    structure: Structure
    capacities: tuple[Capacity, ...]
    error: float


def capped(network: Network) -> Capped | None:
    """What a network with rate laws is confined to; None where it is not that of the head."""
    if network.timetable or not network.has_rate_laws:
        return None
    rates, gates = [], []
    for reaction, constant in zip(network.reactions, network.rate_constants, strict=True):
        rate, own = _read(reaction, network.rates) if reaction.rate_law else (constant, Gates())
        if not 0 < rate < math.inf:
            return None
        rates.append(float(rate))
        gates.append(own)
    capacities = _capacities(network, gates)
    if not capacities:
        return None
    reactions = zip(network.reactions, rates, strict=True)
    plain = Network(
        [Reaction(r.reactants, r.products, k) for r, k in reactions], kinetics="falling"
    )
    powers = network.kinetics == "power" and (plain.reactants > 1).any()
    if plain.species != network.species or powers or not all(plain.complexes):
        return None
    structure = Structure(plain)
    error = _off_balance(structure)
    return None if error is None else Capped(structure, capacities, error)


def all_reached(live: Structure, capacities: Sequence[Capacity]) -> bool:
    """Whether all states of a reversible network within capacities surely lead to each other.

    They do where every species that a capacity counts falls apart, by reactions of it alone that
    raise no such sum, into species that none counts; and where the reactions among those have as
    many conservation laws as all reactions: see docs/theory/closed-form.md.
    """
    network = live.network
    rows = np.array([one.row(network) for one in capacities]).reshape(-1, len(network.species))
    rises = (network.changes @ rows.T > 0).any(axis=1)
    counted = rows.sum(axis=0).tolist()
    free = {s for s, often in zip(network.species, counted, strict=True) if not often}
    ways: dict[Species, list[set[Species]]] = defaultdict(list)
    for reaction, rising in zip(network.reactions, rises, strict=True):
        if reaction.reactants.single is not None and not rising:
            ways[reaction.reactants.single].append({s for s, _ in reaction.products})
    apart = set(free)
    while more := {s for s in ways.keys() - apart if any(w <= apart for w in ways[s])}:
        apart |= more
    if len(apart) < len(network.species):
        return False
    among = [r for r, one in enumerate(network.reactions)
             if all(s in free for side in one.sides for s, _ in side)]  # fmt: skip
    laws = len(free)
    if among:
        part = Structure(network.part(among))
        if part.needs is None:
            return False
        laws += len(part.conservation_laws) - len(part.network.species)
    return laws == len(live.conservation_laws)


def _read(reaction: Reaction, rates: Mapping[str, float]) -> tuple[float, Gates]:
    """The rate constant and the gates of a rate law; a constant of 0 where it is no such law."""
    assert reaction.rate_law is not None
    constant, gates, choices = Fraction(1), Gates(), Counter[tuple[Species, int]]()
    refused = 0.0, gates
    for term, above in _factors(reaction.rate_law.term):
        value = _number(term, rates)
        if value is not None and (value or above):
            constant = constant * value if above else constant / value
        elif value is not None or not above:
            return refused
        elif choice := _choice(term):
            choices[choice] += 1
        elif gate := _gate(term, rates):
            weights, most = gate
            gates[weights] = min(most, gates.get(weights, most))
        else:
            return refused
    wanted = Counter((species, i) for species, n in reaction.reactants for i in range(n))
    if choices != wanted or reaction.times != 1:
        return refused
    if not _LEAST < constant < 1 / _LEAST:  # doubles beyond are not as accurate, or infinite
        return refused
    return float(constant), gates


def _factors(term: Term, *, above: bool = True) -> list[tuple[Term, bool]]:
    """The factors of a product, each with whether it is multiplied by, or divided."""
    if not isinstance(term, Applied) or term.function not in ("*", "/"):
        return [(term, above)]
    first, *rest = term.parts
    other = above if term.function == "*" else not above
    found = _factors(first, above=above)
    return found + [pair for part in rest for pair in _factors(part, above=other)]


def _number(term: Term, rates: Mapping[str, float]) -> Fraction | None:
    value = rates.get(term) if isinstance(term, str) else term
    return Fraction(value) if isinstance(value, float) else None


def _choice(term: Term) -> tuple[Species, int] | None:
    """`x`, or `x − i`: the ways to choose one more when i were chosen. Words are species here."""
    if isinstance(term, str | Species):
        return (Species(term) if isinstance(term, str) else term), 0
    if not isinstance(term, Applied) or term.function != "+" or len(term.parts) != 2:
        return None
    count, less = term.parts
    chosen = less.parts[0] if isinstance(less, Applied) and less.function == "-" else None
    if not isinstance(count, str | Species) or not isinstance(chosen, float):
        return None
    alone = Species(count) if isinstance(count, str) else count
    return (alone, int(chosen)) if chosen.is_integer() and chosen > 0 else None


def _gate(term: Term, rates: Mapping[str, float]) -> tuple[Weights, int] | None:
    """The sum of a gate, and up to which value it is open; None where it is no gate."""
    if not isinstance(term, Applied) or term.function not in ("<", "<=", ">", ">="):
        return None
    low, high = term.parts if term.function[0] == "<" else reversed(term.parts)
    bound, weights = _number(high, rates), _sum(low, rates)
    if bound is None or not weights:
        return None
    most = math.floor(bound) if "=" in term.function else math.ceil(bound) - 1
    ordered = sorted(weights.items(), key=lambda pair: species_order(pair[0]))
    return tuple(ordered), most


def _sum(term: Term, rates: Mapping[str, float]) -> Counter[Species]:
    """The whole weights of a sum of species; empty where it is none."""
    if not isinstance(term, Applied):
        choice = None if _number(term, rates) is not None else _choice(term)
        return Counter([choice[0]] if choice else [])
    parts = [_sum(part, rates) for part in term.parts]
    if term.function == "+":
        return sum(parts, Counter[Species]()) if all(parts) else Counter()
    numbers = [_number(part, rates) for part in term.parts]
    if term.function != "*" or len(parts) != 2 or numbers.count(None) != 1:
        return Counter()
    (weight,) = (n for n in numbers if n is not None)
    if weight.denominator != 1 or not 0 < weight <= _LARGEST_WEIGHT:
        return Counter()
    return Counter({s: int(weight) * n for one in parts for s, n in one.items()})


def _capacities(network: Network, gates: Sequence[Gates]) -> tuple[Capacity, ...] | None:
    """The capacities of all gates; None where gates are not just what keeps within them."""
    found = []
    for weights in dict.fromkeys(weights for own in gates for weights in own):
        rises = network.changes @ Capacity(weights, 0).row(network)
        if [rise > 0 for rise in rises] != [weights in own for own in gates]:
            return None
        tops = {own[weights] + int(n) for own, n in zip(gates, rises, strict=True) if n > 0}
        if len(tops) > 1:
            return None
        found.append(Capacity(weights, tops.pop()))
    return tuple(found)


def _off_balance(structure: Structure) -> float | None:
    """How far the rates are from detailed balance, in logarithms; None where it is not rounding."""
    if not structure.complex_balanced:
        return None
    try:
        point = structure.balanced_point
    except UnsupportedError:
        return None
    network, flows = structure.network, dict[tuple[int, int], float]()
    for edge, rate in zip(network.edges, network.rate_constants.tolist(), strict=True):
        flows[edge] = flows.get(edge, 0.0) + rate
    worst, levels = 0.0, network.M.T @ point.log_c
    for (source, target), rate in flows.items():
        if (target, source) not in flows:
            return None
        both = math.log(rate) - math.log(flows[target, source])
        worst = max(worst, abs(both + float(levels[source] - levels[target])))
    return worst if worst <= point.tolerance else None
