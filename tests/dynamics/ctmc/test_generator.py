"""The generator: propensities, parallel reactions, columns that sum to zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.transitions import Layout, build
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.model.network import Network
from covey.model.stoichiometry import Kinetics


def chain(text: str, start: list[int], kinetics: Kinetics = "falling") -> tuple[Lattice, Generator]:
    network = Network(text, kinetics=kinetics)
    lattice = explore(network, np.array(start), max_states=100_000)
    return lattice, build(network, lattice)


def test_two_states_by_hand() -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [1, 0])
    a, b = lattice.index_of(np.array([[1, 0], [0, 1]]))
    dense = generator.csr().toarray()
    assert dense[b, a] == 2
    assert dense[a, b] == 3
    assert dense[a, a] == -2
    assert dense[b, b] == -3


def test_parallel_reactions_add_up_and_loops_do_not_count() -> None:
    lattice, generator = chain("a -> b @ 2\na + c -> b + c @ 0.5\na + b -> a + b @ 7", [1, 0, 3])
    dense = generator.csr().toarray()
    assert len(generator.indices) == 1
    assert dense[1 - lattice.start, lattice.start] == 2 + 0.5 * 3
    assert generator.exits.sum() == 3.5


@pytest.mark.parametrize(("kinetics", "rate"), [("falling", 5 * 4 * 3), ("power", 5**3)])
def test_repeated_reactants(kinetics: Kinetics, rate: float) -> None:
    lattice, generator = chain("3 a -> b @ 1", [5, 0], kinetics)
    assert generator.exits[lattice.start] == rate


@pytest.mark.parametrize("kinetics", ["falling", "power"])
def test_no_reaction_consumes_more_than_there_is(kinetics: Kinetics) -> None:
    lattice, generator = chain("3 a -> b @ 1", [2, 0], kinetics)
    assert len(lattice) == 1
    assert generator.exits.tolist() == [0]


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.integers(0, 12), st.floats(1e-4, 1e4), st.floats(1e-4, 1e4))
def test_products_agree_with_scipy(a: int, b: int, forth: float, back: float) -> None:
    lattice, generator = chain(
        f"a + b <-> c @ {forth}, {back}\nc -> 2 a @ 1\na -> b @ 2", [a, b, 1]
    )
    matrix = generator.csr()
    vector = np.random.default_rng(a + b).random(len(lattice))
    assert generator.product(vector) == pytest.approx(matrix @ vector, rel=1e-12, abs=1e-9)
    assert np.abs(matrix.sum(axis=0)).max() <= 1e-12 * generator.exits.max()


def test_compiled_and_plain_products_are_the_same() -> None:
    lattice, generator = chain("a <-> b @ 1, 2\nb <-> c @ 3, 0.1", [100, 0, 0])
    assert generator.compiled
    plain = Generator(generator.indptr, generator.indices, generator.rates, generator.exits)
    plain.__dict__["compiled"] = False
    vector = np.random.default_rng(0).random(len(lattice))
    assert generator.inflow(vector) == pytest.approx(plain.inflow(vector), rel=1e-14)


def test_restriction_keeps_the_rates_inside_and_the_exits() -> None:
    _, generator = chain("a <-> b @ 2, 3\nb -> c @ 5", [3, 0, 0])
    members = np.array([0, 2, 5])
    part, whole = generator.restrict(members), generator.csr().toarray()
    assert (part.exits == generator.exits[members]).all()
    inside = part.csr().toarray() + np.diag(part.exits)
    expected = whole[np.ix_(members, members)] + np.diag(generator.exits[members])
    assert (inside == expected).all()


@pytest.mark.parametrize("kinetics", ["falling", "power"])
@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a <-> b @ x, y", [3, 0]),
        ("a -> b @ x\na + c -> b + c @ y\na + b -> a + b @ x\nb -> a @ 2", [2, 1, 3]),
        ("2 a <-> b @ x, y\na + b <-> c @ y, x\n3 a -> 3 a @ 1", [6, 1, 0]),
        ("a <-> b @ x, y\nb <-> c @ 3, x\na + c -> b + c @ y", [0, 0, 100]),  # compiled
    ],
)
def test_a_layout_is_the_same_chain_at_any_rates(
    text: str, start: list[int], kinetics: Kinetics
) -> None:
    def at(x: float, y: float) -> Network:
        return Network(text, rates={"x": x, "y": y}, kinetics=kinetics)

    lattice = explore(at(1, 1), np.array(start), max_states=10_000)
    layout = Layout(at(1, 1), lattice)
    for rates in ((1, 1), (0.3, 7.1), (1e-9, 1e9)):
        ours, theirs = layout.at(at(*rates)), build(at(*rates), lattice)
        assert (ours.indptr == theirs.indptr).all()
        assert (ours.indices == theirs.indices).all()
        assert (ours.rates == theirs.rates).all()
        assert (ours.exits == theirs.exits).all()
