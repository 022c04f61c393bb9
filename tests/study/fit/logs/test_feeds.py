"""Feeds as their formats have them: GBFS 2.3 and 3.0, VDA 5050 1.1 to 3.0, MCAP with JSON."""

from __future__ import annotations

import contextlib
import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import CompressionType
from mcap_ros2.writer import Writer as RosWriter

from covey import LogTable, Network, Query, Scenario, Team, trajectories
from covey.errors import InputError
from covey.study.fit.fit import Fit, fit
from covey.study.fit.logs.feeds.sources import Source
from covey.study.fit.logs.feeds.vda5050 import Messages
from covey.study.fit.logs.log import Log
from covey.study.fit.logs.log_file import read_log
from covey.study.fit.logs.reading import Reading
from covey.study.fit.logs.robots.robot_states import OUT
from covey.study.fit.tally import Tally
from tests.study.robot_log import Row, iso, robot_rows

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

BEGIN = datetime(2026, 5, 18, 6, 0, tzinfo=UTC)


def station() -> Scenario:
    network = Network(
        "{ebike} <-> away{ebike} @ take_e, bring_e\n{bike} <-> away{bike} @ take_b, bring_b",
        rates={"take_e": 0.8, "bring_e": 0.4, "take_b": 0.3, "bring_b": 0.6},
    )
    log = LogTable(types={"ebike": ["2"], "bike": ["1", "classic*"]}, stations=["A", "B"])
    query = Query(parked="{ebike} + {bike}")
    return Scenario(network, Team({"ebike": 5, "bike": 8}), query, log=log)


def counts() -> tuple[list[float], list[tuple[int, int]]]:
    """Hours, and how many of each type are there."""
    scenario = station()
    times = np.arange(0, 60, 0.25)
    (path,) = trajectories(scenario.network, scenario.start, times=times, samples=1, seed=6)
    names = list(map(str, scenario.network.species))
    columns = [names.index("{ebike}"), names.index("{bike}")]
    return times.tolist(), [(int(e), int(b)) for e, b in path[:, columns].tolist()]


