"""[design] vary: what is somebody's to choose, in files, in Python and in messages."""

from __future__ import annotations

import re

import pytest

import covey
from covey.errors import InputError

TEAM = """
[types]
A = 2
B = 1

[resources]
R = 2

[rates]
take = 3.0
drop = 1.0

[network]
reactions = \"\"\"
{A} + {R} <-> {A,R} @ take, drop
{B} + {R} <-> {B,R} @ 1, 1
\"\"\"

[observe]
free = "{A} + {B}"

"""


@pytest.mark.parametrize(
    "table",
    [
        '[design]\nvary = { "rates.take" = [0.1, 2.5], "types.A" = [1, 4], "rates.d*" = "x0.5:x2" }',
        '[design.vary]\n"rates.take" = [0.1, 2.5]\n"types.A" = [1, 4]\n"rates.d*" = "x0.5:x2"',
        '[design.vary]\nobserve = "*"\n"release.epsilon" = [0.5, "none"]\n"rates.*" = "0.5:2"',
    ],
)
def test_what_may_be_chosen_goes_round(table: str) -> None:
    found = covey.loads(TEAM + table)
    assert len(found.vary) == 3
    assert covey.loads(covey.dumps(found)) == found
    assert found.with_({"types.A": 3}).vary == found.vary
    assert found != covey.loads(TEAM)
    assert found.unpublished().vary == found.vary


def test_the_same_from_python() -> None:
    plain = covey.loads(TEAM)
    found = plain.with_({"design.vary": {"rates.take": (0.1, 2)}})
    assert found == covey.loads(TEAM + '[design]\nvary = { "rates.take" = [0.1, 2] }')
    assert plain.vary == {}
    assert "design" not in plain.to_document()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('vary = { "rates.tkae" = [1, 2] }', "there is no 'rates.tkae' to vary. Did you mean"),
        ('vary = { "rates.x*" = [1, 2] }', "nothing is called 'rates.x*'"),
        ('vary = { "rates.take" = [2, 1] }', "is no range: the least and the most are expected"),
        ('vary = { "rates.take" = "a lot" }', "'a lot' is no range"),
        ('vary = { "rates.take" = true }', "the least and the most are expected, as [0.1, 2]"),
        ('vary = ["rates.take=1:2"]', "names with their ranges are expected"),
        ("range = 2", "[design] has no range. Known: vary."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(table: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as error:
        covey.loads(f"{TEAM}[design]\n{table}\n", "team.toml")
    assert error.value.line == 23
    assert error.value.file == "team.toml"
