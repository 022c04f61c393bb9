"""`covey new`: a scenario file to start from."""

from __future__ import annotations

import shlex
import sys
from importlib.resources import files
from pathlib import Path

import click

from covey.cli.streams import say
from covey.errors import InputError, shown
from covey.files.atomic_file import write_new


@click.command(short_help="Write a commented scenario file to start from.")
@click.argument("name", required=False)
@click.option("--example", metavar="EXAMPLE", help="Start from this example: --list names them.")
@click.option("--list", "list_them", is_flag=True, help="List the examples and write nothing.")
def new(name: str | None, example: str | None, list_them: bool) -> None:
    """Write NAME.toml: a small team that works, with a comment on every part of the file.

    On a terminal it asks who is there, what they do and what is seen of it, and writes your own
    team; in a script it asks nothing. With --example the file is one of covey's examples, and NAME
    may be left out.

    \b
        covey new fleet
        covey new --list
        covey new --example warehouse
        covey new fleet --example warehouse
    """
    if list_them:
        say(_listed(), lines=True)
        return
    name = example if name is None else name
    if name is None and _asks():
        name = click.prompt("What shall the file be called?", default="fleet")
    if name is None or not name.strip():
        raise InputError(
            "there is no name: covey new fleet writes fleet.toml, covey new --list shows examples"
        )
    path = Path(name if name.lower().endswith(".toml") else f"{name}.toml")
    if path.exists():  # said before anything is asked
        raise InputError("exists already; choose another name", file=str(path))
    text = (_asked(path.stem) if example is None and _asks() else None) or _text(example)
    write_new(path, text)
    argument = shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
    say(f"written: {path}. Next: covey check {argument}")


def _asks() -> bool:
    """Whether somebody is there who can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(title: str) -> str | None:
    from covey.cli.interview import interview, scenario_text

    answers = interview()
    return None if answers is None else scenario_text(answers, title)


def _text(name: str | None) -> str:
    """The text of an example, or of a small team; `InputError` where there is no such example."""
    if name is None:
        return files("covey.cli").joinpath("new.toml").read_text(encoding="utf-8")
    from covey.app.examples import examples

    texts = {one["name"]: one["text"] for one in examples()}
    if name not in texts:
        raise InputError(f"there is no example {shown(name)}; there are {', '.join(texts)}")
    return texts[name]


def _listed() -> str:
    """A line for each example: its name, and its title."""
    from covey.app.examples import examples

    width = max(len(one["name"]) for one in examples())
    return "\n".join(f"{one['name']:{width}}  {one['title']}" for one in examples())
