"""Whether a sum over every outcome takes too long is counted once for teams of nearly one size."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.depot import depot

from covey import ProductForm, Solver
from covey.dynamics.product_form.elimination.convolve import TooSlowError
from covey.dynamics.product_form.slow_sums import rounded_down


def test_totals_are_rounded_down_to_five_binary_digits() -> None:
    totals = np.arange(3_000)
    fewer = rounded_down(totals)
    assert (fewer <= totals).all()
    assert (16 * (totals - fewer) <= totals).all()
    assert (fewer[:32] == totals[:32]).all()
    assert {int(n) for n in rounded_down(np.array([499, 500, 501]))} == {496}


def test_a_team_and_its_neighbours_are_refused_by_one_count() -> None:
    form, counted = ProductForm(depot(8).network), []
    for carriers in (479, 480, 481):
        team = depot(8).with_({"types.carrier": carriers})
        with pytest.raises(TooSlowError):
            form.prepare(team.start, team.query, max_written=1e5)
        counted.append(len(form._slow_sums._found))
    assert counted == [1, 2, 2]  # 480 has digits of its own


def test_what_is_quick_is_summed_to_the_end() -> None:
    team = depot(1)
    (found,) = Solver(team.network).distributions(team.start, ["steady"], team.query)
    assert (found.method, found.truncated_mass) == ("product-form", 0.0)
