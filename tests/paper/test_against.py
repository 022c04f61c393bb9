"""The authors' numbers: quoted ones, and folders like theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import covey
from covey.errors import InputError
from covey.executors import InThisProcess
from covey.paper import against, authors
from covey.paper.case_studies import collaboration
from covey.paper.readings import NU
from covey.paper.scenarios import task_network, three_types
from covey.paper.workspace import Workspace

BOTH = ("collaboration", "tasks")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "data").mkdir()
    return Workspace(tmp_path / "data", full=False, executor=InThisProcess())


def test_quoted_values_of_the_first_case_study(workspace: Workspace) -> None:
    """From the data behind the authors' figures: see `covey.paper.authors`."""
    assert authors.COLLABORATION_TEAMS[220, 220, 200] == 1.90263073112690
    one = covey.leakage(three_types(), smoothing=1e-5).value
    assert one == pytest.approx(1.90263073112690, abs=1e-12)
    teams = list(authors.COLLABORATION_TEAMS)
    found = np.asarray(collaboration.over_teams(workspace, teams)[NU])
    np.testing.assert_allclose(found, list(authors.COLLABORATION_TEAMS.values()), rtol=1e-12)
    rates = list(authors.COLLABORATION_RATES)
    found = np.asarray(collaboration.over_rates(workspace, rates)[NU])
    np.testing.assert_allclose(found, list(authors.COLLABORATION_RATES.values()), rtol=1e-12)


@pytest.mark.slow
def test_quoted_values_of_the_second_case_study() -> None:
    """Theirs are of a projection that left out up to 1 % of the mass: not to all digits."""
    for nu, theirs in (
        (1e-5, authors.TASK_TEAMS[10, 10, 10]),
        (1e-3, authors.TASK_RATES["abandon"][1.0, 1.0, 1.0]),
    ):
        assert covey.leakage(task_network(), smoothing=nu).value == pytest.approx(theirs, rel=1e-2)


def test_a_folder_like_theirs(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(against, "_ROBOTS", 2)
    task = covey.leakage(task_network((3, 2, 2)), smoothing=1e-5).value
    rate = covey.leakage(task_network((2, 2, 2), abandon=(1.0, 0.2, 2.0)), smoothing=1e-3).value
    one = authors.COLLABORATION_RATES[0.1, 1.0, 0.1, 1.0]
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, text in {
        "cs1_populations_nu1e-5": "n1,n2,n3,leakage\n220,220,200,1.90263073112690\n",
        "cs1_rates_k1_k3_nu1e-5": f"k1,k3,leakage\n0.1,0.1,{one!r}\n",
        "cs2_1_1_20": f"x1,x2,x3,leakage\n3.0,2.0,2.0,{task!r}\n2.0,2.0,3.0,{task + 0.5!r}\n",
        "cs2_beta_1_1_1e-3": f"x1,x2,x3,leakage\n1.0,2.0,0.2,{rate!r}\n",
    }.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    found = {one.file: one for one in against.compare(workspace, folder, BOTH)}
    assert list(found) == sorted(path.name for path in folder.iterdir())
    assert found["cs1_populations_nu1e-5.csv"].largest < 1e-12
    assert found["cs1_rates_k1_k3_nu1e-5.csv"].largest < 1e-12
    assert found["cs2_beta_1_1_1e-3.csv"].largest < 2e-6
    teams = found["cs2_1_1_20.csv"]
    assert (teams.cells, teams.at) == (2, {"x1": 2.0, "x2": 2.0, "x3": 3.0})
    assert teams.largest == pytest.approx(0.5, abs=2e-6)
    assert teams.theirs - teams.ours == pytest.approx(0.5, abs=2e-6)
    assert not list(workspace.folder.glob("*.jsonl"))
    workspace.log.clear()
    again = against.compare(workspace, folder, ["collaboration"])
    assert [one.file for one in again] == [
        "cs1_populations_nu1e-5.csv",
        "cs1_rates_k1_k3_nu1e-5.csv",
    ]
    assert all("kept from before" in line for line in workspace.log)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("prose", "n1,n2\n", "its name does not say"),
        ("cs1_populations_nu1e-4", "n1,n2,n3,leakage\n1,1,1,1\n", "ν is 0.0001"),
        ("cs1_rates_k1_k1_nu1e-5", "k1,k1,leakage\n1,1,1\n", "its name does not say"),
        ("cs1_populations_nu1e-5", "a,b\n1,2\n", "the columns are 'a,b'"),
        ("cs1_populations_nu1e-5", "", "the columns are"),
        ("cs1_populations_nu1e-5", "n1,n2,n3,leakage\n", "no cell"),
        ("cs1_populations_nu1e-5", "n1,n2,n3,leakage\n1,1,1,x\n", "3 positive numbers"),
        ("cs1_populations_nu1e-5", "n1,n2,n3,leakage\n1,1,1\n", "3 positive numbers"),
        ("cs1_populations_nu1e-5", "n1,n2,n3,leakage\n1,1,1e99,1\n", "3 positive numbers"),
        ("cs1_populations_nu1e-5", "n1,n2,n3,leakage\n1,1,1.5,1\n", "whole numbers"),
        ("cs2_alpha_1_1_1e-3", "x1,x2,x3,leakage\n1,0,1,1\n", "3 positive numbers"),
        ("cs2_alpha_1_1_1e-3", "x1,x2,x3,leakage\n1,1,1,nan\n", "3 positive numbers"),
    ],
)  # fmt: skip
def test_files_that_are_none(
    tmp_path: Path, workspace: Workspace, name: str, text: str, says: str
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        against.compare(workspace, folder, BOTH)


def test_folders_that_are_none(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no folder"):
        against.compare(workspace, tmp_path / "nowhere", BOTH)
    with pytest.raises(InputError, match="no CSV file"):
        against.compare(workspace, workspace.folder, BOTH)
    (tmp_path / "cs2_1_1_20.csv").write_text("x1,x2,x3,leakage\n1,1,1,1\n")
    with pytest.raises(InputError, match="part collaboration"):
        against.compare(workspace, tmp_path, ["collaboration"])
