"""VDA 5050: what robots say of themselves, as a row for every message.

A state message [1] names the robot by `manufacturer` and `serialNumber`, and the time by
`timestamp` (ISO 8601, UTC). Its activity is the first of these that is true and that [log] has a
word for:

    charging    powerSupply.charging (3.0), batteryState.charging (1.1, 2.x)
    driving     driving: it drives or turns
    order       it has an order to fulfil: orderId is not empty, and nodeStates, edgeStates or
                actionStates have something left. (orderId alone is kept after the order is
                finished, until the next one [1].)
    idle        otherwise

These are activities of a robot that works by itself. One whose operatingMode is neither AUTOMATIC
nor SEMIAUTOMATIC (MANUAL, SERVICE, TEACHIN, STARTUP, …), that has an error of level FATAL, or whose
connection message says anything but ONLINE (OFFLINE, CONNECTIONBROKEN, in 3.0 CONNECTION_BROKEN,
HIBERNATING) is `OUT`: it is not watched until its next message that is none of these.

Brokers deliver a message twice, or after a later one (QoS 1). One that says the same as the last of
its robot and topic, with the same headerId and timestamp, is a duplicate, and left out. One whose
headerId and timestamp are both lower than the last is late: whoever can put rows in the order of
time gets it (`live_fleet`), for a log it is left out. (A headerId alone may be lower: a robot that
starts anew counts from 0.) A last will, CONNECTIONBROKEN, was written when its robot connected, and
is sent by the broker when it is gone: so a connection message is at the time of the robot's last
state at the earliest.

Lines are messages, one each, bare or wrapped as recorders do: {"topic": …, "payload": {…}}, the
payload an object or a text that holds one. Messages of other topics have no `driving`, and are left
out. Versions 1.x, 2.x and 3.x are read; others are read the same way, and said.

[1] https://github.com/VDA5050/VDA5050, json_schemas/state.schema and connection.schema (2.1, 3.0)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.files.line_file import numbered_lines, read_object
from covey.model.io.log_table import LogTable
from covey.model.scenario import Scenario
from covey.numbers import is_whole
from covey.study.fit.logs.robots.robot_states import OUT
from covey.study.fit.logs.table import BadLines, Cells, Table, read_progress

COLUMNS = ("time", "robot", "state")
_DONE = ("FINISHED", "FAILED")
_WRAPPERS = ("payload", "message", "data", "value")
_DEEPEST = 4  # wrappers in wrappers
_KNOWN = ("1", "2", "3")  # of the protocol, its major versions
_BY_ITSELF = ("AUTOMATIC", "SEMIAUTOMATIC")
_MOST_ROBOTS = 100_000  # whose last messages are remembered


def vda5050_table(
    path: str,
    scenario: Scenario,
    bad: BadLines,
    progress: Progress | None = None,
    *,
    sorted_later: bool = False,
) -> Table:
    """State messages as rows of robots and states.

    Args:
        path: A file with a message a line, or `-`.
        scenario: Its [log] says what robots do that charge, drive, have an order, or do nothing.
        bad: What happens to lines that cannot be read.
        progress: Called as progress(done, total, text) while lines are read.
        sorted_later: Whether whoever takes the rows puts them in the order of time.
    """
    notes: list[str] = []
    messages = Messages(scenario.log, sorted_later=sorted_later)

    def rows() -> Iterator[tuple[int, Cells]]:
        hint = "state messages of VDA 5050, one a line"
        notify = read_progress(path, progress)
        for number, text in numbered_lines(path, "a log", hint=hint, notify=notify):
            try:
                if isinstance(text, InputError):
                    raise text
                if text.strip() and (row := messages.row(read_object(text))) is not None:
                    yield number, row
            except InputError as error:
                bad.take(error.at(file=path, line=number))
        notes.extend(messages.notes())

    return Table(COLUMNS, rows(), path, notes, bad)


class _Header(NamedTuple):
    """What tells messages of one robot apart."""

    id: object
    time: str
    said: str
    seconds: float


class Messages:
    """Reads messages one by one, and keeps what is to be said of them.

    Args:
        log: The words for activities; refused where it has none.
        sorted_later: Whether whoever takes the rows puts them in the order of time, so that late
            messages are not left out.
    """

    def __init__(self, log: LogTable, *, sorted_later: bool = False) -> None:
        if log.charging is None and log.driving is None and log.order is None:
            raise InputError(
                "the scenario does not say what robots do that charge, drive or have an order: a "
                'table [log] is expected, such as charging = "charge" and driving = "drive"',
                key="log",
            )
        self.log, self.sorted_later = log, sorted_later
        self.others = self.no_battery = self.again = self.late = 0
        self._last: dict[tuple[str, bool], _Header] = {}  # by robot, and whether it is a state
        self.out: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()

    def row(self, found: Mapping[str, Any]) -> Cells | None:
        """The time, the robot and its activity, or `OUT`; None where a message says neither.

        Args:
            found: A message as it was sent, or wrapped.
        """
        message = unwrapped(found)
        connection = message.get("connectionState")
        if not is_message(message) or connection == "ONLINE":
            self.others += 1
            return None
        for name in ("timestamp", "manufacturer", "serialNumber"):
            if not isinstance(message.get(name), str | int):
                raise InputError(f"the message has no {name}, which VDA 5050 requires")
        time = str(message["timestamp"])
        robot = f"{message['manufacturer']}/{message['serialNumber']}"
        version = str(message.get("version", "none"))
        if version.partition(".")[0] not in _KNOWN:
            self.versions[version[:20]] += 1
        is_state, why = "driving" in message, _why_out(message)
        said = OUT if why else self._activity(message)
        header = _Header(message.get("headerId"), time, said, _seconds(time))
        if self._left_out(header, self._last.get((robot, is_state))):
            return None
        self._remember(robot, is_state, header)
        if why:
            self.out[why] += 1
        state = self._last.get((robot, True))
        if not is_state and state is not None and header.seconds < state.seconds:
            time = state.time
        return time, robot, said

    def _left_out(self, header: _Header, last: _Header | None) -> bool:
        """Whether a message was there already, or is late."""
        if last is None or not (is_whole(header.id) and is_whole(last.id)):
            return False
        if header[:3] == last[:3]:
            self.again += 1
            return True
        late = header.id < last.id and header.seconds < last.seconds
        self.late += late
        return late and not self.sorted_later

    def _remember(self, robot: str, is_state: bool, header: _Header) -> None:
        """Keeps the newest message of a robot."""
        key = robot, is_state
        last = self._last.get(key)
        if last is None and len(self._last) >= _MOST_ROBOTS:
            self._last.clear()
        if last is None or not header.seconds < last.seconds:
            self._last[key] = header

    def _activity(self, message: Mapping[str, Any]) -> str:
        log, battery = self.log, message.get("powerSupply", message.get("batteryState"))
        if not isinstance(battery, Mapping):
            self.no_battery += 1
            battery = {}
        charges, drives = battery.get("charging") is True, message.get("driving") is True
        activities = (
            (log.charging, charges), (log.driving, drives), (log.order, _ordered(message)),
        )  # fmt: skip
        for word, holds in activities:
            if word is not None and holds:
                return word
        return log.idle or ""

    def notes(self) -> list[str]:
        """What is to be said, once all messages were read."""
        notes = []
        if self.others:
            notes.append(f"{self.others:,} messages of other topics are left out.")
        if self.again:
            notes.append(f"{self.again:,} messages came twice, and count once.")
        if self.late and not self.sorted_later:
            notes.append(
                f"{self.late:,} messages came after a later one of the same robot, and are left "
                "out."
            )
        if self.out:
            counted = ", ".join(f"{why} {n:,} times" for why, n in self.out.most_common(5))
            notes.append(
                f"Not working by itself is no activity: {counted}. From such a message on a robot "
                "is not watched, until its next one that says otherwise."
            )
        if self.no_battery and self.log.charging is not None:
            notes.append(
                f"{self.no_battery:,} messages have neither powerSupply nor batteryState, and are "
                "taken for not charging."
            )
        if self.versions:
            counted = ", ".join(f"{shown(v)} {n:,} times" for v, n in self.versions.most_common(5))
            notes.append(
                f"The version is {counted}: VDA 5050 is known up to 3, and these are read like it. "
                "Compare what is fitted with what the robots did."
            )
        return notes


def _seconds(timestamp: str) -> float:
    """The seconds since 1970 of a timestamp; not a number where it is none."""
    try:
        moment = datetime.fromisoformat(timestamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan


def unwrapped(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message in what a recorder wrote.

    Args:
        found: A message, or an object whose payload is one, as an object or as text.
    """
    for _ in range(_DEEPEST):
        inner = next((found[w] for w in _WRAPPERS if w in found), None)
        if "serialNumber" in found or inner is None:
            break
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = read_object(inner)
        if not isinstance(inner, Mapping):
            break
        found = inner
    return found


def is_message(message: Mapping[str, Any]) -> bool:
    """Whether a message is of the topics state or connection.

    Args:
        message: As it was sent, unwrapped.
    """
    return "serialNumber" in message and ("driving" in message or "connectionState" in message)


def _why_out(message: Mapping[str, Any]) -> str:
    """Why a robot does not work by itself; empty where it does."""
    if "driving" not in message:
        return f"connection {shown(message.get('connectionState'))}"
    mode = message.get("operatingMode", "AUTOMATIC")
    if mode not in _BY_ITSELF:
        return f"operating mode {shown(mode)}"
    errors = message.get("errors")
    found = errors if isinstance(errors, list) else []
    if any(isinstance(one, Mapping) and one.get("errorLevel") == "FATAL" for one in found):
        return "a fatal error"
    return ""


def _ordered(message: Mapping[str, Any]) -> bool:
    if not message.get("orderId"):
        return False
    told = message.get("actionStates")
    actions = told if isinstance(told, list) else []
    return bool(message.get("nodeStates") or message.get("edgeStates")) or any(
        isinstance(one, Mapping) and one.get("actionStatus") not in _DONE for one in actions
    )
