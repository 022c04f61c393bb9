"""What verbs advise when they refuse is done, and gives an answer: designs, fits, streams, tables."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # two processes for every case

TEXTS = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES}


def scenario(network: str, observe: str, types: Mapping[str, int], rates: str = "") -> str:
    counts = "\n".join(f"{name} = {count}" for name, count in types.items())
    return (
        f'[types]\n{counts}\n[rates]\n{rates}\n[network]\nreactions = """\n{network}\n"""\n'
        f'[observe]\nn = "{observe}"\n'
    )


TWO = {"A": 2, "B": 2}
MEET = "0 <-> {A} @ 30, 1\n0 <-> {B} @ 20, 1\n{A} + {B} -> 0 @ 0.1"
LEFT_TOGETHER = "0 -> {A} @ 2\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1"
FLIPS = "{A} <-> on{A} @ 1, 1\n{B} <-> on{B} @ 1, 2"
TWICE = "{A} -> on{A} @ 1\n{A} -> on{A} @ slow\non{A} -> {A} @ 1"

# What is there beside the examples.
FILES = {
    **TEXTS,
    "three-types-alone.toml": TEXTS["three-types.toml"].partition("\npairs ")[0],
    "meet.toml": scenario(MEET, "{A} + {B}", TWO),
    "unseen.toml": scenario(
        f"{MEET}\n0 <-> {{C}} @ 20, 1\n{{A}} + {{C}} -> 0 @ 0.1", "{A} + {B}", {**TWO, "C": 2}
    ),
    "arrives.toml": scenario(f"0 -> {{A}} @ 1\n{FLIPS}", "on{A} + on{B}", TWO),
    "leaves.toml": scenario(f"0 <-> {{A}} @ 1, 1\n{FLIPS}", "on{A} + on{B}", TWO),
    "together.toml": scenario(LEFT_TOGETHER, "{A} + {B}", TWO),
    "one-by-one.toml": scenario(
        f"{LEFT_TOGETHER}\n{{A}} -> 0 @ 1\n{{B}} -> 0 @ 1", "{A} + {B}", TWO
    ),
    "twice.toml": scenario(TWICE, "on{A}", {"A": 2}, "slow = 0.1"),
    "one-name.toml": scenario(TWICE.replace("on{A} @ 1\n", "on{A} @ slow\n", 1), "on{A}",
                              {"A": 2}, "slow = 0.1"),
    "named.csv": "time,reaction\n0,\n1,{A} -> on{A}\n2,{A} -> on{A}\n4,on{A} -> {A}\n",
    "numbered.csv": "time,reaction\n0,\n1,1\n2,2\n4,3\n",
    "still.csv": "time,reaction\n0,\n",
    "one-carrier.csv": 'robot,time,state\nc,0,{carrier}\nc,5,"charge{carrier,dock}"\np,0,{picker}\n'
                       'p,6,{picker}\n',
    "unknown.csv": "robot,time,state\nx,0,\ny,0,\nx,5,charge\n",
    "typed.csv": "robot,type,time,state\nx,carrier,0,\ny,picker,0,\nx,carrier,5,charge\n",
    "fleet.csv": "robot,type\nx,carrier\ny,picker\n",
}  # fmt: skip

SMALL = "--set types.1=20 --set types.2=20 --set types.3=20"
FEW = "--set types.1=2 --set types.2=2 --set types.3=2"
PROJECTED = (
    f"protect task-network.toml --only-this-team --at 0.2 --epsilon 0.5 --tolerance 1e-6 {FEW}"
)
THROTTLED = "design throttled-warehouse.toml --starts 1"
PAIR = "--set types.carrier=1 --set types.picker=1"
IN_PLACE = "publish stream.json free=1,busy=2"

# What is asked, what is said, and every way in which it is done.
CASES: dict[str, tuple[str, str, list[str]]] = {
    "thinning": (
        "leakage three-types.toml --seen 0.5",
        "take a smaller team or a coarser query",
        [f"leakage three-types.toml --seen 0.5 {SMALL}", "leakage three-types-alone.toml --seen 0.5"],
    ),
    "a window": (
        "distribution meet.toml --at steady --max-states 900",
        "Or allow more by --max-states",
        ["distribution meet.toml --at steady --max-states 3000"],
    ),
    "a window over what nobody sees": (
        "distribution unseen.toml --at steady --max-states 3000",
        "Leave out species that nobody sees",
        ["distribution meet.toml --at steady --max-states 3000"],
    ),
    "nobody leaves": (
        "distribution arrives.toml --at steady",
        "Add a way for them to leave",
        ["distribution leaves.toml --at steady"],
    ),
    "no proof": (
        "distribution together.toml --at steady",
        "It helps if every species that can grow is also left one by one",
        ["distribution one-by-one.toml --at steady"],
    ),
    "no rate between snapshots": (
        "stream shared-resource.toml --target guess=0.5 --for 2 --every 1",
        "Publish less, as coarser counts, or allow more",
        ["stream shared-resource.toml --target guess=0.6 --for 2 --every 1"],
    ),
    "how often": (
        "stream shared-resource.toml",
        "a time between snapshots and one until which they go on are expected, or every and until "
        "in the scenario's [release]",
        ["stream shared-resource.toml --every 1 --for 2",
         "stream shared-resource.toml --set release.every=1 --set release.until=2"],
    ),
    "an audit of those who left": (
        "audit ride-sharing.toml --at steady --samples 200",
        "Ask for a time instead; what is given away about a robot that arrives is told by leakage "
        "and profile at steady state",
        ["audit ride-sharing.toml --at 1 --samples 200", "leakage ride-sharing.toml --at steady",
         "profile ride-sharing.toml --at steady"],
    ),
    "what is lost": (
        "protect ride-sharing.toml --only-this-team --epsilon 0.5 --tolerance 1e-8",
        "allow a δ above it",
        ["protect ride-sharing.toml --only-this-team --epsilon 0.5 --tolerance 1e-8 --delta 1e-6"],
    ),
    "what a projection loses": (
        f"{PROJECTED} --method projection",
        "where there are finitely many states, compute on all of them",
        [PROJECTED],
    ),
    "a delta below what is lost": (
        "protect ride-sharing.toml --only-this-team --epsilon 0.5 --delta 1e-20",
        "a larger one is needed (or a smaller --tolerance)",
        ["protect ride-sharing.toml --only-this-team --epsilon 0.5 --delta 1e-9",
         "protect ride-sharing.toml --only-this-team --epsilon 0.5 --delta 1e-20 --tolerance 1e-22"],
    ),
    "a promise": (
        "protect shared-resource.toml",
        "--epsilon E is needed, as 0.5; or --target guess=0.6 for a stream, or --front PICTURE",
        ["protect shared-resource.toml --only-this-team --epsilon 0.5", "protect shared-resource.toml --front f.svg",
         "protect shared-resource.toml --only-this-team --target guess=0.6 --every 1 --for 2"],
    ),
    "two promises": (
        "protect shared-resource.toml --only-this-team --epsilon 0.5 --target guess=0.6 --every 1 --for 2",
        "leave one of them out",
        ["protect shared-resource.toml --only-this-team --epsilon 0.5"],
    ),
    "a stream at a time": (
        "protect shared-resource.toml --only-this-team --at 3 --target guess=0.6 --every 1 --for 2",
        "adversary.at must be steady (--at steady)",
        ["protect shared-resource.toml --only-this-team --at steady --target guess=0.6 --every 1 --for 2"],
    ),
    "what may change": (
        "design shared-resource.toml --starts 1",
        "--vary rates.take=0.1:2 says it",
        ["design shared-resource.toml --starts 1 --vary rates.take=0.1:2"],
    ),
    "a design for privacy": (
        f"{THROTTLED} --maximise picks --vary rates.meet=0.1:1",
        "say --target guess=",
        [f"{THROTTLED} --maximise picks --vary rates.meet=0.1:1 --target guess=0.6"],
    ),
    "a front": (
        f"{THROTTLED} --vary rates.meet=0.1:0.2 --csv front.csv",
        "--csv, --plot and --points are for a front: add --front 8",
        [f"{THROTTLED} --vary rates.meet=0.1:0.2 --csv front.csv --front 2"],
    ),
    "a design that is out of reach": (
        f"{THROTTLED} --maximise picks --vary rates.meet=0.19:0.2 --target guess=0.56",
        "Widen the ranges, ask for less",
        [f"{THROTTLED} --maximise picks --vary rates.meet=0.1:0.2 --target guess=0.56",
         f"{THROTTLED} --maximise picks --vary rates.meet=0.19:0.2 --target guess=0.57"],
    ),
    "an infinite leakage": (
        f"{THROTTLED} --minimise leakage --vary rates.meet=0.1:0.2",
        "minimise guess, or epsilon at a delta above the total variation; let a count",
        [f"{THROTTLED} --minimise guess --vary rates.meet=0.1:0.2",
         f"{THROTTLED} --minimise epsilon --delta 0.14 --vary rates.meet=0.1:0.2",
         "protect throttled-warehouse.toml --only-this-team --epsilon 1"],
    ),
    "a stream's state": (
        f"{IN_PLACE} --time 0",
        "--state FILE is needed",
        [f"{IN_PLACE} --time 0 --state first.json"],
    ),
    "a stream's time": (
        f"{IN_PLACE} --state second.json",
        "--time T is needed",
        [f"{IN_PLACE} --time 0 --state second.json"],
    ),
    "one mission": (
        f"{IN_PLACE} --time 0 --state third.json --each-is-a-mission",
        "leave out --each-is-a-mission",
        [f"{IN_PLACE} --time 0 --state third.json"],
    ),
    "rates that are alike": (
        "fit twice.toml --log named.csv",
        "Give every event in the log the number of its reaction, as it stands in the network (1 is "
        "the first), or give their rates one name in [rates]",
        ["fit twice.toml --log numbered.csv", "fit one-name.toml --log named.csv"],
    ),
    "no time in a log": (
        "fit shared-resource.toml --log still.csv",
        "or say until when it was watched",
        ["fit shared-resource.toml --log still.csv --until 5"],
    ),
    "robots that are not heard of": (
        "fit warehouse.toml --log one-carrier.csv",
        "say how many there are, as in --set types.carrier=1",
        [f"fit warehouse.toml --log one-carrier.csv {PAIR}"],
    ),
    "robots without a type": (
        f"fit warehouse.toml --log unknown.csv {PAIR}",
        "a column type is expected, a fleet file (--fleet), or [log] types in the scenario",
        [f"fit warehouse.toml --log typed.csv {PAIR}",
         "fit warehouse.toml --log unknown.csv --fleet fleet.csv"],
    ),
    "too many cells": (
        "sweep shared-resource.toml --vary types.A=1:2000 --vary types.B=1:2000 -o cells.csv",
        "Take fewer values, or a random sample",
        ["sweep shared-resource.toml --vary types.A=1:2 --vary types.B=1:2 -o cells.csv"],
    ),
    "how long": (
        "simulate shared-resource.toml",
        "Say --until T, or give the file a time as adversary.at",
        ["simulate shared-resource.toml --until 1",
         "simulate shared-resource.toml --set adversary.at=1"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("advice")
    for name, text in FILES.items():
        (path / name).write_text(text, encoding="utf-8")
    table = ["protect", "shared-resource.toml", "-q", "--only-this-team", "-o"]
    stream = ["--target", "guess=0.6", "--every", "1", "--for", "2"]
    assert covey(*table, "stream.json", *stream, cwd=path).code == 0
    assert covey(*table, "snapshot.json", "--epsilon", "0.5", cwd=path).code == 0
    return path


@pytest.mark.parametrize("case", CASES)
def test_what_is_advised_gives_an_answer(case: str, place: Path) -> None:
    asked, advice, ways = CASES[case]
    refused = covey(*shlex.split(asked), cwd=place)
    assert refused.code in (2, 3)
    assert advice in " ".join(refused.err.split())
    for way in ways:
        answered = covey(*shlex.split(way), "--json", "-q", cwd=place)
        assert answered.code == 0, f"{way}: {answered.err}"
        assert answered.json


def test_a_delta_above_the_total_variation_makes_epsilon_finite(place: Path) -> None:
    asked = f"{THROTTLED} --minimise epsilon --delta 0.14 --vary rates.meet=0.1:0.2 --json -q"
    before = covey(*shlex.split(asked), cwd=place).json["before"]
    assert before["total_variation"] < 0.14
    assert before["epsilon"] < 1e-9


def test_snapshots_are_not_told_to_say_until_when(place: Path) -> None:
    """Nothing is known after the last of them: until is refused."""
    (place / "one.csv").write_text('time,{A},{B},{R},"{A,R}","{B,R}"\n0,2,1,2,0,0\n')
    refused = covey("fit", "shared-resource.toml", "--log", "one.csv", cwd=place)
    assert refused.code == 2
    assert refused.err.rstrip().endswith("rows at different times are expected")


def test_a_feed_through_a_table_for_one_snapshot(place: Path) -> None:
    lines = "free,busy\n1,2\n2,1\n"
    refused = covey("publish", "snapshot.json", cwd=place, stdin=lines)
    assert refused.code == 2
    assert "(--each-is-a-mission)" in refused.err
    answered = covey("publish", "snapshot.json", "--each-is-a-mission", cwd=place, stdin=lines)
    assert answered.code == 0, answered.err
    assert len(answered.out.splitlines()) == 3
