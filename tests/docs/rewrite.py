"""Shows in pages what their commands print now: `python -m tests.docs.rewrite docs/start.md`.

For whoever changed a sentence. What agrees already is left as it is, and what ends in `...` keeps
its beginning only as far as it agrees; the rest of such an example is for a person to shorten.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.docs.snippets import agrees, snippets
from tests.docs.test_pages import _PROGRESS, ROOT, Reader


def rewritten(page: Path, desk: Path) -> str:
    """The text of the page with what is printed now."""
    reader, text = Reader(desk), page.read_text(encoding="utf-8")
    for snippet in snippets(page):
        if snippet.kind == "console":
            body = "".join(_shown(reader, *one) for one in snippet.commands())
        elif snippet.kind == "output" and not agrees(snippet.body, reader.printed):
            body = _shortened(snippet.body, reader.printed)
        else:
            reader.follow(snippet, page)
            continue
        if body.strip() != snippet.body.strip():
            fence = f"```{snippet.kind}\n"
            text = text.replace(f"{fence}{snippet.body}```", f"{fence}{body}```", 1)
    return text


def _shown(reader: Reader, command: str, shown: str) -> str:
    printed = _PROGRESS.sub("", reader._run(command))
    if not agrees(shown, printed):
        shown = _shortened(shown, printed)
    return f"$ {command}\n{shown}"


def _shortened(shown: str, printed: str) -> str:
    """What is printed now, with its end left out where the page left it out."""
    lines = [line.rstrip() for line in printed.strip().splitlines()]
    old = shown.strip().splitlines()
    if "..." not in old:
        return "\n".join(lines) + "\n"
    before = old[: old.index("...")]
    after = old[len(old) - old[::-1].index("...") :]
    head = lines[: _paragraphs(lines, before)]
    tail = after if after and after == lines[-len(after) :] else lines[len(lines) - len(after) :]
    return "\n".join([*head, "...", *(tail if after else [])]) + "\n"


def _paragraphs(lines: list[str], before: list[str]) -> int:
    """Up to where the same number of paragraphs has been shown."""
    blank = sum(not line for line in before)
    for place, line in enumerate(lines):
        if not line:
            if blank == 0:
                return place
            blank -= 1
    return len(lines)


def main() -> None:
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name in sys.argv[1:]:
        page = Path(name).absolute()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", Path(folder) / "examples")
            here = Path.cwd()
            os.chdir(folder)
            try:
                page.write_text(rewritten(page, Path(folder)), encoding="utf-8")
            finally:
                os.chdir(here)
        print(name)


if __name__ == "__main__":
    main()
