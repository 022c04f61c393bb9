import itertools

import numpy as np
import pytest

from covey import Network, Structure, TooLargeError, UnsupportedError
from covey.model.structure.structure import strong_components

TWO_WAYS = """
{1} + {2}   <-> {1,2}     @ 1, 1
{2} + {3}   <-> {2,3}     @ 1, 1
{1,2} + {3} <-> {1,2,3}   @ 1, 1
{1} + {2,3} <-> {1,2,3}   @ KAPPA, 1
"""


def test_a_compound_formed_in_two_ways_is_no_collaboration_dag() -> None:
    structure = Structure(Network(TWO_WAYS.replace("KAPPA", "2")))
    assert structure.deficiency == 1
    assert not structure.collaboration_dag
    assert structure.collaboration_dag.why == (
        "{1,2,3} is formed in two ways: from {3} + {1,2} and from {1} + {2,3}"
    )


def test_positive_deficiency_is_balanced_at_some_rates_only() -> None:
    """Detailed balance around the square asks κ3 κ4 = κ1 κ2 here: KAPPA must be 1."""
    balanced = Structure(Network(TWO_WAYS.replace("KAPPA", "1")))
    assert balanced.complex_balanced
    network = balanced.network
    c = np.exp(balanced.balanced_point.log_c)
    np.testing.assert_allclose(network.A @ network.psi(c), 0, atol=1e-12)
    assert (c > 0).all()
    off = Structure(Network(TWO_WAYS.replace("KAPPA", "2")))
    assert not off.complex_balanced
    assert "off by a factor of 2" in off.complex_balanced.why
    with pytest.raises(UnsupportedError, match="not complex-balanced: no positive point"):
        _ = off.balanced_point


def test_a_cycle_balances_though_no_reaction_is_reversible() -> None:
    structure = Structure(Network("a -> b @ 1\nb -> c @ 2\nc -> a @ 4"))
    assert structure.weakly_reversible
    assert structure.deficiency == 0
    point = structure.balanced_point
    c = np.exp(point.log_c)
    np.testing.assert_allclose(c / c[0], [1, 0.5, 0.25])  # flows κ c are equal around the cycle
    assert point.residual < 1e-12


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{A} + {B} -> {A,B} @ 1", "{A} + {B} -> {A,B} cannot be undone"),
        ("{A} <-> w{A} @ 1, 1", "{A} -> w{A} does not build one compound from parts"),
        ("0 <-> {A} @ 1, 1", "0 -> {A} does not build one compound from parts"),
        ("a + a <-> b @ 1, 1\nb + b <-> a @ 1, 1", "a takes part in building itself"),
        (  # d is built from a, but no part of itself
            "a + q <-> d @ 1, 1\na + a <-> b @ 1, 1\nb + b <-> a @ 1, 1",
            "a takes part in building itself",
        ),
    ],
)
def test_why_not_a_collaboration_dag(text: str, why: str) -> None:
    finding = Structure(Network(text)).collaboration_dag
    assert not finding
    assert why in finding.why


def test_not_weakly_reversible_names_the_complexes() -> None:
    finding = Structure(Network("a -> b @ 1\nb <-> c @ 1, 1")).weakly_reversible
    assert finding.why == "nothing leads back from b to a"


@pytest.mark.parametrize(
    ("text", "laws"),
    [
        ("{A} + dock <-> docked{A} @ 1, 1", ["{A} + docked{A}", "docked{A} + dock"]),
        ("P + P <-> Q @ 1, 1", ["P + 2 Q"]),
        ("P + R <-> C @ 1, 1", ["C + P", "C + R"]),
        ("0 -> X @ 1\nX -> 0 @ 1", []),
        ("a -> a + b @ 1", ["a"]),
        ("a + b -> 2 c @ 1\nc -> d @ 1", ["2 a + c + d", "2 b + c + d"]),
        ("3 a <-> 2 b @ 1, 1", ["2 a + 3 b"]),
    ],
)
def test_laws(text: str, laws: list[str]) -> None:
    assert [str(law) for law in Structure(Network(text)).conservation_laws] == laws


def test_a_law_with_a_minus_is_kept_when_there_is_no_other() -> None:
    laws = Structure(Network("a + b -> 0 @ 1")).conservation_laws
    assert [str(law) for law in laws] in (["a - b"], ["-a + b"])
    assert not laws[0].is_non_negative


def test_strong_components_against_closure() -> None:
    rng = np.random.default_rng(3)
    for nodes in range(1, 9):
        for _ in range(40):
            edges = [e for e in itertools.product(range(nodes), range(nodes)) if rng.random() < 0.2]
            reach = np.eye(nodes, dtype=bool)
            for source, target in edges:
                reach[source, target] = True
            for middle in range(nodes):
                reach |= np.outer(reach[:, middle], reach[middle])
            both = reach & reach.T
            expected = sorted({tuple(np.flatnonzero(row).tolist()) for row in both})
            assert [tuple(c) for c in strong_components(nodes, edges)] == expected


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    nodes = 50_000
    assert len(strong_components(nodes, [(i, i + 1) for i in range(nodes - 1)])) == nodes


def _ladder(steps: int, coefficient: int) -> str:
    return "\n".join(f"S{i} <-> {coefficient} S{i + 1} @ 3, 7" for i in range(steps))


@pytest.mark.parametrize(("steps", "coefficient"), [(6, 100), (40, 2)])
def test_balance_where_logarithms_are_huge(steps: int, coefficient: int) -> None:
    text = _ladder(steps, coefficient) + f"\nS0 + T <-> {coefficient} S1 + T @ 3, 7"
    structure = Structure(Network(text))
    assert structure.deficiency == 1
    assert structure.complex_balanced


def test_rates_at_the_ends_of_floating_point() -> None:
    three = "X <-> Y @ 1e308, 1e308\nY <-> Z @ 1e308, 1e308\nX <-> Z @ 1e308, 1e308"
    np.testing.assert_allclose(Structure(Network(three)).balanced_point.log_c, 0, atol=1e-12)
    far = "X <-> Y @ 1e300, 1e-300\nX + T <-> Y + T @ 1e-300, 1e300"
    finding = Structure(Network(far)).complex_balanced
    assert not finding
    assert "off by any factor" in finding.why


def test_a_law_is_a_count_of_robots_only_if_it_counts_all() -> None:
    laws = Structure(Network("{A} <-> a{A} @ 1, 1\nb{A} <-> c{A} @ 1, 1")).conservation_laws
    assert [law.member for law in laws] == [None, None]


def test_laws_with_absurd_coefficients_are_refused() -> None:
    with pytest.raises(TooLargeError, match="coefficients of thousands of digits"):
        _ = Structure(Network(_ladder(2500, 100))).conservation_laws


def test_one_large_class_is_no_harder_than_many_small_ones() -> None:
    """A ring of two thousand complexes, which a dense elimination would take a minute for."""
    ring = [
        f"x{i} + y{i % 7} -> x{(i + 1) % 2002} + y{(i + 1) % 7} @ {1 + i % 3}" for i in range(2002)
    ]
    structure = Structure(Network("\n".join(ring)))
    assert structure.weakly_reversible
    assert len(structure.linkage_classes) == 1
    _ = structure.complex_balanced
