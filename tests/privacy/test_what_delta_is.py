"""What (ε, δ) says, and what it does not: δ is no probability of seeing what e^ε does not bound."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path

import click
import pytest

from covey import account, leakage, load, profile, protect
from covey.cli.command import covey
from covey.privacy.snapshot.leakage import Headline

ROOT = Path(__file__).parent.parent.parent
SHARED = load(ROOT / "examples" / "shared-resource.toml")
DELTA = 0.0033

MISREADINGS = [
    r"but for (a|that|this|the) (probability|chance)",
    r"holds? but for",
    r"but for rare",
    r"except (for|with) (a |that |this |the )?(probability|chance)",
    r"exceeds? (it|that|this|ε|e\^ε) with (a |that |this |the )?(probability|chance)",
    r"(probability|chance) with which more is",
    r"(probability|chance) (of exceeding|δ that has to be granted|δ beyond)",
    r"with (probability|chance) (at least )?1 [-−] (δ|delta)",
    r"how (rare|probable) (what gives more away|large shifts)",
]


def misread(text: str) -> list[str]:
    """Where a text takes δ for a probability of exceeding e^ε; text in code is put together."""
    joined = re.sub(r"[\"'`,\]]*\s+(//|#|f?[\"'`])?\s*", " ", text)
    return [found[0] for how in MISREADINGS for found in re.finditer(how, joined, re.I)]


def written() -> list[Path]:
    """All that covey says in files: source, pages, templates, documentation, notebooks."""
    kinds = {".py", ".md", ".js", ".html", ".ipynb", ".toml"}
    places = [ROOT / "src", ROOT / "docs", ROOT / "examples", ROOT / "benchmarks"]
    found = [path for place in places for path in place.rglob("*") if path.suffix in kinds]
    return [ROOT / "README.md", *(path for path in found if "_build" not in path.parts)]


def helps(command: click.Command, context: click.Context) -> Iterator[str]:
    yield command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            verb = command.get_command(context, name)
            assert verb is not None
            yield from helps(verb, click.Context(verb, parent=context))


def test_no_file_takes_delta_for_a_probability_of_exceeding() -> None:
    files = written()
    assert len(files) > 400
    assert {str(path): found for path in files if (found := misread(path.read_text("utf-8")))} == {}


def test_no_help_does() -> None:
    texts = list(helps(covey, click.Context(covey)))
    assert len(texts) > 25
    assert any("plus δ" in text for text in texts)
    assert [found for text in texts for found in misread(text)] == []


def test_nothing_that_is_printed_does() -> None:
    said = [
        str(Headline(leakage(SHARED), DELTA)),
        profile(SHARED).says([0.5], DELTA),
        account(SHARED, 3).says([0.5], DELTA),
        str(protect(SHARED, 0.3, DELTA, teams="this")),
    ]
    assert all(re.search(r"no event is more than [\d.]+ times as likely", text) for text in said)
    assert [found for text in said for found in misread(text)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        '"At δ = 0.0033, ε is 0.502: but for that probability, "\n    "nothing that is seen"',
        "what holds but for\n// a probability of δ",
        "And may exceed it with this probability.",
        "The probability δ that has to be granted, for every ε",
    ],
)
def test_the_misreading_is_found(wrong: str) -> None:
    assert misread(wrong)


def test_what_is_said_is_true_and_the_misreading_is_not() -> None:
    """Every event of the motivating example, by its exact distributions (tests/reference)."""
    team, other = {(3, 0): 1 / 45, (2, 1): 14 / 45, (1, 2): 30 / 45}, {
        (3, 0): 1 / 25, (2, 1): 10 / 25, (1, 2): 14 / 25,
    }  # fmt: skip
    found = profile(SHARED)
    factor = math.exp(found.epsilon_interval(DELTA)[1])
    assert "no event is more than 1.66 times as likely" in found.says(delta=DELTA)
    events = list(chain.from_iterable(combinations(team, n) for n in range(4)))
    excess = [
        sum(p[y] for y in event) - factor * sum(q[y] for y in event)
        for p, q in ((team, other), (other, team))
        for event in events
    ]
    assert max(excess) == pytest.approx(DELTA, rel=1e-9)  # no event has more, and one as much

    seen = sum(other[y] for y in team if other[y] > factor * team[y])
    assert seen == pytest.approx(0.04)
    assert seen > 12 * DELTA  # that often, what is seen is more than e^ε times as likely
