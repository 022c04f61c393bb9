"""Times in stages, against chains that are written out by hand."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm

import covey
from covey.errors import CoveyError, InputError
from covey.model.reaction import Reaction, parse_reaction


def one_robot(stages: int, go: float, done: float, lost: float) -> NDArray[np.float64]:
    """Q of one robot: idle, the stages of its work, broken. Rows from."""
    n = stages + 2
    q = np.zeros((n, n))
    q[0, 1] = go
    for stage in range(1, stages + 1):
        q[stage, stage + 1 if stage < stages else 0] += stages * done
        q[stage, n - 1] += lost
    q[n - 1, 0] += 0.3
    return q - np.diag(q.sum(axis=1))


def drawn(seed: int) -> tuple[int, int, float, float, float, float]:
    random = np.random.default_rng(seed)
    go, done, lost = (float(rate) for rate in random.uniform(0.1, 2, 3))
    robots, stages = int(random.integers(1, 5)), int(random.integers(2, 6))
    return robots, stages, go, done, lost, float(random.uniform(0.2, 6))


def check_alone(seed: int) -> None:
    """Robots that move by themselves: counts are multinomial by the chain of one."""
    robots, stages, go, done, lost, at = drawn(seed)
    scenario = covey.loads(f'''
[types]
A = {robots}
B = 0
[rates]
done = {done}
[network]
reactions = """
{{A}} -> w{{A}} @ {go}
w{{A}} -> {{A}} @ erlang({stages}, done)
w{{A}} <-> broken{{A}} @ {lost}, 1e-9
broken{{A}} -> {{A}} @ 0.3
{{B}} <-> w{{B}} @ 1, 1
"""
[observe]
working = "w{{A}} + w{{B}}"
[adversary]
at = {at}
''')
    p = expm(at * one_robot(stages, go, done, lost))[0]
    busy = p[1 : stages + 1].sum()
    found = covey.distribution(scenario)
    for (n,), chance in zip(found.outcomes.tolist(), found.probabilities, strict=True):
        expected = comb(robots, n) * busy**n * (1 - busy) ** (robots - n)
        assert chance == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_robots_by_themselves(seed: int) -> None:
    check_alone(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(30, 250))
def test_robots_by_themselves_many_times(seed: int) -> None:
    check_alone(seed)


def pairs_by_hand(
    a: int, b: int, stages: int, meet: float, done: float
) -> dict[tuple[int, ...], dict[tuple[int, ...], float]]:
    """The chain of {A} + {B} -> w{A,B} in stages: how many pairs are in each stage."""
    pairs = min(a, b)
    states = [s for s in itertools.product(range(pairs + 1), repeat=stages) if sum(s) <= pairs]
    rates: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {s: {} for s in states}
    for state in states:
        free = (a - sum(state)) * (b - sum(state))
        if free:
            begun = (state[0] + 1, *state[1:])
            rates[state][begun] = meet * free
        for i, many in enumerate(state):
            if many:
                after = list(state)
                after[i] -= 1
                if i + 1 < stages:
                    after[i + 1] += 1
                target = tuple(after)
                rates[state][target] = rates[state].get(target, 0.0) + stages * done * many
    return rates


@pytest.mark.parametrize("seed", range(12))
def test_pairs_of_robots(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b, stages = (int(n) for n in random.integers([1, 1, 2], [4, 4, 4]))
    meet, done, at = (float(x) for x in random.uniform(0.2, 2, 3))
    rates = pairs_by_hand(a, b, stages, meet, done)
    place = {state: i for i, state in enumerate(rates)}
    q = np.zeros((len(place), len(place)))
    for state, targets in rates.items():
        for target, rate in targets.items():
            q[place[state], place[target]] += rate
            q[place[state], place[state]] -= rate
    p = expm(at * q)[place[(0,) * stages]]
    scenario = covey.loads(f'''
[types]
A = {a}
B = {b}
[network]
reactions = """
{{A}} + {{B}} -> w{{A,B}} @ {meet}
work: w{{A,B}} -> {{A}} + {{B}} @ erlang({stages}, {done})
"""
[observe]
pairs = "w{{A,B}}"
[performance]
ends = "rate(work)"
busy = "mean(w{{A,B}})"
[adversary]
at = {at}
''')
    found = covey.distribution(scenario)
    for (n,), chance in zip(found.outcomes.tolist(), found.probabilities, strict=True):
        expected = sum(p[place[state]] for state in place if sum(state) == n)
        assert chance == pytest.approx(expected, rel=1e-7)
    measures = covey.performance(scenario).measures
    busy = sum(p[i] * sum(state) for state, i in place.items())
    ends = sum(p[i] * stages * done * state[-1] for state, i in place.items())
    assert measures["busy"].value == pytest.approx(busy, rel=1e-7)
    assert measures["ends"].value == pytest.approx(ends, rel=1e-7)


def test_one_snapshot_at_steady_state_does_not_depend_on_the_stages() -> None:
    """Insensitivity: in a product form only mean times matter."""
    text = "{A} + {R} <-> {A,R} @ 1, %s\n{B} + {R} <-> {B,R} @ 2, 0.7"
    team, seen = (
        covey.Team({"A": 2, "B": 1}, {"R": 2}),
        covey.Query(free="{A} + {B}", busy="{A,R} + {B,R}"),
    )
    values = [
        covey.leakage(covey.Scenario(covey.Network(text % time), team, seen)).value
        for time in ("0.4", "erlang(5, 0.4)")
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-10)


def test_a_network_is_written_as_it_was_read() -> None:
    text = "work: w{A} -> {A} @ erlang(4, done)"
    (reaction,) = parse_reaction(text)
    assert (reaction.stages, reaction.rate, str(reaction)) == (4, "done", text)
    network = covey.Network(f"{text}\n{{A}} -> w{{A}} @ 1", rates={"done": 0.5})
    assert covey.Network(str(network)) == network
    assert len(network.reactions) == 5
    assert network.expanded() == network  # `4 * done` reads back
    assert network.with_rates({"done": 2.0}).rate_constants[0] == 8.0


def test_a_scenario_counts_all_stages_and_writes_none() -> None:
    text = '''[types]
A = 1
B = 1
[network]
reactions = """
{A} <-> w{A} @ 1, erlang(3, 0.5)
{B} <-> w{B} @ 1, 0.5
"""
[observe]
work = "w{A} + w{B}"
'''
    scenario = covey.loads(text)
    assert scenario.query.texts() == {"work": "w{A} + w{B}"}
    assert len(scenario.query.sums["work"].terms) == 4
    assert covey.Scenario.from_document(scenario.to_document()) == scenario
    everything = scenario.with_(query=covey.Query(), warn=False)
    assert list(everything.query.groups(everything.network)) == ["{A}", "{B}", "w{A}", "w{B}"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{A} + {B} -> w{A,B} @ erlang(2, 1)", "how long one species lasts"),
        ("{A} -> w{A} @ erlang(0, 1)", "whole number from 1 to 100"),
        ("{A} -> w{A} @ erlang(1000, 1)", "whole number from 1 to 100"),
        ("{A} -> w{A} @ erlang(2)", "stages and a rate are expected"),
        ("{A} -> w{A} @ erlang(2, [3 * {A}])", "a rate is expected"),
        ("{A} -> w{A} @ erlang(2, 1)\n{A} -> v{A} @ erlang(2, 1)", "one clock"),
        ("w{A} -> {A} @ erlang(2, 1)\n{A} -> w_2{A} @ 1", "choose another name"),
        ("2 {A} -> {A,A} @ 1\n{A} -> w{A} @ erlang(2, 1)", "one of them at most"),
        ("{B} -> w{B} @ [2 * {A}]\n{A} -> w{A} @ erlang(2, 1)", "rate law"),
    ],
)
def test_what_has_no_stages_is_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        covey.Network(line)


def test_rates_in_stages_are_fitted_to_robots_only() -> None:
    network = covey.Network("{A} <-> w{A} @ 1, erlang(2, 0.5)\n{B} <-> w{B} @ 1, 1")
    seen = covey.Query(idle="{A} + {B}")
    scenario = covey.Scenario(network, covey.Team({"A": 1, "B": 1}), seen)
    with pytest.raises(CoveyError, match="stages"):
        covey.fit(scenario, [])


def test_a_first_passage_counts_all_stages() -> None:
    text = '[types]\nA = 1\nB = 0\n[network]\nreactions = """\n{A} -> w{A} @ 1\n'
    text += (
        'w{A} -> {A} @ erlang(3, 0.5)\n{B} <-> w{B} @ 1, 1\n"""\n[observe]\nidle = "{A} + {B}"\n'
    )
    text += 'work = "w{A} + w{B}"\n[initial]\nA = "w{A}"\n'
    scenario = covey.loads(text)
    assert covey.first_passage(scenario, "work == 0").mean == pytest.approx(2.0, rel=1e-9)
    with pytest.raises(InputError, match="several stages"):
        covey.first_passage(scenario, "w{A} == 0")


def test_control_does_not_count_stages() -> None:
    with pytest.raises(InputError, match="rate law"):
        covey.Network(
            "take: {B} -> w{B} @ 1\n{A} -> w{A} @ erlang(2, 1)",
            sums={"idle": "{A} + {B}"},
            control={"take": "0.5 if idle >= 3"},
        )


def test_a_reaction_has_one_time() -> None:
    with pytest.raises(InputError, match="rate law"):
        Reaction("{A}", "w{A}", "[2 * {A}]", stages=3)
