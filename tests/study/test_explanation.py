"""A scenario read back: mean times, meetings, phases, what is seen and what is secret."""

from __future__ import annotations

from pathlib import Path

import pytest

import covey
from tests.cli.command import covey as command

TEAM = """
[time]
unit = "minute"
[types]
carrier = 2
picker = 1
[resources]
dock = 1
[rates]
meet = 0.2
[network]
reactions = '''
{carrier} + {picker} -> pick{carrier,picker} @ meet
pick{carrier,picker} -> {carrier} + {picker} @ erlang(4, 0.5)
{carrier} + {dock} <-> charge{carrier,dock} @ 0.05, 0.1
'''
[observe]
driving = "{carrier} + {picker}"
[release]
every = 1
until = 480
[[phase]]
name = "lunch"
until = 30
set = { "rates.meet" = 0.02 }
[adversary]
at = 20
"""


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    return covey.explain(covey.loads(TEAM)).keys()


def test_the_team_and_its_unit(said: dict[str, list[str]]) -> None:
    assert said["team"] == [
        "2 carriers and 1 picker. The type of each robot is private.",
        "They share 1 dock.",
        "Times are in minutes, and rates are per minute.",
    ]


def test_rates_are_said_as_meetings_and_mean_times(said: dict[str, list[str]]) -> None:
    assert said["what happens"] == [
        "A free carrier and a free picker meet, on average 0.2 times a minute for each such pair "
        "(meet), and become a carrier and a picker in pick.",
        "A carrier and a picker in pick stay so for 2 minutes on average, in 4 equal stages "
        "(standard deviation 1 minute); then become a free carrier and a free picker.",
        "A free carrier and a free dock meet, on average 0.05 times a minute for each such pair, "
        "and become a carrier with a dock in charge.",
        "A carrier with a dock in charge stays so for 10 minutes on average; then becomes a free "
        "carrier and a free dock.",
    ]


def test_phases_what_is_seen_and_what_is_secret(said: dict[str, list[str]]) -> None:
    assert said["timetable"] == [
        "From minute 0 to 30 (lunch): meet is 0.02 instead of 0.2.",
        "After that all rates are as above.",
    ]
    assert said["what is seen"] == [
        "driving: how many there are of {carrier} + {picker}.",
        "Not seen: {dock}, charge{carrier,dock}, pick{carrier,picker}.",
        "Somebody looks at minute 20.",
        "It is published every minute, for 480 minutes.",
    ]
    assert said["what is secret"] == [
        "Which type any one robot has: carrier and picker must look alike."
    ]


@pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")  # everything is seen
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("0 -> {A} @ 4", "A free A: one such arrival every 0.25 time units on average."),
        ("{A} -> 0 @ 0.5", "stays so for 2 time units on average; then leaves."),
        ("{A} -> w{A} @ 2\n{A} -> v{A} @ 1", "on average, unless something else happens first;"),
        ("2 {A} -> w{A,A} @ 3", "2 free robots of type A meet, on average 3 times a time unit"),
        ("{A} -> w{A} @ [2 * {A}]", "at the rate [2 * {A}] a time unit in all, becomes"),
    ],
)
def test_every_kind_of_reaction(line: str, sentence: str) -> None:
    scenario = covey.Scenario(covey.Network(line), covey.Team({"A": 2}))
    assert sentence in str(covey.explain(scenario))


def test_every_example_is_read_back(examples: list[str]) -> None:
    for path in examples:
        found = covey.explain(covey.load(path))
        assert {"team", "what happens", "what is seen", "what is secret"} <= found.keys().keys()


@pytest.fixture(scope="module")
def examples() -> list[str]:
    found = sorted(map(str, Path("examples").glob("*.toml")))
    assert len(found) > 8
    return found


def test_the_verb() -> None:
    done = command("explain", "examples/warehouse.toml")
    assert "stays so for 10 minutes on average (carrier_full)" in " ".join(done.out.split())
    keys = command("explain", "examples/warehouse.toml", "--json").json
    assert keys["unit"] == "minute"
    assert len(keys["what happens"]) == 6
