"""In how many stages times pass: the likelihood, logs of robots, and how often intervals hold."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import covey
from covey.errors import InputError, UnsupportedError
from covey.study.fit.erlang_likelihood import MOST_STAGES, Dwells, StageFit, fit_stages
from tests.cli.command import covey as command
from tests.study.fit.logs.plain_robots import Said, say

SCENARIO = """
[types]
A = 6
B = 4
[rates]
go = 0.5
done = 0.8
[network]
reactions = '''
{A} -> w{A} @ go
w{A} -> {A} @ done
{A} + {B} -> p{A,B} @ 0.05
p{A,B} -> {A} + {B} @ 0.4
'''
[observe]
busy = "w{A} + p{A,B}"
"""
NAMES = ("w{A} -> {A}", "w{A}")


def _dwells(seed: int, stages: int, robots: int, until: float, rate: float = 1.0) -> Dwells:
    """Robots that wait again and again, each until a time."""
    random = np.random.default_rng([seed, stages])
    ended: list[float] = []
    cut: list[float] = []
    for _ in range(robots):
        left = until
        while left > 0:
            time = float(random.gamma(stages, 1 / (stages * rate)))
            (ended if time < left else cut).append(min(time, left))
            left -= time
    return Dwells(np.array(ended), np.array(cut))


def _log_likelihood(
    dwells: Dwells, shape: float, rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    """At several rates, with densities of scipy's own."""
    scale = 1 / (shape * rates[:, None])
    ended = stats.gamma.logpdf(dwells.ended, shape, scale=scale).sum(axis=1)
    return np.asarray(ended + stats.gamma.logsf(dwells.cut, shape, scale=scale).sum(axis=1))


def _compare(seed: int) -> None:
    """Against a search over a grid."""
    random = np.random.default_rng(seed)
    stages, robots = int(random.integers(1, 7)), int(random.integers(1, 5))
    dwells = _dwells(seed, stages, robots, float(random.uniform(18, 25)))
    found = fit_stages(dwells, 0.9, NAMES)
    around = len(dwells.ended) / dwells.ended.sum()
    grid = around * np.exp(np.linspace(-1.5, 0.05, 200))
    tops = [_log_likelihood(dwells, k, grid).max() for k in range(1, MOST_STAGES + 1)]
    low, high = found.rate_interval
    top, *ends = _log_likelihood(dwells, found.stages, np.array([found.rate, low, high])).tolist()
    assert top == pytest.approx(tops[found.stages - 1], abs=0.05)
    assert top >= max(tops) - 1e-7
    assert [2 * (top - end) for end in ends] == pytest.approx([2.705543] * 2, abs=1e-4)
    assert low < found.rate < high
    assert sum(found.weights) == pytest.approx(1)
    shapes = [_log_likelihood(dwells, a, grid).max() for a in np.geomspace(0.3, 60, 60)]
    away = 2 * (max(shapes) - max(tops))
    assert found.fits == (away <= 2.705543) or away == pytest.approx(2.7, abs=0.4)
    for k, one in enumerate(tops, start=1):
        fall = 2 * (max(tops) - one)
        inside = found.interval[0] <= k <= found.interval[1]
        assert inside == (fall <= 2.705543) or fall == pytest.approx(2.7, abs=0.2)


@pytest.mark.parametrize("seed", range(60))
def test_the_likelihood_is_the_largest(seed: int) -> None:
    _compare(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(60, 260))
def test_the_likelihood_is_the_largest_of_many(seed: int) -> None:
    _compare(seed)


def test_weights_are_those_of_an_integral() -> None:
    """Without times that were cut, the integral over the rate is known: Γ(nk) / (kΣt)^(nk)."""
    from scipy.special import gammaln

    times = _dwells(3, 3, 5, 10.0).ended
    found = fit_stages(Dwells(times, np.array([])), 0.95, NAMES)
    n, total, logs = len(times), times.sum(), np.log(times).sum()
    ks = np.arange(1, MOST_STAGES + 1)
    exact = gammaln(n * ks) - n * gammaln(ks) + (ks - 1) * logs - n * ks * np.log(total)
    weights = np.exp(exact - exact.max())
    assert found.weights == pytest.approx(weights / weights.sum(), abs=2e-3)


