"""Sweeps: every cell is what it would be alone, wherever and however often it is computed."""

from __future__ import annotations

import json
import math
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey import Network, Query, Scenario, Team
from covey.dynamics.limits import Limits
from covey.errors import InputError, TooLargeError
from covey.executors import InThisProcess, LocalPool, result_of
from covey.files.journal import Journal, _with_checksum, journal_of
from covey.privacy.measures.registry import Measure, read_measures
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.profile import profile
from covey.study.sweep import dispatch
from covey.study.sweep.axes import Design, read_axes
from covey.study.sweep.cells import DistributionsTask, Job, solve_cell, solve_distributions
from covey.study.sweep.file import save
from covey.study.sweep.finished import answered_in
from covey.study.sweep.measures import FIELDS, fields_of
from covey.study.sweep.result import open_sweep
from covey.study.sweep.sweep import sweep
from tests.privacy.small_teams import arriving, turned

AXES = {"types.A": range(1, 4), "rates.take": "0.5:2:4"}


def resource() -> Scenario:
    network = Network(
        "{A} + {R} <-> {A,R} @ take, 1\n{B} + {R} <-> {B,R} @ keep, 1", rates={"take": 3, "keep": 1}
    )
    query = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    return Scenario(network, Team({"A": 2, "B": 1}, {"R": 2}), query, title="Résumé")


def run(axes: Any = AXES, **options: Any) -> Any:
    return sweep(resource(), axes, **{"workers": 1, **options})


@pytest.mark.parametrize("axes", [AXES, {"rates.take": "0.5:2:4", "rates.keep": "1:2:2"}])
def test_every_cell_is_what_it_is_alone(axes: Any) -> None:
    found = run(axes)
    for cell in range(found.values.size):
        at = found.cell(cell)
        alone = leakage(resource().with_(at.changes))
        assert at.value == alone.value
        row = found.to_pandas().iloc[cell]
        assert (row["lower"], row["upper"]) == alone.interval
        assert (row["neighbour_from"], row["neighbour_to"]) == (
            turned(alone.neighbour).from_type,
            turned(alone.neighbour).to_type,
        )
        assert row["observation"] == ",".join(f"{k}={v}" for k, v in alone.observation.items())
        assert (row["probability"], row["probability_neighbour"]) == alone.probability
        assert (row["method"], row["states"], row["error"]) == (alone.method, alone.states, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "column"),
    [
        ("tv", "total_variation"),
        ("kl", "kl"),
        ("delta=0.25", "delta"),
        ("epsilon=0.01", "epsilon"),
        ("renyi=3", "renyi"),
    ],
)
def test_other_measures(measure: str, column: str) -> None:
    found = run(measure=measure)
    alone = profile(resource().with_({"types.A": 3, "rates.take": 2.0}))
    expected = {
        "tv": alone.total_variation,
        "kl": alone.kl,
        "delta=0.25": alone.delta(0.25),
        "epsilon=0.01": alone.epsilon(0.01),
        "renyi=3": alone.renyi(3),
    }
    assert found.measure == column
    assert found.values[-1, -1] == expected[measure] > 0
    assert (found.data["lower"] <= found.data[column]).all()
    assert (found.data["upper"] >= found.data[column]).all()


def test_times_are_computed_together() -> None:
    found = run({"adversary.at": "0.5,1,steady", "types.A": "1:2"})
    assert found.data["adversary.at"].values.tolist() == ["0.5", "1", "steady"]
    for cell in range(6):
        at = found.cell(cell)  # with numbers that a scenario takes
        alone = leakage(resource().with_(at.changes))
        assert at.value == pytest.approx(alone.value, rel=1e-9)


def test_at_and_smoothing() -> None:
    found = run({"types.A": [2, 3]}, at=1.5, smoothing=0.1)
    scenario = resource().with_({"types.A": 3, "adversary.at": 1.5, "adversary.smoothing": 0.1})
    assert found.values[1] == leakage(scenario).value
    assert found.scenario.adversary.smoothing == 0.1
    with pytest.raises(InputError, match=r"adversary.at is both varied and given"):
        run({"adversary.at": [1, 2]}, at=3.0)
    with pytest.raises(InputError, match="smoothing is for the leakage"):
        run(measure="tv", smoothing=0.1)