def station_status(hours: float, ebikes: int, bikes: int, version: str) -> dict[str, Any]:
    """As the specification has it: 2.x with seconds and bikes, 3.x with dates and vehicles."""
    moment = BEGIN + timedelta(hours=hours)
    old = version.startswith("2")
    total = "num_bikes_available" if old else "num_vehicles_available"

    def at(name: str, e: int, b: int) -> dict[str, Any]:
        kinds = [{"vehicle_type_id": "2", "count": e}, {"vehicle_type_id": "1", "count": b}]
        return {
            "station_id": name,
            total: e + b,
            # A type that is not there may be left out.
            "vehicle_types_available": [kind for kind in kinds if kind["count"]],
            "num_docks_available": 20 - e - b,
            "is_installed": True, "is_renting": True, "is_returning": True,
            "last_reported": int(moment.timestamp()) if old else moment.isoformat(),
        }  # fmt: skip

    return {
        "last_updated": int(moment.timestamp()) if old else moment.isoformat(),
        "ttl": 60,
        "version": version,
        "data": {
            "stations": [
                at("A", ebikes // 2, bikes),
                at("B", ebikes - ebikes // 2, 0),
                at("C", 9, 9),
            ]
        },
    }


def snapshots(version: str) -> Iterator[dict[str, Any]]:
    for hours, (ebikes, bikes) in zip(*counts(), strict=True):
        yield station_status(hours, ebikes, bikes, version)


@pytest.fixture
def feed(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    version, form = request.param
    documents = list(snapshots(version))
    if form == "folder":
        (tmp_path / "feed").mkdir()
        for number, document in enumerate(reversed(documents)):  # names say nothing of times
            (tmp_path / "feed" / f"{number:04d}.json").write_text(json.dumps(document, indent=1))
        about = {"last_updated": 0, "ttl": 0, "version": version, "data": {"system_id": "x"}}
        (tmp_path / "feed" / "system_information.json").write_text(json.dumps(about))
        return tmp_path / "feed"
    file = tmp_path / "feed.json"
    if form == "list":
        file.write_text(json.dumps(documents, indent=1))
    else:
        file.write_text("\n".join(map(json.dumps, documents)) + "\n")
    return file


@pytest.mark.parametrize(
    "feed",
    [("2.3", "folder"), ("3.0", "folder"), ("3.0", "list"), ("2.1", "lines")],
    indirect=True,
    ids="-".join,
)
def test_gbfs(feed: Path) -> None:
    log, _ = read_log(feed, station(), Reading(unit="hour"), source="gbfs")
    assert isinstance(log, Log)
    times, there = counts()
    assert log.runs[0].times.tolist() == times
    assert log.runs[0].states.tolist() == [list(pair) for pair in there]
    assert log.seen is not None
    if feed.is_dir():
        assert "Not read, being of another kind: system_information.json." in log.notes


@pytest.mark.parametrize("feed", [("2.3", "folder")], indirect=True)
def test_rates_from_gbfs_are_those_of_the_counts(feed: Path, tmp_path: Path) -> None:
    found = fit(station(), feed, source="gbfs", reading=Reading(unit="hour"))
    for name, rate in found.rates.items():
        true = station().network.rates[name]
        assert rate.interval[0] / 1.3 < true < 1.3 * rate.interval[1]
    lines = [f"{t},{e},{b}" for t, (e, b) in zip(*counts(), strict=True)]
    (tmp_path / "same.csv").write_text("\n".join(["time,{ebike},{bike}", *lines]))
    same = fit(station(), tmp_path / "same.csv")
    assert [r.value for r in found.rates.values()] == pytest.approx(
        [r.value for r in same.rates.values()], rel=1e-6
    )


def vehicle_status(free: Sequence[str], version: str) -> dict[str, Any]:
    old = version.startswith("2")
    vehicles = [
        {("bike_id" if old else "vehicle_id"): f"random-{k}", "lat": 1.0, "lon": 2.0,
         "is_reserved": False, "is_disabled": False, "vehicle_type_id": kind, "station_id": "A"}
        for k, kind in enumerate(free)
    ]  # fmt: skip
    vehicles += [vehicles[0] | {"is_reserved": True}, vehicles[0] | {"is_disabled": True}]
    vehicles += [vehicles[0] | {"station_id": "C"}]
    time = 1_779_084_000 if old else "2026-05-18T06:00:00Z"
    return {"last_updated": time, "ttl": 0, "version": version,
            "data": {"bikes" if old else "vehicles": vehicles}}  # fmt: skip


@pytest.mark.parametrize("version", ["2.3", "3.0"])
def test_vehicles_are_counted_one_by_one(version: str, tmp_path: Path) -> None:
    file = tmp_path / "vehicle_status.json"
    file.write_text(json.dumps(vehicle_status(["1", "2", "1", "classic-7", "9"], version)))
    log, _ = read_log(file, station(), source="gbfs")
    assert isinstance(log, Log)
    assert log.runs[0].states.tolist() == [[1, 3]]  # reserved, disabled and elsewhere are not there
    assert "Vehicle types that are of no type here are left out: 9." in log.notes


def test_a_feed_that_names_no_types(tmp_path: Path) -> None:
    file = tmp_path / "feed.json"
    documents = list(snapshots("2.3"))
    for document in documents:
        for one in document["data"]["stations"]:
            del one["vehicle_types_available"]
    file.write_text("\n".join(map(json.dumps, [*documents, documents[0]])))
    log, _ = read_log(file, station(), source="gbfs")
    assert isinstance(log, Log)
    assert log.runs[0].states[:, 0].tolist() == [e + b for e, b in counts()[1]]
    assert "The feed names no vehicle types: parked is all that is seen of them." in log.notes
    assert "1 snapshots have the time of another, and count once." in log.notes
    with pytest.raises(InputError, match="has no sum {bike} \\+ {ebike} for it"):
        read_log(file, station().with_({"observe.parked": "{ebike}"}), source="gbfs")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no snapshot of station_status, vehicle_status or free_bike_status is there"),
        ("{", "not JSON"),
        ('{"last_updated": 1, "data": []}', "an object with last_updated and data is expected"),
        ('{"data": {"bikes": []}}', "last_updated is None: a time is expected"),
        (
            json.dumps(station_status(0, 1, 1, "2.3")).replace('"count": 1', '"count": -1'),
            "count is -1: a whole number is expected",
        ),
        (
            json.dumps(station_status(0, 1, 1, "2.3")).replace('"B"', '"Q"'),
            "there is no station B in this snapshot",
        ),
        (
            json.dumps(station_status(0, 1, 1, "2.3")).replace('_id": "2"', '_id": "x"').replace(
                '_id": "1"', '_id": "y"'
            ),
            "the feed's vehicle types are x, y: none is a type of the team",
        ),
        (
            json.dumps(station_status(0, 1, 1, "2.3") | {"last_updated": "soon"}),
            "a date in ISO 8601",
        ),
    ],
)  # fmt: skip
def test_gbfs_refusals(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "feed.json").write_text(text)
    with pytest.raises(InputError) as caught:
        read_log(tmp_path / "feed.json", station(), source="gbfs")
    assert message in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no file \*.json"):
        read_log(tmp_path / "empty", station(), source="gbfs")


# --- VDA 5050


def fleet() -> Scenario:
    network = Network(
        "{carrier} <-> drive{carrier} @ go, stop\n{carrier} <-> charge{carrier} @ plug, full\n"
        "{lift} <-> work{lift} @ begin, end",
        rates={"go": 1, "stop": 2, "plug": 0.3, "full": 0.5, "begin": 1, "end": 1},
    )
    log = LogTable(
        types={"carrier": ["acme/*"], "lift": ["forge/*"]},
        charging="charge", driving="drive", order="work", idle="",
    )  # fmt: skip
    return Scenario(network, Team({"carrier": 3, "lift": 2}), log=log)


def state(row: Row) -> dict[str, Any]:
    """A state message with all that the schema requires."""
    activity = row.after.partition("{")[0]
    maker = "acme" if row.type == "carrier" else "forge"
    moment = (BEGIN + timedelta(seconds=row.time)).isoformat().replace("+00:00", "Z")
    working = activity == "work"
    return {
        "headerId": 1, "timestamp": moment, "version": "2.1.0", "manufacturer": maker,
        "serialNumber": row.robot, "orderId": "kept-after-the-order", "orderUpdateId": 0,
        "lastNodeId": "n1", "lastNodeSequenceId": 0, "driving": activity == "drive",
        "nodeStates": [{"nodeId": "n2", "sequenceId": 2, "released": True}] if working else [],
        "edgeStates": [], "actionStates": [{"actionId": "a", "actionStatus": "FINISHED"}],
        "batteryState": {"batteryCharge": 80.0, "charging": activity == "charge"},
        "operatingMode": "AUTOMATIC", "errors": [],
        "safetyState": {"eStop": "NONE", "fieldViolation": False},
    }  # fmt: skip


def messages(until: float = 60, seed: int = 1) -> list[dict[str, Any]]:
    return [state(row) for row in robot_rows(fleet(), until, seed)]


def same_as_rows(tally: Tally, tmp_path: Path) -> None:
    rows = [f'{iso(r.time)},{r.robot},{r.type},"{r.after}"' for r in robot_rows(fleet(), 60, 1)]
    (tmp_path / "same.csv").write_text("\n".join(["time,robot,type,state", *rows]))
    same, _ = read_log(tmp_path / "same.csv", fleet())
    assert isinstance(same, Tally)
    assert tally.counts == same.counts
    assert tally.observations > 50
    assert tally.exposure == pytest.approx(same.exposure)


def test_vda5050(tmp_path: Path) -> None:
    lines = [*map(json.dumps, messages())]
    lines.insert(3, json.dumps({"headerId": 1, "connectionState": "ONLINE"}))
    (tmp_path / "states.jsonl").write_text("\n".join(lines) + "\n")
    tally, _ = read_log(tmp_path / "states.jsonl", fleet(), source="vda5050")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)
    assert "1 messages of other topics are left out." in tally.notes


