"""`[time] unit`: what rates are per. It goes round, and real times are counted in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import covey
from covey.errors import InputError
from covey.model.io.value_edit import with_values

TEAM = """[types]
A = 1
B = 1
[network]
reactions = "{A} <-> on{A} @ go, 2\\n{B} <-> on{B} @ 3, 4"
[rates]
go = 1.0
[observe]
off = "{A} + {B}"
"""
MINUTES = f'{TEAM}[time]  # of the floor\nunit = "minute"\n'


def test_it_goes_round() -> None:
    plain, found = covey.loads(TEAM), covey.loads(MINUTES)
    assert (plain.unit, found.unit) == (None, "minute")
    assert found != plain
    assert covey.loads(covey.dumps(found)) == found
    assert "time" not in plain.to_document()
    assert found.to_document()["time"] == {"unit": "minute"}
    assert found.with_({"types.A": 3}).unpublished().unit == "minute"
    assert plain.with_({"time.unit": "minute"}) == found
    assert covey.Scenario(found.network, found.team, found.query, unit="minute") == found


def test_an_edit_keeps_the_comment() -> None:
    edited = with_values(MINUTES, {"time.unit": "hour"})
    assert edited == MINUTES.replace('"minute"', '"hour"')
    assert covey.loads(with_values(TEAM, {"time.unit": "day"})).unit == "day"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('unit = "minutes"', "the unit of time is 'minutes'. Did you mean \"minute\"?"),
        ('unit = "week"', "the unit of time is 'week'. Known: second, minute, hour, day."),
        ("unit = 60", "the unit of time is 60. Known: second, minute, hour, day."),
        ("unit = []", "the unit of time is []. Known: second, minute, hour, day."),
        ('units = "minute"', '[time] has no units. Did you mean "unit"?'),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as error:
        covey.loads(f"{TEAM}[time]\n{line}\n", "team.toml")
    assert (error.value.file, error.value.line) == ("team.toml", 11)


def test_a_mechanism_carries_it() -> None:
    plain, found = covey.loads(TEAM), covey.loads(MINUTES)
    made = [covey.protect(scenario, 0.05, teams="this").release for scenario in (plain, found)]
    assert [table.unit for table in made] == [None, "minute"]
    hours = found.with_({"time.unit": "hour"})
    assert made[1].unlike(hours.fingerprint([hours.team], ["steady"])) == ["unit of time"]
    assert made[1].unlike(found.fingerprint([found.team], ["steady"])) == []
    assert made[0].unlike(found.fingerprint([found.team], ["steady"])) == []  # it never said one


def test_dates_of_logs_are_counted_in_it(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        "time,{A},on{A},{B},on{B}\n2026-05-18T08:00:00Z,1,0,1,0\n2026-05-18T09:00:00Z,0,1,1,0\n"
    )
    found = {unit: covey.fit(covey.loads(TEAM).with_({"time.unit": unit}), log).rates["go"].value
             for unit in ("minute", "hour")}  # fmt: skip
    assert found["hour"] == pytest.approx(60 * found["minute"], rel=1e-3)
    log.write_text(
        log.read_text().replace("2026-05-18T08:00:00Z", "0").replace("2026-05-18T09:00:00Z", "60")
    )
    assert covey.fit(covey.loads(MINUTES), log).rates["go"].value == pytest.approx(
        found["minute"], rel=1e-3
    )  # numbers are in the unit already
    with pytest.raises(InputError, match="to be hour, and the scenario's rates are per minute"):
        covey.fit(covey.loads(MINUTES), log, reading=covey.Reading(unit="hour"))
