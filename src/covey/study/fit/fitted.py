"""A scenario with other rates: those that were fitted, or may have been."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

from covey.errors import CoveyWarning
from covey.model.network import Network
from covey.model.reaction import Reaction, print_reactions
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.study.fit.task import Task, rate_factor


def with_rates(scenario: Scenario, rates: Sequence[float]) -> Scenario:
    """The scenario with other rate constants, and all else as it was.

    Args:
        scenario: Its reactions stay.
        rates: One for each parameter of its `Task`, in that order.
    """
    old = scenario.network
    named, reactions = {}, []
    parameters = Task(old, 0, 0.95, None).parameter
    for reaction, p in zip(old.reactions, parameters, strict=True):
        factor = rate_factor(reaction, old)
        if factor is not None:
            named[factor] = rates[p]
            reactions.append(reaction)
        else:
            sides = reaction.reactants, reaction.products
            reactions.append(Reaction(*sides, rates[p], reaction.name))
    with warnings.catch_warnings():  # what is worth a look was said of the scenario itself
        warnings.simplefilter("ignore", CoveyWarning)
        if reactions == list(old.reactions):  # written as they were, in families
            return scenario.with_(network=old.with_rates(named), warn=False)
        network = Network(reactions, {**old.rates, **named}, old.kinetics)
        return scenario.with_(network=network, warn=False)


def with_stages(scenario: Scenario, stages: Mapping[Species, int]) -> Scenario:
    """The scenario in which these species last so many stages, and all others one.

    Args:
        scenario: Its reactions stay, at the same rates.
        stages: Of species that one reaction alone leads out of.
    """
    reactions = [
        replace(one, stages=1 if single is None else stages.get(single, 1))
        for one in scenario.network.plain_reactions
        for single in [one.reactants.single]
    ]
    if reactions == list(scenario.network.plain_reactions):  # in families, as they are written
        return scenario
    document = scenario.to_document()
    document["network"]["reactions"] = "\n".join(print_reactions(reactions))
    with warnings.catch_warnings():  # what is worth a look was said of the scenario itself
        warnings.simplefilter("ignore", CoveyWarning)
        return Scenario.from_document(document)
