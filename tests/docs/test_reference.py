"""Nothing that a user can type is missing from the reference, and nothing else is in it."""

import re

import click

import covey
from covey.cli.command import GROUPS, VERBS
from covey.model.io.document import TABLES
from tests.cli.command import verbs
from tests.docs.public_names import DOCS, DOCUMENTED, documented

COMMAND_LINE = (DOCS / "command-line.md").read_text(encoding="utf-8")
SCENARIO_FILES = (DOCS / "scenario-files.md").read_text(encoding="utf-8")


def test_every_verb_and_no_other() -> None:
    described = re.findall(r"^## `covey (\w+)", COMMAND_LINE, re.M)
    assert sorted(described) == sorted(VERBS)
    assert [verb for verb, command in verbs().items() if not command.help] == []


def test_the_groups_of_the_page_are_those_of_the_help() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| (\[`.*) \|$", COMMAND_LINE, re.M)
    of_page = {f"To {title}": tuple(re.findall(r"\[`(\w+)`\]", verbs)) for title, verbs in rows}
    assert of_page == GROUPS


def test_every_option() -> None:
    shared = COMMAND_LINE.partition("## Common options")[0]
    missing = []
    for verb, command in verbs().items():
        own = COMMAND_LINE.partition(f"## `covey {verb} ")[2].partition("## `covey ")[0]
        options = [one for one in command.params if isinstance(one, click.Option)]
        opts = [option for one in options for option in one.opts]
        missing += [(verb, option) for option in opts if f"`{option}" not in shared + own]
    assert missing == []


def test_every_key_and_no_other() -> None:
    known = {f"{table}.{key}" for table, keys in TABLES.items() for key in keys or ("NAME",)}
    described = re.findall(r"^\| `(\w+\.\w+)` \|", SCENARIO_FILES, re.M)
    assert sorted(described) == sorted(known)


def test_every_public_name_and_no_other() -> None:
    public = {f"covey.{name}" for name in dir(covey)}
    described = {name for name in DOCUMENTED if name.rpartition(".")[0] == "covey"}
    assert described == public


def test_what_is_documented_is_there_once() -> None:
    assert [name for name in DOCUMENTED if DOCUMENTED.count(name) > 1] == []
    assert [name for name in DOCUMENTED if documented(name) is None] == []
