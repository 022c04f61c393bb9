"""How a setting's laws and measures change with the variables, for the next step of a search.

Where the laws come from chains on listed states, their derivatives are solved for
(`dynamics.tangent`); of closed forms, windows and what a mechanism publishes, a difference of two
exact evaluations stands for one. All are with respect to the place of a variable on its scale: the
logarithm of a rate, a factor of control itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.cores import side_by_side
from covey.dynamics.distribution import Distribution
from covey.dynamics.tangent import tangent
from covey.errors import UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import LEAST, Floats, Ints, distinct_rows
from covey.privacy.divergences import aligned
from covey.privacy.laws import laws_by
from covey.remedy.design.evaluation import Evaluated, Evaluator
from covey.remedy.design.variables import Variable, value_of
from covey.remedy.performance import performance_by

_BY_CHAINS = ("transient", "stationary")
_STEP = 1e-4  # of a logarithm: differences of laws that are known to 1e-10
_MOST_STATES = 300_000  # whose derivatives are solved for


@dataclass(frozen=True)
class PairSlopes:
    """Two laws over the same outcomes, and how both change: d ln p, (variables, outcomes)."""

    log_p: Floats
    log_q: Floats
    slope_p: Floats
    slope_q: Floats


@dataclass(frozen=True)
class Slopes:
    """Of every pair of laws, and of every measure of performance."""

    pairs: list[PairSlopes]
    measures: dict[str, Floats]  # (variables,)


def slopes(point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]) -> Slopes:
    """The derivatives at a setting."""
    try:
        both = _by_chains(point, evaluator, variables)
    except UnsupportedError:
        both = _by_differences(point, evaluator, variables)
    pairs = []
    for (_, law, other), (mine, theirs) in zip(point.laws.pairs, both, strict=True):
        outcomes, log_p, log_q = aligned(law, other)
        slope_p, slope_q = _placed(outcomes, law, mine), _placed(outcomes, other, theirs)
        pairs.append(PairSlopes(log_p, log_q, slope_p, slope_q))
    return Slopes(pairs, _of_measures(point, evaluator, variables))


def _by_chains(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> list[tuple[Floats, Floats]]:
    """Of the laws of every pair, d ln p over their own outcomes."""
    scenario, laws = point.scenario, point.laws
    # Teams that symmetry maps onto each other share a law, and not how it changes.
    teams = [(laws.team, scenario.team), *((law, n.team) for n, law in laws.neighbours)]
    if (
        laws.others
        or scenario.release.mechanism is not None
        or laws.computed.method not in _BY_CHAINS
        or max(law.states or math.inf for law, _ in teams) > _MOST_STATES
    ):
        raise UnsupportedError("the laws are not those of listed states")
    if any(variable.kind == "throttle" for variable in variables):
        raise UnsupportedError("control is no rate")
    engine = evaluator.engine.at_rates(scenario.network)
    names = [name.partition(".")[2] for variable in variables for name in variable.names]

    def work(i: int) -> Floats:
        law, team = teams[i]
        chain = engine.chain(scenario.start_of(team))
        found = tangent(chain, laws.at, names)
        outcomes, look = distinct_rows(chain.seen(scenario.query))
        at = _numbers(law.outcomes, outcomes)
        sums = np.array([np.bincount(look, s, len(outcomes))[at] for s in found.slopes])
        return _grouped(sums / np.maximum(law.probabilities, LEAST), variables)

    team, *others = side_by_side(work, len(teams))
    return [(team, other) for other in others]


def _grouped(by_name: Floats, variables: Sequence[Variable]) -> Floats:
    """A variable moves all of its names alike."""
    ends = np.cumsum([len(variable.names) for variable in variables])
    parts = np.split(by_name, ends[:-1])
    return np.array([part.sum(axis=0) for part in parts])


def _by_differences(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> list[tuple[Floats, Floats]]:
    found: list[tuple[list[Floats], list[Floats]]] = [([], []) for _ in point.laws.pairs]
    for variable in variables:
        scenario = _moved(point, variable)
        (laws,) = laws_by(evaluator.engine.at_rates(scenario.network), scenario)
        # Laws of several ages come worst first: they are matched by whose they are.
        moved = {(one.age, n): (one.team, law) for one in laws.every for n, law in one.neighbours}
        now = [(one, n, law) for one in point.laws.every for n, law in one.neighbours]
        for rows, (one, neighbour, law) in zip(found, now, strict=True):
            team, other = moved[one.age, neighbour]
            rows[0].append(_difference(one.team, team))
            rows[1].append(_difference(law, other))
    return [(np.array(mine), np.array(theirs)) for mine, theirs in found]


def _moved(point: Evaluated, variable: Variable) -> Scenario:
    """The scenario with a variable a step larger."""
    if variable.kind == "throttle":
        own = {name: value_of(point.scenario, name) + _STEP for name in variable.names}
        return point.scenario.with_(own, warn=False)
    rates = point.scenario.network.rates
    names = [name.partition(".")[2] for name in variable.names]
    changed = {f"rates.{name}": rates[name] * math.exp(_STEP) for name in names}
    return point.scenario.with_(changed, warn=False)


def _difference(law: Distribution, other: Distribution) -> Floats:
    """Ln p' − ln p per step, for the outcomes of the first; 0 where the second has it not."""
    at = _numbers(law.outcomes, other.outcomes)
    found = np.where(at >= 0, other.log_probabilities[at] - law.log_probabilities, 0.0)
    return np.asarray(found / _STEP)


def _of_measures(
    point: Evaluated, evaluator: Evaluator, variables: Sequence[Variable]
) -> dict[str, Floats]:
    now = point.performance.measures
    found: dict[str, list[float]] = {name: [] for name in now}
    for variable in variables if now else ():
        scenario = _moved(point, variable)
        moved = performance_by(evaluator.engine.at_rates(scenario.network), scenario)
        for name, one in now.items():
            found[name].append((moved.measures[name].value - one.value) / _STEP)
    return {name: np.array(values) for name, values in found.items()}


def _numbers(wanted: Ints, listed: Ints) -> NDArray[np.intp]:
    """Where each row stands in a list of rows; −1 where it does not."""
    place = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(listed))}
    found = [place.get(row.tobytes(), -1) for row in np.ascontiguousarray(wanted)]
    return np.array(found, dtype=np.intp)


def _placed(outcomes: Ints, law: Distribution, by_outcome: Floats) -> Floats:
    """The slopes of a law over more outcomes than it has."""
    placed = np.zeros((len(by_outcome), len(outcomes)))
    placed[:, _numbers(law.outcomes, outcomes)] = by_outcome
    return placed
