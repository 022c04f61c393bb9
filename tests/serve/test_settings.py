"""Every setting in a file and by an option, and what is wrong with it."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from covey.errors import InputError
from covey.serve.broker import brokers
from covey.serve.settings import Settings
from covey.serve.settings_file import commented, read_settings
from tests.cli.command import covey


def test_the_file_that_init_writes_is_read_and_has_every_setting(tmp_path: Path) -> None:
    assert covey("serve", "--init", cwd=tmp_path).out.startswith("written: serve.toml")
    text = (tmp_path / "serve.toml").read_text()
    assert text == commented()
    assert read_settings(str(tmp_path / "serve.toml"), {}) == Settings(mechanism="stand-in.json")
    whole = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    assert set(tomllib.loads(whole)) == {one.name for one in fields(Settings)}
    again = covey("serve", "--init", cwd=tmp_path)
    assert again.code == 2
    assert "exists already" in again.err


def test_options_override_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('mechanism = "s.json"\nevery = 2\nmqtt = ["mqtt://a/b"]\n')
    found = read_settings(str(file), {"every": 3.0})
    assert (found.every, found.mqtt, found.delay) == (3.0, ("mqtt://a/b",), 2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mechanism = 3", "mechanism is 3: a text is expected"),
        ('mechanism = "s"\nevry = 1', "there is no setting 'evry'. Did you mean"),
        ('mechanism = "s"\nevery = 0', "every is 0: a number above 0 is expected"),
        ('mechanism = "s"\nevery = nan', "every is nan"),
        ('mechanism = "s"\ndelay = 0.2', "together is 0.5 and delay 0.2"),
        ('mechanism = "s"\ntimes = "mine"', "times is 'mine': message or arrival"),
        ('mechanism = "s"\nclients = 0', "clients is 0: a whole number from 1 to 1,000,000,000"),
        (f'mechanism = "s"\nsnapshots = {"9" * 400}', "a whole number from 1 to"),
        (f'mechanism = "s"\nevery = {"9" * 400}', "a number above 0 is expected, from 1e-06"),
        ('mechanism = "s"\ndelay = 1e300', "delay is 1e+300: a number above 0 is expected"),
        ('mechanism = "s"\nmqtt = "mqtt://a/b"', "a list of texts is expected"),
        ('mechanism = "s"\nspeed = 2', "speed is for --replay"),
        ('mechanism = "s"\nreplay = "l"\nstdin = true', "a log is replayed by itself"),
        ("mechanism", "not TOML"),
        ("[network]", "this is a scenario, and a feed publishes through a mechanism"),
        ("every = 1", "no mechanism is named"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        read_settings(str(file), {})


def test_brokers_by_their_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "password").write_text("hush\n")
    settings = Settings(mechanism="s", mqtt_password_file=str(tmp_path / "password"))
    monkeypatch.setenv("COVEY_MQTT_USER", "me")
    urls = ("mqtt://h/a/+/state", "mqtt://h/a/#", "mqtts://you@h:1/b")
    one, two = brokers(urls, settings)
    assert (one.host, one.port, one.tls, one.topics) == ("h", 1883, False, ("a/+/state", "a/#"))
    assert (one.user, one.password) == ("me", "hush")
    assert (two.port, two.tls, two.user) == (1, True, "you")
    assert "hush" not in one.shown


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mqtt://me:hush@h/a", "a password in it"),
        ("http://h/a", "mqtt://localhost/uagv/v2/+/+/state is expected"),
        ("mqtt://h", "is expected"),
        ("mqtt://h:99999/a", "cannot be read"),
    ],
)
def test_addresses_that_are_refused(url: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as error:
        brokers((url,), Settings(mechanism="s"))
    assert "hush" not in str(error.value)