def test_vda5050_refusals(tmp_path: Path) -> None:
    file = tmp_path / "states.jsonl"
    broken = messages()[0]
    del broken["manufacturer"]
    file.write_text(json.dumps(messages()[0]) + "\n" + json.dumps(broken) + "\n")
    with pytest.raises(InputError, match=r"states.jsonl:2: the message has no manufacturer"):
        read_log(file, fleet(), source="vda5050")
    with pytest.raises(InputError, match="does not say what robots do that charge"):
        read_log(file, Scenario(fleet().network, fleet().team), source="vda5050")
    with pytest.raises(InputError, match="columns are for logs and bags"):
        read_log(file, fleet(), Reading(columns={"time": "t"}), source="vda5050")


def fitted(tmp_path: Path, found: Sequence[Mapping[str, Any]], **how: Any) -> Fit:
    (tmp_path / "states.jsonl").write_text("\n".join(map(json.dumps, found)) + "\n")
    return fit(fleet(), tmp_path / "states.jsonl", source="vda5050", reading=Reading(**how))


def in_version_3(message: Mapping[str, Any]) -> dict[str, Any]:
    battery = message["batteryState"]
    power = {"stateOfCharge": battery["batteryCharge"], "charging": battery["charging"]}
    other = {key: value for key, value in message.items() if key != "batteryState"}
    return other | {"version": "3.0.0", "powerSupply": power, "instantActionStates": []}


