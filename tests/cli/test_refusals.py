"""What a refusal advises is done, and gives an answer: on the command line, and in the app."""

from typing import Any

import pytest

from covey.app.answering import said
from covey.app.answers import question
from covey.app.answers.asked import Asked, Kept
from covey.errors import CoveyError
from tests.cli.command import covey
from tests.conftest import EXAMPLES

BY_NAME = {path.stem: path for path in EXAMPLES}
TASK, RIDE, SHARED = (BY_NAME[n] for n in ("task-network", "ride-sharing", "shared-resource"))
THREE = BY_NAME["three-types"]
# task-network has 1,023 states, far fewer with two of each type.
FEWER = [f"--set=types.{i}=2" for i in (1, 2, 3)]

# What is asked, what is said, and what is done about it: options taken away, and others given.
CASES: dict[str, tuple[list[Any], str, list[str], list[str]]] = {
    "more states, at a time": (
        ["distribution", TASK, "--method", "transient", "--max-states", "100"],
        "Or allow more by --max-states",
        ["100"],
        ["2000"],
    ),
    "no method": (
        ["distribution", TASK, "--method", "transient", "--max-states", "100"],
        "Leave the method out",
        ["--method", "transient", "--max-states", "100"],
        [],
    ),
    "more states, at steady state": (
        ["distribution", TASK, "--at", "steady", "--method", "stationary", "--max-states", "100"],
        "Take a smaller team",
        ["100"],
        ["2000"],
    ),
    "a smaller team": (
        ["distribution", TASK, "--at", "steady", "--method", "stationary", "--max-states", "100"],
        "Take a smaller team",
        [],
        FEWER,
    ),
    "an earlier time": (
        ["distribution", TASK, "--method", "projection", "--max-states", "30", "--at", "10"],
        "Ask for an earlier time. Or allow more by --tolerance or --max-states",
        ["10"],
        ["0.0001"],
    ),
    "a larger tolerance": (
        ["distribution", TASK, "--method", "projection", "--max-states", "300", "--at", "0.2"],
        "Or allow more by --tolerance or --max-states",
        [],
        ["--tolerance", "0.9"],
    ),
    "a method for steady states": (
        ["distribution", SHARED, "--at", "3", "--method", "stationary"],
        "Leave the method out",
        ["--method", "stationary"],
        [],
    ),
    "a method for times": (
        ["distribution", SHARED, "--at", "steady", "--method", "transient"],
        "Leave the method out",
        ["--method", "transient"],
        [],
    ),
    "infinitely many states": (
        ["distribution", RIDE, "--at", "steady", "--method", "stationary"],
        "Leave the method out",
        ["--method", "stationary"],
        [],
    ),
    "a smaller group": (
        ["groups", THREE, "--robots", "3", "--max-teams", "6"],
        "take a smaller group, protect fewer types, or allow more teams",
        ["3"],
        ["1"],
    ),
    "more teams": (
        ["groups", THREE, "--robots", "3", "--max-teams", "6"],
        "take a smaller group, protect fewer types, or allow more teams",
        ["6"],
        ["36"],
    ),
    "a time": (
        ["infer", RIDE, "--observed", "idle=3,on_trip=2", "--at", "steady"],
        "Ask for a time instead",
        ["steady"],
        ["1"],
    ),
}  # fmt: skip


def without(asked: list[Any], gone: list[str], given: list[str]) -> list[Any]:
    """The same question, with values in the place of those that go."""
    left = list(asked)
    place = left.index(gone[0]) if gone else len(left)
    del left[place : place + len(gone)]
    return [*left[:place], *given, *left[place:]]


@pytest.mark.parametrize("case", CASES)
def test_what_is_advised_gives_an_answer(case: str) -> None:
    asked, advice, gone, given = CASES[case]
    refused = covey(*asked)
    assert refused.code in (2, 3)
    assert advice in " ".join(refused.err.split())
    answered = covey(*without(asked, gone, given), "--json", "-q")
    assert answered.code == 0, answered.err
    assert answered.json


def test_what_grows_is_exported_to_sbml() -> None:
    refused = covey("export", RIDE, "--to", "prism")
    assert refused.code == 2
    assert "or export to SBML" in " ".join(refused.err.split())
    assert covey("export", RIDE, "--to", "sbml").code == 0


def test_more_states_are_not_advised_where_they_do_not_help() -> None:
    """There are infinitely many of them."""
    asked = ["distribution", RIDE, "--at", "2", "--method", "transient", "--max-states", "50"]
    refused = covey(*asked)
    assert refused.code == 3
    assert "allow more" not in refused.err
    assert covey(*asked[:4], "--json", "-q").code == 0


def app_says(text: str) -> dict[str, Any] | None:
    """The refusal that the page shows; None where there is an answer."""
    try:
        for _ in question("answer")(Asked({"text": text}, Kept(), lambda *_: None)):
            pass
    except CoveyError as error:
        return said(error)
    return None


def test_the_app_advises_what_can_be_done_there() -> None:
    text = BY_NAME["limited-chargers"].read_text(encoding="utf-8")
    large = text.replace("carrier = 4", "carrier = 400").replace("picker = 3", "picker = 400")
    assert large != text
    refused = app_says(large)
    assert refused is not None
    assert refused["kind"] == "too_large"
    assert "Take a smaller team" in refused["message"]
    assert refused["message"].endswith("command line, which may follow more states")
    for word in ("--", "max_states", "tolerance", "method"):
        assert word not in refused["message"]
    assert app_says(text) is None
