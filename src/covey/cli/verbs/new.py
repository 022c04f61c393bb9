"""`covey new`: a scenario file to start from."""

from __future__ import annotations

import os
import shlex
from importlib.resources import files
from pathlib import Path

import click

from covey.cli.streams import say
from covey.errors import InputError


@click.command(short_help="Write a commented scenario file to start from.")
@click.argument("name")
def new(name: str) -> None:
    """Write NAME.toml: a small team that works, with a comment on every part of the file."""
    if not name.strip():
        raise InputError("the name is empty: covey new fleet writes fleet.toml")
    path = Path(name if name.lower().endswith(".toml") else f"{name}.toml")
    text = files("covey.cli").joinpath("new.toml").read_text(encoding="utf-8")
    begun = False
    try:
        with path.open("x", encoding="utf-8") as stream:
            begun = True
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except FileExistsError:
        raise InputError("exists already; choose another name", file=str(path)) from None
    except (OSError, ValueError) as error:
        if begun:  # a disk that is full leaves a part of it
            path.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be written: {reason}", file=str(path)) from None
    shown = shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
    say(f"written: {path}. Next: covey check {shown}")
