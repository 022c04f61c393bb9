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
    covey check fleet.toml   what kind of network is it, what can be computed
    covey leakage fleet.toml what one snapshot gives away
    covey stream fleet.toml --every 1 --for 480
                             what a day of snapshots gives away
    covey protect fleet.toml --stand-in scout=5,carrier=3 -o stand-in.json
                             a reference team to publish, which gives away nothing
    covey report fleet.toml  a page with the verdict, and what to change

Verbs that take a file also take --json for programs and --set types.A=5 to
try another value without editing it. Every verb has --help.
"""

# By what they are for, in the order in which people need them; docs/command-line.md has the same.
GROUPS = {
    "To begin": ("new", "explain", "check", "draw", "app"),
    "To ask what is given away": (
        *("leakage", "stream", "profile", "certainty", "probe"),
        *("estimate", "infer", "groups", "account", "audit"),
    ),
    "To publish something else": ("protect", "publish", "serve"),
    "To run the team differently": ("sensitivity", "design", "performance"),
    "To try many values": ("trace", "compare", "sweep", "plot"),
    "To tell others": ("report", "export"),
    "To look at the team itself": ("distribution", "first", "simulate", "fit"),
    "To reproduce the paper": ("paper", "index"),
    "To set up the terminal": ("completion",),
}
VERBS = tuple(verb for verbs in GROUPS.values() for verb in verbs)


class ReaderGoneError(Exception):
    """Whoever read the answer has seen enough; click would end with exit code 1 at once."""


class _Verbs(click.Group):
    """Has the verbs of the groups above."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGoneError from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all verbs."""
        return list(VERBS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section for each group."""
        width = max(map(len, VERBS))
        room = formatter.width - 6 - width
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                rows = ((verb, self.get_command(ctx, verb)) for verb in verbs)
                formatter.write_dl(
                    [(v.ljust(width), c.get_short_help_str(room)) for v, c in rows if c]
                )

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
