"""`covey index`: the paper's Proposition 1."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from covey import load, paper_index
from tests.cli.command import covey

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_it_is_the_formula() -> None:
    file = EXAMPLES / "three-types.toml"
    found = covey("index", file, "--json", "-q").json
    assert found["index"] == pytest.approx(paper_index(load(file)).value, rel=1e-12)
    own, other = found["equilibrium"]["team"], found["equilibrium"]["neighbour"]
    by_hand = sum(n * math.log(own[s] / other[s]) for s, n in found["state"].items() if n)
    by_hand += sum(other.values()) - sum(own.values())
    assert abs(by_hand) == pytest.approx(found["index"], rel=1e-9)
    assert set(found["neighbour"]) == {"from", "to"}
    answer = covey("index", file, "-q")
    assert f"index is {found['index']:.8g}" in answer.out
    assert "no leakage" in answer.out


def test_a_type_that_would_be_gone_is_infinite() -> None:
    assert covey("index", EXAMPLES / "shared-resource.toml", "--json").json["index"] == "inf"


def test_it_needs_complex_balance() -> None:
    answer = covey("index", EXAMPLES / "task-network.toml", "-q")
    assert answer.code == 2
    assert "Traceback" not in answer.err
    assert "w{2,3}" in answer.err  # the reaction that nothing leads back from
