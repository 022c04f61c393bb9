"""What would take too much says so, names its own cause, and takes little memory to say it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE
from tests.conftest import EXAMPLES

pytestmark = [
    pytest.mark.slow,  # a process each
    pytest.mark.skipif(os.name == "nt", reason="a limit on the address space"),
]

SHARED = str(next(path for path in EXAMPLES if path.stem == "shared-resource"))
MEMORY = 2_000_000_000  # bytes of address space, libraries included

FAMILY = """
[types]
A = 1
[sets]
places = [{places}]
[network]
reactions = "$i{{A}} -> $j{{A}} @ 1 for i != j in places"
"""


def limited(*arguments: object, cwd: Path) -> tuple[int, str, str]:
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY})); "
        "from covey.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_the_comparison_never_costs_the_mechanism(tmp_path: Path) -> None:
    """Three outcomes of 20,000 robots: the noise on them would be 6 GB."""
    many = ("--set", "types.A=10000", "--set", "types.B=10000")
    code, out, told = limited(
        "protect", SHARED, *many, "-e", "0.5", "--only-this-team", "-o", "m.json", cwd=tmp_path
    )
    assert code == 0, told
    assert "not compared, since it would take too much: geometric noise" in out
    assert json.loads((tmp_path / "m.json").read_text())["covey_mechanism"] == 2


@pytest.mark.parametrize("verb", [("protect", "-e", "0.5", "--only-this-team"), ("sensitivity",)])
def test_as_many_robots_as_there_can_be(verb: tuple[str, ...], tmp_path: Path) -> None:
    most = ("--set", "types.A=1000000000")
    code, _, told = limited(verb[0], SHARED, *verb[1:], *most, cwd=tmp_path)
    assert code == 0, told


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("family", FAMILY.format(places=", ".join(f'"s{i}"' for i in range(310))), 2,
         "there would be 95,790 reactions: at most 20,000 can be"),
        ("types", "[types]\n" + "\n".join(f"t{i} = 1" for i in range(50_000))
         + '\n[network]\nreactions = "{$i} <-> w{$i} @ 1, 1 for i in types"\n', 3,
         "[types] has 50,000 names: at most 1,000 can be"),
        ("key", "a" + ".a" * 200_000 + " = 1\n", 2, "a key has too many parts"),
    ],
)  # fmt: skip
def test_small_files_that_mean_much(
    name: str, text: str, code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / f"{name}.toml").write_text(text)
    found, _, told = limited("check", f"{name}.toml", cwd=tmp_path)
    assert (found, said in told) == (code, True), told


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("design", SHARED, "--vary", "rates.take=0.1:2", "--starts", "10000000"), 2,
         "10000000 starts: 1 to 10,000 are expected"),
        (("protect", SHARED, "-e", "0.5", "--only-this-team", "--moments",
          ",".join(map(str, range(20_000)))), 3, "20,000 moments: at most 1,000 can be"),
        (("trace", SHARED, "--until", "2", "--points", "1000000000"), 2, "2 to 100,000"),
        (("simulate", SHARED, "--until", "2", "--points", "10000000000"), 2, "1 to 100,000"),
        (("sensitivity", SHARED, "--at", "1e6"), 0, ""),
        (("publish", "/dev/zero"), 2, "more than"),
        (("audit", SHARED, "--logs", "/dev/zero"), 2, "a line of a megabyte"),
        (("fit", SHARED, "--log", "/dev/zero"), 2, "a line of a megabyte"),
        (("fit", SHARED, "--log", "/dev/zero", "--skip-bad"), 2, "the file is empty"),
        (("infer", SHARED, "--series", "/dev/zero"), 2, "a line of more than 1 GB"),
    ],
)  # fmt: skip
def test_options_that_ask_for_much(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    found, _, told = limited(*arguments, cwd=tmp_path)
    assert (found, said in told) == (code, True), told
