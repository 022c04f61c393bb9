"""Axes: which values of a scenario a sweep varies, and over what.

    types.A=1:20                    whole numbers, both ends included; types.A=1:20:5 in steps of 5
    rates.take=0.2:2:10             ten reals, evenly from 0.2 to 2
    adversary.at=1,10,steady        a list
    rates.k3,rates.k13=0.2:2:10     several values that are always equal: one axis

Numbers of robots (`types`, `resources`, `initial`) are whole, so a third number is a step; of any
other value it is a count. A design is a grid of all combinations, or a random sample in which
every axis is drawn for itself, uniformly from its range.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from covey.errors import CoveyError, InputError, TooLargeError, shown
from covey.model.scenario import Scenario
from covey.numbers import is_number

Value = int | float | str

MAX_CELLS = 1_000_000
_COUNTED = ("types", "resources", "initial")
_CHECKED = 100  # values of a list that are tried before anything is computed
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class Axis:
    """One or several names of a scenario's values, always equal, and what they are to be.

    Args:
        names: Dotted names, such as `rates.take`.
        values: What they take in turn.
        ends: Between which a random sample draws reals; None where it draws from `values`.
    """

    names: tuple[str, ...]
    values: tuple[Value, ...]
    ends: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """What the axis is called: the first of its names."""
        return self.names[0]

    def draw(self, count: int, stream: np.random.Generator) -> list[Value]:
        """A random sample: from between the ends, else of the values.

        Args:
            count: How many.
            stream: Where the random numbers come from.
        """
        if self.ends is not None:
            return list(map(float, stream.uniform(*self.ends, count)))
        return [self.values[i] for i in stream.integers(len(self.values), size=count)]

    def check(self, scenario: Scenario) -> None:
        """`InputError` unless the scenario can take these values.

        Args:
            scenario: The scenario that is to be varied.
        """
        step = max(1, math.ceil(len(self.values) / _CHECKED))
        tried = [*(self.ends or ()), *self.values[::step], *self.values[-1:]]
        for value in tried:
            scenario.with_(dict.fromkeys(self.names, value), warn=False)


@dataclass(frozen=True)
class Design:
    """Every combination of the axes' values, the last axis fastest; or a random sample."""

    axes: tuple[Axis, ...]
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.axes:
            raise InputError("there is nothing to vary: at least one axis is expected")
        names = [name for axis in self.axes for name in axis.names]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{name} is varied twice: once is expected", key=name)
        if self.sample is None:
            for axis in self.axes:
                if not axis.values:
                    raise InputError(
                        f"{axis.name} has two ends: say how many values to take between them, "
                        "such as 0.2:2:10, or draw a random sample",
                        key=axis.name,
                    )
        elif self.sample < 1 or self.seed < 0:
            raise InputError("a sample has at least 1 cell, and its seed is 0 or more")
        cells = math.prod(self.shape)  # more than len() can say, maybe
        if cells > MAX_CELLS:
            raise TooLargeError(
                f"the sweep has {_many(cells)} cells; at most {MAX_CELLS:,} are allowed. Take "
                "fewer values, or a random sample"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of every axis of the result."""
        return (self.sample,) if self.sample else tuple(len(axis.values) for axis in self.axes)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def values(self, cell: int) -> tuple[Value, ...]:
        """What each axis is in a cell."""
        if self.sample is not None:
            return tuple(column[cell] for column in self.columns)
        place = np.unravel_index(cell, self.shape)
        return tuple(axis.values[int(i)] for axis, i in zip(self.axes, place, strict=True))

    def changes(self, cell: int) -> dict[str, Value]:
        """What a cell changes of the scenario, by dotted names."""
        pairs = zip(self.axes, self.values(cell), strict=True)
        return {name: value for axis, value in pairs for name in axis.names}

    @cached_property
    def columns(self) -> list[list[Value]]:
        """What was drawn for each axis. A stream each: a larger sample begins like a smaller."""
        streams = (np.random.default_rng([self.seed, i]) for i in itertools.count())
        return [
            axis.draw(self.sample or 0, stream)
            for axis, stream in zip(self.axes, streams, strict=False)
        ]

    def to_document(self) -> dict[str, Any]:
        """All of it as plain lists and numbers."""
        axes = [{"names": a.names, "values": a.values, "ends": a.ends} for a in self.axes]
        return {"axes": axes, "sample": self.sample, "seed": self.seed}


def read_axes(axes: Mapping[Any, Any] | Iterable[Axis | str]) -> tuple[Axis, ...]:
    """Axes from a mapping of names to values (or to a range as text), or from texts `NAME=...`."""
    if not isinstance(axes, Mapping):
        return tuple(axis if isinstance(axis, Axis) else parse_axis(axis) for axis in axes)
    found = []
    for key, values in axes.items():
        names = _names(key.split(",") if isinstance(key, str) else key)
        if isinstance(values, str):
            found.append(_parse_values(names, values))
        else:
            found.append(_listed(names, [_plain(value, names[0]) for value in values]))
    return tuple(found)


def parse_axis(text: str) -> Axis:
    """The axis that `NAME[,NAME...]=RANGE` means."""
    names, equals, values = text.partition("=")
    if not equals:
        raise InputError(f"{shown(text)} is no axis: NAME=RANGE is expected, such as types.A=1:20")
    return _parse_values(_names(names.split(",")), values.strip())


def _parse_values(names: tuple[str, ...], text: str) -> Axis:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) == 1:
        return _listed(names, [parse_value(part.strip(), names[0]) for part in text.split(",")])
    if len(parts) > 3:
        raise InputError(f"{names[0]} has {len(parts)} numbers between colons: 2 or 3 are expected")
    low, high, *third = (_fraction(part, names[0]) for part in parts)
    if high < low:
        raise InputError(
            f"{names[0]} runs from {parts[0]} down to {parts[1]}: the smaller is expected first",
            key=names[0],
        )
    whole = low.denominator == high.denominator == 1
    if any(name.partition(".")[0] in _COUNTED for name in names):
        return _whole_numbers(names, low, high, third)
    ends = float(low), float(high)
    if not third:
        between = _whole_numbers(names, low, high, []).values if whole else ()
        return Axis(names, between, ends)
    count = third[0]
    if count.denominator != 1 or not 1 <= count <= MAX_CELLS:
        raise InputError(
            f"{names[0]} is to have {parts[2]} values: a whole number from 1 to {MAX_CELLS:,} is "
            "expected",
            key=names[0],
        )
    steps = max(int(count) - 1, 1)
    return Axis(
        names, tuple(float(low + (high - low) * i / steps) for i in range(int(count))), ends
    )


def _whole_numbers(
    names: tuple[str, ...], low: Fraction, high: Fraction, third: Sequence[Fraction]
) -> Axis:
    step = third[0] if third else Fraction(1)
    if any(number.denominator != 1 for number in (low, high, step)) or step < 1:
        raise InputError(
            f"{names[0]} counts robots: whole numbers are expected, a:b or a:b:step", key=names[0]
        )
    cells = (high - low) // step + 1  # more than len() can say, maybe
    if cells > MAX_CELLS:
        raise TooLargeError(f"{names[0]} has {_many(cells)} values: at most {MAX_CELLS:,}")
    return Axis(names, tuple(range(int(low), int(high) + 1, int(step))))


def _many(cells: int) -> str:
    return f"{cells:,}" if cells < 10**15 else shown(cells)


def _listed(names: tuple[str, ...], values: list[Value]) -> Axis:
    if not values:
        raise InputError(f"{names[0]} has no values: at least one is expected", key=names[0])
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise InputError(f"{names[0]} has {shown(twice)} twice: once is expected", key=names[0])
    return Axis(names, tuple(values))


def _names(names: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(name.strip() for name in names)
    for name in listed:
        if "." not in name:
            raise InputError(
                f"{shown(name)} cannot be varied: a dotted name is expected, such as types.A",
                key=name,
            )
    return listed


def _fraction(text: str, name: str) -> Fraction:
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        raise InputError(f"{name} has {shown(text)} in its range: a number is expected", key=name)
    return Fraction(text)


def parse_value(text: str, name: str) -> Value:
    """A number where the text is one, else the text itself (steady)."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        value = text
    return _plain(value, name)


def _plain(value: object, name: str) -> Value:
    """A value as every file format can hold it."""
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        if is_number(value) and math.isfinite(value):  # whole ones of any length were taken above
            return float(value)
    raise InputError(f"{name} has {shown(value)}: finite numbers or words are expected", key=name)


def check_axes(scenario: Scenario, design: Design) -> None:
    """Refuses names and values that the scenario cannot take; the error's `key` is the axis."""
    for axis in design.axes:
        try:
            axis.check(scenario)
        except CoveyError as error:
            error.line, error.file, error.key = None, None, axis.name
            raise
