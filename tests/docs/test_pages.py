"""Every snippet of the documentation is run, as a new user would run it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import Snippet, agrees, snippets

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the examples in it, and `covey` on the path."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def _with(kind: str) -> list[Path]:
    return [page for page in PAGES if snippets(page, kind)]


@pytest.mark.parametrize("page", _with("python"), ids=lambda page: page.stem)
def test_python(page: Path, desk: Path) -> None:
    names: dict[str, object] = {}
    for snippet in snippets(page, "python"):
        exec(compile(snippet.body, str(page), "exec"), names)


@pytest.mark.parametrize("page", _with("console"), ids=lambda page: page.stem)
def test_console(page: Path, desk: Path) -> None:
    for snippet in snippets(page, "console"):
        for command, shown in snippet.commands():
            done = subprocess.run(
                command,
                shell=True,
                cwd=desk,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert agrees(shown, done.stdout), f"$ {command}\n{done.stdout}"


def test_a_page_that_shows_something_else_would_fail() -> None:
    shown = Snippet("console", "$ a\n1\n...\n3\n$ b\nx: ...\n").commands()
    assert [command for command, _ in shown] == ["a", "b"]
    assert agrees(shown[0][1], "1\n2\n3\n")
    assert not agrees(shown[0][1], "1\n2\n4\n")
    assert not agrees(shown[0][1], "0\n1\n2\n3\n")
    assert agrees(shown[1][1], "x: y z\n")
    assert not agrees(shown[1][1], "z: y\n")
