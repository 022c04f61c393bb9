"""What is fitted: the different rate constants of a network, and how they see a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
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
        events: How often it was seen to act; None where the team was seen by snapshots.
        exposure: Events over this are the value; None where the team was seen by snapshots.
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
        observations: How many events there are, or pairs of snapshots.
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
            factor = rate_factor(reaction, network)
            name = reaction.arrow if factor is None else factor
            if name in parameters and factor is None:
                name = f"{name} (r{number})"  # written twice, at two rates
            self.parameter.append(parameters.setdefault(name, len(parameters)))
        self.names = tuple(parameters)
        self.given = np.zeros(len(parameters))
        self.given[self.parameter] = [
            network.rates[factor] if factor is not None else reaction.rate_constant(network.rates)
            for reaction in network.reactions
            for factor in [rate_factor(reaction, network)]
        ]
        _check_rate_laws(network, set(parameters))


def unit_network(network: Network) -> Network:
    """The network with every κ = 1."""
    ones = []
    for r in network.reactions:
        name = rate_factor(r, network)
        unit = 1.0 if r.rate_law is None or name is None else r.rate_law.replace({name: 1.0})
        ones.append(Reaction(r.reactants, r.products, unit))
    return Network(ones, network.rates, network.kinetics)


def rate_factor(reaction: Reaction, network: Network) -> str | None:
    """The named rate that a reaction's rate is proportional to; None for a number of its own.

    Raises `UnsupportedError` for a rate law that is not a named rate times what is known of the
    state.
    """
    if reaction.rate_law is None:
        return reaction.rate if isinstance(reaction.rate, str) else None
    named = [factor for factor in reaction.rate_law.factors if factor in network.rates]
    if len(named) != 1 or reaction.rate_law.mentions(named[0]) > 1:
        raise UnsupportedError(
            f"{reaction.arrow} has the rate law {str(reaction.rate_law)[:80]}, whose rates "
            "cannot be fitted: "
            "one named rate times what the counts say is expected, as [plug * min({A}, 3)]"
        )
    return named[0]


def _check_rate_laws(network: Network, fitted: set[str]) -> None:
    """Refuses rate laws that hold a fitted rate otherwise than as their factor."""
    for reaction in network.reactions:
        if reaction.rate_law is None:
            continue
        others = (reaction.rate_law.words & fitted) - {rate_factor(reaction, network)}
        if others:
            raise UnsupportedError(
                f"{reaction.arrow} has {min(others)} in its rate law, which is fitted elsewhere: "
                "give "
                "it there another name, or a number here"
            )


def check_separable(names: Sequence[str], columns: Floats) -> None:
    """Refuses parameters of which only a combination shows: a column depends on the others."""
    scaled = columns / np.linalg.norm(columns, axis=0)
    if np.linalg.matrix_rank(scaled) == len(names):
        return
    _, _, directions = np.linalg.svd(scaled, full_matrices=False)
    guilty = [name for name, part in zip(names, directions[-1], strict=True) if abs(part) > 1e-6]
    raise InputError(
        f"{' and '.join(guilty)} cannot be told apart: they change the same, at propensities that "
        "always come in the same proportion. Give every event in the log the number of its "
        "reaction, as it stands in the network (1 is the first), or give their rates one name "
        "in [rates]"
    )
