"""The head of every page: when and on what it was measured, against whom, and who was faster.

Who was faster is read from the tables below it, where a comparison is a cell that ends in `N ×`:
how many times as long as covey the other took. So no page can say what its figures do not.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

_RATIO = re.compile(r"([\d,]+(?:\.\d+)?) ×(?=\*\*|\)|$)")
_SAME = 0.05  # ratios so near to 1 are called the same
_QUIET = 0.25  # cores that other programs may take


class Ratio(NamedTuple):
    """How many times as long as covey the other took, in a row of a table."""

    row: str
    times: float


class Meter:
    """What this process and those it started take of the machine, and what others do."""

    def __init__(self) -> None:
        self.load = os.getloadavg()[0]
        self.began, self.own, self.all = time.perf_counter(), _own(), _machine()

    def said(self) -> str:
        """`Load average at first 0.1; other programs took 0.02 of 2 cores: the machine was …`."""
        seconds = time.perf_counter() - self.began
        text = f"Load average at first {self.load:.1f}"
        if self.all is None:
            return f"{text}; it took {seconds / 60:.1f} minutes."
        others = max((_machine() or 0.0) - self.all - (_own() - self.own), 0.0) / seconds
        quiet = "quiet" if others < _QUIET else "busy, and times are longer than they need be"
        return (
            f"{text}, other programs took {others:.2f} of {os.cpu_count()} cores meanwhile: "
            f"the machine was {quiet}. It took {seconds / 60:.1f} minutes."
        )


def head(name: str, module: ModuleType, tables: str, meter: Meter) -> str:
    """What stands above the tables."""
    commit = measured_commit()
    return (
        f"*{datetime.now(UTC):%d %B %Y}, {commit}, {machine()}. {meter.said()} "
        f"`python -m benchmarks {name}`*\n\n"
        f"**Against:** {module.AGAINST}.\n\n**Faster:** {faster(module, ratios(tables))}."
    )


def machine() -> str:
    """What the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {sys.version.split()[0]}"


def measured_commit() -> str:
    """The commit that was measured, and whether covey was changed since."""
    said = []
    for command in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "src"]):
        done = subprocess.run(
            ["git", *command], cwd=Path(__file__).parent, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        said.append(done.stdout.strip())
    commit, changed = said
    return f"commit {commit}" + (" and changes" if changed else "") if commit else "no commit"


def ratios(tables: str) -> list[Ratio]:
    """Every comparison of some Markdown tables."""
    found, header = list[Ratio](), list[str]()
    for line in tables.splitlines():
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        header = header or cells
        row = f"{header[0]} {cells[0]}".strip() if header[0] in ("N", "τ") else cells[0]
        for cell in cells:
            for value in _RATIO.findall(cell.strip()):
                found.append(Ratio(row, float(value.replace(",", ""))))
    return found


def faster(module: ModuleType, found: list[Ratio]) -> str:
    """In how many comparisons covey was, and in which it was not."""
    said = []
    if found:
        won = [one.times for one in found if one.times > 1 + _SAME]
        lost = [one for one in found if one.times < 1 - _SAME]
        same = len(found) - len(won) - len(lost)
        said.append(f"covey in {len(won)} of {len(found)} comparisons")
        said[0] += f" ({min(won):g} to {max(won):g} times)" if won else ""
        said += [f"as fast in {same}"] if same else []
        said += [f"covey was slower in {_listed(lost)}"] if lost else []
    elif not hasattr(module, "FASTER"):
        said.append("no other program was timed, these are covey's figures alone")
    said += [module.FASTER] if hasattr(module, "FASTER") else []
    return "; ".join(said)


def _listed(lost: list[Ratio]) -> str:
    return ", ".join(f"“{one.row}” ({one.times:g} ×)" for one in lost)


def _own() -> float:
    """CPU seconds of this process and of those that it started and that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _machine() -> float | None:
    """CPU seconds of all programs since the machine began, where it says them."""
    try:
        words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq, steal = map(int, words)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
