"""`covey publish`: what a mechanism publishes of what is there, once or line by line."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covey.cli.printing import console, print_json
from covey.cli.streams import tell
from covey.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from covey.remedy.publisher import Publisher


@click.command(short_help="Publish what is there through a mechanism.")
@click.argument("mechanism", type=click.Path())
@click.argument("observed", required=False, metavar="[NAME=COUNT,…]")
@click.option(
    "--time", "-t", type=float, metavar="T", help="When these counts are; lines have a column."
)
@click.option(
    "--state",
    type=click.Path(),
    metavar="FILE",
    help="Remember the last publication here: a mechanism for a stream goes on from it.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", "-q", is_flag=True, help="Do not say at the end what was not known.")
def publish(
    mechanism: str,
    observed: str | None,
    time: float | None,
    state: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw what is published instead of what is there, by a mechanism of `covey protect`.

    Without counts, lines are read from standard input and answered on standard output, for as long
    as they come: CSV whose first line names the columns, or JSON lines. Columns that the mechanism
    does not publish are left out. Randomness is the operating system's.

    A mechanism that was made for a stream publishes the last value again until its period is over,
    by the times of the lines, or by --time. Where more than one run makes up the stream, --state
    keeps the last value between them.

    Nothing about what is there is in messages or exit codes: what the mechanism does not know is
    published as the nearest that it knows, and how often that was is said at the end.

    \b
        covey publish mechanism.json driving=4,picking=2,charging=2
        covey publish mechanism.json < counts.csv > published.csv
        covey publish stream.json driving=4,picking=2,charging=2 --time 45 --state last.json
    """
    from covey.file_lock import alone_with
    from covey.model.release_file import open_mechanism
    from covey.remedy.last_published import last_published
    from covey.remedy.publisher import Publisher
    from covey.whole_file import check_writable

    table = open_mechanism(mechanism)
    with ExitStack() as stack:
        last = None
        if state is not None:
            check_writable(state, (".json",))
            # Two at once would both draw for the same moment, and tell more than was promised.
            stack.enter_context(alone_with(Path(state)))
            last = last_published(table, state)
        publisher = Publisher(table, last)
        if observed is not None:
            _check_stream(publisher, time, state)
            drawn = publisher.publish({**_counts(observed, table.counts), "time": time})
            _remember(publisher, state)
            lines = 1
            _print(drawn, as_json)
        else:
            lines = _feed(publisher, state, as_json)
    if not quiet:
        _tell(publisher, lines)


def _print(drawn: dict[str, int], as_json: bool) -> None:
    if as_json:
        print_json({"published": drawn})
        return
    console().print(",".join(f"{name}={count}" for name, count in drawn.items()), soft_wrap=True)


def _check_stream(publisher: Publisher, time: float | None, state: str | None) -> None:
    """One draw of many keeps to what was promised of all only if it knows of the last."""
    if publisher.remembers and state is None:
        raise InputError(
            "this mechanism was made for a stream, and what it publishes depends on what it "
            "published last: --state FILE remembers that (or publish lines in one run)"
        )
    if publisher.table.every is not None and time is None:
        raise InputError(
            f"this mechanism publishes every {publisher.table.every:g}: --time T is needed, in the "
            "scenario's unit of time"
        )


def _remember(publisher: Publisher, state: str | None) -> None:
    if state is not None and publisher.last is not None:
        publisher.last.save(publisher.table, state)


def _feed(publisher: Publisher, state: str | None, as_json: bool) -> int:
    from covey.bounded_file import open_bytes
    from covey.remedy.feed import publish_feed

    if as_json:
        raise InputError(
            "--json is for one observation: a feed is answered in the form that it comes in"
        )
    sys.stdout.flush()
    with open_bytes("-", "lines of counts") as source:
        return publish_feed(
            publisher, source, sys.stdout.buffer, partial(_remember, publisher, state)
        )


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


def _tell(publisher: Publisher, lines: int) -> None:
    if publisher.unknown:
        tell(
            f"covey: {publisher.unknown:,} of {lines:,} observations are not in the mechanism, and "
            "were published as the nearest that is: was it made for this team?"
        )
    if publisher.overdue:
        tell(
            f"covey: {publisher.overdue:,} publications came after the {publisher.table.until:g} "
            "that the mechanism was made for: what it promises is for a stream of that length"
        )
    if publisher.unreadable:
        tell(
            f"covey: {publisher.unreadable:,} of {lines:,} observations had a count that is no "
            "whole number from 0 on, which was taken for 0"
        )
