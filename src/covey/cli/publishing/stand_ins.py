"""`covey publish` of a stand-in: its counts on a clock, fed with the events of the team."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from covey.cli.publishing.robots import published_of_robots
from covey.errors import InputError
from covey.files.csv_cells import write_csv

if TYPE_CHECKING:
    from covey.model.io.stand_in_file import Reference
    from covey.model.scenario import Scenario
    from covey.study.fit.logs.reading import Reading


@dataclass(frozen=True)
class StandInAsked:
    """How a stand-in is to be published: the options of that name."""

    every: float | None
    on_change: bool
    live: bool
    polled: bool
    state: str | None
    scenario: str | None
    source: tuple[str, str] | None
    reading: Reading
    stop_on_error: bool


def publish_stand_in(public: Reference, asked: StandInAsked, say: Callable[[str], None]) -> None:
    """The stand-in's counts on a clock, from what standard input tells of the team."""
    from covey.files.atomic_file import check_writable
    from covey.files.bounded_file import open_bytes
    from covey.files.file_lock import alone_with
    from covey.remedy.stand_in.publishing.stand_in_feed import StandInFeed

    if asked.every is None and not asked.on_change:
        raise InputError(
            "--every D is needed, as 1: the time from one published line to the next; or "
            "--on-change, for a line at each change of the stand-in"
        )
    names = list(public.scenario.query.groups(public.scenario.network))
    lost = 0

    def told(note: str) -> None:
        nonlocal lost
        if asked.stop_on_error:
            raise InputError(f"{note} (--stop-on-error)")
        lost += 1
        say(note)

    sys.stdout.flush()
    with ExitStack() as stack:
        file = None if asked.state is None else Path(asked.state)
        if file is not None:
            check_writable(file, (".json",))
            stack.enter_context(alone_with(file))
        own = _own_scenario(public, asked.scenario)
        if asked.source is not None:
            found = published_of_robots(
                public,
                own,
                asked.source,
                asked.reading,
                asked.every,
                file,
                say,
                on_change=asked.on_change,
                stop_on_error=asked.stop_on_error,
            )
        else:
            network = None if own is None else own.network
            feed = StandInFeed(
                public, asked.every, told, asked.polled, file, network, asked.on_change
            )
            source = stack.enter_context(open_bytes("-", "lines of events"))
            lines = (line.decode("utf-8", "replace") for line in source)
            found = feed.live(lines) if asked.live else feed.recorded(lines)
        _send(_header(["time", *names]))
        for time, counts in found:
            _send([f"{time:.10g}", *(str(counts[name]) for name in names)])
    if lost:
        raise InputError(f"{lost:,} lines could not be used; what is published is as safe as ever")


def _own_scenario(public: Reference, file: str | None) -> Scenario | None:
    """The real team's scenario, which has the reference's reactions; None where none is given."""
    from covey.model.io.scenario_file import load

    if file is None:
        return None
    own = load(file)
    public.check_reactions(own.network, file)
    return own


def _send(cells: list[str]) -> None:
    """A line of what is published, at once, as whoever reads it may be waiting."""
    sys.stdout.buffer.write((",".join(cells) + "\n").encode())
    sys.stdout.buffer.flush()


def _header(names: list[str]) -> list[str]:
    """Names as a table has them that somebody may open with a spreadsheet."""
    text = io.StringIO()
    write_csv(text, names, ())
    return [text.getvalue().removesuffix("\n")]
