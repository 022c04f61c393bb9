"""Every key that a verb prints with --json is on the page that explains them."""

import re
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES
from tests.docs.public_names import DOCS

PAGE = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
PROBE = 'adversary.probe=[{set={"resources.R"=3}, looks=[0.5]}]'


def explained(verb: str) -> set[str]:
    """The keys in the section of a verb, and those of many verbs."""
    (own,) = (text for names, text in SECTIONS.items() if verb in names.split(", "))
    return set(re.findall(r"`([^`]+)`", own + SECTIONS["Keys of many verbs"]))


@pytest.mark.parametrize(
    "command",
    [
        "check FILE",
        "check FILE --expanded",
        "explain FILE",
        "draw FILE",
        "leakage FILE --teams A=1:2,B=1:2",
        "stream FILE --every 1 --for 2 --epsilon 1",
        "certainty FILE --follow --every 1 --for 3 --paths 50",
        "estimate FILE --of types.A=1:3 --every 1 --for 2 --paths 50",
        "protect FILE --epsilon 0.1 --teams A=1:2,B=1:2",
        "protect FILE --stand-in A=1,B=2 --for 5",
        "performance FILE --set performance.x=mean(busy)",
        "profile FILE",
        "infer FILE free=2,busy=1",
        "infer FILE free=2,busy=1 --state",
        "trace FILE --until 1 --points 2 --measure guess",
        "groups FILE --robots 2",
        "audit FILE --samples 100",
        "sensitivity FILE --workers 1",
        "distribution FILE",
        "simulate FILE --until 1",
        "simulate FILE --until 1 --events",
        "index FILE",
        "export FILE --to prism",
    ],
)
def test_every_key_is_explained(command: str, tmp_path: Path) -> None:
    verb, _, *rest = command.split()
    found = covey(verb, SHARED, *rest, "--json", "-q", cwd=tmp_path).json
    assert set(found) - explained(verb) == set()


def test_a_probe(tmp_path: Path) -> None:
    found = covey("probe", SHARED, "--set", PROBE, "--json", cwd=tmp_path).json
    assert {*found, *found["probes"][0]} <= explained("probe")


def test_a_key_that_is_not_explained_would_fail() -> None:
    assert "balanced_point" in explained("check")
    assert "balanced_point" not in explained("leakage")
