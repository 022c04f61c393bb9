"""`covey estimate`: what it prints, saves and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import covey

SHARED = Path(__file__).parents[2] / "examples" / "shared-resource.toml"
OF = ("--of", "types.A=1:3", "--of", "types.B=0:2")


def test_what_is_known_is_said_and_its_keys_are_lists_by_snapshots(tmp_path: Path) -> None:
    told = covey("estimate", SHARED, *OF, "--every", 1, "--for", 8, "-o", "n.csv", cwd=tmp_path)
    assert told.code == 0, told.err
    assert "to within ±" in told.out
    assert "types.A ±" in told.out
    rows = (tmp_path / "n.csv").read_text().splitlines()
    assert (
        rows[0]
        == "snapshots,time,types.A,types.A.lower,types.A.upper,types.B,types.B.lower,types.B.upper"
    )
    keys = covey("estimate", SHARED, *OF, "--every", 1, "--for", 8, "--json").json
    assert keys["snapshots"] == [1, 2, 5, 8]
    own = keys["of"]["types.A"]
    assert own["truth"] == 2
    assert own["values"] == [1, 2, 3]
    assert own["prior"] == pytest.approx([1 / 3] * 3)
    assert own["before"] == 1
    assert len(own["within"]) == len(own["posterior"]) == len(rows) - 1 == 4
    for low, value, high in zip(own["lower"], own["within"], own["upper"], strict=True):
        assert low <= value <= high


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    assert (
        covey("estimate", SHARED, *OF, "--every", 1, "--for", 2, "-o", "n.png", cwd=tmp_path).code
        == 0
    )
    assert (tmp_path / "n.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--of", "types.A"], 2, "types.A has no range"),
        (["--of", "types.A=1:"], 2, "is no range"),
        (["--of", "types.A=5:9"], 2, "outside 5:9"),
        (["--of", "types.Q=1:3"], 2, 'Did you mean "types.'),
        (["--of", "types.A=1:3", "--of", "types.A=1:4"], 2, "given twice"),
        (["--of", "types.A=1:100", "--of", "types.B=0:100"], 3, "at most 1,000"),
    ],
)
def test_bad_input_is_refused(args: list[str], code: int, message: str) -> None:
    answer = covey("estimate", SHARED, *args, "--every", 1, "--for", 2)
    assert answer.code == code
    assert message in answer.err
    assert "Traceback" not in answer.err
