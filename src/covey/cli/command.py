"""The command and all its verbs.

Verbs import the library only when they run, so that help and small answers come at once.
"""

from __future__ import annotations

from typing import Any

import click

from covey import __version__
from covey.cli.address_space import check_room
from covey.cli.verbs.account import account
from covey.cli.verbs.app import app
from covey.cli.verbs.audit import audit
from covey.cli.verbs.certainty import certainty
from covey.cli.verbs.check import check
from covey.cli.verbs.compare import compare
from covey.cli.verbs.completion import completion
from covey.cli.verbs.design import design
from covey.cli.verbs.distribution import distribution
from covey.cli.verbs.draw import draw
from covey.cli.verbs.estimate import estimate
from covey.cli.verbs.explain import explain
from covey.cli.verbs.export import export
from covey.cli.verbs.first import first
from covey.cli.verbs.fit import fit
from covey.cli.verbs.groups import groups
from covey.cli.verbs.index import index
from covey.cli.verbs.infer import infer
from covey.cli.verbs.leakage import leakage
from covey.cli.verbs.new import new
from covey.cli.verbs.paper import paper
from covey.cli.verbs.performance import performance
from covey.cli.verbs.plot import plot
from covey.cli.verbs.probe import probe
from covey.cli.verbs.profile import profile
from covey.cli.verbs.protect import protect
from covey.cli.verbs.publish import publish
from covey.cli.verbs.report import report
from covey.cli.verbs.sensitivity import sensitivity
from covey.cli.verbs.serve import serve
from covey.cli.verbs.simulate import simulate
from covey.cli.verbs.stream import stream
from covey.cli.verbs.sweep import sweep
from covey.cli.verbs.trace import trace

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


class ReaderGoneError(Exception):
    """Whoever read the answer has seen enough; click would end with exit code 1 at once."""


class _InOrder(click.Group):
    """Lists the verbs in the order in which people need them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGoneError from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder, help=GUIDE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="covey %(version)s")
@click.pass_context
def covey(context: click.Context) -> None:
    """The group that the verbs hang on."""
    check_room(context.invoked_subcommand)


VERBS = (
    new,
    explain,
    check,
    draw,
    leakage,
    stream,
    certainty,
    probe,
    estimate,
    protect,
    publish,
    serve,
    performance,
    design,
    report,
    app,
    profile,
    infer,
    trace,
    groups,
    account,
    audit,
    sensitivity,
    compare,
    sweep,
    plot,
    distribution,
    first,
    simulate,
    fit,
    export,
    index,
    paper,
    completion,
)
for verb in VERBS:
    covey.add_command(verb)
