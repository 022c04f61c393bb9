"""Every parameter of what the reference documents is named and explained.

One rule: a function or method names each of its parameters in the section `Args:` of its docstring.
A class does so for its constructor in its own docstring, or in those of its bases; the section is
called `Attributes:` where covey makes the values and users only read them. Types are in the
signature and nowhere else.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from tests.docs.public_names import CLASSES, functions

SECTION = re.compile(r"^(?:Args|Attributes):\n((?: {4}.*\n?)+)", re.M)
ENTRY = re.compile(r"^ {4}\*{0,2}(\w+): \S.*", re.M)


def explained(documented: object) -> list[str]:
    """The names in the sections of a docstring, in their order."""
    text = inspect.getdoc(documented) or ""
    return [name for section in SECTION.findall(text) for name in ENTRY.findall(section)]


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def test_functions_and_methods() -> None:
    wrong = {
        name: (explained(function), parameters(function))
        for name, function in functions()
        if sorted(explained(function)) != sorted(parameters(function))
    }
    assert wrong == {}


def test_constructors() -> None:
    wrong = {}
    for name, kind in CLASSES.items():
        own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("covey")]
        if not any("__init__" in vars(base) for base in own):
            continue  # a warning, say, which Python makes
        every = {entry for base in own for entry in explained(base)}
        if not set(explained(kind)) <= set(parameters(kind)) <= every:
            wrong[name] = (explained(kind), parameters(kind), every)
    assert wrong == {}


def test_an_argument_that_is_not_explained_would_fail() -> None:
    def asked(one: int, *more: int) -> None:  # noqa: D417
        """Of two only one is explained.

        Args:
            one: Whatever it is.
        """

    assert (explained(asked), parameters(asked)) == (["one"], ["one", "more"])
