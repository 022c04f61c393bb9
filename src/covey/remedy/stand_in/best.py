"""Which reference? The team of a public set that costs least, at worst or in the mean over the set.

The set is fixed without looking at the real team, and so is all that is computed here: whichever
team of the set is real, the same reference comes out. Every team of the set is a candidate. No
release with a candidate's distribution costs a team less than the Wasserstein distance of both
(`price.least_loss`); a candidate that cannot become the best by these bounds is left early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.remedy.stand_in.pricing import Pricing, Way

# At worst over the set, or in the mean.
BEST: dict[str, Callable[[Iterable[float]], float]] = {"best": max, "best-mean": sum}
MOST_TEAMS = 100  # a price takes a second, and there are up to teams × teams of them


def public_teams(scenario: Scenario) -> list[Team]:
    """The teams of the scenario's public set."""
    if scenario.secret.teams is None:
        raise InputError(
            "the best stand-in is the best for a public set of teams, and none is given: write one "
            "as [secret.teams] carrier = [5, 7], or as --teams carrier=5:7,picker=3:5",
            key="secret.teams",
        )
    return scenario.secret.teams.teams(scenario.team)


def best_reference(scenario: Scenario, teams: Sequence[Team], way: Way, which: str) -> Scenario:
    """The scenario with the team that costs least as a reference for all of them.

    Args:
        scenario: The network, and what is seen of it; its own team is not looked at.
        teams: The teams that may be real, and may be the reference.
        way: How prices are found.
        which: "best", at worst over the teams, or "best-mean".
    """
    if not 0 < len(teams) <= MOST_TEAMS:
        raise InputError(
            f"the set has {len(teams):,} teams, and the best reference is searched for among "
            f"{MOST_TEAMS} at most: narrow the set, or name a reference",
            key="secret.teams",
        )
    whole = BEST[which]
    candidates = [scenario.with_(team=team, warn=False) for team in teams]
    pricings = [Pricing(way, candidate) for candidate in candidates]
    bounds = [[pricing.least(real) for real in candidates] for pricing in pricings]
    chosen, least = candidates[0], float("inf")
    for place in sorted(range(len(teams)), key=lambda k: whole(bounds[k])):
        costs = list(bounds[place])
        for real in sorted(range(len(teams)), key=costs.__getitem__, reverse=True):
            if whole(costs) >= least:
                break
            if way.progress is not None:
                way.progress(place, len(teams), "references")
            costs[real] = pricings[place].price(candidates[real]).price.loss
        if whole(costs) < least:
            chosen, least = candidates[place], whole(costs)
    return chosen
