"""What helps most: every single change, tried exactly, and what it would have to be set to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covey.app.answers.asked import Asked
from covey.model.scenario import Scenario
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.study.sensitivity.changes import Change
from covey.study.sensitivity.sensitivity import Effect, Sensitivity, sensitivity_by

_BEST = 5


def helps(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The changes that help most, the best first."""
    scenario = asked.scenario()
    solver = asked.solver(scenario)
    (distributions,) = distributions_by(solver, scenario, progress=asked.progress)
    found = sensitivity_by(solver, distributions, 2.0, 1, asked.progress)
    yield "helps", [_row(found, effect) for effect in found.best(_BEST)]
    yield "changes", [_row(found, effect) for effect in found.effects]
    yield "said", str(found)


def _row(found: Sensitivity, effect: Effect) -> dict[str, Any]:
    after = effect.after
    return {
        **effect.row(),
        "set": settings(effect.change),
        "before": _measures(found.before.leakage, found.before.bayes_success),
        "after": None if after.why else _measures(after.leakage, after.bayes_success),
        "leakage": None if after.why else after.leakage,
        "lower": None if after.why else after.interval[0],
        "upper": None if after.why else after.interval[1],
        "total_variation": None if after.why else after.total_variation,
    }


def _measures(leakage: float, right: float) -> dict[str, float]:
    return {"leakage": leakage, "guess": right}


def settings(change: Change) -> dict[str, Any] | None:
    """What makes a text mean the change; None where it is about a number inside a reaction."""
    after: Scenario = change.scenario
    table, _, name = change.knob.partition(".")
    if change.kind == "release":
        return {"observe": after.query.texts()}
    if change.kind == "count":
        return {change.knob: after.team.members[name]}
    if table == "rates" and name in after.network.rates:
        return {change.knob: after.network.rates[name]}
    return None
