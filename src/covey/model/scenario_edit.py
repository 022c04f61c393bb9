"""A scenario file with other numbers: its comments stay, and what changed is marked.

    meet = 0.2            # per minute
    meet = 0.4203684661   # was 0.2; per minute

The new text is read again. Where it does not mean what it should (values given on the command line,
tables written in another way) the scenario is printed anew, without comments.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

from covey.bounded_file import read_text
from covey.errors import CoveyError, InputError
from covey.model.scenario import Scenario
from covey.model.scenario_file import MAX_BYTES, dumps, loads, places_of

_VALUE = re.compile(
    r"(?P<key>[^=]*=\s*)(?P<value>[0-9.eE+_-]+)(?P<space>[ \t]*)(?:#\s*(?P<comment>.*))?"
)


def rewritten(file: str, scenario: Scenario, values: Mapping[str, float | int]) -> str:
    """The text of the file with the values that make it mean the scenario."""
    if file != "-":
        text = edited(read_text(file, "a scenario file", MAX_BYTES).replace("\r\n", "\n"), values)
        if text is not None and _means(text, scenario):
            return text
    return dumps(scenario)


def edited(text: str, values: Mapping[str, float | int]) -> str | None:
    """The text with other numbers; None where one of them does not stand on a line of its own."""
    lines, where = text.split("\n"), places_of(text)
    for name, value in values.items():
        number = where.get(name)
        match = _VALUE.fullmatch(lines[number - 1]) if number is not None else None
        if number is None or match is None:
            return None
        if float(match["value"].replace("_", "")) == value:
            continue
        comment = f"; {match['comment']}" if match["comment"] else ""
        space = match["space"] or "  "
        lines[number - 1] = f"{match['key']}{value!r}{space}# was {match['value']}{comment}"
    return "\n".join(lines)


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """The text with other values, each in its place: nothing else changes, comments stay."""
    changed = edited(text, values)
    if changed is None:
        raise InputError("cannot set")
    return changed


def _means(text: str, scenario: Scenario) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return loads(text) == scenario
    except CoveyError:
        return False
