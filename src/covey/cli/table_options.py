"""What `covey protect` asks of a table for a set of teams: its options as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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

    @property
    def tables(self) -> Tables:
        """How the tables are made."""
        from covey.remedy.mechanism.protect import Tables

        return Tables(blind=self.blind, weigh=self.weigh)  # type: ignore[arg-type]

    def check_stream(self) -> None:
        """Refuses a stream's table without the word that it names the team."""
        if not self.only_this_team:
            raise InputError(
                "--target finds a table for this team alone, which names the team to whoever sees "
                "it: add --only-this-team and keep the file as secret as the team is, or publish a "
                "stand-in (--stand-in), whose file may be public"
            )


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
    @wraps(function)
    def verb(*args: Any, only_this_team: bool, blind: bool, weigh: str, **rest: Any) -> None:
        function(*args, asked=TableAsked(only_this_team, blind, weigh), **rest)

    return verb
