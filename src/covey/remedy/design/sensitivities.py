"""How distributions and measures change with the variables, for the next step of a search.

Where the distributions come from a closed form or from chains on listed states, their derivatives
are solved for (`dynamics.sensitivities`); of windows, of ages and of what a mechanism publishes, a
difference of two exact evaluations stands for one. All are with respect to the place of a variable
on its scale: the logarithm of a rate, a factor of control itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities as Derivatives
from covey.errors import TooLargeError, UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import Floats, rows_in
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.snapshot.sensitivities import (
    PairSensitivities,
    pair_sensitivities,
    team_sensitivities,
)
from covey.remedy.design.evaluation import Evaluated, Evaluator
from covey.remedy.design.variables import Variable
from covey.remedy.performance import performance_by, performance_sensitivities

_STEP = 1e-4  # of a logarithm: differences of distributions that are known to 1e-10


@dataclass(frozen=True)
class Sensitivities:
    """Of every pair of distributions, and of every measure of performance."""

    pairs: list[PairSensitivities]
    measures: dict[str, Floats]  # (variables,)


def sensitivities(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> Sensitivities:
    """The derivatives at a setting."""
    found = Derivatives(evaluator.engine_of(point), _rates(variables))
    try:
        _check_rates(variables)
        by_rate = performance_sensitivities(found, point.scenario)
        measures = {name: _grouped(one, variables) for name, one in by_rate.items()}
    except (UnsupportedError, TooLargeError):
        measures = _measures_by_differences(point, evaluator, variables)
    try:
        _check_rates(variables)
        pairs = [
            replace(
                pair,
                sensitivity_p=_grouped(pair.sensitivity_p, variables),
                sensitivity_q=_grouped(pair.sensitivity_q, variables),
            )
            for pair in team_sensitivities(point.distributions, found)
        ]
    except (UnsupportedError, TooLargeError):
        pairs = _by_differences(point, evaluator, variables)
    return Sensitivities(pairs, measures)


def _rates(variables: Sequence[Variable]) -> tuple[str, ...]:
    return tuple(name.partition(".")[2] for variable in variables for name in variable.names)


def _check_rates(variables: Sequence[Variable]) -> None:
    if not all(variable.kind in ("rate", "factor") for variable in variables):
        raise UnsupportedError("derivatives are with respect to rates")


def _grouped(by_name: Floats, variables: Sequence[Variable]) -> Floats:
    """A variable moves all of its names alike."""
    ends = np.cumsum([len(variable.names) for variable in variables])
    parts = np.split(by_name, ends[:-1])
    return np.array([part.sum(axis=0) for part in parts])


def _by_differences(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> list[PairSensitivities]:
    found: list[tuple[list[Floats], list[Floats]]] = [([], []) for _ in point.distributions.pairs]
    for variable in variables:
        scenario = _moved(point, variable)
        (distributions,) = distributions_by(evaluator.solver.at_rates(scenario.network), scenario)
        # Those of several ages or teams come worst first: they are matched by whose they are.
        moved = {
            (one.age, one.scenario.team, n): (one.team, distribution)
            for one in distributions.every
            for n, distribution in one.neighbours
        }
        now = [
            (one, n, distribution)
            for one in point.distributions.every
            for n, distribution in one.neighbours
        ]
        for rows, (one, neighbour, distribution) in zip(found, now, strict=True):
            team, other = moved[one.age, one.scenario.team, neighbour]
            rows[0].append(_difference(one.team, team))
            rows[1].append(_difference(distribution, other))
    return [
        pair_sensitivities(distribution, other, np.array(mine), np.array(theirs))
        for (_, distribution, other), (mine, theirs) in zip(
            point.distributions.pairs, found, strict=True
        )
    ]


def _moved(point: Evaluated, variable: Variable) -> Scenario:
    """The scenario with a variable a step larger."""
    if variable.kind == "throttle":
        own = {name: point.scenario.numbers[name] + _STEP for name in variable.names}
        return point.scenario.with_(own, warn=False)
    rates = point.scenario.network.rates
    names = [name.partition(".")[2] for name in variable.names]
    changed = {f"rates.{name}": rates[name] * math.exp(_STEP) for name in names}
    return point.scenario.with_(changed, warn=False)


def _difference(distribution: Distribution, other: Distribution) -> Floats:
    """`ln p' − ln p` per step, for the outcomes of the first; 0 where the second has it not."""
    at = rows_in(other.outcomes, distribution.outcomes)
    found = np.where(at >= 0, other.log_probabilities[at] - distribution.log_probabilities, 0.0)
    return np.asarray(found / _STEP)


def _measures_by_differences(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> dict[str, Floats]:
    now = point.performance.measures
    found: dict[str, list[float]] = {name: [] for name in now}
    for variable in variables if now else ():
        scenario = _moved(point, variable)
        moved = performance_by(evaluator.solver.at_rates(scenario.network), scenario)
        for name, one in now.items():
            found[name].append((moved.measures[name].value - one.value) / _STEP)
    return {name: np.array(values) for name, values in found.items()}
