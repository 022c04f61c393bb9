"""Everything that a report says, and how long it looks."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import covey
from covey.dynamics import memory
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.state_space import symmetry
from covey.model import network
from covey.model.structure import structure
from covey.report.page.document import html_of
from covey.study.assessment import assess, horizon

pytestmark = pytest.mark.slow  # everything about a scenario, many times

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHARED = covey.load(EXAMPLES / "shared-resource.toml")


def test_by_its_horizon_a_team_has_settled() -> None:
    until = horizon(SHARED, equilibrium(SHARED.network, SHARED.start))
    distribution, rest = covey.distribution(SHARED, at=until), covey.distribution(SHARED)
    assert np.abs(distribution.probabilities - rest.probabilities).max() < 0.01
    early = covey.distribution(SHARED, at=until / 20)
    assert np.abs(early.probabilities - rest.probabilities).max() > 0.05


def test_a_stated_time_is_within_the_horizon() -> None:
    assert horizon(SHARED.with_({"adversary.at": 4.0}), None) == 6.0


def test_the_parts_agree() -> None:
    found = covey.assess(SHARED)
    assert found.leakage == covey.leakage(SHARED)
    assert found.trace is not None
    assert found.trace.limit == pytest.approx(found.leakage.value)
    assert found.sensitivity is not None
    assert found.sensitivity.before.leakage == found.leakage.value
    assert [exposed.type for exposed in found.exposed] == ["A", "B"]
    assert list(found.missing) == ["design"]  # nobody says what this team is for


def test_a_large_chain_is_followed_only_when_asked() -> None:
    large = covey.load(EXAMPLES / "three-types.toml")
    small = replace(large, team=covey.Team({"1": 4, "2": 4, "3": 3}))
    assert covey.assess(small, changes=False).trace is not None
    found = covey.assess(large, changes=False)
    assert found.trace is None
    assert "24,321 states" in found.missing["trace"]
    assert "where the last time is given" in html_of(found)
    assert "--until" not in html_of(found)


def test_what_was_not_asked_for_is_said() -> None:
    found = covey.assess(SHARED, changes=False)
    assert found.sensitivity is None
    assert "not asked for" in html_of(found)


@pytest.mark.parametrize("until", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bad_last_time_is_refused(until: float) -> None:
    with pytest.raises(covey.InputError):
        covey.assess(SHARED, until=until)


def test_a_report_needs_two_types(tmp_path: Path) -> None:
    plain = covey.Scenario(covey.Network("P + P <-> P2 @ 1, 1"), initial={"P": 4})
    with pytest.raises(covey.InputError, match="at least two"):
        covey.write_report(plain, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["report.pdf", "report", "missing/report.html"])
def test_a_page_has_a_page_s_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(covey.InputError, match="expected|no folder"):
        covey.write_report(SHARED, tmp_path / name)


def test_a_time_needs_no_rest() -> None:
    """The number of X grows without bound: no mean field at rest, but a moment to look at."""
    growing = covey.Scenario(
        covey.Network("{A} <-> w{A} @ 1, 1\n{B} <-> w{B} @ 2, 1\n0 -> X @ 1"),
        covey.Team({"A": 1, "B": 1}),
        covey.Query(working="w{A} + w{B}"),
        covey.Adversary(at=1.0),
    )
    found = covey.assess(growing, changes=False)
    assert found.trace is not None
    assert found.trace.times[-1] == 1.5
    assert "no upper bound" not in html_of(found)  # X is not seen, and robots move by themselves
    projected = covey.assess(growing, changes=False, limits=covey.Limits("projection"))
    assert "no upper bound" in html_of(projected)


def test_a_team_that_creeps_to_its_rest_has_no_horizon() -> None:
    creeping = covey.Scenario(
        covey.Network("2 {A} -> {A,A} @ 1\n{A} + {B} -> {A,B} @ 1\n2 {B} -> {B,B} @ 1"),
        covey.Team({"A": 3, "B": 3}),
        covey.Query(alone="{A} + {B}"),
    )
    why = covey.assess(creeping, changes=False).missing["trace"]
    assert why.endswith("is not known: give a time")


def test_a_network_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counted(home: Any, name: str) -> None:
        function = getattr(home, name)

        def count(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return function(*args, **options)

        monkeypatch.setattr(home, name, count)

    counted(network.Network, "__init__")
    counted(structure, "conservation_laws")
    counted(symmetry, "relabellings")
    counted(memory, "free_memory")
    found = assess(SHARED)
    assert found.sensitivity is not None
    changed = sum(effect.change.kind == "rate" for effect in found.sensitivity.effects)
    # A network for each rate that changes, and one for those of its teams that have no B.
    assert calls["__init__"] <= 2 * changed + 6
    # Who is alike depends on which rates are equal, and that in four ways: all that differ are new.
    assert calls["relabellings"] == 4 < changed + 1
    assert calls["conservation_laws"] <= 4
    assert calls["free_memory"] == 1
