"""Draws follow the table, at the moments that were judged, and a feed is answered line by line."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from covey.errors import InputError
from covey.model.observation.release_table import ReleaseTable
from covey.remedy.feed import publish_feed
from covey.remedy.last_published import LastPublished, last_published
from covey.remedy.publisher import Publisher

SEEN = np.array([[0, 0], [1, 0], [2, 5]])
TABLE = ReleaseTable(
    ("free", "busy"),
    SEEN,
    SEEN[:2],
    np.array([[0.7, 0.3], [0.05, 0.95], [1.0, 0.0]]),
    0.5,
    0.0,
    0.5,
)


EVEN = replace(TABLE, table=np.full((3, 2), 0.5))


def missions() -> Publisher:
    return Publisher(TABLE, each_is_a_mission=True)


def judged(every: float, until: float, unit: str | None = None, hold: int = 0) -> ReleaseTable:
    """A table for a stream that draws one of two outcomes with even odds, whatever is there."""
    made_for = {"every": every, "until": until, **({"unit": unit} if unit else {})}
    return replace(EVEN, made_for=made_for, hold=hold)


def test_draws_follow_the_table() -> None:
    publisher = missions()
    for row, chances in zip(SEEN.tolist(), TABLE.table.tolist(), strict=True):
        drawn = Counter(publisher.draw(row) for _ in range(20_000))
        expected = [20_000 * p for p in chances if p > 0]
        found = [drawn[tuple(z)] for z, p in zip(SEEN[:2].tolist(), chances, strict=True) if p > 0]
        assert sum(found) == 20_000
        if len(found) > 1:
            assert chisquare(found, expected).pvalue > 1e-6
    assert publisher.unknown == publisher.unreadable == 0


def test_the_stairs_are_exact() -> None:
    publisher = missions()
    steps, outcomes = publisher._steps[0]
    first, second = Fraction(0.7), Fraction(0.3)  # of the doubles, which do not add up to one
    assert steps == [int(first / (first + second) * 2**128)]
    assert outcomes == [(0, 0), (1, 0)]


def test_draws_are_not_repeated() -> None:
    one, other = ([Publisher(TABLE).draw((0, 0)) for _ in range(200)] for _ in range(2))
    assert one != other  # 2^-170 of the time they are


@pytest.mark.parametrize(
    ("counts", "unknown"),
    [((3, 5), 1), ((10**30, 5), 1), ((math.inf, 5), 1), (("2", "5"), 0), (("2.0", 5.0), 0)],
)
def test_no_outcome_is_refused(counts: tuple[object, object], unknown: int) -> None:
    publisher = missions()
    assert publisher.draw(counts) in {(0, 0), (1, 0)}
    assert (publisher.unknown, publisher.unreadable) == (unknown, 0)


@pytest.mark.parametrize(
    "counts", [(-1, 0), ("x", 0), (None, None), (float("nan"), 0), (0.5, 0), ([], {})]
)
def test_what_cannot_be_read_is_not_drawn_for(counts: tuple[object, object]) -> None:
    with pytest.raises(InputError, match="no whole number from 0 on, and nothing was published"):
        Publisher(TABLE).draw(counts)
    publisher = Publisher(EVEN, each_is_a_mission=True)
    first = publisher.draw((0, 0))
    assert {publisher.draw(counts) for _ in range(50)} == {first}
    assert (publisher.unknown, publisher.unreadable) == (0, 50)
    assert len(publisher.notes) == 1  # the first is said, and the others are counted


def test_one_snapshot_is_drawn_for_once() -> None:
    publisher = Publisher(TABLE)
    publisher.draw((0, 0))
    for again in (publisher, Publisher(TABLE, publisher.last)):
        with pytest.raises(InputError, match="for one snapshot, and one was published"):
            again.draw((0, 0))
    with pytest.raises(InputError, match="made for a stream"):
        Publisher(judged(1, 3), each_is_a_mission=True)


def test_the_nearest_known_one_stands_for_an_unknown_one() -> None:
    publisher = missions()  # (3, 6) is nearest to (2, 5), which is always published as (0, 0)
    assert {publisher.draw((3, 6)) for _ in range(50)} == {(0, 0)}
    assert publisher.unknown == 50


def feed(text: bytes) -> tuple[str, Publisher, int]:
    publisher, out = missions(), io.BytesIO()
    lines = publish_feed(publisher, io.BytesIO(text), out)
    return out.getvalue().decode(), publisher, lines


def test_lines_of_csv() -> None:
    text, publisher, lines = feed(b'robot,busy,free\nr2,5,2\r\n"a,b",5,2\n\nr2,6,2\nr2\n')
    assert text.splitlines() == ["free,busy", "0,0", "0,0", "0,0", "0,0"]
    assert lines == 4
    assert (publisher.unknown, publisher.unreadable) == (1, 1)


def test_json_lines() -> None:
    text, publisher, lines = feed(b'{"free": 2, "busy": 5, "robot": 7}\n{"free": 2\n[1]\n')
    published = [json.loads(line) for line in text.splitlines()]
    assert published == [{"free": 0, "busy": 0}] * 3
    assert lines == len(published) == 3
    assert publisher.unreadable == 2


def test_columns_pass_where_they_are_named_and_never_by_themselves() -> None:
    publisher, out = missions(), io.BytesIO()
    lines = b'station,note,busy,free\n7,"a,b",5,2\n8,=1+1,x,2\n9\n'
    publish_feed(publisher, io.BytesIO(lines), out, passed=["note", "station"])
    shown = ["note,station,free,busy", '"a,b",7,0,0', "'=1+1,8,0,0", ",9,0,0"]
    assert out.getvalue().decode().splitlines() == shown
    out = io.BytesIO()
    objects = b'{"free": 2, "busy": 5, "station": {"id": 7}, "robot": 3}\n{"free": 2, "busy": 5}\n'
    publish_feed(missions(), io.BytesIO(objects), out, passed=["station"])
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"station": {"id": 7}, "free": 0, "busy": 0}, {"station": None, "free": 0, "busy": 0},
    ]  # fmt: skip
    with pytest.raises(InputError, match="busy is a count"):
        publish_feed(missions(), io.BytesIO(lines), out, passed=["busy"])
    with pytest.raises(InputError, match="does not name town once"):
        publish_feed(missions(), io.BytesIO(lines), out, passed=["town"])


def test_the_time_passes_as_it_is_written() -> None:
    publisher, out = Publisher(judged(15, 480, "minute")), io.BytesIO()
    times = [str(noon("date", 60 * i)) for i in range(3)]
    lines = ["time,free,busy", *(f"{time},0,0" for time in times)]
    publish_feed(publisher, io.BytesIO("\n".join(lines).encode()), out, passed=["time"])
    assert [line.split(",")[0] for line in out.getvalue().decode().split()] == ["time", *times]


def test_a_feed_that_is_to_stop_ends_at_the_line_that_cannot_be_read() -> None:
    publisher, out = missions(), io.BytesIO()
    kept: list[object] = []

    def before() -> None:
        kept.append(publisher.last)

    with pytest.raises(InputError, match=r"-:4: the line cannot be read.*--stop-on-error") as found:
        publish_feed(
            publisher, io.BytesIO(b"free,busy\n2,5\n0,0\nx,5\n2,5\n"), out, before,
            stop_on_error=True,
        )  # fmt: skip
    assert found.value.line == 4
    assert len(out.getvalue().splitlines()) == 3  # what was drawn before it is out, and kept
    assert kept == [publisher.last]


def test_a_header_that_names_no_counts_is_refused() -> None:
    with pytest.raises(InputError, match="does not name busy once"):
        feed(b"free,buzy\n2,5\n")


def test_a_line_without_end_takes_no_memory() -> None:
    class Endless(io.RawIOBase):
        left = 200

        def read1(self, size: int) -> bytes:
            self.left -= 1
            first = b"free,busy\n2,5\n"
            return first if self.left == 199 else b"9" * size if self.left > 0 else b""

    publisher, out = missions(), io.BytesIO()
    assert publish_feed(publisher, Endless(), out) == 2  # type: ignore[arg-type]
    assert publisher.unreadable == 1


def test_answers_come_before_the_feed_ends() -> None:
    class Slow(io.RawIOBase):
        pieces = (b"free,busy\n2,5\n2,", b"5\n", b"")
        turn = 0

        def read1(self, size: int) -> bytes:
            if self.turn == 1:
                assert out.getvalue() == b"free,busy\n0,0\n"
            self.turn += 1
            return self.pieces[self.turn - 1]

    out = io.BytesIO()
    assert publish_feed(missions(), Slow(), out) == 2  # type: ignore[arg-type]


def fed(publisher: Publisher, times: Sequence[object], counts: str = "0,0") -> list[str]:
    """What a feed with a line at each of these times publishes."""
    lines = ["time,free,busy", *(f"{time},{counts}" for time in times)]
    out = io.BytesIO()
    publish_feed(publisher, io.BytesIO("\n".join(lines).encode()), out)
    return out.getvalue().decode().splitlines()[1:]


def test_it_is_drawn_at_the_moments_that_were_judged_and_at_no_other() -> None:
    # Judged at 0, 1 and 2: a second draw at 1.5, or one after the end, would tell more.
    for _ in range(30):
        publisher = Publisher(judged(1, 3))
        assert len(set(fed(publisher, [0, 0, 0.5, 1.5, 1.999]))) == 1
        third = publisher.draw((0, 0), 2)
        assert {publisher.draw((0, 0), time) for time in (2, 2.5, 3, 4, 5, 100)} == {third}
    drawn = [fed(Publisher(judged(1, 3)), [7, 7.5, 8, 8.5, 9]) for _ in range(400)]
    assert {(a == b, c == d) for a, b, c, d, _ in drawn} == {(True, True)}
    assert {(a, c, e) for a, _, c, _, e in drawn} == set(product(("0,0", "1,0"), repeat=3))


def test_a_stream_is_drawn_from_as_often_as_was_judged() -> None:
    times = [*range(2000), *[""] * 50, *[3] * 50]
    publisher = Publisher(judged(5, 1000))
    shown = fed(publisher, times)
    assert len(shown) == len(times)
    for begin in range(0, 1000, 5):
        assert len(set(shown[begin : begin + 5])) == 1
    assert len(set(shown[995:])) == 1  # after the end, without a time, or in the past
    assert 60 < sum(a != b for a, b in pairwise(shown)) < 140  # of 199 fresh draws
    assert publisher.unreadable == 50
    with pytest.raises(InputError, match="time"):
        publish_feed(Publisher(judged(5, 20)), io.BytesIO(b"free,busy\n0,0\n"), io.BytesIO())


def noon(format_: str, seconds: int) -> object:
    """A moment after noon, as feeds write it."""
    when = datetime(2026, 5, 18, 12, tzinfo=UTC) + timedelta(seconds=seconds)
    if format_ == "number":
        return seconds / 60
    return when.isoformat() if format_ == "date" else int(when.timestamp() * int(format_))


@pytest.mark.parametrize("format_", ["number", "date", "1", "1000"])
def test_a_quarter_of_an_hour_is_one_however_it_is_written(format_: str) -> None:
    # A line each 20 s, 12 hours long; judged for each 15 minutes of 8 hours.
    publisher = Publisher(judged(15, 480, "minute"))
    shown = fed(publisher, [noon(format_, 20 * i) for i in range(3 * 60 * 12)])
    quarters = [set(shown[begin : begin + 45]) for begin in range(0, len(shown), 45)]
    assert all(len(one) == 1 for one in quarters)
    assert len(set(shown[31 * 45 :])) == 1
    assert any(a != b for a, b in pairwise(quarters[:32]))  # 2^-31 of the time none is
    assert sum("are over" in note for note in publisher.notes) == 1


def test_times_that_cannot_be_placed_are_refused() -> None:
    for format_ in ("date", "1"):
        with pytest.raises(InputError, match=r"without a unit: write unit = \"minute\""):
            Publisher(judged(15, 480)).draw((0, 0), noon(format_, 0))
    for time in (None, "", "soon", math.nan, True):
        with pytest.raises(InputError, match="time is .*nothing was published yet"):
            Publisher(judged(15, 480)).draw((0, 0), time)
    numbers = Publisher(judged(15, 480, "minute"))
    numbers.draw((0, 0), 3)
    again = Publisher(numbers.table, numbers.last)
    with pytest.raises(InputError, match="that of the last publication is a number, 3"):
        again.draw((0, 0), noon("date", 0))


def test_no_time_is_too_long_ago_or_too_late() -> None:
    for table in (judged(1e-3, 1), replace(EVEN, made_for={"every": 1e-3})):
        for times in ((-1e308, 1e308, -1e308, 0, 1e308), (1e308, -1e308), (0, 5e-324, 1e300)):
            publisher = Publisher(table)
            assert len(fed(publisher, times)) == len(times)
            assert publisher.unreadable == 0


def test_a_second_run_goes_on_by_the_same_clock(tmp_path: Path) -> None:
    table, path = judged(15, 480, "minute"), tmp_path / "last.json"
    for _ in range(20):
        publisher = Publisher(table)
        fed(publisher, [noon("date", 60 * i) for i in range(20)])
        assert publisher.last is not None
        publisher.last.save(table, path)
        kept = last_published(table, path)
        assert kept == publisher.last
        again = Publisher(table, kept)
        first, *rest = fed(again, [noon("date", 60 * i) for i in range(29)])
        assert [first, *rest] == [",".join(map(str, kept.published))] * 29
        assert again.last == kept  # nothing was drawn: 30 is when it may be
        again.draw((0, 0), noon("date", 60 * 30))
        assert again.last is not None
        assert again.last.time == 30


def test_what_goes_wrong_is_said_at_its_line() -> None:
    said: list[str] = []
    out = io.BytesIO()

    class Slow(io.RawIOBase):
        pieces = (b"time,free,busy\n0,0,0\n", b"15,abc,0\n", b"16,0,0\n45,0,0\n", b"")
        turn, heard = 0, (0, 0, 1, 3)

        def read1(self, size: int) -> bytes:
            assert len(said) == self.heard[self.turn]  # before what follows is there
            self.turn += 1
            return self.pieces[self.turn - 1]

    publisher = Publisher(judged(15, 45))
    assert publish_feed(publisher, Slow(), out, None, said.append) == 4  # type: ignore[arg-type]
    assert len(set(out.getvalue().decode().splitlines()[1:])) == 1
    assert said[0].startswith("-:3: a count is no whole number")
    assert said[1].startswith("-:4: a snapshot was due at 15, and no line of that time could be")
    assert said[2].startswith(
        "-:5: the 3 snapshots that the mechanism was judged for, every 15, are"
    )
    assert publisher.unreadable == 1


def test_a_feed_for_one_snapshot_ends_at_its_second_line() -> None:
    out = io.BytesIO()
    with pytest.raises(InputError, match="each-is-a-mission") as found:
        publish_feed(Publisher(TABLE), io.BytesIO(b"free,busy\n0,0\n0,0\n"), out)
    assert found.value.line == 3
    assert publish_feed(Publisher(TABLE), io.BytesIO(b"free,busy\n0,0\n"), out) == 1


def test_a_value_is_held_while_the_truth_is_near_it() -> None:
    # (0, 0) and (1, 0) are 1 apart, and (2, 5) is 6 or 7 from either.
    publisher = Publisher(replace(judged(1, 1000), table=TABLE.table, hold=2))
    first = publisher.draw((0, 0), 0)
    rows = [(0, 0), (1, 0)] * 50
    assert {publisher.draw(row, 1 + i) for i, row in enumerate(rows)} == {first}
    assert publisher.draw((2, 5), 101) == (0, 0)  # its row says so
    assert {publisher.draw((1, 0), 102 + i) for i in range(50)} == {(0, 0)}


def test_a_memory_ends_with_a_moment_that_was_missed() -> None:
    for _ in range(30):
        held, plain = Publisher(judged(1, 9, hold=1)), Publisher(judged(1, 9))
        first = held.draw((2, 5), 0)
        assert {held.draw((2, 5), time) for time in (2, 3, 4)} == {first}
        assert ["has a memory" in note for note in held.notes] == [True]
        plain.draw((2, 5), 0)
        plain.draw((2, 5), 2)
        assert plain.last is not None
        assert plain.last.time == 2


def test_what_was_published_last_is_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "last.json"
    even = judged(5, 50)
    assert last_published(even, path) is None
    for time in (3.0, -math.inf):
        LastPublished((1, 0), time, time).save(even, path)
        assert last_published(even, path) == LastPublished((1, 0), time, time)
    with pytest.raises(InputError, match="another mechanism"):
        last_published(replace(even, hold=1), path)
    whole = path.read_text()
    for broken, said in [
        ("", "no file that covey publish wrote"),
        ("[" * 100_000, "no file that covey publish wrote"),
        (whole[:-9], "no file that covey publish wrote"),
        (whole.replace("null", "true"), "time is True"),
        (whole.replace('"first": null', '"first": "x"'), "first is 'x'"),
        (whole.replace("[1, 0]", "[7, 7]"), "none of the mechanism's outcomes"),
        (whole.replace('"published"', '"origin": "soon", "published"'), "its origin: the time is"),
        (whole.replace("[1, 0]", '"x"'), "none of the mechanism's outcomes"),
    ]:
        path.write_text(broken)
        with pytest.raises(InputError, match=said):
            last_published(even, path)


def test_the_file_is_there_before_what_it_tells_of() -> None:
    even = judged(5, 50)
    publisher, out, known = Publisher(even), io.BytesIO(), []

    def before() -> None:
        assert out.getvalue() == b""
        known.append(publisher.last)

    publish_feed(publisher, io.BytesIO(b"time,free,busy\n3,0,0\n4,0,0\n"), out, before)
    assert known == [publisher.last]
    assert publisher.last is not None
    assert publisher.last.time == 3.0
