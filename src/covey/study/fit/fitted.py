"""A scenario with other rates: those that were fitted, or may have been."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from covey.errors import CoveyWarning
from covey.model.network import Network
from covey.model.reaction import Reaction
from covey.model.scenario import Scenario
from covey.study.fit.task import Task


def with_rates(scenario: Scenario, rates: Sequence[float]) -> Scenario:
    """The scenario with other rate constants, and all else as it was.

    Args:
        scenario: Its reactions stay.
        rates: One for each parameter of its `Task`, in that order.
    """
    old = scenario.network
    named, reactions = dict(old.rates), []
    parameters = Task(old, 0, 0.95, None).parameter
    for reaction, p in zip(old.reactions, parameters, strict=True):
        rate: float | str = reaction.rate
        if isinstance(rate, str):
            named[rate] = rates[p]
        else:
            rate = rates[p]
        reactions.append(Reaction(reaction.reactants, reaction.products, rate))
    with warnings.catch_warnings():  # what is worth a look was said of the scenario itself
        warnings.simplefilter("ignore", CoveyWarning)
        return scenario.with_(network=Network(reactions, named, old.kinetics), warn=False)
