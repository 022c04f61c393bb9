"""One valid file of each kind, made by covey itself: what inputs are spoilt from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from unittest import mock

from covey import load, protect
from covey.errors import CoveyError
from covey.model.io.mechanism_file import read_mechanism, save_mechanism
from tests.cli.command import covey
from tests.conftest import EXAMPLES
from tests.fuzz import feeds

SMALL = (
    "shared-resource", "charging-bays", "warehouse", "three-types", "throttled-warehouse",
    "task-families",
)  # fmt: skip
SWEEP = "sweep shared-resource.toml --vary types.A=1:3 -o s.csv --workers 1"
SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")


def make(folder: Path) -> None:
    """Writes all of them into a folder."""
    for path in EXAMPLES:
        (folder / path.name).write_bytes(path.read_bytes())
        if (model := path.with_suffix(".xml")).exists():
            (folder / model.name).write_bytes(model.read_bytes())
    stream_table(folder)
    _run(folder, "export shared-resource.toml --to sbml -o shared.xml")
    (folder / "shared.toml").write_text(feeds.SBML)
    _run(folder, "protect shared-resource.toml -e 0.5 --teams A=1:2,B=1:2 -o set.json")
    _run(folder, "protect shared-resource.toml --stand-in A=2,B=1 -o stand-in.json")
    events = "simulate shared-resource.toml --until 20 --samples 1 --events --seed 1"
    (folder / "events.csv").write_text(_run(folder, events))
    (folder / "counts.csv").write_text("time,free,busy\n0,3,0\n1,2,1\n2,1,2\n3,2,1\n4,2,1\n")
    _run(folder, "fit shared-resource.toml --log events.csv --save fit.json")
    with mock.patch("covey.files.journal.Journal.remove"):
        _run(folder, SWEEP)
    (folder / "s.csv.journal").rename(folder / "journal")
    (folder / "s.csv").rename(folder / "sweep.csv")
    whole = (folder / "shared-resource.toml").read_text() + feeds.MORE
    (folder / "whole.toml").write_text(whole)
    (folder / "bikes.toml").write_text(feeds.BIKES)
    (folder / "robots.toml").write_text(feeds.ROBOTS)
    (folder / "gbfs.jsonl").write_text(feeds.gbfs())
    (folder / "vda5050.jsonl").write_text(feeds.vda5050())
    (folder / "robots.csv").write_text(feeds.robot_rows())


def stream_table(folder: Path) -> None:
    """A table for one snapshot, one.json; and stream.json, the same table with a schedule."""
    table = protect(load(SHARED), 0.5, teams="this").release
    save_mechanism(table, folder / "one.json")
    made_for = {key: value for key, value in table.made_for.items() if key != "digest"}
    made_for |= {"every": 1.0, "until": 10.0}
    save_mechanism(replace(table, made_for=made_for, file=""), folder / "stream.json")


def _run(folder: Path, command: str) -> str:
    answer = covey(*command.split(), "-q", cwd=folder)
    assert answer.code == 0, (command, answer.err)
    return answer.out


def resigned(document: object) -> str:
    """A mechanism's file with the digest that belongs to what it says, where it can be had."""
    if isinstance(document, dict) and isinstance(document.get("made_for"), dict):
        unsigned = document | {"made_for": {}}
        try:
            table = read_mechanism(json.dumps(unsigned))
            made_for = {k: v for k, v in document["made_for"].items() if k != "digest"}
            object.__setattr__(table, "made_for", made_for)
            document = document | {"made_for": {**made_for, "digest": table.digest}}
        except (CoveyError, ArithmeticError, ValueError, TypeError):
            pass
    return json.dumps(document)
