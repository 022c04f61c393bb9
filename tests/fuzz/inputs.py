"""What an input is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Input:
    """A command with its files and standard input; or, for the app, a question."""

    kind: str
    arguments: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: str = ""
    question: dict[str, Any] | None = None
