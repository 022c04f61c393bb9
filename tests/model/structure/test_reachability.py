import re
from typing import Any

import pytest

from covey import InputError, Network, Structure, load, reach
from tests.conftest import EXAMPLES

TASK = next(path for path in EXAMPLES if path.stem == "task-network")


@pytest.mark.parametrize(
    ("counts", "states"),
    [
        ((10, 10, 10), 67_677),
        ((20, 20, 10), 646_827),
        ((20, 20, 20), 2_589_763),
        ((30, 30, 30), 24_568_384),
    ],
)
def test_states_of_the_task_network(counts: tuple[int, int, int], states: int) -> None:
    scenario = load(TASK).with_({f"types.{i + 1}": n for i, n in enumerate(counts)})
    found = reach(Structure(scenario.network), scenario.start.tolist())
    assert (found.states, found.finite) == (states, True)


@pytest.mark.parametrize(
    ("text", "start", "states"),
    [
        ("{A} + {R} <-> {A,R} @ 1, 1\n{B} + {R} <-> {B,R} @ 1, 1", [2, 1, 2, 0, 0], 5),
        ("a -> b @ 1", [3, 0], 4),
        ("a -> b @ 1", [0, 3], 1),
        ("2 a -> b @ 1", [5, 0], 3),
        ("{A} -> 0 @ 1\n{A} <-> w{A} @ 1, 1", [3, 0], 10),
        ("a + c -> b + c @ 1", [4, 0, 0], 1),  # the catalyst c is missing
        ("a + b <-> 2 b @ 1, 1", [4, 1], 5),  # b never dies out: not every lattice point
        ("a <-> b @ 1, 1\nb <-> c @ 1, 1\nc <-> 2 d @ 1, 1", [2, 0, 0, 1], 10),
    ],
)
def test_small_counts(text: str, start: list[int], states: int) -> None:
    assert reach(Structure(Network(text)), start).states == states


@pytest.mark.parametrize(
    ("text", "start", "why"),
    [
        ("0 -> X @ 4\nX -> 0 @ 0.5", [0], "X can grow without end"),
        ("a -> 2 a @ 1", [1], "a can grow without end"),
        ("a -> b @ 1\nb -> a + c @ 1", [1, 0, 0], "c can grow without end"),
    ],
)
def test_endless_growth_is_proved(text: str, start: list[int], why: str) -> None:
    found = reach(Structure(Network(text)), start)
    assert (found.states, found.finite, found.why) == (None, False, why)


def test_growth_that_needs_somebody_who_is_not_there() -> None:
    assert reach(Structure(Network("a -> 2 a @ 1")), [0]).states == 1


@pytest.mark.slow
def test_too_many_to_count_is_said() -> None:
    types = [str(i) for i in range(40)]
    pairs = [f"{{{a}}} + {{{b}}} <-> {{{a},{b}}} @ 1, 1" for a in types for b in types if a < b]
    structure = Structure(Network("\n".join(pairs)))
    found = reach(structure, [9] * 40 + [0] * len(pairs))
    assert (found.states, found.finite) == (None, True)
    assert "too many to count" in found.why
    assert found.at_least > 10**6


def test_exploring_stops_at_its_limit() -> None:
    found = reach(
        Structure(Network("2 a -> 2 b @ 1\n2 b -> 2 c @ 1\n2 c -> 2 d @ 1")), [200_000, 0, 0, 0]
    )
    assert (found.states, found.finite) == (None, True)
    assert "more than 100,000" in found.why


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("X -> 0 @ 1", [20_000]),
        ("a + battery -> a + spent @ 1\nspent -> 0 @ 1", [3, 20_000, 0]),
        # conservative, by a law that the basis does not show at once
        ("s3 -> s0 + s1 @ 1\n2 s2 -> s2 + s3 + s1 @ 1", [5, 5, 60, 5]),
    ],
)
def test_what_cannot_grow_is_known_to_be_finite(text: str, start: list[int]) -> None:
    assert reach(Structure(Network(text)), start).finite


def test_a_start_must_be_a_state() -> None:
    with pytest.raises(InputError, match="the start of a is -1: it must not be negative"):
        reach(Structure(Network("a -> b @ 1")), [-1, 0])


def test_a_network_will_do() -> None:
    network = Network("a <-> b @ 1, 1")
    assert reach(network, [3, 0]) == reach(Structure(network), [3, 0])


@pytest.mark.parametrize(
    ("network", "start", "message"),
    [
        ("a -> b @ 1", [1], "'a -> b @ 1' is neither a Network nor the Structure of one"),
        (Network("a -> b @ 1"), [1], "the start has 1 counts: one for each of the 2 species is"),
        (Network("a -> b @ 1"), 3, "the start is 3: a list of counts is expected"),
        (Network("a -> b @ 1"), {"a": 1, "b": 2}, "the start is {'a': 1, 'b': 2}: a list of"),
        (Network("a -> b @ 1"), [1, -1], "the start of b is -1: it must not be negative"),
        (Network("a -> b @ 1"), [1, "x"], "the start of b is 'x': a whole number is expected"),
    ],
)
def test_what_cannot_be_counted(network: Any, start: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        reach(network, start)


@pytest.mark.parametrize("enough", [1, 50, 600, 1_000])
def test_a_count_that_stops_early_is_a_part_of_the_whole(enough: int) -> None:
    """Docks and humans that three types share: what is said to be certain is no more than all."""
    lines = [
        f"{{{kind}}} + {{{shared}}} <-> {{{kind},{shared}}} @ 1, 1"
        for kind in "ABC"
        for shared in ("dock", "human")
    ]
    network = Network("\n".join(lines))
    counts = {"{A}": 8, "{B}": 6, "{C}": 3, "{dock}": 4, "{human}": 3}
    start = [counts.get(str(species), 0) for species in network.species]
    whole = reach(network, start).states
    assert whole is not None
    found = reach(network, start, enough=enough)
    assert found.at_least <= whole
    assert found.states == whole or enough < found.at_least
