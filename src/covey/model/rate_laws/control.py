"""Control: reactions that are throttled, or let through, by what is visible now.

    pick   = "0.5 if driving >= 3"                       a factor, while it is so
    charge = { by = "idle", factors = [1, 1, 0.5, 0] }   a factor for each count, the last for more

The key names reactions, `pick'` the way back and `move_*` all whose names begin so. A rule is short
for a rate law (`law`): the rate κ ∏ x!/(x−ρ)! of a reaction becomes

    κ ∏ x!/(x−ρ)! · f(y),      f = 0.5 · (y >= 3) + (y < 3),

so that the chain stays a chain, and whatever knows rate laws knows control. Rules about the same
reaction multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from covey.errors import InputError
from covey.model.frozen import FrozenMap
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Term, applied, number, print_number, print_term
from covey.model.reaction import Reaction, called

_OTHERWISE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class ThresholdRule:
    """A factor while a comparison holds: `0.5 if driving >= 3`.

    Attributes:
        factor: What the rate is multiplied by while it holds.
        by: What is compared.
        sign: How, such as `>=`.
        threshold: With what.
        said: `by`, as it was written.
    """

    factor: float
    by: RateLaw
    sign: str
    threshold: RateLaw
    said: str = field(compare=False)

    @property
    def law(self) -> RateLaw:
        """The factor, as a function of the counts."""
        sides = self.by.term, self.threshold.term
        holds, other = applied(self.sign, *sides), applied(_OTHERWISE[self.sign], *sides)
        return RateLaw(
            applied("+", applied("*", self.factor, holds), other) if self.factor else other
        )

    @property
    def values(self) -> dict[str, float]:
        """The numbers in it, by name."""
        found = {"factor": self.factor}
        if isinstance(self.threshold.term, float):
            found["threshold"] = self.threshold.term
        return found

    def with_value(self, name: str, value: float) -> ThresholdRule:
        """The same rule with another number.

        Args:
            name: One of `values`.
            value: The number.
        """
        if name == "threshold":
            return replace(self, threshold=RateLaw(number(value)))
        return replace(self, factor=value)

    def spelled_out(self, spell: Callable[[RateLaw], RateLaw]) -> ThresholdRule:
        """The same with the sums that it names written out.

        Args:
            spell: Writes them out in a rate law.
        """
        return replace(self, by=spell(self.by), threshold=spell(self.threshold))

    def table(self) -> str:
        """As it stands in a scenario file, with its sums written out."""
        return self._text(print_term(self.by.term))

    def __str__(self) -> str:
        return self._text(self.said)

    def _text(self, by: str) -> str:
        compared = f"{by} {self.sign} {print_term(self.threshold.term)}"
        return f"{print_number(self.factor)} if {compared}"


@dataclass(frozen=True)
class StepRule:
    """A factor for each count, the last one for more: `{ by = "idle", factors = [1, 0.5, 0] }`.

    Attributes:
        by: What is counted.
        factors: What the rate is multiplied by at 0, 1, 2 …
        said: `by`, as it was written.
    """

    by: RateLaw
    factors: tuple[float, ...]
    said: str = field(compare=False)

    @property
    def law(self) -> RateLaw:
        """The factor, as a function of the counts; between whole numbers the lower one's."""
        parts, first = list[Term](), 0
        for factor, run in groupby(self.factors):
            after = first + len(list(run))
            sides: list[Term] = [applied(">=", self.by.term, float(first))] if first else []
            if after < len(self.factors):
                sides.append(applied("<", self.by.term, float(after)))
            if factor:
                parts.append(_product([factor, *sides] if factor != 1 or not sides else sides))
            first = after
        return RateLaw(applied("+", *parts) if len(parts) > 1 else parts[0] if parts else 0.0)

    @property
    def values(self) -> dict[str, float]:
        """The numbers in it, by name."""
        return {f"factors.{i}": factor for i, factor in enumerate(self.factors)}

    def with_value(self, name: str, value: float) -> StepRule:
        """The same rule with another number.

        Args:
            name: One of `values`.
            value: The number.
        """
        place = int(name.partition(".")[2])
        factors = (*self.factors[:place], value, *self.factors[place + 1 :])
        return replace(self, factors=factors)

    def spelled_out(self, spell: Callable[[RateLaw], RateLaw]) -> StepRule:
        """The same with the sums that it names written out.

        Args:
            spell: Writes them out in a rate law.
        """
        return replace(self, by=spell(self.by))

    def table(self) -> dict[str, Any]:
        """As it stands in a scenario file, with its sums written out."""
        return {"by": print_term(self.by.term), "factors": list(self.factors)}

    def __str__(self) -> str:
        factors = ", ".join(map(print_number, self.factors))
        return f"[{factors}] by {self.said}"


Rule = ThresholdRule | StepRule
Rules = FrozenMap[str, Rule]


def controlled(
    reactions: Sequence[Reaction], rules: Rules, kinetics: str, rates: Mapping[str, float]
) -> list[Reaction]:
    """The reactions with rate laws that say what the rules say."""
    found = list(reactions)
    for name, rule in rules.items():
        try:
            for i in called(name, reactions):
                term = _product([rate_term(found[i], kinetics, rates), rule.law.term])
                one = found[i]
                found[i] = Reaction(one.reactants, one.products, RateLaw(term), one.name)
        except InputError as error:
            raise error.at(key=f"control.{name}") from None
    return found


def rate_term(reaction: Reaction, kinetics: str, rates: Mapping[str, float]) -> Term:
    """The whole rate of a reaction, as a rate law writes it."""
    if isinstance(reaction.rate, RateLaw):
        return reaction.rate.term
    parts: list[Term] = [reaction.rate]
    if reaction.times > 1:
        parts.insert(0, float(reaction.times))
    for species, times in reaction.reactants:
        if species.is_plain and str(species) in rates:
            raise InputError(
                f"{species} is a rate and a species: give one of them another name, so that the "
                f"rate law of {reaction.arrow} can be written"
            )
        count: Term = str(species) if species.is_plain else species
        if kinetics == "falling":
            parts += [
                applied("+", count, applied("-", float(i))) if i else count for i in range(times)
            ]
        else:
            parts.append(applied("^", count, float(times)) if times > 1 else count)
            if times > 1:  # the power law alone would let it take more than there is
                parts.append(applied(">=", count, float(times)))
    return _product(parts)


def _product(parts: Iterable[Term]) -> Term:
    listed = list(parts)
    return applied("*", *listed) if len(listed) > 1 else listed[0]
