"""`--columns`: what the columns of a log are called."""

from __future__ import annotations

from covey.errors import InputError, shown


def read_columns(given: tuple[str, ...]) -> dict[str, str]:
    """By covey's words for them.

    Args:
        given: As `time=timestamp,robot=agv`, any number of times.
    """
    found: dict[str, str] = {}
    for pair in (pair for text in given for pair in text.split(",")):
        word, equals, name = pair.partition("=")
        if not equals or not word.strip() or not name.strip():
            raise InputError(
                f"--columns has {shown(pair)}: NAME=COLUMN is expected, such as time=timestamp"
            )
        found[word.strip()] = name.strip()
    return found
