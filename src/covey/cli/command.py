"""The command and all its verbs.

A verb is loaded when it is asked for, and imports the library only when it runs, so that help and
small answers come at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from covey import __version__
from covey.cli.address_space import check_room

GUIDE = """How much does a team of robots give away when somebody looks at it?

\b
A scenario file says how the robots meet and part, how many of each type
there are, and what can be seen. Start with one:

\b
    covey new fleet          write fleet.toml, with comments
    covey explain fleet.toml the file read back in plain sentences
    covey check fleet.toml   what kind of network is it, what can be computed
    covey draw fleet.toml    a picture of it
    covey leakage fleet.toml what one snapshot gives away
    covey stream fleet.toml --every 1 --for 480
                             what a day of snapshots gives away
    covey protect fleet.toml --epsilon 0.5 --only-this-team -o mechanism.json
                             what to publish instead
    covey design fleet.toml --vary "rates.*=0.1:1" --keep throughput=0.95
                             how to run the team instead
    covey report fleet.toml  a page with the verdict, and what to change
    covey app fleet.toml     all of it in a browser, with sliders

Verbs that take a file also take --json for programs and --set types.A=5 to
try another value without editing it. Every verb has --help.
"""

# In the order in which people need them.
VERBS = (
    "new",
    "explain",
    "check",
    "draw",
    "leakage",
    "stream",
    "certainty",
    "probe",
    "estimate",
    "protect",
    "publish",
    "serve",
    "performance",
    "design",
    "report",
    "app",
    "profile",
    "infer",
    "trace",
    "groups",
    "account",
    "audit",
    "sensitivity",
    "compare",
    "sweep",
    "plot",
    "distribution",
    "first",
    "simulate",
    "fit",
    "export",
    "index",
    "paper",
    "completion",
)


class ReaderGoneError(Exception):
    """Whoever read the answer has seen enough; click would end with exit code 1 at once."""


class _Verbs(click.Group):
    """Has the verbs of the list above."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGoneError from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, which has a file of its own."""
        if cmd_name not in VERBS:
            return None
        verb: click.Command = getattr(import_module(f"covey.cli.verbs.{cmd_name}"), cmd_name)
        return verb


@click.group(cls=_Verbs, help=GUIDE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="covey %(version)s")
@click.pass_context
def covey(context: click.Context) -> None:
    """The group that the verbs hang on."""
    check_room(context.invoked_subcommand)
