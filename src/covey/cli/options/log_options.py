"""How a log is to be read, for every verb that takes one."""

from __future__ import annotations

import click

from covey.errors import InputError, shown

UNITS = ("second", "minute", "hour", "day")  # covey.model.io.clock's, which help does without

columns_option = click.option(
    "--columns",
    multiple=True,
    metavar="NAME=COLUMN,…",
    help="What columns are called in the log: time=timestamp,robot=agv. May be repeated.",
)
unit_option = click.option(
    "--unit",
    type=click.Choice(UNITS),
    help="What dates and epoch times are counted in; default: the file's [time] unit, or second.",
)


def read_columns(given: tuple[str, ...]) -> dict[str, str]:
    """What --columns says: covey's word for each column, and what it is called."""
    found: dict[str, str] = {}
    for pair in (pair for text in given for pair in text.split(",")):
        word, equals, name = pair.partition("=")
        if not equals or not word.strip() or not name.strip():
            raise InputError(
                f"--columns has {shown(pair)}: NAME=COLUMN is expected, such as time=timestamp"
            )
        found[word.strip()] = name.strip()
    return found
