"""The pictures of what can be published instead."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.remedy.mechanism.front import Front, front
from covey.remedy.mechanism.protect_stream import protect_stream
from covey.remedy.mechanism.stream_search import Tried
from covey.report.notebook import html_of
from tests.remedy.mechanism.test_protect_stream import flipping
from tests.report.hostile import EVIL, hostile_scenario

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def found() -> Front:
    return front(covey.load(EXAMPLES / "warehouse.toml"))


def test_every_point_is_drawn_where_it_is(found: Front) -> None:
    (axes,) = found.plot().axes
    line = axes.lines[0].get_xydata()
    assert np.allclose(line, sorted([found.spent(p), p.loss] for p in found.program))
    drawn = np.concatenate([np.asarray(c.get_offsets()) for c in axes.collections])
    others = [p for p in found.others if math.isfinite(p.leakage)]
    for point in others:
        near = np.isclose(drawn, [point.leakage, point.loss]).all(axis=1).any()
        assert near or point.loss > 10, point.name  # noise that nobody would pay for
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels[-1] == "∞"
    edge = drawn[:, 0].max()
    assert (drawn[:, 0] == edge).sum() == sum(math.isinf(p.leakage) for p in found.others)


def test_without_infinite_ones_there_is_no_place_for_them() -> None:
    (axes,) = front(covey.load(EXAMPLES / "task-network.toml"), [0.2, 0.1]).plot().axes
    assert "∞" not in [label.get_text() for label in axes.get_xticklabels()]


def test_the_squares_of_a_table_have_its_probabilities(found: Front) -> None:
    mechanism = found.mechanisms[4]
    (axes,) = mechanism.plot().axes
    areas = [
        path.get_extents().width * path.get_extents().height
        for squares in axes.collections
        for path in squares.get_paths()
    ]
    entries = mechanism.table[mechanism.table > 1e-4]
    assert np.allclose(sorted(areas), sorted(entries.tolist()), atol=1e-9)


def test_what_was_tried_is_drawn() -> None:
    tried = protect_stream(flipping(), 1, 8, guess=0.56, accuracy=0.1)
    (axes,) = tried.plot().axes
    drawn = {
        tuple(row)
        for line in axes.lines
        for row in np.round(np.asarray(line.get_xydata(), dtype=float), 9).tolist()
    }
    for one in tried.tried:
        assert tuple(np.round([one.guess, one.loss], 9)) in drawn
    assert isinstance(tried.tried[0], Tried)
    assert "right at most" in html_of(tried)


def test_names_are_text() -> None:
    evil = front(hostile_scenario(), [0.5, 0.2])
    for result in (evil, evil.mechanisms[0]):
        html = html_of(result)
        assert EVIL not in html
        assert "<script" not in html