@pytest.mark.parametrize("version", ["1.1.0", "2.0.0", "2.1.0", "3.0.0"])
def test_every_version_of_vda5050_is_read(version: str, tmp_path: Path) -> None:
    """Of 3.0, where powerSupply is what batteryState was, nobody charged."""
    change = in_version_3 if version[0] == "3" else (lambda message: message | {"version": version})
    found = fitted(tmp_path, [change(message) for message in messages()])
    same = fitted(tmp_path, messages())
    assert found.rates == same.rates
    assert (found.rates["plug"].events or 0) > 3
    assert "version" not in " ".join(found.notes)


def test_a_version_that_is_not_known_is_said(tmp_path: Path) -> None:
    found = fitted(tmp_path, [in_version_3(m) | {"version": "4.0.0"} for m in messages()])
    assert f"The version is '4.0.0' {len(messages()):,} times" in " ".join(found.notes)
    assert found.rates == fitted(tmp_path, messages()).rates
    bare = [{k: v for k, v in m.items() if k != "batteryState"} for m in messages()]
    assert "have neither powerSupply nor batteryState" in " ".join(fitted(tmp_path, bare).notes)


def test_messages_that_come_twice_or_late_count_once(tmp_path: Path) -> None:
    """As of a broker at QoS 1; a robot that starts anew counts from 0, and is heard all the same."""
    sent = [m | {"headerId": k % 40} for k, m in enumerate(messages())]
    same = fitted(tmp_path, sent)
    assert not any("twice" in note or "later one" in note for note in same.notes)
    brokers = list(sent)
    for k in range(len(sent) - 20, 20, -7):  # again at once, and again after a later one
        later = next((j for j in range(k + 1, k + 20) if _robot(sent[j]) == _robot(sent[k])), None)
        if later is not None and sent[later]["headerId"] > sent[k]["headerId"]:
            brokers.insert(later + 1, sent[k])
        brokers.insert(k, sent[k])
    found = fitted(tmp_path, brokers)
    assert found.rates == same.rates
    assert any("came twice" in note for note in found.notes)
    assert any("came after a later one" in note for note in found.notes)


def _robot(message: Mapping[str, Any]) -> str:
    return str(message["serialNumber"])


