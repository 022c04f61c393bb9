"""Scenarios side by side, and results as tables."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import covey
from covey.report.figures.side_by_side_plot import draw_side_by_side
from covey.tabular import Tabular
from tests.cli.command import covey as command
from tests.study.audit.test_feed_audit import feeds

SHARED = Path("examples/shared-resource.toml")


def two() -> dict[str, covey.Scenario]:
    now = covey.load(SHARED)
    more = now.with_({"types.A": 4, "types.B": 4})
    return {"now": now, "more robots": more}


def test_every_figure_is_that_of_the_scenario_alone() -> None:
    scenarios = two()
    found = covey.compare(
        scenarios, measures=["guess", "leakage", "mu", lambda d: len(d.neighbours)]
    )
    assert found.measures == ("guess", "leakage", "mu", "own.lambda")
    for name, scenario in scenarios.items():
        profile = covey.profile(scenario)
        assert found.found[name]["guess"].upper == pytest.approx(profile.bayes_success, rel=1e-12)
        assert found.found[name]["leakage"].value == covey.leakage(scenario).value
    assert found.least == min(found.found, key=lambda name: found.found[name]["guess"].upper)
    assert f"Of 2 scenarios {found.least} gives away least by guess" in str(found)
    table = found.to_pandas()
    assert table["scenario"].tolist() == ["now", "more robots"]
    assert (table["mu.lower"] <= table["mu.upper"]).all()


def test_what_the_teams_achieve_is_there() -> None:
    now = covey.load("examples/warehouse.toml").with_({"performance.charging": "mean(charging)"})
    found = covey.compare({"now": now, "plain": covey.load("examples/warehouse.toml")})
    assert found.found["now"]["performance.charging"].value == pytest.approx(
        covey.performance(now)["charging"]
    )
    assert "performance.charging" not in found.found["plain"]
    figure = draw_side_by_side(found)
    assert figure.axes[0].get_xlabel() == "observer is right"
    assert len(figure.axes) == 4


def test_what_cannot_be_compared() -> None:
    scenarios = two()
    with pytest.raises(covey.InputError, match="two or more by name are expected"):
        covey.compare({"now": scenarios["now"]})
    with pytest.raises(covey.InputError, match="performance.x is compared in any case"):
        covey.compare(scenarios, measures="performance.x")
    with pytest.raises(covey.CoveyError, match="more robots: "):
        covey.compare(scenarios, limits=covey.Limits(method="stationary", max_states=5))


def test_the_verb(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(SHARED.read_text().replace("A = 2", "A = 3"))
    found = command("compare", SHARED, other, "-o", tmp_path / "c.csv", "--json").json
    assert list(found["scenarios"]) == ["shared-resource", "other"]
    alone = command("leakage", other, "--json").json
    assert found["scenarios"]["other"]["leakage"]["value"] == pytest.approx(alone["leakage"])
    assert (tmp_path / "c.csv").read_text().startswith("scenario,guess,guess.lower,guess.upper,")
    drawn = command("compare", SHARED, other, "--measure", "tv", "-o", tmp_path / "c.svg")
    assert drawn.code == 0
    assert "total_variation" in drawn.out
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<?xml")
    at = command("compare", SHARED, other, "--at", "1", "--json").json
    assert at["scenarios"]["other"]["leakage"]["value"] == pytest.approx(
        command("leakage", other, "--at", "1", "--json").json["leakage"]
    )
    same = command("compare", SHARED, SHARED, "--json").json
    assert len(same["scenarios"]) == 2
    assert command("compare", SHARED).code == 2
    assert command("compare", SHARED, tmp_path / "none.toml").code == 2


def _log(scenario: covey.Scenario, seed: int) -> covey.CountLog:
    logs = feeds(scenario, 8, 5, seed)
    return covey.CountLog("a_log", logs[0].names, tuple(log.runs[0] for log in logs))


MADE: dict[str, Callable[[covey.Scenario], Any]] = {
    "Distribution": covey.distribution,
    "Leakage": covey.leakage,
    "GroupLeakage": lambda s: covey.group_leakage(s, 2),
    "Profile": covey.profile,
    "Inference": lambda s: covey.infer(s, {"free": 2}),
    "Stream": lambda s: covey.stream(s, 0.5, 1.0),
    "Audit": lambda s: covey.audit(s, 1.0, samples=400),
    "LogAudit": lambda s: covey.audit_logs(*(_log(s, seed) for seed in (1, 2))),
    "FeedAudit": lambda s: covey.audit_feed(s, _log(s, 1), samples=19),
    "Residuals": lambda s: covey.residuals(s, covey.event_log(s.network, s.start, 20.0, seed=1)),
    "Trace": lambda s: covey.trace(s, [0.0, 0.5, 1.0]),
    "Sweep": lambda s: covey.sweep(s, {"types.A": "1:3"}, workers=1),
    "Sensitivity": covey.sensitivity,
    "SideBySide": lambda s: covey.compare({"a_1": s, "b": s.with_({"types.A": 3})}),
    "Fit": lambda s: covey.fit(s, covey.event_log(s.network, s.start, 20.0, seed=1)),
    "Performance": lambda s: covey.performance(s.with_({"performance.x": "mean(free)"})),
}


@pytest.mark.parametrize("kind", MADE)
def test_results_are_tables(kind: str) -> None:
    found = MADE[kind](covey.load(SHARED))
    assert isinstance(found, Tabular)
    table = found.to_pandas()
    assert len(table) > 0
    assert len(table.columns) > 1
    text = found.to_latex()
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == len(table) + 1
    widths = {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    assert widths == {len(table.columns) - 1}


def test_latex_is_escaped() -> None:
    class Made(Tabular):
        @property
        def table_columns(self) -> dict[str, list[Any]]:
            return {"a_b & 50%": ["{A} -> w{A}", "x\\y"], "n": [1.23456e-9, math.inf]}

    text = Made().to_latex(digits=3)
    assert r"a\_b \& 50\% & n \\" in text
    assert r"\{A\} -> w\{A\} & $1.23 \times 10^{-9}$ \\" in text
    assert r"x\textbackslash{}y & $\infty$ \\" in text
