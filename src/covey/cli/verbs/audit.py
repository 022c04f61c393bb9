"""`covey audit`: what samples or logs prove to be given away, and whether a model fits a log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, adversary_options, scenario_verb, secret_options
from covey.cli.options.log_options import columns_option, read_columns, unit_option
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.progress import progress_bar
from covey.cli.saving import save_picture
from covey.errors import InputError

if TYPE_CHECKING:
    from covey.model.io.stand_in_file import Reference
    from covey.model.scenario import Scenario

CLASSIFIERS = ("logistic", "transitions", "boosting")  # covey.study.audit.classifiers'
_SAMPLES = {"team": 10_000, "feed": 999}
_FOR_A_SCENARIO = {"changes": "--set or --at", "fleet": "--fleet", "secret": "--against"}
_OF_A_FEED = ("samples", "confidence", "seed", "columns", "unit", "plot")


def _logs_without_scenario(verb: Callable[..., None]) -> Callable[..., None]:
    """Answers what needs no scenario: two logs, or a stand-in's file and its feed."""

    @wraps(verb)
    def chosen(*args: Any, file: str | None, logs: tuple[str, ...], **rest: Any) -> None:
        from covey.model.io.stand_in_file import is_stand_in

        if len(logs) > 2 or (len(logs) == 2 and file is not None):
            raise InputError(
                "--logs is given twice to compare two logs, without a FILE; once after a FILE, to "
                'ask whether it is that log. Several files of one kind: --logs "real/*.csv"'
            )
        if len(logs) < 2 and file is None:
            raise InputError("a scenario file is expected, or --logs REAL --logs OTHER")
        if file is not None and is_stand_in(file):
            if not logs:
                raise InputError("a stand-in is audited by its feed: --logs CSV", file=file)
            _audit_stand_in(file, logs[0], rest)
        elif len(logs) == 2:
            _audit_two_logs(logs, rest)
        else:
            verb(*args, file=file, logs=logs, **rest)

    return chosen


@click.command(short_help="What do simulated missions, or logs, prove to be given away?")
@click.option(
    "--samples",
    type=int,
    metavar="N",
    help="Simulated missions of each team (default: 10000), or feeds of the reference (999).",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="P",
    help="With which all bounds hold together; a test has the level 1 − P.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is drawn.")
@click.option(
    "--logs",
    multiple=True,
    metavar="CSV",
    help="Counts at times, of any program, many runs (a column run, or a pattern for several "
    "files). Twice: how well can the two be told apart? Once, after a FILE: is it that log?",
)
@click.option(
    "--events",
    type=click.Path(),
    metavar="CSV",
    help="A log of events, as fit takes it: does the model fit it, reaction by reaction?",
)
@click.option(
    "--until", metavar="T", help="With --events: how long was watched; default: the last row."
)
@click.option(
    "--block",
    type=float,
    metavar="D",
    help="With two --logs: cut runs into blocks of this length, and leave out every other one.",
)
@click.option(
    "--classifier",
    type=click.Choice(CLASSIFIERS),
    help="With two --logs: what tells them apart; default: the best by cross-validation.",
)
@columns_option
@unit_option
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw it, for logs (.svg, .png).")
@secret_options("against")
@adversary_options("at")
@_logs_without_scenario
@partial(scenario_verb, needs_file=False)
def audit(
    request: Request,
    samples: int | None,
    confidence: float,
    seed: int,
    logs: tuple[str, ...],
    events: str | None,
    until: str | None,
    block: float | None,
    classifier: str | None,
    columns: tuple[str, ...],
    unit: str | None,
    plot: str | None,
) -> None:
    """Prove from below what is given away: by simulation, or by logs without any model.

    With a FILE alone, the team and its neighbours are simulated. Where the scenario asks for the
    steady state, a time stands for it, at which samples cannot be told from those at twice that
    time. The bounds are proved for that time, and not for later.

    \b
        covey audit fleet.toml --samples 20000
        covey audit --logs "real/*.csv" --logs other.csv
        covey audit stand-in.json --logs published.csv
        covey audit fleet.toml --events log.csv --plot residuals.svg
    """
    if block is not None or classifier is not None:
        raise InputError("--block and --classifier are for two --logs, without a FILE")
    if logs and events is not None:
        raise InputError("--logs or --events is expected, not both")
    if events is None and until is not None:
        raise InputError("--until is for --events: it says how long events were watched")
    if logs:
        _audit_feed(
            request, request.scenario, logs[0], samples, confidence, seed, columns, unit, plot
        )
    elif events is not None:
        if samples is not None:
            raise InputError("--samples is for simulated teams: --events simulates none")
        _audit_events(request, events, until, confidence, columns, unit, plot)
    else:
        if columns or unit is not None or plot is not None:
            raise InputError("--columns, --unit and --plot are for --logs and --events")
        _audit_samples(request, samples, confidence, seed)


