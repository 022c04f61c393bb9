"""A real broker: with TLS and a password, away and back again, and what a last will means."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

import covey
from tests.serve.mosquitto import Mosquitto, require_programs
from tests.serve.running_feed import TOKEN, RunningFeed
from tests.serve.test_examples import HERE

pytestmark = pytest.mark.slow  # starts processes

ROBOTS = [f"c{i}" for i in range(6)] + [f"p{i}" for i in range(4)]
QUICK = ("--every", "0.2", "--delay", "0.6", "--together", "0.02")


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("made") / "s.json"
    covey.stand_in(covey.load(HERE / "warehouse.toml"), {"carrier": 5, "picker": 5}).save(file)
    return file


class Fleet:
    """Ten robots that say what they are told to say."""

    def __init__(self, port: int, **tls: str) -> None:
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2)
        if tls:
            self._client.tls_set(tls["ca"])
            self._client.username_pw_set("fleet", tls["password"])
        self._client.connect("localhost" if tls else "127.0.0.1", port)
        self._client.loop_start()
        self._header = 0

    def say(self, robot: str, **more: Any) -> None:
        self._header += 1
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        message = {
            "headerId": self._header, "timestamp": now, "version": "3.0.0", "manufacturer": "acme",
            "serialNumber": robot, "orderId": "", "driving": False, "operatingMode": "AUTOMATIC",
            "powerSupply": {"charging": False},
        } | more  # fmt: skip
        topic = "connection" if "connectionState" in more else "state"
        if topic == "connection":
            del message["driving"]
        sent = self._client.publish(f"uagv/v3/acme/{robot}/{topic}", json.dumps(message), qos=1)
        sent.wait_for_publish(60)

    def say_all(self) -> None:
        for robot in ROBOTS:
            self.say(robot)

    def stop(self) -> None:
        self._client.loop_stop()
        self._client.disconnect()


def _listening(folder: Path, stand_in: Path, scheme: str, port: int, *more: object) -> RunningFeed:
    topics = [f"{scheme}:{port}/uagv/v3/+/+/{topic}" for topic in ("state", "connection")]
    options = [word for topic in topics for word in ("--mqtt", topic)]
    return RunningFeed(
        folder, stand_in, *QUICK, "--scenario", HERE / "warehouse.toml", "--state", "l.json",
        *options, *more,
    )  # fmt: skip


def _connected(broker: Mosquitto, host: str = "127.0.0.1") -> str:
    return f'covey_mqtt_connected{{broker="{host}:{broker.port}"}}'


def _known(feed: RunningFeed) -> bool:
    return feed.metric("covey_team_known") == 1


def test_after_the_broker_was_away_everybody_has_to_speak_again(
    tmp_path: Path, broker: Mosquitto, stand_in: Path
) -> None:
    feed = _listening(tmp_path, stand_in, "mqtt://127.0.0.1", broker.port)
    fleet = Fleet(broker.port)
    connected = _connected(broker)
    feed.wait_for(lambda: feed.metric(connected) == 1)
    fleet.say_all()
    feed.wait_for(lambda: _known(feed))
    fleet.stop()
    broker.stop()
    feed.wait_for(lambda: feed.metric(connected) == 0)
    broker.start()
    feed.wait_for(lambda: feed.metric(connected) == 1)
    feed.wait_for(lambda: not _known(feed))
    fleet = Fleet(broker.port)
    for robot in ROBOTS[:-1]:
        fleet.say(robot)
    published = len(feed.history())
    feed.wait_for(lambda: len(feed.history()) > published + 8)  # it goes on meanwhile
    assert not _known(feed)
    fleet.say(ROBOTS[-1])
    feed.wait_for(lambda: _known(feed))
    fleet.stop()
    said = feed.stop()
    assert "is away" in said
    assert "acme" not in said


def test_one_that_is_offline_has_left_and_is_no_robot_that_charges(
    tmp_path: Path, broker: Mosquitto, stand_in: Path
) -> None:
    feed = _listening(tmp_path, stand_in, "mqtt://127.0.0.1", broker.port)
    fleet = Fleet(broker.port)
    feed.wait_for(lambda: feed.metric(_connected(broker)) == 1)
    fleet.say_all()
    feed.wait_for(lambda: _known(feed))
    fleet.say("c0", connectionState="OFFLINE")
    out = 'covey_refused_total{reason="a robot that does not work by itself"}'
    feed.wait_for(lambda: feed.metric(out) == 1)
    assert _known(feed)  # the others are the team
    fleet.stop()
    feed.stop()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker with TLS, for users that have a password."""
    require_programs("mosquitto", "mosquitto_passwd", "openssl")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
         "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    program = shutil.which("mosquitto_passwd")
    assert program is not None
    for user, more in (("fleet", ["-c"]), ("covey", [])):
        command = [program, *more, "-b", "passwords", user, f"hush {user}"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    settings = [f"{name} {tmp_path / file}" for name, file in (
        ("certfile", "cert.pem"), ("keyfile", "key.pem"), ("password_file", "passwords"))]  # fmt: skip
    with Mosquitto(tmp_path, "allow_anonymous false", *settings) as running:
        yield running


def test_tls_and_a_password_that_nobody_sees(
    tmp_path: Path, locked: Mosquitto, stand_in: Path
) -> None:
    (tmp_path / "password").write_text("hush covey\n")
    feed = _listening(
        tmp_path, stand_in, "mqtts://localhost", locked.port, "--mqtt-ca", "cert.pem",
        "--mqtt-user", "covey", "--mqtt-password-file", "password", "--publish-mqtt",
        f"mqtts://localhost:{locked.port}/covey/now",
    )  # fmt: skip
    fleet = Fleet(locked.port, ca=str(tmp_path / "cert.pem"), password="hush fleet")
    feed.wait_for(lambda: feed.metric(_connected(locked, "localhost")) == 1)
    fleet.say_all()
    feed.wait_for(lambda: _known(feed))
    process = Path("/proc") / str(feed.process.pid)
    (child,) = (process / "task" / str(feed.process.pid) / "children").read_text().split()
    for one in (process, Path("/proc") / child):
        assert b"hush" not in (one / "cmdline").read_bytes() + (one / "environ").read_bytes()
    fleet.stop()
    said = feed.stop()
    assert "hush" not in said
    assert TOKEN not in said


def test_a_wrong_password_is_said_and_tried_again(
    tmp_path: Path, locked: Mosquitto, stand_in: Path
) -> None:
    (tmp_path / "password").write_text("wrong\n")
    feed = _listening(
        tmp_path, stand_in, "mqtts://localhost", locked.port, "--mqtt-ca", "cert.pem",
        "--mqtt-user", "covey", "--mqtt-password-file", "password",
    )  # fmt: skip
    feed.wait_for(lambda: "is away" in "".join(feed.said) or feed.line())
    begin = len(feed.history())
    feed.wait_for(lambda: len(feed.history()) > begin + 3)  # it publishes all the same
    assert "wrong" not in feed.stop()
