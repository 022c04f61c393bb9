"""The commands and the Python that give the same numbers, for whoever wants to go on by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from covey.app.answers.asked import Asked
from covey.errors import InputError, UnsupportedError
from covey.privacy.headline import DELTA
from covey.privacy.stream.pace import usual_pace
from covey.study.assessment import TIMES, horizon, rest_of

_FILE = "fleet.toml"
_EPSILON = 0.5  # where nothing was promised yet: as the page starts with


def commands(asked: Asked) -> Iterator[tuple[str, Any]]:
    """For a `file` that holds the text of the page, with what was promised and looked for there."""
    scenario = asked.scenario()
    file, delta = asked.options.get("file") or _FILE, asked.number("delta")
    if not isinstance(file, str):
        raise InputError("file: its name is expected", key="file")
    delta = DELTA if delta is None else delta
    every, until = usual_pace(scenario)
    epsilon = asked.promised() or _EPSILON
    one_team = scenario.secret.teams is None
    alone, teams = (["--only-this-team"], ', teams="this"') if one_team else ([], "")
    shell = [
        ["leakage", file, "--delta", repr(delta)],
        ["stream", file, "--every", repr(every), "--for", repr(until)],
        ["sensitivity", file],
        ["protect", file, "--epsilon", repr(epsilon), *alone, "-o", "mechanism.json"],
        ["report", file, "-o", "report.html"],
    ]
    python = [
        "import covey",
        "",
        f"scenario = covey.load({file!r})",
        f"print(covey.leakage(scenario).headline({delta!r}))",
        f"print(covey.stream(scenario, {every!r}, {until!r}))",
        "print(covey.sensitivity(scenario))",
        f"print(covey.protect(scenario, epsilon={epsilon!r}{teams}))",
    ]
    if scenario.performance:
        shell.insert(1, ["performance", file])
        python.append("print(covey.performance(scenario))")
    with suppress(UnsupportedError):  # it never settles, and nobody has said until when
        last = horizon(scenario, rest_of(scenario))
        shell.insert(1, ["trace", file, "--until", repr(last)])
        times = f"[{last!r} * (i / {TIMES - 1}) ** 2 for i in range({TIMES})]"
        python.append(f"print(covey.trace(scenario, {times}))")
    if asked.ranges():
        shell.insert(-1, _design(asked, file))
        keep = f"keep={asked.shares()!r}, front={asked.front()}"
        python.append(f"print(covey.design(scenario, {asked.ranges()!r}, {keep}))")
    lines = [shlex.join(["covey", *words]) for words in shell]
    yield "commands", {"shell": lines, "python": "\n".join(python) + "\n"}


def _design(asked: Asked, file: str) -> list[str]:
    words = ["design", file]
    for name, (low, high) in asked.ranges().items():
        words += ["--vary", f"{name}={low!r}:{high!r}"]
    for name, share in asked.shares().items():
        words += ["--keep", f"{name}={share!r}"]
    if asked.front():
        words += ["--front", str(asked.front())]
    return [*words, "-o", "better.toml"]
