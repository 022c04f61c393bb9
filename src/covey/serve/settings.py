"""What can be set of a live feed: in a TOML file, each key by an option of the same name.

Every setting stands here once, with its default and what it means: the options of `covey serve`,
the file that `--init` writes (`settings_file`) and the checks are made of this list. Passwords and
tokens are no settings: they are read from files or the environment, so that no list of processes
shows them.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from covey.errors import InputError, shown

_MOST_HISTORY = 100_000
_LEAST, _MOST = 1e-6, 1e9  # of every number: beyond, clocks and calendars end
INIT = "`covey serve --init` writes one with all settings"


def _setting(
    default: Any,
    metavar: str,
    text: str,
    *,
    kind: type = str,
    least: float = 0.0,
    example: Any = "",
) -> Any:
    more = {"metavar": metavar, "text": text, "kind": kind, "least": least, "example": example}
    if default == ():
        return field(default_factory=tuple, metadata=more)
    return field(default=default, metadata=more)


@dataclass(frozen=True)
class Settings:
    """All settings; what each means is in its metadata, as `--help` and `--init` have it."""

    mechanism: str = _setting(
        "", "FILE", "what is published: a stand-in or a table of `covey protect`",
        example="stand-in.json",
    )  # fmt: skip
    scenario: str | None = _setting(
        None, "FILE",
        "the team's own scenario: its rates, its robots, and [log], the words of its messages",
        example="fleet.toml",
    )  # fmt: skip
    fleet: str | None = _setting(
        None, "CSV", "which robot is of which type, lines robot,type, where [log] does not say it",
        example="fleet.csv",
    )  # fmt: skip
    every: float | None = _setting(
        None, "D",
        "the time from one publication to the next, in the scenario's unit; a table for a stream "
        "knows it",
        kind=float, example=1.0,
    )  # fmt: skip
    delay: float = _setting(
        2.0, "SECONDS",
        "publish the value for a moment so long after it: messages that are later than that are "
        "too late",
        kind=float,
    )  # fmt: skip
    together: float = _setting(
        0.5, "SECONDS",
        "how far apart the messages of robots that do something together may be; less than delay",
        kind=float,
    )  # fmt: skip
    title: str = _setting("A protected feed", "TEXT", "what the page is called; everybody sees it")
    lost_after: float | None = _setting(
        None, "SECONDS", "a robot that is silent for so long has left", kind=float, example=60.0
    )
    times: str = _setting(
        "message", "message|arrival",
        "when something happened: when its message says, or when the message arrived",
    )  # fmt: skip
    mqtt: tuple[str, ...] = _setting(
        (), "URL",
        "hear VDA 5050 messages of a broker; topics may have + and #, mqtts:// is with TLS",
        example=["mqtt://localhost/uagv/v2/+/+/state", "mqtt://localhost/uagv/v2/+/+/connection"],
    )  # fmt: skip
    publish_mqtt: str | None = _setting(
        None, "URL", "publish to this topic of a broker as well, retained",
        example="mqtt://localhost/covey/published",
    )  # fmt: skip
    mqtt_user: str | None = _setting(
        None, "NAME", "the broker's user; else $COVEY_MQTT_USER", example="covey"
    )
    mqtt_password_file: str | None = _setting(
        None, "FILE", "a file with the user's password; else $COVEY_MQTT_PASSWORD",
        example="/etc/covey/mqtt-password",
    )  # fmt: skip
    mqtt_ca: str | None = _setting(
        None, "FILE", "certificates that the broker's must come from; else the system's",
        example="/etc/covey/ca.pem",
    )  # fmt: skip
    mqtt_cert: str | None = _setting(
        None, "FILE", "covey's own certificate, for brokers that ask for one",
        example="/etc/covey/cert.pem",
    )  # fmt: skip
    mqtt_key: str | None = _setting(None, "FILE", "and its key", example="/etc/covey/key.pem")
    stdin: bool = _setting(
        False, "", "hear lines of standard input: JSON or CSV, robots, events or states", kind=bool
    )
    replay: str | None = _setting(
        None, "FILE", "hear the lines of a log, at the pace of their times, and end with it",
        example="log.jsonl",
    )  # fmt: skip
    speed: float = _setting(
        1.0, "X", "how many times as fast as it happened a log is replayed", kind=float
    )
    listen: str = _setting(
        "127.0.0.1:8700", "HOST:PORT", "where HTTP is answered; this machine alone unless told"
    )
    token_file: str | None = _setting(
        None, "FILE",
        "a file with the token for POST and for the private metrics; else $COVEY_TOKEN. Without "
        "one nobody may post",
        example="/etc/covey/token",
    )  # fmt: skip
    state: str | None = _setting(
        None, "FILE",
        "the ledger and where everything is, over restarts; by default beside the mechanism",
        example="serve-state.json",
    )  # fmt: skip
    team: str | None = _setting(
        None, "TYPE=N,…", "your own team, where the mechanism has one table a team",
        example="carrier=6,picker=4",
    )  # fmt: skip
    team_file: str | None = _setting(
        None, "FILE", "the same from a file that only you have", example="fleet.toml"
    )
    each_is_a_mission: bool = _setting(
        False, "", "every moment is an independent mission: publish a table for one snapshot",
        kind=bool,
    )  # fmt: skip
    polled: bool = _setting(
        False, "", "of a stand-in: whole states are told at times, and no events", kind=bool
    )
    snapshots: int | None = _setting(
        None, "N", "publish so many in all, over restarts; then repeat the last value",
        kind=int, least=1, example=10000,
    )  # fmt: skip
    station: tuple[str, ...] = _setting(
        (), "ID=COUNT", "a count is the vehicles at a station: /station_status.json (GBFS) has it",
        example=["31000=at_the_dock"],
    )  # fmt: skip
    history: int = _setting(
        1440, "N", "how many publications are kept for /history and the page", kind=int, least=1
    )
    clients: int = _setting(
        2000, "N", "how many connections there may be at once", kind=int, least=1
    )
    stop_on_error: bool = _setting(
        False, "", "end at the first message that cannot be understood, instead of counting it",
        kind=bool,
    )  # fmt: skip
    trusting_log: str | None = _setting(
        None, "FILE", "write down all that is heard. It tells of the real team",
        example="/var/log/covey/heard.jsonl",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for one in fields(self):
            _check(one, getattr(self, one.name))
        if not self.mechanism:
            raise InputError(
                f"no mechanism is named: covey serve stand-in.json, or a file of settings; {INIT}"
            )
        if self.together >= self.delay:
            raise InputError(
                f"together is {self.together:g} and delay {self.delay:g}: messages of one event "
                "must be there before its moment is published; choose a longer delay"
            )
        if self.history > _MOST_HISTORY:
            raise InputError(f"history is {self.history:,}: at most {_MOST_HISTORY:,} are kept")
        if self.times not in ("message", "arrival"):
            raise InputError(f"times is {shown(self.times)}: message or arrival is expected")
        if self.replay is None and self.speed != 1:
            raise InputError("speed is for --replay: what happens now takes its time")
        if self.replay is not None and (self.mqtt or self.stdin):
            raise InputError("a log is replayed by itself: leave out --mqtt and --stdin")

    @property
    def state_file(self) -> Path | None:
        """Where the ledger is kept; a replay keeps none, unless told."""
        if self.state is not None:
            return Path(self.state)
        return None if self.replay else Path(self.mechanism).with_suffix(".state.json")


def _check(one: Field[Any], value: Any) -> None:
    kind, many = one.metadata["kind"], one.default_factory is tuple
    if many:
        if not isinstance(value, tuple) or not all(isinstance(v, str) for v in value):
            raise InputError(f"{one.name} is {shown(value)}: a list of texts is expected")
        return
    if value is None and one.default is None:
        return
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not (_LEAST <= value <= _MOST or (one.name == "together" and value == 0)):
            raise InputError(
                f"{one.name} is {shown(value)}: a number above 0 is expected, from {_LEAST:g} to "
                f"{_MOST:g}"
            )
        return
    if kind is int and type(value) is int and one.metadata["least"] <= value <= _MOST:
        return
    if kind in (str, bool) and type(value) is kind:
        return
    expected = {
        float: "a number",
        int: f"a whole number from 1 to {_MOST:,.0f}",
        str: "a text",
        bool: "true or false",
    }
    raise InputError(f"{one.name} is {shown(value)}: {expected[kind]} is expected")