def test_what_no_number_of_stages_explains_is_said() -> None:
    random = np.random.default_rng(1)
    heavy = Dwells(random.gamma(0.4, 1, 400), np.array([]))
    even = Dwells(random.uniform(1, 1.02, 400), np.array([]))
    for dwells, word in ((heavy, "longer-tailed"), (even, "more regular")):
        found = fit_stages(dwells, 0.95, NAMES)
        assert not found.fits
        assert word in str(found)


# --- coverage -------------------------------------------------------------------------------------


def _shares(stages: int, runs: int) -> tuple[float, float]:
    """How often the number and the rate lie in their intervals of 90 %."""
    held = []
    for seed in range(runs):
        found = fit_stages(_dwells(seed, stages, 6, 10.0), 0.9, NAMES)
        low, high = found.interval
        at = fit_stages(_dwells(seed, stages, 6, 10.0), 0.9, NAMES, stages)
        held.append((low <= stages <= high, at.rate_interval[0] <= 1.0 <= at.rate_interval[1]))
    number, rate = np.mean(held, axis=0).tolist()
    return number, rate


def test_intervals_hold_in_some_runs() -> None:
    assert min(_shares(3, 40)) >= 0.8


@pytest.mark.study
@pytest.mark.parametrize("stages", [1, 2, 4, 8])
def test_intervals_hold_in_500_runs(stages: int) -> None:
    """Stated: 90 %. With that probability 500 runs have less than 87.8 % once in 20."""
    number, rate = _shares(stages, 500)
    print(f"\n{stages} stages: number in {number:.1%}, rate in {rate:.1%} of 500 runs (90% stated)")
    assert min(number, rate) >= 0.878


@pytest.mark.study
def test_weights_are_probabilities_in_500_runs() -> None:
    """Where all numbers up to 20 are as probable, the best is right as often as it says."""
    right, said = [], []
    for seed in range(500):
        stages = 1 + seed % MOST_STAGES
        found = fit_stages(_dwells(seed, stages, 6, 10.0), 0.9, NAMES)
        best = int(np.argmax(found.weights)) + 1
        right.append(best == stages)
        said.append(max(found.weights))
    print(f"\nthe best number is right in {np.mean(right):.1%}, and said to be {np.mean(said):.1%}")
    assert np.mean(right) == pytest.approx(np.mean(said), abs=3 * math.sqrt(0.25 / 500))


# --- logs of robots -------------------------------------------------------------------------------


def _rows(stages: int, until: float, seed: int = 0) -> list[Said]:
    """Of robots that wait in `w` in so many stages, which they do not tell of."""
    waits = ["w{A}", *(f"v{i}{{A}}" for i in range(2, stages + 1))]
    lines = [("{A} -> w{A}", 0.5), ("{A} + {B} -> p{A,B}", 0.05), ("p{A,B} -> {A} + {B}", 0.4)]
    lines += [
        (f"{a} -> {b}", 0.8 * stages) for a, b in zip(waits, [*waits[1:], "{A}"], strict=True)
    ]
    last: dict[str, str] = {}
    found = []
    for row in say(lines, {"A": 6, "B": 4}, {}, Random(seed), until):
        state = "w{A}" if row.state in waits else row.state
        if last.get(row.robot) != state:
            found.append(row._replace(state=state))
        last[row.robot] = state
    return found


def _file(tmp_path: Path, rows: list[Said]) -> Path:
    file = tmp_path / "log.csv"
    lines = [f'{r.time!r},{r.robot},{r.type},"{r.state}"' for r in rows]
    file.write_text("\n".join(["time,robot,type,state", *lines]) + "\n")
    return file


def _of(found: covey.Fit, reaction: str) -> StageFit:
    (one,) = [one for one in found.stages if one.reaction == reaction]
    return one


