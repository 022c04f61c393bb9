"""How long a slider's answer takes, through the server, as the page asks for it.

The real command on a port of this machine, its workers warm: a rate moves a little, and the text
comes back with the whole answer. The processor's time is what the worker computed for; the rest is
the way there and back, and waiting for a core beside whatever else goes on. Where the time goes is
measured in this process, by the function that the worker calls.
"""

from __future__ import annotations

import http.client
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from benchmarks.timing import markdown
from covey.app.answers.answer import answer
from covey.app.answers.asked import Asked, Kept
from covey.app.examples import examples
from covey.app.guard import HEADER
from covey.model.io.scenario_file import loads
from covey.model.io.value_edit import with_values

AGAINST = "no other program; how long the app itself takes"
MOVES = 20
WARM = 3
PARTS = ("text", "model", "headline", "performance", "distributions", "exposed", "profile")
LARGE = "task-families"  # no symmetry folds it: every distribution is that of another chain


class Case(NamedTuple):
    """A scenario, and its slider."""

    name: str
    text: str
    knob: str
    value: float

    @property
    def moves(self) -> int:
        """How often it is moved: less where an answer takes long."""
        return MOVES // 2 if "," in self.name else MOVES

    def moved(self, i: int) -> dict[str, float | int]:
        """Where the slider stands after i moves: a rate goes on, a count to and fro."""
        if self.knob.startswith("types."):
            return {self.knob: int(self.value) + i % 2}
        return {self.knob: self.value * 1.01 ** (i % 20)}


def run() -> str:
    with started() as server:
        rows = [[case.name, *through_the_server(case, *server)] for case in cases()]
    header = ["scenario", "slider", "states", "processor's time", "first part", "whole answer",
              "slowest answer"]  # fmt: skip
    table = markdown(header, rows)
    parts = markdown(["scenario", *PARTS], [[case.name, *by_part(case)] for case in cases()])
    return (
        f"### A slider's answer: median of {MOVES} moves, in milliseconds\n\n{table}\n\n"
        f"### Where the processor's time goes, in milliseconds\n\n{parts}"
    )


def cases() -> Iterator[Case]:
    for one in examples():
        yield case_of(one["name"], one["text"])
    (text,) = (one["text"] for one in examples() if one["name"] == LARGE)
    yield case_of(f"{LARGE}, 7 of each", with_values(text, {f"types.{i}": 7 for i in "123"}))


def case_of(name: str, text: str) -> Case:
    scenario = loads(text)
    rates, types = scenario.network.rates, scenario.team.types
    knob, value = next(iter((rates or types).items()))
    return Case(name, text, f"{'rates' if rates else 'types'}.{knob}", value)


def through_the_server(case: Case, port: int, token: str) -> list[str]:
    """The slider, states, and the times: of computing, of the first part, of all, and at worst."""
    first, whole, computing, states = [], [], [], None
    for i in range(WARM + case.moves):
        body = {"question": "answer", "tab": "bench", "text": case.text, "set": case.moved(i)}
        connection = http.client.HTTPConnection("127.0.0.1", port)
        began = time.perf_counter()
        connection.request("POST", "/api/ask", json.dumps(body), {
            "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json",
            HEADER: token,
        })  # fmt: skip
        lines = connection.getresponse()
        for line in lines:
            now = 1000 * (time.perf_counter() - began)
            found = json.loads(line)
            assert "error" not in found, found
            if found.get("part") == "model":
                begun, states = now, found["value"]["states"]
        connection.close()
        if i >= WARM:
            first.append(begun)
            whole.append(now)
            computing.append(1000 * found["done"]["computing"])
    median = statistics.median
    shown = "∞" if states is None else f"{states:,}"
    figures = f"{median(first):.0f}", f"**{median(whole):.0f}**", f"{max(whole):.0f}"
    return [case.knob, shown, f"{median(computing):.0f}", *figures]


def by_part(case: Case) -> list[str]:
    """The median of the processor's time for each part."""
    kept, times = Kept(), dict[str, list[float]]()
    for i in range(WARM + case.moves // 2):
        asked = Asked({"text": case.text, "set": case.moved(i)}, kept, lambda *_: None)
        before = time.process_time()
        for part, _ in answer(asked):
            now = time.process_time()
            times.setdefault(part, []).append(1000 * (now - before))
            before = now
    return [
        f"{statistics.median(times[part][WARM:]):.1f}" if part in times else "" for part in PARTS
    ]


@contextmanager
def started() -> Iterator[tuple[int, str]]:
    """The server's port, and the token of whoever opened it."""
    command = [sys.executable, "-m", "covey", "app", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/#token=(\S+)", process.stdout.readline())
            assert found is not None
            yield int(found[1]), found[2]
        finally:
            process.terminate()
