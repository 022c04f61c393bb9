"""Published values of the Quantitative Verification Benchmark Set, which Storm printed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from benchmarks.bench_stiff import mapk

from covey import distribution, first_passage, performance
from tests.reference.qvbs import MAJORITY, SPEED_INDEPENDENT, TOGGLE, Protein, circuit

# N: activated at 30, reactions until 30, time until all are activated at once.
MAPK = {
    1: (0.04028929041, 6.646271174, 66.18981973),
    2: (0.3855065538, 22.04722709, 57.53400419),
    3: (1.145640698, 36.61456209, 46.887248),
    4: (2.108167093, 48.49102761, 40.67650519),
}
UNTIL = 2100


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_activated_kinases_of_the_mapk_cascade(n: int) -> None:
    found = performance(mapk(n)).measures
    activated, reactions, _ = MAPK[n]
    assert found["activated"].value == pytest.approx(activated, rel=2e-9)
    assert 30 * found["reactions"].value == pytest.approx(reactions, rel=2e-9)


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_time_until_all_kinases_are_activated(n: int) -> None:
    found = first_passage(mapk(n), f"kpp == {n}", [30.0])
    assert found.mean == pytest.approx(MAPK[n][2], rel=2e-7)  # of values at a precision of 1e-6
    low, high = found.mean_interval
    assert low <= found.mean <= high < low * (1 + 1e-9)


@pytest.mark.parametrize(
    ("proteins", "condition", "published"),
    [
        pytest.param(TOGGLE, "5 * TetR > 40 and 10 * LacI < 20", 0.01349121251, id="toggle-switch"),
        pytest.param(MAJORITY, "3 * EE > 40 and 10 * CC < 20", 0.05429919316,
                     id="majority", marks=pytest.mark.slow),
        pytest.param(SPEED_INDEPENDENT, "10 * S2 > 80 and 15 * S3 < 20", 0.04229449798,
                     id="speed-ind", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_circuits_that_change_their_state_by_mistake(
    proteins: Mapping[str, Protein], condition: str, published: float
) -> None:
    found = first_passage(circuit(proteins), condition, [UNTIL])
    assert found.probability[0] == pytest.approx(published, rel=1e-8)
    assert found.lower[0] <= found.probability[0] <= found.upper[0] < found.lower[0] * (1 + 1e-8)


@pytest.mark.slow
def test_a_circuit_that_hardly_ever_changes_its_state_is_certain_at_rest() -> None:
    """Refused by sweeps, and too large to be eliminated: its groups of states are weighed."""
    found = distribution(circuit(SPEED_INDEPENDENT), "steady")
    assert found.states == 46_464
    assert found.log_error < 1e-8
