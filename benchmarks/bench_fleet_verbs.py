"""Every verb on a fleet: what answers, and how much CPU it takes, start of the process included.

Fleets of 180 and of 1,000 robots: complex-balanced, and not (`fleet_files`). A verb that refuses
says in a sentence what answers instead; whatever takes longer than `MOST` is ended, and said so.
CPU seconds, as they depend less on what else the machine does.

    python -m benchmarks.bench_fleet_verbs stream report 180     these verbs on these fleets alone
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.fleet_files import LARGE, SMALL, balanced, breaking, limited, models
from benchmarks.timing import markdown

AGAINST = "no other program; CPU seconds of every verb"
MOST = 200  # CPU seconds
FLEETS = {
    "180": balanced(SMALL),
    "180, docks as a law": limited(SMALL),
    "180, repairs": breaking(SMALL),
    "180 of ten models": models(),
    "1,000": balanced(LARGE),
    "1,000, docks as a law": limited(LARGE),
    "1,000, repairs": breaking(LARGE),
}
VERBS = (
    "check FILE",
    "explain FILE",
    "leakage FILE",
    "profile FILE",
    "stream FILE",
    "protect FILE --epsilon 0.5 --only-this-team -o OUT.json",
    "protect FILE --target guess=0.6 --only-this-team -o OUT.json",
    "protect FILE --stand-in runner=90,lifter=60,tug=30",
    "design FILE --vary rates.*=x0.5:x2 --keep throughput=0.9",
    "sweep FILE --vary types.tug=28:32:2 -o OUT.csv",
    "trace FILE --until 480",
    "sensitivity FILE",
    "performance FILE",
    "first FILE 'charging >= 24' --at 480",
    "audit FILE",
    "estimate FILE --of types.tug=25:35",
    "certainty FILE --every 10 --for 480",
    "simulate FILE --until 480",
    "report FILE -o OUT.html",
)
_TEN = {"runner=90,lifter=60,tug=30": ",".join(f"m{i}=18" for i in range(1, 11)), "tug": "m10"}
_OF_A_THOUSAND = {
    "runner=90,lifter=60,tug=30": "runner=500,lifter=330,tug=170",
    "tug=28:32:2": "tug=160:180:10",
    ">= 24": ">= 130",
    "tug=25:35": "tug=165:175",
}


def run(words: Sequence[str] = ()) -> str:
    fleets = [name for name in FLEETS if name in words] or list(FLEETS)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for verb in [verb for verb in VERBS if verb.split()[0] in words] or VERBS:
            cells = [asked(verb, name, FLEETS[name], Path(folder)) for name in fleets]
            rows.append([f"`{verb}`", *cells])
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return markdown(["`covey …`", *fleets], rows)


def asked(verb: str, fleet: str, text: str, folder: Path) -> str:
    """`3.9 s`, `refused, 1.2 s`, or that it was ended."""
    file = folder / "fleet.toml"
    file.write_text(text, encoding="utf-8")
    changed = _OF_A_THOUSAND if fleet.startswith("1,000") else _TEN if "ten" in fleet else {}
    for small, other in changed.items():
        verb = verb.replace(small, other)
    words = [word.replace("FILE", str(file)) for word in shlex.split(verb)]
    words = [str(folder / word) if word.startswith("OUT") else word for word in words]
    before = children()
    done = subprocess.run(
        [sys.executable, "-m", "covey", *words, "-q"],
        capture_output=True, check=False, cwd=folder, preexec_fn=limit,
    )  # fmt: skip
    seconds = children() - before
    if done.returncode < 0:
        return f"more than {MOST} s"
    said = {0: "", 2: "refused, ", 3: "refused, "}[done.returncode]
    return f"{said}{seconds:.1f} s"


def children() -> float:
    """The CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def limit() -> None:
    """No process of the command may compute for longer."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST))


if __name__ == "__main__":
    print(run(sys.argv[1:]))
