"""The tables of a scenario as TOML, by tomlkit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.items import Item

from covey.errors import InputError
from covey.model.observation.release_table import ReleaseTable
from covey.model.observation.stand_in_release import StandInRelease


def printed(document: Mapping[str, Any]) -> str:
    """The text of a scenario file with these tables."""
    text = tomlkit.document()
    for name, value in document.items():
        if not isinstance(value, dict):
            text.append(name, toml_item(value))
            continue
        table = tomlkit.table()
        for key, item in value.items():
            table.append(key, toml_item(item))
        if name == "network":  # a line each reads best, and reactions need no escapes
            table["reactions"] = tomlkit.value(f'"""\n{value["reactions"]}\n"""')
        text.append(name, table)
    return tomlkit.dumps(text)


def toml_item(value: object) -> Item:
    """A value as TOML writes it, tables on one line."""
    if isinstance(value, ReleaseTable | StandInRelease):
        if not value.file:
            raise InputError(
                "the mechanism is in no file that a scenario file could name: save it first",
                key="release.mechanism",
            )
        return tomlkit.item(value.file)
    if isinstance(value, Mapping) and not isinstance(value, Item):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    return tomlkit.item(value)
