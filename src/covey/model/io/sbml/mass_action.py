"""A kinetic law as mass action: c⁺ ∏ x^ρ − c⁻ ∏ x^σ, with powers or with falling powers.

The same law is written out in both bases. It is mass action in one of them if it has a single
positive term there, and at most one negative term, which is the way back of a reversible reaction.
k·A² is so in powers only, k·A·(A − 1) in falling powers only, and k·A·B in both, where the two
agree. A law of a reversible reaction can be so in both and differ: k₁·A² − k₂·A is also
k₁·A·(A − 1) − (k₂ − k₁)·A. Then the reading with the simpler constants is meant, if one is simpler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from covey.errors import InputError
from covey.model.io.sbml.polynomial import Monomial, Polynomial, Symbol
from covey.model.species import Species
from covey.model.stoichiometry import Kinetics

Powers = dict[Species, int]


@dataclass(frozen=True)
class Direction:
    """One way of a reaction: its constant, a polynomial in parameters, times powers of counts."""

    powers: Powers
    constant: Polynomial


@dataclass(frozen=True)
class MassAction:
    """Both ways of a reaction; None for one that never happens.

    `kinetics` says which powers are meant; None where it makes no difference.
    """

    forward: Direction | None
    backward: Direction | None
    kinetics: Kinetics | None

    @property
    def simplicity(self) -> int:
        """How many terms the constants have: the fewer, the simpler."""
        return sum(len(way.constant) for way in (self.forward, self.backward) if way is not None)


def mass_action(
    law: Polynomial,
    values: Mapping[Symbol, Fraction],
    *,
    reversible: bool,
    given: Kinetics | None = None,
) -> MassAction | None:
    """The law as mass action, None where it is not; `given` decides where both bases would do."""
    power = _reading(law, values, reversible, "power")
    falling = _reading(law.falling(), values, reversible, "falling")
    if power is None or falling is None:
        return power or falling
    if (power.forward, power.backward) == (falling.forward, falling.backward):
        return MassAction(power.forward, power.backward, None)
    if power.simplicity != falling.simplicity:
        return min(power, falling, key=lambda reading: reading.simplicity)
    if given is None:
        raise InputError(
            "its law can be read in powers and in falling powers: "
            'say kinetics = "power" or "falling" under [network]'
        )
    return power if given == "power" else falling


def _reading(
    law: Polynomial, values: Mapping[Symbol, Fraction], reversible: bool, kinetics: Kinetics
) -> MassAction | None:
    ways: dict[bool, Direction | None] = {True: None, False: None}
    for monomial, constant in law.by_counts().items():
        value = constant.value(values)
        if not value:
            continue
        ahead = value > 0
        if ways[ahead] is not None or not (ahead or reversible):
            return None
        if any(n < 0 for _, n in monomial):
            return None
        ways[ahead] = Direction(_powers(monomial), constant if ahead else -constant)
    return MassAction(ways[True], ways[False], kinetics)


def _powers(monomial: Monomial) -> Powers:
    return {symbol: n for symbol, n in monomial if isinstance(symbol, Species)}
