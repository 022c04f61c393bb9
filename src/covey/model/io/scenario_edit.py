"""A scenario file with other numbers: its comments stay, and what changed is marked.

    meet = 0.2            # per minute
    meet = 0.4203684661   # was 0.2; per minute

A factor or a threshold of [control] is changed where it stands in its rule. Counts that are not
published any more stay as comments, and the mechanism is named under [release].

Values of the command line are put in their places first, as if by hand. So is what changed in
tables that are written in another way, `rates = { meet = 0.2 }`: there it is not marked. The new
text is read again; where it does not mean what it should, the scenario is printed anew, without
comments.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.bounded_file import read_text
from covey.errors import CoveyError
from covey.model.io.scenario_file import (
    MAX_BYTES,
    dumps,
    parse_toml,
    places_of,
    print_key,
    print_text,
    scenario_of,
)
from covey.model.io.value_edit import NUMBER, number_with, rule_with, with_values
from covey.model.query import Query
from covey.model.release_table import ReleaseTable
from covey.model.scenario import Scenario

_TEXT = r"""\"[^\"]*\"|'[^']*'"""


def _line(value: str) -> re.Pattern[str]:
    """A line that gives a key such a value, and may end in a comment."""
    return re.compile(
        rf"(?P<key>[^=]*=\s*)(?P<value>{value})(?P<space>[ \t]*)(?:#\s*(?P<comment>.*))?"
    )


_VALUE = _line(NUMBER)
_MEASURE = _line(_TEXT)
_RULE = _line(rf"{_TEXT}|\{{(?:[^{{}}#\"']|{_TEXT})*\}}")


def rewritten(
    file: str,
    scenario: Scenario,
    values: Mapping[str, float | int],
    folder: Path | None = None,
    given: Mapping[str, Any] | None = None,
) -> str:
    """The text of the file, for a folder, with what makes it mean the scenario.

    `given` are the values that were not those of the file before `values` were found.
    """
    if file != "-":
        text = read_text(file, "a scenario file", MAX_BYTES).replace("\r\n", "\n")
        for with_numbers in (_marked, with_values):
            try:
                changed = with_numbers(with_values(text, given) if given else text, values)
                changed = _with_measures(_with_counts(changed, scenario.query), scenario)
            except CoveyError:
                continue
            changed = _with_mechanism(changed, scenario.release.mechanism)
            if _means(changed, scenario, folder or Path()):
                return changed
    return dumps(scenario)


def _marked(text: str, values: Mapping[str, float | int]) -> str:
    """The text with other numbers: marked where they stand on lines of their own."""
    alone = {name: v for name, v in values.items() if edited(text, {name: v}) is not None}
    inside = {name: v for name, v in values.items() if name not in alone}
    return with_values(edited(text, alone) or text, inside)


def edited(text: str, values: Mapping[str, float | int]) -> str | None:
    """The text with other numbers; None where one of them does not stand on a line of its own."""
    lines, where = text.split("\n"), places_of(text)
    changed: dict[int, tuple[re.Match[str], str]] = {}  # by line, what it was and its new value
    for name, value in values.items():
        table, _, key = name.partition(".")
        rule, _, part = key.partition(".")
        number = where.get(f"control.{rule}" if table == "control" else name)
        form = _RULE if table == "control" else _VALUE
        match = form.fullmatch(lines[number - 1]) if number is not None else None
        if number is None or match is None:
            return None
        now = changed[number][1] if number in changed else match["value"]
        new = rule_with(now, part, value) if table == "control" else number_with(now, value)
        if new is None:
            return None
        if new != now:
            changed[number] = match, new
    for number, (match, new) in changed.items():
        lines[number - 1] = _mark(match, new)
    return "\n".join(lines)


def _mark(match: re.Match[str], new: str) -> str:
    """The line with another value, and what it was."""
    comment = f"; {match['comment']}" if match["comment"] else ""
    return f"{match['key']}{new}{match['space'] or '  '}# was {match['value']}{comment}"


def _with_counts(text: str, query: Query) -> str:
    """The text with these sums under [observe]: others become comments, new ones come last."""
    lines, before = text.split("\n"), parse_toml(text, "").get("observe", {})
    where = [(name, number) for name, number in places_of(text).items()
             if name.startswith("observe.")]  # fmt: skip
    if query.is_identity or any("$" in f"{key}{sum_}" for key, sum_ in before.items()):
        return text
    if not where:  # a table on one line
        other = before.keys() != query.sums.keys()
        return with_values(text, {"observe": query.texts()}) if before and other else text
    for name, number in where:
        if name.removeprefix("observe.") not in query.sums:
            lines[number - 1] = f"# not published: {lines[number - 1]}"
    last = max(number for _, number in where)
    new = {key: sum_ for key, sum_ in query.texts().items() if key not in before}
    lines[last:last] = [f"{print_key(key)} = {print_text(sum_)}" for key, sum_ in new.items()]
    return "\n".join(lines)


def _with_measures(text: str, scenario: Scenario) -> str:
    """The text with the scenario's measures: they name no sums that are not published any more."""
    lines, where = text.split("\n"), places_of(text)
    before = parse_toml(text, "").get("performance", {})
    for name, measure in scenario.performance.items():
        number = where.get(f"performance.{name}")
        match = _MEASURE.fullmatch(lines[number - 1]) if number is not None else None
        if number is not None and match is not None and before[name] != measure.text:
            lines[number - 1] = _mark(match, print_text(measure.text))
    return "\n".join(lines)


def _with_mechanism(text: str, table: ReleaseTable | None) -> str:
    if table is None or not table.file:
        return text
    lines, where = text.rstrip("\n").split("\n"), places_of(text)
    line = f"mechanism = {print_text(table.file)}"
    if "release.mechanism" in where:
        lines[where["release.mechanism"] - 1] = line
    elif "release" in where:
        lines.insert(where["release"], line)
    else:
        lines += ["", "[release]", line]
    return "\n".join(lines) + "\n"


def _means(text: str, scenario: Scenario, folder: Path) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return scenario_of(text, "", folder) == scenario
    except CoveyError:
        return False
