"""Standard output and standard error, in whatever state they were handed over.

A stream that was closed (`>&-`) is missing in Python, and the next file that is opened would take
its number: what a library prints would end up in that file. So the numbers are taken first. Writing
to a closed standard output then fails as it does on a full disk; what would go to a closed standard
error is lost, as it was asked for.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

import click

from covey.escaping import escape


def mend_streams() -> None:
    """Makes both streams usable: never missing, and what they cannot show becomes a ?."""
    _occupy(0, os.O_RDONLY)
    _occupy(1, os.O_RDONLY)  # not for writing: an answer that nobody gets is an error
    _occupy(2, os.O_WRONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _occupy(descriptor: int, access: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        null = os.open(os.devnull, access)
        if null != descriptor:
            os.dup2(null, descriptor)
            os.close(null)
        os.set_inheritable(descriptor, True)  # workers have streams, too


def drop(stream: TextIO) -> None:
    """Lets go of what could not be written: Python would complain about it once more at exit."""
    with suppress(OSError):  # there may be too many files open already
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def say(text: str, *, lines: bool = False) -> None:
    """A line on standard output, or several."""
    click.echo(escape(text, lines=lines))


def tell(text: str, *, lines: bool = False) -> None:
    """A line on standard error, or several; lost where nobody can read it."""
    try:
        click.echo(escape(text, lines=lines), err=True)
    except OSError:
        drop(sys.stderr)
