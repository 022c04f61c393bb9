"""The tour in the examples runs from top to bottom, and every result shows itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # runs a notebook

ROOT = Path(__file__).parent.parent.parent
TOUR = ROOT / "examples" / "tour.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each code cell shows."""
    own = str(tmp_path_factory.mktemp("ipython"))
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.notebook_runner", str(TOUR)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env={**os.environ, "IPYTHONDIR": own},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_results_show_themselves_as_html(shown: list[dict[str, Any]]) -> None:
    kinds = {cell["kind"] for cell in shown if "text/html" in cell["shown"]}
    assert kinds == {
        "Inference",
        "Leakage",
        "Picture",
        "Profile",
        "Scenario",
        "Structure",
        "Sweep",
        "TeamDistributions",
        "Trace",
    }
    plain = [cell["cell"] for cell in shown if "text/html" not in cell["shown"]]
    assert plain == ["numbers"]


def test_pictures_are_in_the_html(shown: list[dict[str, Any]]) -> None:
    with_picture = {cell["kind"] for cell in shown if "<img" in cell["shown"].get("text/html", "")}
    assert with_picture == {"Picture", "Profile", "Scenario", "Sweep", "TeamDistributions", "Trace"}


def test_numbers_are_those_of_the_paper(shown: list[dict[str, Any]]) -> None:
    by_cell = {cell["cell"]: cell["shown"]["text/plain"] for cell in shown}
    assert by_cell["numbers"].startswith("(0.58778")  # ln 1.8
    assert "'free': 3" in by_cell["numbers"]


def test_the_file_is_kept_without_results() -> None:
    tour = json.loads(TOUR.read_text(encoding="utf-8"))
    assert (tour["nbformat"], tour["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in tour["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in tour["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
