"""Steady states: product forms and hand-made chains, every tail within its bound."""

from __future__ import annotations

import itertools
from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.dynamics.stationary import irreducible
from covey.dynamics.stationary.communicating_classes import closed_classes
from covey.dynamics.stationary.fronts import order_of
from covey.dynamics.stationary.limit import StationaryResult, stationary
from covey.errors import CoveyError
from covey.model.network import Network
from covey.numbers import LEAST
from covey.paper.scenarios import task_network


def chain(text: str, start: list[int]) -> tuple[Lattice, Generator]:
    network = Network(text)
    lattice = explore(network, np.array(start), max_states=100_000)
    return lattice, build(network, lattice)


def assert_product_form(lattice: Lattice, result: StationaryResult, means: list[float]) -> None:
    """p(x) is proportional to prod c_i^x_i / x_i!."""
    table = [
        [k * log(c) - lgamma(k + 1) for k in range(int(lattice.states.max()) + 1)] for c in means
    ]
    logs = np.array([np.array(row)[x] for row, x in zip(table, lattice.states.T, strict=True)])
    exact = logs.sum(axis=0)
    exact -= np.logaddexp.reduce(exact)
    assert result.log_error <= 1e-9
    error = np.abs(result.log_probabilities - exact)
    assert (error <= result.log_error + 1e-15 * np.abs(exact)).all()
    assert result.probabilities.sum() == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("tokens", [1, 12, 33, 60, 95])
def test_a_closed_ring_of_queues_has_product_form(tokens: int) -> None:
    # The means solve 2a = 3b = c. 95 tokens make 4,656 states: swept; 12 make 91: eliminated.
    lattice, generator = chain("a -> b @ 2\nb -> c @ 3\nc -> a @ 1", [tokens, 0, 0])
    result = stationary(generator, lattice.point_mass())
    assert_product_form(lattice, result, [1 / 2, 1 / 3, 1.0])


