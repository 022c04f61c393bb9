"""Moments, observations, numbers and odds, as results say them in a sentence.

A number is rounded to the nearest, unless it is a bound: "at most" rounds up and "at least" down,
so that what is read is as true as what was computed (`rounded`). A leakage of less than NOTHING,
or a guess that is so near to a half or to certainty, is rounding itself, and not shown.
"""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Mapping
from typing import Literal

THIS_TEAM = "this team"  # in sentences
NOTHING = 1e-10  # less leakage than this is rounding

Way = Literal["nearest", "up", "down"]  # how a number is rounded: up and down where it is a bound
_ROUNDING = {
    "nearest": decimal.ROUND_HALF_EVEN,
    "up": decimal.ROUND_CEILING,
    "down": decimal.ROUND_FLOOR,
}
LARGEST = 700.0  # e to the power of more is no number any more


def rounded(value: float, spec: str, way: Way = "nearest") -> str:
    """A number as `format` writes it: `.3g`, `.1f`, `.1e`, or in percent, `.1%` and `.3g%`.

    With "up" what is read back is never below the value, with "down" never above.
    """
    share = spec.endswith("%")
    plain = spec.removesuffix("%")
    plain += "f" if share and plain[-1].isdigit() else ""
    exact = decimal.Decimal(repr(float(value)))  # the shortest text that is read back as it
    with decimal.localcontext() as context:
        context.rounding = _ROUNDING[way]
        kept = float(format(exact.scaleb(2) if share else exact, plain))
    return format(kept, plain) + "%" * share


def plain(value: float) -> str:
    """A number as people write it: `0.5`, `1e-6`."""
    return re.sub(r"e([+-])0+", r"e\1", f"{value:g}").replace("e+", "e")


def format_number(value: float, spec: str) -> str:
    """A number as `format` writes it; `∞` where it has no end."""
    return "∞" if value == math.inf else format(value, spec)


def when(at: float | str, unit: str | None = None) -> str:
    """`at steady state`, `at time 10`, or `at minute 10` where the unit of time is known."""
    return "at steady state" if at == "steady" else f"at {unit or 'time'} {at:g}"


def lasting(time: float, unit: str | None = None) -> str:
    """How long: `33.3 minutes`, `1 minute`; `5 time units` where the unit is not known."""
    text = f"{time:,.0f}" if 1000 <= time < 1e9 else f"{time:.3g}"
    return f"{text} {unit or 'time unit'}{'' if text == '1' else 's'}"


def each(time: float, unit: str | None = None) -> str:
    """How often: `every minute`, `every 33.3 minutes`."""
    return f"every {lasting(time, unit).removeprefix('1 ')}"


def in_units(what: str, unit: str | None) -> str:
    """The name of an axis or a column that holds times: `time in minutes`."""
    return what if unit is None else f"{what} in {unit}s"


def a_or_an(name: str) -> str:
    """`a carrier`, `an inspector`."""
    vowel = name in "AEFHILMNORSX" if len(name) == 1 and name.isupper() else name[:1] in "aeio"
    return f"{'an' if vowel else 'a'} {name}"


def many(count: int, name: str) -> str:
    """So many robots of a type: `6 carriers`, `1 carrier`, `2 A`, `213 of type 1`, `3 × uav_2`.

    Names are the user's: only a plain lower-case word is put into the plural. Capitals are read as
    symbols, as chemists write them; what else is no word stands behind a multiplication sign.
    """
    if name.isdecimal():
        return f"{count:,} of type {name}"
    if name.isascii() and name.isalpha() and name.islower() and len(name) > 2:
        return f"{count:,} {name if count == 1 else _plural(name)}"
    return f"{count:,} {name}" if name.isupper() else f"{count:,} × {name}"


def _plural(word: str) -> str:
    if re.search("([sxz]|[cs]h)$", word):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search("[^aeiou]y$", word) else f"{word}s"


def shown(observation: Mapping[str, int]) -> str:
    """`{free: 2, busy: 1}`."""
    return "{" + ", ".join(f"{name}: {count}" for name, count in observation.items()) + "}"


def counts(observation: Mapping[str, int]) -> str:
    """`free 2, busy 1`."""
    return ", ".join(f"{name} {count}" for name, count in observation.items())


def odds(leakage: float, way: Way = "nearest") -> str:
    """The factor on the odds, e to the leakage: `1.8`, `1.0015`, `1,070`, `∞`."""
    if leakage == math.inf:
        return "∞"
    if leakage > LARGEST:
        return f"e^{rounded(leakage, '.4g', way)}"
    if leakage < NOTHING:
        return "1"
    if leakage < 0.09:  # what is above 1 is what counts
        return f"{1 + float(rounded(math.expm1(leakage), '.2g', way)):.12g}"
    factor = float(rounded(math.exp(leakage), ".3g", way))
    return f"{factor:,.0f}" if 1000 <= factor < 1e6 else f"{factor:.3g}"


def certainty(interval: tuple[float, float]) -> str:
    """What is certain of a leakage: `the leakage is certain to within 3e-13`."""
    low, high = interval
    if math.isinf(low):
        return "it is certain that the leakage is infinite"
    least, most = rounded(low, ".8g", "down"), rounded(high, ".8g", "up")
    if math.isinf(high):
        return f"the leakage is certainly at least {least}; from above it is not bounded"
    if rounded(low, ".8g") == rounded(high, ".8g"):
        return f"the leakage is certain to within {rounded(high - low, '.1g', 'up')}"
    return f"the leakage is certainly between {least} and {most}"


def number(leakage: float, way: Way = "nearest") -> str:
    """`0.588`; what is nothing but rounding is 0."""
    if math.isinf(leakage):
        return "∞"
    return "0" if leakage < NOTHING else rounded(leakage, ".3g", way)


def chance(log_probability: float) -> str:
    """`0.0222`, `5.1e-24`; also where the probability is too small for a number."""
    if not -math.inf < log_probability < -700:
        return f"{math.exp(log_probability):.3g}"
    tens = math.floor(log_probability / math.log(10))
    return f"{math.exp(log_probability - tens * math.log(10)):.2f}e{tens}"


def whole_percent(share: float, way: Way = "nearest") -> str:
    """The same for who reads it once: `97%`; in more digits near a half and near certainty."""
    return rounded(share, ".0%", way) if 0.51 < share < 0.99 else percent(share, way)


def percent(share: float, way: Way = "nearest") -> str:
    """How often a guess is right: `54.8%`.

    Near a half and near certainty in as many digits as tell it from that: `50.003%`, `99.98%`.
    """
    apart = 100 * min(abs(share - 0.5), 1 - share)
    if apart < 100 * NOTHING:
        return f"{100 * share:.0f}%"
    return rounded(share, f".{max(1, -math.floor(math.log10(apart)))}%", way)
