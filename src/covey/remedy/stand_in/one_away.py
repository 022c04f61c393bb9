"""What a stand-in costs whose reference turns out to be one robot off the team.

A reference is chosen without looking at the team, so that nobody can say beforehand how far it is
off. One robot is the least that differs: these prices say what to reckon with, and name no
reference to take.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.scenario import Scenario
from covey.privacy.hypotheses import neighbours_only
from covey.remedy.mechanism.losses import Loss
from covey.remedy.stand_in.coupling import optimal
from covey.remedy.stand_in.pairs import Pairs
from covey.remedy.stand_in.price import Price, exact_price
from covey.remedy.stand_in.simulated_price import fewest_events, simulated_price
from covey.words import rounded

_MOST_PAIRS = 40_000  # of all references together: some ten seconds
_MOST_EVENTS = 2e6  # likewise, where they are simulated


@dataclass(frozen=True)
class OneAway:
    """The prices of stand-ins that are one robot off.

    Attributes:
        references: The reference of each, as a scenario, and what it costs.
    """

    references: tuple[tuple[Scenario, Price], ...]

    @property
    def worst(self) -> tuple[Scenario, Price]:
        """The one that costs most."""
        return max(self.references, key=lambda one: one[1].loss)

    @property
    def loss(self) -> float:
        """What the most expensive of them loses, at most."""
        return max(price.interval[1] for _, price in self.references)

    @property
    def how(self) -> str:
        """` by simulation`, where the prices are no exact ones."""
        simulated = any(price.confidence is not None for _, price in self.references)
        return " by simulation" if simulated else ""

    def __str__(self) -> str:
        return (
            "A stand-in gives away nothing, however long one watches: a public reference team that "
            "moves along with the real one is published instead, and an observer is right 50% of "
            "the time, as by guessing. Choose the reference without looking at the team; if it is "
            f"one robot off, what is published is off by {rounded(self.loss, '.3g', 'up')} on "
            f"average at most{self.how} (covey protect --stand-in)."
        )


def one_away(
    solver: Solver, scenario: Scenario, loss: Loss = "l1", progress: Progress | None = None
) -> OneAway:
    """The prices of all references that are one robot off.

    Where the pairs of states are many, they are simulated, coupled greedily: the best coupling of a
    large team costs hardly less, and takes a minute to find (`difference`).

    Args:
        solver: For the scenario's network.
        scenario: The real team.
        loss: What an error costs.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    plain = scenario.unpublished()
    teams = dict.fromkeys(neighbour.team for neighbour in neighbours_only(plain, "a stand-in"))
    reached = solver.reach(plain.start)
    states = reached.at_least
    many = reached.states is None or states * states * len(teams) > _MOST_PAIRS
    steady = plain.adversary.at == "steady"
    if many and not (steady and len(teams) * fewest_events(plain) <= _MOST_EVENTS):
        raise TooLargeError(
            f"a stand-in of {states:,} states or more takes a while to price, which is done where "
            "it is asked for: covey protect --stand-in",
            states=states,
        )
    found = []
    for team in teams:
        reference = plain.with_(team=team, warn=False)
        if many:
            price = simulated_price(plain, reference, loss, progress=progress, events=0.0)
            found.append((reference, price))
            continue
        coupling = optimal(Pairs.of(solver, plain, reference, loss), progress)
        found.append((reference, exact_price(coupling, plain.adversary.at, progress)))
    return OneAway(tuple(found))
