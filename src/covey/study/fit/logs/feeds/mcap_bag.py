"""ROS 2 bags in MCAP: what robots sent, as a row each.

Read are messages in JSON, of channels whose message encoding is `json` [1] and in the text of
`std_msgs/msg/String`; and messages of ROS 2, by their definitions in the bag (`ros_messages`). One
is

    Open-RMF's FleetState or RobotState
    a message of VDA 5050 (`vda5050`), bare or wrapped, or
    robot, state (or to), and perhaps time and type, in whatever columns they are; columns of a
    message in a message are named with dots (`header.stamp`)

Where there is no time in it, the message's log_time counts: nanoseconds since 1970, as ROS has
them. Channels of other kinds are left out, and said.

[1] https://mcap.dev/spec/registry
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.files.json_reader import object_in
from covey.model.scenario import Scenario
from covey.study.fit.logs.feeds.mcap_records import BagMessage, bag_messages
from covey.study.fit.logs.feeds.ros_messages import Object, RosMessages
from covey.study.fit.logs.feeds.vda5050 import Messages, is_message, unwrapped
from covey.study.fit.logs.table import BadLines, Cells, Table, flat

_STRINGS = ("std_msgs/msg/String", "std_msgs/String")
_COLUMNS = ("time", "robot", "type", "state", "to")


def mcap_table(
    path: str,
    scenario: Scenario,
    columns: Mapping[str, str],
    bad: BadLines,
    progress: Progress | None = None,
    *,
    sorted_later: bool = False,
) -> Table:
    """Messages as rows of robots and states.

    Args:
        path: A bag: a file that ends in .mcap.
        scenario: Its [log] has the words for states.
        columns: What the objects call the time, the robot, and so on.
        bad: What happens to messages that cannot be read.
        progress: Called as progress(done, total, text) while messages are read.
        sorted_later: Whether whoever takes the rows puts them in the order of time.
    """
    notes: list[str] = []

    def rows() -> Iterator[tuple[int, Cells]]:
        reader = _Reader(scenario, columns, sorted_later)
        for number, found in enumerate(bag_messages(path, progress), start=1):
            try:
                for row in reader.rows(found):
                    yield number, row
            except InputError as error:
                bad.take(error.at(file=path, line=number))
        notes.extend(reader.notes())
        if not reader.messages:
            raise InputError(notes[0] if notes else "the bag has no messages", file=path)

    return Table(("time", "robot", "type", "state"), rows(), path, notes, bad)


class _Reader:
    """Reads messages one by one, and keeps what is to be said of them."""

    def __init__(self, scenario: Scenario, columns: Mapping[str, str], sorted_later: bool) -> None:
        self.scenario, self.sorted_later = scenario, sorted_later
        self.words = {word: columns.get(word, word) for word in _COLUMNS}
        self.messages = 0  # that were rows
        self._others: Counter[str] = Counter()
        self._strange: set[int] = set()  # channels of ROS 2 that hold no robot's state
        self._ros = RosMessages(scenario.log)
        self._vda5050: Messages | None = None

    def rows(self, found: BagMessage) -> Iterator[Cells]:
        """The rows of a message."""
        schema, channel, message = found
        content = None if channel.id in self._strange else self._content(found)
        if content is None:
            self._leave_out(found)
            return
        robots = None if schema is None else self._ros.robots(schema, content)
        if robots is not None:
            self.messages += 1
            try:
                yield from ([str(message.log_time), name, type_, s] for name, type_, s in robots)
            except (AttributeError, KeyError, TypeError):
                raise InputError(
                    "the message has no robots with a name and a mode, as Open-RMF's have"
                ) from None
        elif is_message(unwrapped(content)):
            self.messages += 1
            self._vda5050 = self._vda5050 or Messages(
                self.scenario.log, sorted_later=self.sorted_later
            )
            if (row := self._vda5050.row(content)) is not None:
                yield [row[0], row[1], "", row[2]]
        else:
            yield from self._by_columns(found, content)

    def _by_columns(self, found: BagMessage, content: Object) -> Iterator[Cells]:
        words, cells = self.words, flat(content)
        if words["robot"] not in cells or not {words["state"], words["to"]} & cells.keys():
            if _is_text(found):
                self._others[f"{found.channel.topic} (no robot and state in it)"] += 1
            else:  # and no other message of its definition has
                self._strange.add(found.channel.id)
                self._leave_out(found)
            return
        self.messages += 1
        time = cells.get(words["time"]) or str(found.message.log_time)
        state = cells.get(words["state"], cells.get(words["to"], ""))
        yield [time, cells[words["robot"]], cells.get(words["type"], ""), state]

    def _content(self, found: BagMessage) -> Object | None:
        """The object in a message; None where there is none."""
        schema, channel, message = found
        if channel.message_encoding == "json":
            return object_in(message.data)
        if channel.message_encoding != "cdr" or schema is None:
            return None
        content = self._ros.object(schema, message.data)
        if content is not None and _is_text(found):
            return object_in(str(content.get("data")))
        return content

    def _leave_out(self, found: BagMessage) -> None:
        kind = f"{found.channel.message_encoding}, {found.schema.name if found.schema else 'none'}"
        self._others[f"{found.channel.topic} ({kind})"] += 1

    def notes(self) -> list[str]:
        """What is to be said, once all messages were read."""
        notes = []
        if self._others:
            counted = ", ".join(f"{what} {n:,} times" for what, n in self._others.most_common(5))
            notes.append(
                f"Messages that hold no robot's state are left out: {counted}. Read are Open-RMF's "
                "fleet states, VDA 5050, and messages with a robot and a state (--columns)."
            )
        return notes + ([] if self._vda5050 is None else self._vda5050.notes())


def _is_text(found: BagMessage) -> bool:
    """Whether a message is JSON, whose columns no definition knows."""
    if found.channel.message_encoding == "json":
        return True
    return found.schema is not None and found.schema.name in _STRINGS
