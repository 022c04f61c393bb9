"""Every snippet of the documentation is run, page by page and in order, as a new user would."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

import pytest

from tests.cli.command import read, run_here, stream
from tests.docs.snippets import Snippet, agrees, snippets
from tests.serve.mosquitto import require_programs

pytestmark = pytest.mark.slow  # runs every snippet

_PROGRESS = re.compile(r"^covey: after \d+ s: .*\n", re.MULTILINE)  # where the machine is slow
ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if "_build" not in page.parts and snippets(page)
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the examples in it, and `covey` on the path."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


class Reader:
    """Somebody who does what a page says, at a desk."""

    def __init__(self, desk: Path) -> None:
        self.desk = desk
        self.names: dict[str, object] = {}
        self.printed = ""

    def follow(self, snippet: Snippet, page: Path) -> None:
        if snippet.kind == "console":
            for command, shown in snippet.commands():
                printed = _PROGRESS.sub("", self._run(command))
                assert agrees(shown, printed), f"$ {command}\n{printed}"
        elif snippet.kind == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(snippet.body, str(page), "exec"), self.names)
            self.printed = out.getvalue()
        elif snippet.kind == "output":
            assert agrees(snippet.body, self.printed), self.printed
        elif snippet.file is not None:
            (self.desk / snippet.file).write_text(snippet.body, encoding="utf-8")

    def _run(self, command: str) -> str:
        """What is printed; by covey in this process, where no shell is needed for it."""
        words = shlex.shlex(command, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        program, *args = words
        if program == "covey" and not any(
            set(word) <= set(words.punctuation_chars) for word in args
        ):
            both = stream()
            run_here(*args, cwd=self.desk, stdin=stream(), stdout=both, stderr=both)
            return read(both)
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.desk,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, desk: Path) -> None:
    if page.name == "serve.md" and page.parent.name == "tutorials":
        require_programs("mosquitto", "curl")
    reader = Reader(desk)
    try:
        for snippet in snippets(page):
            reader.follow(snippet, page)
    finally:
        for file in desk.glob("*.pid"):  # what a page starts it ends, unless it fails before
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(file.read_text()), signal.SIGKILL)


def test_a_page_that_shows_something_else_would_fail() -> None:
    shown = Snippet("console", "$ a\n1\n...\n3\n$ b\nx: ...\n").commands()
    assert [command for command, _ in shown] == ["a", "b"]
    assert agrees(shown[0][1], "1\n2\n3\n")
    assert not agrees(shown[0][1], "1\n2\n4\n")
    assert not agrees(shown[0][1], "0\n1\n2\n3\n")
    assert agrees(shown[1][1], "x: y z\n")
    assert not agrees(shown[1][1], "z: y\n")


def test_a_page_that_prints_something_else_would_fail(desk: Path) -> None:
    reader, page = Reader(desk), Path("page.md")
    reader.follow(Snippet("toml", "x = 1\n", "team.toml"), page)
    reader.follow(
        Snippet("python", "from pathlib import Path; print(Path('team.toml').read_text())\n"), page
    )
    reader.follow(Snippet("output", "x = 1\n"), page)
    with pytest.raises(AssertionError):
        reader.follow(Snippet("output", "x = 2\n"), page)
    with pytest.raises(AssertionError):
        reader.follow(Snippet("console", "$ echo 1\n2\n"), page)
