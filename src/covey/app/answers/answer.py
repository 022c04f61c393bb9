"""The quick question, asked at every change: what is this team, and what does a snapshot give away?

In the order in which a page needs them: the model that the text means, then the headline, what is
seen on average, what the team achieves, both distributions, who is exposed, and the profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covey.app.answers.asked import Asked
from covey.app.answers.model import model
from covey.dynamics.mean_counts import Means, means
from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.privacy.headline import DELTA, spoken
from covey.privacy.hypotheses import Relation
from covey.privacy.snapshot.exposed import exposed_types
from covey.privacy.snapshot.leakage import Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.remedy.performance import performance_by
from covey.report.distribution_pair import DistributionPair, of_leakage
from covey.report.json_keys.leakage import leakage_keys

_BARS = 40


def answer(asked: Asked) -> Iterator[tuple[str, Any]]:
    """All parts, the quickest first."""
    text = asked.text
    if asked.options.get("set"):
        text = asked.changed()
        yield "text", text
    scenario = asked.scenario(text)
    solver = asked.solver(scenario)
    yield "model", model(solver, scenario, text)
    try:
        (distributions,) = distributions_by(solver, scenario, progress=asked.progress)
    except CoveyError:  # what is wrong may well show in the means
        yield (
            "means",
            _means(scenario, means(solver, scenario.start, scenario.adversary.at, scenario.query)),
        )
        raise
    leak = leakage_of(distributions, scenario.adversary.smoothing)
    delta = asked.number("delta")
    said = leak.headline(DELTA if delta is None else delta)
    sentences = [spoken(sentence) for sentence in said.sentences]
    yield "headline", leakage_keys(said) | {"said": sentences, "about": distributions.about}
    if distributions.age is None:
        yield "means", _means(scenario, Means.of_distribution(distributions.at, distributions.team))
    else:  # these are distributions with a robot more, who arrived some time ago
        yield (
            "means",
            _means(scenario, means(solver, scenario.start, distributions.at, scenario.query)),
        )
    if scenario.performance:
        achieved = performance_by(solver, scenario, asked.progress).measures
        yield "performance", {name: one.value for name, one in achieved.items()}
    yield "distributions", _bars(of_leakage(distributions, leak), leak.relation)
    yield "exposed", [vars(one) for one in exposed_types(leak)]
    yield "profile", _curve(leak)


def check(asked: Asked) -> Iterator[tuple[str, Any]]:
    """Whether the text is a scenario at all: an error says what it is not."""
    yield "check", {"title": asked.scenario().title}


def _means(scenario: Scenario, found: Means) -> dict[str, Any]:
    return found.keys() | {"lead": found.lead(scenario.unit)}


def _bars(distributions: DistributionPair, relation: Relation) -> dict[str, Any]:
    """The outcomes that matter most, under the team and under the neighbour."""
    shown = distributions.shown(_BARS)
    return {
        "names": list(distributions.names),
        "outcomes": distributions.outcomes[shown].tolist(),
        "team": distributions.probabilities[0, shown].tolist(),
        "other": distributions.probabilities[1, shown].tolist(),
        "whom": relation.whom(distributions.pair.team),
        "neighbour": str(distributions.neighbour),
        "marked": shown.index(distributions.marked) if distributions.marked is not None else None,
        "note": distributions.note(len(shown)),
        "shown": len(shown),
        "of": len(distributions),
    }


def _curve(leak: Leakage) -> dict[str, Any]:
    epsilon, delta = leak.profile.curve()
    return {
        "epsilon": epsilon.tolist(),
        "delta": delta.tolist(),
        "total_variation": leak.profile.total_variation,
    }
