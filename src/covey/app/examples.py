"""The scenarios that the app can be started from: those of the project's examples folder."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from covey.model.io.scenario_file import FILE_KEYS

FIRST = "warehouse"


@cache
def examples() -> list[dict[str, str]]:
    """The name, title and text of each, in the order of their names; none that names a file."""
    found = []
    for path in sorted(_folder().glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
        if not any(key in document.get(table, {}) for table, key in FILE_KEYS):
            title = document.get("title", path.stem)
            found.append({"name": path.stem, "title": title, "text": text})
    return found


def first_example() -> str:
    """The text that the app starts from where no file is named."""
    return next(one["text"] for one in examples() if one["name"] == FIRST)


def _folder() -> Path:
    """In an installed covey they are beside its modules, in its source folder where they are."""
    package = Path(__file__).parents[1]
    installed = package / "examples"
    return installed if installed.is_dir() else package.parents[1] / "examples"
