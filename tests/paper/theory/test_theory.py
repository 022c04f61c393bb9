"""The theory's claims: what decides them, and that they are decided as documented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.executors import InThisProcess
from covey.paper.scenarios import three_types
from covey.paper.theory import theory
from covey.paper.workspace import Workspace
from tests.cli.command import covey


@pytest.mark.slow
def test_the_first_part_as_users_run_it(tmp_path: Path) -> None:
    """The command with its own settings, and what it found, read from its folder."""
    answer = covey("paper", "theory", "-o", "out", cwd=tmp_path)
    assert answer.code == 0, answer.err
    workspace = Workspace(tmp_path / "out" / "data", full=False, executor=InThisProcess())
    part = theory.run(workspace)
    assert [line.partition(": ")[2] for line in workspace.log] == ["kept from before"] * 3
    assert part.tables["times"]["robots"].tolist() == list(theory.TIMED)
    good, mended, wrong, slip = "confirmed", "confirmed with a correction", "false as stated", "misprint"  # fmt: skip
    *told, slower = part.claims[:8]
    assert [claim.verdict for claim in told] == [wrong, good, mended, wrong, slip, good, good]
    assert slower.verdict in (good, "underdetermined")  # how fast this machine is decides that one
    value = dict(zip(*part.tables["numbers"].columns.values(), strict=True))
    assert value["leakage"] == np.inf
    assert value["spread"] < 1e-12
    assert 0 < value["mass"] < 0.1
    assert [claim.verdict for claim in part.claims[8:]] == [
        good, mended, good, mended, mended, good, good, mended, good, good, mended, slip, good,
        mended, good,
    ]  # fmt: skip
    assert max(claim.words for claim in part.claims) <= 40
    more = dict(zip(*part.tables["foundations"].columns.values(), strict=True))
    for way in ("leakage of D", "by the chain"):
        assert more[way] == pytest.approx(np.log(1.8), rel=1e-12)
    assert more["falling against the product form"] < 1e-12
    assert more["power against the product form"] > 0.1
    assert more["tasks at zero"] == 0
    assert more["belief in D, one of each idle"] == pytest.approx(5 / 8)
    for nu in ("0.001", "1e-05", "1e-08"):  # a tolerance far below ν does no harm
        assert more[f"tight at {nu}"] == pytest.approx(more[f"whole at {nu}"], rel=1e-4)
    assert more["projected at 1e-08"] > 1.05 * more["whole at 1e-08"]
    assert more["spread of transitions, one way"] == pytest.approx(0.5, abs=0.02)
    assert more["spread of transitions, all"] == pytest.approx(1)


def test_the_positive_root_is_the_equilibrium() -> None:
    rates = np.array([0.7, 1.3, 1.9, 0.4])
    team = np.array([30, 20, 25])
    scenario = three_types(team.tolist(), rates.tolist())
    point = equilibrium_point(scenario.network, scenario.start)
    pairs = next(i for i, s in enumerate(scenario.network.species) if str(s) == "{1,2}")
    (root,) = theory._positive_roots(team, rates)
    assert root == pytest.approx(point[pairs], rel=1e-9)
