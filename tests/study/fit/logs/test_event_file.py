"""Logs as people write them: what each row means, and the line of what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from covey import Network, Scenario, Team
from covey.errors import InputError
from covey.study.fit.fit import fit
from covey.study.fit.logs.log import Log
from covey.study.fit.logs.log_file import read_log
from covey.study.fit.tally import Tally

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

ALL = '{A},{R},"{A,R}"'


def pair() -> Scenario:
    network = Network("{A} + {R} <-> {A,R} @ take, 1", rates={"take": 3})
    return Scenario(network, Team({"A": 2}, {"R": 2}))


def read_any(tmp_path: Path, text: str | bytes, scenario: Scenario | None = None) -> Log | Tally:
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_log(str(path), scenario or pair())[0]


def read(tmp_path: Path, text: str | bytes, scenario: Scenario | None = None) -> Tally:
    found = read_any(tmp_path, text, scenario)
    assert isinstance(found, Tally)
    return found


# One path, as different people would write it: up at 1, down at 3, watched until 4.
SAME = [
    f'time,reaction,{ALL}\n0,,2,2,0\n1,"{{A}} + {{R}} -> {{A,R}}",1,1,1\n'
    '3,"{A,R} -> {A} + {R}",2,2,0\n4,,2,2,0\n',
    'time,reaction\n1,"{R} + {A} -> {R,A}"\n3,"{R,A}->{A}+{R} @ 1"\n4,\n',
    "time,reaction\n0,\n1,1\n3,r2\n4,\n",
    f"time,reaction,{ALL}\n1,1,1,1,1\n3,2,2,2,0\n4,,2,2,0\n",
    f"time,reaction,{ALL}\n0,,2,2,0\n1,,1,1,1\n2.5,,1,1,1\n3,,2,2,0\n4,,2,2,0\n",
    'time,before {A},before {R},"before {A,R}",after {A},after {R},"after {A,R}"\n'
    "1,2,2,0,1,1,1\n3,1,1,1,2,2,0\n4,2,2,0,2,2,0\n",
    '\ufeffsample, Time ,Reaction,"{R,A}",{R},{A}\r\n7,0,,0,2,2\r\n\r\n7,1e0,1,1,1.0,1\r\n'
    "7,3,2,0,2,2\r\n7,4,,0,2,2\r\n",
]


@pytest.mark.parametrize("text", SAME)
def test_one_path_written_in_many_ways(text: str, tmp_path: Path) -> None:
    log = read(tmp_path, text)
    (track,) = log.tracks
    assert log.ended
    assert (track.time, track.state) == (4, (2, 2, 0))
    assert log.counts == {(0,): 1, (1,): 1}
    assert log.exposure.tolist() == [10, 2]  # h = 4, 1, 4 and 0, 1, 0, for 1, 2 and 1
    take, back = fit(pair(), tmp_path / "log.csv").rates.values()
    assert (take.value, back.value) == (1 / 10, 1 / 2)


def test_the_end_of_observation(tmp_path: Path) -> None:
    open_ended = read(tmp_path, "time,reaction\n1,1\n3,2\n")
    assert not open_ended.ended
    found = fit(pair(), tmp_path / "log.csv")
    assert found.rates["take"].exposure == 6
    assert "slightly too high" in str(found)
    watched = fit(pair(), tmp_path / "log.csv", until=4)
    assert watched.rates["take"].exposure == 10
    assert watched.notes == ()
    with pytest.raises(InputError, match=r"log.csv:3: the log goes on to time 3: until = 2 is"):
        fit(pair(), tmp_path / "log.csv", until=2)
    read(tmp_path, "time,reaction\n0,\n5,\n")
    assert fit(pair(), tmp_path / "log.csv").rates["take"].events == 0


def test_runs_may_be_interleaved(tmp_path: Path) -> None:
    log = read(tmp_path, "sample,time,reaction\na,1,1\nb,0.5,1\na,2,2\nb,0.7,1\n")
    assert [track.time for track in log.tracks] == [2, 0.7]
    assert log.tracks[1].state == (0, 0, 2)


def test_rows_without_reactions_are_snapshots(tmp_path: Path) -> None:
    log = read_any(tmp_path, f"time,{ALL}\n-1,2,2,0\n4,0,0,2\n")
    assert isinstance(log, Log)
    assert log.sampled
    assert log.seen is None
    assert log.runs[0].states.tolist() == [[2, 2, 0], [0, 0, 2]]
    assert log.runs[0].lines.tolist() == [2, 3]


def test_changes_that_two_reactions_make(tmp_path: Path) -> None:
    network = Network("{A} -> on{A} @ 1\n{A} + {B} -> on{A} + {B} @ 1\n{B} <-> off{B} @ 1, 1")
    scenario = Scenario(network, Team({"A": 2, "B": 1}))
    text = "time,reaction,{A},{B},off{B},on{A}\n0,,2,1,0,0\n1,,1,1,0,1\n2,,1,0,1,1\n3,,0,0,1,2\n"
    log = read(tmp_path, text, scenario)
    # With no B there, the second is not possible.
    assert log.counts == {(0, 1): 1, (2,): 1, (0,): 1}


def test_a_reaction_written_twice_is_one_or_the_other(tmp_path: Path) -> None:
    scenario = Scenario(Network("{A} -> on{A} @ 1\n{A} -> on{A} @ 2"), Team({"A": 2}))
    log = read(tmp_path, "time,reaction\n1,{A} -> on{A}\n2,2\n", scenario)
    assert log.counts == {(0, 1): 1, (1,): 1}


HEAD = f"time,reaction,{ALL}\n0,,2,2,0\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "the file is empty"),
        ("time,reaction\n", None, "the log is empty: a row for each event or snapshot"),
        ("when,reaction\n1,1\n", 1, "the column 'when' is no species of the network"),
        ("reaction\n1\n", 1, "the first line is 'reaction': it names the columns, and time"),
        ("tme,reaction\n", 1, 'Did you mean "time"?'),
        ("time,time\n1,1\n", 1, "the column 'time' is there twice"),
        ("time\n1\n", 1, "neither reactions nor states"),
        ('time,reaction,{A},"{A,R}"\n', 1, "no column for {R}: all species are expected, or none"),
        ('time,reaction\n1,"{A} + {R} -> {A,Q}"\n', 2, 'Did you mean "{A} + {R} -> {A,R}"?'),
        ("time,reaction\n1,1\n2,go\n", 3, "'go' is no reaction of the network. Expected one such"),
        ("time,reaction\n1,3\n", 2, "there is no reaction 3: they are numbered from 1 to 2"),
        ("time,reaction\n1,0\n", 2, "there is no reaction 0"),
        ('time,reaction\n1,"{A} + {R} <-> {A,R}"\n', 2, "is no reaction of the network"),
        ("time,reaction\n2,1\n1,2\n", 3, "the time 1 comes after 2: the rows of a run"),
        ("time,reaction\n-2,1\n", 2, "the first event is at time -2: a run begins at 0"),
        ("time,reaction\nsoon,1\n", 2, "the time is 'soon': a number is expected"),
        ("time,reaction\nnan,1\n", 2, "the time is 'nan'"),
        ("time,reaction\n1,1,1\n", 2, "3 columns, where the header has 2"),
        ("time,reaction\n1,2\n", 2, "{A,R} -> {A} + {R} cannot have happened: there are 0 {A,R}"),
        (f"time,{ALL}\n0,2,2,-1\n", 2, "the count of {A,R} is '-1': a whole number from 0"),
        (f"time,{ALL}\n0,2,2,1.5\n", 2, "the count of {A,R} is '1.5'"),
        (f"time,{ALL}\n0,2,2,\n", 2, "the count of {A,R} is ''"),
        (f"time,{ALL}\n0,2,2,9e99\n", 2, "the count of {A,R} is '9e99'"),
        (HEAD + "1,1,1,2,1\n", 3, "after {A} + {R} -> {A,R} there are 2 {R}, where 1 are expected"),
        (HEAD + "1,,0,0,2\n", 3, "no reaction explains the change -2 {A}, -2 {R}, +2 {A,R}"),
        (
            'time,before {A},before {R},"before {A,R}",{A},{R},"{A,R}"\n1,2,2,0,1,1,1\n2,2,2,0,1,1,1\n',
            3,
            "before the event there are 2 {A}, where 1 are expected as the row above left it",
        ),
        (b"time,reaction\n1,1\n\xff\xfe,2\n", 3, "byte 0xff is not UTF-8"),
        (b"\x00\x01\x02\n", 1, "is no species of the network"),
        ('time,reaction\n1,"1\n', 2, "not a CSV file"),
        ("x" * 1_200_000, 1, "a line of a megabyte: this is no log"),
        ("time,reaction\n" + "1" * 200_000 + ",1\n", 2, "not a CSV file"),
    ],
)
def test_what_cannot_be(text: str | bytes, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_any(tmp_path, text)
    assert message in caught.value.message
    assert caught.value.line == line
    assert caught.value.file == str(tmp_path / "log.csv")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file; `covey simulate` writes"):
        read_log(str(tmp_path / "none.csv"), pair())
    with pytest.raises(InputError, match="this is a directory; a log is expected"):
        read_log(str(tmp_path), pair())


def test_a_long_log_is_read_in_reasonable_time(tmp_path: Path) -> None:
    rows = "".join(f"{k},{1 + k % 2}\n" for k in range(50_000))
    log = read(tmp_path, "time,reaction\n" + rows)
    assert log.counts == {(0,): 25_000, (1,): 25_000}
    assert log.duration == 49_999
    assert log.exposure.tolist() == [25_000 * 1 + 24_999 * 4, 25_000]
