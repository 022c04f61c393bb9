"""What a design is for: what to make small or large, and what has to hold.

Privacy is measured at the adversary's moment, of the worst neighbour: `leakage`, `total_variation`,
`guess` (how often an observer is right) and `epsilon` (at a stated δ); `stream_guess` is the guess
of whoever sees all that [release] publishes. `loss` is what publishing less costs. Performance has
the names of the scenario's [performance].

    --minimise guess --keep throughput=0.95          a share of what it is now
    --minimise leakage --keep "throughput>=1.3"      a number
    --maximise throughput --target guess=0.51        the privacy that has to be reached

A share of a measure that is below 0 now lets it become as much worse: 0.95 of −2 is −2.1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from covey.errors import InputError, did_you_mean, shown
from covey.model.performance import PRIVACY
from covey.numbers import to_float
from covey.privacy.measures.registry import Measure, MeasureFunction, read_measures
from covey.remedy.performance import NO_PERFORMANCE

# What may be made small, or be given a cap; the last two only where they are asked for.
MORE = ("stream_guess", "loss")
SMALL = (*PRIVACY, *MORE)
MeasureOf = str | MeasureFunction
_LEAST = {"guess": 0.5, "stream_guess": 0.5}  # of two teams one is guessed right half the time

_FLOOR = re.compile(r"\s*(?P<name>[^\W\d][\w-]*)\s*(?P<sign>>=|=)\s*(?P<value>\S+)\s*")


@dataclass(frozen=True)
class Objective:
    """What is to be reached.

    Attributes:
        minimise: A measure of privacy, or None.
        maximise: A measure of performance, or None.
        floors: The least that measures of performance may be.
        caps: The most that measures of privacy may be.
        delta: The δ at which ε is meant.
        scale: What the measure to maximise is now: measures of privacy are of the size of one.
        penalty: What it costs that something does not hold, relative to what it should be.
        also: Those among the measures of privacy that `covey.privacy.measures` finds.
    """

    minimise: str | None
    maximise: str | None
    floors: Mapping[str, float]
    caps: Mapping[str, float]
    delta: float
    scale: float = 1.0
    penalty: float = 20.0
    also: tuple[Measure, ...] = ()

    @property
    def privacy(self) -> list[str]:
        """The measures of privacy, and of loss, that matter."""
        return list(dict.fromkeys([*([self.minimise] if self.minimise else []), *self.caps]))


def named(measure: MeasureOf) -> str:
    """What a measure is called in a design: `guess`, `renyi=2.0`, `own.spread`."""
    if isinstance(measure, str) and measure in SMALL:
        return measure
    return str(measured_besides([measure])[0])


def measured_besides(names: Iterable[MeasureOf | None]) -> tuple[Measure, ...]:
    """The measures that are none of the design's own: by a name of the registry, or functions."""
    found: dict[str, Measure] = {}
    for name in names:
        if name is not None and not (isinstance(name, str) and name in SMALL):
            (measure,) = read_measures([name])
            if measure.achieved:
                raise InputError(f"{measure} is what the team achieves: keep or maximise it")
            found[str(measure)] = measure
    return tuple(found.values())


def read_objective(
    minimise: str | None,
    maximise: str | None,
    keep: Mapping[str, float] | Iterable[str],
    target: Mapping[str, float] | Iterable[str],
    delta: float,
    now: Mapping[str, float],
    also: tuple[Measure, ...] = (),
) -> Objective:
    """The objective, with shares turned into numbers by what the team achieves `now`."""
    if (minimise is None) == (maximise is None):
        raise InputError("one thing to minimise or to maximise is expected")
    if maximise is not None:
        _known(maximise, now, "measure in [performance]")
    floors = _floors(keep, now)
    if maximise is not None and not target:
        raise InputError(
            f"{maximise} is to be large, and no target for privacy is given: without one there is "
            "no design; say --target guess=0.51"
        )
    caps = read_caps(target)
    if not 0 <= delta < 1:
        raise InputError(f"delta is {delta}: a number from 0 up to 1 is expected")
    scale = 1.0 if maximise is None else max(abs(now[maximise]), 1e-9)
    return Objective(minimise, maximise, floors, caps, delta, scale, also=also)


def read_caps(target: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """The most that measures may be; what no setting could reach is refused."""
    caps: dict[str, float] = {}
    pairs = target.items() if isinstance(target, Mapping) else map(_pair, target)
    for given, value in pairs:
        name = named(given)
        _once(name, caps, "target")
        caps[name] = _number(name, value)
        least = _LEAST.get(name, 0.0)
        if caps[name] < least:
            why = ": whoever tosses a coin is right so often" if least else ""
            raise InputError(f"{name}={caps[name]:g} cannot be: it is never below {least:g}{why}")
    return caps


def _floors(
    keep: Mapping[str, float] | Iterable[str], now: Mapping[str, float]
) -> dict[str, float]:
    floors: dict[str, float] = {}
    if isinstance(keep, Mapping):
        parts = [(name, "=", share) for name, share in keep.items()]
    else:
        parts = []
        for text in keep:
            match = _FLOOR.fullmatch(text)
            if match is None:
                raise InputError(
                    f"{shown(text)}: a share of what it is now, throughput=0.95, or a floor, "
                    '"throughput>=1.3", is expected'
                )
            parts.append((match["name"], match["sign"], match["value"]))
    for name, sign, value in parts:
        _known(name, now, "measure in [performance]")
        _once(name, floors, "floor")
        number = _number(name, value)
        floors[name] = _share(number, now[name]) if sign == "=" else number
    return floors


def _share(share: float, now: float) -> float:
    """A share of what is there now; of what is below 0, as much worse as a share below 1 allows."""
    return share * now if now >= 0 else now - (1 - share) * abs(now)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{shown(text)}: a name and a number are expected, as guess=0.51")
    return name.strip(), value


def _number(name: str, value: object) -> float:
    number = to_float(value)
    if not math.isfinite(number):
        raise InputError(f"{name}={shown(value)}: a number is expected")
    return number


def _once(name: str, given: Mapping[str, float], what: str) -> None:
    if name in given:
        raise InputError(f"{name} has a {what} already: one is expected")


def _known(name: str, known: Iterable[str], what: str) -> None:
    known = list(known)
    if not known:
        raise InputError(f"{shown(name)} cannot be known: {NO_PERFORMANCE}")
    if name not in known:
        hint = did_you_mean(name, known) or f" Known: {', '.join(known)}."
        raise InputError(f"{shown(name)} is no {what}.{hint}")
