"""Every log of three rows: rates with intervals, or a sentence."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path

import pytest

from covey import Network, Query, Scenario, Team, load
from covey.errors import CoveyWarning, InputError
from covey.numbers import Floats
from covey.study.fit.fit import Fit, fit
from covey.study.fit.snapshot_chain import SnapshotChain
from tests.conftest import EXAMPLES

TWO = 2


def scenario(robots: int) -> Scenario:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        network = Network("{A} <-> w{A} @ a, b", rates={"a": 1.0, "b": 1.0})
        return Scenario(network, Team({"A": robots}), Query(here="{A}"))


def fitted(
    team: Scenario, path: Path, times: tuple[int, ...], rows: tuple[int, ...], whole: bool
) -> Fit:
    robots = team.team.types["A"]
    more = [f",{robots - row}" if whole else "" for row in rows]
    lines = [f"{time},{row}{rest}" for time, row, rest in zip(times, rows, more, strict=True)]
    path.write_text("\n".join(["time,{A}" + (",w{A}" if whole else ""), *lines]) + "\n")
    return fit(team, str(path))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("times", [(0, 1, 2), (0, 1, 5), (0, 0, 1), (0, 1, 1), (0, 0, 0)])
def test_every_log_of_three_rows(tmp_path: Path, times: tuple[int, ...], whole: bool) -> None:
    team = scenario(TWO)
    for rows in itertools.product(range(TWO + 1), repeat=3):
        torn = any(times[k] == times[k + 1] and rows[k] != rows[k + 1] for k in range(2))
        if times == (0, 0, 0):
            with pytest.raises(InputError, match="no time passes"):
                fitted(team, tmp_path / "log.csv", times, rows, whole)
        elif torn:
            with pytest.raises(InputError, match="two different states at time"):
                fitted(team, tmp_path / "log.csv", times, rows, whole)
        else:
            for rate in fitted(team, tmp_path / "log.csv", times, rows, whole).rates.values():
                low, high = rate.interval
                assert 0 <= low <= high
                assert math.isnan(rate.value) or low <= rate.value <= high


def test_a_gap_beyond_all_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that cannot trust its gradient tries on and on: it took 15,000 tries and more."""
    tries = 0
    likelihood = SnapshotChain.likelihood

    def counted(chain: SnapshotChain, rates: Floats) -> tuple[float, Floats]:
        nonlocal tries
        tries += 1
        return likelihood(chain, rates)

    monkeypatch.setattr(SnapshotChain, "likelihood", counted)
    path = tmp_path / "log.csv"
    path.write_text("time,free,busy\n0,3,0\n1,2,1\n2,1,2\n3,2,1\n1000000000000000,2,1\n")
    shared = load(next(one for one in EXAMPLES if one.stem == "shared-resource"))
    for rate in fit(shared, str(path)).rates.values():
        assert rate.interval[0] < rate.interval[1]
    assert tries < 3000


def test_an_end_that_the_root_finder_loses(tmp_path: Path) -> None:
    """Two searches for it, from other beginnings, saw no change of sign."""
    path = tmp_path / "log.csv"
    path.write_text("time,free,busy\n0,3,0\n1,2,1\n2,1,2\n4,2,1\n")
    shared = load(next(one for one in EXAMPLES if one.stem == "shared-resource"))
    for rate in fit(shared, str(path)).rates.values():
        assert rate.interval[0] < rate.interval[1]
