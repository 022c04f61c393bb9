"""Times in stages: what is said is of the species that are written, all stages together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

from covey import StateWatch, hidden_state, infer, leakage, loads

SCENARIO = loads("""
types = { A = 2, B = 1 }
[network]
reactions = '''
{A} -> w{A} @ 0.5
w{A} -> {A} @ erlang(3, 0.4)
{B} <-> w{B} @ 1, 1
'''
[observe]
busy = "w{A} + w{B}"
[adversary]
at = 1.0
""")


def busy(first: int) -> float:
    """How probably an A that begins free, or in a stage, is busy at time 1."""
    rates = np.diag([-0.5, -1.2, -1.2, -1.2]) + np.diag([0.5, 1.2, 1.2], -1)
    rates[0, 3] = 1.2
    return 1.0 - float(expm(rates)[0, first])


A, B = busy(0), (1 - math.exp(-2.0)) / 2


def test_whoever_is_in_any_stage_is_in_the_species() -> None:
    found = hidden_state(SCENARIO, {"busy": 1})
    one_a, one_b = 2 * A * (1 - A) * (1 - B), (1 - A) ** 2 * B
    assert found.places["A"] == pytest.approx(
        {
            "{A}": 1 - one_a / (one_a + one_b) / 2,
            "w{A}": one_a / (one_a + one_b) / 2,
        }
    )
    assert found.places_before["A"]["w{A}"] == pytest.approx(A)
    assert found.counts["w{A}"] == pytest.approx(
        {
            0: one_b / (one_a + one_b),
            1: one_a / (one_a + one_b),
        }
    )
    assert set(found.counts) == {"{A}", "w{A}", "{B}", "w{B}"}
    watched = StateWatch(SCENARIO).see(1.0, {"busy": 1})
    assert watched.places["A"] == pytest.approx(found.places["A"])


def test_what_is_known_of_a_species_is_known_of_all_its_stages() -> None:
    """P(an A is busy), where one of the team is said to be."""
    found = infer(SCENARIO, {"busy": 1}, knowing={"w{A}": 1})
    as_it_is = 2 * A * (1 - A) * (1 - B)
    one_fewer, one_more = A * (1 - B) ** 2, 3 * A * (1 - A) ** 2
    total = as_it_is + one_fewer + one_more
    assert list(found.posterior.values()) == pytest.approx(
        [x / total for x in (as_it_is, one_fewer, one_more)]
    )
    state = hidden_state(SCENARIO, {"busy": 1}, knowing={"w{A}": 1})
    assert state.places["A"] == pytest.approx({"{A}": 0.5, "w{A}": 0.5})


def test_nobody_begins_in_a_later_stage() -> None:
    found = leakage(SCENARIO.with_({"secret.protect": ["start"]}))
    assert {str(pair.neighbour) for pair in found.pairs} == {
        "one A beginning at w{A}",
        "one B beginning at w{B}",
    }
    assert found.value == pytest.approx(math.log((1 - A) / (1 - busy(1))))  # nobody is busy
