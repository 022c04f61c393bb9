"""Scenario files: TOML in, TOML out, and the line of every mistake.

`tomllib` says what a file means but not where its values stand, so `_Places` finds the line of
every key by itself. It only ever decides which line an error message names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.errors import CoveyError, InputError
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_text
from covey.model.scenario import Scenario

MAX_BYTES = 8_000_000
FILE_KEYS = (("network", "sbml"), ("release", "mechanism"))  # whose values are names of files
_HINT = "`covey new NAME` writes a scenario to start from"

_HEADER = re.compile(r"(?P<array>\[)?\[(?P<name>[^\[\]]+)\]\]?")
_KEY = re.compile(r"""\s*(?P<name>"[^"]*"|'[^']*'|[\w.-]+)\s*=\s*(?P<value>.*)""", re.DOTALL)
# A key of very many parts takes `tomllib` minutes. Begun at the beginning of a word only.
_DEEP_KEY = re.compile(r"""(?<![\w"'.-])(?:["'\w-]+[ \t]*\.[ \t]*){100}""")
_TOML_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def load(path: str | Path) -> Scenario:
    """The scenario in a file.

    Args:
        path: A TOML file; `-` reads standard input.
    """
    return scenario_of(text_of(path), str(path), Path(path).parent)


def text_of(path: str | Path) -> str:
    """What a scenario file holds, with line ends of one kind.

    Args:
        path: A TOML file; `-` reads standard input.
    """
    return read_text(path, "a scenario file", MAX_BYTES, hint=_HINT).replace("\r\n", "\n")


def loads(
    text: str, file: str = "<text>", *, files: bool = True, mechanism: Path | None = None
) -> Scenario:
    """The scenario that a text writes.

    Args:
        text: What a scenario file would hold.
        file: What errors call it, besides the line.
        files: Whether the text may name other files, which are read from the working folder; a
            stranger's may not.
        mechanism: The one file that it may name as its [release] mechanism even so.
    """
    return scenario_of(text, file, Path() if files else None, mechanism)


def scenario_of(
    text: str, file: str, folder: Path | None, mechanism: Path | None = None
) -> Scenario:
    """The scenario that a text writes, with what it names read from a folder; None: nowhere.

    Then it may name `mechanism` alone.
    """
    document = parse_toml(text, file)
    if not document:
        raise InputError("the file is empty: `covey new NAME` writes one to start from", file=file)
    try:
        if folder is None:
            named = _table(document, "release").get("mechanism")
            allowed = mechanism is not None and named == mechanism.name
            _refuse_files(document, FILE_KEYS[:1] if allowed else FILE_KEYS)
            if mechanism is not None and allowed:
                document = _with_mechanism(document, mechanism.parent)
            return Scenario.from_document(document)
        if "sbml" in _table(document, "network"):
            from covey.model.io.sbml.scenario import with_sbml  # noqa: PLC0415  (only when asked for)

            document = with_sbml(document, folder)
        document = _with_mechanism(document, folder)
        return Scenario.from_document(document)
    except CoveyError as error:
        if error.file is not None:  # it is about another file, which knows its own lines
            raise
        places = _Places.of(text)
        error.line = places.line_of(error.key, error.line, document)
        raise error.at(file) from None


def _refuse_files(document: dict[str, Any], keys: Sequence[tuple[str, str]]) -> None:
    """Raises `InputError` where the text names a file by one of these keys."""
    for table, key in keys:
        if key in _table(document, table):
            raise InputError(
                f"{table}.{key} names a file, and a text that is in none may not: leave it out",
                key=f"{table}.{key}",
            )


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A table of the document; empty where there is none, or something else in its place."""
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _with_mechanism(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The document with the mechanism that it names read from beside it."""
    release = _table(document, "release")
    if "mechanism" not in release:
        return document
    from covey.model.io.mechanism_file import beside  # noqa: PLC0415  (only when asked for)

    return document | {"release": release | {"mechanism": beside(release["mechanism"], folder)}}


def dump(scenario: Scenario, path: str | Path) -> None:
    """Writes the scenario to a file that `load` reads back as an equal one.

    Args:
        scenario: What to write.
        path: Where to; the file appears when it is complete.
    """
    write_whole(path, dumps(scenario))


