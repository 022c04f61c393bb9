"""The wheel that `make wheel` builds, installed as a user installs it: into an empty environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # fetches every dependency

ROOT = Path(__file__).parent.parent
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; it sees nothing of the environment that the tests run in."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS", "VIRTUAL_ENV")
    surroundings = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        command, cwd=cwd, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fresh_environment_answers_from_the_wheel(tmp_path: Path) -> None:
    run(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("covey-*.whl")
    venv.create(tmp_path / "fresh", with_pip=True)
    programs = tmp_path / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", *PIP, "install", "--no-compile", f"{wheel}[app,sbml]", cwd=tmp_path)

    where = run(programs / "python", "-c", "import covey; print(covey.__file__)", cwd=tmp_path)
    assert (tmp_path / "fresh") in Path(where.strip()).parents
    run(programs / "covey", "new", "--example", "shared-resource", cwd=tmp_path)
    said = run(programs / "covey", "leakage", "shared-resource.toml", "--json", cwd=tmp_path)
    assert round(json.loads(said)["leakage"], 7) == 0.5877867  # ln 1.8
    bays = ROOT / "examples" / "charging-bays.toml"
    assert run(programs / "covey", "check", bays, cwd=tmp_path).startswith("Charging bays")
    run(programs / "python", "-c", "import covey.app.server", cwd=tmp_path)
