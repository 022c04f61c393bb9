"""What all verbs share: the scenario file, `--set`, `--fleet`, `--json`, `--quiet`."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

import click

from covey.cli.progress import progress_bar
from covey.cli.streams import tell
from covey.dynamics.limits import METHODS
from covey.errors import CoveyError, CoveyWarning, InputError, TooLargeError, shown

if TYPE_CHECKING:
    from covey.dynamics.limits import Limits, MethodName
    from covey.dynamics.validation import Progress
    from covey.model.scenario import Scenario

P = ParamSpec("P")
_MOST_POINTS = 100_000
DELTA = 1e-6  # covey.privacy.headline's, which help and completion do without


@dataclass(frozen=True)
class Request:
    """What the user asked for: the scenario, changed as told, and how to answer."""

    scenario: Scenario
    json: bool
    quiet: bool
    file: str
    fleet: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)  # dotted names, of --set and --fleet
    limits: Limits | None = None  # how to compute, of a `computing_verb`

    def progress(self) -> AbstractContextManager[Progress | None]:
        """What draws a bar while the work goes on, where somebody wants to see one."""
        return progress_bar(self.quiet or self.json)


def scenario_verb(
    function: Callable[Concatenate[Request, P], None], *, needs_file: bool = True
) -> Callable[..., None]:
    """Gives a verb the shared arguments, and its function one `Request` in their place.

    Where the file may be left out, whoever wraps the verb sees to it that it is not called then.
    """

    @click.argument("file", type=click.Path(), required=needs_file)
    @click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help=_SET_HELP)
    @click.option("--fleet", type=click.Path(), metavar="CSV", help=_FLEET_HELP)
    @click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
    @click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings.")
    @wraps(function)
    def verb(
        *args: Any, file: str, changes: tuple[str, ...], fleet: str | None, **rest: Any
    ) -> None:
        as_json, quiet, limits = rest.pop("as_json"), rest.pop("quiet"), rest.pop("limits", None)
        secret = rest.pop("secret", {})
        scenario = _keeping(read_scenario(file, changes, fleet, quiet), secret)
        counted = {} if fleet is None else {"types": dict(scenario.team.types)}
        given = {**counted, **_given(changes)}
        if secret:
            given["secret"] = scenario.secret.table()
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore", CoveyWarning)
            function(Request(scenario, as_json, quiet, file, fleet, given, limits), *args, **rest)

    return verb


def adversary_options(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds `--at T`, `--smoothing V`: short for `--set adversary.at=T` and so on."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def verb(*args: Any, changes: tuple[str, ...] = (), **rest: Any) -> None:
            given = {name: rest.pop(name) for name in names}
            more = [f"adversary.{name}={v}" for name, v in given.items() if v is not None]
            function(*args, changes=(*changes, *more), **rest)

        for name in names:
            verb = click.option(
                f"--{name}", metavar="T" if name == "at" else "V", help=_ADVERSARY_HELP[name]
            )(verb)
        return verb

    return decorate


def follow_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds `--follow` and `--follow-beside`: short for `--set adversary.follow=…`."""

    @click.option(
        "--follow",
        is_flag=True,
        help="Somebody follows one robot and sees what that one does, and nothing else: which type "
        "is it?",
    )
    @click.option("--follow-beside", is_flag=True, help="The same, with the counts seen beside it.")
    @wraps(function)
    def verb(
        *args: Any, follow: bool, follow_beside: bool, changes: tuple[str, ...] = (), **rest: Any
    ) -> None:
        if follow and follow_beside:
            raise InputError("--follow sees one robot alone, --follow-beside the counts as well: "
                             "leave one out")  # fmt: skip
        more = ["adversary.follow=true"] if follow else []
        more += ['adversary.follow="beside"'] if follow_beside else []
        function(*args, changes=(*changes, *more), **rest)

    return verb


