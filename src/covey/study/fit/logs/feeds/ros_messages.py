"""ROS 2 messages in CDR as objects, and what Open-RMF's fleets say of their robots.

A bag holds the definition of every message in it, so that they are read without ROS
(mcap-ros2-support). A time is the nanoseconds since 1970.

Of `rmf_fleet_msgs/msg/FleetState` [1] every robot in `robots` is a row, of `RobotState` the one: a
robot is called `fleet/name`, its type is its `model`, and its state the name of its mode. Where
[log] has words for activities, the mode is the first of these that it has a word for:

    charging    CHARGING
    driving     MOVING, GOING_HOME, DOCKING
    order       PERFORMING_ACTION, CLEANING
    idle        otherwise

unless [log] states has a word for the mode itself. EMERGENCY and ADAPTER_ERROR are `OUT`: the robot
does not work by itself. Names of modes are those in the bag's own definition, else as in [1].

[1] https://github.com/open-rmf/rmf_internal_msgs, rmf_fleet_msgs/msg
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from covey.errors import InputError
from covey.model.io.log_table import LogTable
from covey.study.fit.logs.robots.robot_states import OUT

if TYPE_CHECKING:
    from mcap.records import Schema

_MODES = (
    "IDLE", "CHARGING", "MOVING", "PAUSED", "WAITING", "EMERGENCY", "GOING_HOME", "DOCKING",
    "ADAPTER_ERROR", "CLEANING", "PERFORMING_ACTION", "ACTION_COMPLETED",
)  # fmt: skip
_DRIVES, _WORKS = ("MOVING", "GOING_HOME", "DOCKING"), ("PERFORMING_ACTION", "CLEANING")
_NOT_BY_ITSELF = ("EMERGENCY", "ADAPTER_ERROR")
_MODE = re.compile(r"\bMODE_([A-Z_]+)\s*=\s*([0-9]{1,9})\b")
_LONGEST = 1_000_000  # bytes of a message that is looked into
_DEEPEST = 8

Object = Mapping[str, Any]


class RosMessages:
    """Reads messages by the definitions of one bag.

    Args:
        log: The words for activities.
    """

    def __init__(self, log: LogTable) -> None:
        self.log = log
        self._readers: dict[int, Callable[[bytes], Any] | None] = {}
        self._modes: dict[int, dict[int, str]] = {}

    def object(self, schema: Schema, data: bytes) -> Object | None:
        """What a message holds; None where it cannot be read.

        Args:
            schema: Its definition.
            data: The message in CDR.
        """
        if schema.id not in self._readers:
            self._readers[schema.id] = _reader(schema)
        read = self._readers[schema.id]
        if read is None or len(data) > _LONGEST:
            return None
        try:
            found = _plain(read(data), _DEEPEST)
        except Exception:  # whatever damaged bytes make of it
            return None
        return found if isinstance(found, dict) else None

    def robots(self, schema: Schema, found: Object) -> Iterator[tuple[str, str, str]] | None:
        """The robots of a message of Open-RMF: name, type and state; None where it is none.

        Args:
            schema: Its definition.
            found: What it holds.
        """
        kind = schema.name.replace("/msg/", "/")
        if kind == "rmf_fleet_msgs/FleetState":
            fleet, robots = found.get("name"), found.get("robots")
        elif kind == "rmf_fleet_msgs/RobotState":
            fleet, robots = "", [found]
        else:
            return None
        if not isinstance(robots, list):
            raise InputError("the message has no list of robots, as Open-RMF's have")
        if schema.id not in self._modes:
            text = schema.data.decode("utf-8", "replace")
            named = {int(number): name for name, number in _MODE.findall(text)}
            self._modes[schema.id] = named or dict(enumerate(_MODES))
        before = f"{fleet}/" if fleet else ""
        return (
            (f"{before}{one.get('name')}", str(one.get("model") or ""), self._state(schema, one))
            for one in robots
        )

    def _state(self, schema: Schema, robot: Object) -> str:
        """What a robot does, in the words of [log]."""
        number = robot["mode"]["mode"]
        mode, log = self._modes[schema.id].get(number, f"MODE_{number}"), self.log
        if mode in log.states:
            return mode
        if mode in _NOT_BY_ITSELF:
            return OUT
        if log.charging is None and log.driving is None and log.order is None:
            return mode
        for word, holds in (
            (log.charging, mode == "CHARGING"), (log.driving, mode in _DRIVES),
            (log.order, mode in _WORKS),
        ):  # fmt: skip
            if word is not None and holds:
                return word
        return log.idle or ""


def _reader(schema: Schema) -> Callable[[bytes], Any] | None:
    """What reads the messages of a definition; None where it cannot be understood."""
    try:
        from mcap_ros2.decoder import DecoderFactory  # noqa: PLC0415  (optional)
    except ImportError:
        raise InputError(
            "messages of ROS 2 are read by mcap-ros2-support, which is not installed: pip install "
            '"covey[ros]"'
        ) from None
    try:
        return DecoderFactory().decoder_for("cdr", schema)
    except Exception:  # whatever a strange definition makes of it
        return None


def _plain(value: Any, deep: int) -> Any:
    """A message as objects of JSON have it; a time as one number."""
    if isinstance(value, list):
        return [_plain(one, deep - 1) for one in value] if deep else []
    fields = getattr(type(value), "__slots__", None)
    if fields is None or not deep:
        return value if isinstance(value, str | bool | int | float) else None
    if tuple(fields) == ("sec", "nanosec"):
        return value.sec * 10**9 + value.nanosec
    return {name: _plain(getattr(value, name), deep - 1) for name in fields}
