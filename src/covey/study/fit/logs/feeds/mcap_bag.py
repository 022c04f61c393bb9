"""ROS 2 bags in MCAP: objects of JSON that robots sent, as a row each.

Read are messages that hold one object of JSON: of channels whose message encoding is `json` [1],
and of `std_msgs/msg/String` in `cdr`, whose text is one. (A string in CDR is four bytes that say
how numbers are written, its length with the zero at its end, and its bytes [2].) An object is

    a message of VDA 5050 (`vda5050`), bare or wrapped, or
    robot, state (or to), and perhaps time and type, in whatever columns they are

Where there is no time in it, the message's log_time counts: nanoseconds since 1970, as ROS has
them. Channels of other kinds are left out, and said.

[1] https://mcap.dev/spec/registry
[2] OMG, DDSI-RTPS 2.5, 10: serialised payloads.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from covey.bounded_file import open_bytes
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.study.fit.logs.feeds.vda5050 import Messages, is_message, unwrapped
from covey.study.fit.logs.table import BadLines, Cells, Table, flat, read_progress

if TYPE_CHECKING:
    from mcap.records import Channel, Message, Schema

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
    words = {word: columns.get(word, word) for word in _COLUMNS}
    others, notes = Counter[str](), list[str]()
    vda5050: Messages | None = None

    def rows() -> Iterator[tuple[int, Cells]]:
        nonlocal vda5050
        number = messages = 0
        for schema, channel, message in _messages(path, progress):
            number += 1
            found = _object(schema, channel, message)
            if found is None:
                others[f"{channel.topic} ({_kind(schema, channel)})"] += 1
            elif is_message(unwrapped(found)):
                vda5050 = vda5050 or Messages(scenario.log, sorted_later=sorted_later)
                messages += 1
                try:
                    row = vda5050.row(found)
                except InputError as error:
                    bad.take(error.at(file=path, line=number))
                else:
                    if row is not None:
                        yield number, [row[0], row[1], "", row[2]]
            else:
                cells = flat(found)
                if words["robot"] not in cells or not {words["state"], words["to"]} & cells.keys():
                    others[f"{channel.topic} (no robot and state in it)"] += 1
                    continue
                time = cells.get(words["time"]) or str(message.log_time)
                state = cells.get(words["state"], cells.get(words["to"], ""))
                messages += 1
                yield number, [time, cells[words["robot"]], cells.get(words["type"], ""), state]
        if others:
            counted = ", ".join(f"{what} {n:,} times" for what, n in others.most_common(5))
            notes.append(
                f"Messages that hold no robot's state in JSON are left out: {counted}. Read are "
                "JSON channels and std_msgs/msg/String with JSON in it."
            )
        if vda5050 is not None:
            notes.extend(vda5050.notes())
        if not messages:
            raise InputError(notes[0] if notes else "the bag has no messages", file=path)

    return Table(("time", "robot", "type", "state"), rows(), path, notes, bad)


def _messages(
    path: str, progress: Progress | None
) -> Iterator[tuple[Schema | None, Channel, Message]]:
    try:
        from mcap.reader import make_reader  # noqa: PLC0415  (optional)
    except ImportError:
        raise InputError(
            'ROS 2 bags are read by mcap, which is not installed: pip install "covey[ros]"'
        ) from None
    notify = read_progress(path, progress)
    with open_bytes(path, "a bag in MCAP", only_files=True) as stream:
        messages = None
        while True:
            try:  # of damaged bytes mcap, and what unpacks for it, raise whatever they come across
                messages = messages or iter(make_reader(stream).iter_messages())
                found = next(messages, None)
            except OSError:
                raise
            except Exception as error:
                raise InputError(
                    f"not a complete bag in MCAP: {type(error).__name__} {error}"
                ) from None
            if found is None:
                return
            if notify is not None:
                notify(stream.tell())
            yield found


def _kind(schema: Schema | None, channel: Channel) -> str:
    return f"{channel.message_encoding}, {schema.name if schema else 'no schema'}"


def _object(schema: Schema | None, channel: Channel, message: Message) -> Mapping[str, Any] | None:
    """The object of JSON in a message; None where there is none."""
    if channel.message_encoding == "json":
        data = message.data
    elif (
        channel.message_encoding == "cdr"
        and schema is not None
        and schema.name in ("std_msgs/msg/String", "std_msgs/String")
        and len(message.data) >= 8
    ):
        little = message.data[1] & 1
        (length,) = struct.unpack_from("<I" if little else ">I", message.data, 4)
        data = message.data[8 : 8 + length].rstrip(b"\0")
    else:
        return None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
