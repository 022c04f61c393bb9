"""Rates that follow a timetable, against products of matrix exponentials written out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm

import covey
from covey.dynamics.hmm.hidden_markov import Schedule, watched_chain
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.simulation import trajectories
from covey.errors import CoveyError, InputError, UnsupportedError
from covey.model.timetable import Timetable

TEXT = """
[types]
A = {a}
B = {b}
[resources]
R = {r}
[rates]
one = {one}
two = {two}
[network]
reactions = \"\"\"
{{A}} + {{R}} <-> {{A,R}} @ one, 1
{{B}} + {{R}} <-> {{B,R}} @ two, 0.7
{{A}} + {{B}} <-> w{{A,B}} @ 0.3, one
\"\"\"
[observe]
free = "{{A}} + {{B}}"
busy = "{{A,R}} + {{B,R}}"
[adversary]
at = {at}
[time]
{period}
[[phase]]
until = {first}
[[phase]]
name = "lunch"
until = {second}
set = {{ "rates.one" = {lunch}, "rates.two" = {two_lunch} }}
"""


class ByHand:
    """The same team with every robot moved by explicit loops: states, generators, exponentials."""

    def __init__(self, a: int, b: int, r: int) -> None:
        # A-with-R, B-with-R and A-with-B say everything.
        triples = itertools.product(range(a + 1), range(b + 1), range(min(a, b) + 1))
        self.states = [
            (ar, br, w) for ar, br, w in triples if ar + w <= a and br + w <= b and ar + br <= r
        ]
        self.a, self.b, self.r = a, b, r
        self.start = np.zeros(len(self.states))
        self.start[self.states.index((0, 0, 0))] = 1.0

    def generator(self, one: float, two: float) -> NDArray[np.float64]:
        """Q, rows from; an expm of its transpose moves a distribution."""
        place = {state: i for i, state in enumerate(self.states)}
        q = np.zeros((len(place), len(place)))
        for (ar, br, w), i in place.items():
            free_a, free_b, free_r = self.a - ar - w, self.b - br - w, self.r - ar - br
            moves = [
                ((ar + 1, br, w), one * free_a * free_r),
                ((ar - 1, br, w), 1.0 * ar),
                ((ar, br + 1, w), two * free_b * free_r),
                ((ar, br - 1, w), 0.7 * br),
                ((ar, br, w + 1), 0.3 * free_a * free_b),
                ((ar, br, w - 1), one * w),
            ]
            for target, rate in moves:
                if rate > 0:
                    q[i, place[target]] += rate
                    q[i, i] -= rate
        return q

    def seen(self, p: NDArray[np.float64]) -> dict[tuple[int, int], float]:
        found: dict[tuple[int, int], float] = {}
        for (ar, br, w), chance in zip(self.states, p, strict=True):
            key = (self.a - ar - w + self.b - br - w, ar + br)
            found[key] = found.get(key, 0.0) + chance
        return found


def drawn(seed: int) -> dict[str, float | int | str]:
    random = np.random.default_rng(seed)
    first = float(random.uniform(0.1, 2))
    second = first + float(random.uniform(0.1, 2))
    one, two, lunch, two_lunch = (float(rate) for rate in random.uniform(0.05, 3, 4))
    return {
        "a": int(random.integers(1, 4)), "b": int(random.integers(1, 4)),
        "r": int(random.integers(1, 4)), "one": one, "two": two, "lunch": lunch,
        "two_lunch": two_lunch, "first": first, "second": second,
        "at": float(random.uniform(0.05, second + 2)), "period": "",
    }  # fmt: skip


def by_hand(
    team: ByHand, v: dict[str, float | int | str], begin: float, end: float
) -> NDArray[np.float64]:
    """Exponentials of every phase of a span, multiplied: rows from, columns to."""
    usual = team.generator(float(v["one"]), float(v["two"]))
    lunch = team.generator(float(v["lunch"]), float(v["two_lunch"]))
    period = float(str(v["period"]).rpartition("=")[2]) if v["period"] else np.inf
    step, now = np.eye(len(team.states)), begin
    while now < end - 1e-12:
        turn = 0.0 if np.isinf(period) else period * np.floor(now / period + 1e-12)
        inside = now - turn
        borders = [float(v["first"]), float(v["second"]), period]
        border = next(b for b in borders if b > inside + 1e-12)
        until = min(turn + border, end)
        q = lunch if float(v["first"]) <= inside + 1e-12 < float(v["second"]) else usual
        step, now = step @ expm(q * (until - now)), until
    return step


@pytest.mark.parametrize("seed", range(40))
def test_a_snapshot_is_the_product_of_all_phases(seed: int) -> None:
    check_snapshot(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(40, 300))
def test_a_snapshot_is_the_product_of_all_phases_many_times(seed: int) -> None:
    check_snapshot(seed)


def check_snapshot(seed: int) -> None:
    v = drawn(seed)
    if seed % 2:  # day after day
        v["period"] = f"period = {float(v['second']) + 0.5}"
        v["at"] = 2.6 * (float(v["second"]) + 0.5)
    scenario = covey.loads(TEXT.format(**v))
    team = ByHand(int(v["a"]), int(v["b"]), int(v["r"]))
    expected = team.seen(team.start @ by_hand(team, v, 0.0, float(v["at"])))
    found = covey.distribution(scenario)
    assert found.method == "timetable"
    for outcome, chance in zip(found.outcomes.tolist(), found.probabilities, strict=True):
        assert chance == pytest.approx(expected[tuple(outcome)], rel=1e-8)
    assert found.probabilities.sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_a_periodic_steady_state_is_the_fixed_point_of_a_period(seed: int) -> None:
    v = drawn(seed)
    period = float(v["second"]) + 0.5
    v["period"] = f"period = {period}"
    team = ByHand(int(v["a"]), int(v["b"]), int(v["r"]))
    p = team.start @ np.linalg.matrix_power(by_hand(team, v, 0.0, period), 2000)
    expected = team.seen(p)
    found = covey.distribution(covey.loads(TEXT.format(**v)), at="steady")
    for outcome, chance in zip(found.outcomes.tolist(), found.probabilities, strict=True):
        assert chance == pytest.approx(expected[tuple(outcome)], rel=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_goes_through_the_phases(seed: int) -> None:
    """The chain that snapshots see: its steps are the products of the phases between them."""
    v = drawn(seed)
    scenario = covey.loads(TEXT.format(**v))
    team = ByHand(int(v["a"]), int(v["b"]), int(v["r"]))
    looks = Schedule(0.2, 0.45, (8,))
    chain = watched_chain(Solver(scenario.network), scenario.start, scenario.query, looks)
    now, expected = chain.distribution, team.start @ by_hand(team, v, 0.0, 0.2)
    ends = np.cumsum(chain.states_of)
    for snapshot, time in enumerate(looks.times(8)):
        if snapshot:
            now = now @ chain.moves[chain.steps[snapshot]]
            expected = expected @ by_hand(team, v, time - 0.45, time)
        seen = team.seen(expected)
        for outcome, end, many in zip(chain.outcomes.tolist(), ends, chain.states_of, strict=True):
            assert now[end - many : end].sum() == pytest.approx(seen[tuple(outcome)], abs=1e-9)


def test_joint_distributions_go_through_the_phases() -> None:
    """Two snapshots: what filtering finds sums up to what both chains show."""
    v = drawn(3)
    scenario = covey.loads(TEXT.format(**v))
    team = ByHand(int(v["a"]), int(v["b"]), int(v["r"]))
    times = [0.3, float(v["second"]) + 0.2]
    joint = covey.joint_distributions(scenario, times, stationary=False).team
    late: dict[tuple[int, ...], float] = {}
    for row, chance in zip(joint.outcomes.tolist(), joint.probabilities, strict=True):
        late[tuple(row[2:])] = late.get(tuple(row[2:]), 0.0) + chance
    expected = team.seen(team.start @ by_hand(team, v, 0.0, times[1]))
    assert late == {key: pytest.approx(value, rel=1e-8) for key, value in expected.items()}


def test_simulated_paths_go_through_the_phases() -> None:
    v = drawn(5)
    scenario = covey.loads(TEXT.format(**v))
    team = ByHand(int(v["a"]), int(v["b"]), int(v["r"]))
    at = (float(v["first"]) + float(v["second"])) / 2
    paths = trajectories(scenario.network, scenario.start, times=[at], samples=4000, seed=1)
    seen = scenario.query.shown(paths[:, 0], scenario.network.index)
    for outcome, chance in team.seen(team.start @ by_hand(team, v, 0.0, at)).items():
        share = float((seen == outcome).all(axis=1).mean())
        assert abs(share - chance) < 5 * np.sqrt(chance * (1 - chance) / 4000) + 1e-3


def test_a_design_is_judged_under_the_timetable() -> None:
    scenario = covey.loads(TEXT.format(**drawn(1)))
    found = covey.design(scenario, vary={"rates.one": (0.1, 2)}, keep={}, minimise="tv")
    after = covey.profile(scenario.with_(found.values)).total_variation
    assert found.after.also["tv"].value == pytest.approx(after, rel=1e-9)


def test_a_scenario_is_written_and_read_back_with_its_timetable() -> None:
    scenario = covey.loads(TEXT.format(**drawn(1) | {"period": "period = 100"}))
    again = covey.Scenario.from_document(scenario.to_document())
    assert again == scenario
    assert again.network.timetable == scenario.network.timetable
    assert scenario.with_({"types.A": 3}).network.timetable == scenario.network.timetable
    assert scenario.with_({"rates.one": 0.5}).network.timetable == scenario.network.timetable


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: covey.stand_in(s, {"A": 1, "B": 1}),
        covey.to_prism,
        covey.to_sbml,
        lambda s: covey.leakage(s, at="steady"),
        lambda s: covey.leakage(s, at=1.0, limits=covey.Limits(method="transient")),
    ],
)
def test_what_is_for_constant_rates_refuses(ask: object) -> None:
    scenario = covey.loads(TEXT.format(**drawn(1)))
    with pytest.raises(CoveyError, match="timetable|constant"):
        ask(scenario)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("phases", "period", "message"),
    [
        ([{"until": 2}, {"until": 1}], None, "order of time"),
        ([{}, {"until": 1}], None, "never ends"),
        ([{"until": 0}], None, "above 0"),
        ([{"until": 1, "set": {"types.A": 3}}], None, "only rates"),
        ([{"until": 1, "set": {"rates.one": 0}}], None, "above 0"),
        ([{"til": 1}], None, "no til"),
        ([{"until": 5}], 3, "within the period"),
        ([], 3, "there is none"),
        ("lunch", None, "tables"),
    ],
)
def test_a_timetable_that_makes_no_sense_is_refused(
    phases: object, period: object, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Timetable.read(phases, period)


def test_a_phase_sets_rates_that_are_there() -> None:
    text = TEXT.format(**drawn(1)).replace('"rates.one" =', '"rates.on" =')
    with pytest.raises(
        InputError, match=r'rates\.on, which is not in \[rates\]\. Did you mean "one"'
    ):
        covey.loads(text)


def test_a_single_phase_at_the_same_rates_changes_nothing() -> None:
    v = drawn(2)
    plain = TEXT.format(**v).partition("[time]")[0]
    with pytest.raises(UnsupportedError):
        _ = covey.loads(TEXT.format(**v)).network.rate_constants
    same = covey.loads(plain + "[[phase]]\nuntil = 1\n")
    assert covey.leakage(same).value == pytest.approx(covey.leakage(covey.loads(plain)).value)
