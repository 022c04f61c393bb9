"""`covey protect`: what to publish instead of what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb, secret_options
from covey.cli.options.table_options import TableAsked, table_options
from covey.cli.printing import begin_answer, print_json
from covey.cli.publication_tables import points_table, streams_table, tried_table
from covey.cli.saving import save_picture
from covey.cli.table_answer import answer_table
from covey.cli.verbs.stream import read_target, refuse_with_target
from covey.errors import CoveyError, InputError

if TYPE_CHECKING:
    from covey.dynamics.validation import Progress
    from covey.model.observation.adversary import Moment
    from covey.remedy.mechanism.front import Front
    from covey.remedy.mechanism.losses import Loss
    from covey.remedy.mechanism.protect_stream import StreamMechanism
    from covey.remedy.stand_in.one_away import OneAway


@click.command(short_help="What to publish instead, so that a snapshot gives away little.")
@click.option("--epsilon", "-e", type=float, metavar="E", help="The leakage that is allowed.")
@click.option(
    "--delta",
    type=float,
    default=0.0,
    metavar="D",
    help="Allow each event so much more: at most e^E times as likely for one team as for the "
    "other, plus D.",
)
@click.option(
    "--loss",
    default="l1",
    show_default=True,
    metavar="NAME",
    help="What an error costs: l1, squared, change (that anything is changed), or a weight for "
    "each count, as driving=1,picking=5.",
)
@click.option("--moments", metavar="T,…", help="Protect at each of these times, as 1,5,steady.")
@click.option(
    "--target",
    metavar="guess=P",
    help="For a stream instead: an observer shall be right at most P of the time in the end.",
)
@click.option(
    "--stand-in",
    "reference",
    metavar="TYPE=N,…",
    help="Publish this reference team, moved along with the real one: nothing is given away, "
    "however long one watches. It must not be chosen by looking at the team: `best` is the one "
    "that costs least at worst over the public set of --teams, `best-mean` in the mean.",
)
@click.option(
    "--truth",
    type=float,
    default=0.0,
    metavar="P",
    help="Of a stand-in: with this probability, tossed once, publish the truth throughout.",
)
@click.option("--every", type=float, metavar="D", help="The shortest time between publications.")
@click.option("--for", "span", type=float, metavar="S", help="How long a stream goes on.")
@click.option(
    "--output", "-o", type=click.Path(), metavar="JSON", help="Save it for covey publish."
)
@click.option(
    "--front",
    type=click.Path(),
    metavar="PICTURE",
    help="Draw privacy against accuracy, the mechanism beside all else (.png, .svg, .pdf).",
)
@click.option(
    "--compare/--no-compare", default=True, help="Whether to say what else could be done."
)
@table_options
@secret_options("teams")
@computing_verb("at")
def protect(
    request: Request,
    /,
    asked: TableAsked,
    epsilon: float | None,
    delta: float,
    loss: str,
    moments: str | None,
    target: str | None,
    reference: str | None,
    truth: float,
    every: float | None,
    span: float | None,
    output: str | None,
    front: str | None,
    compare: bool,
) -> None:
    """Find what to publish instead of what is there: the tables that cost least.

    A table that is made for the own team names that team. So tables are made for a public set of
    teams (--teams, or [secret.teams] of the file), one for each, and the file does not say which is
    real. Through them, one snapshot gives away at most E about any robot's type, at these rates, to
    whoever knows all of the tables. It is a linear program; what it finds is evaluated before it is
    handed out. It is for one snapshot: `covey stream` says what many give away through it. With
    --target, how often to publish, through which table and with what memory is found by what all of
    them together give away. --front shows what can be had at all, at which price.

    A table in front of a stream is averaged out. With --stand-in, a public reference team that
    moves along with the real one is published instead: nothing is given away, however long one
    watches.

    \b
        covey protect fleet.toml --stand-in carrier=6,picker=4 -o stand-in.json
        covey protect fleet.toml --stand-in best --teams carrier=5:7,picker=3:5
        covey publish stand-in.json --every 1 < events.csv
        covey protect fleet.toml --epsilon 0.5 --teams carrier=5:7,picker=3:5 -o tables.json
        covey publish tables.json free=4,busy=2 --team carrier=6,picker=4
        covey protect fleet.toml --front front.svg
        covey protect fleet.toml --every 1 --for 480 --target guess=0.6 --only-this-team -o m.json
    """
    from covey.files.atomic_file import check_writable
    from covey.remedy.mechanism.front import front as solve_front
    from covey.remedy.mechanism.protect_stream import protect_stream

    for file, endings in ((output, (".json",)), (front, (".png", ".svg", ".pdf"))):
        if file is not None:
            check_writable(file, endings)
    if reference is not None:
        refuse_with_stand_in(
            epsilon=epsilon, delta=delta, moments=moments, target=target, front=front,
            **asked.given | {"fit": None},
        )  # fmt: skip
        if every is not None:
            raise InputError(
                "--every is for a table: a stand-in gives away nothing however often it is "
                "published, and covey publish --every says how often; leave it out here"
            )
        more: dict[str, Any] = {"loss": read_loss(loss), "truth": truth, "until": span}
        more["within"] = asked.intervals(request.scenario)
        _answer_stand_in(request, reference, more, output)
        return
    if target is not None:
        refuse_with_target(epsilon=epsilon, delta=delta, moments=moments)
        asked.check_stream(request.scenario)
        with request.progress() as progress:
            kept = protect_stream(
                request.scenario, every, span, guess=read_target(target), loss=read_loss(loss),
                limits=request.limits, progress=progress,
            )  # fmt: skip
            shown = _one_away(request, read_loss(loss), progress)
        _answer_stream(request, kept, shown, output, front)
        return
    more = {"loss": read_loss(loss), "limits": request.limits}
    more |= {"teams": asked.teams(request.scenario), "at": _moments(moments)}
    if front is not None:
        _only_for_a_mechanism(epsilon=epsilon, output=output)
        with request.progress() as progress:
            along = solve_front(request.scenario, delta=delta, **more, progress=progress)
        _answer_front(request, along, front)
        return
    if epsilon is None:
        raise InputError(
            "--epsilon E is needed, as 0.5; or --target guess=0.6 for a stream, or --front PICTURE "
            "for all that can be had"
        )
    more |= {"tables": asked.tables(request.scenario), "delta": delta}
    answer_table(request, epsilon, more, compare, output)


def _one_away(request: Request, loss: Loss, progress: Progress | None) -> OneAway | None:
    """What a stand-in costs that is one robot off; None where that takes long."""
    from covey.dynamics.solver import Solver
    from covey.remedy.stand_in.one_away import one_away

    solver = Solver(request.scenario.network, request.limits)
    try:
        return one_away(solver, request.scenario, loss, progress)
    except CoveyError:
        return None


def _answer_stream(
    request: Request, found: StreamMechanism, shown: OneAway | None, output: str | None,
    front: str | None,
) -> None:  # fmt: skip
    from covey.report.json_keys.mechanism import mechanism_keys

    if output is not None:
        found.mechanism.save(output)
    save_picture(found, front, title=request.scenario.title)
    if request.json:
        right = found.stream.bayes_success[-1]
        more = {
            "every": found.every,
            "until": found.until,
            "hold": found.hold,
            "snapshots": found.stream.snapshots[-1],
            "guess": right.value,
            "guess_upper": right.upper,
            "confidence": found.stream.confidence,
            "tried": found.tried,
            "stand_in": None if shown is None else {"guess": 0.5, "loss": shown.loss},
        }
        print_json(mechanism_keys(found.mechanism, []) | {"loss": found.loss} | more)
        return
    out = begin_answer(request.scenario, "" if shown is None else str(shown))
    if shown is not None:
        out.print("\nOr a table:")
    out.print(str(found), style="bold" if shown is None else None)
    if shown is not None:
        out.print()
        out.print(streams_table(found, shown))
    if front is not None:
        out.print()
        out.print(tried_table(found))
    if output is not None:
        out.print(f"\nsaved: {output}")


def refuse_with_stand_in(**given: object) -> None:
    """Refuses what is for tables, beside --stand-in."""
    for name, value in given.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} is for a table, and --stand-in needs none: leave one out")


def _answer_stand_in(
    request: Request, reference: str, more: dict[str, Any], output: str | None
) -> None:
    from covey.remedy.stand_in.best import BEST
    from covey.remedy.stand_in.stand_in import stand_in
    from covey.report.json_keys.mechanism import stand_in_keys

    if reference not in BEST:
        refuse_with_stand_in(teams="secret" in request.given)
    with request.progress() as progress:
        found = stand_in(
            request.scenario,
            reference if reference in BEST else _reference(reference),
            **more, limits=request.limits, progress=progress,
        )  # fmt: skip
    if output is not None:
        found.save(output)
    if request.json:
        print_json(stand_in_keys(found))
        return
    first, *others = found.sentences
    out = begin_answer(request.scenario, first)
    for sentence in others:
        out.print(sentence)
    if output is not None:
        out.print(f"\nsaved: {output}")


def _reference(text: str) -> dict[str, object]:
    """The reference that an option names: carrier=6,picker=4."""
    from covey.numbers import number_of, whole_of

    found: dict[str, object] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        number = number_of(value) if "." in name else whole_of(value)
        if number is None:
            raise InputError(
                f"--stand-in {text[:80]}: a number of robots for each type is expected, as "
                "carrier=6,picker=4"
            )
        found[name.strip()] = number
    return found


def _answer_front(request: Request, found: Front, picture: str) -> None:
    """What can be had at all, as a table and a picture."""
    from covey.report.json_keys.mechanism import point_keys

    save_picture(found, picture, title=request.scenario.title)
    if request.json:
        print_json({"delta": found.delta, "front": list(map(point_keys, found.points))})
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    out.print(points_table(found.points))
    out.print(f"\nsaved: {picture}")


def _only_for_a_mechanism(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"--{name} is for one mechanism, and --front shows many: leave one of them out"
            )


def read_loss(text: str) -> Loss:
    """A loss by its name, or weights by the names of counts."""
    if "=" not in text:
        return text
    from covey.numbers import number_of

    weights = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        weight = number_of(value)
        if weight is None:
            raise InputError(
                f"--loss {text[:80]}: a number is expected for each count, as driving=1,picking=5"
            )
        weights[name.strip()] = weight
    return weights


def _moments(text: str | None) -> list[Moment] | None:
    if text is None:
        return None
    from covey.numbers import number_of

    found: list[Moment] = []
    for part in text.split(","):
        time: Moment | None = "steady" if part.strip() == "steady" else number_of(part)
        if time is None:
            raise InputError(
                f"--moments {text[:80]}: times with commas are expected, as 1,5,steady"
            )
        found.append(time)
    return found
