"""What the team achieves, beside what it gives away, in every cell of a sweep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import xarray as xr

import covey
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.study.sweep.result import Sweep, open_sweep

EXAMPLE = Path(__file__).parents[2] / "examples" / "throttled-warehouse.toml"
AXES = {"types.carrier": [2, 3], "rates.meet": [0.2, 0.8]}
BOTH = ("guess", "performance.picks", "performance.idle")


@pytest.fixture(scope="module")
def team() -> Scenario:
    return covey.load(EXAMPLE).with_({"performance.idle": "mean(driving) at 5"})


@pytest.fixture(scope="module")
def found(team: Scenario) -> Sweep:
    return covey.sweep(team, AXES, measure=BOTH, workers=1)


def test_every_cell_has_what_performance_says(team: Scenario, found: Sweep) -> None:
    for cell in range(4):
        for name in ("picks", "idle"):
            view = found.of(f"performance.{name}")
            place = view.cell(cell)
            told = covey.performance(team.with_(place.changes)).measures[name]
            assert place.value == told.value
            row = {key: float(view.data[key].values.ravel()[cell]) for key in ("lower", "upper")}
            assert row == {"lower": told.lower, "upper": told.upper}


def test_other_columns_stay_as_they_are(team: Scenario, found: Sweep) -> None:
    alone = covey.sweep(team, AXES, measure="guess", workers=1).data
    added = [name for name in found.data.data_vars if name not in alone.data_vars]
    assert [name for name in added if not str(name).endswith(("lower", "upper"))] == [*BOTH[1:]]
    xr.testing.assert_allclose(found.data.drop_vars(added), alone, rtol=1e-12)


@pytest.mark.parametrize("ending", ["csv", "nc"])
def test_files_read_back(found: Sweep, tmp_path: Path, ending: str) -> None:
    found.save(tmp_path / f"all.{ending}")
    again = open_sweep(tmp_path / f"all.{ending}")
    assert again.measures == found.measures == BOTH
    assert again.of("performance.picks").lowest == found.of("performance.picks").lowest
    found.of("performance.picks").save(tmp_path / f"one.{ending}")
    alone = open_sweep(tmp_path / f"one.{ending}")
    assert alone.measure == "performance.picks"
    assert alone.highest == found.of("performance.picks").highest


def test_it_may_come_first_and_goes_on(team: Scenario, tmp_path: Path) -> None:
    path = tmp_path / "first.csv"
    first = covey.sweep(team, AXES, measure=BOTH[::-1], path=path, workers=1)
    said: list[str] = []
    again = covey.sweep(
        team, AXES, measure=BOTH[::-1], path=path, workers=1,
        progress=lambda *now: said.append(now[2]),
    )  # fmt: skip
    assert said == []  # from the file
    assert first.measure == again.measure == "performance.idle"
    assert again.of("guess").lowest == first.of("guess").lowest


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("performance.pick", 'has no pick. Did you mean "picks"?'),
        ("performance.x y", "cannot be measured"),
        ("performance.picks=2", "cannot be measured"),
    ],
)
def test_what_is_wrong(team: Scenario, measure: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        covey.sweep(team, AXES, measure=measure, workers=1)


def test_without_performance() -> None:
    scenario = covey.load(EXAMPLE.with_name("shared-resource.toml"))
    with pytest.raises(InputError, match=re.escape("no [performance]")):
        covey.sweep(scenario, {"types.A": [1, 2]}, measure="performance.x", workers=1)