def _audit_samples(request: Request, samples: int | None, confidence: float, seed: int) -> None:
    from covey.privacy.inference.audit import audit as solve
    from covey.privacy.snapshot.bayes_success import binary_success
    from covey.report.json_keys.audit import audit_keys
    from covey.words import number, percent

    with request.progress() as progress:
        found = solve(
            request.scenario,
            samples=_SAMPLES["team"] if samples is None else samples,
            confidence=confidence,
            seed=seed,
            progress=progress,
        )
    if request.json:
        print_json(audit_keys(found))
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table("neighbour", "leaks at least", "right at least", align="lr")
    for pair in found.pairs:
        right = percent(binary_success(pair.total_variation), "down")
        rows.add_row(str(pair.neighbour), number(pair.lower, "down"), right)
    out.print(rows)


def _audit_two_logs(logs: tuple[str, ...], rest: dict[str, Any]) -> None:
    from covey.cli.log_audits import print_log_audit
    from covey.report.json_keys.audit import log_audit_keys
    from covey.study.audit.log_audit import audit_logs

    _refuse(rest, "samples", "events", "until", *_FOR_A_SCENARIO)
    with progress_bar(rest["quiet"] or rest["as_json"]) as progress:
        found = audit_logs(
            *logs,
            block=rest["block"],
            confidence=rest["confidence"],
            classifier=rest["classifier"],
            columns=read_columns(rest["columns"]),
            unit=rest["unit"],
            seed=rest["seed"],
            progress=progress,
        )
    _answer(found, rest["plot"], rest["as_json"], log_audit_keys, print_log_audit)


def _audit_stand_in(file: str, log: str, rest: dict[str, Any]) -> None:
    from covey.model.io.stand_in_file import open_stand_in

    _refuse(rest, "block", "classifier", "events", "until", *_FOR_A_SCENARIO)
    reference = open_stand_in(file)
    request = Request(reference.scenario, rest["as_json"], rest["quiet"], file)
    _audit_feed(request, reference, log, *(rest[name] for name in _OF_A_FEED))


def _audit_feed(
    request: Request,
    reference: Reference | Scenario,
    log: str,
    samples: int | None,
    confidence: float,
    seed: int,
    columns: tuple[str, ...],
    unit: str | None,
    plot: str | None,
) -> None:
    from covey.cli.log_audits import print_feed_audit
    from covey.report.json_keys.audit import feed_audit_keys
    from covey.study.audit.feed_audit import audit_feed

    with request.progress() as progress:
        found = audit_feed(
            reference,
            log,
            samples=_SAMPLES["feed"] if samples is None else samples,
            confidence=confidence,
            columns=read_columns(columns),
            unit=unit,
            seed=seed,
            progress=progress,
        )
    _answer(found, plot, request.json, feed_audit_keys, print_feed_audit, request.scenario)


def _audit_events(
    request: Request,
    events: str,
    until: str | None,
    confidence: float,
    columns: tuple[str, ...],
    unit: str | None,
    plot: str | None,
) -> None:
    from covey.cli.log_audits import print_residuals
    from covey.report.json_keys.audit import residual_keys
    from covey.study.fit.logs.reading import Reading
    from covey.study.fit.residuals import residuals

    with request.progress() as progress:
        found = residuals(
            request.scenario,
            events,
            reading=Reading(read_columns(columns), unit, request.fleet),
            until=until,
            confidence=confidence,
            progress=progress,
        )
    _answer(found, plot, request.json, residual_keys, print_residuals, request.scenario)


def _answer(
    found: Any, plot: str | None, as_json: bool, keys: Callable[..., Any], say: Any, *more: Any
) -> None:
    """Draws it where that is asked for, and says it."""
    save_picture(found, plot)
    if as_json:
        print_json(keys(found))
    else:
        say(found, *more)


def _refuse(rest: dict[str, Any], *names: str) -> None:
    """Options that say nothing here are not passed over in silence."""
    for name in names:
        if rest[name] not in (None, (), {}):
            option = _FOR_A_SCENARIO.get(name, f"--{name}")
            raise InputError(f"{option} says nothing here: covey audit --help has what does")
