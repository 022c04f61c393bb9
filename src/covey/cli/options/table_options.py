"""What `covey protect` asks of a table for a set of teams: its options as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from covey.errors import InputError

if TYPE_CHECKING:
    from covey.model.scenario import Scenario
    from covey.remedy.mechanism.protect import Tables


@dataclass(frozen=True)
class TableAsked:
    """The options, as they were given."""

    only_this_team: bool
    blind: bool
    weigh: str
    within: str | None
    fit: str | None

    @property
    def given(self) -> dict[str, object]:
        """Those that were given, by their names."""
        return {**vars(self), "weigh": self.weigh != "worst"}

    def teams(self, scenario: Scenario) -> str | None:
        """Which teams `protect` is asked for; None for the set of the scenario."""
        if not self.only_this_team:
            return None
        if scenario.secret.teams is not None or self.blind or self.weigh != "worst":
            raise InputError(
                "--only-this-team leaves the set of teams out: do not give --teams "
                "([secret.teams]), --blind or --weigh with it"
            )
        return "this"

    def tables(self, scenario: Scenario) -> Tables:
        """How the tables are made."""
        from covey.remedy.mechanism.protect import Tables

        if self.within is not None and self.fit is not None:
            raise InputError("--within and --fit both say which rates are meant: leave one out")
        within = None if self.within is None else _share(self.within)
        box = within if self.fit is None else self.intervals(scenario)
        return Tables(blind=self.blind, weigh=self.weigh, within=box)  # type: ignore[arg-type]

    def intervals(self, scenario: Scenario) -> dict[str, tuple[float, float]] | None:
        """The interval of each rate that a fit leaves open; None where no fit was given."""
        from covey.study.fit.fit_file import open_fit

        if self.fit is None:
            return None
        return {name: rate.interval for name, rate in open_fit(self.fit, scenario).rates.items()}

    def check_stream(self, scenario: Scenario) -> None:
        """Refuses a stream's table without the word that it names the team, and for a set."""
        self.teams(scenario)
        if not self.only_this_team:
            raise InputError(
                "--target finds a table for this team alone, which names the team to whoever sees "
                "it: add --only-this-team and keep the file as secret as the team is, or publish a "
                "stand-in (--stand-in), whose file may be public"
            )


def _share(text: str) -> float:
    from covey.numbers import number_of

    found = number_of(text.removesuffix("%"))
    if found is None:
        raise InputError(f"--within {text[:40]}: a share is expected, as 5% or 0.05")
    return found / 100 if text.endswith("%") else found


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands them over as `asked`."""

    @click.option(
        "--only-this-team",
        is_flag=True,
        help="Make a table for this team alone. It names the team: the file must stay as secret as "
        "the team is.",
    )
    @click.option(
        "--blind",
        is_flag=True,
        help="One table for all teams of the set, for a publisher that does not know its team; it "
        "costs more than one a team.",
    )
    @click.option(
        "--weigh",
        type=click.Choice(["worst", "mean"]),
        default="worst",
        show_default=True,
        help="The loss that is made least: of the worst team of the set, or their mean.",
    )
    @click.option(
        "--within",
        metavar="SHARE",
        help="Promise it for every rate that is off by at most this share, such as 5%, by proved "
        "bounds.",
    )
    @click.option(
        "--fit",
        type=click.Path(),
        metavar="FIT",
        help="Promise it for every rate in the intervals of a fit (covey fit --save); of a "
        "stand-in: say what can be learnt at most over them.",
    )
    @wraps(function)
    def verb(*args: Any, **given: Any) -> None:
        asked = {one.name: given.pop(one.name) for one in fields(TableAsked)}
        function(*args, asked=TableAsked(**asked), **given)

    return verb
