"""Logs of counts as files: which columns are what, several files, what is refused and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import covey
from covey import InputError, TooLargeError
from covey.study.audit import count_log
from covey.study.audit.count_log import same_counts
from covey.study.audit.windows import Window, cut

LOG = "run,time,driving,charging\n1,0,5,0\n1,2,4,1\n2,0,3,2\n2,1,3.5,2\n"


def written(folder: Path, text: str, name: str = "log.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_runs_and_columns(tmp_path: Path) -> None:
    log = covey.read_counts(written(tmp_path, LOG))
    assert log.names == ("driving", "charging")
    assert [run.name for run in log.runs] == ["run 1", "run 2"]
    assert log.runs[1].counts.tolist() == [[3, 2], [3.5, 2]]
    assert [run.duration for run in log.runs] == [2, 1]


def test_other_names_and_formats(tmp_path: Path) -> None:
    text = (
        '{"when": "2026-05-18T10:00:00Z", "busy": 1}\n{"when": "2026-05-18T10:02:00Z", "busy": 2}\n'
    )
    log = covey.read_counts(written(tmp_path, text), {"time": "when"}, unit="minute")
    assert log.runs[0].times.tolist() == [0, 2]
    assert "dates" in log.notes[0]
    events = "sample,time,reaction,{A}\n0,0,,1\n0,0.5,{A} -> 0,0\n"
    assert covey.read_counts(written(tmp_path, events)).names == ("{A}",)


def test_several_files(tmp_path: Path) -> None:
    for k in range(3):
        written(tmp_path, f"time,charging,driving\n0,{k},1\n1,{k},2\n", f"real-{k}.csv")
    log = covey.read_counts(str(tmp_path / "real-*.csv"))
    assert len(log.runs) == 3
    assert log.runs[2].name == str(tmp_path / "real-2.csv")
    both = covey.read_counts([tmp_path / "real-0.csv", written(tmp_path, LOG)])
    assert both.names == ("charging", "driving")
    assert both.runs[1].counts.tolist() == [[0, 5], [1, 4]]
    other = covey.read_counts(written(tmp_path, LOG))
    assert same_counts(log, other).runs[0].counts.tolist() == [[0, 5], [1, 4]]
    with pytest.raises(InputError, match="no file has a name like this"):
        covey.read_counts(str(tmp_path / "none-*.csv"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,driving\n1,2\n", "it names the columns, and time is one of them"),
        ("time,run\n1,2\n", "nothing is counted"),
        ("time,robot,state\n1,2,x\n", "a row for every robot"),
        ("time,a,A\n1,2,3\n", "the column 'a' is there twice"),
        ("run,sample,time,a\n1,1,0,3\n", "run and sample are both there"),
        ("time,a\n1,x\n", "a is 'x': a number of at most 1e.12 is expected in every column but"),
        ("time,a\n1,inf\n", "a is 'inf': a number of at most"),
        ("time,a\n1,-1e300\n", "a is '-1e300': a number of at most"),
        ("time,a\nsoon,1\n", "the time is 'soon'"),
        ("time,a\n1,2,3\n", "3 columns, where the header has 2"),
        ("time,a\n1,2\n0,2\n", "the time 0 comes after 1"),
        ("time,a\n", "the log is empty"),
        ("", "the file is empty"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        covey.read_counts(written(tmp_path, text))
    assert refused.value.file is not None


def test_other_counts_are_refused(tmp_path: Path) -> None:
    one = covey.read_counts(written(tmp_path, LOG))
    other = covey.read_counts(written(tmp_path, "time,driving\n0,1\n", "other.csv"))
    with pytest.raises(InputError, match="charging is in one of them alone"):
        same_counts(one, other)


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_log, "_MOST_NUMBERS", 8)
    with pytest.raises(TooLargeError, match="more than 8 numbers"):
        covey.read_counts(written(tmp_path, LOG))


def test_windows(tmp_path: Path) -> None:
    log = covey.read_counts(written(tmp_path, "time,a\n5,0\n6,1\n7.5,2\n8,3\n9,4\n"))
    window = Window.of(log.runs)
    assert (window.length, window.every, window.points) == (4, 1, 5)
    assert window.seen(log.runs)[0, :, 0].tolist() == [0, 1, 1, 3, 4]
    moment = Window.of(covey.read_counts(written(tmp_path, "time,a\n5,7\n")).runs)
    assert moment.points == 1


def test_blocks(tmp_path: Path) -> None:
    rows = "".join(f"{time},{time}\n" for time in range(11))
    log = cut(covey.read_counts(written(tmp_path, f"time,a\n{rows}")), 2)
    assert [run.duration for run in log.runs] == [2, 2, 2]
    assert [run.times[0] for run in log.runs] == [0, 4, 8]
    assert np.array_equal(log.runs[1].counts[:, 0], [4, 5, 6, 6])
