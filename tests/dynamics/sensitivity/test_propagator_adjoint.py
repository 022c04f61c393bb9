"""What a generator is worth by its exponentials, against two states on paper."""

from __future__ import annotations

import numpy as np
import pytest

from covey.dynamics.sensitivity.propagator_adjoint import propagators


@pytest.mark.parametrize("time", [1e-3, 1.0, 30.0, 1e6, 1e15])
@pytest.mark.parametrize(("there", "back"), [(1.0, 2.0), (1e6, 1e-3)])
def test_two_states_at_any_time(time: float, there: float, back: float) -> None:
    """P(t)[0, 1] = a (1 − e^(−(a + b) t)) / (a + b), and its derivatives for a and b."""
    moves = np.array([[[-1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, -1.0]]])
    P, adjoint = propagators(there * moves[0] + back * moves[1], np.array([time]))
    total = there + back
    left = np.exp(-total * time)
    gone = -np.expm1(-total * time)
    assert P[0, 0, 1] == pytest.approx(there * gone / total, rel=1e-9)
    worth = np.zeros_like(P)
    worth[0, 0, 1] = 1.0
    found = np.tensordot(moves, adjoint(worth), axes=2)
    moved = there * time * left / total
    expected = [back * gone / total**2 + moved, -there * gone / total**2 + moved]
    assert found == pytest.approx(expected, rel=1e-6)
