"""What the reference documents: functions, classes and their methods, for tests to walk through."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent.parent / "docs"
API = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
DOCUMENTED = re.findall(r"^\.\. auto(?:class|function|exception):: (\S+)$", API, re.M)
# Of some classes only these members are for users, the others for covey itself.
CHOSEN = {
    name: set(members.split(", "))
    for name, members in re.findall(r"^\.\. autoclass:: (\S+)\n   :members: (\S.*)$", API, re.M)
}


def documented(name: str) -> Any:
    """The object of this name."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


CLASSES: dict[str, type] = {
    name: found for name in DOCUMENTED if inspect.isclass(found := documented(name))
}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every documented function, and every method and property of the documented classes."""
    for name in DOCUMENTED:
        found = documented(name)
        if not inspect.isclass(found):
            yield name, found
            continue
        for base in found.__mro__:
            for own, value in vars(base).items() if base.__module__.startswith("covey") else ():
                function = _function_of(value)
                hidden = own.startswith("_") or own not in CHOSEN.get(name, {own})
                if not hidden and function is not None:
                    yield f"{name}.{own}", function


def _function_of(value: object) -> Callable[..., Any] | None:
    """What stands behind a method, a class method or a property; None where nothing does."""
    for behind in ("__func__", "fget", "func"):
        value = getattr(value, behind, None) or value
    return value if inspect.isfunction(value) else None
