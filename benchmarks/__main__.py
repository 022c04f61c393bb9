"""`python -m benchmarks [NAME ...] [--save]`: prints the tables, and puts them into the docs.

Without a name all of them run, but for those that take very long alone; `NAME_long` is what takes
long of another. Several run one after the
other in processes of their own; one that fails, or for which no time is left, is named at the end,
and its page stays as it was.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.page import Meter, head

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "benchmarks"
FILES = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
LONG = [f"{name}_long" for name, path in FILES.items() if "def run_long(" in path.read_text()]
NAMES = [*FILES, *LONG]
# Those that take minutes each, or an hour.
BY_NAME = {"feed_audit", "fleet_verbs", "follow", "stream", "thirty", *LONG}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--save", action="store_true", help=f"write the tables to {DOCS.name}/")
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all of them")
    asked = parser.parse_args()
    names = asked.names or [name for name in NAMES if name not in BY_NAME]
    for name in names:
        if name not in NAMES:
            parser.error(f"no benchmark {name}; there are {', '.join(NAMES)}")
    if len(names) == 1:
        measure(names[0], save=asked.save)
    else:
        several(names, time.monotonic() + 60 * asked.minutes, save=asked.save)


def measure(name: str, *, save: bool) -> None:
    """Prints the page of one of them, and writes it."""
    module, meter = import_module(f"benchmarks.bench_{name.removesuffix('_long')}"), Meter()
    tables = module.run_long() if name in LONG else module.run()
    text = f"{head(name, module, tables, meter)}\n\n{tables}\n"
    print(text, flush=True)
    if save:
        DOCS.mkdir(exist_ok=True)
        if hasattr(module, "pictures") and name not in LONG:
            text += "\n" + "\n\n".join(module.pictures(DOCS)) + "\n"
        (DOCS / f"{name}.md").write_text(text, encoding="utf-8")


def several(names: list[str], end: float, *, save: bool) -> None:
    """One after the other, until there is no time left; those that failed are named at last."""
    failed, each = [], (end - time.monotonic()) / 4  # of the time, that no one takes more of
    for name in names:
        began = time.monotonic()
        command = [sys.executable, "-m", "benchmarks", name, *(["--save"] if save else [])]
        with subprocess.Popen(command, cwd=HERE.parent, start_new_session=True) as process:
            try:
                left = min(end - began, each)
                code = process.wait(None if math.isinf(left) else max(left, 0.1))
                why = f"ended with {code}" if code else ""
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                why = "there was no time left for it"
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        failed += [f"{name}: {why}"] if why else []
        print(f"{name}: {(time.monotonic() - began) / 60:.1f} min {why}", file=sys.stderr)
    if failed:
        sys.exit("Not measured:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
