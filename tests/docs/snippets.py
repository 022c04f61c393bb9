"""The snippets of a Markdown page, and what running them must give.

    ```console   commands after `$ `, each with what it prints
    ```python    run in order, all in one session
    ```output    what the Python snippet before it prints
    ```toml, csv, text   a file, where the line before it ends in its name: `museum.toml`:

In what is shown, a line `...` skips any lines, and a trailing ` ...` the rest of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(
    r"^(?:[^\n]*`(?P<file>[\w-]+\.\w+)`:\n\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
KINDS = ("console", "csv", "output", "python", "text", "toml")


@dataclass(frozen=True)
class Snippet:
    kind: str
    body: str
    file: str | None = None  # its name, where the page says that it is one

    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console snippet, each with the output shown below it."""
        found: list[tuple[str, str]] = []
        for line in self.body.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
            else:
                command, output = found[-1]
                found[-1] = (command, output + line + "\n")
        return found


def snippets(page: Path) -> list[Snippet]:
    return [
        Snippet(match["kind"], match["body"], match["file"])
        for match in _FENCE.finditer(page.read_text(encoding="utf-8"))
        if match["kind"] in KINDS
    ]


def agrees(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows."""
    pattern = ""
    for line in shown.strip().splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        elif line.endswith(" ..."):
            pattern += re.escape(line[:-3].rstrip()) + r".*\n"
        else:
            pattern += re.escape(line.rstrip()) + r"[ ]*\n"
    lines = printed.strip().splitlines(keepends=True)
    return re.fullmatch(pattern, "".join(lines) + "\n" * bool(lines)) is not None
