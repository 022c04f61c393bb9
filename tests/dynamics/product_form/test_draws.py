"""States drawn from the product form have its distribution."""

from __future__ import annotations

import numpy as np
import pytest

import covey
from covey.dynamics.product_form.draws import draw_states
from covey.model.scenario import Scenario
from tests.privacy.small_teams import shared_resource

_DRAWN = 20_000


@pytest.mark.parametrize(
    "scenario",
    [shared_resource(), shared_resource(5, 3), covey.load("examples/warehouse.toml")],
    ids=["three robots", "eight", "warehouse"],
)
def test_how_often_every_outcome_is_drawn(scenario: Scenario) -> None:
    form = covey.ProductForm(scenario.network)
    states = draw_states(form, scenario.start, _DRAWN, np.random.default_rng(7))
    exact = form.observe(scenario.start, scenario.query)
    seen = states @ scenario.query.matrix(scenario.network).T
    outcomes, counts = np.unique(seen, axis=0, return_counts=True)
    drawn = dict(zip(map(tuple, outcomes.tolist()), counts.tolist(), strict=True))
    chances = np.exp(exact.log_probabilities)
    known = [tuple(outcome) for outcome in exact.outcomes.tolist()]
    assert set(drawn) <= set(known)
    for outcome, chance in zip(known, chances.tolist(), strict=True):
        spread = np.sqrt(_DRAWN * chance * (1 - chance))
        assert abs(drawn.get(outcome, 0) - _DRAWN * chance) <= 5 * spread + 1


def test_where_nothing_can_happen_the_start_is_drawn() -> None:
    network = covey.Network("{A} + {R} <-> {A,R} @ 3, 1")
    states = draw_states(
        covey.ProductForm(network), np.array([0, 2, 0]), 3, np.random.default_rng(0)
    )
    assert states.tolist() == [[0, 2, 0]] * 3
