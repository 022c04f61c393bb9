"""Leakage over populations: the paper's first figure along its diagonal, by sweeps."""

from __future__ import annotations

import numpy as np
import pytest

import covey
from covey.paper.scenarios import three_types

PAPER = three_types()


def along_the_diagonal(counts: str, smoothing: float) -> covey.Sweep:
    return covey.sweep(PAPER, [f"types.1,types.2={counts}"], smoothing=smoothing, workers=1)


@pytest.mark.parametrize(("smoothing", "value"), [(1e-10, 13.254008), (1e-6, 4.061047)])
def test_the_papers_minimum(smoothing: float, value: float) -> None:
    assert covey.leakage(PAPER, smoothing=smoothing).value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("smoothing", [1e-3, 1e-20])
def test_along_the_diagonal_it_is_at_220(smoothing: float) -> None:
    found = along_the_diagonal("150:300:10", smoothing).data["leakage"].to_numpy()
    assert 150 + 10 * int(np.argmin(found)) == 220


def test_over_all_integers_it_is_at_222() -> None:
    found = along_the_diagonal("219:225", 1e-10).data["leakage"].to_numpy()
    assert 219 + int(np.argmin(found)) == 222


def test_exact_leakage_is_infinite_on_the_whole_map() -> None:
    found = covey.sweep(PAPER, {"types.1": [5, 9], "types.3": [3]}, workers=1)
    assert np.isinf(found.data["leakage"].to_numpy()).all()
