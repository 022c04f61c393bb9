"""The limit of a chain from a given start, every ln p with a proved error bound.

States outside the closed classes get zero. Inside one closed class it is the distribution of an
irreducible chain (see `irreducible`). With several closed classes each is weighted by the
probability of ending in it (see `absorption`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.stationary.absorption import class_weights
from covey.dynamics.stationary.communicating_classes import closed_classes
from covey.dynamics.stationary.irreducible import StationarySolver
from covey.dynamics.stationary.sweeps import Sweeps
from covey.numbers import LEAST, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress

_CLOSE = 1e-8  # how near two responses are when the later one will do


@dataclass(frozen=True)
class StationaryResult:
    """The limit distribution, in logarithms: tails of any depth are as certain as the rest."""

    log_probabilities: Floats  # (states,): -inf outside the closed classes
    log_error: float  # bounds |ln p - ln true p| for every state of the classes: proved
    classes: tuple[NDArray[np.intp], ...]  # the states of each closed class
    weights: Floats  # (classes,): probability of ending in each
    sweeps: int

    @cached_property
    def probabilities(self) -> Floats:
        """(states,), for what works in doubles: 0 where they are below all accuracy there."""
        with np.errstate(under="ignore"):
            found = np.exp(self.log_probabilities)
        found[found <= LEAST] = 0.0
        return found

    @cached_property
    def lost(self) -> int:
        """How many states of the classes have no place among `probabilities`."""
        return int(
            np.count_nonzero(np.isfinite(self.log_probabilities) & (self.probabilities == 0))
        )


def stationary(
    generator: Generator,
    initial: Floats,
    *,
    tolerance: float = 1e-12,
    guess: Floats | None = None,
    origin: int | None = None,
    max_sweeps: int = 5_000,
    progress: Progress | None = None,
) -> StationaryResult:
    """The limit of p(t) from `initial`; `guess` (any ln p) only saves time.

    `origin` is the o of the proof, by default the most probable state.
    """
    classes = closed_classes(generator, initial)
    ending = class_weights(generator, initial, classes)
    logs = np.full(len(generator), -np.inf)
    error, sweeps = 0.0, 0
    for members, weight in zip(classes, ending.log_weights, strict=True):
        whole = len(members) == len(generator)
        part = generator if whole else generator.restrict(members)
        solver = StationarySolver(
            part,
            np.zeros(len(part)) if guess is None else guess[members],
            tolerance=tolerance,
            max_sweeps=max_sweeps,
            progress=progress,
        )
        here = np.flatnonzero(members == origin)
        logs[members] = weight + solver.solve(int(here[0]) if len(here) else None)
        error = max(error, solver.error)
        sweeps += solver.sweeps.done
    with np.errstate(under="ignore"):
        weights = np.exp(ending.log_weights)
    return StationaryResult(logs, error + ending.log_error, classes, weights, sweeps)


def response(generator: Generator, distribution: Floats, source: Floats) -> Floats:
    """The solution of K z = −source with Σ z = 0, by sweeps; `distribution` is stationary.

    For derivatives: it is as near as sweeps come, and no bound is proved.
    """
    scale = np.maximum(distribution, LEAST)
    sweeps, before = Sweeps(generator, np.log(scale)), np.full(len(distribution), np.inf)
    for rough in sweeps.responses(source):
        found = rough - rough.sum() * distribution
        change = np.abs(found - before) / scale
        if change.max() <= _CLOSE * max(float((np.abs(found) / scale).max()), LEAST):
            break
        before = found
    solution: Floats = found
    return solution
