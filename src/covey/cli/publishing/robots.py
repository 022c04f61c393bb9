"""`covey publish --from`: a stand-in fed with what robots say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import click

from covey.errors import InputError

if TYPE_CHECKING:
    from covey.model.io.stand_in_file import Reference
    from covey.model.scenario import Scenario
    from covey.study.fit.logs.reading import Reading

SOURCES = ("robots", "vda5050", "mcap")

Command = TypeVar("Command", bound=Callable[..., object])


def robot_options(command: Command) -> Command:
    """The options of what robots say of themselves."""
    for option in reversed(
        (
            click.option(
                "--from",
                "source",
                type=(click.Choice(SOURCES), click.Path()),
                default=None,
                metavar="FORMAT PATH",
                help="Of a stand-in: what robots say of themselves instead, as covey fit reads it: "
                "robots (a row for each robot and change), vda5050 or mcap; - is standard input.",
            ),
            click.option(
                "--columns",
                multiple=True,
                metavar="NAME=COLUMN,…",
                help="Of --from: what columns are called, as time=when,robot=agv. May be repeated.",
            ),
            click.option(
                "--fleet",
                type=click.Path(),
                metavar="CSV",
                help="Of --from: a file of rows robot,type.",
            ),
            click.option(
                "--together",
                type=float,
                default=0.0,
                metavar="D",
                help="Of --from: how far apart robots may report the event that moved them "
                "together.",
            ),
            click.option(
                "--lost-after",
                type=float,
                metavar="D",
                help="Of --from: after which silence a robot has left, until it is heard of again.",
            ),
        )
    ):
        command = option(command)
    return command


def check_robots(
    source: tuple[str, str] | None, of_robots: Mapping[str, object], *, otherwise: bool
) -> None:
    """Options of what robots say go with it, and those of events do not.

    Args:
        source: What --from says.
        of_robots: Its options by name.
        otherwise: Whether --live or --polled is given.
    """
    given = next((name for name, value in of_robots.items() if value), None)
    if source is None and given is not None:
        raise InputError(f"{given} is for what robots say of themselves: --from is missing")
    if source is not None and otherwise:
        raise InputError(
            "--from goes by the times of the rows, and by every change: leave out --live and "
            "--polled (covey serve hears robots live)"
        )


def published_of_robots(
    public: Reference,
    own: Scenario | None,
    source: tuple[str, str],
    reading: Reading,
    every: float | None,
    file: Path | None,
    say: Callable[[str], None],
    *,
    on_change: bool = False,
    stop_on_error: bool = False,
) -> Iterator[tuple[float, dict[str, int]]]:
    """What is published, line by line; in the end it is said what could not be used.

    Args:
        public: The stand-in.
        own: The team's own scenario, which has to be there.
        source: A format, and where it is.
        reading: How it is to be read.
        every: The time from one line to the next.
        file: Keeps where both are.
        say: Called with what is worth knowing.
        on_change: Whether to leave out lines that say the same as the one before.
        stop_on_error: Whether to end where something cannot be used.
    """
    from covey.study.fit.logs.feeds.sources import open_source
    from covey.study.fit.logs.robots.live_fleet import HARMLESS
    from covey.study.fit.logs.robots.robot_feed import RobotFeed
    from covey.study.fit.logs.table import BadLines

    if every is None:
        raise InputError("--from goes with --every D, the time from one line to the next")
    if own is None:
        raise InputError(
            "--from needs --scenario FILE, the team's own: how many robots there are of each type, "
            "and in [log] what they call their states"
        )
    if own.unit and public.scenario.unit and own.unit != public.scenario.unit:
        raise InputError(
            f"the team's own unit of time is {own.unit}, and the stand-in's {public.scenario.unit}"
        )
    kind, path = source
    if kind == "robots":
        kind = "log"
    table = open_source(
        cast("Literal['log', 'vda5050', 'mcap']", kind), path, own, reading.columns,
        bad=BadLines(skip=True), sorted_later=True,
    )  # fmt: skip
    feed = RobotFeed(
        public, every, say, file=file, on_change=on_change, scenario=own, reading=reading
    )

    def unusable() -> int:
        refused = feed.refused.items()
        return table.bad.skipped + sum(n for why, n in refused if why not in HARMLESS)

    try:
        for found in feed.published(table):
            if stop_on_error and unusable():
                break
            yield found
    except InputError as error:
        raise error.at(file=path) from None
    for why, times in sorted(feed.refused.items()):
        say(f"{path}: {why}: {times:,} time{'s' * (times != 1)}")
    for note in table.bad.notes():
        say(f"{path}: {note}")
    if unusable():
        raise InputError(
            f"{unusable():,} lines could not be used; where a change was among them, the stand-in "
            "has waited for it",
            file=path,
        )
