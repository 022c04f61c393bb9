"""The reactions of an SBML model as steps: by mass action where they are, else by their own laws.

Every kinetic law is multiplied out exactly. Mass action is a constant times the counts of the
reactants. A species in such a law that the reaction does not consume is a catalyst, and stands on
both sides. A law with a negative term belongs to a reversible reaction, which takes two steps. A
reaction whose law is zero takes none. Any other law is kept as it is written; of a reversible
reaction what it subtracts is the way back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from covey.errors import InputError
from covey.model.complex import Complex
from covey.model.io.identifiers import one_line
from covey.model.io.sbml.formula import NotPolynomialError
from covey.model.io.sbml.kinetic_law import KineticLawReader, split
from covey.model.io.sbml.mass_action import Direction, MassAction, mass_action
from covey.model.io.sbml.polynomial import Polynomial
from covey.model.io.sbml.symbols import Symbols
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.reaction import is_name, name_back
from covey.model.species import Species
from covey.model.stoichiometry import Kinetics


@dataclass(frozen=True)
class Step:
    """One direction of an SBML reaction; its constant is a polynomial in parameters.

    `kinetics` says whether its law is in powers or in falling powers, None where they agree. `name`
    is that of the reaction where it can be one here, with a ' for the way back. Where it is not
    mass action `rate_law` is the whole rate, and the constant is 1.
    """

    reactants: Complex
    products: Complex
    constant: Polynomial
    kinetics: Kinetics | None
    part: Any
    name: str
    rate_law: RateLaw | None = None

    def wrong(self, error: InputError | str) -> InputError:
        """An error about this step, which names its reaction and line."""
        return _about(self.part, error)


def steps(
    model: Any, symbols: Symbols, laws: KineticLawReader, given: Kinetics | None
) -> list[Step]:
    """All steps of all reactions, in order; `given` is the kinetics that the scenario says."""
    found: list[Step] = []
    for part in model.getListOfReactions():
        try:
            found += _steps(part, symbols, laws, given)
        except InputError as error:
            raise _about(part, error) from None
    return found


def _steps(
    part: Any, symbols: Symbols, laws: KineticLawReader, given: Kinetics | None
) -> Iterator[Step]:
    consumed = _side(part.getListOfReactants(), symbols)
    produced = _side(part.getListOfProducts(), symbols)
    try:
        law = mass_action(
            symbols.law(part), symbols.values, reversible=part.getReversible(), given=given
        )
    except NotPolynomialError:
        law = None
    name = part.getName() if is_name(part.getName()) else ""
    if law is None:
        yield from _by_rate_law(part, laws, consumed, produced, name)
        return
    if law.backward is not None and name.endswith("'"):  # its way back could have no name
        name = ""
    ways = (
        (law.forward, consumed, produced, name),
        (law.backward, produced, consumed, name_back(name)),
    )
    for way, before, after, called in ways:
        if way is not None and (before or after or way.powers):
            yield _step(part, law, way, before, after, called)


def _by_rate_law(
    part: Any,
    laws: KineticLawReader,
    consumed: Counter[Species],
    produced: Counter[Species],
    name: str,
) -> Iterator[Step]:
    """The steps of a law that is not mass action: one, or two where something is subtracted."""
    whole = laws.law(part)
    ahead, back = split(whole) if part.getReversible() else (whole, None)
    one, before, after = Polynomial.number(1), _complex(consumed), _complex(produced)
    if consumed or produced:
        name = "" if back is not None and name.endswith("'") else name
        yield Step(before, after, one, None, part, name, ahead)
        if back is not None:
            yield Step(after, before, one, None, part, name_back(name), back)


def _step(
    part: Any,
    law: MassAction,
    way: Direction,
    before: Counter[Species],
    after: Counter[Species],
    name: str,
) -> Step:
    powers = Counter(way.powers)
    for species, n in before.items():
        if powers[species] < n:
            raise InputError(
                f"it takes {n} {species}, but its law has the power {powers[species]} of it: "
                "for mass action they must agree"
            )
    catalysts = powers - before
    products = _complex(after + catalysts)
    return Step(_complex(powers), products, way.constant, law.kinetics, part, name)


def _side(references: Iterable[Any], symbols: Symbols) -> Counter[Species]:
    """How many of each counted species stand on one side of a reaction."""
    total: Counter[Species] = Counter()
    for reference in references:
        id_, n = reference.getSpecies(), float(reference.getStoichiometry())
        if not symbols.has_species(id_):
            raise InputError(f"{one_line(id_[:40])} is no species of the model")
        if reference.isSetStoichiometryMath() or not n.is_integer() or n < 1:
            raise InputError(f"the stoichiometry of {id_} is not a whole number, 1 or more")
        if id_ in symbols.counted:
            total[symbols.counted[id_]] += int(n)
    return total


def _complex(counts: Counter[Species]) -> Complex:
    return Complex(tuple(counts.items()))


def _about(part: Any, error: InputError | str) -> InputError:
    name = one_line(part.getName()[:60])
    called = f"{part.getId()} ({name})" if name and name != part.getId() else part.getId()
    message = error.message if isinstance(error, InputError) else error
    return InputError(f"reaction {called}: {message}", line=part.getLine() or None)
