"""[performance]: how measures are written, and what is said of those that are not understood."""

from __future__ import annotations

import re
from dataclasses import astuple

import pytest

from covey.errors import InputError
from covey.model.io.scenario_file import dumps, loads
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.performance import Measure

TEXT = """
[types]
A = 3
B = 2

[resources]
R = 2

[network]
reactions = '''
pick: {A} + {R} <-> {A,R} @ 1, 2
lift_b: {B} + {R} <-> {B,R} @ 1, 1
'''

[observe]
busy = "{A,R} + {B,R}"

[performance]
"""


def weights(text: str) -> tuple[list[float], list[float]]:
    scenario = loads(TEXT + f'it = "{text}"')
    found = scenario.performance["it"].weights(scenario.network, scenario.query)
    return found.reactions.tolist(), found.species.tolist()


def test_rates_and_means() -> None:
    # reactions: pick, pick', lift_b, lift_b'; species: {A}, {B}, {R}, {A,R}, {B,R}
    species = list(map(str, loads(TEXT + 'it = "rate(pick)"').network.species))
    assert weights("rate(pick')") == ([0, 1, 0, 0], [0] * 5)
    assert weights("rate(*')") == ([0, 1, 0, 1], [0] * 5)
    assert weights("2 rate(pick) - .5*rate(lift_*) + 1e1 rate(pick)")[0] == [12, 0, -0.5, -0.5]
    reactions, counts = weights("mean(busy) + 2 mean(2 {A} + {B})")
    assert reactions == [0] * 4
    named = dict(zip(species, counts, strict=True))
    assert named == {"{A}": 4, "{B}": 2, "{R}": 0, "{A,R}": 1, "{B,R}": 1}


@pytest.mark.parametrize(
    ("text", "at", "until"),
    [
        ("rate(pick)", None, None),
        ("rate(pick) at steady", "steady", None),
        ("rate(pick) at 2.5", 2.5, None),
        ("rate(pick) + rate(pick') until 480", None, 480.0),
    ],
)
def test_moments(text: str, at: object, until: float | None) -> None:
    found = Measure.parse(text)
    assert (found.at, found.until) == (at, until)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rate(pik)", "there is no reaction called 'pik'. Did you mean \"pick\"?"),
        ("mean({C})", "{C} is in no reaction, and is no sum that is seen"),
        ("mean(busyy)", "busyy is in no reaction"),
        ("rate(pick) rate(pick)", '"rate(pick)" in "rate(pick) rate(pick)" is not understood'),
        ("pick", '"pick" is not understood: write a sum of rate(NAME)'),
        ("", '"" is not understood'),
        ("rate(pick) until steady", "until steady: a time after the start is expected"),
        ("rate(pick) until 0", "until 0: a time after the start is expected"),
        ("1e999 rate(pick)", "is too large"),
        ("rate(__import__('os'))", "is not understood"),
    ],
)
def test_what_is_not_understood(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        loads(TEXT + f'it = "{text}"', file="f.toml")
    assert str(caught.value).startswith(f"f.toml:{TEXT.count(chr(10)) + 1}: ")


def test_names_and_kinds() -> None:
    with pytest.raises(InputError, match="cannot be the name of a measure"):
        loads(TEXT + '"1 x" = "rate(pick)"')
    with pytest.raises(InputError, match="5 is no measure"):
        loads(TEXT + "it = 5")
    with pytest.raises(InputError, match="2,000 are allowed"):
        Measure.parse("+".join(["rate(pick)"] * 1000))


def test_it_is_written_as_it_was_read() -> None:
    scenario = loads(TEXT + "it = \"rate(pick') until 4\"\nother = 'mean(busy)'")
    assert loads(dumps(scenario)) == scenario
    assert scenario.with_({"types.A": 4}).performance == scenario.performance
    changed = scenario.with_({"performance.it": "rate(pick)"})
    assert changed.performance["it"].text == "rate(pick)"
    assert changed.performance["other"].text == "mean(busy)"


def test_sums_that_are_not_seen_any_more_are_spelled_out() -> None:
    scenario = loads(TEXT + "it = '2 rate(pick) - mean(busy) at steady'")
    coarser = scenario.with_(query=Query(free="{A} + {B}"))
    assert coarser.performance["it"].text == "2 rate(pick) - mean({A,R} + {B,R}) at steady"
    assert loads(dumps(coarser)) == coarser
    same = scenario.with_(query=Query(busy="{A,R} + {B,R}", free="{A}"), warn=False)
    assert same.performance == scenario.performance


def test_names_and_factors_that_results_could_not_carry() -> None:
    for name in ("leakage", "total_variation", "guess", "epsilon"):
        with pytest.raises(InputError, match=f"{name} is a measure of privacy already"):
            loads(TEXT + f'{name} = "rate(pick)"')
    with pytest.raises(InputError, match="the factor 1e308"):
        Measure.parse("1e308 rate(pick) + 1e308 rate(pick)")


def test_a_measure_stays_what_it_is_where_a_sum_takes_its_words() -> None:
    before = Query({"idle": "idle", "busy": "busy"})
    after = Query({"idle + busy": "idle + busy", "busy": "{A}"})
    network = Network("done: {A} + idle -> {A} + busy @ 1\nbusy -> idle @ 1")
    for text in ("mean(idle + busy)", "mean(busy)", "2 mean(idle) - rate(done) until 3"):
        measure = Measure.parse(text)
        now = measure.under(before, after)
        assert now.until == measure.until
        for one, two in zip(
            astuple(measure.weights(network, before)),
            astuple(now.weights(network, after)),
            strict=True,
        ):
            assert one.tolist() == two.tolist()