def dumps(scenario: Scenario) -> str:
    """The text of a scenario file that means this scenario.

    Args:
        scenario: What to write.
    """
    from covey.model.io.toml_writer import printed  # noqa: PLC0415  (only when asked for)

    return printed(scenario.to_document())


def places_of(text: str) -> dict[str, int]:
    """The line of every table and key, by its dotted name, in a text that is known to be TOML."""
    return _Places.of(text).keys


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """The tables of a TOML text, with its mistakes as `InputError`."""
    if deep := _DEEP_KEY.search(text):
        raise InputError(
            "a key has too many parts: no table is so deep",
            file=file,
            line=text.count("\n", 0, deep.start()) + 1,
        )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("lists or tables are nested too deeply", file=file) from None
    except ValueError as error:
        if text.lstrip().startswith("<"):
            raise InputError(
                "this is XML and no scenario file: one for an SBML model has, under [network], "
                'sbml = "model.xml"',
                file=file,
            ) from None
        what, line = str(error), None
        if place := _TOML_PLACE.search(what):
            what = what[: place.start()]
            line = int(place["line"] or text.count("\n") + 1)
        if what.startswith("Cannot overwrite a value"):
            what = "this key is given twice; leave one of them out"
        elif what.startswith("Cannot declare"):
            what = "this table is given twice; put its keys under one heading"
        raise InputError(f"not a TOML file: {what}", file=file, line=line) from None


@dataclass(frozen=True)
class _Places:
    """The line of every table and key in a text that is known to be TOML."""

    lines: list[str]
    keys: dict[str, int]

    @classmethod
    def of(cls, text: str) -> _Places:
        lines = text.split("\n")
        keys: dict[str, int] = {}
        table, closing = "", ""
        tables: dict[str, int] = {}  # how many there are so far of each [[table]]
        for number, line in enumerate(lines, start=1):
            if closing:  # inside a text of several lines
                closing = "" if closing in line else closing
            elif header := _HEADER.fullmatch(line.partition("#")[0].strip()):
                table = _unquote(header["name"].strip())
                keys.setdefault(table, number)
                if header["array"]:
                    tables[table] = tables.get(table, 0) + 1
                table = _numbered(table, tables)
                keys.setdefault(table, number)
            elif pair := _KEY.fullmatch(line):
                name = _unquote(pair["name"])
                keys.setdefault(f"{table}.{name}" if table else name, number)
                quotes = pair["value"][:3]
                if quotes in ('"""', "'''") and quotes not in pair["value"][3:]:
                    closing = quotes
        return cls(lines, keys)

    def line_of(self, key: str | None, number: int | None, document: dict[str, Any]) -> int | None:
        """The line of a key, as well as it can be known; of the reactions, of line `number`."""
        key = place = key or ""
        while place not in self.keys and "." in place:  # else of the value or table that it is in
            place = place.rpartition(".")[0]
        found = self.keys.get(place)
        if key == "network.reactions" and "network.sbml" in self.keys:
            return self.keys["network.sbml"]
        if key == "network.reactions" and found is not None:
            reactions = document["network"]["reactions"].split("\n")
            return self._in_file(number, reactions, found) or found
        return found

    def _in_file(self, number: int | None, reactions: list[str], opening: int) -> int | None:
        """Where a line of the reactions' text stands in the file, checked by what it says."""
        if number is None:
            return None
        for first in (opening + 1, opening):  # """ may or may not be followed by a line break
            line = first + number - 1
            if line <= len(self.lines) and reactions[number - 1] in self.lines[line - 1]:
                return line
        return None


def _numbered(table: str, tables: dict[str, int]) -> str:
    """`secret.against.1.set` for the table `secret.against.set` below the second one."""
    for array, count in tables.items():
        if table == array or table.startswith(f"{array}."):
            return f"{array}.{count - 1}{table[len(array) :]}"
    return table


def _unquote(name: str) -> str:
    return name[1:-1] if name[0] in "\"'" and name[-1] == name[0] else name