@pytest.mark.slow
def test_no_distribution_is_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def count(task: DistributionsTask) -> Any:
        asked.append(task.start)
        return solve_distributions(task)

    monkeypatch.setattr(dispatch, "solve_distributions", count)
    run({"types.A": "1:6", "types.B": "1:6"})
    assert len(asked) == len(set(asked)) == 8 * 8 - 6  # the grid and its margin, without corners
    asked.clear()
    monkeypatch.setattr(dispatch, "_HELD_BYTES", 500)
    small = run({"types.A": "1:6", "types.B": "1:6"})
    assert len(asked) > 58  # nothing was kept, and nothing changed
    monkeypatch.undo()
    assert small.data.identical(run({"types.A": "1:6", "types.B": "1:6"}).data)


def test_teams_that_mirror_each_other_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def count(task: DistributionsTask) -> Any:
        asked.append(task.start)
        return solve_distributions(task)

    monkeypatch.setattr(dispatch, "solve_distributions", count)
    found = sweep(
        resource().with_({"rates.take": 1.0}), {"types.A": "1:4", "types.B": "1:4"}, workers=1
    )
    assert len(set(asked)) == len(asked) == 17
    assert (found.values == found.values.T).all()


@pytest.mark.slow
@pytest.mark.parametrize("axes", [AXES, {"rates.take": "0.5:2:4", "rates.keep": "1:2:2"}])
def test_the_same_bytes_wherever_it_ran(tmp_path: Path, axes: Any) -> None:
    here = tmp_path / "here.nc"
    run(axes, path=here)
    with LocalPool(3) as pool, ThreadPoolExecutor(2) as threads:
        for i, executor in enumerate((pool, threads, InThisProcess())):
            other = tmp_path / f"{i}.nc"
            run(axes, path=other, executor=executor, workers=2)
            assert other.read_bytes() == here.read_bytes()


def test_a_failing_cell_is_recorded_and_the_others_go_on() -> None:
    found = run({"types.A": "0:2", "types.B": "0:1"})
    assert list(found.errors) == [0]
    assert found.errors[0].startswith("InputError: there are no robots of the protected types")
    assert np.isnan(found.values[0, 0])
    assert np.isfinite(found.values.ravel()[1:]).all()
    assert "1 cells have no answer" in str(found)
    limited = run({"types.A": "1:4"}, at=1.0, limits=Limits("transient", 5))
    assert [bool(text) for text in limited.data["error"].values] == [False, False, True, True]
    assert limited.errors[2].startswith("TooLargeError: the Markov chain has 6 states")
    # alone or among others, a failure says the same
    grown = {"rates.take": [1.0, 2.0]}
    alone = run(grown, at=1.0, limits=Limits("transient", 4))
    together = run(grown | {"types.A": [2, 3]}, at=1.0, limits=Limits("transient", 4))
    assert alone.errors[0] == together.errors[0]


def test_never_settling_is_a_failure_not_a_crash() -> None:
    found = sweep(arriving(), {"types.A": [1, 2]}, workers=1)
    assert len(found.errors) == 2
    assert found.lowest is None
    assert str(found).endswith("no cell has an answer.")


