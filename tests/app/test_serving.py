"""The server as people start it, and what a browser gets of it over the wire."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import covey
from covey.app.opened import Opened
from covey.app.worker_pool import WorkerPool
from tests.app.asking import PATIENCE, Browser, served
from tests.cli.command import INTERRUPTIBLE
from tests.cli.command import covey as run

EXAMPLES = Path(__file__).parents[2] / "examples"
WAREHOUSE = (EXAMPLES / "warehouse.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("app") / "fleet.toml"


@pytest.fixture(scope="module")
def browser(file: Path) -> Iterator[Browser]:
    file.write_text(WAREHOUSE, encoding="utf-8")
    with served(Opened(file), WorkerPool()) as port:
        yield Browser(port).open()


@pytest.mark.slow
def test_the_story(browser: Browser, file: Path) -> None:
    """Opened, moved, broken, mended, saved, changed by another program, saved again."""
    start = browser.get("/api/start").json
    assert (start["file"], start["text"], start["writable"]) == ("fleet.toml", WAREHOUSE, True)
    found = browser.parts("answer", text=start["text"], set={"rates.meet": 0.25})
    text = WAREHOUSE.replace("meet = 0.20 ", "meet = 0.25 ")
    assert found["text"] == text
    leak = covey.leakage(covey.loads(text))
    assert found["headline"]["guess"] == pytest.approx(leak.profile.bayes_success, rel=1e-9)
    error = browser.ask("answer", text=text.replace("@ meet, pick", "@ met, pick"))[0]["error"]
    assert (error["line"], error["kind"]) == (26, "input")
    broken = browser.post("/api/save", {"text": text + "[", "stamp": start["stamp"]})
    assert (broken.status, broken.json["line"]) == (400, text.count("\n") + 1)
    assert file.read_text(encoding="utf-8") == WAREHOUSE
    saved = browser.post("/api/save", {"text": text, "stamp": start["stamp"]})
    assert saved.status == 200
    assert file.read_text(encoding="utf-8") == text
    late = browser.post("/api/save", {"text": WAREHOUSE, "stamp": start["stamp"]})
    assert late.status == 409
    assert "changed meanwhile" in late.json["message"]
    again = browser.post("/api/save", {"text": WAREHOUSE, "stamp": saved.json["stamp"]})
    assert (again.status, file.read_text(encoding="utf-8")) == (200, WAREHOUSE)
    assert [path.name for path in file.parent.iterdir()] == ["fleet.toml"]


def test_the_page_begins_also_where_the_file_is_gone(tmp_path: Path) -> None:
    """Or no draft of it could be had any more."""
    with served(Opened(tmp_path / "gone.toml")) as port:
        start = Browser(port).open().get("/api/start").json
    assert start["wrong"] == "gone.toml: there is no such file"
    assert (start["stamp"], start["text"]) == (None, WAREHOUSE)


@pytest.mark.slow
@pytest.mark.parametrize("text", [None, 5, "", '[network]\nsbml = "x.xml"\n', "x = 1"])
def test_only_a_scenario_is_saved(browser: Browser, file: Path, text: object) -> None:
    stamp = browser.get("/api/start").json["stamp"]
    for body in ({"text": text, "stamp": stamp}, {"text": text, "stamp": stamp, "file": "/tmp/x"}):
        assert browser.post("/api/save", body).status == 400
    assert file.read_text(encoding="utf-8") == WAREHOUSE


@pytest.mark.slow
def test_two_tabs_and_many_moves(browser: Browser) -> None:
    """Whoever moves on before the answer is there gets the last one."""
    for i in range(60):
        with browser.asking("answer", text=WAREHOUSE, set={"rates.meet": 0.1 + i / 100}) as lines:
            if i % 3:
                next(lines)  # and has gone
            else:
                list(lines)
    found = browser.parts("answer", text=WAREHOUSE, set={"rates.meet": 0.7})
    leak = covey.leakage(covey.load(EXAMPLES / "warehouse.toml").with_({"rates.meet": 0.7}))
    assert found["headline"]["guess"] == pytest.approx(leak.profile.bayes_success, rel=1e-9)
    other = browser.parts("answer", text=WAREHOUSE, tab="other")
    assert other["headline"]["leakage"] == "inf"


def start_command(*args: object) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [*INTERRUPTIBLE, "app", "--no-open", *map(str, args)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )  # fmt: skip
    assert process.stdout is not None
    address = re.search(r"http://127\.0\.0\.1:\d+/#token=[\w-]{40,}", process.stdout.readline())
    assert address is not None, process.communicate()
    return process, address[0]


def gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    return not alive


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)])
def test_ended_with_all_its_workers(tmp_path: Path, end: signal.Signals, code: int) -> None:
    """By Ctrl-C, in the middle of an answer; and by force."""
    process, address = start_command("--port", 0)
    port = int(address.split(":")[2].split("/")[0])
    browser = Browser(port, address.partition("#token=")[2])
    long = (EXAMPLES / "task-families.toml").read_text(encoding="utf-8")
    with browser.asking("snapshots", text=long) as lines:
        assert "progress" in next(lines)
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 2
        process.send_signal(end)
        _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (code, "")
    assert gone(children)


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = run("app", "--no-open", "--port", port)
    assert refused.code == 2
    assert f"port {port} cannot be had (another program has it)" in refused.err
    for wrong in (70_000, -1):
        refused = run("app", "--no-open", "--port", wrong)
        assert (refused.code, "0 to 65535" in refused.err) == (2, True)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    refused = run("app", "--no-open", tmp_path / "missing.toml")
    assert refused.code == 2
    assert "there is no such file" in refused.err


def test_without_the_extra_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None; "
        "sys.argv = ['covey', 'app', '--no-open']; from covey.cli import main; main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert 'pip install "covey[app]"' in found.stderr


def test_it_listens_on_this_machine_alone() -> None:
    with served(Opened(None, "x")) as port:
        time.sleep(0.05)
        listening = [
            one for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN
        ]
        assert [one.laddr.ip for one in listening if one.laddr.port == port] == ["127.0.0.1"]