def test_stages_are_found_in_a_log(tmp_path: Path) -> None:
    file = _file(tmp_path, _rows(4, 400.0))
    found = covey.fit(covey.loads(SCENARIO), file, stages=True, until=400)
    waits, picks = _of(found, "w{A} -> {A}"), _of(found, "p{A,B} -> {A} + {B}")
    assert waits.stages == 4
    assert waits.fits
    assert waits.interval[0] <= 4 <= waits.interval[1]
    assert waits.weight > 0.5
    assert picks.interval[0] == 1
    assert found.rates["done"].interval[0] <= 0.8 <= found.rates["done"].interval[1]
    assert "erlang(4, done)" in "\n".join(found.scenario.network.lines)
    assert "4 stages, with probability" in str(found)
    assert "{A} -> w{A}" not in {one.reaction for one in found.stages}  # two reactions lead out
    again = covey.fit(found.scenario, file, until=400)  # at the number of stages that it has
    assert again.rates["done"].value == pytest.approx(found.rates["done"].value)
    assert again.scenario.network.stages == found.scenario.network.stages


def test_times_are_those_of_every_robot(tmp_path: Path) -> None:
    """How many, and their mean, by the rows themselves; half of the log begins in a state."""
    rows = _rows(2, 60.0, seed=3)
    found = covey.fit(covey.loads(SCENARIO), _file(tmp_path, rows), stages=True, until=60)
    ended = []
    since: dict[str, float] = {}
    for row in rows:
        if row.robot in since:
            ended.append(row.time - since.pop(row.robot))
        if row.state == "w{A}":
            since[row.robot] = row.time
    dwells = Dwells(np.array(ended), np.array([60.0 - time for time in since.values()]))
    truth = fit_stages(dwells, 0.95, NAMES)
    assert _of(found, "w{A} -> {A}").weights == pytest.approx(truth.weights)
    assert _of(found, "w{A} -> {A}").times == len(ended)


def test_a_rate_in_stages_is_known_better(tmp_path: Path) -> None:
    file = _file(tmp_path, _rows(4, 200.0, seed=1))
    plain = covey.loads(SCENARIO)
    staged = covey.loads(SCENARIO.replace("@ done", "@ erlang(4, done)"))
    wide, narrow = (covey.fit(one, file, until=200).rates["done"] for one in (plain, staged))
    assert narrow.interval[0] <= 0.8 <= narrow.interval[1]
    widths = [math.log(one.interval[1] / one.interval[0]) for one in (wide, narrow)]
    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.1)


def test_what_a_log_does_not_tell_is_said(tmp_path: Path) -> None:
    short = _file(tmp_path, _rows(2, 3.0))
    scenario = covey.loads(SCENARIO)
    found = covey.fit(scenario, short, stages=True)
    assert any("is not told" in note for note in found.notes)
    with pytest.raises(InputError, match="a path is expected"):
        covey.fit(scenario, [], stages=True)
    events = tmp_path / "events.csv"
    events.write_text("time,reaction\n0,r1\n1,r2\n")
    with pytest.raises(InputError, match="columns time, robot"):
        covey.fit(scenario, events, stages=True, until=2)
    two_ways = SCENARIO.replace(
        "w{A} -> {A} @ done", "w{A} -> {A} @ erlang(2, done)\nw{A} -> c{A} @ 1"
    )
    with pytest.raises(UnsupportedError, match="end is not always seen"):
        covey.fit(covey.loads(two_ways), short)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text(SCENARIO)
    file = _file(tmp_path, _rows(3, 150.0, seed=2))
    asked = ["fit", str(tmp_path / "fleet.toml"), "--log", str(file), "--stages", "--until", "150"]
    said = command(*asked, "--json").json
    (waits,) = [one for one in said["stages"] if one["species"] == "w{A}"]
    assert waits["lower"] <= 3 <= waits["upper"]
    assert len(waits["weights"]) == MOST_STAGES
    fitted, saved = tmp_path / "fitted.toml", tmp_path / "fit.json"
    printed = command(*asked, "-o", str(fitted), "--save", str(saved)).out
    assert "shape" in printed
    assert "erlang(" in fitted.read_text()
    again = command("fit", str(fitted), "--log", str(file), "--until", "150", "--json")
    assert again.json["rates"]["done"]["value"] == pytest.approx(said["rates"]["done"]["value"])
    refused = command("fit", str(fitted), "--log", "-", "--until", "150", stdin=file.read_text())
    assert refused.code == 2
