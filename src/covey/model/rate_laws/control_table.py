"""The table [control] of a scenario: how its rules are read, and changed by a dotted name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from covey.errors import InputError, did_you_mean, shown
from covey.model.rate_laws.control import Rule, Rules, StepRule, ThresholdRule
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import COMPARISONS, Applied, print_term
from covey.model.rate_laws.words import RateLawWords
from covey.numbers import finite_number, number_of

MAX_FACTORS = 200
_RULE = re.compile(r"\s*(?P<factor>\S+)\s+if\s+(?P<condition>.*\S)\s*", re.DOTALL)
_EXPECTED = (
    'a factor and a condition are expected, as "0.5 if driving >= 3", or a factor for each count, '
    'as { by = "idle", factors = [1, 1, 0.5, 0] }'
)


def read_control(control: Mapping[str, object], words: RateLawWords) -> Rules:
    """The rules of a table [control]; errors carry the dotted name as `key`."""
    found: dict[str, Rule] = {}
    for name, value in control.items():
        try:
            rule = value if isinstance(value, ThresholdRule | StepRule) else _parse(value)
            found[name] = rule.spelled_out(words.spelled_out)
        except InputError as error:
            raise _at(name, error) from None
    return Rules(found)


def with_part(rule: Rule | None, name: str, value: object) -> Rule:
    """A rule with another number, by its dotted name: pick.factor, charge.factors.2."""
    own, _, part = name.partition(".")
    if rule is None:
        raise InputError(f"[control] has no {shown(own)} to change", key=f"control.{own}")
    if part not in rule.values:
        hint = did_you_mean(part, rule.values) or f" Known: {', '.join(rule.values)}."
        raise InputError(
            f"control.{own} has no {shown(part)} to change.{hint}", key=f"control.{own}"
        )
    try:
        number = (
            finite_number(value, "the threshold", "a finite number")
            if part == "threshold"
            else _factor(value)
        )
    except InputError as error:
        raise _at(name, error) from None
    return rule.with_value(part, number)


def _at(name: str, error: InputError) -> InputError:
    return InputError(f"control.{name}: {error.message}", key=f"control.{name}")


def _parse(value: object) -> Rule:
    if isinstance(value, str):
        match = _RULE.fullmatch(value)
        if match is None:
            raise InputError(f"{shown(value)} is no rule: {_EXPECTED}")
        factor = number_of(match["factor"])
        if factor is None:
            raise InputError(f"{shown(match['factor'])} is no factor: {_EXPECTED}")
        term = RateLaw.parse(match["condition"]).term
        if not isinstance(term, Applied) or term.function not in COMPARISONS:
            raise InputError(
                f"{shown(match['condition'])} is no condition: a comparison is expected, as "
                "driving >= 3"
            )
        left, right = term.parts
        compared = term.function, RateLaw(right), print_term(left)
        return ThresholdRule(_factor(factor), RateLaw(left), *compared)
    if not isinstance(value, Mapping):
        raise InputError(f"{shown(value)} is no rule: {_EXPECTED}")
    if value.keys() != {"by", "factors"}:
        raise InputError(f"{', '.join(map(shown, value)) or 'nothing'} is there: {_EXPECTED}")
    by, factors = value["by"], value["factors"]
    if not isinstance(by, str):
        raise InputError(f"by is {shown(by)}: an observed sum or species is expected")
    if not isinstance(factors, list | tuple) or not 1 <= len(factors) <= MAX_FACTORS:
        raise InputError(f"factors is {shown(factors)}: a list of 1 to {MAX_FACTORS} is expected")
    counted = RateLaw.parse(by)
    return StepRule(counted, tuple(map(_factor, factors)), print_term(counted.term))


def _factor(value: object) -> float:
    return finite_number(value, "the factor", "a finite number from 0 on", least=0)
