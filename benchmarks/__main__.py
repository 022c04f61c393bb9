"""`python -m benchmarks [NAME ...] [--save]`: prints the tables, and puts them into the docs.

Without a name all of them run, but for those that take very long alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "benchmarks"
NAMES = sorted(path.stem for path in HERE.glob("bench_*.py"))
BY_NAME = ("fleet_verbs", "stiff_six", "thirty")  # more than half an hour together


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [name.removeprefix("bench_") for name in NAMES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--save", action="store_true", help=f"write the tables to {DOCS.name}/")
    asked = parser.parse_args()
    for name in asked.names or [name for name in names if name not in BY_NAME]:
        if name not in names:
            parser.error(f"no benchmark {name}; there are {', '.join(names)}")
        module = import_module(f"benchmarks.bench_{name}")
        text = f"{module.run()}\n\n{machine()}, {when()}: `python -m benchmarks {name}`\n"
        print(text, flush=True)
        if asked.save:
            DOCS.mkdir(exist_ok=True)
            if hasattr(module, "pictures"):
                text += "\n" + "\n\n".join(module.pictures(DOCS)) + "\n"
            (DOCS / f"{name}.md").write_text(text, encoding="utf-8")


def machine() -> str:
    """What the figures were measured on."""
    busy = f"{os.getloadavg()[0]:.1f} of them busy in the last minute"
    return f"{os.cpu_count()} cores ({busy}), {platform.machine()}, Python {sys.version.split()[0]}"


def when() -> str:
    """The day, and the commit that was measured."""
    said = []
    for command in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "src"]):
        done = subprocess.run(
            ["git", *command], cwd=HERE, capture_output=True, text=True, check=False
        )
        said.append(done.stdout.strip())
    commit, changed = said
    where = f"commit {commit}" + (" and changes" if changed else "") if commit else "no commit"
    return f"{datetime.now(UTC):%d %B %Y}, {where}"


main()
