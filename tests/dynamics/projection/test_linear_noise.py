"""Linear noise: exact for linear networks, whatever the step, and covered by no claim elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from covey.dynamics.projection.linear_noise import linear_noise
from covey.model.network import Network


def test_immigration_and_death_is_poisson() -> None:
    network = Network("0 -> X @ 4\nX -> 0 @ 0.5")
    times = np.linspace(0.0, 6.0, 400)
    course = linear_noise(network, np.array([0]), times)
    mean = 8 * (1 - np.exp(-times / 2))
    assert course.means[:, 0] == pytest.approx(mean, abs=1e-6)
    assert course.covariances[:, 0, 0] == pytest.approx(mean, abs=1e-3)


def test_independent_robots_are_binomial() -> None:
    network, n, at = Network("{A} <-> b{A} @ 3, 1"), 1000, 0.7
    course = linear_noise(network, np.array([n, 0]), np.linspace(0.0, at, 500))
    stay = 1 / 4 + 3 / 4 * np.exp(-4 * at)
    variance = n * stay * (1 - stay)
    expected = variance * np.array([[1, -1], [-1, 1]])
    assert course.covariances[-1] == pytest.approx(expected, rel=1e-4)


def test_one_step_over_very_many_relaxations_is_stationary() -> None:
    network = Network("{A} <-> b{A} @ 3e6, 1e6")
    course = linear_noise(network, np.array([400, 0]), np.array([0.0, 1e-3, 10.0]))
    assert course.covariances[-1][0, 0] == pytest.approx(400 * 0.25 * 0.75, rel=1e-6)
