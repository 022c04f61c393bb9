"""Journals and sweep files that something has happened to: read, or refused by what is wrong."""

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey import load, open_sweep
from covey.cli.verbs.sweep import as_json
from covey.errors import CoveyError, CoveyWarning, InputError
from covey.files.journal import Journal, _with_checksum, journal_of
from covey.study.sweep.measures import FIELDS
from covey.study.sweep.result import Sweep
from covey.study.sweep.sweep import sweep
from tests.conftest import EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
JOB = {"job": "this", "list": [1, 2]}
SETTINGS = {"max_states": 1000}
CELL: dict[str, Any] = {
    "cell": 3,
    "found": {"value": 0.5, "upper": "inf", "states": 4, "method": "stationary"},
}
PATIENT = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def journal(folder: Path, *values: Any, raw: bytes = b"") -> Path:
    """A journal in which every line has a good checksum."""
    path = folder / "map.csv"
    lines = [_with_checksum(json.dumps(value).encode()) for value in values]
    journal_of(path).write_bytes(b"".join(lines) + raw)
    return path


def head(**changes: Any) -> dict[str, Any]:
    return {"job": JOB, "settings": SETTINGS} | changes


def test_a_good_one_is_read(tmp_path: Path) -> None:
    path = journal(tmp_path, head(), CELL)
    with Journal(path, JOB, SETTINGS, FIELDS) as found:
        assert found.finished == {3: CELL["found"] | {"upper": float("inf")}}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([head(), {"cell": 0}], "line 2 has no finished cell"),
        ([head(), CELL, {"cell": "0", "found": {}}], "line 3 has no finished cell"),
        ([head(), {"cell": True, "found": {"value": 1.0}}], "line 2 has no finished cell"),
        ([head(), {"cell": -1, "found": {"value": 1.0}}], "line 2 has no finished cell"),
        ([head(), [1, 2]], "line 2 has no finished cell"),
        ([head(), {"cell": 0, "found": {}}], "line 2 has a cell without a value"),
        ([head(), {"cell": 0, "found": {"value": "much"}}], "line 2 has something else"),
        ([head(), {"cell": 0, "found": {"value": 1.0, "tail": 2}}], "line 2 has something else"),
        ([head(), {"cell": 0, "found": {"value": 1.0, "method": []}}], "line 2 has something"),
        ([head(), {"cell": 0, "found": {"value": 1.0, "states": 2**70}}], "line 2 has something"),
        ([head(), {"cell": 0, "found": {"value": 10**400}}], "line 2 has something else"),
        ([head(settings=None)], "line 1 has no settings of a sweep"),
        ([head(settings={"max_states": "many"})], "line 1 has no settings of a sweep"),
        ([head(settings={})], "line 1 has no settings of a sweep"),
        ([[]], "this is the journal of another sweep"),
        ([3], "this is the journal of another sweep"),
    ],
)
def test_whole_lines_that_are_none_of_a_journal(
    values: list[Any], message: str, tmp_path: Path
) -> None:
    path = journal(tmp_path, *values)
    before = journal_of(path).read_bytes()
    with pytest.raises(InputError, match=message) as caught:
        Journal(path, JOB, SETTINGS, FIELDS)
    assert caught.value.file == str(journal_of(path))
    assert "choose another output" in caught.value.message
    assert journal_of(path).read_bytes() == before


@pytest.mark.parametrize(
    "body", [b"nothing", b"\xff", b"[" * 100_000], ids=["text", "byte", "deep"]
)
def test_a_checksum_of_what_is_no_json(body: bytes, tmp_path: Path) -> None:
    path = journal(tmp_path, head(), raw=_with_checksum(body))
    with pytest.raises(InputError, match="line 2 has a checksum, but no JSON"):
        Journal(path, JOB, SETTINGS, FIELDS)


