"""Settings in a TOML file: read, with options that override them, or written with comments."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from textwrap import wrap
from typing import Any

from covey.errors import InputError, did_you_mean, shown
from covey.files.bounded_file import read_text
from covey.serve.settings import INIT, Settings

_MAX_BYTES = 1_000_000


def read_settings(path: str, given: Mapping[str, Any]) -> Settings:
    """The settings of a file, and options that override them.

    Args:
        path: A TOML file, or else the mechanism itself.
        given: What options say, by name.
    """
    found: dict[str, Any] = {}
    if path.lower().endswith(".toml"):
        text = read_text(path, "a file of settings", _MAX_BYTES, hint=INIT)
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"not TOML: {error}", file=path) from None
    elif path:
        found = {"mechanism": path}
    if "network" in found:
        raise InputError(
            "this is a scenario, and a feed publishes through a mechanism: covey serve "
            "stand-in.json --scenario FILE, with a stand-in of `covey protect --stand-in`",
            file=path,
        )
    known = {one.name: one for one in fields(Settings)}
    for name, value in found.items():
        if name not in known:
            hint = did_you_mean(name, known) or f" {INIT}."
            raise InputError(f"there is no setting {shown(name)}.{hint}", file=path)
        if isinstance(value, list):
            found[name] = tuple(value)
    try:
        return Settings(**found | dict(given))
    except InputError as error:
        raise error.at(file=path if found and path.endswith(".toml") else None) from None


def commented() -> str:
    """A TOML file of all settings: those that have a default have it, others wait behind a #."""
    lines = ["# A live protected feed: covey serve serve.toml", ""]
    for one in fields(Settings):
        lines += [f"# {part}" for part in _wrapped(one.metadata["text"])]
        default = one.default
        example = one.metadata["example"]
        if one.name == "mechanism":
            lines.append(f"{one.name} = {_toml(example)}")
        elif one.default_factory is tuple or default is None:
            lines.append(f"# {one.name} = {_toml(example)}")
        else:
            lines.append(f"{one.name} = {_toml(default)}")
        lines.append("")
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return wrap(text[0].upper() + text[1:] + ".", 96)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return (
        f'"{value}"' if isinstance(value, str) else f"{value:g}" if value % 1 else f"{int(value)}"
    )
