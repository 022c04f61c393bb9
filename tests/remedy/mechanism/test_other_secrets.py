"""Tables for other secrets of this team alone: their word, by sums over what is published."""

import math
from typing import Any

import numpy as np
import pytest

import covey
from covey.model.scenario import Scenario

SHARED = covey.load("examples/shared-resource.toml")
TASKS = covey.load("examples/task-network.toml").with_(
    {"types.1": 1, "types.2": 1, "types.3": 1, "adversary.at": 1.0}
)

CASES: dict[str, tuple[Scenario, list[dict[str, Any]]]] = {
    "membership": (
        SHARED.with_({"secret.protect": ["membership"]}),
        [{"types.A": 1}, {"types.B": 0}],
    ),
    "rates": (SHARED.keeping(against=[{"rates.take": 0.5}]), [{"rates.take": 0.5}]),
    "counts": (SHARED.keeping(against=[{"types.A": 4}]), [{"types.A": 4}]),
    "time": (SHARED.keeping(against=[{"adversary.at": 0.2}]), [{"adversary.at": 0.2}]),
    "start": (
        TASKS.with_({"secret.protect": ["start"]}),
        [{"initial.1": "w{1}"}, {"initial.2": "w{2}"}, {"initial.3": "w{3}"}],
    ),
}


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("case", CASES)
def test_the_table_keeps_its_word(case: str, epsilon: float) -> None:
    scenario, others = CASES[case]
    found = covey.protect(scenario, epsilon, teams="this")
    places = {tuple(row): place for place, row in enumerate(found.seen.tolist())}

    def published(one: Scenario) -> Any:
        seen = covey.distribution(one)
        rows = [places[tuple(row)] for row in seen.outcomes.tolist()]
        return np.asarray(seen.probabilities @ found.table[rows])

    own = published(scenario)
    for changes in others:
        other = published(scenario.with_(changes))
        assert own.sum() == pytest.approx(1, abs=1e-9)
        assert other.sum() == pytest.approx(1, abs=1e-9)
        assert (own <= math.exp(epsilon) * other + 1e-12).all()
        assert (other <= math.exp(epsilon) * own + 1e-12).all()
