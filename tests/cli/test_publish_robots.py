"""A stand-in that is fed with what robots say: rows, VDA 5050; simulated by a program of its own."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from mcap_ros2.writer import Writer
from scipy.stats import chi2

from tests.cli.command import Answer, covey
from tests.remedy.stand_in.plain_chain import PlainChain
from tests.study.fit.logs.plain_robots import Said, say

TEAM = """
[types]
carrier = 3
lift = 2
[resources]
dock = 1
[network]
reactions = '''
{carrier} <-> drive{carrier}                     @ 1, 2
{carrier} + {dock} <-> charge{carrier,dock}      @ 1, 2
{carrier} + {lift} <-> load{carrier,lift}        @ 1, 1.5
'''
[observe]
moving = "drive{carrier} + {carrier} + {lift}"
[time]
unit = "second"
[log]
types = { carrier = ["acme/*", "carrier*"], lift = ["forge/*", "lift*"] }
charging = "charge"
driving = "drive"
order = "load"
"""
LINES = (
    ("{carrier} -> drive{carrier}", 1.0), ("drive{carrier} -> {carrier}", 2.0),
    ("{carrier} + {dock} -> charge{carrier,dock}", 1.0),
    ("charge{carrier,dock} -> {carrier} + {dock}", 2.0),
    ("{carrier} + {lift} -> load{carrier,lift}", 1.0),
    ("load{carrier,lift} -> {carrier} + {lift}", 1.5),
)  # fmt: skip
EVERY, TICKS = 6.0, 500
BEGIN = datetime(2026, 5, 18, 6, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("robots")
    (found / "team.toml").write_text(TEAM)
    made = ("protect", "team.toml", "--stand-in", "carrier=2,lift=3", "-o", "stand-in.json")
    assert covey(*made, cwd=found).code == 0
    return found


@pytest.fixture(scope="module")
def rows() -> list[Said]:
    team = {"carrier": 3, "lift": 2}
    return list(say(LINES, team, {"dock": 1}, Random(5), EVERY * TICKS))


def publish(folder: Path, *more: object, stdin: str = "", every: float = EVERY) -> Answer:
    scenario = "--scenario", "team.toml"
    return covey("publish", "stand-in.json", "--every", every, *scenario, *more, cwd=folder,
                 stdin=stdin)  # fmt: skip


def message(number: int, row: Said) -> dict[str, Any]:
    """A state message; what is kept of an order that is done is there, too."""
    activity = row.state.partition("{")[0]
    moment = (BEGIN + timedelta(seconds=row.time)).isoformat().replace("+00:00", "Z")
    power = {"stateOfCharge": 80.0, "charging": activity == "charge"}
    return {
        "headerId": number, "timestamp": moment, "version": "3.0.0", "orderId": "kept",
        "manufacturer": "acme" if row.type == "carrier" else "forge", "serialNumber": row.robot,
        "driving": activity == "drive", "powerSupply": power, "operatingMode": "AUTOMATIC",
        "nodeStates": [{"nodeId": "n"}] if activity == "load" else [], "errors": [],
    }  # fmt: skip


def as_csv(rows: list[Said]) -> str:
    lines = [f'{row.time!r},{row.robot},"{row.state}"' for row in rows]
    return "\n".join(["time,robot,state", *lines]) + "\n"


def chances() -> dict[int, float]:
    """What the reference shows at steady state, from linear equations made here."""
    begin = {"{carrier}": 2, "{lift}": 3, "{dock}": 1}
    chain = PlainChain(tuple((text, Fraction(rate)) for text, rate in LINES), begin)
    place = {state: i for i, state in enumerate(chain.states)}
    k = np.zeros((len(place), len(place)))
    for state, i in place.items():
        for _, rate, after in chain.moves(state):
            k[place[after], i] += float(rate)
            k[i, i] -= float(rate)
    k[-1] = 1.0
    steady = np.linalg.solve(k, np.eye(len(place))[-1])
    seen = [chain.species.index(name) for name in ("drive{carrier}", "{carrier}", "{lift}")]
    found: dict[int, float] = {}
    for state, i in place.items():
        count = sum(state[s] for s in seen)
        found[count] = found.get(count, 0.0) + float(steady[i])
    return found


def p_value(out: str) -> float:
    seen = Counter(int(line.split(",")[1]) for line in out.split()[1:])
    expected = {count: p * seen.total() for count, p in chances().items()}
    if not set(seen) <= set(expected):
        return 0.0
    usual = [count for count, n in expected.items() if n >= 5]
    rest = sum(n for count, n in expected.items() if count not in usual)
    pairs = [(seen[count], expected[count]) for count in usual]
    pairs += [(seen.total() - sum(a for a, _ in pairs), rest)] if rest > 1 else []
    return float(chi2.sf(sum((a - b) ** 2 / b for a, b in pairs), len(pairs) - 1))


def write_bag(file: Path, rows: list[Said]) -> None:
    """A bag of what robots sent, in messages of their own."""
    with file.open("wb") as stream:
        writer = Writer(stream)
        schema = writer.register_msgdef("acme_msgs/msg/State", "string agv\nstring doing\n")
        for row in rows:
            time = int(BEGIN.timestamp()) * 10**9 + round(row.time * 10**9)
            state = {"agv": row.robot, "doing": row.state}
            writer.write_message(f"/{row.robot}", schema, state, time)
        writer.finish()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("kind", ["robots", "vda5050", "mcap"])
def test_what_is_published_of_robots_is_the_reference(
    folder: Path, rows: list[Said], kind: str
) -> None:
    """Every 6 relaxation times or so: as good as independent draws from its steady state."""
    text, path, more = "", "-", list[str]()
    if kind == "robots":
        text = as_csv(rows)
    elif kind == "mcap":
        path, more = "bag.mcap", ["--columns", "robot=agv,state=doing"]
        write_bag(folder / path, rows)
    else:
        messages = [message(k, row) for k, row in enumerate(rows)]
        again = [one for k, one in enumerate(messages) for _ in range(1 + (k % 5 == 0))]
        text = "\n".join(map(json.dumps, again)) + "\n"
    done = publish(folder, "--from", kind, path, *more, stdin=text)
    assert done.code == 0, done.err
    assert done.out.startswith("time,moving\n")
    assert len(done.out.split()) > TICKS - 2
    assert p_value(done.out) > 1e-4


def test_the_robots_themselves_would_be_found_out(rows: list[Said]) -> None:
    """The same test of the truth: it can fail."""
    places: dict[str, str] = {}
    lines, tick = ["time,moving"], 0
    for row in rows:
        while row.time > tick * EVERY:
            moving = sum(not state.startswith(("load", "charge")) for state in places.values())
            lines.append(f"{tick * EVERY},{moving}")
            tick += 1
        places[row.robot] = row.state
    assert p_value("\n".join(lines[2:])) < 1e-4


def test_what_cannot_be_used_is_counted_and_tells_nothing(folder: Path) -> None:
    begin = [(0, f"carrier-{k}", "") for k in range(3)] + [(0, "lift-0", ""), (0, "lift-1", "")]
    odd = [(1, "carrier-0", "load"), (2, "carrier-0", "soaring"), (2.5, "truck-1", ""),
           (3, "carrier-1", "drive"), ("soon", "carrier-2", "drive"), (5, "lift-0", "")]  # fmt: skip
    text = "\n".join(
        ["when,agv,state", *(f"{time},{robot},{word}" for time, robot, word in begin + odd)]
    )
    done = publish(folder, "--from", "robots", "-", "--columns", "time=when,robot=agv",
                   stdin=text, every=1)  # fmt: skip
    assert done.code == 2
    assert [line.split(",")[0] for line in done.out.split()[1:]] == list("012345")
    said = " ".join(done.err.split())
    assert "-: no reaction explains it: 1 time" in said
    assert "-: a state that the network does not know: 1 time" in said
    assert "-: a row that cannot be used: 1 time" in said
    assert "4 lines could not be used" in said
    assert not {"carrier", "lift", "load", "soaring"} & set(said.replace(":", " ").split())


def test_a_feed_that_is_to_stop_ends_at_what_cannot_be_used(folder: Path) -> None:
    begin = [Said(0, f"carrier-{k}", "", "{carrier}") for k in range(3)]
    begin += [Said(0, "lift-0", "", "{lift}"), Said(0, "lift-1", "", "{lift}")]
    odd = [Said(2.5, "carrier-0", "", "soaring"), Said(9, "lift-0", "", "{lift}")]
    text = as_csv(begin + odd)
    done = publish(folder, "--from", "robots", "-", "--stop-on-error", stdin=text, every=1)
    assert done.code == 2
    assert [line.split(",")[0] for line in done.out.split()[1:]] == list("012")
    events = '{"time": 0, "state": {"{carrier}": 3, "{lift}": 2, "{dock}": 1}}\n{"time": 2}\n'
    done = publish(folder, "--stop-on-error", stdin=events + "fly\n" + '{"time": 5}\n', every=1)
    assert done.code == 2
    assert "-:3: there is no time" in " ".join(done.err.split())
    assert len(done.out.split()) == 3
    done = publish(folder, "--pass", "station", stdin=events, every=1)
    assert "--pass is for tables" in " ".join(done.err.split())


def test_the_pair_is_kept_from_one_run_to_the_next(folder: Path) -> None:
    text = as_csv([Said(0, f"carrier-{k}", "", "{carrier}") for k in range(3)]
                  + [Said(k, f"lift-{k}", "", "{lift}") for k in range(2)])  # fmt: skip
    more = "time,robot,state\n1.5,lift-0,{lift}\n4,lift-1,{lift}\n"
    first = publish(folder, "--from", "robots", "-", "--state", "pair.json", stdin=text, every=1)
    then = publish(folder, "--from", "robots", "-", "--state", "pair.json", stdin=more, every=1)
    assert (first.code, then.code) == (0, 0)
    lines = first.out.split()[1:] + then.out.split()[1:]
    assert [line.split(",")[0] for line in lines] == list("01234")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--live",), "--from goes by the times of the rows"),
        (("--together", "-1"), "together is -1: a time from 0 on is expected"),
        (("--lost-after", "0"), "lost_after is 0: a time above 0 is expected"),
    ],
)
def test_what_does_not_go_with_robots(folder: Path, more: tuple[str, ...], message: str) -> None:
    text = as_csv([Said(0, "carrier-0", "", "{carrier}")])
    done = publish(folder, "--from", "robots", "-", *more, stdin=text)
    assert done.code == 2
    assert message in " ".join(done.err.split())


def test_robots_need_the_team_s_own_scenario(folder: Path) -> None:
    done = covey("publish", "stand-in.json", "--every", 1, "--from", "robots", "-", cwd=folder)
    assert "--from needs --scenario FILE" in " ".join(done.err.split())
    done = covey("publish", "stand-in.json", "--every", 1, "--fleet", "f.csv", cwd=folder)
    assert "--from is missing" in " ".join(done.err.split())
    far = "time,robot,state\n0,carrier-0,{carrier}\n1e300,carrier-0,{carrier}\n1,lift-0,{lift}\n"
    done = publish(folder, "--from", "robots", "-", stdin=far, every=1)
    assert len(done.out.split()) == 3
    assert "1 lines could not be used" in " ".join(done.err.split())
