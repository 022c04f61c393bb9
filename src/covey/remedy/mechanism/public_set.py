"""The public set of teams that a table is made for, and what is there of each of them.

Fixed without looking at the own team, and told to everybody. Two teams of it that differ in one
robot's type must look alike; teams of it that no such step joins (one has more robots) may be told
apart, as the counts tell that anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.following import refuse_following
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.model.team import Team
from covey.privacy.cases import case_of
from covey.privacy.distribution_cache import DistributionCache
from covey.privacy.hypotheses import Relation, check_types_only
from covey.privacy.snapshot.arriving import is_open
from covey.privacy.snapshot.output_distributions import (
    TeamDistributions,
    distributions_by,
)

Teams = TeamSet | Mapping[str, object] | str
THIS = "this"  # only the scenario's own team


def public_set(scenario: Scenario, teams: Teams | None) -> TeamSet | None:
    """The set that is asked for, else the scenario's; None where it is this team alone.

    Args:
        scenario: Whose team must be one of the set.
        teams: A set, or "this"; by default that of the scenario's [secret].
    """
    refuse_following(scenario, "a table")
    if teams == THIS:
        return None
    found = scenario.secret.teams if teams is None else teams
    if found is None:
        raise InputError(needs_a_set(scenario), key="secret.teams")
    if isinstance(found, str):
        found = TeamSet.parse(found)
    elif not isinstance(found, TeamSet):
        found = TeamSet(found)
    found.check_has(scenario.team)
    if not found.adjacent(scenario.team, scenario.protected):
        raise InputError(
            f"no two teams of {found} differ in one robot's type: nothing is protected there; give "
            f"two types a range, as {suggested(scenario.team)}",
            key="secret.teams",
        )
    return found


def needs_a_set(scenario: Scenario) -> str:
    """Why a table needs a set of teams, and one that would do."""
    alone = 'with --only-this-team (teams="this") and keep the file as secret as the team'
    why = "a table that is made for this team alone names the team to whoever sees it."
    if not Relation.of(scenario).is_type:
        return f"{why} Tables for a set of teams are about types only: make it {alone}"
    return (
        f"{why} Make it for a public set of teams, chosen without looking at this one, as --teams "
        f"{suggested(scenario.team)} (each type one more or less; [secret.teams] in the file, "
        f"teams= in Python); or make it {alone}"
    )


def suggested(team: Team) -> str:
    """A set of teams: of each type one more or less."""
    spans = {name: (max(count - 1, 0), count + 1) for name, count in team.types.items()}
    return str(TeamSet(spans))


def set_distributions(
    solver: Solver,
    scenario: Scenario,
    teams: TeamSet | None,
    moments: Sequence[Moment],
    progress: Progress | None = None,
) -> list[TeamDistributions]:
    """What is there of every team of the set at every moment, with its neighbours in the set.

    Args:
        solver: For the scenario's network.
        scenario: Without a mechanism.
        teams: The set; None for the scenario's team and all its neighbours.
        moments: Times, or "steady".
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if teams is None:
        alone = scenario.with_({"secret.teams": None}, warn=False)
        return distributions_by(solver, alone, moments, progress)
    check_types_only(scenario, "a table for a set of teams")
    if is_open(scenario) and "steady" in moments:
        raise UnsupportedError(
            "robots come and go here, and at steady state no team is left of the start: a table "
            "for a set of teams needs a time (--at), or --only-this-team for a robot that arrives"
        )
    listed = teams.teams(scenario.team)
    cache = DistributionCache(solver, scenario.query, moments, progress)
    found = cache.several([case_of(scenario, team) for team in listed])
    of = dict(zip(listed, found, strict=True))
    among = [scenario.with_(team=team, warn=False) for team in listed]
    return [
        TeamDistributions(
            one,
            moment,
            of[one.team][place],
            tuple(
                (neighbour, of[neighbour.team][place])
                for neighbour in one.team.neighbours(scenario.protected)
                if neighbour.team in of
            ),
        )
        for one in among
        for place, moment in enumerate(moments)
    ]
