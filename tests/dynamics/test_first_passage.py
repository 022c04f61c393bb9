"""First passage times against closed forms, against sample paths, and what is said where none are."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import (
    CoveyError,
    FirstPassage,
    InputError,
    Limits,
    Scenario,
    TooLargeError,
    event_log,
    first_passage,
    load,
    loads,
)
from tests.conftest import EXAMPLES

WAREHOUSE = load(next(path for path in EXAMPLES if path.stem == "warehouse"))


def team(reactions: str, **start: int) -> Scenario:
    initial = "\n".join(f"{name} = {count}" for name, count in start.items())
    return loads(f'[network]\nreactions = """\n{reactions}\n"""\n[initial]\n{initial}\n')


def surely(found: FirstPassage, i: int, true: mp.mpf) -> None:
    """The bounds hold, to their last digits."""
    assert mp.mpf(float(found.lower[i])) <= true <= mp.mpf(float(found.upper[i]))
    assert found.lower[i] <= found.probability[i] <= found.upper[i]


def test_stages_of_one_rate_are_an_erlang_distribution() -> None:
    stages, rate, times = 6, 2.0, [1e-3, 0.5, 3.0, 40.0]
    found = first_passage(team(f"a -> b @ [{rate} * (a > 0)]", a=stages), "a == 0", times)
    with mp.workdps(40):
        for i, time in enumerate(times):
            true = mp.gammainc(stages, 0, mp.mpf(time) * rate, regularized=True)
            surely(found, i, true)
            assert abs(mp.mpf(float(found.probability[i])) / true - 1) < 1e-9  # 1e-19 of it, too
    low, high = found.mean_interval
    assert low <= stages / rate <= high < low * (1 + 1e-11)
    assert found.ever == (1.0, 1.0)


@given(st.integers(1, 12), st.floats(0.1, 10))
@settings(deadline=None, max_examples=20)
def test_the_last_of_several_coupons(count: int, rate: float) -> None:
    """Each is collected by itself at a rate: the mean is a harmonic number."""
    time = 1 / rate
    found = first_passage(team(f"left -> taken @ {rate!r}", left=count), "left < 1", [time])
    with mp.workdps(40):
        surely(found, 0, (1 - mp.exp(-mp.mpf(rate) * mp.mpf(time))) ** count)
    mean = sum(1 / (k * rate) for k in range(1, count + 1))
    assert found.mean == pytest.approx(mean, rel=1e-12)
    assert found.mean_interval[0] <= mean * (1 + 1e-15)
    assert found.mean_interval[1] >= mean * (1 - 1e-15)


@pytest.mark.parametrize(("arrive", "leave", "level"), [(1.5, 1.0, 12), (1.0, 2.0, 15)])
def test_a_queue_that_reaches_a_length(arrive: float, leave: float, level: int) -> None:
    """From k to k + 1 it takes e_k = (1 + leave e_{k−1}) / arrive; beyond, it grows without end."""
    queue = team(f"0 -> x @ {arrive}\nx -> 0 @ [{leave} * (x > 0)]", x=0)
    found = first_passage(queue, f"x >= {level}")
    mean = step = 0.0
    for k in range(level):
        step = (1 + (leave * step if k else 0)) / arrive
        mean += step
    assert found.mean == pytest.approx(mean, rel=1e-11)
    assert found.states == level
    assert len(found.times) == 21
    assert found.times[-1] == pytest.approx(3 * mean)
    assert (np.diff(found.probability) > 0).all()


def test_a_mean_without_a_distribution() -> None:
    """Some 4^20 units of time: no bound on probabilities holds so long, and nobody asked."""
    queue = team("0 -> x @ 1\nx -> 0 @ [4 * (x > 0)]", x=0)
    found = first_passage(queue, "x >= 20")
    assert found.mean == pytest.approx(sum((4**k - 1) / 3 for k in range(1, 21)), rel=1e-11)
    assert found.times == ()
    assert "More is not known of its distribution: After" in str(found)
    with pytest.raises(CoveyError, match="still changes"):
        first_passage(queue, "x >= 20", [1e12])


def test_a_gambler_who_may_be_ruined() -> None:
    win, lose, start, goal = 0.6, 0.4, 3, 10
    game = team(f"0 -> x @ [{win} * (x > 0)]\nx -> 0 @ [{lose} * (x > 0)]", x=start)
    found = first_passage(game, f"x >= {goal}", [5.0, 1e5])
    ratio = lose / win
    ever = (1 - ratio**start) / (1 - ratio**goal)
    assert found.mean == math.inf
    assert found.mean_interval == (math.inf, math.inf)
    assert found.ever[0] <= ever <= found.ever[1] < found.ever[0] * (1 + 1e-10)
    assert found.probability[1] == pytest.approx(ever, rel=1e-9)
    assert "with nobody in it do not lead there" in str(found)
    assert f"probability {ever:.4g}" in str(found)


def test_what_is_there_at_once_and_what_never_is() -> None:
    now = first_passage(WAREHOUSE, "driving == 10", [0.0, 1.0])
    assert (now.mean, now.probability.tolist(), now.states) == (0.0, [1.0, 1.0], 0)
    assert str(now) == "driving == 10 holds at the start."
    never = first_passage(WAREHOUSE, "charging > 3", [1.0, 9.0])
    assert (never.mean, never.ever, never.upper.tolist()) == (math.inf, (0.0, 0.0), [0.0, 0.0])
    assert "never holds" in str(never)


def test_sample_paths_agree() -> None:
    """By Hoeffding's inequality, but for one in a million runs; the seed is fixed."""
    samples, until = 600, 20.0
    condition = "driving <= 1 or charging >= 3 and picking == 2"
    found = first_passage(WAREHOUSE, condition, [2.0, 8.0, until])
    index = WAREHOUSE.network.index
    names = {str(species): place for species, place in index.items()}
    reached = []
    for seed in range(samples):
        log = event_log(WAREHOUSE.network, WAREHOUSE.start, until, seed=seed)
        states = log.states()
        driving = states[:, names["{carrier}"]] + states[:, names["{picker}"]]
        picking = states[:, names["pick{carrier,picker}"]]
        charging = sum(states[:, place] for name, place in names.items() if "charge" in name)
        holds = (driving <= 1) | ((charging >= 3) & (picking == 2))
        reached.append(log.times[np.argmax(holds)] if holds.any() else math.inf)
    off = math.sqrt(math.log(2e6) / (2 * samples))
    for time, probability in zip(found.times, found.probability, strict=True):
        assert abs(np.mean(np.array(reached) <= time) - probability) < off