def test_a_journal_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    journal_of(path).mkdir()
    with pytest.raises(InputError, match=r"this is no journal of a sweep: this is no file"):
        Journal(path, JOB, SETTINGS, FIELDS)
    journal_of(path).rmdir()
    journal_of(path).symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"this is no journal of a sweep: this is no file"):
        Journal(path, JOB, SETTINGS, FIELDS)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["cell", "found", "value", "error", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(st.lists(anything, max_size=3), st.binary(max_size=12))
@PATIENT
def test_any_journal(tmp_path: Path, values: list[Any], rest: bytes) -> None:
    path = journal(tmp_path, head(), *values, raw=rest)
    try:
        with Journal(path, JOB, SETTINGS, FIELDS) as found:
            assert all(isinstance(cell, int) for cell in found.finished)
    except CoveyError as error:
        assert str(journal_of(path)) in str(error)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same small sweep as map.nc and as map.csv."""
    folder = tmp_path_factory.mktemp("good")
    found = sweep(load(SHARED), {"types.A": [1, 2], "rates.take": [0.5, 1.0]}, workers=1)
    found.save(folder / "map.nc")
    found.save(folder / "map.csv")
    return folder


def use(found: Sweep) -> None:
    """All that verbs and notebooks ask of a sweep, but for the picture."""
    assert str(found)
    assert as_json(found)["cells"] == found.values.size
    assert found.errors is not None
    with suppress(CoveyError), warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        assert found.scenario is None or found.scenario.network


def read_or_refuse(path: Path) -> None:
    try:
        use(open_sweep(path))
    except CoveyError as error:
        assert str(error)


@pytest.mark.parametrize("ending", ["nc", "csv"])
@given(st.data())
@PATIENT
def test_mutated_bytes(good: Path, tmp_path: Path, ending: str, data: st.DataObject) -> None:
    raw = bytearray((good / f"map.{ending}").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        # Most of it is the header, which says how long everything is.
        place = data.draw(st.integers(0, len(raw) - 1) | st.integers(0, min(len(raw) - 1, 400)))
        raw[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del raw[data.draw(st.integers(0, len(raw))) :]
    path = tmp_path / f"map.{ending}"
    path.write_bytes(raw)
    read_or_refuse(path)


def _with(**attributes: Any) -> Callable[[xr.Dataset], xr.Dataset]:
    return lambda data: data.assign_attrs(attributes)


def _dropping(data: xr.Dataset, name: str) -> xr.Dataset:
    fewer = data.copy()
    fewer.attrs.pop(name)
    return fewer


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: _dropping(data, "measured"), "what was measured is None"),
        (lambda data: _dropping(data, "measure"), "this holds no sweep of covey's"),
        (lambda data: _dropping(data, "axes"), "its axes are None: lists of names are expected"),
        (lambda data: _dropping(data, "title"), "its title is no text"),
        (_with(measured="delta=0.5"), "what was measured is 'delta=0.5', and its column leakage"),
        (_with(measured="much"), "what was measured is 'much'"),
        (_with(measure=[1, 2]), "cannot be read as a sweep|this holds no sweep"),
        (_with(axes="{"), "its axes are '{'"),
        (_with(axes="[[]]"), "its axes are"),
        (_with(axes="[[1]]"), "its axes are"),
        (_with(axes="3"), "its axes are"),
        (_with(axes="[]"), "its axes have no names of their own"),
        (_with(axes='[["types.A"]]'), "it is over types.A, rates.take"),
        (_with(axes='[["types.A", "b"], ["rates.take"]]'), "the axis b is missing"),
        (_with(scenario=3), "its scenario is no text"),
        (lambda data: data.drop_vars("error"), "the column error is missing"),
        (lambda data: data.assign(error=data["leakage"]), "the column error does not hold a str"),
        (lambda data: data.assign(states=data["states"][0]), "the column states does not hold"),
        (lambda data: data.isel({"types.A": slice(0)}), "it has no cells|cannot be read"),
        (lambda data: xr.Dataset({"x": ("y", np.zeros(3))}), "this holds no sweep of covey's"),
    ],
)
def test_what_is_missing_or_changed_is_said(
    change: Callable[[xr.Dataset], xr.Dataset], message: str, good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "map.nc"
    changed = change(open_sweep(good / "map.nc").data)
    changed.to_netcdf(path, engine="scipy", format="NETCDF3_64BIT")
    with pytest.raises(InputError, match=message) as caught:
        open_sweep(path)
    assert caught.value.file == str(path)
    assert "covey sweep" in caught.value.message


def test_other_formats_are_not_tried(tmp_path: Path) -> None:
    path = tmp_path / "map.nc"
    for content in (b"\x89HDF\r\n\x1a\n", b"\x1f\x8b\x08", b"", b"CDF"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="this cannot be read as a sweep"):
            open_sweep(path)
