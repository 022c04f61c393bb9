"""Where a chain ends, and when: the probability of ending in each of its closed classes.

With s >= 0 the expected time spent in each transient state, -K_TT s = p_T(0), the probability of
ending in class C is p_C(0) plus the flow K_CT s, and all of s is the expected time until the end.
These times are the distribution of an irreducible chain: the one that begins again whenever it has
ended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.stationary.communicating_classes import reached_from
from covey.dynamics.stationary.irreducible import StationarySolver
from covey.dynamics.validation import Progress
from covey.numbers import UNIT, Floats


@dataclass(frozen=True)
class Ending:
    """The ln of the probability of ending in each class; `log_error` bounds the error of each."""

    log_weights: Floats  # (classes,)
    log_error: float = 0.0


def class_weights(
    generator: Generator, initial: Floats, classes: tuple[NDArray[np.intp], ...]
) -> Ending:
    """Where the chain ends, from the sojourn times of the transient states."""
    if len(classes) == 1:
        return Ending(np.zeros(1))
    begins = np.array([initial[members].sum() for members in classes])
    transient = reached_from(generator, initial > 0)
    for members in classes:
        transient[members] = False
    with np.errstate(divide="ignore"):
        at_once = np.log(begins)
    if not transient.any():
        return Ending(at_once)
    sojourn, error = log_sojourn_times(generator, initial, transient)
    rounding = UNIT * (int(generator.lengths.max()) + max(map(len, classes)))
    log_weights = np.logaddexp(at_once, _log_flows(generator, sojourn, classes))
    return Ending(log_weights, error + rounding)


def log_sojourn_times(
    generator: Generator,
    initial: Floats,
    transient: NDArray[np.bool_],
    progress: Progress | None = None,
) -> tuple[Floats, float]:
    """The ln of the time spent in each transient state, -inf in others, and a bound on its error.

    Some of the initial distribution is there, and all of them lead to others in the end.
    """
    again = _beginning_again(generator, initial, transient)
    solver = StationarySolver(again, np.zeros(len(again)), tolerance=1e-13, progress=progress)
    logs = solver.solve(len(again) - 1)
    sojourn = np.full(len(generator), -np.inf)
    sojourn[transient] = logs[:-1] - logs[-1] - np.log(again.exits[-1] / initial[transient].sum())
    rounding = 4 * UNIT * (float(np.abs(sojourn[transient]).max()) + 2)
    return sojourn, 2 * solver.error + rounding


def _log_flows(
    generator: Generator, log_sojourn: Floats, classes: tuple[NDArray[np.intp], ...]
) -> Floats:
    """The ln of what flows into each class, from the ln of the times in the transient states."""
    into = np.full(len(generator), -1)
    for number, members in enumerate(classes):
        into[members] = number
    entered = np.repeat(into, generator.lengths)
    flows = np.log(generator.rates) + log_sojourn[generator.indices]
    kept = (entered >= 0) & np.isfinite(flows)
    entered, flows = entered[kept], flows[kept]
    highest = np.full(len(classes), -np.inf)
    np.maximum.at(highest, entered, flows)
    with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
        total = np.bincount(entered, np.exp(flows - highest[entered]), len(classes))
        return np.where(np.isfinite(highest), highest + np.log(total), -np.inf)


def _beginning_again(
    generator: Generator, initial: Floats, transient: NDArray[np.bool_]
) -> Generator:
    """The transient states and, last, one more: what ends goes there, and begins again from there.

    In its distribution each transient state has its sojourn time s, up to a factor: both are
    solutions of exits * s = inflow(s) + a multiple of p_T(0).
    """
    outside = np.flatnonzero(transient)
    n, part = len(outside), generator.restrict(outside)
    ends = ~transient[generator.targets]
    all_leaving = np.bincount(generator.indices[ends], generator.rates[ends], len(generator))
    leaving, fresh = all_leaving[outside], initial[outside] * part.exits.mean()
    last, first = np.flatnonzero(leaving), np.flatnonzero(fresh)
    parts = [
        Transitions(part.indices, part.targets, part.rates),
        Transitions(np.full(len(first), n), first, fresh[first]),
        Transitions(last, np.full(len(last), n), leaving[last]),
    ]
    return Generator.from_transitions(parts, np.append(part.exits, fresh.sum()))
