"""`covey publish`: what a mechanism publishes of what is there, once or line by line."""

from __future__ import annotations

from collections.abc import Mapping

import click

from covey.cli.options.log_options import read_columns
from covey.cli.publishing.robots import check_robots, robot_options
from covey.cli.publishing.stand_ins import StandInAsked, publish_stand_in
from covey.cli.publishing.tables import TableAsked, publish_table
from covey.cli.streams import tell
from covey.errors import InputError

_MISSION = "--each-is-a-mission"


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
    from covey.model.io.mechanism_file import open_mechanism
    from covey.model.io.stand_in_file import is_stand_in, open_stand_in
    from covey.study.fit.logs.reading import Reading

    say = _nothing if quiet else _say
    of_robots: dict[str, object] = {
        "--columns": columns, "--fleet": fleet, "--together": together, "--lost-after": lost_after
    }  # fmt: skip
    if not is_stand_in(mechanism):
        of_stand_ins = {
            "--every": every, "--on-change": on_change, "--live": live, "--polled": polled,
            "--scenario": scenario, "--from": source, **of_robots,
        }  # fmt: skip
        _refuse(of_stand_ins, "for a stand-in: a table for a stream knows how often it publishes")
        table = TableAsked(
            observed, team, team_file, time, state, each_is_a_mission, passed, stop_on_error,
            as_json,
        )  # fmt: skip
        publish_table(open_mechanism(mechanism), table, say)
        return
    of_tables: dict[str, object] = {
        "--time": time, "--json": as_json, _MISSION: each_is_a_mission, "--team": team,
        "--team-file": team_file, "--pass": passed,
    }  # fmt: skip
    _refuse(of_tables, "for tables: a stand-in is fed line by line")
    if observed is not None:
        raise InputError(
            "a stand-in is fed with every event, line by line, on standard input: counts "
            "alone are not enough, since it moves along with every robot"
        )
    check_robots(source, of_robots, otherwise=live or polled)
    reading = Reading(read_columns(columns), fleet=fleet, together=together, lost_after=lost_after)
    asked = StandInAsked(
        every, on_change, live, polled, state, scenario, source, reading, stop_on_error
    )
    publish_stand_in(open_stand_in(mechanism), asked, say)


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Options that go with the other kind of mechanism, where one of them is given."""
    for name, given in options.items():
        if given:
            raise InputError(f"{name} is {why}")


def _say(note: str) -> None:
    tell(f"covey: {note}")


def _nothing(note: str) -> None:
    """For --quiet."""
