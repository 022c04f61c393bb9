"""`covey protect`: what to publish instead of what is there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import Request, computing_verb
from covey.cli.printing import begin_answer, print_json
from covey.cli.verbs.stream import read_target, refuse_with_target
from covey.cli.ways import points_table, tried_table
from covey.errors import CoveyError, InputError

if TYPE_CHECKING:
    from covey.dynamics.validation import Progress
    from covey.model.adversary import Moment
    from covey.remedy.mechanism.front import Front
    from covey.remedy.mechanism.losses import Loss
    from covey.remedy.mechanism.mechanism import Mechanism
    from covey.remedy.mechanism.protect_stream import StreamMechanism
    from covey.remedy.mechanism.whole_stream import WholeStream


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
@click.option(
    "--teams",
    metavar="TYPE=A:B,…",
    help="Protect every team with so many robots, as carrier=5:7,picker=3:5.",
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
@computing_verb("at")
def protect(
    request: Request,
    /,
    epsilon: float | None,
    delta: float,
    loss: str,
    teams: str | None,
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
    """Find what to publish instead of what is there: the table that costs least.

    Through it, one snapshot gives away at most E about any robot's type, for this team and these
    rates, to whoever knows the table. It is a linear program; what it finds is evaluated before it
    is handed out. It is for one snapshot: `covey stream` says what many give away through it. With
    --target, how often to publish, through which table and with what memory is found by what all of
    them together give away. --front shows what can be had at all, at which price.

    A table in front of a stream is averaged out. With --stand-in, a public reference team that
    moves along with the real one is published instead: nothing is given away, however long one
    watches.

    \b
        covey protect fleet.toml --stand-in carrier=6,picker=4 -o stand-in.json
        covey protect fleet.toml --stand-in best --teams carrier=5:7,picker=3:5
        covey publish stand-in.json --every 1 < events.csv
        covey protect fleet.toml --epsilon 0.5 -o mechanism.json
        covey publish mechanism.json free=4,busy=2
        covey protect fleet.toml --front front.svg
        covey protect fleet.toml --every 1 --for 480 --target guess=0.6 -o mechanism.json
    """
    from covey.atomic_file import check_writable
    from covey.privacy.headline import DELTA
    from covey.remedy.mechanism.baselines import compared
    from covey.remedy.mechanism.front import front as solve_front
    from covey.remedy.mechanism.protect import protect as solve
    from covey.remedy.mechanism.protect_stream import protect_stream
    from covey.report.keys.mechanism import mechanism_keys

    for file, endings in ((output, (".json",)), (front, (".png", ".svg", ".pdf"))):
        if file is not None:
            check_writable(file, endings)
    if reference is not None:
        refuse_with_stand_in(
            epsilon=epsilon, delta=delta, moments=moments, target=target, front=front
        )
        _answer_stand_in(request, (reference, teams), read_loss(loss), truth, span, output)
        return
    if target is not None:
        refuse_with_target(epsilon=epsilon, delta=delta, teams=teams, moments=moments)
        with request.progress() as progress:
            kept = protect_stream(
                request.scenario, every, span, guess=read_target(target), loss=read_loss(loss),
                limits=request.limits, progress=progress,
            )  # fmt: skip
        _answer_stream(request, kept, output, front)
        return
    asked: dict[str, Any] = {"loss": read_loss(loss), "limits": request.limits}
    asked |= {"teams": _teams(teams), "at": _moments(moments)}
    if front is not None:
        _only_for_a_mechanism(epsilon=epsilon, output=output)
        with request.progress() as progress:
            along = solve_front(request.scenario, delta=delta, **asked, progress=progress)
        _answer_front(request, along, front)
        return
    if epsilon is None:
        raise InputError(
            "--epsilon E is needed, as 0.5; or --target guess=0.6 for a stream, or --front PICTURE "
            "for all that can be had"
        )
    began = time.perf_counter()
    with request.progress() as progress:
        found = solve(request.scenario, epsilon, delta, **asked, progress=progress)
        at = delta or DELTA
        others = compared(found.distributions, epsilon, asked["loss"], at) if compare else []
        whole, why = _whole(request, found, progress)
    if output is not None:
        found.save(output)
    if request.json:
        more = {} if whole is None else {"stream_guess": whole.bayes_success}
        print_json(mechanism_keys(found, others) | more | {"seconds": time.perf_counter() - began})
        return
    out = begin_answer(request.scenario, str(found))
    if whole is not None:
        out.print(f"That is for one snapshot. {whole}", style="bold")
    elif why:
        said = "That is for one snapshot; what all that [release] publishes gives away is not known"
        out.print(f"{said}: {why}.")
    if others:
        out.print()
        out.print(points_table([found.as_point(at), *others]))
    if output is not None:
        out.print(f"\nsaved: {output}")


def _whole(
    request: Request, found: Mechanism, progress: Progress | None
) -> tuple[WholeStream | None, str]:
    """What all that [release] publishes gives away through the table, or why that is not known."""
    from covey.dynamics.solver import Solver
    from covey.remedy.mechanism.whole_stream import whole_stream
    from covey.study.assessment import QUICK_STREAM

    scenario = request.scenario
    if not scenario.release.is_stream:
        return None, ""
    solver = Solver(scenario.network, request.limits)
    try:
        given = whole_stream(solver, scenario, found.release, quick=QUICK_STREAM, progress=progress)
    except CoveyError as error:
        return None, error.message
    return given, ""


def _answer_stream(
    request: Request, found: StreamMechanism, output: str | None, front: str | None
) -> None:
    from covey.report.keys.mechanism import mechanism_keys

    if output is not None:
        found.mechanism.save(output)
    if front is not None:
        _draw(found, request, front)
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
        }
        print_json(mechanism_keys(found.mechanism, []) | {"loss": found.loss} | more)
        return
    out = begin_answer(request.scenario, str(found))
    if front is not None:
        out.print()
        out.print(tried_table(found))
    if output is not None:
        out.print(f"\nsaved: {output}")


def refuse_with_stand_in(**given: object) -> None:
    """Refuses what is for tables, beside --stand-in."""
    for name, value in given.items():
        if value:
            raise InputError(f"--{name} is for a table, and --stand-in needs none: leave one out")


def _answer_stand_in(
    request: Request, asked: tuple[str, str | None], loss: Loss, truth: float,
    span: float | None, output: str | None,
) -> None:  # fmt: skip
    from covey.remedy.stand_in.best import BEST
    from covey.remedy.stand_in.stand_in import stand_in
    from covey.report.keys.mechanism import stand_in_keys

    reference, teams = asked
    if teams is not None and reference not in BEST:
        refuse_with_stand_in(teams=teams)
    with request.progress() as progress:
        found = stand_in(
            request.scenario.keeping(teams=teams),
            reference if reference in BEST else _reference(reference),
            loss=loss, truth=truth, until=span, limits=request.limits, progress=progress,
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
    found: dict[str, object] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value) if "." in name else int(value)
        except ValueError:
            raise InputError(
                f"--stand-in {text}: a number of robots for each type is expected, as "
                "carrier=6,picker=4"
            ) from None
    return found


def _answer_front(request: Request, found: Front, picture: str) -> None:
    """What can be had at all, as a table and a picture."""
    from covey.report.keys.mechanism import point_keys

    _draw(found, request, picture)
    if request.json:
        print_json({"delta": found.delta, "front": list(map(point_keys, found.points))})
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    out.print(points_table(found.points))
    out.print(f"\nsaved: {picture}")


def _draw(found: Front | StreamMechanism, request: Request, picture: str) -> None:
    from covey.report.figure_file import save_figure

    save_figure(found.plot(title=request.scenario.title), picture)


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
    weights = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            weights[name.strip()] = float(value)
        except ValueError:
            raise InputError(
                f"--loss {text}: a number is expected for each count, as driving=1,picking=5"
            ) from None
    return weights


def _teams(text: str | None) -> dict[str, range] | None:
    if text is None:
        return None
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        low, colon, high = value.partition(":")
        try:
            found[name.strip()] = range(int(low), int(high if colon else low) + 1)
        except ValueError:
            raise InputError(
                f"--teams {text}: counts are expected, as carrier=5:7,picker=3:5"
            ) from None
    return found


def _moments(text: str | None) -> list[Moment] | None:
    if text is None:
        return None
    try:
        return ["steady" if part.strip() == "steady" else float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--moments {text}: times with commas are expected, as 1,5,steady"
        ) from None
