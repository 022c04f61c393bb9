"""What the page may ask, one question in each file: from the text of a scenario to its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from covey.app.answers.answer import answer
from covey.app.answers.asked import Asked, Kept

__all__ = ["QUESTIONS", "Asked", "Kept"]

QUESTIONS: dict[str, Callable[[Asked], Iterator[tuple[str, Any]]]] = {
    "answer": answer,
}