@pytest.mark.parametrize("robots", [20, 60])
def test_complex_balance_with_pairs(robots: int) -> None:
    lattice, generator = chain("a + b <-> c @ 0.5, 4\nb <-> d @ 3, 1", [robots, robots, 0, 0])
    result = stationary(generator, lattice.point_mass())
    assert_product_form(lattice, result, [1.0, 1.0, 1 / 8, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize("robots", [10, 36])
@pytest.mark.parametrize("fast", [1e4, 1e-4])
def test_rates_far_apart(robots: int, fast: float) -> None:
    lattice, generator = chain(f"a <-> b @ {fast}, 1\nb <-> c @ 1, {1 / fast}", [robots, 0, 0])
    result = stationary(generator, lattice.point_mass())
    error = result.log_error
    exact = [1.0, fast, fast * fast]
    total = sum(exact)
    logs = np.array([log(c / total) for c in exact])
    multinomial = lattice.states @ logs + lgamma(robots + 1)
    multinomial -= np.array([sum(lgamma(int(k) + 1) for k in x) for x in lattice.states])
    wrong = np.abs(result.log_probabilities - multinomial)
    assert error <= 1e-7
    assert result.lost == np.count_nonzero(multinomial <= log(LEAST))  # for doubles, not for logs
    assert (wrong <= error + 1e-15 * np.abs(multinomial)).all()


def test_transient_states_get_nothing() -> None:
    lattice, generator = chain("a -> b @ 1\nb <-> c @ 2, 3", [3, 0, 0])
    result = stationary(generator, lattice.point_mass())
    gone = lattice.states[:, 0] > 0
    assert (result.probabilities[gone] == 0).all()
    assert result.probabilities[~gone].sum() == pytest.approx(1, abs=1e-14)
    assert len(result.classes) == 1


@pytest.mark.parametrize("robots", [6, 27])  # 27: many states, by compiled code
def test_closed_classes_are_what_nothing_leaves(robots: int) -> None:
    lattice, generator = chain("a <-> b @ 1, 1\na -> c @ 2\nb -> d @ 1\n", [robots, 0, 0, 0])
    assert generator.compiled == (robots == 27)
    ends = np.flatnonzero(lattice.states[:, :2].sum(axis=1) == 0)
    found = closed_classes(generator, lattice.point_mass())
    assert sorted(int(members[0]) for members in found) == ends.tolist()
    # From a state on the way only those that are still possible; from an end only that one.
    midway = np.zeros(len(lattice))
    midway[lattice.index_of(np.array([1, 1, 0, robots - 2]))] = 1.0
    assert len(closed_classes(generator, midway)) == 3
    ended = np.zeros(len(lattice))
    ended[ends[2]] = 1.0
    assert [members.tolist() for members in closed_classes(generator, ended)] == [[ends[2]]]


def test_several_classes_are_weighted_by_where_the_start_ends() -> None:
    # Two of the three a's meet and become stuck, or leave one by one.
    lattice, generator = chain("a -> b @ 1\n2 a -> c @ 0.25", [3, 0, 0])
    result = stationary(generator, lattice.point_mass())
    # From 3: leave 3, pair 1.5; from 2: leave 2, pair 0.5.
    leave = 3 / 4.5 * 2 / 2.5
    assert len(result.classes) == 2
    for members, weight in zip(result.classes, result.weights, strict=True):
        paired = lattice.states[members[0], 2] == 1
        assert weight == pytest.approx(1 - leave if paired else leave, rel=1e-14)
        assert result.probabilities[members].sum() == pytest.approx(weight, rel=1e-14)


def test_many_transient_states_are_swept() -> None:
    lattice, generator = chain(
        "a <-> b @ 1, 1\na -> c @ 0.5\na -> d @ 1\nb -> c @ 2", [14, 0, 0, 0]
    )
    result = stationary(generator, lattice.point_mass())
    assert np.count_nonzero(lattice.states[:, 0] + lattice.states[:, 1]) > 600
    # One robot ends in d with probability h: h = (1 + g) / 2.5 from a, g = h / 3 from b.
    h = 1 / (2.5 - 1 / 3)
    for members, weight in zip(result.classes, result.weights, strict=True):
        d = int(lattice.states[members[0], 3])
        exact = lgamma(15) - lgamma(d + 1) - lgamma(15 - d) + d * log(h) + (14 - d) * log(1 - h)
        assert log(weight) == pytest.approx(exact, abs=1e-10)


# Two ways to be, x and y, that each draws others to itself: the team hardly ever changes its mind.
UNDECIDED = """
2 x{A} + y{A} -> 3 x{A} @ 1
2 y{A} + x{A} -> 3 y{A} @ 0.93
2 x{A} + y{B} -> 2 x{A} + x{B} @ 1
2 y{A} + x{B} -> 2 y{A} + y{B} @ 0.93
x{A} <-> y{A} @ 10, 10
x{B} <-> y{B} @ 10, 10
"""


def undecided(a: int, b: int) -> tuple[Lattice, Generator, int]:
    network = Network(UNDECIDED)
    start = np.zeros(len(network.species), dtype=np.int64)
    names = [str(species) for species in network.species]
    start[names.index("x{A}")], start[names.index("x{B}")] = a, b
    lattice = explore(network, start, max_states=10_000)
    return lattice, build(network, lattice), names.index("x{A}")


def test_sweeps_that_rest_where_they_began_are_not_believed() -> None:
    """Neighbouring sweeps differ by 1e-16 here, and are wrong by a factor of forty."""
    lattice, generator, x = undecided(60, 10)
    result = stationary(generator, lattice.point_mass())
    found = np.bincount(lattice.states[:, x], result.probabilities)
    # Robots of type A go by each other alone: a chain of births and deaths.
    n = np.arange(61.0)
    up = n * (n - 1) * (60 - n) + 10 * (60 - n)
    down = 0.93 * (60 - n) * (59 - n) * n + 10 * n
    logs = np.concatenate([[0.0], np.cumsum(np.log(up[:-1] / down[1:]))])
    exact = np.exp(logs - logs.max())
    exact /= exact.sum()
    assert result.log_error < 1e-6
    assert np.abs(np.log(found / exact)).max() <= result.log_error
    assert found[:30].sum() == pytest.approx(0.0197, abs=1e-4)


def test_halves_that_are_all_but_apart() -> None:
    """The time from one to the other is no number any more; elimination does not mind."""
    lattice, generator = chain(
        "a <-> b @ 1, 1\nb <-> c @ 1e-200, 1e-200\nc <-> d @ 1, 1", [3, 0, 0, 0]
    )
    result = stationary(generator, lattice.point_mass())
    assert_product_form(lattice, result, [1, 1, 1, 1])


def wanderers(others: int) -> tuple[Lattice, Generator, list[int]]:
    """Beside two ways to be, robots of two other types wander about: a wide band."""
    wander = [f"u{{{i}}} <-> v{{{i}}} @ 1, 1\nv{{{i}}} <-> w{{{i}}} @ 1, 1" for i in "CD"]
    network = Network(UNDECIDED + "\n".join(wander))
    names = [str(species) for species in network.species]
    start = np.zeros(len(names), dtype=np.int64)
    start[[names.index(name) for name in ("x{A}", "u{C}", "u{D}")]] = 60, others, others
    lattice = explore(network, start, max_states=1_000_000)
    places = [names.index(name) for name in ("x{A}", *(f"{s}{{{i}}}" for i in "CD" for s in "uvw"))]
    return lattice, build(network, lattice), places


def test_a_wide_band_is_not_eliminated() -> None:
    assert order_of(wanderers(9)[1], 0) is None


@pytest.mark.parametrize("others", [5, pytest.param(9, marks=pytest.mark.study)])
def test_groups_that_are_hardly_ever_left_are_weighed_where_they_cannot_be_eliminated(
    others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if others < 9:  # so few could be eliminated
        monkeypatch.setattr(irreducible, "order_of", lambda generator, last: None)
    lattice, generator, (x, *wandering) = wanderers(others)
    result = stationary(generator, lattice.point_mass(), max_sweeps=200)
    assert result.log_error < 1e-7
    n = np.arange(61.0)
    up = n * (n - 1) * (60 - n) + 10 * (60 - n)
    down = 0.93 * (60 - n) * (59 - n) * n + 10 * n
    alone = np.concatenate([[0.0], np.cumsum(np.log(up[:-1] / down[1:]))])
    factorials = np.array([lgamma(k + 1) for k in range(61)])
    others = factorials[lattice.states[:, wandering]].sum(axis=1)
    exact = alone[lattice.states[:, x]] - others
    exact -= np.logaddexp.reduce(exact)
    assert np.abs(result.log_probabilities - exact).max() <= result.log_error + 1e-12


def test_what_can_neither_be_proved_nor_eliminated_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(irreducible, "_MOST_ORDERED", 100_000)
    lattice, generator, _ = wanderers(9)
    with pytest.raises(CoveyError, match=r"not settled after 200 sweeps.*some 2,500"):
        stationary(generator, lattice.point_mass(), max_sweeps=200)
    lattice, generator, _ = wanderers(2)  # as is advised
    assert 2_000 < len(lattice) <= 2_500
    assert stationary(generator, lattice.point_mass(), max_sweeps=200).log_error < 1e-6


def test_two_ways_to_be_behind_a_valley_that_doubles_cannot_hold() -> None:
    """By symmetry both ends are as likely; in between it is less likely than 1e-290."""
    text = "a + 3 b -> 4 b @ 1\nb + 3 a -> 4 a @ 1\na <-> b @ 1, 1"
    lattice, generator = chain(text, [560, 0])
    result = stationary(generator, lattice.point_mass())
    assert result.log_probabilities.min() < log(LEAST)
    b = lattice.states[:, 1]
    assert result.log_error < 1e-6
    # The chain of b is one of births and deaths.
    n = np.arange(561.0)
    up = (560 - n) * (n * (n - 1) * (n - 2) + 1)
    down = n * ((560 - n) * (559 - n) * (558 - n) + 1)
    exact = np.concatenate([[0.0], np.cumsum(np.log(up[:-1]) - np.log(down[1:]))])
    exact -= np.logaddexp.reduce(exact)
    assert np.abs(result.log_probabilities - exact[b]).max() <= result.log_error + 1e-10
    assert result.probabilities[b == 560][0] == pytest.approx(0.499998, abs=1e-6)
    assert result.probabilities @ b == pytest.approx(280, rel=1e-6)


@pytest.mark.parametrize("rate", [1e-161, 1e-162, 1e-300])
def test_places_far_apart_by_whatever_names(rate: float) -> None:
    """Along a – d – c – b a has three quarters, however the states are numbered."""
    for names in itertools.permutations("abcd"):
        a, d, c, b = names
        lattice, generator = chain(
            f"{a} <-> {d} @ {rate}, 3\n{d} <-> {c} @ {rate}, {rate}\n{c} <-> {b} @ 1, {rate}",
            [1, 0, 0, 0],
        )
        result = stationary(generator, lattice.point_mass())
        species = [str(s) for s in Network(
            f"{a} <-> {d} @ {rate}, 3\n{d} <-> {c} @ {rate}, {rate}\n{c} <-> {b} @ 1, {rate}"
        ).species]  # fmt: skip
        at = {species[int(np.argmax(x))]: p for x, p in zip(
            lattice.states, result.log_probabilities, strict=True)}  # fmt: skip
        exact = {a: log(0.75), b: log(0.25), d: log(rate / 4), c: log(rate / 4)}
        for place, log_p in exact.items():
            assert abs(at[place] - log_p) <= result.log_error


def test_two_ends_behind_a_barrier() -> None:
    lattice, generator = chain(
        "s <-> m @ 1e-200, 1\nm -> x @ 1e-200\nm -> y @ 3e-200", [0, 1, 0, 0]
    )
    result = stationary(generator, lattice.point_mass())
    ends = {int(lattice.states[members[0], 3]): p for members, p in
            zip(result.classes, result.weights, strict=True)}  # fmt: skip
    assert ends == {0: pytest.approx(0.25, rel=1e-9), 1: pytest.approx(0.75, rel=1e-9)}


@pytest.mark.parametrize("robots", [100, 128])
def test_tails_below_what_doubles_hold_are_swept(robots: int) -> None:
    text = "a + b <-> d @ 1, 1\nd + c <-> e @ 1, 1"
    lattice, generator = chain(text, [robots, robots, robots, 0, 0])
    result = stationary(generator, lattice.point_mass())
    assert result.sweeps > 0
    assert result.log_probabilities.min() < log(1e-320)
    assert_product_form(lattice, result, [1.0] * 5)


@pytest.mark.parametrize("forth", [1.0, 1e2, 1e4])
def test_where_it_ends_is_as_certain_as_it_says(forth: float) -> None:
    text = f"a <-> w @ {forth}, 2\nw -> x @ 1\na -> y @ 0.5"
    lattice, generator = chain(text, [20, 0, 0, 0])
    result = stationary(generator, lattice.point_mass())
    share = forth / (forth + 0.5)
    h = share / 3 / (1 - share * 2 / 3)  # that a robot ends in x
    other = 0.5 / (forth + 0.5) / (1 - share * 2 / 3)  # and in y
    assert result.log_error < 1e-6
    for members, weight in zip(result.classes, result.weights, strict=True):
        x = int(lattice.states[members[0], 2])
        exact = lgamma(21) - lgamma(x + 1) - lgamma(21 - x) + x * log(h) + (20 - x) * log(other)
        assert abs(log(weight) - exact) <= result.log_error + 1e-14 * abs(exact)


def test_a_single_state() -> None:
    lattice, generator = chain("a + b -> c @ 1", [3, 0, 0])
    assert stationary(generator, lattice.point_mass()).probabilities.tolist() == [1]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 8), st.integers(0, 4), st.lists(st.floats(0.1, 10), min_size=5, max_size=5))
def test_the_limit_of_the_transient_distribution(a: int, b: int, rates: list[float]) -> None:
    lattice, generator = chain(
        "a + b <-> c @ {}, {}\na <-> d @ {}, {}\nc + d -> 2 a + b @ {}".format(*rates),
        [a, b, 0, 0],
    )
    limit = stationary(generator, lattice.point_mass())
    late = transient(generator, lattice.point_mass(), [2_000.0])
    bound = limit.log_error + late.log_error[0] + 1e-12
    assert np.abs(limit.log_probabilities - late.log_probabilities[0]).max() <= bound


@pytest.mark.parametrize("folded", [False, True])
def test_sweeps_that_begin_near_the_rest_are_fewer(folded: bool) -> None:
    """Unequal rates, and equal ones whose types are folded onto each other: orbits count."""
    unequal = (8, (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
    robots, meet, part = (12, (1.0,) * 3, (1.0,) * 3) if folded else unequal
    team = task_network((robots,) * 3, meet, part)
    large = Solver(team.network).chain(team.start, folded=folded)
    assert len(large.lattice) >= 20_000
    assert (len(large.lattice.group) > 1) == folded
    found, plain = large.stationary(), stationary(large.generator, large.start)
    off = np.abs(found.log_probabilities - plain.log_probabilities)
    assert off.max() <= found.log_error + plain.log_error
    assert found.sweeps < plain.sweeps
