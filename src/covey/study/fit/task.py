"""What is fitted: the different rate constants of a network, and how they see a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.question import Progress
from covey.errors import InputError
from covey.model.network import Network
from covey.model.reaction import Reaction
from covey.numbers import Floats


@dataclass(frozen=True)
class Estimate:
    """One rate constant: what the log says of it.

    Attributes:
        value: The rate constant; nan where the log says nothing, inf where it is too fast to be
            told.
        interval: Between which it lies, with the fit's confidence.
        given: The scenario's own value.
        events: How often it was seen to act; None where the team was seen by glances.
        exposure: Events over this are the value; None where the team was seen by glances.
    """

    value: float
    interval: tuple[float, float]
    given: float
    events: float | None = None
    exposure: float | None = None

    @property
    def identified(self) -> bool:
        """Whether the log says anything about this rate."""
        return not math.isnan(self.value)

    @property
    def usable(self) -> float:
        """A rate that a scenario can have: the value, or else the one given, within bounds."""
        if 0 < self.value < math.inf:
            return self.value
        low, high = self.interval
        return min(max(self.given, low), high)


class Task:
    """What is asked of a log: the parameters are the different κ of the network.

    Args:
        network: Its rate constants are fitted.
        observations: How many events there are, or pairs of glances.
        confidence: Of the intervals.
        progress: Called as progress(done, total, text) while the work goes on.
    """

    def __init__(
        self, network: Network, observations: int, confidence: float, progress: Progress | None
    ) -> None:
        self.network, self.observations, self.confidence = network, observations, confidence
        self.progress = progress
        parameters: dict[str, int] = {}
        self.parameter: list[int] = []  # of each reaction
        for number, reaction in enumerate(network.reactions, start=1):
            name = reaction.rate if isinstance(reaction.rate, str) else reaction.arrow
            if name in parameters and not isinstance(reaction.rate, str):
                name = f"{name} (r{number})"  # written twice, at two rates
            self.parameter.append(parameters.setdefault(name, len(parameters)))
        self.names = tuple(parameters)
        self.given = np.zeros(len(parameters))
        self.given[self.parameter] = network.rate_constants


def unit_network(network: Network) -> Network:
    """The network with every κ = 1."""
    ones = [Reaction(r.reactants, r.products, 1.0) for r in network.reactions]
    return Network(ones, kinetics=network.kinetics)


def check_separable(names: Sequence[str], columns: Floats) -> None:
    """Refuses parameters of which only a combination shows: a column depends on the others."""
    scaled = columns / np.linalg.norm(columns, axis=0)
    if np.linalg.matrix_rank(scaled) == len(names):
        return
    _, _, directions = np.linalg.svd(scaled, full_matrices=False)
    guilty = [name for name, part in zip(names, directions[-1], strict=True) if abs(part) > 1e-6]
    raise InputError(
        f"{' and '.join(guilty)} cannot be told apart: they change the same, at propensities that "
        "always come in the same proportion. Name the reaction of every event in the log, or give "
        "their rates one name in [rates]"
    )
