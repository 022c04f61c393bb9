"""Laws of a small chain a step later, from all states at once."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from covey.dynamics.ctmc import squaring
from covey.dynamics.ctmc.generator import build
from covey.dynamics.state_space.enumeration import explore
from covey.model.network import Network


@pytest.mark.parametrize("step", [1e-3, 0.7, 40.0, 3e3])
def test_every_entry_against_fifty_digits(step: float) -> None:
    network = Network("a <-> b @ 3, 0.5\n2 b <-> c @ 0.2, 7\nc -> a @ 1e-3")
    lattice = explore(network, np.array([5, 0, 0]), max_states=100)
    generator = build(network, lattice)
    found = squaring.moved(generator, np.eye(len(lattice)), step)
    assert found is not None
    rows, error = found
    assert error < 1e-9
    with mpmath.workdps(80):
        matrix = mpmath.matrix(generator.csr().toarray().tolist())
        for j in range(len(lattice)):  # what leaves a state is exactly what enters others
            matrix[j, j] = -mpmath.fsum(matrix[i, j] for i in range(len(lattice)) if i != j)
        exact = mpmath.expm(matrix * mpmath.mpf(step))
        for i, row in enumerate(rows):
            for j, p in enumerate(row.tolist()):
                if p == 0:  # nobody comes back from a state that c -> a has left
                    assert exact[j, i] == 0
                else:
                    assert abs(mpmath.log(mpmath.mpf(p) / exact[j, i])) <= error


def test_where_rounding_adds_up_there_is_no_answer() -> None:
    network = Network("a <-> b @ 1e9, 1e9\nc <-> d @ 1e-4, 1e-5")
    lattice = explore(network, np.array([2, 0, 2, 0]), max_states=100)
    assert squaring.moved(build(network, lattice), np.eye(len(lattice)), 1e3) is None
