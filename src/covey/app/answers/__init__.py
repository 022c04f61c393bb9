"""What the page may ask, one kind of question in each file: from a scenario's text to its parts.

A question is loaded when it is first asked: pictures and searches take a second to load, and a
slider must not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from covey.app.answers.asked import Asked

_HOME = {
    "answer": ("answer", "check"),
    "commands": ("commands",),
    "network": ("network",),
    "over_time": ("time", "snapshots"),
    "helps": ("helps",),
    "stand_in": ("stand_in",),
    "cure": ("protect", "publish", "design"),
    "downloads": ("report", "csv"),
}
_HOME_OF = {name: module for module, names in _HOME.items() for name in names}
QUESTIONS = tuple(_HOME_OF)


def question(name: str) -> Callable[[Asked], Iterator[tuple[str, Any]]]:
    """The function that answers a question."""
    module = import_module(f"covey.app.answers.{_HOME_OF[name]}")
    found: Callable[[Asked], Iterator[tuple[str, Any]]] = getattr(module, name)
    return found
