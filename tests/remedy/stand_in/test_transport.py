"""The transport problem against HiGHS, and exactly in fractions."""

import subprocess
import sys

import numpy as np
from scipy.optimize import linprog

from covey.dynamics.kernels.coupling.transport import transport


def _best(costs: np.ndarray, left: np.ndarray, right: np.ndarray) -> float:
    rows, columns = costs.shape
    sums = np.vstack([np.kron(np.eye(rows), np.ones(columns)), np.tile(np.eye(columns), rows)])
    found = linprog(costs.ravel(), A_ub=sums, b_ub=np.concatenate([left, right]), method="highs")
    return float(found.fun)


def test_nothing_cheaper_can_be_carried() -> None:
    draws = np.random.default_rng(3)
    for _ in range(200):
        rows, columns = draws.integers(1, 9, 2)
        costs = draws.normal(size=(rows, columns)).round(1)  # with ties
        left, right = draws.exponential(size=rows), draws.exponential(size=columns)
        left[draws.random(rows) < 0.2] = 0.0
        out = np.empty((rows, columns))
        remains, room = left.copy(), right.copy()
        transport(
            costs, remains, room, out, np.empty(rows + columns), np.empty(rows + columns, int)
        )
        assert (out >= 0).all()
        np.testing.assert_allclose(out.sum(axis=1) + remains, left, atol=1e-12)
        np.testing.assert_allclose(out.sum(axis=0) + room, right, atol=1e-12)
        assert abs((costs * out).sum() - _best(costs, left, right)) <= 1e-9


def test_rounding_does_not_lead_around_for_ever() -> None:
    """Found in a policy iteration: round trips of this one cost nothing, but for rounding."""
    costs = np.array(
        [
            [
                42.28607826790822,
                12.078273967191791,
                -31.719074275082843,
                -19.197749956445918,
                -38.522350591321526,
                -11.679240564823871,
            ],
            [
                0.0,
                42.28607826790822,
                -1.0658141036401503e-14,
                85.04519269994653,
                -1.0658141036401503e-14,
                72.98107508200046,
            ],
            [
                85.04519269994653,
                -19.197749956445918,
                -70.61912679840971,
                -0.7667501432101744,
                -14.052075141565648,
                -41.65793918198824,
            ],
            [
                -1.4210854715202004e-14,
                -31.719074275082832,
                -217.9579306031528,
                -70.6191267984097,
                -217.9579306031528,
                -29.906589860234376,
            ],
            [
                72.98107508200046,
                -11.679240564823871,
                -29.906589860234373,
                -41.65793918198824,
                -82.68324441635578,
                -17.154160243461774,
            ],
            [
                -1.4210854715202004e-14,
                -38.52235059132151,
                -217.9579306031528,
                -14.052075141565652,
                -217.9579306031528,
                -82.68324441635576,
            ],
        ]
    )
    left = np.array(
        [
            22.509274030816687,
            12.204055061949521,
            3.88335961236824,
            2.206271404211185,
            0.9442080764123056,
            0.3511941585432505,
        ]
    )
    right = np.array(
        [
            15.204055061949521,
            15.204055061949521,
            2.4062714042111857,
            2.4062714042111857,
            0.5111941585432503,
            0.5111941585432505,
        ]
    )
    out = np.empty((6, 6))
    transport(costs, left.copy(), right.copy(), out, np.empty(12), np.empty(12, int))
    assert abs((costs * out).sum() - _best(costs, left, right)) <= 1e-9


def test_in_fractions_the_sums_are_kept_exactly() -> None:
    """With NUMBA_DISABLE_JIT=1 the same function takes fractions, and rounds nothing."""
    code = """
from fractions import Fraction as F
import numpy as np, random
from covey.dynamics.kernels.coupling.transport import transport
random.seed(2)
for _ in range(40):
    r, s = random.randint(1, 6), random.randint(1, 6)
    costs = np.array([[F(random.randint(-9, 9), 7) for _ in range(s)] for _ in range(r)])
    left = np.array([F(random.randint(0, 9), 11) for _ in range(r)])
    right = np.array([F(random.randint(0, 9), 13) for _ in range(s)])
    rest, room, out = left.copy(), right.copy(), np.full((r, s), F(0))
    transport(costs, rest, room, out, np.full(r + s, F(0)), np.zeros(r + s, dtype=int))
    assert all(m >= 0 for m in out.ravel())
    assert (out.sum(axis=1) + rest == left).all() and (out.sum(axis=0) + room == right).all()
print("exact")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**__import__("os").environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "exact\n"
