"""What one snapshot gives away, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.model.hypothesis import Hypothesis
    from covey.model.team import Team
    from covey.privacy.headline import OverTime
    from covey.privacy.hypotheses import Relation
    from covey.privacy.snapshot.leakage import Headline, PairLeakage
    from covey.privacy.snapshot.profile import Profile
    from covey.study.rate_range import RateRange


def leakage_keys(said: Headline) -> dict[str, Any]:
    """The leakage, against every neighbour, and how it was computed."""
    found = said.leakage
    return {
        "leakage": found.value,
        "lower": found.interval[0],
        "upper": found.interval[1],
        **worst_keys(found.worst, found.relation),
        **profile_keys(found.profile, said.delta),
        "exposed": found.exposed,
        "pairs": [
            {
                "leakage": p.value,
                "lower": p.interval[0],
                "upper": p.interval[1],
                **worst_keys(p, found.relation),
            }
            for p in found.pairs
        ],
        "at": found.at,
        "protected": found.protected,
        "age": found.age,
        "relation": str(found.relation),
        "smoothing": found.smoothing,
        "lost_mass": found.truncated_mass,
        "method": found.method,
        "why": found.why,
        "states": found.states,
        "verdict": said.level.lower(),
        "over_time": None if said.over_time is None else _over_time(said.over_time),
    }


def _over_time(found: OverTime) -> dict[str, Any]:
    """What more snapshots tell; `why` it is not known, where it is not."""
    return {
        "every": found.every,
        "snapshots": [snapshots for snapshots, _ in found.bayes_success],
        "guess": [success for _, success in found.bayes_success],
        "sampled": found.sampled or None,
        "why": found.why or None,
    }


def relation_keys(relation: Relation, team: Team) -> dict[str, Any]:
    """Which scenarios are compared, and over a set of teams where the worst is."""
    return {"relation": str(relation), **team_keys(relation, team)}


def team_keys(relation: Relation, team: Team) -> dict[str, Any]:
    """Which team of a set it is; nothing where there is no set."""
    return {} if relation.teams is None else {"team": dict(team.types)}


def profile_keys(found: Profile, delta: float) -> dict[str, Any]:
    """The best guess, ε at δ and what settles a type, in the keys that programs rely on."""
    return {
        "guess": found.bayes_success,
        "epsilon_at": {"delta": delta, "epsilon": found.epsilon_interval(delta)[1]},
        "settled": found.distinguishing_mass,
    }


def worst_keys(pair: PairLeakage, relation: Relation) -> dict[str, Any]:
    """One pair: which, and what has to be seen for its leakage."""
    team, neighbour = pair.probability
    return {
        **team_keys(relation, pair.team),
        "neighbour": neighbour_keys(pair.neighbour),
        "observation": pair.observation,
        "probability": {"team": team, "neighbour": neighbour},
    }


def neighbour_keys(neighbour: Hypothesis) -> dict[str, Any]:
    """The type of one robot in the team, and in the neighbour; what another hypothesis sets."""
    return neighbour.keys()


def range_keys(found: RateRange | None) -> dict[str, Any]:
    """What fitted rates leave open, in the keys that programs rely on; nothing without a fit."""
    if found is None:
        return {}
    return {
        "range": {
            "leakage": list(found.leakage),
            "guess": list(found.bayes_success),
            "epsilon_at": {"delta": found.delta, "epsilon": list(found.epsilon)},
            "confidence": found.confidence,
            "draws": found.draws,
            "varied": list(found.varied),
            "kept": list(found.kept),
            "endless": list(found.endless),
            "seed": found.seed,
        }
    }
