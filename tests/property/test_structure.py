"""Structure against definitions worked out with rationals, closures and brute force."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey import Network, Structure, reach
from covey.model.structure import exact_algebra
from tests.property.strategies import networks

pytestmark = pytest.mark.slow  # hundreds of random cases


def _rational_rank(rows: list[list[int]]) -> int:
    matrix = [[Fraction(x) for x in row] for row in rows]
    rank = 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((i for i in range(rank, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        for i in range(rank + 1, len(matrix)):
            factor = matrix[i][column] / matrix[rank][column]
            matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[rank], strict=True)]
        rank += 1
    return rank


small = st.integers(-4, 4)
large = st.integers(-(10**7), 10**7)


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.lists(
            st.lists(st.one_of(st.just(0), small, large), min_size=n, max_size=n), max_size=8
        ).map(lambda rows: (n, rows))
    ),
    st.booleans(),
)
def test_kernel(case: tuple[int, list[list[int]]], dense: bool) -> None:
    unknowns, rows = case
    equations = [{i: x for i, x in enumerate(row) if x} for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        if dense:  # the same answers when the equations are one matrix from the start
            patch.setattr(exact_algebra, "_DENSE_ABOVE", -1)
        kernel = exact_algebra.integer_kernel(equations, unknowns)
    rank = _rational_rank(rows)
    assert kernel.rank == rank
    assert len(kernel.vectors) == unknowns - rank
    vectors = [[v.get(i, 0) for i in range(unknowns)] for v in kernel.vectors]
    assert _rational_rank(vectors) == unknowns - rank
    for row in rows:
        for vector in vectors:
            assert sum(a * b for a, b in zip(row, vector, strict=True)) == 0
    pivot_rows = [rows[equation] for equation, _ in kernel.pivots]
    pivot_block = [[row[unknown] for _, unknown in kernel.pivots] for row in pivot_rows]
    assert _rational_rank(pivot_block) == rank


@given(networks())
def test_distributions_and_deficiency(network: Network) -> None:
    structure = Structure(network)
    gamma = network.gamma
    weights = structure.conservation_matrix
    assert weights.shape == (len(structure.conservation_laws), len(network.species))
    assert not (weights @ gamma).any()
    assert structure.rank == np.linalg.matrix_rank(gamma.astype(float))
    assert structure.deficiency >= 0
    # deficiency is also the dimension of ker M ∩ im A, when the network is weakly reversible
    if structure.weakly_reversible:
        product = network.M @ network.A  # in floats: what rounding leaves has no rank
        rank_ma = np.linalg.matrix_rank(product, tol=1e-9 * np.abs(network.A).max(initial=1.0))
        rank_a = len(network.complexes) - len(structure.linkage_classes)
        assert structure.deficiency == rank_a - rank_ma


@given(networks())
def test_a_balanced_point_balances(network: Network) -> None:
    structure = Structure(network)
    if structure.complex_balanced:
        c = np.exp(structure.balanced_point.log_c)
        flows = network.psi(c)
        scale = (np.abs(network.A) @ flows).max()
        assert np.abs(network.A @ flows).max() <= 1e-9 * scale
    if structure.collaboration_dag:
        assert structure.deficiency == 0
        assert structure.complex_balanced


def _explore(network: Network, start: tuple[int, ...], limit: int) -> int | None:
    seen, work = {start}, [start]
    for state in work:
        for needs, change in zip(network.reactants, network.changes, strict=True):
            if (np.array(state) >= needs).all():
                new = tuple((np.array(state) + change).tolist())
                if new not in seen:
                    seen.add(new)
                    work.append(new)
        if len(work) > limit:
            return None
    return len(work)


@given(networks(most=4), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_reach_against_brute_force(network: Network, data: st.DataObject) -> None:
    start = tuple(data.draw(st.integers(0, 2)) for _ in network.species)
    found = reach(Structure(network), start)
    states = _explore(network, start, limit=400)
    if states is not None:
        assert found.states == states
        assert found.finite
    else:
        assert found.states is None or found.states > 400
