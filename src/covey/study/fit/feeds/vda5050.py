"""VDA 5050: what robots say of themselves, as a row for every message.

A state message [1] names the robot by `manufacturer` and `serialNumber`, and the time by
`timestamp` (ISO 8601, UTC). Its activity is the first of these that is true and that [log] has a
word for:

    charging    batteryState.charging
    driving     driving: it drives or turns
    order       it has an order to fulfil: orderId is not empty, and nodeStates, edgeStates or
                actionStates have something left. (orderId alone is kept after the order is
                finished, until the next one [1].)
    idle        otherwise

Lines are messages, one each; messages of other topics have no `driving`, and are left out.

[1] https://github.com/VDA5050/VDA5050, json_schemas/state.schema (2.1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from covey.dynamics.question import Progress
from covey.errors import InputError
from covey.line_file import numbered_lines, read_object
from covey.model.log_table import LogTable
from covey.model.scenario import Scenario
from covey.study.fit.table import Cells, Table, bytes_told

COLUMNS = ("time", "robot", "state")
_DONE = ("FINISHED", "FAILED")


def vda5050_table(path: str, scenario: Scenario, progress: Progress | None = None) -> Table:
    """State messages as rows of robots and states.

    Args:
        path: A file with a message a line, or `-`.
        scenario: Its [log] says what robots do that charge, drive, have an order, or do nothing.
        progress: Called as progress(done, total, text) while lines are read.
    """
    notes: list[str] = []
    log = scenario.log
    check(log)

    def rows() -> Iterator[tuple[int, Cells]]:
        others = 0
        hint = "state messages of VDA 5050, one a line"
        told = bytes_told(path, progress)
        for number, text in numbered_lines(path, "a log", hint=hint, told=told):
            if isinstance(text, InputError):
                raise text
            if not text.strip():
                continue
            try:
                message = read_object(text)
                if is_state(message):
                    yield number, row(message, log)
                else:
                    others += 1
            except InputError as error:
                raise error.at(file=path, line=number) from None
        if others:
            notes.append(f"{others:,} messages of other topics are left out.")

    return Table(COLUMNS, rows(), path, notes)


def check(log: LogTable) -> None:
    """Refuses a scenario that has no word for what robots do."""
    if log.charging is None and log.driving is None and log.order is None:
        raise InputError(
            "the scenario does not say what robots do that charge, drive or have an order: a table "
            '[log] is expected, such as charging = "charge" and driving = "drive"',
            key="log",
        )


def is_state(message: Mapping[str, Any]) -> bool:
    """Whether a message is of the topic state.

    Args:
        message: As it was sent.
    """
    return "driving" in message and "serialNumber" in message


def row(message: Mapping[str, Any], log: LogTable) -> Cells:
    """The time, the robot and its activity.

    Args:
        message: A state message.
        log: The words for activities.
    """
    for name in ("timestamp", "manufacturer", "serialNumber"):
        if not isinstance(message.get(name), str | int):
            raise InputError(f"the message has no {name}, which VDA 5050 requires")
    robot = f"{message['manufacturer']}/{message['serialNumber']}"
    for word, holds in ((log.charging, _charges), (log.driving, _drives), (log.order, _ordered)):
        if word is not None and holds(message):
            return str(message["timestamp"]), robot, word
    return str(message["timestamp"]), robot, log.idle or ""


def _charges(message: Mapping[str, Any]) -> bool:
    battery = message.get("batteryState")
    return isinstance(battery, Mapping) and battery.get("charging") is True


def _drives(message: Mapping[str, Any]) -> bool:
    return message.get("driving") is True


def _ordered(message: Mapping[str, Any]) -> bool:
    if not message.get("orderId"):
        return False
    actions = message.get("actionStates") or []
    return bool(message.get("nodeStates") or message.get("edgeStates")) or any(
        isinstance(one, Mapping) and one.get("actionStatus") not in _DONE for one in actions
    )
