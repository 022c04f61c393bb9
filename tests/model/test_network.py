import pickle

import numpy as np
import pytest

from covey import Complex, InputError, Network, Reaction

SHARED = """
take = 3
{A} + {R} <-> {A,R} @ take, 1
{B} + {R} <-> {B,R} @ 1, 1
"""


def test_from_text_and_from_objects_are_equal() -> None:
    objects = [
        Reaction("{A} + {R}", "{A,R}", "take"),
        Reaction("{A,R}", "{A} + {R}", 1),
        Reaction("{B} + {R}", "{B,R}", 1),
        Reaction("{B,R}", "{B} + {R}", 1),
    ]
    assert Network(objects, rates={"take": 3.0}) == Network(SHARED)


def test_meaning_not_writing() -> None:
    other = "take = 3.0\n{R} + {A} <-> {R,A} @ take, 1.0  # comment\n\n{R} + {B} <-> {R,B} @ 1, 1"
    assert Network(other) == Network(SHARED)
    assert hash(Network(other)) == hash(Network(SHARED))
    assert Network("P + P -> Q @ 1") == Network("2 P -> Q @ 1")
    assert Network("P -> Q @ 1") != Network("P -> Q @ 2")
    assert Network("2 P -> Q @ 1") != Network("2 P -> Q @ 1", kinetics="power")


def test_print_reads_back() -> None:
    text = (
        "kinetics = power\nk = 0.25\n2 {A} <-> {A,A} @ k, 1e-05\n0 <-> {A} @ 4, 0.1\n{A,A} -> 0 @ 2"
    )
    network = Network(text)
    assert str(network) == text
    assert Network(str(network)) == network
    assert eval(repr(network)) == network
    assert pickle.loads(pickle.dumps(network)) == network


def test_a_reaction_written_both_ways_prints_as_one() -> None:
    assert str(Network("a -> b @ 1\nb -> a @ 2")) == "a <-> b @ 1, 2"


def test_matrices_of_the_three_type_collaboration() -> None:
    """Worked out by hand from the paper's Eq. (cs1_system), its rows 3 and 4 put right."""
    network = Network("{1} + {2} <-> {1,2} @ 2, 3\n{1,2} + {3} <-> {1,2,3} @ 5, 7")
    # species {1} {2} {3} {1,2} {1,2,3}; complexes {1}+{2}, {1,2}, {3}+{1,2}, {1,2,3}
    assert network.M.tolist() == [
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 1, 1, 0],
        [0, 0, 0, 1],
    ]
    assert network.A.tolist() == [[-2, 3, 0, 0], [2, -3, 0, 0], [0, 0, -5, 7], [0, 0, 5, -7]]
    assert network.gamma.tolist() == [
        [-1, 1, 0, 0],
        [-1, 1, 0, 0],
        [0, 0, -1, 1],
        [1, -1, -1, 1],
        [0, 0, 1, -1],
    ]
    x = [2.0, 3.0, 5.0, 7.0, 11.0]
    assert network.psi(x).tolist() == [6, 7, 35, 11]
    np.testing.assert_allclose(network.drift(x), network.M @ network.A @ network.psi(x))


def test_psi_of_repeats_and_of_nothing() -> None:
    network = Network("2 P -> Q @ 1\n0 -> P @ 4")
    assert [str(c) for c in network.complexes] == ["2 P", "Q", "0", "P"]
    assert network.psi([3.0, 5.0]).tolist() == [9, 5, 1, 3]
    assert network.drift([3.0, 5.0]).tolist() == [-14, 9]


def test_parallel_reactions_add_up_and_idle_ones_do_nothing() -> None:
    network = Network("a -> b @ 1\na -> b @ 2\na + b -> b + a @ 9")
    assert network.A.tolist() == [[-3, 0, 0], [3, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the network has no reactions"),
        ("{A} + {R} -> {A}", "{A} + {R} -> {A} has no rate"),
        (
            "{A} + {R} -> {B,R} @ 1",
            "line 1: {A} + {R} -> {B,R} does not conserve A: 1 on the left, 0 on the right",
        ),
        ("2 {A} -> {A} @ 1", "does not conserve A: 2 on the left, 1 on the right"),
        ("a <-> b @ 1", "a <-> b has 1 after the @: <-> takes two rates, forward and backward"),
        ("a -> b @ 1, 2", "a -> b has 2 after the @: -> takes one rate"),
        (
            "{A} + {B} <-> w{A,B} 1, 2",
            "has no @ before its rate: write {A} + {B} <-> w{A,B} @ 1, 2",
        ),
        ("a -> b 1e-5", 'line 1: "a -> b 1e-5" has no @ before its rate: write a -> b @ 1e-5'),
        ("a -> 2 b take", "has no @ before its rate: write a -> 2 b @ take"),
        ("{A} -> 2 {B}", "{A} -> 2 {B} has no rate: end the line with @"),
        ("a -> b @ 0", "a rate of a -> b is 0: a rate must be positive and finite; leave"),
        ("a -> b @ -1", "a rate of a -> b is -1: a rate must be positive"),
        ("a -> b @ 1e999", "a rate of a -> b is inf"),
        ("a -> b @ 1/2", '"1/2" as a rate of a -> b: a number or a name from [rates]'),
        ("a -> b @", "nothing as a rate of a -> b"),
        (
            "take = 1\n\na -> b @ tak",
            "line 3: a -> b has the rate tak, which is not in [rates]. Did",
        ),
        ("a -> b @ 1\na = b", "line 2: rates.a is 'b': a positive number is expected"),
        ("k = 1\nk = 2\na -> b @ k", "line 2: k is given twice"),
        ("k = x\na -> b @ k", "rates.k is 'x': a positive number is expected"),
        ("a => b @ 1", "is not a reaction"),
        ("a - b @ 1", "is not a reaction"),
        ("0 -> 0 @ 1", "nothing on both sides"),
        ("a + -> b @ 1", "a species is missing"),
        (" -> b @ 1", "a species is missing on one side"),
        ("0 a -> b @ 1", "the coefficient of a is 0"),
        ("101 a -> b @ 1", "the coefficient of a is 101: a whole number from 1 to 100"),
        ("99999999999 a -> b @ 1", "the coefficient 999999999... is too large"),
        ("kinetics = mass\na -> b @ 1", 'kinetics is \'mass\': "falling" or "power" is expected'),
    ],
)
def test_what_is_no_network(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Network(text)
    assert message in str(caught.value)


def test_rates_given_twice() -> None:
    with pytest.raises(InputError, match="both in the text and beside it"):
        Network("k = 1\na -> b @ k", rates={"k": 2})


def test_complex_counts_members() -> None:
    assert Complex.parse("2 {A} + w{A,B}").members() == {"A": 3, "B": 1}
    assert str(Complex.parse("0")) == "0"


@pytest.mark.parametrize("name", ["kinetics", "a b", "1k", ""])
def test_what_no_rate_can_be_called(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name of a rate"):
        Network("X -> Y @ 1", rates={name: 2.0})


def test_coefficients_add_up_before_they_are_checked() -> None:
    with pytest.raises(InputError, match="the coefficient of X is 200"):
        Network("100 X + 100 X -> Y @ 1")


def test_reactions_may_be_lines_of_a_list() -> None:
    assert Network(["a <-> b @ 1, 2", Reaction("b", "c", 3.0)]) == Network(
        "a <-> b @ 1, 2\nb -> c @ 3"
    )


def test_what_a_network_keeps_cannot_be_changed() -> None:
    network = Network(SHARED)
    for array in (network.rate_constants, network.reactants, network.changes, network.gamma):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 7
