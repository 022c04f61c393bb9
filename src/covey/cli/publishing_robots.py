"""`covey publish --from`: a stand-in fed with what robots say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from covey.errors import InputError

if TYPE_CHECKING:
    from covey.model.io.stand_in_file import Reference
    from covey.model.scenario import Scenario
    from covey.study.fit.logs.reading import Reading

SOURCES = ("robots", "vda5050", "mcap")


def published_of_robots(
    public: Reference,
    own: Scenario | None,
    source: tuple[str, str],
    reading: Reading,
    every: float,
    file: Path | None,
    say: Callable[[str], None],
    *,
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
        stop_on_error: Whether to end where something cannot be used.
    """
    from covey.study.fit.logs.feeds.sources import open_source
    from covey.study.fit.logs.live_fleet import HARMLESS
    from covey.study.fit.logs.robot_feed import RobotFeed
    from covey.study.fit.logs.table import BadLines

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
    feed = RobotFeed(public, every, say, file=file, scenario=own, reading=reading)

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
