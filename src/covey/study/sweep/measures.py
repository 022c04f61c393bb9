"""What a sweep measures in every cell: one number, with bounds, and what it was found for.

leakage        the largest shift of the odds, exact or smoothed
tv             total variation
kl             Kullback-Leibler divergence, in nats
delta=0.5      δ at ε = 0.5
epsilon=1e-5   ε at δ = 1e-5
renyi=2        Rényi divergence of order 2, in nats
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.privacy.laws import TeamLaws
from covey.privacy.leakage import leakage_of
from covey.privacy.pair_profile import Interval, PairProfile
from covey.privacy.profile import Profile, profile_of

Record = dict[str, float | int | str]

# What is found for a cell, in the order in which tables show it, and what each holds.
FIELDS: dict[str, type[float | int | str]] = {
    "value": float,
    "lower": float,
    "upper": float,
    "neighbour_from": str,
    "neighbour_to": str,
    "observation": str,
    "probability": float,
    "probability_neighbour": float,
    "method": str,
    "states": int,
    "error": str,
}

# How a field is kept in arrays, and what stands for none.
DTYPES: dict[type, Any] = {float: np.float64, int: np.int64, str: np.str_}
MISSING: dict[type, Any] = {float: math.nan, int: 0, str: ""}

SAMPLE = "sample"  # the axis of cells that were drawn at random

# Each measure: the name of its column, its parameter and the default of that.
_KINDS: dict[str, tuple[str, str, float | None]] = {
    "leakage": ("leakage", "", None),
    "tv": ("total_variation", "", None),
    "kl": ("kl", "", None),
    "delta": ("delta", "ε", 1.0),
    "epsilon": ("epsilon", "δ", 1e-5),
    "renyi": ("renyi", "α", 2.0),
}
MEASURES = tuple(_KINDS)
COLUMNS = tuple(column for column, _, _ in _KINDS.values())


@dataclass(frozen=True)
class Measure:
    """Which number is asked for; `parameter` is its ε, δ or order."""

    kind: str
    parameter: float | None = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that `NAME` or `NAME=VALUE` means."""
        kind, equals, value = text.partition("=")
        if kind not in _KINDS:
            hint = did_you_mean(kind, _KINDS) or f" Known: {', '.join(_KINDS)}."
            raise InputError(f"{shown(kind)} cannot be measured.{hint}")
        _, symbol, default = _KINDS[kind]
        if not equals:
            return cls(kind, default)
        if not symbol:
            raise InputError(f"{kind} takes no value: {shown(value)} was found")
        try:
            parameter = float(value)
        except ValueError:
            parameter = math.nan
        most = 1.0 if kind == "epsilon" else math.inf
        least_open = kind == "renyi"
        if not (0 <= parameter <= most) or (least_open and parameter == 0):
            raise InputError(f"{symbol} of {kind} is {shown(value)}: {_EXPECTED[kind]} is expected")
        return cls(kind, parameter)

    @property
    def column(self) -> str:
        """What the number is called in results."""
        return _KINDS[self.kind][0]

    def __str__(self) -> str:
        return self.kind if self.parameter is None else f"{self.kind}={self.parameter!r}"

    def of(self, laws: TeamLaws, smoothing: float) -> Record:
        """The number for a team whose laws are known."""
        return _leakage(laws, smoothing) if self.kind == "leakage" else self._profile(laws)

    def _profile(self, laws: TeamLaws) -> Record:
        profile = profile_of(laws)
        worst = max(profile.pairs, key=self._value)
        lower, upper = self._interval(profile)
        by = laws.computed
        return {
            "value": self._value(worst),
            "lower": lower,
            "upper": upper,
            "neighbour_from": worst.neighbour.from_type,
            "neighbour_to": worst.neighbour.to_type,
            "method": by.method,
            "states": by.states or 0,
        }

    def _value(self, pair: PairProfile) -> float:
        if self.kind == "kl":
            return pair.kl
        if self.kind == "renyi":
            return pair.renyi(self._given)
        return pair.epsilon(self._given) if self.kind == "epsilon" else pair.delta(self._given)

    def _interval(self, profile: Profile) -> Interval:
        if self.kind in ("kl", "renyi"):
            return profile.renyi_interval(1.0 if self.kind == "kl" else self._given)
        if self.kind == "epsilon":
            return profile.epsilon_interval(self._given)
        return profile.delta_interval(self._given)

    @property
    def _given(self) -> float:
        """The parameter; total variation is δ at ε = 0."""
        return 0.0 if self.parameter is None else self.parameter


_EXPECTED = {
    "delta": "a number that is not negative",
    "epsilon": "a number from 0 to 1",
    "renyi": "a positive number",
}


def failed(error: Exception) -> Record:
    """What is recorded of a cell that has no answer."""
    if isinstance(error, CoveyError):
        return {"error": f"{type(error).__name__}: {error.message}"}
    return {"error": f"{type(error).__name__}: {error} (this is a bug of covey's)"}


def _leakage(laws: TeamLaws, smoothing: float) -> Record:
    found = leakage_of(laws, smoothing)
    team, neighbour = found.probability
    return {
        "value": found.value,
        "lower": found.interval[0],
        "upper": found.interval[1],
        "neighbour_from": found.neighbour.from_type,
        "neighbour_to": found.neighbour.to_type,
        "observation": ",".join(f"{name}={n}" for name, n in found.observation.items()),
        "probability": team,
        "probability_neighbour": neighbour,
        "method": found.method,
        "states": found.states or 0,
    }
