"""What a design may change, and within which range.

    rates.meet=0.1:2               one rate
    rates.a,rates.b=0.1:2          the same value for both
    rates.a,rates.b=x0.5:x2        one factor for both
    rates.*=0.1:2                  every rate by itself
    types.carrier=4:7              how many there are; also resources.dock=1:4
    control.pick.factor=0:1        a factor of [control]; also control.charge.factors.2=0:1
    control.pick.threshold=1:4     a threshold of [control]
    observe=a, b|a + b, c|a        what is published of [observe]; observe=* for every way to
    release.epsilon=0.5|1|none     through a mechanism that gives away so much; none: the truth

Rates move on a logarithmic scale, and factors of control, which may be 0, on a plain one. Counts
and thresholds are whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from covey.errors import InputError, shown
from covey.model.scenario import Scenario
from covey.model.varied import EPSILON, OBSERVE, Span, names_in, read_range
from covey.numbers import to_float
from covey.remedy.design.evaluation import TRUTH, Setting
from covey.remedy.design.publishing import Coarsening, every_coarsening

Range = tuple[float, float] | Span

COUNTED = ("types", "resources", "initial")  # tables of whole numbers
_AT_END = 1e-14  # relative


@dataclass(frozen=True)
class Variable:
    """One number of a design.

    Attributes:
        names: The dotted names that it sets.
        low: The least that it may be.
        high: The most.
        kind: A "rate", a "factor" on all of them, a "throttle" of [control], a "count", or a
            "choice" of what is published.
        listed: What a choice is between.
    """

    names: tuple[str, ...]
    low: float
    high: float
    kind: Literal["rate", "factor", "throttle", "count", "choice"]
    listed: tuple[Setting, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether it moves in steps as small as one likes."""
        return self.kind not in ("count", "choice")

    @property
    def options(self) -> Sequence[Setting]:
        """What one that does not move can be."""
        return self.listed or range(round(self.low), round(self.high) + 1)

    @property
    def count(self) -> int:
        """How many options there are: of a wide range too many to be listed."""
        return len(self.listed) or round(self.high) - round(self.low) + 1

    def allows(self, scenario: Scenario) -> bool:
        """Whether what is there now is something that it could be."""
        if self.kind == "choice":
            return said_now(scenario, self.names[0]) in self.listed
        if self.kind == "factor":
            return self.low <= 1 <= self.high
        own = {scenario.numbers[name] for name in self.names}
        return len(own) == 1 and self.low <= min(own) <= self.high

    def away(self, scenario: Scenario, option: Setting) -> float:
        """How far an option is from what is there now; of what is listed, the first is nearest."""
        if self.kind == "choice":
            return self.listed.index(option)
        return abs(float(option) - scenario.numbers[self.names[0]])

    @property
    def name(self) -> str:
        """What it is called."""
        return ",".join(self.names)

    def place(self, value: float) -> float:
        """Where a value is on the scale on which a search moves."""
        return value if self.kind == "throttle" else math.log(value)

    def at(self, place: float) -> float:
        """The value at a place, brought into the range; what rounding keeps from an end is it."""
        value = place if self.kind == "throttle" else math.exp(place)
        for end in (self.low, self.high):
            if math.isclose(value, end, rel_tol=_AT_END):
                return end
        return min(max(value, self.low), self.high)

    def now(self, scenario: Scenario) -> float:
        """Where a search begins: what it is now, brought into the range."""
        if self.kind == "factor":
            value = 1.0
        else:
            own = [scenario.numbers[name] for name in self.names]
            value = own[0]
            if self.kind == "rate":
                value = math.exp(sum(map(math.log, own)) / len(own))
            elif self.kind == "throttle":
                value = sum(own) / len(own)
        return min(max(value, self.low), self.high)

    def settings(self, scenario: Scenario, value: float) -> dict[str, float | int]:
        """The dotted names that change, and to what."""
        if self.kind == "factor":
            return {name: scenario.numbers[name] * value for name in self.names}
        return dict.fromkeys(self.names, round(value) if self.kind == "count" else float(value))


def read_variables(vary: Mapping[str, Range] | Iterable[str], scenario: Scenario) -> list[Variable]:
    """The variables that are asked for, checked against the scenario."""
    if isinstance(vary, str):
        vary = [vary]
    items = list(vary.items()) if isinstance(vary, Mapping) else [_split(text) for text in vary]
    found = [variable for names, span in items for variable in _read(names, span, scenario)]
    if not found:
        raise InputError("nothing may change: say what, such as rates.meet=0.1:2")
    seen: set[str] = set()
    for variable in found:
        for name in variable.names:
            if name in seen:
                raise InputError(f"{name} is varied twice: once is expected")
            seen.add(name)
    return found


def _split(text: str) -> tuple[str, str]:
    names, equals, span = text.partition("=")
    if not equals:
        raise InputError(f"{shown(text)}: a name and a range are expected, as rates.meet=0.1:2")
    return names, span


def _read(names: str, span: object, scenario: Scenario) -> list[Variable]:
    if names.strip() in (OBSERVE, EPSILON):
        return [_choice(names.strip(), span, scenario)]
    low, high, factor = read_range(names, span)
    found = names_in(names, scenario.numbers)
    together = [(name,) for name in found] if "," not in names else [tuple(found)]
    return [_checked(each, low, high, factor) for each in together]


def _choice(name: str, given: object, scenario: Scenario) -> Variable:
    """What may be published."""
    if isinstance(given, str):
        texts = [part.strip() for part in given.split("|")]
    elif isinstance(given, list | tuple):
        texts = [str(part) for part in given]
    else:
        texts = []
    listed: list[Setting] = []
    for text in every_coarsening(scenario) if (name, texts) == (OBSERVE, ["*"]) else texts:
        if name == OBSERVE:
            listed.append(str(Coarsening.parse(text, scenario)))
        else:
            listed.append(text if text == TRUTH else _epsilon(text))
    if not listed or len(set(listed)) < len(listed):
        raise InputError(f"{name}={shown(given)}: what is wanted is expected, each once, with |")
    return Variable((name,), 0.0, 0.0, "choice", tuple(listed))


def _epsilon(text: str) -> float:
    value = to_float(text)
    if not 0 < value < math.inf:
        raise InputError(
            f"{EPSILON}={shown(text)}: numbers above 0 are expected, as 0.5|1, or {TRUTH}"
        )
    return value


def _checked(names: tuple[str, ...], low: float, high: float, factor: bool) -> Variable:
    tables = {name.partition(".")[0] for name in names}
    whole = [name.startswith("control.") and name.endswith(".threshold") for name in names]
    if tables <= set(COUNTED) or all(whole):
        if factor or low != int(low) or high != int(high) or len(names) > 1:
            raise InputError(
                f"{','.join(names)}: a range of whole numbers for one name is expected"
            )
        return Variable(names, low, high, "count")
    if tables == {"control"} and not factor and not any(whole):
        return Variable(names, low, high, "throttle")
    if tables != {"rates"}:
        raise InputError(
            f"{','.join(names)} cannot be varied together: rates, factors of control, or one "
            "count can"
        )
    if low <= 0:
        raise InputError(f"{','.join(names)}: rates are positive, and so is the least of a range")
    return Variable(names, low, high, "factor" if factor else "rate")


def said_now(scenario: Scenario, name: str) -> Setting:
    """What anything that may vary is now."""
    if name == OBSERVE:
        return ", ".join(scenario.query.groups(scenario.network))
    if name == EPSILON:
        table = scenario.release.mechanism
        return TRUTH if table is None else table.epsilon
    return scenario.numbers[name]
