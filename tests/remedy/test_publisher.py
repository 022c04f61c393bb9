"""Draws follow the table, nothing is refused, and a feed is answered line by line."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from covey.errors import InputError
from covey.model.release_table import ReleaseTable
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


def test_draws_follow_the_table() -> None:
    publisher = Publisher(TABLE)
    for row, chances in zip(SEEN.tolist(), TABLE.table.tolist(), strict=True):
        drawn = Counter(publisher.draw(row) for _ in range(20_000))
        expected = [20_000 * p for p in chances if p > 0]
        found = [drawn[tuple(z)] for z, p in zip(SEEN[:2].tolist(), chances, strict=True) if p > 0]
        assert sum(found) == 20_000
        if len(found) > 1:
            assert chisquare(found, expected).pvalue > 1e-6
    assert publisher.unknown == publisher.unreadable == 0


def test_the_stairs_are_exact() -> None:
    publisher = Publisher(TABLE)
    steps, outcomes = publisher._stairs(0)
    first, second = Fraction(0.7), Fraction(0.3)  # of the doubles, which do not add up to one
    assert steps == [int(first / (first + second) * 2**128)]
    assert outcomes == [(0, 0), (1, 0)]


def test_draws_are_not_repeated() -> None:
    one, other = ([Publisher(TABLE).draw((0, 0)) for _ in range(200)] for _ in range(2))
    assert one != other  # 2^-170 of the time they are


@pytest.mark.parametrize(
    ("counts", "unknown", "unreadable"),
    [
        ((3, 5), 1, 0),
        ((10**30, 5), 1, 0),
        (("2", "5"), 0, 0),
        (("2.0", 5.0), 0, 0),
        ((-1, 0), 0, 1),
        (("x", 0), 0, 1),
        ((None, None), 0, 1),
        ((float("nan"), 0), 0, 1),
        ((0.5, 0), 0, 1),
        (([], {}), 0, 1),
    ],
)
def test_nothing_is_refused(counts: tuple[object, object], unknown: int, unreadable: int) -> None:
    publisher = Publisher(TABLE)
    assert publisher.draw(counts) in {(0, 0), (1, 0)}
    assert (publisher.unknown, publisher.unreadable) == (unknown, unreadable)


def test_the_nearest_known_one_stands_for_an_unknown_one() -> None:
    publisher = Publisher(TABLE)  # (3, 6) is nearest to (2, 5), which is always published as (0, 0)
    assert {publisher.draw((3, 6)) for _ in range(50)} == {(0, 0)}
    assert publisher.unknown == 50


def feed(text: bytes) -> tuple[str, Publisher, int]:
    publisher, out = Publisher(TABLE), io.BytesIO()
    lines = publish_feed(publisher, io.BytesIO(text), out)
    return out.getvalue().decode(), publisher, lines


def test_lines_of_csv() -> None:
    text, publisher, lines = feed(b'robot,busy,free\nr2,5,2\r\n"a,b",5,2\n\nr2,6,2\nr2\n')
    assert text.splitlines() == ["free,busy", "0,0", "0,0", "0,0", text.splitlines()[-1]]
    assert lines == 4
    assert (publisher.unknown, publisher.unreadable) == (1, 1)


def test_json_lines() -> None:
    text, publisher, lines = feed(b'{"free": 2, "busy": 5, "robot": 7}\n{"free": 2\n[1]\n')
    published = [json.loads(line) for line in text.splitlines()]
    assert published[0] == {"free": 0, "busy": 0}
    assert lines == len(published) == 3
    assert publisher.unreadable == 2


def test_a_header_that_names_no_counts_is_refused() -> None:
    with pytest.raises(InputError, match="does not name busy once"):
        feed(b"free,buzy\n2,5\n")


def test_a_line_without_end_takes_no_memory() -> None:
    class Endless(io.RawIOBase):
        left = 200

        def read1(self, size: int) -> bytes:
            self.left -= 1
            return b"free,busy\n" if self.left == 199 else b"9" * size if self.left > 0 else b""

    publisher, out = Publisher(TABLE), io.BytesIO()
    assert publish_feed(publisher, Endless(), out) == 1  # type: ignore[arg-type]


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
    assert publish_feed(Publisher(TABLE), Slow(), out) == 2  # type: ignore[arg-type]


def test_a_stream_is_not_drawn_from_more_often_than_allowed() -> None:
    even = replace(TABLE, table=np.full((3, 2), 0.5), made_for={"every": 5.0})
    lines = [f"{t},0,0" for t in range(2000)] + [",0,0"] * 50 + ["3,0,0"] * 50
    out = io.BytesIO()
    publish_feed(Publisher(even), io.BytesIO("\n".join(["time,free,busy", *lines]).encode()), out)
    shown = out.getvalue().decode().splitlines()[1:]
    assert len(shown) == len(lines)
    for begin in range(0, 2000, 5):
        assert len(set(shown[begin : begin + 5])) == 1
    assert len(set(shown[1995:])) == 1  # without a time, or in the past: the last value again
    assert 100 < sum(a != b for a, b in pairwise(shown)) < 300  # of 399 fresh draws
    with pytest.raises(InputError, match="time"):
        publish_feed(Publisher(even), io.BytesIO(b"free,busy\n0,0\n"), out)


def test_a_value_is_held_while_the_truth_is_near_it() -> None:
    # (0, 0) and (1, 0) are 1 apart, and (2, 5) is 6 or 7 from either.
    publisher = Publisher(replace(TABLE, hold=2))
    first = publisher.draw((0, 0))
    assert {publisher.draw(row) for row in [(0, 0), (1, 0)] * 50} == {first}
    assert publisher.draw((2, 5)) == (0, 0)  # its row says so
    assert {publisher.draw((1, 0)) for _ in range(50)} == {(0, 0)}
    never = Publisher(replace(TABLE, hold=0))
    assert len({never.draw((0, 0)) for _ in range(200)}) == 2


def test_a_value_that_is_held_is_a_publication_too() -> None:
    publisher = Publisher(replace(TABLE, hold=2, made_for={"every": 5.0}))
    first = publisher.draw((0, 0), 0)
    assert publisher.draw((1, 0), 5) == first  # held
    assert publisher.draw((2, 5), 8) == first  # too early after that
    assert publisher.draw((2, 5), 10) == (0, 0)


def test_a_first_line_without_a_time_is_no_way_around_the_period() -> None:
    even = replace(TABLE, table=np.full((3, 2), 0.5), made_for={"every": 5.0})
    for _ in range(50):
        publisher = Publisher(even)
        first = publisher.draw((0, 0))
        assert [publisher.draw((0, 0), time) for time in (7, 8, 11.9)] == [first] * 3
        assert publisher.last is not None
        assert publisher.last.time == 7


def test_what_was_published_last_is_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "last.json"
    even = replace(TABLE, table=np.full((3, 2), 0.5), made_for={"every": 5.0})
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
        (whole.replace("[1, 0]", '"x"'), "none of the mechanism's outcomes"),
    ]:
        path.write_text(broken)
        with pytest.raises(InputError, match=said):
            last_published(even, path)


def test_the_file_is_there_before_what_it_tells_of() -> None:
    even = replace(TABLE, table=np.full((3, 2), 0.5), made_for={"every": 5.0})
    publisher, out, known = Publisher(even), io.BytesIO(), []

    def before() -> None:
        assert out.getvalue() == b""
        known.append(publisher.last)

    publish_feed(publisher, io.BytesIO(b"time,free,busy\n3,0,0\n4,0,0\n"), out, before)
    assert known == [publisher.last]
    assert publisher.last is not None
    assert publisher.last.time == 3.0


def test_a_promise_that_has_ended_is_told_of() -> None:
    publisher = Publisher(replace(TABLE, made_for={"every": 5.0, "until": 20.0}))
    for time in range(100, 140):
        publisher.draw((0, 0), time)
    assert publisher.overdue == 4  # at 120, 125, 130 and 135
    again = Publisher(publisher.table, publisher.last)
    again.draw((0, 0), 136)
    assert again.overdue == 0  # the last value, once more
    again.draw((0, 0), 140)
    assert again.overdue == 1