def test_names_in_conditions() -> None:
    by_sum = first_passage(WAREHOUSE, "driving <= 1", [10.0])
    by_species = first_passage(WAREHOUSE, "{carrier} + {picker} < 2", [10.0])
    turned = first_passage(WAREHOUSE, "not (driving > 1 and not 2 > 3)", [10.0])
    assert by_sum.mean == by_species.mean == turned.mean
    assert first_passage(WAREHOUSE, "driving <= 20 * carrier_low", [10.0]).mean == by_sum.mean


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("driving", "[driving] is no condition: comparisons are expected"),
        ("driving and charging > 1", "[driving] is no condition"),
        ("not driving", "[driving] is no condition"),
        ("drivin <= 1", 'no observed sum. Did you mean "driving"?'),
        ("driving = 1", "'=' at character 9 of the condition [driving = 1]"),
        ("driving <= 1 and", "the end at character 17"),
        ("(driving <= 1", "the end at character 14"),
        ("1 <= driving <= 3", "'<=' at character 14"),
        ("1 / {dock} > 2", "divides by 0 in a state that can be reached"),
        ("", "the condition is ''"),
        ("(" * 60 + "1 < 2" + ")" * 60, "nested more than"),
        ("1 < 2 " * 2_000, "at most 10,000 are read"),
    ],
)
def test_what_is_no_condition(condition: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        first_passage(WAREHOUSE, condition)
    assert said in caught.value.message


def test_too_many_states_are_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 10 states are passed before driving <= 1"):
        first_passage(WAREHOUSE, "driving <= 1", limits=Limits(max_states=10))
    endless = team("0 -> x @ 2\nx -> 0 @ 1", x=0)
    with pytest.raises(TooLargeError, match="more than 1,000 states"):
        first_passage(endless, "x > 5 and x < 3", limits=Limits(max_states=1_000))


def test_times_and_points_are_looked_at() -> None:
    with pytest.raises(InputError, match="points is 1"):
        first_passage(WAREHOUSE, "driving <= 1", points=1)
    with pytest.raises(InputError, match="increasing"):
        first_passage(WAREHOUSE, "driving <= 1", [3.0, 1.0])


def test_as_a_table_and_a_picture() -> None:
    found = first_passage(WAREHOUSE, "driving <= 1", points=4)
    frame = found.to_pandas()
    assert list(frame) == ["time", "probability", "lower", "upper"]
    assert (frame["lower"] <= frame["upper"]).all()
    axes = found.plot(title="first").axes[0]
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == found.probability.tolist()
    assert "holds for the first time" in found._repr_html_()
