"""Intervals hold the true value to the last digit: known in 50 digits for one robot that flips."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath as mp
import pytest

from covey import Network, Query, Scenario, Team, infer, leakage

FLIPS = Network("{A} <-> w{A} @ a, a\n{B} <-> v{B} @ 1, 1", {"a": 33.0})
TWO = Scenario(FLIPS, Team({"A": 1, "B": 0}), Query(busy="w{A} + v{B}"))
ONE = TWO.with_(query=Query(busy="w{A}"), warn=False)  # a direct breach, on purpose

CASES = list(itertools.product((33.0, 7.0, 0.3), (1e-9, 1e-4, 0.3), (1e-4, 3e-7, 0.02, 0.9)))


@pytest.mark.parametrize(("rate", "at", "nu"), CASES)
def test_smoothed_leakage_is_in_its_interval(rate: float, at: float, nu: float) -> None:
    found = leakage(ONE.with_({"rates.a": rate}), at, smoothing=nu)
    with mp.workdps(50):
        busy = (1 - mp.exp(-2 * mp.mpf(rate) * mp.mpf(at))) / 2
        smooth = mp.mpf(nu)
        # A robot that is no A is never busy.
        true = max(
            abs(mp.log((busy + smooth) / smooth)),
            abs(mp.log((1 - busy + smooth) / (1 + smooth))),
        )
        assert mp.mpf(found.interval[0]) <= true <= mp.mpf(found.interval[1])
    assert found.interval[1] - found.interval[0] < 1e-9 * max(1.0, found.value)


def test_a_posterior_of_a_third_is_in_its_interval() -> None:
    alike = Network("{A} <-> w{A} @ 1, 1\n{B} <-> w{B} @ 1, 1\n{C} <-> w{C} @ 1, 1")
    team = Team({"A": 1, "B": 0, "C": 0})
    seen = Query(busy="w{A} + w{B} + w{C}")
    found = infer(Scenario(alike, team, seen), {"busy": 1})
    for belief in found.beliefs:
        low, high = belief.interval
        assert Fraction(low) <= Fraction(1, 3) <= Fraction(high)
        assert math.isclose(low, high, rel_tol=1e-10)
