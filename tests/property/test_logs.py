"""Whatever a log or a feed holds, it is read or refused by an error of covey's own."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.study.fit.fit import fit
from covey.study.fit.logs.feeds.sources import Source
from covey.study.fit.logs.log_file import read_log
from tests.study.fit.logs.test_feeds import fleet, messages, snapshots, station, write_bag
from tests.study.robot_log import iso, robot_rows

pytestmark = [
    pytest.mark.slow,  # hundreds of random cases
    pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning"),
]
PATIENT = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@cache
def samples() -> dict[str, tuple[Source, Scenario, bytes]]:
    rows = [f'{iso(r.time)},{r.robot},{r.type},"{r.after}"' for r in robot_rows(fleet(), 5, 1)]
    robots = "\n".join(["time,robot,type,state", *rows])
    objects = [
        {"time": 1_747_573_920 + r.time, "robot": r.robot, "type": r.type, "state": r.after}
        for r in robot_rows(fleet(), 5, 1)
    ]
    states = messages(5)
    with TemporaryDirectory() as folder:
        file = write_bag(Path(folder) / "good.mcap", list(enumerate(states)), "cdr")
        bag = file.read_bytes()
    few = [one for _, one in zip(range(4), snapshots("3.0"), strict=False)]
    return {
        "csv": ("log", fleet(), robots.encode()),
        "json": ("log", fleet(), "\n".join(map(json.dumps, objects)).encode()),
        "sums": ("log", station(), b"time,parked\n0,13\n1,12\n2,11\n"),
        "gbfs": ("gbfs", station(), json.dumps(few).encode()),
        "lines": ("gbfs", station(), "\n".join(map(json.dumps, few)).encode()),
        "vda5050": ("vda5050", fleet(), "\n".join(map(json.dumps, states)).encode()),
        "mcap": ("mcap", fleet(), bag),
    }


KINDS = ("csv", "json", "sums", "gbfs", "lines", "vda5050", "mcap")


def read_or_refuse(path: Path, source: Source, scenario: Scenario) -> None:
    try:
        assert read_log(path, scenario, source=source)[0] is not None
    except CoveyError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
@PATIENT
def test_damaged_bytes(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    source, scenario, good = samples()[kind]
    raw = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del raw[data.draw(st.integers(0, len(raw))) :]
    path = tmp_path / "log"
    path.write_bytes(raw)
    read_or_refuse(path, source, scenario)


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def changed(document: Any, data: st.DataObject) -> Any:
    """The document with something else somewhere in it."""
    if isinstance(document, dict) and document and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(document)))
        return document | {key: changed(document[key], data)}
    if isinstance(document, list) and document and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(document) - 1))
        return [*document[:place], changed(document[place], data), *document[place + 1 :]]
    return data.draw(anything)


@pytest.mark.parametrize("kind", ["json", "gbfs", "vda5050"])
@given(st.data())
@PATIENT
def test_other_values_in_objects(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    source, scenario, good = samples()[kind]
    objects = json.loads(good) if kind == "gbfs" else list(map(json.loads, good.splitlines()))
    path = tmp_path / "log"
    objects = changed(objects, data)
    lines = objects if isinstance(objects, list) else [objects]
    path.write_text(json.dumps(objects) if kind == "gbfs" else "\n".join(map(json.dumps, lines)))
    read_or_refuse(path, source, scenario)


def test_good_samples_are_read(tmp_path: Path) -> None:
    for source, scenario, good in samples().values():
        (tmp_path / "log").write_bytes(good)
        assert fit(scenario, tmp_path / "log", source=source).rates
