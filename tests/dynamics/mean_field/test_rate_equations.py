"""The mean field against solutions on paper, and where it comes to rest."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.mean_field.rate_equations import equilibrium, jacobian, mean_field
from covey.errors import InputError, UnsupportedError
from covey.model.network import Network
from covey.numbers import Floats

TIMES = np.array([0.0, 0.01, 0.5, 0.5, 3.0, 40.0])


def test_a_linear_chain() -> None:
    path = mean_field(Network("A -> B @ 2\nB -> C @ 3"), [5, 0, 0], TIMES)
    a = 5 * np.exp(-2 * TIMES)
    b = 10 * (np.exp(-2 * TIMES) - np.exp(-3 * TIMES))
    np.testing.assert_allclose(path, np.stack([a, b, 5 - a - b], axis=1), atol=2e-9)


def test_a_stiff_linear_chain() -> None:
    path = mean_field(Network("A -> B @ 1e7\nB -> C @ 1"), [1, 0, 0], TIMES[1:])
    b = 1e7 / (1e7 - 1) * np.exp(-TIMES[1:])
    np.testing.assert_allclose(path[:, 1], b, atol=1e-9)


def test_a_rest_that_takes_too_many_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one stretch, too: LSODA may take a million steps where rates lie 1e9 apart."""
    asked: list[int] = []
    drift = Network.drift

    def counted(network: Network, x: Floats) -> Floats:
        asked.append(1)
        return drift(network, x)

    monkeypatch.setattr(Network, "drift", counted)
    reactions = "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1000000001, 1"
    network = Network(reactions)
    start = [{"{A}": 2, "{B}": 1, "{R}": 2}.get(str(name), 0) for name in network.species]
    with contextlib.suppress(UnsupportedError):
        equilibrium(network, start)
    assert len(asked) < 70_000


@pytest.mark.parametrize("kinetics", ["falling", "power"])
def test_two_that_meet(kinetics: str) -> None:
    # c' = (3 - c)(4 - c) - 2c = (c - r)(c - s), with r < s the roots of c² - 9c + 12.
    r, s = (9 - math.sqrt(33)) / 2, (9 + math.sqrt(33)) / 2
    decay = np.exp((r - s) * TIMES)
    c = r * s * (1 - decay) / (s - r * decay)
    network = Network(f"kinetics = {kinetics}\nA + B <-> C @ 1, 2")
    path = mean_field(network, [3, 4, 0], TIMES)
    np.testing.assert_allclose(path, np.stack([3 - c, 4 - c, c], axis=1), atol=1e-9)
    np.testing.assert_allclose(equilibrium(network, [3, 4, 0]), [3 - r, 4 - r, r], rtol=1e-14)


def test_a_pair_that_vanishes_slowly() -> None:
    network = Network("2 X -> 0 @ 0.5")
    path = mean_field(network, [7], TIMES)
    np.testing.assert_allclose(path[:, 0], 7 / (1 + 7 * TIMES), rtol=1e-8)
    assert equilibrium(network, [7]).tolist() == [0.0]


def test_conserved_quantities_are_kept_and_nothing_is_negative() -> None:
    network = Network("A -> B @ 0.04\n2 B -> B + C @ 3e7\nB + C -> A + C @ 1e4")  # Robertson
    path = mean_field(network, [1, 0, 0], [0.4, 40.0, 4e5])
    assert (path >= 0).all()
    np.testing.assert_allclose(path.sum(axis=1), 1.0, atol=1e-10)
    # Hairer and Wanner, Solving ODEs II, and the CVODE user guide
    np.testing.assert_allclose(path[0], [9.8517e-1, 3.3864e-5, 1.4794e-2], rtol=5e-5)
    np.testing.assert_allclose(path[2], [4.9383e-3, 1.9850e-8, 9.9506e-1], rtol=2e-4)
    np.testing.assert_allclose(equilibrium(network, [1, 0, 0]), [0, 0, 1], atol=1e-12)


def test_the_equilibrium_of_the_start() -> None:
    # x' = 18 - 27 x + 10 x² - x³ = (1 - x)(x - 3)(x - 6): 1 and 6 attract, 3 repels.
    bistable = Network("0 -> X @ 18\nX -> 0 @ 27\n2 X -> 3 X @ 10\n3 X -> 2 X @ 1")
    assert equilibrium(bistable, [0])[0] == pytest.approx(1.0, rel=1e-12)
    assert equilibrium(bistable, [2])[0] == pytest.approx(1.0, rel=1e-12)
    assert equilibrium(bistable, [3])[0] == pytest.approx(3.0, rel=1e-12)
    assert equilibrium(bistable, [4])[0] == pytest.approx(6.0, rel=1e-12)


def test_slow_and_fast_equilibria() -> None:
    np.testing.assert_allclose(equilibrium(Network("A <-> B @ 1e-9, 3e-9"), [8, 0]), [6, 2])
    chain = Network("A -> B @ 1000\nB -> C @ 1\nC -> A @ 0.01")
    share = np.array([1e-3, 1.0, 100.0])
    np.testing.assert_allclose(equilibrium(chain, [10, 0, 0]), 10 * share / share.sum())
    assert equilibrium(Network("0 <-> X @ 4, 0.5"), [0]).tolist() == pytest.approx([8.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reactions", "start"),
    [
        ("X -> 2 X @ 1\nX + Y -> 2 Y @ 0.01\nY -> 0 @ 1", [80, 100]),  # Lotka and Volterra
        ("0 -> X @ 4", [0]),
        ("X -> 2 X @ 1", [1]),
        ("2 X -> 3 X @ 1", [1]),
    ],
)
def test_what_does_not_settle_is_refused(reactions: str, start: list[int]) -> None:
    with pytest.raises(UnsupportedError, match="mean field"):
        equilibrium(Network(reactions), start)


def test_a_blow_up_is_refused_with_its_time() -> None:
    with pytest.raises(UnsupportedError, match=r"beyond time 0\.333333"):
        mean_field(Network("2 X -> 3 X @ 1"), [3], [1.0])


@pytest.mark.parametrize("times", [[-1.0], [math.nan], [math.inf], [2.0, 1.0], []])
def test_absurd_times(times: Any) -> None:
    with pytest.raises(InputError, match="time"):
        mean_field(Network("0 <-> X @ 4, 0.5"), [0], times)


@settings(max_examples=50, deadline=None)
@given(x=st.lists(st.floats(0, 50), min_size=3, max_size=3))
def test_the_jacobian_is_the_slope_of_the_drift(x: list[float]) -> None:
    network = Network("2 A + B <-> 3 C @ 1.5, 0.5\nA -> B @ 2\n0 -> C @ 1")
    at, step = np.array(x), 1e-5
    slopes = [
        (network.drift(at + step * e) - network.drift(at - step * e)) / (2 * step)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(
        jacobian(network, at), np.stack(slopes, axis=1), rtol=1e-6, atol=1e-5
    )
