"""The files of examples/serve: the unit, the Containerfile, the dashboard, the scenario."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import covey
from covey.serve.feed_clock import FeedClock
from covey.serve.inside.counters import Counters
from covey.serve.outside.board import Board
from covey.serve.settings import Settings
from tests.serve.test_connections import HELLO

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = EXAMPLES / "serve"
OPTIONS = {"--" + name.replace("_", "-") for name in Settings.__dataclass_fields__}


def _checked(command: list[str]) -> None:
    assert command[1:3] == ["serve", command[2]]
    assert {word for word in command if word.startswith("--")} <= OPTIONS


def test_the_unit_starts_covey_with_options_that_it_has(tmp_path: Path) -> None:
    text = (HERE / "covey-serve.service").read_text()
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    _checked(shlex.split(line))
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze is installed")
    unit = tmp_path / "covey-serve.service"
    unit.write_text(text.replace("/opt/covey/bin/covey", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert "covey-serve" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def test_the_containerfile_is_one() -> None:
    text = re.sub(r"\\\n", " ", (HERE / "Containerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    words = [line.split(maxsplit=1)[0] for line in lines]
    assert words == ["FROM", "RUN", "USER", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT"]
    _checked(json.loads(lines[-1].split(maxsplit=1)[1]))


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    dashboard = json.loads((HERE / "grafana.json").read_text())
    board = Board(HELLO | {"most": 3}, FeedClock(1e9, 1.0, 1.0, 1.0))
    board.publish(board.publication(0, [1, 2]), 1, "")
    counters = Counters()
    counters.messages.labels("mqtt").inc()
    counters.refuse("late")
    known = set(re.findall(r"^(covey_\w+)", board.private_metrics.decode() + counters.text(), re.M))
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for panel in dashboard["panels"]:
        (target,) = panel["targets"]
        assert set(re.findall(r"covey_\w+", target["expr"])) <= known


def test_the_live_warehouse_is_the_warehouse() -> None:
    live, other = covey.load(HERE / "warehouse.toml"), covey.load(EXAMPLES / "warehouse.toml")
    assert live.network == other.network
    assert live.team == other.team
    assert live.query == other.query
