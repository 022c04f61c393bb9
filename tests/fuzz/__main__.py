"""All inputs, in processes with a limit on their memory: `python -m tests.fuzz --count 100000`.

A process writes the number of every input before it tries it, and what is wrong with it after. One
that ends in the middle, or hangs where no signal reaches, has its last number to blame; another
goes on after it. An input that takes longer than any may is a finding as a traceback is.
"""

from __future__ import annotations

import argparse
import json
import resource
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.tries import LONG, WAITING

_MEMORY = 2_000_000_000  # bytes of data a process may take
_ENDED = "the process ended"


def main() -> int:
    """How it went, and 1 where something was found."""
    options = _options()
    if options.worker:
        _work(Path(options.worker), options)
        return 0
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name)
        from tests.fuzz.corpus import make

        make(corpus)
        return _all(corpus, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="go on from this input")
    parser.add_argument("--only", type=int, help="one input, shown")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def _all(corpus: Path, options: argparse.Namespace) -> int:
    numbers = (options.first, options.first + options.count)
    if options.only is not None:
        numbers = (options.only, options.only + 1)
    found: list[tuple[int, str]] = []
    done = 0
    next_ = numbers[0]
    while next_ < numbers[1]:
        for number, wrong in _process(corpus, options, next_, numbers[1]):
            next_, done = number + 1, done + 1
            if wrong:
                found.append((number, wrong))
                print(f"--- input {number} of seed {options.seed}: {wrong}", flush=True)
            if done % 1000 == 0:
                print(
                    f"{done:,} inputs, {len(found)} findings",
                    flush=True,
                )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(
        f"{done:,} inputs of seed {options.seed}: {len(found)} findings, {seconds:.0f} s of "
        f"computing, {used.ru_maxrss / 1000:.0f} MB at the most"
    )
    for line, times in Counter(_reason(why) for _, why in found).most_common():
        print(f"{times:6} × {line}")
    return 1 if found else 0


def _reason(wrong: str) -> str:
    """The line of a traceback that says what happened."""
    if wrong.startswith(LONG):
        return LONG
    lines = [
        line for line in wrong.split("\n") if line and not line.startswith((" ", "covey: this"))
    ]
    return lines[-1] if lines else wrong


def _process(
    corpus: Path, options: argparse.Namespace, first: int, last: int
) -> Iterator[tuple[int, str]]:
    """Inputs from the first on and what is wrong with each, until the process ends."""
    command = [
        sys.executable,
        "-m",
        "tests.fuzz",
        "--worker",
        str(corpus),
        "--seed",
        str(options.seed),
    ]
    command += ["--first", str(first), "--count", str(min(last - first, 4000))]
    command += ["--only", str(first)] if options.only is not None else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        at: int | None = None
        while True:
            ready, _, _ = select.select([process.stdout], [], [], 2 * WAITING)
            line = process.stdout.readline() if ready else ""
            if not line:
                process.kill()
                if at is not None:
                    yield (
                        at,
                        f"{_ENDED if ready else 'a hang that no signal ends'} ({process.wait()})",
                    )
                return
            told = json.loads(line)
            if "wrong" in told:
                yield told["number"], told["wrong"]
                at = None
            else:
                at = told["number"]


def _work(corpus: Path, options: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    from tests.fuzz.kinds import made
    from tests.fuzz.tries import wrong_with

    for number in range(options.first, options.first + options.count):
        if options.only is not None and number != options.only:
            continue
        print(json.dumps({"number": number}), flush=True)
        one = made(number, options.seed, corpus)
        if options.only is not None:
            print(one, file=sys.stderr)
        print(json.dumps({"number": number, "wrong": wrong_with(one, corpus)}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
