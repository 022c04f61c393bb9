"""A mechanism, and the other ways to publish, as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.remedy.mechanism.mechanism import Compared, Mechanism
    from covey.remedy.stand_in.stand_in import StandIn


def mechanism_keys(found: Mechanism, others: list[Compared]) -> dict[str, Any]:
    """What is promised, what it costs, and what else could be done."""
    return {
        "epsilon": found.epsilon,
        "delta": found.delta,
        "leakage_before": max(leak.value for leak in found.before),
        "leakage": found.leakage.value,
        "lower": found.leakage.interval[0],
        "upper": found.release.leakage,
        "total_variation": found.profile.total_variation,
        "loss": found.loss,
        "least": found.least,
        "unchanged": found.unchanged,
        "teams": None if found.teams is None else found.teams.table(),
        "within": None if found.within is None else found.within.table(),
        "losses": [
            {"team": dict(team.types), "loss": loss, "unchanged": truth}
            for team, loss, truth in found.by_team
        ],
        "seen": len(found.seen),
        "published": len(found.published),
        "compared": list(map(point_keys, others)),
    }


def stand_in_keys(found: StandIn) -> dict[str, Any]:
    """A stand-in, and what it costs."""
    return {
        "stand_in": dict(found.reference.team.types),
        "epsilon": found.epsilon,
        "delta": found.delta,
        "loss": found.price.loss,
        "lower": found.price.interval[0],
        "upper": found.price.interval[1],
        "confidence": found.price.confidence,
        "least": found.least,
        "unchanged": found.price.unchanged,
        "coupling": found.coupling,
        "teams": [
            {"team": dict(team.types), "loss": price.loss, "unchanged": price.unchanged}
            for _, team, price in found.others
        ],
        "misfit": [{"within": within, "guess": right} for within, right in found.misfit],
        "fitted": found.fitted,
    }


def point_keys(point: Compared) -> dict[str, Any]:
    """One way among several."""
    return {
        "kind": point.kind,
        "name": point.name,
        "leakage": point.leakage,
        "epsilon_at": {"delta": point.delta, "epsilon": point.epsilon},
        "total_variation": point.total_variation,
        "guess": point.guess,
        "loss": None if math.isnan(point.loss) else point.loss,
    }
