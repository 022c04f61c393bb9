"""How answers are printed: tables for people, one JSON object for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from covey.escaping import escape
from covey.report.json_keys.text import json_text
from covey.words import when

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from covey.model.scenario import Scenario

_PLAIN_WIDTH = 100
_NO_LIMIT = 10_000
_COLOURS = {"Low": "green", "Moderate": "yellow", "High": "red"}


def print_json(answer: Mapping[str, Any]) -> None:
    """One JSON object on standard output; infinite numbers as the text "inf"."""
    text = json_text(answer)
    if not text.isprintable():  # JSON may leave as they are some that a terminal acts upon
        text = "".join(c if escape(c) == c else json.dumps(c)[1:-1] for c in text)
    click.echo(text)


def console(*, stderr: bool = False) -> Console:
    """Where people read: colours and the window's width on a terminal, plain text in a pipe.

    Every text that it prints, in a table or by itself, can only be seen. Line breaks at its ends
    are the layout's; those within it are data.
    """
    from rich.console import Console

    class Printer(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the reader has seen enough: `run` ends quietly

        def render_str(self, text: str, **options: Any) -> Text:
            body = text.strip("\n")
            text = text.replace(body, escape(body)) if body else text
            return super().render_str(text, **options)

    width = None if (sys.stderr if stderr else sys.stdout).isatty() else _PLAIN_WIDTH
    return Printer(
        width=width, stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False
    )


def begin_answer(scenario: Scenario, sentence: str = "") -> Console:
    """Prints which team is looked at and when, and the answer in bold; the rest is the verb's."""
    out = console()
    print_title(out, scenario)
    team = str(scenario.team) or "no robots of any type"
    out.print(f"team: {team}, seen {when(scenario.adversary.at, scenario.unit)}\n")
    if scenario.release.stand_in is not None:
        for said in scenario.release.stand_in.sentences:
            out.print(said)
        out.print()
    if sentence:
        print_verdict(out, sentence)
    return out


def print_verdict(out: Console, text: str) -> None:
    """A verdict in bold; its first word, which says how bad it is, in the colour of that."""
    from rich.text import Text

    word = re.match(r"(Low|Moderate|High)\b", text)
    line = Text(escape(text), style="bold")
    if word is not None:
        line.stylize(_COLOURS[word[1]], 0, word.end())
    out.print(line)


def print_title(out: Console, scenario: Scenario) -> None:
    """The title, where there is one."""
    if scenario.title:
        out.print(scenario.title, style="bold")


def table(*columns: str, align: str = "lrl") -> Table:
    """A table without a frame, its columns set left (l) or right (r); the rest as the last one."""
    from rich import box
    from rich.table import Table

    made = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    made.columns[0].no_wrap = True
    for column, side in zip(made.columns, align + align[-1] * len(columns), strict=False):
        column.justify = "right" if side == "r" else "left"
    return made


def print_table(out: Console, rows: Table) -> None:
    """A table; where it goes into a pipe or a file it is as wide as its columns need."""
    window = out.width
    if not sys.stdout.isatty():
        out.width = max(window, width_of(out, rows))
    out.print(rows)
    out.width = window


def width_of(out: Console, rows: Table) -> int:
    """How wide a table is where nothing of it is cut."""
    return out.measure(rows, options=out.options.update(width=_NO_LIMIT)).maximum
