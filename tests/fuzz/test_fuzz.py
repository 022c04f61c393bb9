"""The first few hundred hostile inputs; `make fuzz` tries a hundred thousand."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from covey import Explanation, Scenario, explain
from tests.fuzz import tries
from tests.fuzz.corpus import SWEEP, make
from tests.fuzz.inputs import Input
from tests.fuzz.kinds import KINDS, made
from tests.fuzz.options import COMMANDS, command
from tests.fuzz.questions import ASKED, unspoilt
from tests.fuzz.tries import LONG, answer, parts, wrong_with

pytestmark = pytest.mark.slow  # hundreds of commands
NUMBER = 300


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    make(folder)
    return folder


@pytest.mark.filterwarnings("ignore")  # a command shows them in its own way
@pytest.mark.parametrize("kind", range(len(KINDS)), ids=list(KINDS))
def test_every_input_gets_an_answer_or_a_sentence(kind: int, corpus: Path) -> None:
    for number in range(kind, NUMBER, len(KINDS)):
        one = made(number, 1, corpus)
        assert wrong_with(one, corpus) == "", one


def test_an_input_is_the_same_every_time(corpus: Path) -> None:
    assert [made(n, 5, corpus) for n in range(50)] == [made(n, 5, corpus) for n in range(50)]


@pytest.mark.parametrize(
    "arguments",
    [
        "check charging-bays.toml",
        "check shared.toml",
        "fit bikes.toml --from gbfs gbfs.jsonl",
        "fit robots.toml --from vda5050 vda5050.jsonl",
        "fit robots.toml --log robots.csv",
        "fit shared-resource.toml --log events.csv",
        "infer shared-resource.toml --series counts.csv",
        "leakage shared-resource.toml --fit fit.json",
    ],
)
def test_what_is_spoilt_is_answered_unspoilt(arguments: str, corpus: Path) -> None:
    """Else every input would end at the same refusal, and nothing behind it would be tried."""
    told = answer(Input("", tuple(arguments.split())), corpus)
    assert told.code == 0, told.err


@pytest.mark.parametrize("verb", COMMANDS)
def test_so_is_every_command(verb: str, corpus: Path) -> None:
    told = answer(command(verb, corpus), corpus)
    assert told.code == 0, told.err


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ASKED)
def test_so_is_every_question(name: str, corpus: Path) -> None:
    parts(unspoilt(name, corpus))


def test_a_journal_is_gone_on_with(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of the sweep that reads it: nothing is left to compute."""
    monkeypatch.setattr("covey.files.journal.Journal.append", None)
    journal = {"s.csv.journal": (corpus / "journal").read_bytes()}
    told = answer(Input("journal", tuple(SWEEP.split()), journal), corpus)
    assert told.code == 0, told.err


@pytest.mark.filterwarnings("always")
def test_what_is_wrong_is_noticed(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a fault that nothing explains, a warning of numpy's, and work without an end."""
    command_, question = Input("", ("explain", "whole.toml")), unspoilt("check", corpus)
    assert wrong_with(command_, corpus) == ""

    def faulty(*_: object, **__: object) -> Scenario:
        raise KeyError("planted")

    with monkeypatch.context() as patched:
        patched.setattr("covey.model.scenario.Scenario.from_document", faulty)
        assert "KeyError: 'planted'" in wrong_with(command_, corpus)
        assert "KeyError: 'planted'" in wrong_with(Input("", question=question), corpus)

    def loud(scenario: Scenario) -> Explanation:
        warnings.warn("overflow encountered in multiply", RuntimeWarning, stacklevel=1)
        return explain(scenario)

    with monkeypatch.context() as patched:
        patched.setattr("covey.study.explanation.explain", loud)
        assert "a warning of numpy's" in wrong_with(command_, corpus)

    def endless(*_: object, **__: object) -> Scenario:
        while True:
            pass

    monkeypatch.setattr("covey.model.scenario.Scenario.from_document", endless)
    monkeypatch.setattr(tries, "SECONDS", 0.2)
    assert wrong_with(command_, corpus).startswith(LONG)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ["file", "question", "text"])
def test_half_a_letter_is_sent_as_a_question_mark(what: str, corpus: Path) -> None:
    """A lone surrogate, as JSON can name it: it ended the worker where a message quoted it."""
    question = unspoilt("commands", corpus) | {what: "\ud800"}
    assert wrong_with(Input("", question=question), corpus) == ""


@pytest.mark.parametrize("measure", [3, 0, [], ["leakage", "tv"], {"A": 1}])
def test_a_design_for_what_is_no_measure(measure: object, corpus: Path) -> None:
    question = unspoilt("design", corpus) | {"minimise": measure}
    assert wrong_with(Input("", question=question), corpus) == ""
