"""The command line: one verb, one file. A verb reads arguments, asks the library, prints.

Verbs import the library only when they run, so that help and small answers come at once.
"""

from __future__ import annotations

import io
import os
import sys

import click

from covey import __version__
from covey.cli.check import check
from covey.cli.completion import completion
from covey.cli.distribution import distribution
from covey.cli.draw import draw
from covey.cli.export import export
from covey.cli.fit import fit
from covey.cli.infer import infer
from covey.cli.leakage import leakage
from covey.cli.new import new
from covey.cli.paper import paper
from covey.cli.plot import plot
from covey.cli.profile import profile
from covey.cli.report import report
from covey.cli.sensitivity import sensitivity
from covey.cli.simulate import simulate
from covey.cli.sweep import sweep
from covey.cli.trace import trace
from covey.errors import CoveyError

GUIDE = """How much does a team of robots give away when somebody looks at it?

\b
A scenario file says how the robots meet and part, how many of each type
there are, and what can be seen. Start with one:
\b
    covey new fleet          write fleet.toml, with comments
    covey check fleet.toml   what kind of network is it, what can be computed
    covey draw fleet.toml    a picture of it
    covey leakage fleet.toml what one glance gives away
    covey report fleet.toml  a page with the verdict, and what to change

Verbs that take a file also take --json for programs and --set types.A=5 to
try another value without editing it. Every verb has --help.
"""


class _InOrder(click.Group):
    """Lists the verbs in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder, help=GUIDE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="covey %(version)s")
def covey() -> None:
    """The group that the verbs hang on."""


VERBS = (
    new,
    check,
    draw,
    leakage,
    report,
    profile,
    infer,
    trace,
    sensitivity,
    sweep,
    plot,
    distribution,
    simulate,
    fit,
    export,
    paper,
    completion,
)
for verb in VERBS:
    covey.add_command(verb)


def main() -> None:
    """Runs the command line; exits with 0 answered, 2 wrong input, 3 too large, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal cannot show becomes a ?
            stream.reconfigure(errors="replace")
    try:
        covey(standalone_mode=False, prog_name="covey")
        if sys.stdout is not None:
            sys.stdout.flush()
    except CoveyError as error:
        _stop(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop("interrupted", 130)
    except BrokenPipeError:
        _drop_output()  # the reader (head, less) has seen enough
        sys.exit(0)
    except OSError as error:
        _drop_output()
        _stop(f"the answer cannot be written: {error.strerror}", 2)


def _stop(message: str, code: int) -> None:
    click.echo(f"covey: {message}", err=True)
    sys.exit(code)


def _drop_output() -> None:
    """Python would complain once more at exit about what it could not write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
