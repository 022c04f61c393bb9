"""What a sweep measures in every cell: numbers with bounds, and what the first was found for.

leakage        the largest shift of the odds, exact or smoothed
guess          how often the best guess between two teams is right, (1 + tv) / 2
settled        the probability of what is possible for one of two teams only
tv             total variation
kl             Kullback-Leibler divergence, in nats
delta=0.5      δ at ε = 0.5
epsilon=1e-5   ε at δ = 1e-5
renyi=2        Rényi divergence of order 2, in nats
performance.x  what the team achieves: the measure x of the scenario's [performance]

Several are measured from the same distributions. The first is the one that a sweep is about: it has
the plain columns (`leakage`, `lower`, `upper`, the neighbour and the observation). Every other one
has three of its own, which tell its parameter: `epsilon=1e-06`, `epsilon=1e-06.lower` and `.upper`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.journal import Record
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.pair_profile import Interval, PairProfile
from covey.privacy.snapshot.profile import Profile, profile_of
from covey.remedy.performance import Achieved

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
CHECKSUM = "sweep"  # the attribute, or the column, by which `finished` knows a sweep again

# Each measure: the name of its column, its parameter and the default of that.
_KINDS: dict[str, tuple[str, str, float | None]] = {
    "leakage": ("leakage", "", None),
    "guess": ("guess", "", None),
    "settled": ("settled", "", None),
    "tv": ("total_variation", "", None),
    "kl": ("kl", "", None),
    "delta": ("delta", "ε", 1.0),
    "epsilon": ("epsilon", "δ", 1e-5),
    "renyi": ("renyi", "α", 2.0),
}
MEASURES = tuple(_KINDS)
COLUMNS = tuple(column for column, _, _ in _KINDS.values())
_PERFORMANCE = re.compile(r"performance\.(?P<name>[^\W\d][\w-]*)")


@dataclass(frozen=True)
class Measure:
    """Which number is asked for; `parameter` is its ε, δ or order.

    `kind` is the dotted name of a measure of performance, such as `performance.throughput`.
    """

    kind: str
    parameter: float | None = None

    @property
    def achieved(self) -> str:
        """The name under [performance]; nothing, for what is given away."""
        match = _PERFORMANCE.fullmatch(self.kind)
        return match["name"] if match else ""

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that `NAME` or `NAME=VALUE` means."""
        kind, equals, value = text.partition("=")
        if _PERFORMANCE.fullmatch(text):
            return cls(text)
        if kind not in _KINDS:
            known = ", ".join([*_KINDS, "performance.NAME"])
            hint = did_you_mean(kind, _KINDS) or f" Known: {known}."
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

    @classmethod
    def of_column(cls, name: str) -> Measure:
        """The measure that has a column of this name beside the first."""
        column, equals, value = name.partition("=")
        kinds = [kind for kind, (called, _, _) in _KINDS.items() if called == column]
        return cls.parse(f"{kinds[0] if kinds else column}{equals}{value}")

    @property
    def column(self) -> str:
        """What the number is called in results."""
        return self.kind if self.achieved else _KINDS[self.kind][0]

    @property
    def full_column(self) -> str:
        """The same with its parameter, which tells two of a kind apart."""
        return self.column if self.parameter is None else f"{self.column}={self.parameter!r}"

    def __str__(self) -> str:
        return self.kind if self.parameter is None else f"{self.kind}={self.parameter!r}"

    def of(self, distributions: TeamDistributions, smoothing: float) -> Record:
        """The number for a team whose distributions are known."""
        return (
            _leakage(distributions, smoothing)
            if self.kind == "leakage"
            else self._profile(distributions)
        )

    def _profile(self, distributions: TeamDistributions) -> Record:
        profile = profile_of(distributions)
        worst = max(profile.pairs, key=self._of_pair)
        lower, upper = self._interval(profile)
        by = distributions.computed
        return {
            "value": self._of_pair(worst),
            "lower": lower,
            "upper": upper,
            "neighbour_from": worst.neighbour.from_type,
            "neighbour_to": worst.neighbour.to_type,
            "method": by.method,
            "states": by.states or 0,
        }

    def _of_pair(self, pair: PairProfile) -> float:
        if self.kind == "guess":
            return (1 + pair.total_variation) / 2
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
        low, high = profile.delta_interval(self._given)
        return ((1 + low) / 2, (1 + high) / 2) if self.kind == "guess" else (low, high)

    @property
    def _given(self) -> float:
        """The parameter; total variation is δ at ε = 0, and what is settled δ at infinity."""
        if self.kind == "settled":
            return math.inf
        return 0.0 if self.parameter is None else self.parameter


_EXPECTED = {
    "delta": "a number that is not negative",
    "epsilon": "a number from 0 to 1",
    "renyi": "a positive number",
}


def read_measures(given: str | Iterable[str]) -> tuple[Measure, ...]:
    """One measure or several, each once."""
    measures = tuple(Measure.parse(text) for text in ([given] if isinstance(given, str) else given))
    if not measures:
        raise InputError("no measure is given: at least one is expected, such as leakage")
    for measure in measures:
        if measures.count(measure) > 1:
            raise InputError(f"{measure} is to be measured twice: once is expected")
    return measures


def is_column(name: object) -> bool:
    """Whether a column beside the first may be called so."""
    try:
        return isinstance(name, str) and Measure.of_column(name).full_column == name
    except InputError:
        return False


def is_first(name: str) -> bool:
    """Whether the column of the first measure may be called so."""
    return name in COLUMNS or _PERFORMANCE.fullmatch(name) is not None


def bounds_of(column: str) -> tuple[str, str]:
    """The columns of the bounds of a measure beside the first."""
    return f"{column}.lower", f"{column}.upper"


def fields_of(also: Iterable[str]) -> dict[str, type[float | int | str]]:
    """All that is found for a cell, where there are columns of other measures beside the first."""
    return FIELDS | {name: float for column in also for name in (column, *bounds_of(column))}


def measured(
    measures: Sequence[Measure],
    distributions: TeamDistributions,
    smoothing: float,
    achieved: Mapping[str, Achieved] | None = None,
) -> Record:
    """What is found for a cell of known distributions, and what its team achieves, if asked for."""

    def one(measure: Measure) -> Record:
        if achieved is None or not measure.achieved:
            return measure.of(distributions, smoothing)
        by, found = distributions.computed, achieved[measure.achieved]
        value = {"value": found.value, "lower": found.lower, "upper": found.upper}
        return {**value, "method": by.method, "states": by.states or 0}

    first, *others = measures
    found = one(first)
    for other in others:
        record = one(other)
        names = (other.full_column, *bounds_of(other.full_column))
        found |= dict(
            zip(names, (record[name] for name in ("value", "lower", "upper")), strict=True)
        )
    return found


def failed(error: Exception) -> Record:
    """What is recorded of a cell that has no answer."""
    if isinstance(error, CoveyError):
        return {"error": f"{type(error).__name__}: {error.message}"}
    return {"error": f"{type(error).__name__}: {error} (this is a bug of covey's)"}


def _leakage(distributions: TeamDistributions, smoothing: float) -> Record:
    found = leakage_of(distributions, smoothing)
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
