"""Every result shows itself in a notebook: its sentence, its numbers, its pictures, and no more."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from markupsafe import escape

import covey
from covey import Scenario
from covey.report.notebook import html_of
from covey.report.picture import Picture
from tests.privacy.small_teams import flipping, shared_resource
from tests.report.test_html_parts import Reader
from tests.study.audit.test_feed_audit import feeds

EVIL = "<script>alert('x')</script> & $"


def evil() -> Scenario:
    """A scenario whose names are markup."""
    old = flipping(2, 1)
    query = covey.Query({EVIL: "on{A} + on{B}", "off": "off{A} + off{B}"})
    return Scenario(old.network, old.team, query, initial=old.initial, title=EVIL)


def count_log(scenario: Scenario, seed: int) -> covey.CountLog:
    """A few runs of the team, under names that the scenario has."""
    runs = [log.runs[0] for log in feeds(scenario, 8, 5, seed)]
    names = tuple(scenario.query.groups(scenario.network))
    return covey.CountLog(EVIL, names, tuple(runs))


MADE: dict[str, Callable[[Scenario], Any]] = {
    "Scenario": lambda s: s,
    "Network": lambda s: s.network,
    "Team": lambda s: s.team,
    "Query": lambda s: s.query,
    "Structure": lambda s: covey.Structure(s.network),
    "Neighbour": lambda s: s.team.neighbours()[0],
    "Distribution": covey.distribution,
    "TeamDistributions": lambda s: covey.team_distributions(s)[0],
    "Leakage": covey.leakage,
    "GroupLeakage": lambda s: covey.group_leakage(s, 2),
    "Profile": covey.profile,
    "Inference": lambda s: covey.infer(s, {next(iter(s.query.sums)): 2}),
    "Stream": lambda s: covey.stream(s, 0.5, 1.0),
    "Period": lambda s: covey.period(s, 1.0, guess=0.99, shortest=0.5),
    "Account": lambda s: covey.account(s, 3),
    "Audit": lambda s: covey.audit(s, 1.0, samples=400),
    "LogAudit": lambda s: covey.audit_logs(count_log(s, 1), count_log(s, 2)),
    "FeedAudit": lambda s: covey.audit_feed(s, count_log(s, 1), samples=19),
    "Residuals": lambda s: covey.residuals(s, covey.event_log(s.network, s.start, 20.0, seed=1)),
    "PaperIndex": covey.paper_index,
    "Trace": lambda s: covey.trace(s, [0.0, 0.5, 1.0]),
    "SideBySide": lambda s: covey.compare({"now": s, "more": s.with_({"types.A": 3})}),
    "Sweep": lambda s: covey.sweep(s, {"types.A": "1:3", "types.B": "1:2"}, workers=1),
    "Sensitivity": covey.sensitivity,
    "Assessment": covey.assess,
    "Fit": lambda s: covey.fit(s, covey.event_log(s.network, s.start, 20.0, seed=1)),
}
DRAWN = {
    "Scenario",
    "Network",
    "Distribution",
    "TeamDistributions",
    "Profile",
    "SideBySide",
    "Stream",
    "Period",
    "Trace",
    "Sweep",
    "Assessment",
    "LogAudit",
    "FeedAudit",
    "Residuals",
}
SAYING = {
    "Sensitivity",
    "Assessment",
    "Leakage",
    "GroupLeakage",
    "Profile",
    "Inference",
    "Stream",
    "Period",
    "Account",
    "Audit",
    "LogAudit",
    "FeedAudit",
    "Residuals",
    "Trace",
    "Sweep",
}


@pytest.mark.parametrize("kind", MADE)
def test_every_result_shows_itself(kind: str) -> None:
    result = MADE[kind](shared_resource())
    assert type(result).__name__ == kind
    html = result._repr_html_()
    read = Reader(html)
    assert set(read.elements) <= {
        *("div", "p", "strong", "img", "table", "thead", "tbody", "tr", "th", "td")
    }
    assert ("img" in read.elements) == (kind in DRAWN)
    assert read.rows
    if kind in SAYING:
        assert escape(str(result)) in html


@pytest.mark.parametrize("kind", MADE)
def test_what_users_write_is_text(kind: str) -> None:
    html = MADE[kind](evil())._repr_html_()
    assert "<script" not in html


def test_numbers_are_those_of_the_command_line() -> None:
    rows = Reader(covey.leakage(shared_resource())._repr_html_()).rows
    assert rows[0] == ["neighbour", "leakage", "free", "busy", "P(team)", "P(neighbour)"]
    assert rows[1] == ["one A turned B", "0.58778666", "3", "0", "0.02222", "0.04"]
    distribution = Reader(covey.distribution(shared_resource())._repr_html_()).rows
    assert ["1", "2", "0.666667"] in distribution


def test_large_results_are_cut_short() -> None:
    distribution = covey.distribution(shared_resource(30, 30).with_({"resources.R": 60}))
    html = distribution._repr_html_()
    assert f"… and {len(distribution) - 20} less likely ones" in html
    assert len(Reader(html).rows) == 1 + len(distribution.names) + 1 + 20


def test_a_picture_that_cannot_be_drawn_is_told() -> None:
    one = covey.sweep(shared_resource(), {"types.A": [1]}, workers=1)
    html = one._repr_html_()
    assert "There is no picture: the sweep has one cell" in html
    assert escape(str(one)) in html


def test_a_picture_that_would_take_long_is_not_drawn() -> None:
    names = tuple(f"n{i}" for i in range(61))
    panels = covey.Distribution(names, np.zeros((1, 61), np.int64), np.zeros(1), 0.0)
    assert "A picture of 61 counts takes a while" in panels._repr_html_()
    lines = "\n".join(f"s{i}{{A}} <-> s{i + 1}{{A}} @ 1, 1" for i in range(60))
    html = covey.Network(lines)._repr_html_()
    assert "so large a network takes a while" in html
    assert "… and 100 more" in html


def test_infinite_and_failed_are_told() -> None:
    found = covey.sweep(shared_resource(), {"types.A": "0:2", "types.B": "0:1"}, workers=1)
    rows = Reader(found._repr_html_()).rows
    assert rows[0] == ["types.A ╲ types.B", "0", "1"]
    assert rows[1][1] == "—"  # a team of none


def test_what_has_no_table_is_its_text() -> None:
    assert html_of("a < b").endswith(">a &lt; b</p>")


@pytest.mark.parametrize("kind", ["Distribution", "TeamDistributions", "Profile", "Trace", "Sweep"])
def test_plots(kind: str) -> None:
    result = MADE[kind](shared_resource())
    figure = result.plot()
    assert isinstance(figure, Picture)
    assert figure._repr_html_().startswith("<img")


def test_only_some_results_have_a_plot() -> None:
    assert not hasattr(covey.leakage(shared_resource()), "plot")


@pytest.mark.slow
def test_results_load_no_plotting_library() -> None:
    code = (
        "import sys, covey; s = covey.Scenario(covey.Network('{A} <-> b{A} @ 1, 1\\n"
        "{B} <-> b{B} @ 1, 2'), covey.Team({'A': 1, 'B': 1}), covey.Query(b='b{A} + b{B}')); "
        "covey.leakage(s); assert 'matplotlib' not in sys.modules; "
        "assert 'covey.report' not in sys.modules; "
        "s._repr_html_(); assert 'matplotlib' in sys.modules; "
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_seen_is_said_in_a_sentence() -> None:
    shown = covey.Query(free="{A} + {B}")._repr_html_()
    assert "What is seen is how many there are of:" in shown
