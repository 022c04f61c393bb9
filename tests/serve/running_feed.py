"""`covey serve` as it is started, and what can be asked of it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.command import PATIENCE

TOKEN = "a token for tests"


class RunningFeed:
    """A process of its own, on a port that stays the same when it is started again.

    Args:
        folder: Where it runs.
        arguments: Of `covey serve`.
    """

    def __init__(self, folder: Path, *arguments: object, stdin: bool = False) -> None:
        self.folder, self._arguments, self.port = folder, [str(a) for a in arguments], 0
        (folder / "token").write_text(TOKEN + "\n")
        self._stdin = stdin
        self.said: list[str] = []
        self.start()

    def start(self) -> None:
        where = ["--listen", f"127.0.0.1:{self.port}", "--token-file", "token"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "covey", "serve", *self._arguments, *where],
            cwd=self.folder, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.PIPE if self._stdin else subprocess.DEVNULL,
        )  # fmt: skip
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", self.line())):
            pass
        self.port = int(found[1])

    def line(self) -> str:
        """The next line that it says."""
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        assert said, f"it ended with {self.process.wait(PATIENCE)}: {''.join(self.said)}"
        self.said.append(said)
        return said

    def ask(
        self, path: str, *, body: str | None = None, token: str | None = None, **headers: str
    ) -> tuple[int, str]:
        """The status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        found = answer.status, answer.read().decode()
        connection.close()
        return found

    def history(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.ask("/history")[1])["history"]
        return found

    def metric(self, name: str) -> float:
        """A number of the private metrics; 0 where it is not there yet."""
        text = self.ask("/metrics", token=TOKEN)[1]
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
        return 0.0 if found is None else float(found[1])

    def wait_for(self, holds: Callable[[], object]) -> None:
        """Waits until something holds."""
        until = time.monotonic() + PATIENCE
        while not holds():
            assert self.process.poll() is None, self.rest()
            assert time.monotonic() < until
            time.sleep(0.02)

    def rest(self) -> str:
        """All that it says until it has ended."""
        try:
            _, said = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        return "".join(self.said) + said

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=PATIENCE)

    def stop(self) -> str:
        self.process.terminate()
        return self.rest()
