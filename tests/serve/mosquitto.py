"""Debian's broker as a process of its own, on a port of this machine."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

import pytest

from tests.cli.command import PATIENCE

_FOLDERS = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/sbin"


def _path() -> str:
    return os.environ.get("PATH", "") + os.pathsep + _FOLDERS


def require_programs(*names: str) -> None:
    """Skips where one is missing; with $COVEY_REQUIRE_MOSQUITTO set, as .ci/run does, it fails."""
    missing = [name for name in names if shutil.which(name, path=_path()) is None]
    if missing:
        message = f"{', '.join(missing)} is not installed: apt-get install {' '.join(missing)}"
        if os.environ.get("COVEY_REQUIRE_MOSQUITTO"):
            pytest.fail(message)
        pytest.skip(message)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Mosquitto:
    """Started anew on the same port as often as it is asked to.

    Args:
        folder: For its files.
        settings: Lines of its configuration, beside the listener.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self.port, self._folder = free_port(), folder
        lines = settings or ("allow_anonymous true",)
        self._file = folder / "mosquitto.conf"
        whole = [f"listener {self.port} 127.0.0.1", f"user {getpass.getuser()}", *lines]
        self._file.write_text("\n".join(whole) + "\n")

    def __enter__(self) -> Mosquitto:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        program = shutil.which("mosquitto", path=_path())
        assert program is not None
        with (self._folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen(
                [program, "-c", str(self._file)], stdout=log, stderr=log
            )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None, (self._folder / "mosquitto.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.02)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
