"""The table [log]: kept as it was written, and refused with its line where it cannot be."""

from __future__ import annotations

import pytest

from covey import CoveyError, LogTable, dumps, loads

TEXT = """[types]
A = 2
B = 1
[network]
reactions = "{A} <-> w{A} @ 1, 1\\n{B} <-> w{B} @ 1, 1"
[observe]
w = "w{A} + w{B}"
[log]
"""
WHOLE = """types = { A = ["acme/*", "7"], B = "beta" }
states = { CHARGING = "w", "at rest" = "" }
charging = "w"
idle = ""
stations = ["31000"]
"""


def test_it_is_kept() -> None:
    scenario = loads(TEXT + WHOLE)
    assert scenario.log == LogTable(
        types={"A": ["acme/*", "7"], "B": ["beta"]},
        states={"CHARGING": "w", "at rest": ""},
        charging="w",
        idle="",
        stations=["31000"],
    )
    assert loads(dumps(scenario)) == scenario
    assert scenario.with_({"types.A": 5}).log == scenario.log
    assert scenario.with_({"log.idle": "w"}).log.idle == "w"
    assert "[log]" not in dumps(loads(TEXT.replace("[log]\n", "")))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("type = 1", 'f:9: [log] has no type. Did you mean "types"?'),
        ("types = 1", "f:9: log.types is 1: a table of names is expected"),
        ("types = { A = 1 }", "f:9: log.types.A is 1: a list of names is expected"),
        ("types = { A = [1] }", "f:9: log.types.A is 1: a text is expected"),
        ("types = { C = ['x'] }", "f:9: log.types has C, which is not in [types]."),
        ("states = { x = 1 }", "f:9: log.states.x is 1: a text is expected"),
        ("driving = 1", "f:9: log.driving is 1: an activity is expected"),
        ("stations = 31000", "f:9: log.stations is 31000: a list of names is expected"),
    ],
)
def test_what_cannot_be(line: str, message: str) -> None:
    with pytest.raises(CoveyError) as caught:
        loads(TEXT + line + "\n", file="f")
    assert message in str(caught.value)
