"""Sparse elimination against exact distributions, dense solutions, and the order it goes in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.stationary.dissection import Dissection
from covey.dynamics.stationary.elimination import elimination_error
from covey.dynamics.stationary.fronts import eliminated, order_of
from covey.dynamics.stationary.limit import stationary
from covey.numbers import Floats

LONG = 60.0  # e^60 jumps or so from one well to another


def order(generator: Generator, last: int) -> Dissection:
    found = order_of(generator, last)
    assert found is not None
    return found


def of_rates(rates: Floats) -> Generator:
    source, target = np.nonzero(rates)
    moves = Transitions(source, target, rates[source, target])
    return Generator.from_transitions([moves], rates.sum(axis=1))


def random_chain(n: int, links: int, spread: float, seed: int) -> Generator:
    """A ring, so that it is irreducible, and random transitions besides; rates e^±spread."""
    random = np.random.default_rng(seed)
    rates = np.zeros((n, n))
    ends = random.integers(n, size=(2, links))
    rates[np.append(ends[0], np.arange(n)), np.append(ends[1], (np.arange(n) + 1) % n)] = 1.0
    np.fill_diagonal(rates, 0.0)
    return of_rates(rates * np.exp(random.uniform(-spread, spread, size=(n, n))))


def wells(side: int, depth: float, dimensions: int = 2) -> tuple[Generator, Floats]:
    """A grid with two wells: rates e^((U(x) − U(y))/2) have p = e^−U, exactly."""
    axes = np.meshgrid(*[np.linspace(0, 1, side)] * dimensions, indexing="ij")
    x = np.stack(axes, axis=-1).reshape(-1, dimensions)
    low, high = (np.exp(-40 * ((x - at) ** 2).sum(axis=1)) for at in (0.2, 0.8))
    potential = -depth * (low + high)
    number = np.arange(len(x)).reshape((side,) * dimensions)
    pairs = [
        (np.take(number, range(side - 1), k).ravel(), np.take(number, range(1, side), k).ravel())
        for k in range(dimensions)
    ]
    source = np.concatenate([end for a, b in pairs for end in (a, b)])
    target = np.concatenate([end for a, b in pairs for end in (b, a)])
    rates = np.exp((potential[source] - potential[target]) / 2)
    exits = np.zeros(len(x))
    np.add.at(exits, source, rates)
    generator = Generator.from_transitions([Transitions(source, target, rates)], exits)
    return generator, -potential - np.logaddexp.reduce(-potential)


def exactly(generator: Generator) -> Floats:
    """The ln p by elimination in fractions."""
    n = len(generator)
    rates = [[Fraction(rate) for rate in row] for row in generator.dense_rates().tolist()]
    for k in range(n - 1, 0, -1):
        out = sum(rates[k][:k])
        for i in range(k):
            rates[i][k] /= out
            for j in range(k):
                rates[i][j] += rates[i][k] * rates[k][j]
    p = [Fraction(1)]
    for k in range(1, n):
        p.append(sum((p[i] * rates[i][k] for i in range(k)), Fraction(0)))
    whole = sum(p)
    return np.log([float(share / whole) for share in p])


def normal(logs: Floats) -> Floats:
    return np.asarray(logs - np.logaddexp.reduce(logs))


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_within_the_bound_of_their_order(seed: int) -> None:
    generator = random_chain(45 + 3 * seed, 60, 12.0, seed)
    way = order(generator, seed)
    found = normal(eliminated(generator, way).distribution())
    bound = elimination_error(way.neighbours)
    assert bound < 1e-8
    assert np.abs(found - exactly(generator)).max() <= bound + 1e-13  # of ln, of 1e-13 at most


@pytest.mark.parametrize(("side", "depth", "dimensions"), [(40, 30, 2), (40, 3000, 2), (12, 90, 3)])
def test_wells_of_any_depth(side: int, depth: float, dimensions: int) -> None:
    generator, exact = wells(side, depth, dimensions)
    way = order(generator, int(np.argmax(exact)))
    found = normal(eliminated(generator, way).distribution())
    assert np.abs(found - exact).max() <= elimination_error(way.neighbours) + 1e-15 * depth


@pytest.mark.parametrize("seed", range(6))
def test_a_source_is_passed_on(seed: int) -> None:
    """The z of −K z = b off one state, where it is 0, against a dense solution."""
    generator, last = random_chain(120, 300, 2.0, seed), 7
    source = np.random.default_rng(seed).uniform(0.5, 2.0, len(generator))
    source[3] = 0.0
    with np.errstate(divide="ignore"):
        logs = eliminated(generator, order(generator, last)).sojourn(np.log(source))
    away = np.arange(len(generator)) != last
    matrix = -generator.csr().toarray()[np.ix_(away, away)]
    assert np.exp(logs[away]) == pytest.approx(np.linalg.solve(matrix, source[away]), rel=1e-9)
    assert logs[last] == -np.inf


def test_every_state_goes_once_and_nothing_is_linked_across() -> None:
    generator, _ = wells(30, 10)
    way = order(generator, 17)
    assert way.order[-1] == 17
    assert sorted(way.order) == list(range(900))
    place = np.argsort(way.order)
    links = csr_array(generator.moves())
    for part in way.parts:
        for state in way.order[part.begin : part.end]:
            later = place[links.indices[links.indptr[state] : links.indptr[state + 1]]]
            assert set(later[later >= part.end]) <= set(part.rim.tolist())


def test_a_flat_chain_takes_far_less_than_a_band() -> None:
    generator, _ = wells(100, 10)
    assert order(generator, 0).work < 1e4 * 100**2 / 4


def test_groups_that_are_hardly_ever_left() -> None:
    """Sweeps keep the weights that they begin with; 10,000 states are eliminated instead."""
    generator, exact = wells(100, LONG)
    start = np.zeros(len(generator))
    start[0] = 1.0
    found = stationary(generator, start)
    assert found.log_error < 1e-7
    assert np.abs(found.log_probabilities - exact).max() <= found.log_error


@pytest.mark.slow
def test_a_hundred_thousand_states_in_two_wells() -> None:
    generator, exact = wells(316, LONG)
    start = np.zeros(len(generator))
    start[0] = 1.0
    found = stationary(generator, start)
    assert found.log_error < 1e-6
    assert np.abs(found.log_probabilities - exact).max() <= found.log_error


def test_a_scipy_matrix_leaves_the_generator_as_it_is() -> None:
    """Entries of a matrix are sorted in place by scipy, which took the generator's rates along."""
    generator, _ = wells(5, 3)
    before = generator.rates.copy()
    generator.csr()
    assert (generator.rates == before).all()
