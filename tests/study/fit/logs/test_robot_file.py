"""Logs of robots: rates come back, and what is odd is said with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from covey import LogTable, Network, Scenario, Team
from covey.errors import InputError
from covey.study.fit.fit import Fit, fit
from covey.study.fit.logs.reading import Reading
from tests.study.robot_log import Row, iso, robot_rows
from tests.study.test_fit import about, covered

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

RATES = {"meet": 0.2, "done": 0.5, "plug": 0.3, "full": 1.0}


def warehouse() -> Scenario:
    """Carriers and pickers that meet, and carriers that charge at docks."""
    network = Network(
        "{carrier} + {picker} <-> pick{carrier,picker} @ meet, done\n"
        "{carrier} + {dock} <-> charge{carrier,dock} @ plug, full",
        rates=RATES,
    )
    return Scenario(network, Team({"carrier": 4, "picker": 3}, {"dock": 2}))


def write(path: Path, scenario: Scenario, until: float, seed: int) -> Path:
    rows = [
        f"{iso(r.time)},{r.robot},{r.type},{r.after}" for r in robot_rows(scenario, until, seed)
    ]
    quoted = [row.replace(",pick{carrier,picker}", ',"pick{carrier,picker}"') for row in rows]
    quoted = [row.replace(",charge{carrier,dock}", ",charge") for row in quoted]
    path.write_text("\n".join(["when,agv,type,state", *quoted]) + "\n")
    return path


READING = Reading(columns={"time": "when", "robot": "agv"})


@pytest.mark.slow
def test_robots_with_dates_give_back_their_rates_as_often_as_stated(tmp_path: Path) -> None:
    """200 logs: each rate is in its 95 % interval in 95 % of them, but for chance."""
    fits = [
        fit(warehouse(), write(tmp_path / "log.csv", warehouse(), 120, seed), reading=READING)
        for seed in range(200)
    ]
    low, _ = about(0.95, 200)
    assert all(count >= low for count in covered(fits, RATES.values()))
    assert sum(covered(fits, RATES.values())) >= 0.95 * 4 * 200


def test_robots_with_dates_are_the_events_behind_them(tmp_path: Path) -> None:
    from covey import event_log

    found = fit(warehouse(), write(tmp_path / "log.csv", warehouse(), 60, 1), reading=READING)
    same = fit(warehouse(), event_log(warehouse().network, warehouse().start, 60, seed=1))
    assert found.observations == same.observations
    for name, rate in found.rates.items():
        assert rate.events == same.rates[name].events
        assert rate.exposure == pytest.approx(same.rates[name].exposure, rel=1e-5)  # microseconds
    assert found.notes[0].startswith(
        "Times are taken for dates: the first, 2026-05-18T08:00:00.000000+02:00, counts as 0. "
        "Rates are per second"
    )
    assert len(found.notes) == 1


def simple() -> Scenario:
    network = Network("{A} <-> on{A} @ up, down\n{B} <-> on{B} @ up, down", {"up": 1, "down": 1})
    return Scenario(network, Team({"A": 1, "B": 1}))


def of(tmp_path: Path, text: str, scenario: Scenario | None = None, **how: object) -> Fit:
    (tmp_path / "log.csv").write_text(text)
    reading = Reading(**how)  # type: ignore[arg-type]
    return fit(scenario or simple(), tmp_path / "log.csv", reading=reading)


SAME = [
    "time,robot,state\n0,a,{A}\n0,b,{B}\n1,a,on{A}\n3,a,{A}\n4,b,on{B}\n5,b,on{B}\n",
    "time,robot,type,state\n0,a,A,\n0,b,B,\n1,a,A,on\n3,a,A,\n4,b,B,on\n5,a,A,\n",
    "time,robot,type,from,to\n0,a,A,,\n0,b,B,,\n1,a,A,,on\n3,a,A,on,\n4,b,B,,on\n5,b,B,on,on\n",
    "time,battery,robot,state\n0,5,a,{A}\n0,5,b,{B}\n1,,a,on{A}\n3,7,a,{A}\n4,1,b,on{B}\n5,1,b,on{B}\n",
    "\n".join(
        json.dumps({"time": time, "robot": {"name": name}, "state": state})
        for time, name, state in [
            (0, "a", "{A}"), (0, "b", "{B}"), (1, "a", "on{A}"), (3, "a", "{A}"), (4, "b", "on{B}"),
            (5, "b", "on{B}"),
        ]
    ),
]  # fmt: skip


@pytest.mark.parametrize("text", SAME)
def test_one_path_written_in_many_ways(text: str, tmp_path: Path) -> None:
    columns = {"robot": "robot.name"} if text.startswith("{") else {}
    found = of(tmp_path, text, columns=columns)
    up, down = found.rates.values()
    # Off are two until 1, one until 3, two until 4, one until 5.
    assert (up.events, up.exposure) == (2, 2 + 2 + 2 + 1)
    assert (down.events, down.exposure) == (1, 0 + 2 + 0 + 1)
    assert found.notes == ()
    assert (found.runs, found.duration) == (1, 5)


def numbers(found: Fit) -> list[tuple[float | None, float | None]]:
    return [(rate.events, rate.exposure) for rate in found.rates.values()]


def test_a_robot_that_is_heard_of_late_is_watched_from_then_on(tmp_path: Path) -> None:
    """All that came before was thrown away, without a word."""
    found = of(tmp_path, "time,robot,state\n0,a,{A}\n1,a,on{A}\n2,b,{B}\n3,a,{A}\n4,b,{B}\n")
    assert (found.runs, found.duration, found.notes) == (1, 4, ())
    assert numbers(found) == [(1, 1 + 0 + 1 + 2), (1, 2)]  # b is off from 2 on


def docks() -> Scenario:
    network = Network("{A} + {R} <-> {A,R} @ plug, full", {"plug": 1, "full": 1})
    return Scenario(network, Team({"A": 3}, {"R": 2}))


def test_what_an_unheard_robot_may_hold_is_waited_for(tmp_path: Path) -> None:
    text = 'time,robot,state\n0,a,{A}\n0,b,{A}\n2,a,"{A,R}"\n5,c,"{A,R}"\n6,a,{A}\n8,a,{A}\n'
    found = of(tmp_path, text, docks())
    assert numbers(found) == [(0, 0 + 2 * 1 * 2), (1, 2 + 2)]  # from 5 on; two of A off after 6
    assert "Nothing is counted in the first 5 of the time" in " ".join(found.notes)


def beats(robot: str, state: str, begin: int, end: int) -> list[str]:
    return [f"{k},{robot},{state}" for k in range(begin, end + 1)]


def log_of(*rows: list[str]) -> str:
    ordered = sorted(
        (row for some in rows for row in some), key=lambda row: float(row.split(",")[0])
    )
    return "\n".join(["time,robot,state", *ordered]) + "\n"


def test_a_robot_that_vanishes_is_not_watched_any_more(tmp_path: Path) -> None:
    """It counted as driving for ever."""
    text = log_of(beats("a", "{A}", 0, 10), beats("a", "on{A}", 11, 20), beats("b", "{B}", 0, 1000))
    found = of(tmp_path, text, polled=False)
    assert numbers(found) == [(1, 11 + 1000), (0, 9)]
    assert (found.runs, found.duration) == (1, 1000)
    said = " ".join(found.notes)
    assert "A robot is not heard of for too long 1 time, first in line 42: a." in said
    forever = of(tmp_path, text, polled=False, lost_after=1e6)
    assert numbers(forever) == [(1, 11 + 1000), (0, 989)]
    assert "not heard of" not in " ".join(forever.notes)
    assert of(tmp_path, text, polled=None).rates["down"].interval[1] > 0.1


def test_a_robot_that_comes_back_is_watched_again(tmp_path: Path) -> None:
    """What it did in between counts neither as an event nor as time."""
    text = log_of(
        beats("a", "{A}", 0, 10), beats("a", "on{A}", 50, 60), beats("a", "{A}", 61, 64),
        beats("b", "{B}", 0, 64),
    )  # fmt: skip
    found = of(tmp_path, text, polled=False)
    assert numbers(found) == [(0, 10 + 64 + 3), (1, 11)]
    patient = of(tmp_path, text, polled=False, lost_after=40)
    assert numbers(patient) == [(1, 50 + 64 + 3), (1, 11)]


def test_robots_that_report_changes_are_lost_by_what_is_usual(tmp_path: Path) -> None:
    """Those that are heard of count to the end, one that vanishes up to its last row."""
    network = Network("{A} <-> on{A} @ up, down", {"up": 0.5, "down": 1.0})
    scenario = Scenario(network, Team({"A": 4}))
    every = list(robot_rows(scenario, 400, 5))
    rows = [row for row in every if row.robot != "r2" or row.time < 100]

    def read(some: list[Row], **how: object) -> Fit:
        lines = [f"{r.time!r},{r.robot},{r.type},{r.after}" for r in some]
        return of(tmp_path, "\n".join(["time,robot,type,state", *lines]), scenario, **how)

    expected = {"{A}": 0.0, "on{A}": 0.0}
    for name in ("r1", "r2", "r3", "r4"):
        path = [row for row in rows if row.robot == name]
        end = path[-1].time if name == "r2" else 400
        for row, after in zip(path, [*[r.time for r in path[1:]], end], strict=True):
            expected[row.after] += after - row.time
    found = read(rows)
    assert "A robot is not heard of for too long 1 time" in " ".join(found.notes)
    for rate, exposure in zip(found.rates.values(), expected.values(), strict=True):
        assert rate.exposure == pytest.approx(exposure)
    assert "not heard of" not in " ".join(read(every).notes)
    forever = read(rows, lost_after=1e9).rates
    assert sum(rate.exposure or 0 for rate in forever.values()) == pytest.approx(4 * 400)


def test_a_robot_that_is_lost_keeps_its_dock(tmp_path: Path) -> None:
    text = log_of(
        beats("a", '"{A,R}"', 0, 10), beats("b", "{A}", 0, 100), beats("c", "{A}", 0, 40),
        beats("c", '"{A,R}"', 41, 100),
    )  # fmt: skip
    plug, full = numbers(of(tmp_path, text, docks(), polled=False))
    assert plug == (1, 2 * 1 * 41 + 0)  # one dock is free for two of A, then none
    assert full == (0, 10 + 59)


def test_where_a_robot_may_act_unseen_all_are_watched_or_none(tmp_path: Path) -> None:
    """One that is lost may still urge the others on."""
    network = Network("{A} -> on{A} @ alone\n{A} + {B} -> on{A} + {B} @ urged\non{A} -> {A} @ down",
                      {"alone": 1, "urged": 1, "down": 1})  # fmt: skip
    scenario = Scenario(network, Team({"A": 1, "B": 1}))
    text = log_of(beats("a", "{A}", 0, 100), beats("b", "{B}", 0, 10), beats("b", "{B}", 90, 100))
    found = of(tmp_path, text, scenario, polled=False)
    assert numbers(found) == [(0, 10 + 10), (0, 10 + 10), (0, 0)]
    assert "For 80 of the time (80%) it was not known where everybody was." in " ".join(found.notes)


def test_until_is_for_the_run_that_is_not_over(tmp_path: Path) -> None:
    """A run that had ended went on to the end once more."""
    text = "time,robot,state\n0,a,{A}\n0,b,{B}\n5,a,BROKEN\n7,a,on{A}\n8,a,on{A}\n"
    (tmp_path / "log.csv").write_text(text)
    found = fit(simple(), tmp_path / "log.csv", until=20)
    assert (found.runs, found.duration) == (2, 5 + 13)
    assert numbers(found) == [(0, 2 * 5 + 13), (0, 13)]
    with pytest.raises(InputError, match="goes on to time 8: until = 6 is before that"):
        fit(simple(), tmp_path / "log.csv", until=6)


def pair() -> Scenario:
    network = Network("{A} + {B} <-> {A,B} @ meet, part\n{A} -> off{A} @ 1\noff{A} -> {A} @ 1",
                      {"meet": 1, "part": 1})  # fmt: skip
    return Scenario(network, Team({"A": 2, "B": 1}))


HEAD = "time,robot,state\n0,a,{A}\n0,c,{A}\n0,b,{B}\n"


def test_robots_of_one_event_at_slightly_different_times(tmp_path: Path) -> None:
    text = HEAD + '2,a,"{A,B}"\n2.1,b,"{A,B}"\n5,c,off{A}\n6,c,off{A}\n'
    found = of(tmp_path, text, pair(), together=0.2)
    assert [rate.events for rate in found.rates.values()] == [1, 0, 1, 0]
    assert found.rates["meet"].exposure == pytest.approx(2 * 2.1)
    assert "explains what robots did" not in str(found)
    apart = of(tmp_path, text, pair())
    assert (
        "No reaction explains what robots did 1 time, first in line 5: a A from {A} to {A,B}"
        in (" ".join(apart.notes))
    )
    assert [rate.events for rate in apart.rates.values()] == [0, 0, 1, 0]


def test_what_is_odd_is_said(tmp_path: Path) -> None:
    scenario = simple()
    text = (
        "time,robot,type,state\n0,a,A,{A}\n0,b,B,{B}\n1,a,A,on\n0.5,b,B,on\n2,a,A,{A}\n2,a,A,on\n"
        "3,a,A,BROKEN\n7,a,A,on\n8,a,A,\n9,x,lorry,parked\n10,b,B,\n"
    )
    found = of(tmp_path, text, scenario)
    said = " ".join(found.notes)
    assert "The clock runs back 1 time, first in line 5: 0.5 before the row above" in said
    assert "two places 1 time, first in line 7: a is in on and in {A} at once" in said
    assert "States that the network does not know: 'BROKEN' in 1 rows, first in line 8" in said
    assert "For 4 of the time (40%) it was not known where everybody was" in said
    assert "1 robots are of no type of the team, and left out (the first: x, line 11)" in said
    other = " ".join(of(tmp_path, text.replace("BROKEN", "{B}"), scenario).notes)
    assert "'{B}' in 1 rows, first in line 8 (where no robot of that type can be)." in other
    words = Scenario(scenario.network, scenario.team, log=LogTable(states={"BROKEN": "{A}"}))
    assert "does not know" not in " ".join(of(tmp_path, text, words).notes)


def test_a_silence_that_the_rates_do_not_explain_is_said(tmp_path: Path) -> None:
    rows = "".join(f"{k},a,{'on{A}' if k % 2 else '{A}'}\n" for k in range(1, 101))
    text = "time,robot,state\n0,a,{A}\n0,b,{B}\n" + rows
    assert of(tmp_path, text, polled=False).notes[1:] == ()
    gap = " ".join(of(tmp_path, text + "5000,a,on{A}\n", polled=False, lost_after=9999).notes)
    assert "Nothing happened for 4900 from 100 on (after line 103), where" in gap


@pytest.mark.parametrize("factor", [1, 1000, 10**6, 10**9])
def test_epoch_times_are_recognised_and_said(factor: int, tmp_path: Path) -> None:
    """They gave rates of 2e-13 without a word."""
    lines = ["time,robot,state"]
    for line in SAME[0].splitlines()[1:]:
        time, rest = line.split(",", 1)
        lines.append(f"{(1_747_573_920 + int(time)) * factor},{rest}")
    found = of(tmp_path, "\n".join(lines) + "\n")
    assert [(rate.events, rate.exposure) for rate in found.rates.values()] == [(2, 7), (1, 3)]
    kind = {1: "", 1000: "milli", 10**6: "micro", 10**9: "nano"}[factor]
    assert f"epoch {kind}seconds: the first, {1_747_573_920 * factor}, is" in found.notes[0]
    assert "2025-05-18 13:12:00 UTC and counts as 0. Rates are per second" in found.notes[0]
    minutes = of(tmp_path, "\n".join(lines) + "\n", unit="minute")
    assert minutes.rates["up"].exposure == pytest.approx(7 / 60)
    assert "Rates are per minute." in minutes.notes[0]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("time,robot\n0,a\n", 1, "time, robot and state (or from and to) are expected"),
        ("time,robot,state\n", None, "the log is empty"),
        ("time,robot,state\n0,a,{A}\n1,a,on{A}\n2,a,{A}\n", None, "0 of type B are in the log"),
        ("time,robot,state\n0,a,{A}\n0,q,{A}\n", 3, "'q' is robot 2 of type A, and the team has 1"),
        ("time,robot,state\n0,a,on\n", 2, "the type of robot 'a' is not known: a column type"),
        ("time,robot,state\n0,,on\n", 2, "the row names no robot"),
        ("time,robot,state\n18/05/2026,a,{A}\n", 2, "or a date in ISO 8601 such as"),
        ("time,robot,state\n2026-05-18T10:00Z,a,{A}\n2026-05-18T10:00,b,{B}\n", 3, "with a zone"),
        ("time,robot,state\n0,a\n", 2, "2 columns, where the header has 3"),
        ("time,robot,state\n0,a,{A}\nnan,b,{B}\n", 3, "the time is 'nan'"),
        (
            "time,robot,state\n0,a,{A}\n0,b,{B}\n" + "9,a,on{A}\n1,a,{A}\n" * 5,
            5,
            "5 of 12 rows are earlier than the row before, by up to 8: rows are expected in the",
        ),
        (
            '{"time": 0, "robot": "a", "state": "{A}"}\n{"time": 1, "robot": "a", "to": "on"}\n',
            2,
            "'to' is not in the first line, which names all columns",
        ),
        ('{"time": 0, "robot": "a", "state": "{A}"}\n{"time": 1,\n', 2, "not JSON"),
    ],
)
def test_refusals(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        of(tmp_path, text)
    assert message in caught.value.message
    assert caught.value.line == line
    assert caught.value.file == str(tmp_path / "log.csv")


def test_bad_lines_are_skipped_and_counted_where_that_is_wanted(tmp_path: Path) -> None:
    good = SAME[0].splitlines()
    bad = [*good[:3], "1,a", "later,b,on{B}", "1,,on{A}", *good[3:]]
    text = "\n".join(bad) + "\n"
    with pytest.raises(InputError) as caught:
        of(tmp_path, text)
    assert (caught.value.line, caught.value.message) == (4, "2 columns, where the header has 3")
    found = of(tmp_path, text, skip_bad=True)
    assert numbers(found) == numbers(of(tmp_path, SAME[0]))
    assert found.notes == (
        "3 lines could not be read, and are skipped: first line 4: 2 columns, where the header has "
        "3.",
    )
    objects = SAME[-1].splitlines()
    text = "\n".join([*objects[:2], "{broken", "[1, 2]", *objects[2:], '"{\\"time'])
    with pytest.raises(InputError, match="log.csv:3: not JSON"):
        of(tmp_path, text, columns={"robot": "robot.name"})
    found = of(tmp_path, text, columns={"robot": "robot.name"}, skip_bad=True)
    assert numbers(found) == numbers(of(tmp_path, SAME[0]))
    assert found.notes[0].startswith(
        "3 lines could not be read, and are skipped: first line 3: not"
    )


def test_networks_that_a_log_of_robots_does_not_tell_about(tmp_path: Path) -> None:
    docks = Network("{A} + {R} <-> {A,R} @ 1, 1\n{R} <-> off{R} @ 1, 1")
    with pytest.raises(InputError, match="where a R is that no robot is with does not follow"):
        of(tmp_path, "time,robot,state\n0,a,{A}\n", Scenario(docks, Team({"A": 1}, {"R": 1})))
    fuel = Scenario(Network("{A} + fuel -> on{A} @ 1\non{A} -> {A} @ 1"), Team({"A": 1}))
    with pytest.raises(InputError, match="how much fuel there is does not follow"):
        of(tmp_path, "time,robot,state\n0,a,{A}\n", fuel)


def test_arrivals_and_departures(tmp_path: Path) -> None:
    network = Network("0 -> {A} @ come\n{A} -> 0 @ go", {"come": 1, "go": 1})
    text = "time,robot,state\n0,a,{A}\n1,b,{A}\n3,a,0\n4,b,{A}\n"
    come, go = of(tmp_path, text, Scenario(network, Team({"A": 1}))).rates.values()
    assert (come.events, come.exposure) == (1, 4)
    assert (go.events, go.exposure) == (1, 1 + 4 + 1)
