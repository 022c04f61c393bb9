"""What the names in an SBML model's formulas mean.

The symbol of a species is its concentration, amount / size of its compartment, unless it has only
substance units or its compartment has no dimensions: then it is the amount. Species with a
boundary condition, or declared constant, are held: no reaction changes them, so they are numbers.
A species with an assignment rule is always what that says.
A parameter is a symbol of its own; one with an assignment rule or an initial assignment means
that formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from covey.errors import InputError, did_you_mean
from covey.model.io.identifiers import one_line
from covey.model.io.sbml.formula import Formulas
from covey.model.io.sbml.names import name_local, name_parameters, name_species
from covey.model.io.sbml.polynomial import Polynomial, Symbol
from covey.model.rate import check_rate_constant
from covey.model.species import Species


class Symbols:
    """The names of one model; `formulas` reads its formulas with them.

    `counted` are the species that reactions can change, by their ids; `values` the numbers of the
    parameters, by covey's names for them, where `rates` goes before the model.
    """

    def __init__(
        self, libsbml: Any, model: Any, species: Mapping[str, object], rates: Mapping[str, float]
    ) -> None:
        self._species = _by_id(model.getListOfSpecies())
        self._compartments = _by_id(model.getListOfCompartments())
        self._rules = {rule.getVariable(): rule for rule in model.getListOfRules()}
        self._starts = {start.getSymbol(): start for start in model.getListOfInitialAssignments()}
        self._check_starts(_by_id(model.getListOfParameters()))
        movable = [
            part
            for part in self._species.values()
            if not _is_held(part) and part.getId() not in self._rules
        ]
        self.counted = name_species(movable, species)

        self.values: dict[Symbol, Fraction] = {}
        self._parameters = name_parameters(model.getListOfParameters())
        self._names = set(self._parameters.values())
        for parameter in model.getListOfParameters():
            self._read_value(parameter, self._parameters[parameter.getId()])
        self._locals = {r.getId(): self._read_locals(r) for r in model.getListOfReactions()}
        self._given = self._read_given(rates)
        self.values |= self._given
        functions = _by_id(model.getListOfFunctionDefinitions())
        self.formulas = Formulas(libsbml, functions, self._define, self.values)

    def law(self, reaction: Any) -> Polynomial:
        """The kinetic law of a reaction."""
        if reaction.getKineticLaw() is None:
            raise InputError("it has no kinetic law: a rate is needed")
        return self.formulas.polynomial(reaction.getKineticLaw().getMath(), self.local(reaction))

    def local(self, reaction: Any) -> dict[str, Polynomial]:
        """What the parameters mean that belong to one reaction, by their ids."""
        return {id_: self._symbol(id_, n) for id_, n in self._locals[reaction.getId()].items()}

    def rule(self, id_: str) -> Any:
        """The formula of the rule that says what a name always is; None where there is none."""
        given = self._parameters.get(id_) in self._given
        return self._rules[id_].getMath() if id_ in self._rules and not given else None

    def shown(self, ids: Iterable[str]) -> tuple[dict[str, Polynomial], dict[str, Polynomial]]:
        """Of these, the species that no reaction changes: those that are held, and by rules.

        The amount of each.
        """
        others = [id_ for id_ in ids if id_ in self._species and id_ not in self.counted]
        ruled = {id_: self._ruled(id_) for id_ in others if id_ in self._rules}
        return {id_: self.amount(id_) for id_ in others if id_ not in ruled}, ruled

    def _ruled(self, id_: str) -> Polynomial:
        amount = self.formulas.name(id_) * self._scale(self._species[id_])
        for monomial, c in amount.terms.items():
            counts = [n for s, n in monomial if isinstance(s, Species)]
            if len(monomial) > 1 or counts not in ([], [1]) or c.denominator != 1 or c < 0:
                raise InputError(
                    f"the rule for {id_} is no sum of counts, each taken a whole number of times: "
                    "such a species cannot be observed",
                    line=self.line(id_),
                )
        return amount

    def amount(self, id_: str) -> Polynomial:
        """How much there is of a species at the start."""
        part = self._species[id_]
        if id_ in self._starts:
            return self._start(id_) * self._scale(part)
        if part.isSetInitialAmount():
            return _number(part.getInitialAmount(), f"the initial amount of {id_}")
        if part.isSetInitialConcentration():
            value = _number(part.getInitialConcentration(), f"the initial concentration of {id_}")
            return value * self.formulas.name(part.getCompartment())
        raise InputError(f"the species {id_} has no initial amount")

    def has_species(self, id_: str) -> bool:
        """Whether the model has a species with this id, held or not."""
        return id_ in self._species

    def line(self, id_: str) -> int | None:
        """Where a species is declared."""
        return self._species[id_].getLine() or None

    def _define(self, id_: str) -> Polynomial:
        if id_ in self._species and id_ not in self._rules:
            held = id_ not in self.counted
            amount = self.amount(id_) if held else Polynomial.symbol(self.counted[id_])
            return self.formulas.divide(amount, self._scale(self._species[id_]))
        if self._parameters.get(id_) in self._given:
            return Polynomial.symbol(self._parameters[id_])
        if id_ in self._rules:
            return self.formulas.polynomial(self._rules[id_].getMath())
        if id_ in self._starts:
            return self._start(id_)
        if id_ in self._compartments:
            part = self._compartments[id_]
            if not part.isSetSize():
                raise InputError(f"the compartment {id_} has no size")
            return _number(part.getSize(), f"the size of {id_}")
        return self._symbol(id_, self._parameters.get(id_, id_))

    def _start(self, id_: str) -> Polynomial:
        """The value of an initial assignment."""
        found = self.formulas.polynomial(self._starts[id_].getMath())
        if any(isinstance(symbol, Species) for symbol in found.symbols()):
            raise InputError(f"the initial assignment of {id_} has species in it: write a number")
        return found

    def _scale(self, part: Any) -> Polynomial:
        """The factor from the symbol of a species to its amount."""
        compartment = self._compartments.get(part.getCompartment())
        if compartment is None:
            raise InputError(f"the species {part.getId()} is in no compartment of the model")
        if part.getHasOnlySubstanceUnits() or compartment.getSpatialDimensionsAsDouble() == 0:
            return Polynomial.number(1)
        return self.formulas.name(compartment.getId())

    def _symbol(self, id_: str, name: str) -> Polynomial:
        if name not in self.values:
            what = one_line(id_[:40]) or "an empty name"
            raise InputError(f"{what} in its formula is nothing that has a finite value")
        return Polynomial.symbol(name)

    def _read_value(self, parameter: Any, name: str) -> None:
        if parameter.isSetValue() and math.isfinite(parameter.getValue()):
            self.values[name] = Fraction(parameter.getValue())

    def _read_locals(self, reaction: Any) -> dict[str, str]:
        """For the parameters of one reaction's own, from their ids to covey's names."""
        law, names = reaction.getKineticLaw(), {}
        for i in range(law.getNumParameters() if law is not None else 0):
            parameter = law.getParameter(i)
            name = name_local(reaction.getId(), parameter.getId(), self._names)
            self._names.add(name)
            self._read_value(parameter, name)
            names[parameter.getId()] = name
        return names

    def _read_given(self, rates: Mapping[str, float]) -> dict[Symbol, Fraction]:
        """The rates that the scenario gives other values than the model."""
        for name in rates:
            if name not in self._names:
                raise InputError(
                    f"rates.{name[:40]}: the SBML model has no parameter of this name."
                    + did_you_mean(name, self._names),
                    key=f"rates.{name}",
                )
        return {
            name: Fraction(check_rate_constant(value, f"rates.{name}"))
            for name, value in rates.items()
        }

    def _check_starts(self, parameters: Mapping[str, Any]) -> None:
        for id_, start in self._starts.items():
            if not (id_ in parameters or id_ in self._species or id_ in self._compartments):
                raise InputError(
                    f"there is an initial assignment for {id_[:40]}: only species, parameters and "
                    "compartments may have one",
                    line=start.getLine() or None,
                )


def _by_id(parts: Iterable[Any]) -> dict[str, Any]:
    return {part.getId(): part for part in parts}


def _is_held(part: Any) -> bool:
    return bool(part.getBoundaryCondition() or part.getConstant())


def _number(value: float, what: str) -> Polynomial:
    if not math.isfinite(value):
        raise InputError(f"{what} is {value}: a finite number is expected")
    return Polynomial.number(Fraction(value))
