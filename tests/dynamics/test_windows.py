"""Windows of the closed form: what they leave out is bounded, and known before they are summed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import covey
from covey import Limits, Network, Query
from covey.dynamics.closed_form.convolution.contraction import Contraction
from covey.dynamics.closed_form.convolution.coordinates import coordinates
from covey.dynamics.closed_form.convolution.lumped_lattice import LumpedLattice
from covey.dynamics.closed_form.convolution.tails import Tails
from covey.dynamics.closed_form.product_form import ProductForm
from covey.dynamics.closed_form.windows import PoissonWindows, Windows, sums
from covey.dynamics.distribution import Distribution
from covey.dynamics.engine import Engine
from covey.model.structure import Structure
from tests.dynamics.test_product_form import FREE_BUSY, MOTIVATING, SIZES, THREE, State, questions

TOLERANCES = st.floats(-12, -3).map(lambda exponent: 10.0**exponent)
DEPOT = Network(
    """
    {carrier} + {picker} <-> pick{carrier,picker} @ 0.02, 1
    {carrier} + {forklift} <-> lift{carrier,forklift} @ 0.03, 1
    {carrier} + {dock} <-> charge{carrier,dock} @ 0.05, 0.5
    {picker} + {dock} <-> charge{picker,dock} @ 0.04, 0.5
    {forklift} + {dock} <-> charge{forklift,dock} @ 0.06, 0.5
    """
)
SEEN = Query(
    driving="{carrier} + {picker} + {forklift}",
    working="pick{carrier,picker} + lift{carrier,forklift}",
    charging="charge{carrier,dock} + charge{picker,dock} + charge{forklift,dock}",
)


def depot(**robots: int) -> list[int]:
    return [robots.get(str(species).strip("{}"), 0) for species in DEPOT.species]


def lattices(
    network: Network, start: State, query: Query
) -> tuple[LumpedLattice | None, LumpedLattice | None]:
    form = ProductForm(network)
    state = np.array(start)
    return form._lattice(state, query), form._lattice(state, None)


def assert_within(part: Distribution, whole: Distribution, tolerance: float) -> None:
    """P ≤ p_true ≤ p + lost for every outcome, and no more is lost than is allowed."""
    assert part.lost_mass <= tolerance
    exact = {tuple(y): p for y, p in zip(whole.outcomes.tolist(), whole.probabilities, strict=True)}
    found = {tuple(y): p for y, p in zip(part.outcomes.tolist(), part.probabilities, strict=True)}
    assert found.keys() <= exact.keys()
    slack = math.exp(part.log_error + whole.log_error)
    for y, p in exact.items():
        assert found.get(y, 0.0) <= p * slack
        assert p <= (found.get(y, 0.0) + part.lost_mass) * slack
    # All that is missing, together.
    assert sum(exact.values()) - sum(found.values()) <= part.lost_mass + 1e-10


@given(questions(), TOLERANCES)
@settings(max_examples=60, deadline=None)
def test_a_window_of_any_network_bounds_its_law(
    question: tuple[Network, State, Query], tolerance: float
) -> None:
    network, start, query = question
    form = ProductForm(network)
    part = form.observe(start, query, tolerance=tolerance)
    assert_within(part, form.observe(start, query), tolerance)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize(
    ("network", "start", "query"),
    [
        (THREE, [60, 50, 40, 0, 0], SIZES),
        (THREE, [9, 80, 5, 0, 0], Query(pairs="{1,2}")),
        (MOTIVATING, [50, 30, 40, 0, 0], FREE_BUSY),
        (DEPOT, depot(carrier=20, picker=14, forklift=7, dock=5), SEEN),
    ],
)
def test_a_contraction_bounds_the_exact_law(
    network: Network, start: list[int], query: Query, tolerance: float
) -> None:
    form = ProductForm(network)
    named = [str(species) for species in network.species]
    assert len(named) == len(start)
    lattice, unseen = lattices(network, tuple(start), query)
    assert lattice is not None
    assert unseen is not None
    windows = sums(lattice, unseen, tolerance, 10**7, None)
    assert isinstance(windows, Windows)
    part = form.observe(start, query, tolerance=tolerance)
    assert part.lost_mass == pytest.approx(windows.lost, rel=1e-2)  # known beforehand
    assert_within(part, form.observe(start, query), tolerance)