def test_a_last_will_counts_when_its_robot_is_gone() -> None:
    """It was written when the robot connected, and the broker sends it in the end."""
    reader = Messages(fleet().log, sorted_later=True)
    connect = {"connectionState": "CONNECTIONBROKEN", "timestamp": "2026-05-18T05:00:00Z"}
    state = minute(7, "r1", driving=True, headerId=90)
    broken = {name: state[name] for name in ("manufacturer", "serialNumber", "version")} | connect
    assert reader.row(minute(6, "r1", headerId=89)) is not None
    row, will = reader.row(state), reader.row(broken | {"headerId": 1})
    assert row is not None
    assert will == (row[0], row[1], OUT)
    late = reader.row(minute(5, "r1", headerId=88))  # LiveFleet puts it where it belongs
    assert late is not None
    assert (reader.late, reader.again) == (1, 0)
    assert reader.row(state) is None
    assert reader.again == 1


def test_wrapped_messages_are_unwrapped(tmp_path: Path) -> None:
    same = fitted(tmp_path, messages())
    topic = "uagv/v2/acme/r1/state"
    wraps: list[Callable[[Any], Any]] = [
        lambda m: {"topic": topic, "payload": m},
        lambda m: {"topic": topic, "payload": json.dumps(m)},
        lambda m: {"ts": 1, "message": {"topic": topic, "payload": json.dumps(m)}},
    ]
    for wrap in wraps:
        assert fitted(tmp_path, [wrap(m) for m in messages()]).rates == same.rates
    with pytest.raises(InputError, match="states.jsonl:1: not JSON"):
        fitted(tmp_path, [{"payload": "{broken"}])


def minute(k: int, robot: str, **other: Any) -> dict[str, Any]:
    return state(Row(60.0 * k, robot, "carrier", "", "drive{carrier}")) | other


FATAL = [{"errorType": "motor", "errorLevel": "FATAL"}]
WARNING = [{"errorType": "dust", "errorLevel": "WARNING"}]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"operatingMode": "MANUAL"}, "operating mode 'MANUAL' 1 times"),
        ({"operatingMode": "SERVICE"}, "operating mode 'SERVICE' 1 times"),
        ({"operatingMode": "TEACHIN", "driving": False}, "operating mode 'TEACHIN' 1 times"),
        ({"errors": [*WARNING, *FATAL]}, "a fatal error 1 times"),
        ({"connectionState": "CONNECTIONBROKEN"}, "connection 'CONNECTIONBROKEN' 1 times"),
        ({"connectionState": "CONNECTION_BROKEN"}, "connection 'CONNECTION_BROKEN' 1 times"),
        ({"connectionState": "OFFLINE"}, "connection 'OFFLINE' 1 times"),
    ],
)
def test_who_does_not_work_by_itself_is_not_watched(
    other: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """Up to such a message a robot drives; after it, it neither drives nor stops driving."""
    scenario = fleet()
    scenario = scenario.with_({"types.carrier": 2, "types.lift": 0})
    broken = minute(4, "r1", **other)
    if "connectionState" in other:
        broken = {k: v for k, v in broken.items() if k in {*other, "timestamp", "manufacturer"}}
        broken |= {"serialNumber": "r1", "version": "2.1.0"}
    sent = [
        minute(0, "r1"), minute(0, "r2"), minute(4, "r2", errors=WARNING), broken,
        minute(10, "r1", driving=False), minute(13, "r1"), minute(20, "r2"),
    ]  # fmt: skip
    (tmp_path / "states.jsonl").write_text("\n".join(map(json.dumps, sent)) + "\n")
    reading = Reading(unit="minute")
    found = fit(scenario, tmp_path / "states.jsonl", source="vda5050", reading=reading)
    go, stop = found.rates["go"], found.rates["stop"]
    assert (go.events, go.exposure) == (1, 3)
    assert (stop.events, stop.exposure) == (0, 4 + 7 + 20)
    assert said in " ".join(found.notes)


def test_bad_messages_are_skipped_and_counted_where_that_is_wanted(tmp_path: Path) -> None:
    lines = [*map(json.dumps, messages())]
    lines[5:5] = ["{cut off", json.dumps(messages()[0] | {"manufacturer": None})]
    file = tmp_path / "states.jsonl"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="states.jsonl:6: not JSON"):
        fit(fleet(), file, source="vda5050")
    found = fit(fleet(), file, source="vda5050", reading=Reading(skip_bad=True))
    assert "2 lines could not be read, and are skipped: first line 6: not JSON" in " ".join(
        found.notes
    )
    assert found.rates == fitted(tmp_path, messages()).rates


