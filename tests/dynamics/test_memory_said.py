"""Nobody's memory is taken by the gigabyte without a word."""

from __future__ import annotations

import warnings

import pytest

from covey import CoveyWarning, Network, Solver
from covey.dynamics import prepared_network

PAIRS = Network("{A} + {B} <-> {A,B} @ 1, 2")


def test_a_chain_of_gigabytes_is_said_before_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Solver(PAIRS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.distributions([4, 3, 0], [1.0])
    monkeypatch.setattr(prepared_network, "_SAID_FROM", 0.0)
    with pytest.warns(CoveyWarning, match="4 states or more.*covey audit simulates"):
        Solver(PAIRS).distributions([4, 3, 0], [1.0])
