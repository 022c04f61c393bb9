"""`covey publish`: what a mechanism publishes of what is there, once or line by line."""

from __future__ import annotations

import io
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covey.cli.options.log_options import read_columns
from covey.cli.printing import console, print_json
from covey.cli.publishing_robots import check_robots, published_of_robots, robot_options
from covey.cli.streams import tell
from covey.csv_cells import write_csv
from covey.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from covey.model.io.stand_in_file import Reference
    from covey.model.scenario import Scenario
    from covey.remedy.publisher import Publisher
    from covey.study.fit.logs.reading import Reading

_MISSION = "--each-is-a-mission"
_ONCE = (
    "this is the one draw for one snapshot: another run for the same snapshot would draw anew, and "
    "tell more than was promised; --state FILE remembers that it was published"
)


@dataclass(frozen=True)
class _Asked:
    """How a stand-in is to be published."""

    every: float | None
    on_change: bool
    live: bool
    polled: bool
    state: str | None
    scenario: str | None
    source: tuple[str, str] | None
    reading: Reading
    stop_on_error: bool


@click.command(short_help="Publish what is there through a mechanism.")
@click.argument("mechanism", type=click.Path())
@click.argument("observed", required=False, metavar="[NAME=COUNT,…]")
@click.option(
    "--team",
    metavar="TYPE=N,…",
    help="Your own team, as carrier=6,picker=4, where the mechanism has one table a team.",
)
@click.option(
    "--team-file",
    type=click.Path(),
    metavar="FILE",
    help="The same from a file that only you have: a scenario (its [types]) or a fleet (.csv).",
)
@click.option(
    "--time",
    "-t",
    metavar="T",
    help="When these counts are: a number in the mechanism's unit, a date or an epoch time; lines "
    "have a column.",
)
@click.option(
    "--state",
    type=click.Path(),
    metavar="FILE",
    help="Remember the last publication here and go on from it; a stream needs it.",
)
@click.option(
    _MISSION,
    is_flag=True,
    help="Every line is an independent mission: draw for each, by a table for one snapshot.",
)
@click.option(
    "--every", type=float, metavar="D", help="Of a stand-in: the time from one line to the next."
)
@click.option(
    "--on-change",
    is_flag=True,
    help="Of a stand-in: a line for each change of what is published, at the stand-in's own times; "
    "with --every only on that clock.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Of a stand-in: by the wall's clock; what is read counts when it is read.",
)
@click.option(
    "--polled",
    is_flag=True,
    help="Of a stand-in: lines tell whole states, and no events; paths in between are drawn.",
)
@click.option(
    "--scenario",
    type=click.Path(),
    metavar="FILE",
    help="Of a stand-in: the team's own scenario, where its rates are not the reference's; robots "
    "need it.",
)
@robot_options
@click.option(
    "--pass",
    "passed",
    multiple=True,
    metavar="COLUMN,…",
    help="Of a table: columns that are no counts, and go out as they come in; take care that they "
    "tell nothing of the team. May be repeated.",
)
@click.option(
    "--stop-on-error",
    is_flag=True,
    help="End at a line that cannot be used, instead of publishing on without it.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but what is refused.")
