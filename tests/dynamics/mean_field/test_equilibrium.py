"""The mean-field equilibrium: the paper's quartic, conservation, boundaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import Network, Structure, UnsupportedError
from covey.dynamics.mean_field.equilibrium import conservation_multipliers, equilibrium_point

RATES = st.floats(0.01, 100)


def quartic_root(n1: int, n2: int, n3: int, k: tuple[float, float, float, float]) -> float:
    """The all-positive root x{1,2} of the paper's quartic (l.536), by bisection."""

    def value(x: float) -> float:
        back = k[3] * n3 / (k[2] * x + k[3])
        return k[0] * (n1 - n3 - x + back) * (n2 - n3 - x + back) - k[1] * x

    def positive(x: float) -> bool:
        back = k[3] * n3 / (k[2] * x + k[3])
        return n1 - n3 - x + back > 0 and n2 - n3 - x + back > 0

    low, high = 0.0, float(min(n1, n2))
    for _ in range(200):
        middle = (low + high) / 2
        if positive(middle) and value(middle) > 0:
            low = middle
        else:
            high = middle
    return low


@given(
    st.tuples(*[st.integers(1, 400)] * 3),
    st.tuples(RATES, RATES, RATES, RATES),
)
@settings(max_examples=80, deadline=None)
def test_it_solves_the_papers_quartic(
    team: tuple[int, int, int], k: tuple[float, float, float, float]
) -> None:
    network = Network(
        f"{{1}} + {{2}} <-> {{1,2}} @ {k[0]!r}, {k[1]!r}\n"
        f"{{1,2}} + {{3}} <-> {{1,2,3}} @ {k[2]!r}, {k[3]!r}"
    )
    point = equilibrium_point(network, [*team, 0, 0])
    assert point[3] == pytest.approx(quartic_root(*team, k), rel=1e-8)
    held = [point[0] + point[3] + point[4], point[1] + point[3] + point[4], point[2] + point[4]]
    assert held == pytest.approx(team, rel=1e-10)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2 {A} + {B} <-> {A,A,B} @ 0.3, 2\n{A} <-> w{A} @ 1, 5", [5, 3, 0, 0]),
        ("a{X} -> b{X} @ 2\nb{X} -> c{X} @ 3\nc{X} -> a{X} @ 1", [7, 0, 0]),
        ("p + q <-> r + s @ 1e-6, 1e6", [10, 1, 0, 3]),
        ("0 <-> {A} @ 4, 2\n{A} + {B} <-> {A,B} @ 1, 3", [0, 6, 0]),
    ],
)
def test_nothing_moves_there_and_the_laws_hold(text: str, start: list[int]) -> None:
    network = Network(text)
    point = equilibrium_point(network, start)
    flows = network.rate_constants * np.prod(point**network.reactants, axis=1)
    assert (point > 0).all()
    assert np.abs(network.drift(point)).max() <= 1e-9 * flows.max()
    for law in Structure(network).conservation_laws:
        row = np.array([dict(law.terms).get(species, 0) for species in network.species])
        assert row @ point == pytest.approx(row @ np.array(start), rel=1e-9, abs=1e-9)


def test_it_converges_from_amounts_of_very_different_orders() -> None:
    laws = np.array([[1.0, 0, 1], [0, 1.0, 1]])
    for exponent in (-300.0, -30.0, 30.0, 300.0):
        log_c = np.array([0.0, 0.0, exponent])
        point = np.exp(log_c + conservation_multipliers(log_c, laws, np.array([5.0, 2.0])) @ laws)
        assert laws @ point == pytest.approx([5, 2], rel=1e-9)


def test_what_cannot_come_about_stays_away_and_what_is_idle_stays() -> None:
    network = Network(
        "{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1\nlamp + {3} <-> lit{3} @ 1, 1"
    )
    names = [str(species) for species in network.species]
    start = [{"{1}": 4, "{2}": 4, "lamp": 2}.get(name, 0) for name in names]
    point = dict(zip(names, equilibrium_point(network, start).tolist(), strict=True))
    assert point["{1}"] == pytest.approx((np.sqrt(17) - 1) / 2)  # x + x² = 4
    assert (point["{3}"], point["{1,2,3}"], point["lit{3}"], point["lamp"]) == (0, 0, 0, 2)
    assert equilibrium_point(network, [0] * len(names)).tolist() == [0] * len(names)


def test_it_refuses_what_is_not_balanced() -> None:
    with pytest.raises(UnsupportedError, match="complex-balanced"):
        equilibrium_point(Network("{A} -> w{A} @ 1"), [1, 0])
