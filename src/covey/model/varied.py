"""The numbers of a scenario that may be chosen: their dotted names, and the ranges they may have.

    [design]
    vary = { "rates.meet" = [0.1, 2], "types.carrier" = [4, 7], "rates.*_low" = "x0.5:x2" }

says what is the user's to choose. A name, or several with commas or `*`, has a least and a most, as
a list or as a text of `covey design --vary`; `observe` and `release.epsilon` have what they are
chosen from. Without it nobody knows which rates somebody could change.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from covey.errors import InputError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.team import Team
from covey.numbers import to_float

Span = str | tuple[float | str, ...]
OBSERVE, EPSILON = "observe", "release.epsilon"  # what is published, and through which mechanism

_NUMBER = r"[0-9.][0-9.eE+-]*"
_RANGE = re.compile(rf"(?P<x>x?)(?P<low>{_NUMBER}):(?P=x)(?P<high>{_NUMBER})")


def read_vary(vary: object) -> FrozenMap[str, Span]:
    """The table as values that cannot change; what it names is checked with the whole scenario."""
    if not isinstance(vary, Mapping):
        raise InputError(
            f"design.vary is {shown(vary)}: names with their ranges are expected, as "
            '{ "rates.meet" = [0.1, 2] }',
            key="design.vary",
        )
    return FrozenMap({names: _span(names, span) for names, span in vary.items()})


def _span(names: str, span: object) -> Span:
    plain = isinstance(span, list | tuple) and all(
        isinstance(part, int | float | str) and not isinstance(part, bool) for part in span
    )
    if not isinstance(span, str) and not plain:
        raise InputError(
            f"design.vary has {shown(span)} for {names}: the least and the most are expected, as "
            "[0.1, 2]",
            key=f"design.vary.{names}",
        )
    return span if isinstance(span, str) else tuple(span)  # type: ignore[arg-type]


def table_of(vary: Mapping[str, Span]) -> dict[str, str | list[float | str]]:
    """The same as a scenario file has it."""
    return {name: span if isinstance(span, str) else list(span) for name, span in vary.items()}


def check_vary(vary: Mapping[str, Span], numbers: Mapping[str, float]) -> None:
    """Refuses names that none of the numbers has, and what is no range."""
    for names, span in vary.items():
        if names.strip() in (OBSERVE, EPSILON):
            continue
        try:
            read_range(names, span)
            names_in(names, numbers)
        except InputError as error:
            raise InputError(error.message, key=f"design.vary.{names}") from None


def read_range(names: str, span: object) -> tuple[float, float, bool]:
    """The least, the most, and whether both are factors on what is there now."""
    factor = False
    if isinstance(span, str):
        match = _RANGE.fullmatch(span.strip())
        low, high = (to_float(match["low"]), to_float(match["high"])) if match else (0.0, 0.0)
        factor = bool(match and match["x"])
    else:
        try:
            low, high = (to_float(end) for end in span)  # type: ignore[attr-defined]
        except (TypeError, ValueError):  # no two of them
            low = high = 0.0
    if not 0 <= low < high < math.inf:
        raise InputError(
            f"{names}: {shown(span)} is no range: the least and the most are expected, as 0.1:2"
        )
    return low, high, factor


def numbers_of(network: Network, team: Team, initial: Mapping[str, object]) -> dict[str, float]:
    """The numbers of a scenario, by their dotted names."""
    rules = network.control.items()
    tables: dict[str, Mapping[str, float]] = {
        "rates": network.rates,
        "types": team.types,
        "resources": team.resources,
        "initial": {name: place for name, place in initial.items() if isinstance(place, int)},
        "control": {
            f"{of}.{own}": value for of, rule in rules for own, value in rule.values.items()
        },
    }
    return {
        f"{of}.{own}": float(value) for of, table in tables.items() for own, value in table.items()
    }


def names_in(names: str, numbers: Mapping[str, float]) -> list[str]:
    """The dotted names in a list with commas, or those that a pattern stands for."""
    parts = [part.strip() for part in names.split(",")]
    if len(parts) > 1 or "*" not in parts[0]:
        for name in parts:
            value_of(numbers, name)
        return parts
    known = [name for name in numbers if not name.startswith("initial.")]
    found = [name for name in known if fnmatchcase(name, parts[0])]
    if not found:
        raise InputError(f"nothing is called {shown(parts[0])}." + did_you_mean(parts[0], known))
    return found


def value_of(numbers: Mapping[str, float], name: str) -> float:
    """What a number is now, by its dotted name."""
    if name not in numbers:
        full = next((one for one in numbers if one.partition(".")[2] == name), name)
        raise InputError(f"there is no {shown(name)} to vary." + did_you_mean(full, list(numbers)))
    return numbers[name]
