"""The common work: the paper's task network with all rates 1, N robots of each type, exploring."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import covey
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.dynamics.state_space.relabelling import relabellings, species_permutation
from covey.dynamics.state_space.symmetry import fold

EXAMPLE = Path(__file__).parent.parent / "examples" / "task-network.toml"


def scenario(n: int) -> covey.Scenario:
    """N robots of each type, seen at τ = 10."""
    return covey.load(EXAMPLE).with_({f"types.{name}": n for name in ("1", "2", "3")})


def chain(n: int, folded: bool) -> tuple[Lattice, Generator]:
    """States and generator; folded by the permutations of the three types, or not."""
    team = scenario(n)
    network, start = team.network, team.start
    if folded:
        images = [species_permutation(network, sigma) for sigma in relabellings(network)]
        lattice = fold(network, start, images, max_states=10**8)
    else:
        lattice = explore(network, start, max_states=10**8)
    return lattice, build(network, lattice)


def long_double_distribution(
    generator: Generator, start: int, tau: float
) -> NDArray[np.longdouble]:
    """p(τ) by plain uniformisation in 80-bit arithmetic, every term of it: slow and independent."""
    exits = generator.exits.astype(np.longdouble)
    rate = exits.max()
    mean = rate * np.longdouble(tau)
    moves = generator.rates.astype(np.longdouble)
    entered = np.flatnonzero(generator.lengths)
    begin = generator.indptr[entered].astype(np.intp)
    vector = np.zeros(len(generator), dtype=np.longdouble)
    vector[start] = 1
    weight = np.exp(-mean)
    total = weight * vector
    k = 0
    # Far beyond the mean, until the weights vanish even beside the smallest probability.
    while k < mean + 40 * np.sqrt(mean) + 200:
        k += 1
        after = (rate - exits) * vector
        after[entered] += np.add.reduceat(moves * vector[generator.indices], begin)
        vector = after / rate
        weight = weight * mean / k
        total = total + weight * vector
    return np.asarray(total, dtype=np.longdouble)
