"""The reference of the command line, written from the commands themselves.

`reference/verbs.md` holds an introduction; whatever `covey VERB --help` knows is added below it
when the site is built. So no option can be missing there, and none can be out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import click
from sphinx.application import Sphinx

from covey.cli.command import covey

PAGE = "reference/verbs"


def add_verbs(app: Sphinx, page: str, source: list[str]) -> None:
    """Adds every verb to the text of the page."""
    if page == PAGE:
        source[0] += "\n" + verbs_in_markdown()


def verbs_in_markdown() -> str:
    """A section for each verb: how it is called, what it does, its options."""
    top = click.Context(covey, info_name="covey", **covey.context_settings)
    verbs = (covey.get_command(top, name) for name in covey.list_commands(top))
    return "\n".join(line for verb in verbs if verb for line in _section(verb, top))


def _section(verb: click.Command, top: click.Context) -> Iterator[str]:
    context = click.Context(verb, parent=top, info_name=verb.name)
    yield f"## covey {verb.name}\n"
    yield f"```text\n{verb.get_usage(context).removeprefix('Usage: ')}\n```\n"
    for paragraph in cleandoc(verb.help or "").split("\n\n"):
        lines = paragraph.removeprefix("\b\n")  # how click marks lines that are not to be filled
        yield f"{paragraph}\n" if lines == paragraph else f"```text\n{lines}\n```\n"
    yield "| option | meaning |\n|---|---|"
    for parameter in verb.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            names, meaning = map(_cell, record)
            yield f"| `{names}` | {meaning} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", add_verbs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
