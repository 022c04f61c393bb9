"""Numbers beyond all use: an answer or a sentence, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from covey import InputError, load, protect
from covey.app.answers.asked import Asked, Kept
from covey.remedy.design.objective import _number as design_number
from covey.remedy.mechanism.rate_box import RateBox
from covey.serve.broker import brokers
from covey.serve.settings import Settings
from covey.serve.socket_address import listening_on
from covey.study.sensitivity.shortest import read_target
from tests.cli.command import covey
from tests.conftest import EXAMPLES
from tests.fuzz.corpus import resigned, stream_table

SHARED = str(next(path for path in EXAMPLES if path.stem == "shared-resource"))
LONG = 10**400  # no double holds it
FAST = ("--set", "rates.take=1.7e308", "--set", "types.A=5")  # five take: more than a double
RIDES = str(next(path for path in EXAMPLES if path.stem == "ride-sharing"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("leakage", SHARED, "--at", "1e308"), 3, "take a shorter time"),
        (("trace", SHARED, "--until", "1e308"), 3, "take a shorter time"),
        (("trace", SHARED, "--until", "2", "--points", "1000000000"), 2, "2 to 100,000"),
        (("leakage", SHARED, *FAST, "--at", "3"), 2, "another unit of time"),
        (("leakage", SHARED, *FAST, "--method", "stationary"), 2, "another unit of time"),
        (("leakage", SHARED, *FAST, "--at", "3", "--method", "projection"), 2, "another unit of time"),
        (("simulate", SHARED, "--until", "1", "--points", "10000000000"), 2, "1 to 100,000"),
        (("profile", SHARED, "--epsilon", "710"), 0, "e^ε"),
        (("infer", SHARED, "free=2,busy=1", "--prior", "team=1e308,A->B=1e308"), 0, "team"),
        (("infer", SHARED, "free=2,busy=1", "--prior", "A=1e-308,B=1e308"), 2, "too far apart"),
        (("audit", SHARED, "--samples", "200", "--seed", "-1"), 2, "a whole number from 0 on"),
        (("sweep", SHARED, "--vary", "types.A=1:2", "--sample", "9" * 400, "-o", "no.csv"), 3, "at most 1,000,000"),
        (("infer", SHARED, "free=" + "9" * 5000), 2, "whole numbers are expected"),
        (("stream", SHARED, "--every", "1", "--for", "2", "--snapshots", "9" * 5000), 2, "1,10,100"),
        (("protect", SHARED, "--stand-in", "A=" + "9" * 5000), 2, "carrier=6,picker=4"),
        (("check", RIDES, "--set", "rates.sedan_starts=1e300"), 0, "reactions"),
    ],
)  # fmt: skip
def test_numbers_beyond_use(arguments: tuple[str, ...], code: int, said: str) -> None:
    answer = covey(*arguments)
    assert answer.code == code, answer.err
    assert said in answer.out + answer.err
    assert "Traceback" not in answer.err


def answered(*arguments: object, stdin: str = "") -> str:
    """What is said where the input is refused."""
    answer = covey(*arguments, stdin=stdin)
    assert answer.code == 2, answer.err
    assert "Traceback" not in answer.err
    return answer.err


@pytest.mark.parametrize("key", ["epsilon", "delta", "leakage"])
def test_a_mechanism_with_a_number_of_400_digits(key: str, tmp_path: Path) -> None:
    stream_table(tmp_path)
    document = json.loads((tmp_path / "one.json").read_text()) | {key: LONG}
    (tmp_path / "one.json").write_text(resigned(document))
    assert f"{key} is 1000" in answered("publish", tmp_path / "one.json", "free=2,busy=1")


@pytest.mark.parametrize("key", ["time", "first"])
def test_a_state_with_a_time_of_400_digits(key: str, tmp_path: Path) -> None:
    stream_table(tmp_path)
    table = json.loads((tmp_path / "stream.json").read_text())
    last = {"covey_published": 1, "mechanism": table["made_for"]["digest"], "published": [2, 1]}
    (tmp_path / "last.json").write_text(json.dumps(last | {"first": 0, "time": 0, key: LONG}))
    state = ("--state", tmp_path / "last.json")
    lines = "time,free,busy\n1,3,0\n"
    assert f"{key} is 1000" in answered("publish", tmp_path / "stream.json", *state, stdin=lines)


def test_a_fit_with_a_rate_of_400_digits(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("time,free,busy\n0,3,0\n1,2,1\n2,1,2\n3,2,1\n")
    fitted = tmp_path / "fit.json"
    assert covey("fit", SHARED, "--log", log, "--save", fitted).code == 0
    for key, name in (("confidence", ""), ("upper", "take")):
        document = json.loads(fitted.read_text())
        (document["rates"][name] if name else document)[key] = LONG
        (tmp_path / "other.json").write_text(json.dumps(document))
        assert f"{key} " in answered("leakage", SHARED, "--fit", tmp_path / "other.json")


def test_a_control_with_a_factor_of_400_digits(tmp_path: Path) -> None:
    rule = f'\n[control]\ntake = {{ by = "busy", factors = [1, {LONG}] }}\n'
    text = (
        Path(SHARED)
        .read_text()
        .replace("{A} + {R} <-> {A,R}   @ take, 1", "take: {A} + {R} <-> {A,R}   @ take, 1")
    )
    (tmp_path / "fleet.toml").write_text(text + rule)
    assert "the factor is 1000" in answered("check", tmp_path / "fleet.toml")


def test_a_team_of_thousands_of_digits(tmp_path: Path) -> None:
    arguments = ("-e", "0.5", "--teams", "A=1:2,B=1:2", "--no-compare", "-o", tmp_path / "set.json")
    assert covey("protect", SHARED, *arguments).code == 0
    team = f"A={'9' * 5000},B=1"
    said = answered("publish", tmp_path / "set.json", "free=2,busy=1", "--team", team)
    assert "a number of robots for each type is expected" in said


@pytest.mark.parametrize(
    "asked",
    [
        lambda: protect(load(SHARED), LONG, teams="this"),
        lambda: protect(load(SHARED), 0.5, LONG, teams="this"),
        lambda: protect(load(SHARED), 0.5, teams="this", loss={"free": LONG}),
        lambda: listening_on(f"127.0.0.1:{'9' * 5000}"),
        lambda: listening_on(f"{'a' * 300}.org:80"),
        lambda: brokers((f"mqtt://{'a' * 300}/topic",), Settings("m.json", stdin=True)),
        lambda: RateBox.of(load(SHARED), {"take": (1, LONG)}),
        lambda: read_target({"guess": LONG}),
        lambda: design_number("guess", LONG),
        lambda: load(SHARED).with_({"design.vary": {"rates.take": [1, LONG]}}),
        lambda: load(SHARED).with_({"secret.teams": {"A": [1, LONG], "B": [1, 2]}}),
        lambda: Asked({"vary": {"rates.take": [1, LONG]}}, Kept(), lambda *_: None).ranges(),
        lambda: Asked({"epsilon": -LONG}, Kept(), lambda *_: None).promised(),
    ],
)  # fmt: skip
def test_from_python(asked: Callable[[], Any]) -> None:
    with pytest.raises(InputError):
        asked()
