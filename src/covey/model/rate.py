"""The rate of a reaction, as it is written after the @.

A number or a name (mass action at that rate constant), a rate law of the counts in brackets, `[2 *
min({A}, 3)]`, a multiple `4 * take` of a named rate, or `erlang(4, 0.5)`: a time of mean 1/0.5 in
four stages.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from covey.errors import InputError, shown
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import print_number
from covey.numbers import as_float

MAX_STAGES = 100

_RATE_NAME = re.compile(r"[^\W\d]\w*")
_TIMES = re.compile(r"(?P<times>[0-9]{1,3})\s*\*\s*(?P<rate>[\w.+-]+)")
_ERLANG = re.compile(r"erlang\s*\((?P<inside>.*)\)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

Rate = float | str | RateLaw


class Time(NamedTuple):
    """How long a reaction takes: its rate, in how many stages, and how many times the rate."""

    rate: Rate
    stages: int = 1
    times: int = 1


def parse_time(text: str, arrow: str) -> Time:
    """The rate that a text writes, and in how many stages the reaction happens."""
    if multiple := _TIMES.fullmatch(text.strip()):
        return Time(_parse_rate(multiple["rate"], arrow), 1, int(multiple["times"]))
    match = _ERLANG.fullmatch(text.strip())
    if match is None:
        return Time(_parse_rate(text, arrow))
    stages, comma, rate = match["inside"].partition(",")
    if not comma or not re.fullmatch(r"\s*[0-9]{1,6}\s*", stages):
        raise InputError(
            f"{text.strip()[:40]} is no erlang time of {arrow}: stages and a rate are expected, as "
            "erlang(4, 0.5), which takes 1/0.5 on average"
        )
    return Time(_parse_rate(rate, arrow), int(stages))


def check_stages(stages: object, rate: Rate) -> int:
    """A number of stages, which a rate law cannot have more than one of."""
    if isinstance(stages, bool) or not isinstance(stages, int) or not 1 <= stages <= MAX_STAGES:
        raise InputError(
            f"an erlang time has {shown(stages)} stages: a whole number from 1 to {MAX_STAGES} is "
            "expected"
        )
    if stages > 1 and isinstance(rate, RateLaw):
        raise InputError(f"an erlang time has a rate law, {str(rate)[:60]}: a rate is expected")
    return stages


def _parse_rate(text: str, arrow: str) -> Rate:
    text = text.strip()
    if text.startswith("["):
        return _parse_rate_law(text)
    if _NUMBER.fullmatch(text):
        return check_rate_constant(float(text), f"a rate of {arrow}")
    if _RATE_NAME.fullmatch(text):
        return text
    found = f'"{text[:40]}"' if text else "nothing"
    raise InputError(
        f"{found} as a rate of {arrow}: a number or a name from [rates] is expected, or a rate "
        "law of the counts in brackets"
    )


def _parse_rate_law(text: str) -> RateLaw:
    if not text.endswith("]"):
        raise InputError(f'the rate law "{text[:60]}" has no end: a ] is expected')
    return RateLaw.parse(text[1:-1])


def as_rate(rate: object) -> Rate:
    """What was given as a rate: a number, a name, a rate law or its text in brackets."""
    if isinstance(rate, RateLaw):
        return rate
    if isinstance(rate, str) and rate.strip().startswith("["):
        return _parse_rate_law(rate.strip())
    if isinstance(rate, str):
        check_rate_name(rate)
        return rate
    return check_rate_constant(rate, "a rate")


def print_rate(rate: Rate) -> str:
    """The shortest text that reads back as the same rate: `3`, `0.25`, `take`, `[2 * {A}]`."""
    return print_number(rate) if isinstance(rate, float) else str(rate)


def check_rate_name(name: str) -> None:
    """Raises `InputError` where a rate cannot be called so."""
    if not isinstance(name, str) or not _RATE_NAME.fullmatch(name) or name == "kinetics":
        raise InputError(
            f"{shown(name)} cannot be the name of a rate: a word other than kinetics is expected",
            key=f"rates.{name}" if isinstance(name, str) else None,
        )


def check_rate_constant(value: object, what: str) -> float:
    """`value` as a rate constant: a positive, finite number. `what` names it in the error."""
    key = what if what.startswith("rates.") else None
    rate = as_float(value, what, "a positive number", key)
    if not (0 < rate < math.inf):
        raise InputError(
            f"{what} is {rate:g}: a rate must be positive and finite"
            + ("; leave the reaction out if it never happens" if rate == 0 else ""),
            key=key,
        )
    return rate
