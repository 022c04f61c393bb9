"""Every verb in an interpreter of its own, which has loaded nothing but what the verb asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from covey.cli.command import VERBS
from tests.cli.command import covey, covey_process
from tests.conftest import EXAMPLES
from tests.remedy.test_design import TASKS

pytestmark = pytest.mark.slow  # a process for every verb

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
ELSEWHERE = {
    "app": "tests/app",
    "infer": "test_feed.py",
    "distribution": "test_surroundings.py",
    "serve": "tests/serve",
}

COMMANDS = {
    "account": "account FILE --missions 2",
    "audit": "audit FILE --samples 100 --seed 1",
    "certainty": "certainty FILE --follow --every 1 --for 4 --paths 200",
    "check": "check FILE",
    "compare": "compare FILE fleet.toml",
    "completion": "completion bash",
    "design": "design fleet.toml --vary rates.m1=0.1:1 --starts 1 --workers 1",
    "draw": "draw FILE -o net.svg",
    "estimate": "estimate FILE --of rates.take=1:3 --every 1 --for 2",
    "explain": "explain FILE",
    "export": "export FILE --to sbml",
    "first": "first FILE busy>=1 --at 1",
    "fit": "fit FILE --log log.csv",
    "groups": "groups FILE --robots 2",
    "index": "index FILE",
    "leakage": "leakage FILE",
    "new": "new team",
    "paper": "paper motivating -q",
    "performance": "performance fleet.toml",
    "plot": "plot map.csv -o map.png",
    "probe": 'probe FILE --set adversary.probe=[{set={"resources.R"=1},looks=[1]}]',
    "profile": "profile FILE",
    "protect": "protect FILE --epsilon 0.5 --only-this-team",
    "publish": "publish mechanism.json free=2,busy=1",
    "report": "report FILE --no-changes",
    "sensitivity": "sensitivity FILE --workers 1",
    "simulate": "simulate FILE --until 1",
    "stream": "stream FILE --every 1 --for 2",
    "sweep": "sweep FILE --vary types.A=1:2 --workers 1 -o other.csv",
    "trace": "trace FILE --until 1 --points 2",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what verbs take from others."""
    place = tmp_path_factory.mktemp("desk")
    (place / "fleet.toml").write_text(TASKS.format(n=1), encoding="utf-8")
    made = {
        "log.csv": "simulate FILE --until 20 --events --seed 1 -o log.csv",
        "map.csv": "sweep FILE --vary types.A=1:2 --workers 1 -o map.csv",
        "mechanism.json": "protect FILE --epsilon 0.5 --only-this-team -o mechanism.json",
    }
    for file, command in made.items():
        assert covey(*words(command), cwd=place).code == 0, file
    return place


def words(command: str) -> list[str]:
    return command.replace("FILE", str(SHARED)).split()


@pytest.mark.parametrize("verb", COMMANDS)
def test_it_answers(verb: str, desk: Path) -> None:
    answer = covey_process(*words(COMMANDS[verb]), cwd=desk)
    assert answer.code == 0, answer.err
    assert answer.out or verb == "paper"
    assert "Traceback" not in answer.err


def test_no_verb_is_left_out() -> None:
    assert sorted([*COMMANDS, *ELSEWHERE]) == sorted(VERBS)
