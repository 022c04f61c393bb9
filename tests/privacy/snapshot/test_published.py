"""Where a scenario's [release] has a mechanism, everything speaks of what is published."""

from __future__ import annotations

import math
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.errors import CoveyWarning, InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.channel import seen_through
from covey.privacy.snapshot.published import released

EXAMPLES = Path(__file__).parents[3] / "examples"
RELEASE = '\n[release]\nmechanism = "mechanism.json"\nevery = 60.0\nuntil = 480.0\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("published")
    covey.protect(covey.load(EXAMPLES / "warehouse.toml"), 0.5, teams="this").save(
        place / "mechanism.json"
    )
    text = (EXAMPLES / "warehouse.toml").read_text(encoding="utf-8")
    (place / "fleet.toml").write_text(text + RELEASE, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def fleet(folder: Path) -> Scenario:
    return covey.load(folder / "fleet.toml")


def test_leakage_and_profile(fleet: Scenario) -> None:
    found = covey.leakage(fleet)
    assert found.interval[1] <= 0.5
    assert math.isinf(covey.leakage(fleet.unpublished()).value)
    assert covey.profile(fleet).epsilon(0.0) <= 0.5
    table = fleet.release.mechanism
    assert table is not None
    assert found.interval[1] == table.leakage


def test_the_distribution_is_the_sum_over_what_is_there(fleet: Scenario) -> None:
    table = fleet.release.mechanism
    assert table is not None
    (there,) = covey.team_distributions(fleet.unpublished())
    (shown,) = covey.team_distributions(fleet)
    rows, unknown = table.rows_of(there.team.outcomes)
    assert unknown == 0
    by_hand = there.team.probabilities @ table.table[rows]
    for outcome, p in zip(table.published.tolist(), by_hand.tolist(), strict=True):
        counts = dict(zip(table.counts, outcome, strict=True))
        assert shown.team.probability(**counts) == pytest.approx(p, rel=1e-12)
    assert seen_through(
        there, lambda distribution: released(distribution, table)
    ).team.probabilities.tolist() == (shown.team.probabilities.tolist())


def test_inference_weighs_by_what_is_published(fleet: Scenario) -> None:
    (shown,) = covey.team_distributions(fleet)
    counts = {"driving": 4, "picking": 2, "charging": 2}
    found = covey.infer(fleet, counts)
    likely = [shown.team, *(distribution for _, distribution in shown.neighbours)]
    weights = np.array([distribution.probability(**counts) for distribution in likely])
    believed = [belief.posterior for belief in found.beliefs]
    assert believed == pytest.approx((weights / weights.sum()).tolist(), rel=1e-9)
    partly = covey.infer(fleet, {"picking": 2})
    weights = np.array([distribution.probability(picking=2) for distribution in likely])
    assert [b.posterior for b in partly.beliefs] == pytest.approx(
        (weights / weights.sum()).tolist(), rel=1e-9
    )
    with pytest.raises(InputError, match="never published"):
        covey.infer(fleet, {"driving": 4, "picking": 2, "charging": 3})


def test_a_watch_agrees_with_an_inference(fleet: Scenario) -> None:
    counts = {"driving": 4, "picking": 2, "charging": 2}
    first = covey.watch(fleet).see(0.0, counts)
    once = covey.infer(fleet, counts)
    assert [b.posterior for b in first.beliefs] == pytest.approx(
        [b.posterior for b in once.beliefs], rel=1e-9
    )


def test_a_stream_through_the_release_is_one_through_its_table(fleet: Scenario) -> None:
    table = fleet.release.mechanism
    assert table is not None
    released_ = covey.stream(fleet, paths=200, seed=3)
    by_table = covey.stream(
        fleet.unpublished(),
        60,
        480,
        paths=200,
        seed=3,
        seen=lambda distribution: released(distribution, table),
    )
    assert released_.rows == by_table.rows
    assert released_.rows[0].leakage is not None
    assert released_.rows[0].leakage.value <= 0.5


def test_trace_sensitivity_sweep_and_groups(fleet: Scenario) -> None:
    assert covey.trace(fleet, [5.0, 50.0]).leakages[-1].value < 1
    changes = covey.sensitivity(fleet, workers=1)
    assert {effect.change.kind for effect in changes.effects} == {"rate", "count"}
    assert changes.before.leakage <= 0.5
    swept = covey.sweep(fleet, {"types.carrier": [5, 6]}, workers=1)
    assert swept.values[1] == covey.leakage(fleet).value
    by_rate = covey.sweep(fleet, {"rates.meet": [0.2, 0.3]}, workers=1)
    assert by_rate.values[0] == covey.leakage(fleet).value
    assert covey.group_leakage(fleet, 1).value == pytest.approx(covey.leakage(fleet).value)


def test_an_audit_sees_what_is_published(fleet: Scenario) -> None:
    found = covey.audit(fleet, at=50.0, samples=500)
    assert found.lower <= 1.0


def test_a_file_that_means_the_same(folder: Path, fleet: Scenario) -> None:
    covey.dump(fleet, folder / "again.toml")
    assert covey.load(folder / "again.toml") == fleet
    unsaved = covey.protect(fleet, 0.5, teams="this").release
    with pytest.raises(InputError, match="save it first"):
        covey.dumps(fleet.with_({"release.mechanism": unsaved}, warn=False))


def test_another_scenario_is_warned_of(fleet: Scenario) -> None:
    for change, said in (({"rates.meet": 0.4}, "rates"), ({"types.carrier": 7}, "team"), ({"adversary.at": 5.0}, "moment")):  # fmt: skip
        with pytest.warns(CoveyWarning, match=said):
            fleet.with_(change)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fleet.with_({"title": "the same"})


def test_other_counts_are_refused(fleet: Scenario) -> None:
    with pytest.raises(InputError, match="make one for this query"):
        fleet.with_({"observe.driving": "{carrier}", "observe.more": "{picker}"})


@pytest.mark.parametrize("name", ["../mechanism.json", "/etc/passwd", "a/b.json", "..", "", 3])
def test_a_mechanism_lies_beside_the_scenario(folder: Path, name: object) -> None:
    text = (EXAMPLES / "warehouse.toml").read_text(encoding="utf-8")
    value = f'"{name}"' if isinstance(name, str) else name
    (folder / "other.toml").write_text(
        f"{text}\n[release]\nmechanism = {value}\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"release\.mechanism"):
        covey.load(folder / "other.toml")


def test_a_mechanism_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "fleet.toml", tmp_path)
    with pytest.raises(InputError, match="no such file"):
        covey.load(tmp_path / "fleet.toml")


def test_sequences_are_not_summed_over(fleet: Scenario) -> None:
    with pytest.raises(UnsupportedError, match="stream"):
        covey.joint_distributions(fleet, [0.0, 1.0])
