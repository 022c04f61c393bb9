"""Shows in pages what their commands print now: `python -m tests.docs.rewrite docs/start.md`.

For whoever changed a sentence. What agrees already is left as it is; where an example leaves out
some by `...`, every paragraph in it becomes the one that is most like it. Read the difference.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import partial
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
    """What is printed now, with left out what the page left out."""
    lines = [line.rstrip() for line in printed.strip().splitlines()]
    old = shown.strip().splitlines()
    if "..." not in old:
        return "\n".join(lines) + "\n"
    candidates = _sentences(lines)
    new: list[str] = []
    for part in _parts(old):
        if part in (["..."], [""]) or _within(part, lines):
            new += part
        else:
            prose = part[-1].endswith((".", ":"))
            like = [one for one in candidates if one[-1].endswith((".", ":")) == prose]
            new += max(like or candidates, key=partial(_alike, part))
    return "\n".join(new) + "\n"


def _sentences(lines: list[str]) -> list[list[str]]:
    """Every paragraph, and within it all that begins and ends with whole sentences."""
    found: list[list[str]] = []
    for text in "\n".join(lines).split("\n\n"):
        part = text.splitlines()
        ends = [i + 1 for i, line in enumerate(part) if line.endswith(".")]
        found += [part[i:j] for i in (0, *ends) for j in {*ends, len(part)} if j > i]
    return found


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Paragraphs, and what is between them: a blank line, or three dots."""
    part: list[str] = []
    for line in lines:
        if line in ("", "..."):
            if part:
                yield part
            yield [line]
            part = []
        else:
            part.append(line)
    if part:
        yield part


def _within(part: list[str], lines: list[str]) -> bool:
    text = "\n".join(part) + "\n"
    return any(agrees(text, "\n".join(lines[i : i + len(part)])) for i in range(len(lines)))


def _alike(one: list[str], other: list[str]) -> float:
    first, second = (" ".join(lines).split() for lines in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


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
