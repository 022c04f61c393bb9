"""A stream that keeps to its target, by paths that nobody chose it by; and how values age."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import covey
from covey.dynamics.engine import Engine
from covey.errors import InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.published import released
from covey.remedy.protect_stream import protect_stream
from covey.remedy.staleness import Staleness


def flipping() -> Scenario:
    """Two robots, of types that flip between two sights at different rates."""
    network = covey.Network("a{1} <-> b{1} @ 1, 1\na{2} <-> b{2} @ 4, 3")
    query = covey.Query(a="a{1} + a{2}", b="b{1} + b{2}")
    team = covey.Team({"1": 1, "2": 1})
    return Scenario(network, team, query, initial={"1": "a{1}", "2": "a{2}"})


def test_a_value_ages_as_the_chain_forgets() -> None:
    # One robot that flips at rate 1 both ways: it is elsewhere after s with (1 − e^(−2s)) / 2, and
    # then both counts are off by one. On average until Δ: 1 − (1 − e^(−2Δ)) / (2Δ).
    network = covey.Network("a{1} <-> b{1} @ 1, 1\na{2} <-> b{2} @ 1, 1")
    query = covey.Query(a="a{1} + a{2}", b="b{1} + b{2}")
    one = Scenario(network, covey.Team({"1": 1, "2": 0}), query, initial={"1": "a{1}", "2": "a{2}"})
    stale = Staleness(Engine(network), one, [0.1, 1.0, 4.0])
    for every in (0.1, 1.0, 4.0):
        aged = stale.aged("l1", every, np.array([[0, 1], [1, 0]]))
        expected = 1 - (1 - np.exp(-2 * every)) / (2 * every)
        assert aged[0, 1][0, 1] == pytest.approx(expected, rel=5e-3)
        assert aged[0, 1][1, 0] == pytest.approx(2 - expected, rel=5e-3)


def test_a_stream_keeps_to_its_target() -> None:
    whole = flipping()
    found = protect_stream(whole, 1, 16, guess=0.56, accuracy=0.05)
    assert found.stream.guess[-1].upper <= 0.56
    assert found.mechanism.leakage.interval[1] <= found.mechanism.epsilon
    assert found.mechanism.release.made_for["every"] == found.every
    assert found.until / found.every == found.stream.glances[-1]
    again = covey.stream(
        whole, found.every, found.until, accuracy=0.05, seed=99,
        seen=partial(released, table=found.mechanism.release),
    )  # fmt: skip
    assert again.guess[-1].lower <= 0.56
    # The truth so often would tell more than is allowed, or nothing had to be done.
    assert covey.stream(whole, 1, 16, accuracy=0.05).guess[-1].lower > 0.56
    assert "right at most" in str(found)


def test_what_is_wrong_is_said() -> None:
    whole = flipping()
    with pytest.raises(InputError, match=r"above 0\.5"):
        protect_stream(whole, 1, 16, guess=0.5)
    with pytest.raises(InputError, match="is not said"):
        protect_stream(whole, 1, guess=0.6)
    with pytest.raises(InputError, match="above 0 and up to 16"):
        protect_stream(whole, 17, 16, guess=0.6)
    with pytest.raises(UnsupportedError, match="settled"):
        protect_stream(whole.with_({"adversary.at": 1.0}), 1, 16, guess=0.6)