# --- ROS 2 bags in MCAP


def cdr(text: str) -> bytes:
    """A std_msgs/msg/String as ROS 2 writes it."""
    data = text.encode() + b"\0"
    return b"\0\1\0\0" + struct.pack("<I", len(data)) + data


def write_bag(path: Path, objects: Sequence[tuple[int, Mapping[str, Any]]], encoding: str) -> Path:
    from mcap.writer import Writer

    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="ros2")
        string = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\n")
        other = writer.register_schema("sensor_msgs/msg/Image", "ros2msg", b"uint8[] data\n")
        if encoding == "json":
            channel = writer.register_channel("/state", "json", 0)
        else:
            channel = writer.register_channel("/state", "cdr", string)
        camera = writer.register_channel("/camera", "cdr", other)
        writer.add_message(camera, 0, b"\0\1\0\0\0\0\0\0", 0)
        for time, found in objects:
            text = json.dumps(found)
            data = text.encode() if encoding == "json" else cdr(text)
            writer.add_message(channel, time, data, time)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


@pytest.mark.parametrize("encoding", ["json", "cdr"])
def test_bags_with_vda5050_states(encoding: str, tmp_path: Path) -> None:
    objects = [(k, message) for k, message in enumerate(messages())]
    bag = write_bag(tmp_path / "bag.mcap", objects, encoding)
    tally, _ = read_log(bag, fleet(), source="mcap")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)
    assert "/camera (cdr, sensor_msgs/msg/Image) 1 times" in " ".join(tally.notes)


def test_bags_with_robots_and_states_at_their_log_times(tmp_path: Path) -> None:
    begin = int(BEGIN.timestamp() * 10**9)
    objects = [
        (begin + round(row.time * 10**9), {"id": row.robot, "kind": row.type, "mode": row.after})
        for row in robot_rows(fleet(), 60, 1)
    ]
    bag = write_bag(tmp_path / "bag.mcap", objects, "cdr")
    reading = Reading(columns={"robot": "id", "type": "kind", "state": "mode"})
    tally, _ = read_log(bag, Scenario(fleet().network, fleet().team), reading, source="mcap")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)
    assert "epoch nanoseconds" in tally.notes[0]
    with pytest.raises(InputError, match="/state \\(no robot and state in it\\)"):
        read_log(bag, fleet(), source="mcap")


@pytest.mark.parametrize("source", ["mcap"])
def test_what_is_no_bag(source: Source, tmp_path: Path) -> None:
    file = tmp_path / "bag.mcap"
    file.write_bytes(b"no bag at all")
    with pytest.raises(InputError, match="not a complete bag in MCAP"):
        read_log(file, fleet(), source=source)
    whole = write_bag(file, [(k, m) for k, m in enumerate(messages())], "json").read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not a complete bag in MCAP"):
        read_log(file, fleet(), source=source)
    with pytest.raises(InputError, match="there is no such file"):
        read_log(tmp_path / "none.mcap", fleet(), source=source)


# --- ROS 2

ROBOT_MODE = """uint32 mode
uint32 MODE_IDLE=0
uint32 MODE_CHARGING=1
uint32 MODE_MOVING=2
uint32 MODE_EMERGENCY=5
uint32 MODE_CLEANING=9
uint32 MODE_PERFORMING_ACTION=10
uint64 mode_request_id
string performing_action
"""
FLEET_STATE = f"""string name
RobotState[] robots
================================================================================
MSG: rmf_fleet_msgs/RobotState
string name
string model
string task_id
uint64 seq
RobotMode mode
float32 battery_percent
Location location
Location[] path
================================================================================
MSG: rmf_fleet_msgs/RobotMode
{ROBOT_MODE}
================================================================================
MSG: rmf_fleet_msgs/Location
builtin_interfaces/Time t
float32 x
float32 y
float32 yaw
bool obey_approach_speed_limit
float32 approach_speed_limit
string level_name
uint64 index
"""
MODES = {"": 0, "charge": 1, "drive": 2, "work": 10}
NANOSECONDS = int(BEGIN.timestamp()) * 10**9


