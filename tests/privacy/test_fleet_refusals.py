"""Fleets whose steady state cannot be computed: what every refusal advises was tried, and answers."""

from __future__ import annotations

import pytest

import covey
from covey.dynamics.limits import Limits, MethodName
from covey.errors import CoveyError, TooLargeError
from covey.remedy.mechanism.protect_stream import protect_stream
from covey.remedy.stand_in.stand_in import stand_in
from tests.privacy.fleets import broken_fleet, four_types

FEW = 40_000  # more states than are counted at once, so that they have to be listed


@pytest.mark.parametrize("method", [None, "stationary", "window", "projection"])
def test_every_refusal_advises_what_answers(method: MethodName | None) -> None:
    """None of them sends to another that refuses."""
    with pytest.raises(CoveyError) as refusal:
        covey.leakage(four_types(), limits=Limits(method=method, max_states=FEW))
    message = refusal.value.message
    assert "covey audit simulates" in message
    assert "covey protect finds a stand-in" in message
    assert "every reachable state fits" not in message


def test_the_audit_that_is_advised_answers() -> None:
    found = covey.audit(four_types(), samples=200)
    assert len(found.pairs) == 12


@pytest.mark.slow
def test_the_stand_in_that_is_advised_answers() -> None:
    """No state is listed for its price: only one in so many could be."""
    fleet = four_types()
    made = stand_in(fleet, {"a": 61, "b": 47, "c": 36, "d": 36}, coupling="greedy")
    assert made.price.confidence is not None
    assert 0 < made.price.loss < 1
    assert len(made.others) == 12


def test_a_small_team_is_told_to_leave_the_method_out() -> None:
    small = four_types().with_({"types.a": 2, "types.b": 1, "types.c": 1, "types.d": 1})
    with pytest.raises(CoveyError, match="Leave the method out$"):
        covey.leakage(small, limits=Limits(method="projection"))
    assert covey.leakage(small).value > 0


def test_a_fleet_is_told_at_once_what_keeps_a_stream_to_a_target() -> None:
    with pytest.raises(TooLargeError, match="covey protect --stand-in"):
        protect_stream(broken_fleet({}), 1, 1440, guess=0.6)
