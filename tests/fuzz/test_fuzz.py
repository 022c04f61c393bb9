"""The first few hundred hostile inputs; `make fuzz` tries a hundred thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.corpus import make
from tests.fuzz.kinds import KINDS, made
from tests.fuzz.tries import wrong_with

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
