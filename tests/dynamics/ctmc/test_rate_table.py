"""The table of rates: numbers that lead back to the rates, however many there are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.ctmc.rate_table import RateTable
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.state_space.enumeration import explore
from covey.model.network import Network


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.floats(1e-300, 1e300) | st.integers(1, 9).map(float)), max_size=4))
def test_numbers_lead_back_to_the_rates(batches: list[list[float]]) -> None:
    table = RateTable()
    found = [table.numbers(np.array(batch)) for batch in batches]
    for batch, numbers in zip(batches, found, strict=True):
        assert table.rates[numbers].tolist() == batch
    assert table.known == 1 + len({rate for batch in batches for rate in batch})


def test_more_rates_than_two_bytes_can_count() -> None:
    table = RateTable()
    rates = np.sqrt(np.arange(1.0, 200_001.0))
    numbers = table.numbers(np.concatenate([rates, rates[::-1]]))
    assert np.array_equal(table.rates[numbers], np.concatenate([rates, rates[::-1]]))
    assert table.dtype is np.uint32


def test_a_large_generator_holds_the_numbers_of_its_rates() -> None:
    network = Network("a <-> b @ 0.1, 2\nb <-> c @ 3, 0.7")
    generator = build(network, explore(network, np.array([100, 0, 0]), max_states=10_000))
    assert generator.stored.dtype == np.uint16
    assert set(generator.rates) == {k * n for k in (0.1, 2.0, 3.0, 0.7) for n in range(1, 101)}
    members = np.arange(0, len(generator), 2)
    assert set(generator.restrict(members).rates) <= set(generator.rates)