def publish(
    mechanism: str,
    observed: str | None,
    team: str | None,
    team_file: str | None,
    time: str | None,
    state: str | None,
    each_is_a_mission: bool,
    every: float | None,
    on_change: bool,
    live: bool,
    polled: bool,
    scenario: str | None,
    source: tuple[str, str] | None,
    columns: tuple[str, ...],
    fleet: str | None,
    together: float,
    lost_after: float | None,
    passed: tuple[str, ...],
    stop_on_error: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw what is published instead of what is there, by a mechanism of `covey protect`.

    Without counts, lines are read from standard input and answered on standard output, for as long
    as they come: CSV whose first line names the columns, or JSON lines. Columns that the mechanism
    does not publish are left out, unless --pass names them. Randomness is the operating system's.

    Where the mechanism has one table a team, --team or --team-file says which team is yours: the
    mechanism's file, which may be public, does not.

    A mechanism for a stream is drawn from at the moments that it was judged for, counted from the
    first: every so often, so many times. In between and after the end the last value is published
    again. --state keeps that value from one run to the next, so that no moment is drawn for twice.
    Times are numbers in the scenario's unit, or dates and epoch times where its [time] names the
    unit. A mechanism for one snapshot publishes one, unless --each-is-a-mission.

    Nothing about what is there is in messages or exit codes: what the mechanism does not know is
    published as the nearest that it knows, and how often that was is said at the end. A line that
    cannot be read gets the last value again; at the end such lines are counted, and the exit code
    is 2.

    A stand-in (`covey protect --stand-in`) is fed with every event of the team, as `covey simulate
    --events` writes them, after a first row that tells the whole state; or with whole states alone
    (--polled), between which paths are drawn. Its counts come out at the first time and every D
    after it, or at its own changes (--on-change), never at the team's: by the times of a log, or
    with --live by the wall's clock. --state keeps both, the stand-in and the team, from one run to
    the next; only its owner may read that file.

    It is also fed with what robots say of themselves, as `covey fit` reads it (--from): the changes
    of each robot are explained by reactions. Until it is known where everybody is, and wherever it
    is not known any more, the stand-in goes on alone.

    \b
        covey publish stand-in.json --every 1 < events.csv > published.csv
        covey publish stand-in.json --on-change < events.csv > published.csv
        covey publish stand-in.json --every 1 --live --state pair.json < pipe > published.csv
        covey publish stand-in.json --every 1 --scenario fleet.toml --from vda5050 messages.jsonl
        covey publish mechanism.json driving=4,picking=2,charging=2 --team carrier=6,picker=4
        covey publish mechanism.json --team-file fleet.toml --each-is-a-mission < counts.csv
        covey publish stream.json --state last.json < counts.csv > published.csv
        covey publish stream.json driving=4,picking=2,charging=2 --time 45 --state last.json
    """
    from covey.atomic_file import check_writable
    from covey.file_lock import alone_with
    from covey.model.io.mechanism_file import open_mechanism
    from covey.model.io.stand_in_file import is_stand_in, open_stand_in
    from covey.remedy.last_published import last_published
    from covey.remedy.own_team import own_team
    from covey.remedy.publisher import Publisher
    from covey.study.fit.logs.reading import Reading

    say = _nothing if quiet else _say
    of_robots: dict[str, object] = {
        "--columns": columns, "--fleet": fleet, "--together": together, "--lost-after": lost_after
    }  # fmt: skip
    if is_stand_in(mechanism):
        for name, value in (
            ("--time", time), ("--json", as_json), (_MISSION, each_is_a_mission), ("--team", team),
            ("--team-file", team_file), ("--pass", passed),
        ):  # fmt: skip
            if value:
                raise InputError(f"{name} is for tables: a stand-in is fed line by line")
        if observed is not None:
            raise InputError(
                "a stand-in is fed with every event, line by line, on standard input: counts "
                "alone are not enough, since it moves along with every robot"
            )
        reading = Reading(
            read_columns(columns), fleet=fleet, together=together, lost_after=lost_after
        )
        check_robots(source, of_robots, otherwise=live or polled)
        asked = _Asked(
            every, on_change, live, polled, state, scenario, source, reading, stop_on_error
        )
        _publish_stand_in(open_stand_in(mechanism), asked, say)
        return
    own = {
        "--every": every, "--on-change": on_change, "--live": live, "--polled": polled,
        "--scenario": scenario, "--from": source, **of_robots,
    }  # fmt: skip
    for name, given in own.items():
        if given:
            raise InputError(
                f"{name} is for a stand-in: a table for a stream knows how often it publishes"
            )
    table = open_mechanism(mechanism)
    with ExitStack() as stack:
        last = None
        if state is not None:
            check_writable(state, (".json",))
            # Two at once would both draw for the same moment, and tell more than was promised.
            stack.enter_context(alone_with(Path(state)))
            last = last_published(table, state)
        real = own_team(team, team_file, table)
        publisher = Publisher(table, last, team=real, each_is_a_mission=each_is_a_mission)
        _check_state(publisher, state)
        if observed is not None:
            if passed or stop_on_error:
                raise InputError("--pass and --stop-on-error are for lines of a feed")
            _check_time(publisher, time)
            drawn = publisher.publish({**_counts(observed, table.counts), "time": time})
            _remember(publisher, state)
            lines = 1
            _print(drawn, as_json)
            if state is None and not each_is_a_mission:
                say(_ONCE)
        else:
            names = [name.strip() for text in passed for name in text.split(",") if name.strip()]
            lines = _feed(publisher, state, as_json, say, names, stop_on_error)
    for note in publisher.notes:
        say(note)
    _tell(publisher, lines, say)


def _publish_stand_in(public: Reference, asked: _Asked, say: Callable[[str], None]) -> None:
    """The stand-in's counts on a clock, from what standard input tells of the team."""
    from covey.atomic_file import check_writable
    from covey.bounded_file import open_bytes
    from covey.file_lock import alone_with
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


def _print(drawn: dict[str, int], as_json: bool) -> None:
    if as_json:
        print_json({"published": drawn})
        return
    console().print(",".join(f"{name}={count}" for name, count in drawn.items()), soft_wrap=True)


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


def _say(note: str) -> None:
    tell(f"covey: {note}")


def _nothing(note: str) -> None:
    """For --quiet."""


def _remember(publisher: Publisher, state: str | None) -> None:
    if state is not None and publisher.last is not None:
        publisher.last.save(publisher.table, state)


def _feed(
    publisher: Publisher,
    state: str | None,
    as_json: bool,
    say: Callable[[str], None],
    passed: list[str],
    stop_on_error: bool,
) -> int:
    from covey.bounded_file import open_bytes
    from covey.remedy.feed import publish_feed

    if as_json:
        raise InputError(
            "--json is for one observation: a feed is answered in the form that it comes in"
        )
    sys.stdout.flush()
    with open_bytes("-", "lines of counts") as source:
        return publish_feed(
            publisher,
            source,
            sys.stdout.buffer,
            partial(_remember, publisher, state),
            say,
            passed=passed,
            stop_on_error=stop_on_error,
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