def test_files_read_back_the_same(tmp_path: Path) -> None:
    for options in ({}, {"sample": 20, "seed": 3}):
        found = run({"types.A": "0:2", "rates.take,rates.keep": "0.5:2:3"}, **options)
        found.save(tmp_path / "a.nc")
        found.save(tmp_path / "a.csv")
        again = open_sweep(tmp_path / "a.nc")
        assert again.data.identical(found.data)
        assert again.scenario == resource()
        table = open_sweep(tmp_path / "a.csv")
        assert table.data.equals(found.data)
        assert (table.measure, table.axes, table.scenario) == (found.measure, found.axes, None)
        again.save(tmp_path / "b.nc")
        again.save(tmp_path / "b.csv")
        assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()
        assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_infinite_numbers_survive_every_file(tmp_path: Path) -> None:
    network = Network("{A} + {B} -> {A,B} @ go", rates={"go": 1})
    scenario = Scenario(network, Team({"A": 1, "B": 1}), Query(pairs="{A,B}"))
    path = tmp_path / "inf.csv"
    found = sweep(scenario, {"rates.go": [1, 2]}, at=1.0, workers=1, path=path)
    assert np.isinf(found.values).all()
    assert np.isinf(open_sweep(path).values).all()
    with Journal(path, {}, {}, FIELDS) as journal:
        journal.append([(0, {"value": math.inf, "neighbour_from": "inf", "states": 1})])
    with Journal(path, {}, {}, FIELDS) as journal:
        assert journal.finished == {0: {"value": math.inf, "neighbour_from": "inf", "states": 1}}


class Failing(Executor):
    """Ends like a crash after so many tasks."""

    def __init__(self, tasks: int) -> None:
        self.left = tasks

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return InThisProcess().submit(fn, *args, **kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [0, 1, 9])
@pytest.mark.parametrize("axes", [AXES, {"adversary.at": "1:3", "types.A": "1:4"}])
def test_an_interrupted_sweep_goes_on(tmp_path: Path, tasks: int, axes: Any) -> None:
    whole, path = tmp_path / "whole.nc", tmp_path / "map.nc"
    run(axes, path=whole)
    with pytest.raises(KeyboardInterrupt):
        run(axes, path=path, executor=Failing(tasks), workers=1)
    assert journal_of(path).exists()
    assert not path.exists()
    run(axes, path=path)
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["map.nc", "whole.nc"]


def interrupted(path: Path) -> Path:
    with pytest.raises(KeyboardInterrupt):
        run(path=path, executor=Failing(8), workers=1)
    return journal_of(path)


