"""Nothing that a user can type is missing from the reference."""

from pathlib import Path

import click
import pytest

from covey.cli import covey
from covey.model.scenario import _TABLES

DOCS = Path(__file__).parent.parent.parent / "docs"
COMMAND_LINE = (DOCS / "command-line.md").read_text(encoding="utf-8")
SCENARIO_FILES = (DOCS / "scenario-files.md").read_text(encoding="utf-8")

OPTIONS = [
    (verb, option)
    for verb, command in covey.commands.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
    for option in parameter.opts
]


@pytest.mark.parametrize("verb", covey.commands)
def test_every_verb(verb: str) -> None:
    assert f"## `covey {verb}" in COMMAND_LINE
    assert covey.commands[verb].help


@pytest.mark.parametrize(("verb", "option"), OPTIONS)
def test_every_option(verb: str, option: str) -> None:
    shared, _, verbs = COMMAND_LINE.partition("## `covey ")
    own = f"`covey {verbs}".partition(f"`covey {verb}")[2].partition("## `covey ")[0]
    assert f"`{option}" in shared + own


@pytest.mark.parametrize("table", _TABLES)
def test_every_table_and_key(table: str) -> None:
    for key in _TABLES[table] or ("NAME",):
        assert f"| `{table}.{key}` |" in SCENARIO_FILES
