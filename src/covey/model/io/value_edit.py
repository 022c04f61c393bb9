"""Values set in the text of a scenario, as if by hand: each in its place, all else stays.

    meet = 0.2            # per minute
    meet = 0.4            # per minute

Whether a line is a key with its value, where that value ends and a comment begins, and what all of
it means is asked of `tomllib`. The new text is read again: where it does not mean what it should
(tables in a form that lines do not show), the scenario is printed anew, without comments.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from covey.errors import CoveyWarning, InputError, shown
from covey.model.io.scenario_file import dumps, parse_toml, places_of, print_key, print_value
from covey.model.scenario import Scenario

NUMBER = r"[0-9.eE+_-]+"
_HEAD = re.compile(r"""\s*("[^"]*"|'[^']*'|[^=\s]+)\s*=\s*""")
_LONGEST = 2_000  # lines of one value


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """The text with other values by their dotted names, which are written as if by hand.

    A key that is not there comes to the end of its table, a table to the end of the text. None
    takes a key away, and with the last one the table. A table with its values replaces it.
    """
    document = parse_toml(text, "the text")
    single = dict(_single(document, values))
    wanted = _changed(document, single)
    changed = _edited(text, single)
    try:
        if tomllib.loads(changed) == wanted:
            return changed
    except ValueError:  # tables in a form that lines do not show
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        return dumps(Scenario.from_document(wanted))


def _single(document: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Each value by itself, of a table also those that go."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        table, _, key = name.partition(".")
        rule, _, part = key.partition(".")
        if table == "control" and part:  # a number inside a rule
            found[f"control.{rule}"] = _rule(document, found, rule, part, value)
            continue
        if not isinstance(value, Mapping) or key:
            found[name] = value
            continue
        now = document.get(name)
        gone = [key for key in now if key not in value] if isinstance(now, Mapping) else []
        found |= {f"{name}.{key}": item for key, item in value.items()}
        found |= {f"{name}.{key}": None for key in gone}
    return found


def _rule(
    document: Mapping[str, Any], found: Mapping[str, Any], rule: str, part: str, value: Any
) -> Any:
    """A rule of [control] with another factor or threshold."""
    name = f"control.{rule}"
    now = found.get(name, (document.get("control") or {}).get(rule))
    new = None if now is None else rule_with(print_value(now), part, value)
    if new is None:
        raise InputError(f"{name} has no {part} that could be set", key=name)
    return tomllib.loads(f"x = {new}")["x"]


def number_with(text: str, value: float | int) -> str:
    """A number as it is written, or another one in its place."""
    return text if float(text.replace("_", "")) == value else repr(value)


def rule_with(text: str, part: str, value: float | int) -> str | None:
    """A rule with another factor or threshold; None where it does not stand there as a number."""
    kind, _, place = part.partition(".")
    if kind == "factors":
        match = re.fullmatch(r"(.*\bfactors\s*=\s*\[)([^\[\]]*)(\].*)", text, re.DOTALL)
        items = match[2].split(",") if match else []
        if match is None or int(place) >= len(items):
            return None
        found, at = items[int(place)], int(place)
        items[at] = found.replace(found.strip(), number_with(found.strip(), value))
        return f"{match[1]}{','.join(items)}{match[3]}"
    ends = r"(.\s*)(\S+)(\s+if\s.*)" if kind == "factor" else rf"(.*[<>=]\s*)({NUMBER})(\s*.)"
    match = re.fullmatch(ends, text, re.DOTALL)
    return f"{match[1]}{number_with(match[2], value)}{match[3]}" if match else None


def _changed(document: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the values."""
    wanted: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in document.items()}
    for name, value in values.items():
        table, dot, key = name.partition(".")
        inside = wanted.setdefault(table, {}) if dot else wanted
        if not isinstance(inside, dict):
            raise InputError(
                f"{table} is {shown(inside)}: a table [{table}] is expected", key=table
            )
        if value is None:
            inside.pop(key or table, None)
        else:
            inside[key or table] = value
    return {name: value for name, value in wanted.items() if value != {}}


def _edited(text: str, values: Mapping[str, Any]) -> str:
    """The text with other values, as well as its lines allow it."""
    for given, new_value in values.items():
        name, value = given, new_value
        lines, places = text.split("\n"), places_of(text)
        table, _, key = name.partition(".")
        if name not in places and (inside := _inline(table, lines, places)) is not None:
            inside.pop(key, None) if value is None else inside.update({key: value})
            name, key, value = table, "", inside or None
        at = places.get(name)
        pair = None if at is None else _pair(lines, at - 1)
        if at is not None and pair is not None:
            new = [] if value is None else [pair.line(value)]
            lines[at - 1 : at - 1 + pair.lines] = new
            if (
                not any(other.startswith(f"{table}.") for other in places.keys() - {name})
                and not new
            ):
                del lines[places[table] - 1 : places[table]]  # of a table that is empty now
        elif value is not None:
            new = [f"{print_key(key or table)} = {print_value(value)}"]
            place = _end_of(table, lines, places) if key else 0
            if place is None:
                place, new = len(lines), ["", f"[{table}]", *new, ""]
                while place and not lines[place - 1].strip():
                    place -= 1
                del lines[place:]
            lines[place:place] = new
        text = "\n".join(lines)
    return text


class _Pair(NamedTuple):
    """A key with its value."""

    head: str  # up to the value
    value: str
    rest: str  # after it
    lines: int

    def line(self, value: Any) -> str:
        """The same with another value."""
        new, old = print_value(value), self.value
        if tomllib.loads(f"x = {old}")["x"] == value:
            return f"{self.head}{old}{self.rest}"
        comment = self.rest.lstrip()
        if not comment:
            return f"{self.head}{new}"
        space = len(self.rest) - len(self.rest.lstrip())
        if self.lines == 1:  # its comment stays in its column
            space = max(len(old) + space - len(new), 2)
        return f"{self.head}{new}{' ' * space}{comment}"


def _pair(lines: list[str], first: int) -> _Pair | None:
    """The key that begins on a line; None where there is none."""
    head = _HEAD.match(lines[first])
    if head is None:
        return None
    for last in range(first + 1, min(len(lines), first + _LONGEST) + 1):
        block = "\n".join(lines[first:last])
        if not _is_toml(block):
            continue
        hashes = [i for i, letter in enumerate(block) if letter == "#" and i >= head.end()]
        end = next((i for i in hashes if _is_toml(block[:i])), len(block))
        value = block[head.end() : end].rstrip()
        return _Pair(head[0], value, block[head.end() + len(value) :], last - first)
    return None


def _inline(table: str, lines: list[str], places: Mapping[str, int]) -> dict[str, Any] | None:
    """The values of a table that is written on one line, as `rates = { meet = 1.0 }`."""
    pair = _pair(lines, places[table] - 1) if table in places else None
    found = None if pair is None else tomllib.loads(f"x = {pair.value}")["x"]
    return found if isinstance(found, dict) else None


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _end_of(table: str, lines: list[str], places: Mapping[str, int]) -> int | None:
    """Where a new key of a table goes: after its last one; None where there is no such table."""
    if table not in places:
        return None
    header = places[table] - 1
    end = header + 1
    for name, number in places.items():
        if name.startswith(f"{table}.") and number > header:
            pair = _pair(lines, number - 1)
            end = max(end, number - 1 + (pair.lines if pair else 1))
    return end