def test_finished_cells_are_not_computed_again(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    journal = interrupted(path)
    head, line, *rest = journal.read_bytes().splitlines(keepends=True)
    cell = json.loads(line)[1]
    cell["found"]["value"] = 42.0
    forged = _with_checksum(json.dumps(cell).encode())
    journal.write_bytes(b"".join([head, forged, *rest]))
    assert run(path=path).cell(cell["cell"]).value == 42


class Idle(Executor):
    """Nobody is asked to compute anything."""

    def submit(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("this was computed before")


@pytest.mark.parametrize("ending", ["nc", "csv"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measure": ["guess", "epsilon=0.01"]},
        {"sample": 7, "seed": 3},
        {"axes": {"adversary.at": "1,10,steady", "types.A,types.B": "1:2"}},
    ],
)
def test_a_finished_sweep_answers_from_its_file(
    tmp_path: Path, ending: str, options: dict[str, Any]
) -> None:
    path = tmp_path / f"map.{ending}"
    first = run(path=path, **options)
    before = path.read_bytes()
    again = run(path=path, executor=Idle(), **options)
    assert again.data.identical(first.data)
    assert path.read_bytes() == before
    assert not journal_of(path).exists()


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_a_file_of_another_sweep_or_with_other_numbers_is_no_answer(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"map.{ending}"
    first = run(path=path)
    with pytest.raises(AssertionError, match="computed before"):
        run(path=path, executor=Idle(), limits=Limits(tolerance=1e-6))
    journal_of(path).unlink()
    forged = open_sweep(path).data
    forged["leakage"][0, 0] = 42.0
    save(forged, path)
    assert run(path=path).values.tolist() == first.values.tolist()
    assert open_sweep(path).cell(0).value == first.cell(0).value


def test_cells_without_an_answer_are_tried_again(tmp_path: Path) -> None:
    path, axes = tmp_path / "map.csv", {"types.A": "0:2"}
    nobody = resource().with_({"types.B": 0})
    first = sweep(nobody, axes, path=path, workers=1)
    assert list(first.errors) == [0]
    job = Job(nobody, Design(read_axes(axes)), read_measures("leakage"), Limits())
    assert sorted(answered_in(path, job)) == [1, 2]
    assert sweep(nobody, axes, path=path, workers=1).data.identical(first.data)


def test_a_network_written_in_families_is_the_same_sweep(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    sets = {"types": ["A", "B"]}
    query = Query(free="{A} + {B}")
    family = Network("{$i} <-> w{$i} @ go_$i, 1 for i in types", {"go_A": 1, "go_B": 2}, sets=sets)
    for network in (family, family.expanded()):
        scenario = Scenario(network, Team({"A": 2, "B": 1}), query)
        found = sweep(scenario, {"rates.go_A": "1:3:3"}, path=path, workers=1)
        assert found.values[1] < 1e-9 < found.values[0]
        assert sweep(scenario, {"rates.go_A": "1:3:3"}, path=path, executor=Idle())


@pytest.mark.slow
@pytest.mark.parametrize("lost", [1, 7, 40])
def test_a_torn_line_is_computed_again(tmp_path: Path, lost: int) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "map.csv"
    run(path=whole)
    journal = interrupted(path)
    journal.write_bytes(journal.read_bytes()[:-lost])
    run(path=path)
    assert path.read_bytes() == whole.read_bytes()
    path.unlink()
    journal = interrupted(path)
    raw = bytearray(journal.read_bytes())
    raw[-lost] ^= 1
    journal.write_bytes(raw)
    run(path=path)
    assert path.read_bytes() == whole.read_bytes()


def test_the_journal_of_another_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    journal = interrupted(path)
    before = journal.read_bytes()
    with pytest.raises(InputError, match=r"another design\). Run that one again to finish it"):
        run({"types.A": [1, 2]}, path=path)
    with pytest.raises(InputError, match="another measure"):
        run(measure="tv", path=path)
    with pytest.raises(InputError, match="another scenario"):
        run(path=path, at=2.0)
    assert journal.read_bytes() == before
    journal.write_text("a letter to a friend\n", encoding="utf-8")
    with pytest.raises(InputError, match="this is no journal of a sweep"):
        run(path=path)


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    with (
        Journal(path, {}, {}, FIELDS),
        pytest.raises(InputError, match="another covey is at work on this"),
    ):
        run(path=path)


@pytest.mark.slow
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "map.csv"
    run(path=whole)
    calls = iter([None, None, None, OSError(28, "No space left on device")])

    def full(descriptor: int) -> None:
        if error := next(calls):
            raise error

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"No space left on device. What was written before is"):
        run(path=path)
    monkeypatch.undo()
    run(path=path)
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("map.txt", 'the ending is ".txt": .csv or .nc is expected'),
        ("map", "the name has no ending: .csv or .nc is expected"),
        ("none/map.csv", "there is no folder"),
    ],
)
def test_outputs_are_checked_first(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(path=tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_worker_that_dies_is_told_from_a_failing_cell(tmp_path: Path) -> None:
    with LocalPool(2) as pool:
        with pytest.raises(TooLargeError, match="a worker was killed, most likely because memory"):
            result_of(pool.submit(_die))
        assert pool.submit(abs, -3).result() == 3  # the next one gets another worker
        with pytest.raises(ValueError, match="math domain error"):
            pool.submit(math.sqrt, -1).result()


def _die() -> None:
    import os

    os._exit(9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n", "a sweep has a column leakage"),
        (b"types.A,leakage,error\n1,0.5\n", "2 columns, where the header has 3"),
        (b"types.A,leakage,error\n1,much,\n", "could not convert string to float"),
        (b"types.A,types.B,leakage\n1,1,1\n2,2,1\n1,2,1\n", "3 rows are no grid of 2 × 2 cells"),
        (b"types.A,leakage\n1,\xff\n", ":2: byte 0xff is not UTF-8"),
        (b"", "a sweep has a column leakage"),
        (b"types.A,leakage,error\n", "there is no cell: a row for each is expected"),
        (b"types.A,types.A,leakage\n1,2,0.5\n", "the column 'types.A' is there twice"),
        (b"types.A,leakage,states\n1,0.5,99999999999999999999\n", "cannot be read as a sweep"),
    ],
)
def test_strange_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "strange.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_sweep(path)
    strange = path.rename(tmp_path / "strange.nc")
    with pytest.raises(InputError, match="cannot be read as a sweep"):
        open_sweep(strange)


def test_progress_tells_rate_and_time_left() -> None:
    said: list[tuple[float, float, str]] = []
    run(progress=lambda *now: said.append(now))
    assert said[-1][:2] == (12, 12)
    assert said[-1][2].startswith("12 of 12 cells, ")
    assert said[-1][2].endswith("cells/s, 0 s left")


def test_a_stranger_s_file_reads_no_other_file(tmp_path: Path) -> None:
    """What a saved sweep says of its scenario is looked at, and nothing else is opened."""
    secret = tmp_path / "secret.xml"
    secret.write_text("not yours", encoding="utf-8")
    found = sweep(resource(), {"types.A": [1, 2]}, workers=1)
    found.data.attrs["scenario"] = f"[network]\nsbml = {str(secret)!r}\n"
    with pytest.raises(InputError, match="here the reactions are expected"):
        _ = found.scenario


@pytest.mark.parametrize("ending", [".nc", ".csv"])
@pytest.mark.parametrize("axes", [AXES, {"rates.take": "0.5:2:4", "rates.keep": "1:2:2"}])
def test_several_measures_in_one_sweep(tmp_path: Path, ending: str, axes: Any) -> None:
    asked = ["leakage", "guess", "delta=0.5", "delta=0.1", "epsilon=1e-06", "settled"]
    path = tmp_path / f"map{ending}"
    found = run(axes, measure=asked, path=path)
    assert found.measures == ("leakage", *(Measure.parse(text).full_column for text in asked[1:]))
    for measure in asked:
        alone, view = run(axes, measure=measure), found.of(measure)
        assert view.measure == alone.measure
        assert (view.values == alone.values).all()
        assert (view.data["lower"] == alone.data["lower"]).all()
        assert (view.data["upper"] == alone.data["upper"]).all()
        assert str(view) == str(alone)
        assert view.lowest == alone.lowest
    again = open_sweep(path)
    assert again.measures == found.measures
    assert (again.of("delta=0.1").values == found.of("delta=0.1").values).all()
    if ending == ".nc":
        assert again.data.identical(found.data)
        one = tmp_path / "one.nc"
        found.of("delta=0.1").save(one)
        assert open_sweep(one).data.attrs["measured"] == "delta=0.1"


def test_a_sweep_of_one_measure_has_the_columns_it_always_had() -> None:
    found = run({"types.A": [2, 3]})
    assert list(found.data.data_vars) == ["leakage", *list(FIELDS)[1:]]
    assert "also" not in found.data.attrs
    assert found.measures == ("leakage",)


def test_several_measures_go_on_after_an_interruption(tmp_path: Path) -> None:
    path, asked = tmp_path / "map.nc", ("tv", "renyi=2")
    whole = run(measure=asked).data
    job = Job(resource(), Design(read_axes(AXES)), read_measures(asked), Limits())
    settings = {"max_states": 1000}
    done = solve_cell(job.cell(3))
    with Journal(path, job.identity(), settings, fields_of(job.also)) as journal:
        journal.append([(3, done)])
    assert run(measure=asked, path=path).data.identical(whole)


def test_measures_that_cannot_be() -> None:
    with pytest.raises(InputError, match="tv is to be measured twice"):
        run(measure=["tv", "kl", "tv"])
    with pytest.raises(InputError, match="no measure is given"):
        run(measure=[])
    with pytest.raises(InputError, match="'kl' was not measured: expected one of leakage"):
        run({"types.A": [2, 3]}).of("kl")
    assert run({"types.A": [2, 3]}, measure=["tv", "leakage"], smoothing=0.1).of("leakage")


def test_a_file_that_lies_about_its_measures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.nc"
    found = run({"types.A": [2, 3]}, measure=["leakage", "tv"])
    for also in ('["tv"]', "{", "[1]", '["kl"]', '"kl"'):
        save(found.data.assign_attrs(also=also), path)
        with pytest.raises(InputError, match="damaged"):
            open_sweep(path)
