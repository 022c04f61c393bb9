"""The limit law of a chain from a given start, every probability with a relative error bound.

States outside the closed classes get zero. Inside one closed class the law is that of an
irreducible chain (see `irreducible`). With several closed classes each is weighted by the
probability of ending in it (see `absorption`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.absorption import class_weights, closed_classes
from covey.dynamics.irreducible import Solver
from covey.numbers import LEAST, Floats

if TYPE_CHECKING:
    from covey.dynamics.generator import Generator
    from covey.dynamics.question import Progress

_CLOSE = 1e-8  # how near two responses are when the later one will do


@dataclass(frozen=True)
class StationaryResult:
    """The limit law; `log_error` bounds |ln p - ln true p| for every state not `lost`."""

    probabilities: Floats  # (states,)
    log_error: float
    proved: bool  # log_error is proved; otherwise estimated, as some states are lost
    classes: tuple[NDArray[np.intp], ...]  # the states of each closed class
    weights: Floats  # (classes,): probability of ending in each
    lost: int  # states of the classes whose probability is below all accuracy: 0 here
    sweeps: int


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
    """The limit of p(t) from `initial`; `guess` (any positive vector) only saves time.

    `origin` is the o of the proof, by default the most probable state.
    """
    classes = closed_classes(generator, initial)
    ending = class_weights(generator, initial, classes)
    law = np.zeros(len(generator))
    error, proved, sweeps = 0.0, ending.proved, 0
    for members, weight in zip(classes, ending.weights, strict=True):
        whole = len(members) == len(generator)
        part = generator if whole else generator.restrict(members)
        first = np.ones(len(part)) if guess is None else guess[members]
        solver = Solver(
            part,
            first / first.sum(),
            tolerance=tolerance,
            max_sweeps=max_sweeps,
            progress=progress,
        )
        here = np.flatnonzero(members == origin)
        law[members] = weight * solver.solve(int(here[0]) if len(here) else None)
        error, proved = max(error, solver.error), proved and solver.proved
        sweeps += solver.sweeps
    members = np.concatenate(classes)
    lost = members[law[members] <= LEAST]
    law[lost] = 0.0
    error += ending.log_error
    return StationaryResult(law, error, proved, classes, ending.weights, len(lost), sweeps)


def response(generator: Generator, law: Floats, source: Floats) -> Floats:
    """The solution of K z = −source with Σ z = 0, by sweeps; `law` is stationary, Σ source = 0.

    For derivatives: it is as near as sweeps come, and no bound is proved.
    """
    solver, before = Solver(generator, law), np.full(len(law), np.inf)
    scale = np.maximum(law, LEAST)
    for rough in solver.responses(source):
        found = rough - rough.sum() * law
        change = np.abs(found - before) / scale
        if change.max() <= _CLOSE * max(float((np.abs(found) / scale).max()), LEAST):
            break
        before = found
    solution: Floats = found
    return solution
