"""What all verbs share: the scenario file, `--set`, `--fleet`, `--json`, `--quiet`."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from covey.errors import CoveyError, CoveyWarning, InputError

if TYPE_CHECKING:
    from covey.model.scenario import Scenario

P = ParamSpec("P")


@dataclass(frozen=True)
class Request:
    """What the user asked for: the scenario, changed as told, and how to answer."""

    scenario: Scenario
    json: bool
    quiet: bool


def scenario_verb(
    function: Callable[Concatenate[Request, P], None],
) -> Callable[..., None]:
    """Gives a verb the shared arguments, and its function one `Request` in their place."""

    @click.argument("file", type=click.Path())
    @click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help=_SET_HELP)
    @click.option("--fleet", type=click.Path(), metavar="CSV", help=_FLEET_HELP)
    @click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
    @click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings.")
    @wraps(function)
    def verb(
        *args: Any, file: str, changes: tuple[str, ...], fleet: str | None, **rest: Any
    ) -> None:
        as_json, quiet = rest.pop("as_json"), rest.pop("quiet")
        scenario = read_scenario(file, changes, fleet, quiet)
        function(Request(scenario, as_json, quiet), *args, **rest)

    return verb


_SET_HELP = "Change a value of the file, such as types.A=5 or adversary.at=10. May be repeated."
_FLEET_HELP = "Count the robots of a fleet file (columns robot,type) instead of [types]."


def read_scenario(
    file: str, changes: tuple[str, ...] = (), fleet: str | None = None, quiet: bool = False
) -> Scenario:
    """The scenario of a file, with the changes of the command line; says what is worth a look."""
    from covey.model.scenario_file import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        scenario = load(file)
    if fleet is not None:
        scenario = scenario.with_fleet(fleet)
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise InputError("NAME=VALUE is expected, such as types.A=5", file=f"--set {change}")
        try:
            scenario = scenario.with_({name.strip(): _value(value)})
        except CoveyError as error:
            error.line = None
            raise error.at(file=f"--set {change}") from None
    if not quiet:
        for warning in scenario.warnings:
            click.echo(f"covey: warning: {warning}", err=True)
    return scenario


def _value(text: str) -> Any:
    """A TOML value where the text is one (5, 0.2, ["A", "B"]), else the text itself (steady)."""
    try:
        document = tomllib.loads(f"value = {text}")
    except ValueError:
        return text
    return document["value"] if len(document) == 1 else text
