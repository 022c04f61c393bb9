"""Problems too large: refused before memory is taken, and `check` promises what `leakage` does."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import covey

GIB = 2**30

BILLIONS = """[types]
A = 1000000000
B = 1000000000
[network]
reactions = \"\"\"
{A} + {B} <-> {A,B} @ 1, 1
{A} <-> w{A} @ 1, 2
{B} <-> w{B} @ 1, 3
\"\"\"
"""
RING = """[types]
A = 300
B = 300
[network]
reactions = \"\"\"
x{A} -> y{A} @ 1
y{A} -> z{A} @ 2
x{B} -> y{B} @ 1
y{B} -> z{B} @ 3
z{A} + z{B} -> x{A} + x{B} @ 1
\"\"\"
[initial]
A = "x{A}"
B = "x{B}"
"""
TWO_AT_ONCE = """[types]
A = 3
B = 2
[network]
reactions = "{A} + {B} <-> x{A} + x{B} @ 1, 2"
[observe]
busy = "x{A} + x{B}"
"""
DEPOT = """[types]
carrier = {carrier}
picker = {picker}
forklift = {forklift}
[resources]
dock = {dock}
[network]
reactions = \"\"\"
{{carrier}} + {{picker}} <-> pick{{carrier,picker}} @ 0.02, 1
{{carrier}} + {{forklift}} <-> lift{{carrier,forklift}} @ 0.03, 1
{{carrier}} + {{dock}} <-> charge{{carrier,dock}} @ 0.05, 0.5
{{picker}} + {{dock}} <-> charge{{picker,dock}} @ 0.04, 0.5
{{forklift}} + {{dock}} <-> charge{{forklift,dock}} @ 0.06, 0.5
\"\"\"
[observe]
driving = "{{carrier}} + {{picker}} + {{forklift}}"
working = "pick{{carrier,picker}} + lift{{carrier,forklift}}"
charging = "charge{{carrier,dock}} + charge{{picker,dock}} + charge{{forklift,dock}}"
"""


def depot(times: int) -> str:
    robots = {"carrier": 60, "picker": 40, "forklift": 20, "dock": 15}
    return DEPOT.format(**{name: times * count for name, count in robots.items()})


def fifty(pairs: bool) -> str:
    names = [f"t{i}" for i in range(50)]
    if pairs:
        lines = [
            f"{{{a}}} + {{{b}}} <-> w{{{a},{b}}} @ 1, 2"
            for i, a in enumerate(names)
            for b in names[i + 1 :]
        ]
        seen = " + ".join(f"{{{name}}}" for name in names)
    else:
        lines = [f"{{{name}}} <-> w{{{name}}} @ 1, 2" for name in names]
        seen = " + ".join(f"w{{{name}}}" for name in names)
    types = "\n".join(f"{name} = 2" for name in names)
    text = "\n".join(lines)
    return f'[types]\n{types}\n[network]\nreactions = """\n{text}\n"""\n[observe]\ny = "{seen}"\n'


def bounded(text: str, folder: Path, *args: str, space: int = 3 * GIB) -> tuple[int, str]:
    """Runs covey with so much address space at the most: what takes more fails at once."""
    file = folder / "scenario.toml"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "covey", args[0], str(file), "--quiet", *args[1:]],
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)),
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("at", ["steady", "1"])
def test_billions_of_robots_are_refused_before_memory_is_taken(tmp_path: Path, at: str) -> None:
    code, said = bounded(BILLIONS, tmp_path, "leakage", "--at", at)
    assert code == 3
    assert "states" in said or "jumps" in said


def test_billions_of_robots_are_checked(tmp_path: Path) -> None:
    assert bounded(BILLIONS, tmp_path, "check")[0] == 0


def test_a_ring_knows_its_size_without_exploring_it(tmp_path: Path) -> None:
    code, said = bounded(RING, tmp_path, "leakage", "--at", "steady")
    assert code == 3
    assert "more than 2,065,793,401 states" in said


def test_fifty_types(tmp_path: Path) -> None:
    assert bounded(fifty(pairs=False), tmp_path, "leakage")[0] == 0
    code, said = bounded(fifty(pairs=True), tmp_path, "leakage")
    assert code == 3
    assert "too entangled" in said


def promised(text: str, folder: Path, *options: str) -> tuple[Any, Any]:
    """What `check` says of the steady state, and what `leakage` does."""
    file = folder / "scenario.toml"
    file.write_text(text)
    plan = covey("check", file, "--json", *options).json["plans"]["steady"]
    return plan, covey("leakage", file, "--at", "steady", "--json", *options)


@pytest.mark.parametrize("options", [(), ("--max-states", "2")])
def test_check_asks_the_one_who_will_compute(tmp_path: Path, options: tuple[str, ...]) -> None:
    plan, answer = promised(TWO_AT_ONCE, tmp_path, *options)
    assert plan["certain"] == (not options)
    if options:  # a window is tried, and whether two states hold the mass is not known before
        assert plan["method"] == "window"
        assert answer.code == 3
    else:
        assert plan["method"] == answer.json["method"] == "stationary"
    text = covey("check", tmp_path / "scenario.toml").out
    assert "Closed form" not in text


def test_a_fleet_is_followed_for_all_but_a_little(tmp_path: Path) -> None:
    plan, answer = promised(depot(4), tmp_path, "--max-states", "1000000")
    assert plan["method"] == answer.json["method"] == "product-form"
    assert plan["certain"]
    assert plan["tolerance"] == 1e-12
    assert plan["why"] == answer.json["why"]
    assert "all but 1e-12 of the probability" in plan["why"]
    assert 0 < answer.json["lost_mass"] <= 1e-12
    assert answer.json["lower"] > 0
    assert answer.json["upper"] == "inf"


def test_a_depot_that_can_be_summed_is_exact(tmp_path: Path) -> None:
    plan, answer = promised(depot(1), tmp_path, "--tolerance", "1e-6")
    assert plan["certain"]
    assert plan["tolerance"] == 0
    assert answer.json["lost_mass"] == 0


def test_the_tolerance_is_that_of_the_command_line(tmp_path: Path) -> None:
    plan, answer = promised(depot(2), tmp_path, "--tolerance", "1e-5")
    assert plan["tolerance"] == 1e-5
    assert 1e-12 < answer.json["lost_mass"] <= 1e-5
    file = tmp_path / "scenario.toml"
    assert "for all but 1e-05 of the probability" in covey("check", file, "--tolerance", "1e-5").out


def test_no_memory_is_an_exit_code(tmp_path: Path) -> None:
    # More states than the address space holds are asked for by name.
    code, said = bounded(
        depot(2), tmp_path, "leakage", "--at", "1", "--max-states", "100000000", space=GIB
    )
    assert code == 3
    assert "memory" in said
