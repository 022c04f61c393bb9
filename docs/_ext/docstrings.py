"""Docstrings as covey writes them, for Sphinx, which reads reStructuredText.

- `Args:` and `Attributes:` head a list of names, each with its text: they become lists of fields.
- An indented block is a formula and keeps its lines: it becomes a literal block.
- `|x|` is an absolute value, and `name`s is a plural: neither is markup.
- `[1] Author, Title` is a reference, whose further lines are indented: it becomes a list item.

Signatures name Moment, NDArray and the like as the code does, not by what they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from sphinx.application import Sphinx

_PLURAL = re.compile(r"(`[^`]+`)(?=\w)")
_REFERENCE = re.compile(r"\[\d+\] ")
_ENTRY = re.compile(r"    (\*{0,2}\w+): (.*)")
_ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
_ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([~\w.]+)\]\]")

# How an entry of each section begins, in the words of Sphinx.
_SECTIONS = {"Args:": ":param {}: {}", "Attributes:": "  - **{}** – {}"}


def rewrite(app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Changes the lines of one docstring in place."""
    lines[:] = list(_rewritten(lines))


def _rewritten(lines: Iterable[str]) -> Iterator[str]:
    above, formula = "", False
    left = iter(lines)
    for line in left:
        if line in _SECTIONS:
            yield from _section(line, takewhile(bool, left))
            formula = False
        elif not line.startswith("  "):
            formula = formula and not line
            yield f"- {_prose(line)}" if _REFERENCE.match(line) else _prose(line)
        elif formula:
            yield line
        elif above:
            yield f"  {_prose(line.strip())}"  # a list item goes on
        else:
            formula = True
            yield from ("::", "", line)
        above = "" if line in _SECTIONS else line


def _section(head: str, lines: Iterable[str]) -> Iterator[str]:
    """The entries of a section, which ends at an empty line."""
    if head == "Attributes:":
        yield from (":Attributes:", "")
    for line in lines:
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            yield f"    {_prose(line.strip())}"
        else:
            name, text = entry.groups()
            yield _SECTIONS[head].format(name.replace("*", r"\*"), _prose(text))
    yield ""


def _prose(line: str) -> str:
    return _PLURAL.sub(r"\1\\ ", line.replace("|", r"\|"))


def name_aliases(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: Any,
    given: str | None,
    result: str | None,
) -> tuple[str | None, str | None]:
    """The signature with every alias by its name."""
    return _unwrapped(given), _unwrapped(result)


def _unwrapped(text: str | None) -> str | None:
    return None if text is None else _ARRAY.sub(r"NDArray[\1]", _ALIAS.sub(r"\1", text))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", rewrite)
    app.connect("autodoc-process-signature", name_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
