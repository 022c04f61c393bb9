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

import pytest

from tests.docs.public_names import CLASSES, functions

SECTION = re.compile(r"^(?:Args|Attributes):\n((?: {4}.*\n?)+)", re.M)
ENTRY = re.compile(r"^ {4}\*{0,2}(\w+): \S.*", re.M)

FUNCTIONS = dict(functions())


def explained(documented: object) -> list[str]:
    """The names in the sections of a docstring, in their order."""
    text = inspect.getdoc(documented) or ""
    return [name for section in SECTION.findall(text) for name in ENTRY.findall(section)]


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_methods(name: str) -> None:
    assert sorted(explained(FUNCTIONS[name])) == sorted(parameters(FUNCTIONS[name]))


@pytest.mark.parametrize("name", CLASSES)
def test_constructors(name: str) -> None:
    kind = CLASSES[name]
    own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("covey")]
    if not own or not any("__init__" in vars(base) for base in own):
        return  # a warning, say, which Python makes
    every = {entry for base in own for entry in explained(base)}
    assert set(explained(kind)) <= set(parameters(kind)) <= every