def fleet_states(path: Path, definition: str = FLEET_STATE, out_at: float = -1.0) -> Path:
    """A bag of fleet states: whenever a robot changes, all of them, as an adapter sends them."""
    with path.open("wb") as stream:
        writer = RosWriter(stream)
        schema = writer.register_msgdef("rmf_fleet_msgs/msg/FleetState", definition)
        other = writer.register_msgdef("sensor_msgs/msg/BatteryState", "float32 voltage")
        robots: dict[str, dict[str, Any]] = {}
        for row in robot_rows(fleet(), 60, 1):
            mode = 5 if row.time == out_at else MODES[row.after.partition("{")[0]]
            robots[row.robot] = {"name": row.robot, "model": row.type, "mode": {"mode": mode}}
            if row.time == 0 and len(robots) < 5:
                continue
            time = NANOSECONDS + round(row.time * 10**9)
            state = {"name": "site", "robots": list(robots.values())}
            writer.write_message("/fleet_states", schema, state, time)
            writer.write_message("/battery", other, {"voltage": 24.0}, time)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


@pytest.mark.parametrize("named", [True, False], ids=["modes in the bag", "modes as usual"])
def test_open_rmf_fleet_states(named: bool, tmp_path: Path) -> None:
    definition = FLEET_STATE if named else re.sub(r"uint32 MODE_.*\n", "", FLEET_STATE)
    bag = fleet_states(tmp_path / "bag.mcap", definition)
    tally, _ = read_log(bag, fleet(), source="mcap")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)
    assert "/battery (cdr, sensor_msgs/msg/BatteryState)" in " ".join(tally.notes)


def test_modes_by_their_own_names(tmp_path: Path) -> None:
    words = {"IDLE": "", "CHARGING": "charge", "MOVING": "drive", "PERFORMING_ACTION": "work"}
    scenario = Scenario(fleet().network, fleet().team, log=LogTable(states=words))
    tally, _ = read_log(fleet_states(tmp_path / "bag.mcap"), scenario, source="mcap")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)


def test_an_emergency_is_no_activity(tmp_path: Path) -> None:
    last = [row.time for row in robot_rows(fleet(), 60, 1)][40]
    tally, _ = read_log(fleet_states(tmp_path / "bag.mcap", out_at=last), fleet(), source="mcap")
    whole, _ = read_log(fleet_states(tmp_path / "bag.mcap"), fleet(), source="mcap")
    assert isinstance(tally, Tally)
    assert isinstance(whole, Tally)
    assert tally.observations < whole.observations
    assert tally.exposure.sum() < whole.exposure.sum()


def test_any_message_with_a_robot_and_a_state(tmp_path: Path) -> None:
    """By columns, those of a message in a message with dots; a stamp is a time."""
    bag = tmp_path / "bag.mcap"
    text = (
        "std_msgs/Header header\nstring agv\nKind kind\nstring doing\nuint8[] picture\n"
        "================================================================================\n"
        "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
        "================================================================================\n"
        "MSG: acme_msgs/Kind\nstring name\n"
    )
    with bag.open("wb") as stream:
        writer = RosWriter(stream)
        schema = writer.register_msgdef("acme_msgs/msg/State", text)
        for row in robot_rows(fleet(), 60, 1):
            sec, nanosec = divmod(NANOSECONDS + round(row.time * 10**9), 10**9)
            stamp = {"stamp": {"sec": sec, "nanosec": nanosec}}
            state = {"header": stamp, "agv": row.robot, "kind": {"name": row.type},
                     "doing": row.after, "picture": [1, 2, 3]}  # fmt: skip
            writer.write_message("/states", schema, state, NANOSECONDS)
        writer.finish()  # type: ignore[no-untyped-call]
    columns = {"time": "header.stamp", "robot": "agv", "type": "kind.name", "state": "doing"}
    bare = Scenario(fleet().network, fleet().team)
    tally, _ = read_log(bag, bare, Reading(columns=columns), source="mcap")
    assert isinstance(tally, Tally)
    same_as_rows(tally, tmp_path)