def secret_options(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds `--against` and `--teams` as named: another secret than the file's, in `Request`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def verb(*args: Any, **rest: Any) -> None:
            given = {name: rest.pop(name) for name in names}
            secret = {name: value for name, value in given.items() if value}
            function(*args, secret=secret, **rest)

        for name in names:
            verb = _SECRET_OPTIONS[name](verb)
        return verb

    return decorate


_SECRET_OPTIONS = {
    "against": click.option(
        "--against",
        multiple=True,
        metavar="NAME=VALUE",
        help="Compare with the scenario in which this differs, instead of with neighbours, such as "
        "rates.meet=0.1 or types.A=5,types.B=3. May be repeated.",
    ),
    "teams": click.option(
        "--teams",
        metavar="RANGES",
        help="The worst over a public set of teams, such as A=5:7,B=3:5.",
    ),
}


def _keeping(scenario: Scenario, secret: Mapping[str, Any]) -> Scenario:
    """The scenario with the secret that the command line gives; an error names the option."""
    for name, value in secret.items():
        texts = (value,) if name == "teams" else value
        try:
            given = value
            if name == "against":
                given = [_given(_NEXT.split(text), "--against") for text in texts]
            scenario = scenario.keeping(**{name: given})
        except CoveyError as error:
            error.line = None
            raise error.at(file=" ".join(f"--{name} {text}" for text in texts)) from None
    return scenario


_NEXT = re.compile(r",\s*(?=[a-z]+\.[^=,]+=)")  # what separates NAME=VALUE from the next one


def computing_verb(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A scenario verb that computes distributions, with `--at` or `--smoothing` as named."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        return _computing_options(adversary_options(*names)(scenario_verb(function)))

    return decorate


_ADVERSARY_HELP = {
    "at": "When to look: a time, or steady.",
    "smoothing": "The paper's ν, added to every probability; 0 is exact.",
}


def _computing_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds how probabilities are to be computed; they become `Request.limits`."""

    @click.option(
        "--method",
        type=click.Choice(METHODS),
        help="How to compute it; the best one is chosen by default.",
    )
    @click.option(
        "--max-states",
        type=int,
        metavar="N",
        help="Refuse more states than this; default: what fits in free memory.",
    )
    @click.option(
        "--tolerance",
        type=float,
        metavar="P",
        help="The probability that may be left out where not every state can be followed; default: "
        "1e-9 by a projection or a window, 1e-12 by the closed form.",
    )
    @wraps(function)
    def verb(
        *args: Any, method: str | None, max_states: int | None, tolerance: float | None, **rest: Any
    ) -> None:
        from covey.dynamics.limits import Limits

        limits = Limits(cast("MethodName | None", method), max_states, tolerance)
        try:
            function(*args, limits=limits, **rest)
        except TooLargeError as error:
            options = [f"--{name.replace('_', '-')}" for name in error.larger]
            if options:
                error.message += f". Or allow more by {' or '.join(options)}"
                error.larger = ()
            raise

    return verb


def check_points(points: int, least: int) -> None:
    """Refuses --points that are too few, or too many to be kept."""
    if not least <= points <= _MOST_POINTS:
        raise InputError(f"--points is {shown(points)}: {least} to {_MOST_POINTS:,} are expected")


workers_option = click.option(
    "--workers", type=int, metavar="N", help="Processes; default: one on each core."
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786."
)


def delta_option(function: Callable[..., None]) -> Callable[..., None]:
    """Adds `--delta`, at which ε is given."""
    return click.option(
        "--delta",
        type=float,
        default=DELTA,
        show_default=True,
        metavar="D",
        callback=_check_delta,
        help="Give ε at this δ: no event is more than e^ε times as likely for one team as for the "
        "other, plus δ.",
    )(function)


def _check_delta(context: click.Context, option: click.Parameter, value: float) -> float:
    if not 0 <= value <= 1:
        raise InputError(f"--delta is {value:g}: a number from 0 to 1 is expected")
    return value


_SET_HELP = "Change a value of the file, such as types.A=5 or adversary.at=10. May be repeated."
_FLEET_HELP = "Count the robots of a fleet file (columns robot,type) instead of [types]."


def read_scenario(
    file: str, changes: tuple[str, ...] = (), fleet: str | None = None, quiet: bool = False
) -> Scenario:
    """The scenario of a file, with the changes of the command line; says what is worth a look."""
    from covey.model.io.scenario_file import load

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", CoveyWarning)
        scenario = load(file)
    own = set(map(str, scenario.cautions))  # of the file as it is; what was changed has its own
    found = [said.message for said in heard if isinstance(said.message, CoveyWarning)]
    of_files = [str(said) for said in found if str(said) not in own]
    if fleet is not None:
        scenario = scenario.with_fleet(fleet)
    scenario = _changed(scenario, changes)
    if not quiet:
        for caution in [*of_files, *scenario.cautions]:
            tell(f"covey: warning: {caution}")
    return scenario


def _changed(scenario: Scenario, changes: tuple[str, ...]) -> Scenario:
    """The scenario with all changes made at once; an error names the one that it is about."""
    values = _given(changes)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoveyWarning)
            return scenario.with_(values) if values else scenario
    except CoveyError as error:
        guilty = [c for c in changes if error.key and c.partition("=")[0].strip() == error.key]
        error.line = None
        raise error.at(file=" ".join(f"--set {c}" for c in guilty or changes)) from None


def _given(changes: Iterable[str], option: str = "--set") -> dict[str, Any]:
    """What --set says, or another option, by dotted names."""
    values = {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise InputError("NAME=VALUE is expected, such as types.A=5", file=f"{option} {change}")
        values[name.strip()] = _value(value)
    return values


def _value(text: str) -> Any:
    """A TOML value where the text is one (5, 0.2, ["A", "B"]), else the text itself (steady)."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return document["value"] if len(document) == 1 else text
