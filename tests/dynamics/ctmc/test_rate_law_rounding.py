"""The error of rate laws by rounding: never below the true one, found in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Network
from covey.dynamics.ctmc.rate_law_rounding import rate_law_roundings
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.numbers import UNIT

counts = st.integers(0, 40)
rates = st.floats(0.01, 100)


@given(counts, counts, rates, rates)
def test_no_rate_is_further_off_than_is_said(x: int, y: int, a: float, b: float) -> None:
    network = Network(
        "{A} -> w{A} @ [max(0, (a * {A} - b * w{A} / 3) / (1 + a * w{A} + b * b) * {A})]",
        rates={"a": a, "b": b},
    )
    columns = np.array([[x], [y]])
    found = float(network.programs[0].run(columns)[0])
    fa, fb = Fraction(a), Fraction(b)
    exact = max(Fraction(0), (fa * x - fb * y / 3) / (1 + fa * y + fb * fb) * x)
    if found > 0 and exact > 0:
        off = abs(Fraction(found) / exact - 1) / Fraction(UNIT)
        assert off <= rate_law_roundings(network, columns)


def test_mass_action_has_none_and_cancelling_has_many() -> None:
    states = np.array([[3, 0], [2, 1], [1, 2], [0, 3]])
    assert rate_law_roundings(Network("{A} <-> w{A} @ 2, 1"), states.T) == 0
    cancels = Network("{A} -> w{A} @ [(0.1 * {A} + 0.2 * {A} - 0.3 * {A} + 1e-14) * {A}]")
    assert rate_law_roundings(cancels, states.T) > 1000
    assert TruncatedChain.of(cancels, states).noise > 1000 * UNIT


@pytest.mark.parametrize(
    ("law", "units"), [("2 * {A}", 1), ("{A}^2", 4), ("min({A}, 3)", 0), ("{A} / 3", 1)]
)
def test_few_steps_err_little(law: str, units: int) -> None:
    network = Network(f"{{A}} -> w{{A}} @ [{law}]")
    assert units <= rate_law_roundings(network, np.array([[3, 2, 1], [0, 1, 2]])) <= units + 1