def test_messages_are_put_in_the_order_of_time(tmp_path: Path) -> None:
    begin = int(BEGIN.timestamp() * 10**9)
    objects = [
        (
            begin + round(row.time * 10**9),
            {"robot": row.robot, "type": row.type, "state": row.after},
        )
        for row in robot_rows(fleet(), 60, 1)
    ]
    shuffled = [one for k in range(0, len(objects), 7) for one in reversed(objects[k : k + 7])]
    first = [one for one in shuffled if one[0] == begin]
    rest = [one for one in shuffled if one[0] != begin]
    bag = write_bag(tmp_path / "bag.mcap", [*rest, *first], "json")
    tally, _ = read_log(bag, Scenario(fleet().network, fleet().team), source="mcap")
    assert isinstance(tally, Tally)
    assert not any("clock runs back" in note for note in tally.notes)
    assert tally.observations > 50


@pytest.mark.parametrize("packed", ["zstd", "lz4", "none"])
def test_a_chunk_that_unpacks_to_too_much_is_refused(
    packed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is unpacked, whatever it says of itself."""
    monkeypatch.setattr("covey.study.fit.logs.feeds.mcap_records.MOST_UNPACKED", 500_000)
    bag = tmp_path / "bag.mcap"
    robots = {"name": "site", "robots": [], "padding": "0" * 1_000_000}
    compression = {"zstd": CompressionType.ZSTD, "lz4": CompressionType.LZ4}
    with bag.open("wb") as stream:
        writer = RosWriter(stream, compression=compression.get(packed, CompressionType.NONE))
        schema = writer.register_msgdef("acme_msgs/msg/State", "string name\nstring padding\n")
        writer.write_message("/states", schema, robots, 1)
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(InputError, match="of the bag holds 1 MB, and 0 MB are read"):
        read_log(bag, fleet(), source="mcap")
    if packed != "none":  # it says that it is small
        data = bag.read_bytes()
        at = _size_at(data)
        bag.write_bytes(data[:at] + struct.pack("<Q", 1000) + data[at + 8 :])
        with pytest.raises(InputError, match="a chunk is not as long as it says"):
            read_log(bag, fleet(), source="mcap")


def _size_at(bag: bytes) -> int:
    """Where the size of the first chunk stands: after its times."""
    at = 8
    while bag[at] != 0x06:
        at += 9 + int.from_bytes(bag[at + 1 : at + 9], "little")
    return at + 9 + 16


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("string name\nuint32 robots\n", {"name": "site", "robots": 5}),
        ("string name\nstring[] robots\n", {"name": "site", "robots": ["r1"]}),
        ("string name\n", {"name": "site"}),
    ],
)
def test_a_fleet_state_of_another_form(text: str, state: Any, tmp_path: Path) -> None:
    with (tmp_path / "bag.mcap").open("wb") as stream:
        writer = RosWriter(stream)
        schema = writer.register_msgdef("rmf_fleet_msgs/msg/FleetState", text)
        writer.write_message("/fleet_states", schema, state, 1)
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(InputError, match="robots"):
        read_log(tmp_path / "bag.mcap", fleet(), source="mcap")


def test_bytes_of_any_kind_are_a_bag_or_an_error(tmp_path: Path) -> None:
    whole = fleet_states(tmp_path / "bag.mcap").read_bytes()
    rng = np.random.default_rng(1)
    file = tmp_path / "broken.mcap"
    for _ in range(60):
        broken = bytearray(whole)
        for at in rng.integers(8, len(broken), size=3):
            broken[at] = int(rng.integers(256))
        file.write_bytes(bytes(broken))
        with contextlib.suppress(InputError):
            read_log(file, fleet(), source="mcap")
