"""SBML files as networks of covey.

A parameter that is the whole constant of a reaction wherever it is used keeps its name as a rate.
The others go into numbers everywhere, so that changing a named rate never changes only half of
what it was used for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from covey.errors import InputError
from covey.model.frozen import FrozenMap
from covey.model.io.sbml.document import import_libsbml, in_file, open_sbml
from covey.model.io.sbml.kinetic_law import KineticLawReader
from covey.model.io.sbml.polynomial import Polynomial, Symbol, print_number
from covey.model.io.sbml.reactions import Step, steps
from covey.model.io.sbml.seen import with_seen
from covey.model.io.sbml.symbols import Symbols
from covey.model.network import Network
from covey.model.rate import check_rate_constant
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import number
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.model.stoichiometry import Kinetics
from covey.model.team import MAX_COUNT


@dataclass(frozen=True)
class SbmlModel:
    """What an SBML file says.

    The amounts of species with robots in them are not read: a team says how many robots there are,
    and where they start.

    Attributes:
        network: Its reactions and rates.
        initial: How many of each plain species there are, as `Scenario(..., initial=...)` takes it.
        title: The name of the model; empty where it has none.
    """

    network: Network
    initial: FrozenMap[str, int]
    title: str


def from_sbml(
    path: str | Path,
    *,
    species: Mapping[str, object] | None = None,
    rates: Mapping[str, float] | None = None,
    kinetics: Kinetics | None = None,
    known: Iterable[str] = (),
    seen: Iterable[str] = (),
) -> SbmlModel:
    """Reads an SBML file (Level 2 or 3) whose reactions all follow mass action or other laws.

    Args:
        path: The file; one that ends in `.ant` is in Antimony.
        species: Which covey species an SBML id is.
        rates: Other values for the model's parameters.
        kinetics: By default laws hold to the letter, k·A² in powers; "falling" counts k·A·(A − 1)
            for it instead, as many simulators do.
        known: The plain species whose amounts are not wanted.
        seen: Ids of species that no reaction changes and that are to be species of the network all
            the same: held ones, and those that a rule says are sums of others.
    """
    document = open_sbml(Path(path))  # owns the model, and must outlive it
    model = document.getModel()
    try:
        symbols = Symbols(import_libsbml(), model, species or {}, rates or {})
        laws = KineticLawReader(import_libsbml(), symbols)
        found = steps(model, symbols, laws, kinetics)
        amounts = _amounts(found, symbols, set(known))
        network = _network(found, symbols, kinetics)
        network, initial = with_seen(network, amounts, symbols.shown(seen), symbols.formulas)
    except InputError as error:
        if error.key is None:  # else it is about what was given besides the file
            in_file(error, Path(path))
        raise
    return SbmlModel(network, initial, model.getName())


def _network(found: list[Step], symbols: Symbols, given: Kinetics | None) -> Network:
    if not found:
        raise InputError("the model has no reaction that ever happens: at least one is expected")
    kinetics = _kinetics(found, given)
    folded = {"kinetics", *symbols.formulas.folded}  # no rate may be called kinetics
    for step in found:
        if _name(step.constant) is None:
            folded |= step.constant.symbols()
    folded |= {name for name, value in symbols.values.items() if not value > 0}
    reactions: list[Reaction] = []
    rates: dict[str, float] = {}
    for step in found:
        try:
            if step.rate_law is not None:
                law, named = _law(step.rate_law, symbols, folded)
                rates |= named
                reactions.append(Reaction(step.reactants, step.products, law, step.name))
                continue
            rate = _rate(step, symbols)
            name = _name(step.constant)
            if name is not None and name not in folded:
                rates[name] = rate
                reactions.append(Reaction(step.reactants, step.products, name, step.name))
            else:
                reactions.append(Reaction(step.reactants, step.products, rate, step.name))
        except InputError as error:
            raise step.wrong(error) from None
    return Network(reactions, rates, kinetics)


def _kinetics(found: list[Step], given: Kinetics | None) -> Kinetics:
    by_kinetics = {step.kinetics: step for step in found}
    falling, power = by_kinetics.get("falling"), by_kinetics.get("power")
    if falling is not None and given == "power":
        raise falling.wrong(
            'its law is of the form k * A * (A - 1), and the scenario says kinetics = "power": '
            "leave that out"
        )
    if falling is not None and power is not None and given is None:
        raise power.wrong(
            "its law is of the form k * A^2, but that of "
            f"{falling.part.getId()} is of the form k * A * (A - 1): "
            'say kinetics = "falling" under [network] to mean the second for all'
        )
    return given or ("power" if power is not None else "falling")


def _name(constant: Polynomial) -> str | None:
    """The parameter that is the whole constant, if one is."""
    symbols = [s for s in constant.symbols() if constant == Polynomial.symbol(s)]
    return str(symbols[0]) if symbols else None


def _rate(step: Step, symbols: Symbols) -> float:
    try:
        return check_rate_constant(float(step.constant.value(symbols.values)), "its rate constant")
    except OverflowError:
        raise InputError("its rate constant is too large") from None


def _law(
    law: RateLaw, symbols: Symbols, folded: Container[Symbol]
) -> tuple[RateLaw, dict[str, float]]:
    """A law, and the rates that it names; parameters that are folded go into numbers."""
    plain = {str(species) for species in symbols.counted.values()}
    parameters = {word: float(symbols.values[word]) for word in law.words - plain}
    numbers = {word: number(value) for word, value in parameters.items() if word in folded}
    kept = {word: value for word, value in parameters.items() if word not in folded}
    return law.replace(numbers), kept


def _amounts(found: list[Step], symbols: Symbols, known: set[str]) -> FrozenMap[str, int]:
    """How many there are of every plain species that takes part."""
    takes_part = {s for step in found for side in (step.reactants, step.products) for s, _ in side}
    for step in found:
        if step.rate_law is not None:
            takes_part |= step.rate_law.species | {Species(word) for word in step.rate_law.words}
    amounts = {}
    for id_, species in symbols.counted.items():
        if species in takes_part and species.is_plain and str(species) not in known:
            try:
                n = symbols.formulas.number(symbols.amount(id_), "its initial amount is one")
                if n.denominator != 1 or not 0 <= n <= MAX_COUNT:
                    raise InputError(f"there are {print_number(n)} of {species}: {_WHOLE}")
            except InputError as error:
                what = f"{error.message}; give its number under [initial]"
                raise InputError(what, line=symbols.line(id_)) from None
            amounts[str(species)] = int(n)
    return FrozenMap(amounts)


_WHOLE = f"a whole number from 0 to {MAX_COUNT:,} is expected"
