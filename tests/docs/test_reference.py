"""Nothing that a user can type is missing from the reference, and nothing else is in it."""

import re

import click
import pytest

import covey
from covey.cli.command import covey as command_line
from covey.model.io.document import TABLES
from tests.docs.public_names import DOCS, DOCUMENTED, documented

COMMAND_LINE = (DOCS / "command-line.md").read_text(encoding="utf-8")
SCENARIO_FILES = (DOCS / "scenario-files.md").read_text(encoding="utf-8")

OPTIONS = [
    (verb, option)
    for verb, command in command_line.commands.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
    for option in parameter.opts
]


@pytest.mark.parametrize("verb", command_line.commands)
def test_every_verb(verb: str) -> None:
    assert f"## `covey {verb}" in COMMAND_LINE
    assert command_line.commands[verb].help


def test_no_other_verb() -> None:
    described = re.findall(r"^## `covey (\w+)", COMMAND_LINE, re.M)
    assert sorted(described) == sorted(command_line.commands)


@pytest.mark.parametrize(("verb", "option"), OPTIONS)
def test_every_option(verb: str, option: str) -> None:
    shared = COMMAND_LINE.partition("## `covey ")[0]
    own = COMMAND_LINE.partition(f"## `covey {verb} ")[2].partition("## `covey ")[0]
    assert f"`{option}" in shared + own


@pytest.mark.parametrize("table", TABLES)
def test_every_table_and_key(table: str) -> None:
    for key in TABLES[table] or ("NAME",):
        assert f"| `{table}.{key}` |" in SCENARIO_FILES


def test_no_other_key() -> None:
    known = {f"{table}.{key}" for table, keys in TABLES.items() for key in keys or ("NAME",)}
    described = re.findall(r"^\| `(\w+\.\w+)` \|", SCENARIO_FILES, re.M)
    assert sorted(described) == sorted(known)


def test_every_public_name() -> None:
    public = {f"covey.{name}" for name in covey.__all__} - {"covey.__version__"}
    assert public - set(DOCUMENTED) == set()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_is_documented_is_there_once(name: str) -> None:
    assert DOCUMENTED.count(name) == 1
    assert documented(name) is not None
    module, _, last = name.rpartition(".")
    assert module != "covey" or last in covey.__all__
