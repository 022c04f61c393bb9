"""`make test` tries the same cases everywhere; `make studies` draws new ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DRAWN = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_drawn(number):
    print("drawn", number)
"""


def drawn(folder: Path, *more: str) -> str:
    """The cases that a property test tries, as printed by a run of its own."""
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (folder / "test_drawn.py").write_text(DRAWN)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *more]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return "\n".join(line for line in run.stdout.splitlines() if "drawn" in line)


def recipe(target: str) -> str:
    lines = (ROOT / "Makefile").read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"{target}:"))
    return lines[begin + 1]


def test_every_run_tries_the_same_cases(tmp_path: Path) -> None:
    assert "--hypothesis-profile" not in recipe("test") + recipe("test-fast")
    once, again = drawn(tmp_path), drawn(tmp_path)
    assert once.count("drawn") > 50
    assert once == again


def test_studies_draw_anew(tmp_path: Path) -> None:
    option = "--hypothesis-profile=new"
    assert option in recipe("studies")
    assert drawn(tmp_path, option) != drawn(tmp_path, option)
