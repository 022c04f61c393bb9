"""Values set in the text of a scenario, as if by hand: each in its place, all else stays.

    meet = 0.2            # per minute
    meet = 0.4            # per minute
    meet = 0.4            # was 0.2; per minute          where changes are marked

tomlkit keeps comments, spaces and the form that tables are written in. The new text is read again:
where it does not mean what it should, the scenario is printed anew, without comments.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping, MutableMapping
from copy import deepcopy
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Item, Table

from covey.errors import CoveyWarning, InputError, shown
from covey.model.io.scenario_file import dumps, parse_toml
from covey.model.io.toml_writer import toml_item
from covey.model.scenario import Scenario

_PARTS = {"factor": r"(\s*)(\S+)(\s+if\s.*)", "threshold": r"(.*[<>=]\s*)([0-9.eE+_-]+)(\s*)"}


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """The text with other values by their dotted names, which are written as if by hand.

    A key that is not there comes to the end of its table, a table to the end of the text. None
    takes a key away, and with the last one the table. A table with its values replaces it.
    """
    document = parsed(text)
    put_all(document, values)
    changed, wanted = tomlkit.dumps(document), document.unwrap()
    try:
        if tomllib.loads(changed) == wanted:
            return changed
    except ValueError:
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        return dumps(Scenario.from_document(wanted))


def parsed(text: str) -> tomlkit.TOMLDocument:
    """The text as values with their places, comments and spaces."""
    parse_toml(text, "the text")  # whose mistakes are said with their lines
    return tomlkit.parse(text)


def put_all(document: tomlkit.TOMLDocument, values: Mapping[str, Any], mark: bool = False) -> None:
    """Sets values by their dotted names; `mark` says in a comment what they were."""
    for name, value in _single(document, values):
        table, _, key = name.partition(".")
        inside = document.get(table, {}) if key else document
        if not isinstance(inside, MutableMapping):
            raise InputError(
                f"{table} is {shown(inside)}: a table [{table}] is expected", key=table
            )
        if value is None:
            inside.pop(key or table, None)
            if key and not inside:
                _remove(document, table)
        elif (key or table) in inside:
            _replace(inside, key or table, value, mark)
        elif key and table not in document:
            document.append(table, tomlkit.table().append(key, toml_item(value)))
        else:
            _append(inside, key or table, toml_item(value))


def _single(document: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each value by itself, of a table also those that go, of rules all numbers at once."""
    rules: dict[str, Any] = {}
    for name, value in values.items():
        table, _, key = name.partition(".")
        rule, _, part = key.partition(".")
        if table == "control" and part:
            now = rules.get(rule, document.get("control", {}).get(rule))
            rules[rule] = _rule_with(now, part, value)
            if rules[rule] is None:
                raise InputError(
                    f"control.{rule} has no {part} that could be set", key=f"control.{rule}"
                )
        elif isinstance(value, Mapping) and not key:
            now = document.get(name)
            gone = [key for key in now if key not in value] if isinstance(now, Mapping) else []
            yield from ((f"{name}.{key}", item) for key, item in value.items())
            yield from ((f"{name}.{key}", None) for key in gone)
        else:
            yield name, value
    yield from ((f"control.{rule}", value) for rule, value in rules.items())


def _rule_with(rule: Any, part: str, value: float) -> Any:
    """A rule with another factor or threshold; None where it does not stand there as a number."""
    kind, _, place = part.partition(".")
    if isinstance(rule, Mapping) and kind == "factors":
        if int(place) >= len(rule.get("factors", ())):
            return None
        new = deepcopy(rule)
        if new["factors"][int(place)] != value:
            new["factors"][int(place)] = value
        return new
    match = re.fullmatch(_PARTS[kind], rule) if isinstance(rule, str) and kind in _PARTS else None
    if match is None:
        return None
    return rule if float(match[2]) == value else f"{match[1]}{value!r}{match[3]}"


def _replace(inside: Any, key: str, value: Any, mark: bool) -> None:
    """Another value in the place of one; its comment stays in its column, or says what it was."""
    old = tomlkit.item(inside[key])
    if old.unwrap() == value:
        return
    new = toml_item(value)
    inside[key] = new
    if isinstance(inside, InlineTable) or isinstance(old, Table) or isinstance(new, Table):
        return
    before, after, trivia = old.as_string(), new.as_string(), old.trivia
    comment, space = trivia.comment, trivia.comment_ws
    if mark and "\n" not in before:
        said = comment.removeprefix("#").lstrip()
        comment, space = f"# was {before}" + (f"; {said}" if said else ""), space or "  "
    elif comment and "\n" not in before:
        space = " " * max(len(before) + len(space) - len(after), 2)
    new.trivia.comment, new.trivia.comment_ws = comment, space


def _remove(document: tomlkit.TOMLDocument, table: str) -> None:
    """Takes an empty table away, but for the comments below it, which may be about the next one."""
    if table in document:
        rest = document[table].as_string() if isinstance(document[table], Table) else ""
        place = next(i for i, (key, _) in enumerate(document.body) if key and key.key == table)
        document.remove(table)
        document.body[place] = None, tomlkit.ws(rest)


def _append(inside: Any, key: str, item: Item) -> None:
    """A new key after the last one, before the blank lines and comments that follow it."""
    if not isinstance(inside, Table):
        inside[key] = item
        return
    body = inside.value.body
    last = max((i for i, (other, _) in enumerate(body) if other is not None), default=-1)
    rest = body[last + 1 :]
    del body[last + 1 :]
    inside.append(key, item)
    body.extend(rest)
