"""`covey publish` through a table: one observation, or a feed of them line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from covey.cli.printing import console, print_json
from covey.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from covey.model.observation.release_table import ReleaseTable
    from covey.remedy.publisher import Publisher

_ONCE = (
    "this is the one draw for one snapshot: another run for the same snapshot would draw anew, and "
    "tell more than was promised; --state FILE remembers that it was published"
)


@dataclass(frozen=True)
class TableAsked:
    """What is to be published, and how: the options of that name."""

    observed: str | None
    team: str | None
    team_file: str | None
    time: str | None
    state: str | None
    each_is_a_mission: bool
    passed: tuple[str, ...]
    stop_on_error: bool
    as_json: bool


def publish_table(table: ReleaseTable, asked: TableAsked, say: Callable[[str], None]) -> None:
    """Draws for the one observation that is given, or else for every line of standard input.

    Args:
        table: The mechanism.
        asked: What is published, and how.
        say: Called with what is worth knowing.
    """
    from covey.files.atomic_file import check_writable
    from covey.files.file_lock import alone_with
    from covey.remedy.last_published import last_published
    from covey.remedy.own_team import own_team
    from covey.remedy.publisher import Publisher

    state = asked.state
    with ExitStack() as stack:
        last = None
        if state is not None:
            check_writable(state, (".json",))
            # Two at once would both draw for the same moment, and tell more than was promised.
            stack.enter_context(alone_with(Path(state)))
            last = last_published(table, state)
        real = own_team(asked.team, asked.team_file, table)
        publisher = Publisher(table, last, team=real, each_is_a_mission=asked.each_is_a_mission)
        _check_state(publisher, state)
        if asked.observed is None:
            lines = _feed(publisher, asked, say)
        else:
            lines = 1
            _once(publisher, asked.observed, asked, say)
    for note in publisher.notes:
        say(note)
    _tell(publisher, lines, say)


def _once(
    publisher: Publisher, observed: str, asked: TableAsked, say: Callable[[str], None]
) -> None:
    if asked.passed or asked.stop_on_error:
        raise InputError("--pass and --stop-on-error are for lines of a feed")
    _check_time(publisher, asked.time)
    drawn = publisher.publish({**_counts(observed, publisher.table.counts), "time": asked.time})
    _remember(publisher, asked.state)
    if asked.as_json:
        print_json({"published": drawn})
    else:
        line = ",".join(f"{name}={count}" for name, count in drawn.items())
        console().print(line, soft_wrap=True)
    if asked.state is None and not asked.each_is_a_mission:
        say(_ONCE)


def _feed(publisher: Publisher, asked: TableAsked, say: Callable[[str], None]) -> int:
    from covey.files.bounded_file import open_bytes
    from covey.remedy.feed import publish_feed

    if asked.as_json:
        raise InputError(
            "--json is for one observation: a feed is answered in the form that it comes in"
        )
    names = [name.strip() for text in asked.passed for name in text.split(",") if name.strip()]
    sys.stdout.flush()
    with open_bytes("-", "lines of counts") as source:
        return publish_feed(
            publisher,
            source,
            sys.stdout.buffer,
            partial(_remember, publisher, asked.state),
            say,
            passed=names,
            stop_on_error=asked.stop_on_error,
        )


def _check_state(publisher: Publisher, state: str | None) -> None:
    """Draws of a stream keep to what was promised of all only if they know of the last."""
    if publisher.remembers and state is None:
        raise InputError(
            "this mechanism was made for a stream: --state FILE is needed, which remembers what "
            "was published, so that no run draws again for a moment that another has drawn for"
        )


def _check_time(publisher: Publisher, time: str | None) -> None:
    every, unit = publisher.table.every, publisher.table.unit
    if every is not None and time is None:
        raise InputError(
            f"this mechanism publishes every {every:g}{f' {unit}s' if unit else ''}: --time T is "
            "needed, in the scenario's unit of time"
        )


def _remember(publisher: Publisher, state: str | None) -> None:
    if state is not None and publisher.last is not None:
        publisher.last.save(publisher.table, state)


def _counts(text: str, names: tuple[str, ...]) -> dict[str, object]:
    found: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals or name not in names or name in found:
            hint = did_you_mean(name, names) if equals and name not in found else ""
            example = ",".join(f"{n}=0" for n in names[:6])
            raise InputError(f"NAME=COUNT is expected for each count, as {example}.{hint}")
        found[name] = value
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(f"{', '.join(missing[:8])} is missing: every count is needed")
    return found


def _tell(publisher: Publisher, lines: int, say: Callable[[str], None]) -> None:
    if publisher.unknown:
        say(
            f"{publisher.unknown:,} of {lines:,} observations are not in the mechanism, and were "
            "published as the nearest that is: was it made for this team?"
        )
    if publisher.unreadable:
        raise InputError(
            f"{publisher.unreadable:,} of {lines:,} observations could not be read: the last value "
            "was published again for each"
        )
