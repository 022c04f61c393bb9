"""Cases: what the distribution of a hypothesis is computed of.

A case is a network with its rates, a start in it, and a moment. `case_of` gives that of a scenario
as it is, or under a hypothesis. In what is watched of a stand-in (`Scenario.watched`) every team
starts where the reference starts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from covey.errors import UnsupportedError
from covey.model.hypothesis import Hypothesis, OtherStart, OtherValues
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.team import Absent, Neighbour, Team


@dataclass(frozen=True)
class Case:
    """A network, a start in it, and when it is looked at.

    Attributes:
        network: The reactions with their rates.
        start: How many there are of each species at time 0.
        at: The moment; None where it is that of the scenario itself.
    """

    network: Network
    start: tuple[int, ...]
    at: Moment | None = None


def case_of(scenario: Scenario, supposed: Hypothesis | Team | None = None) -> Case:
    """The scenario as it is, under a hypothesis, or with another team."""
    if isinstance(supposed, OtherValues):
        return _with_values(scenario, supposed)
    if isinstance(supposed, OtherStart):
        return Case(scenario.network, _moved(scenario, supposed))
    team = supposed if isinstance(supposed, Team) else team_of(scenario, supposed)
    return Case(scenario.network, tuple(scenario.start_of(team).tolist()))


def cases_of(scenario: Scenario, hypotheses: Iterable[Hypothesis]) -> list[Case]:
    """The scenario as it is, and under each hypothesis."""
    return [case_of(scenario), *(case_of(scenario, one) for one in hypotheses)]


def team_of(scenario: Scenario, hypothesis: Hypothesis | None = None) -> Team:
    """The team under a hypothesis."""
    if isinstance(hypothesis, Neighbour | Absent):
        return hypothesis.team
    if isinstance(hypothesis, OtherValues):
        return scenario.with_(hypothesis.values, warn=False).team
    return scenario.team


def told_by_totals(scenario: Scenario, hypothesis: Hypothesis) -> bool:
    """Whether some total of what is seen never changes, and is another under the hypothesis.

    The counts y = Q x change by Q S only, S being the changes of the reactions: what Q adds to the
    difference of the two starts shows for ever where it is no combination of those.
    """
    network = scenario.network
    if not scenario.query.is_linear:
        return False
    seen = scenario.query.matrix(network)  # (counts, species)
    changes = seen @ network.changes.T  # (counts, reactions)
    apart = seen @ (np.array(case_of(scenario, hypothesis).start) - scenario.start)
    rank = int(np.linalg.matrix_rank(changes)) if changes.size else 0
    return int(np.linalg.matrix_rank(np.column_stack([changes, apart]))) > rank


def _with_values(scenario: Scenario, hypothesis: OtherValues) -> Case:
    if scenario.always is not None and not hypothesis.of_counts:
        raise UnsupportedError(
            "a stand-in is published, which is promised at the rates and the moment of the "
            f"scenario, and {hypothesis} has others: leave it out"
        )
    other = scenario.with_(hypothesis.values, warn=False)
    at = other.adversary.at if "adversary.at" in hypothesis.values else None
    return Case(other.network, tuple(other.start.tolist()), at)


def _moved(scenario: Scenario, hypothesis: OtherStart) -> tuple[int, ...]:
    start, own = scenario.start.copy(), scenario.initial[hypothesis.type]
    if scenario.always is None:
        assert isinstance(own, Species)  # the place of a type
        start[scenario.network.index[own]] -= 1
        start[scenario.network.index[hypothesis.place]] += 1
    return tuple(start.tolist())
