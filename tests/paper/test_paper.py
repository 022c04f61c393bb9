"""The paper's studies, on settings small enough for a test."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.dynamics import prepared_network
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.executors import InThisProcess
from covey.model.network import Network
from covey.numbers import Ints
from covey.paper.case_studies import collaboration, groups, tasks, trees
from covey.paper.case_studies.settings import LEAKAGES, SEARCHED, matches, searched, told
from covey.paper.case_studies.task_distributions import over_rates, over_teams
from covey.paper.case_studies.tree_shapes import all_trees
from covey.paper.claims import (
    TOLERANCE,
    Criterion,
    Verdict,
    above,
    agrees,
    as_csv,
    as_markdown,
    from_csv,
    judge,
    mostly,
)
from covey.paper.figures.parts import figures_of
from covey.paper.figures.search import draw_settings
from covey.paper.readings import COLUMNS, NU, along_same_sums, interval, pearson, readings
from covey.paper.scenarios import task_network, three_types
from covey.paper.theory import motivating
from covey.paper.workspace import Part, Table, Workspace
from covey.privacy.snapshot.leakage import leakage
from covey.report.figure_file import save_figure

pytestmark = pytest.mark.slow  # whole parts of the paper


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, full=False, executor=InThisProcess())


def check_part(part: Part, folder: Path) -> None:
    """Every claim is whole, and every figure can be drawn."""
    assert part.claims
    for claim in part.claims:
        assert claim.part == part.name
        assert claim.words <= 40
    printed = figures_of(part, as_printed=True)
    drawn = figures_of(part)
    assert printed.keys() <= drawn.keys()
    for name, figure in (printed | drawn).items():
        save_figure(figure, folder / f"{name}.png")


def test_motivating_example(workspace: Workspace, tmp_path: Path) -> None:
    part = motivating.run(workspace)
    check_part(part, tmp_path)
    distributions = part.tables["distributions"]
    np.testing.assert_allclose(
        distributions.where(team="D")["probability"], [30 / 45, 14 / 45, 1 / 45], rtol=1e-12
    )
    np.testing.assert_allclose(
        distributions.where(team="D'")["probability"], [14 / 25, 10 / 25, 1 / 25], rtol=1e-12
    )
    value = dict(zip(part.tables["numbers"]["what"], part.tables["numbers"]["value"], strict=True))
    assert value["posterior of D after y = (2,1)"] == pytest.approx(7 / 16)
    assert value["busy robot is A, knowing the idle ones"] == pytest.approx(5 / 8)
    assert value["leakage of D"] == pytest.approx(np.log(1.8))
    verdicts = [claim.verdict for claim in part.claims]
    assert verdicts == ["confirmed", "confirmed", "confirmed", "false as stated"]
    assert "3/7 and 4/7" in part.claims[-1].story


def test_collaboration(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collaboration, "POPULATIONS", (200, 220))
    monkeypatch.setattr(collaboration, "RATES", (0.5, 1.0))
    monkeypatch.setattr(collaboration, "RATE_COUNT", {False: 2})
    part = collaboration.run(workspace)
    check_part(part, tmp_path)
    here = part.tables["n1_n2"].where(n1=220.0, n2=220.0)
    assert here["leakage_nu_1e-10"][0] == pytest.approx(13.254008, abs=1e-6)
    assert here[NU][0] == pytest.approx(leakage(three_types(), smoothing=1e-5).value, rel=1e-9)
    assert np.isinf(part.tables["diagonal"]["leakage"]).all()
    trends = next(claim for claim in part.claims if "shows trends" in claim.says)
    assert trends.verdict == "confirmed"


def test_along_the_same_sum() -> None:
    n = np.arange(16.0)
    off = np.abs(n[:, None] - n)
    assert along_same_sums(off) == (29, 29, 105, 105)
    assert along_same_sums(-off) == (2, 29, 0, 105)  # lines of two cells, which are equal


def test_an_interval_holds_what_is_so_in_19_of_20_cases() -> None:
    chance = np.random.default_rng(7)
    covered = 0
    for _ in range(100):
        x = chance.normal(size=80)
        y = 0.6 * x + 0.8 * chance.normal(size=80)  # a correlation of 0.6
        low, high = interval(x, y)
        assert low < pearson(x, y) < high
        covered += low <= 0.6 <= high
    assert 88 <= covered <= 100


def test_trees(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "LEAVES", 8)
    monkeypatch.setattr(trees, "TAKEN", {1: (23, 23), 2: (23, 23), 3: (5, 5)})
    part = trees.run(workspace)
    check_part(part, tmp_path)
    assert len(part.tables["depth2"]) == 23
    assert len(part.tables["settings"]) == 3 * len(SEARCHED)
    assert {3, 7} <= set(part.tables["depth3"]["depth"])  # the ends are always there
    assert part.claims[0].verdict == "false as stated"  # 23 trees are not 10,905
    assert list(figures_of(part, as_printed=True)) == ["tree-depth"]
    assert len(figures_of(part, as_printed=True)["tree-depth"].axes) == 1


def test_unique_groups_of_trees() -> None:
    by_depth = {tree.depth: trees.unique_sizes(tree) for tree in all_trees(8)}
    assert by_depth[3] == 1  # the symmetric one: four pairs, two fours, one whole
    assert by_depth[7] == 7  # one robot joins after the other


def test_a_sample_of_trees_has_no_repeats() -> None:
    every = all_trees(9)
    assert trees.sample(every, 10) == trees.sample(every, 10)
    assert len(set(trees.sample(every, 10))) == 10
    for number in (2, 3, 10):
        depths = {every[i].depth for i in trees.sample(every, number)}
        assert {4, 8} <= depths <= set(range(4, 9))
    assert trees.sample(every, 999) == list(range(len(every)))


def test_group_sizes(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "VARIED", (1, 2))
    part = groups.run(workspace)
    check_part(part, tmp_path)
    sizes = part.tables["sizes2"]
    assert ((sizes["group_size"] > 1) & (sizes["group_size"] < 8)).all()
    assert ((sizes["size_class"] > 1) & (sizes["size_class"] < sizes["group_size"])).all()
    assert pearson(sizes["group_size"], sizes[NU]) > 0.5
    search = part.tables["settings"]
    # From where ν is far below every worst outcome's probability on, it moves nothing.
    small = search.where(measure="group_size", robots=2.0)["pearson"][-2:]
    assert small[0] == pytest.approx(small[1], abs=1e-5)


def test_a_search_marks_the_papers_number() -> None:
    x = np.arange(6.0)
    tables = {1: Table({"x": x, **dict.fromkeys(LEAKAGES, x**2)})}
    search = Table({k: np.array(v) for k, v in searched(tables, ["x"]).items()})
    r = pearson(x, x**2)
    assert (search["low"] <= search["pearson"]).all()
    assert (search["pearson"] <= search["high"]).all()
    assert matches(search, round(r, 2)).all()
    assert not matches(search, 0.5).any()
    assert told(search, 0.5).endswith("0.5 at none of them")
    assert f"{round(r, 2)} to two digits at {len(SEARCHED)}" in told(search, round(r, 2))
    for said, words in ((round(r, 2), "framed: Pearson is"), (0.5, "in none of them")):
        label = draw_settings({"x": search}, said).get_supxlabel()
        assert words in label


def test_tasks(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "ROBOTS", 3)
    monkeypatch.setattr(tasks, "COARSE_POPULATIONS", 4)
    monkeypatch.setattr(tasks, "COARSE_ROBOTS", 1)
    monkeypatch.setattr(tasks, "RATE_COUNT", 3)
    part = tasks.run(workspace)
    check_part(part, tmp_path)
    marginals = part.tables["marginals"]
    for name in np.unique(marginals["name"]):
        assert marginals.where(name=name)["probability"].sum() == pytest.approx(1)


def test_maps_of_the_task_network_are_its_leakage(workspace: Workspace) -> None:
    teams = over_teams(workspace, [(4, a, b) for a in (3, 4) for b in (3, 4)], "")
    found = dict(zip(zip(teams["n2"], teams["n3"], strict=True), teams["leakage"], strict=True))
    assert found[4, 4] == pytest.approx(0.24667246, abs=2e-6)
    assert (
        found[3, 4]
        == found[4, 3]
        == pytest.approx(leakage(task_network((4, 3, 4))).value, abs=2e-6)
    )
    cells = [(1.0, a, b) for a in (0.5, 1.0) for b in (0.5, 1.0)]
    rates = over_rates(workspace, 2, cells, "abandon", "")
    for place, abandon in enumerate(((0.5, 0.5), (0.5, 1.0), (1.0, 0.5), (1.0, 1.0))):
        other = leakage(task_network((2, 2, 2), abandon=(1.0, *abandon))).value
        assert rates["leakage"][place] == pytest.approx(other, rel=1e-9)
    assert list(rates["robots"]) == [2] * 4


def test_states_are_listed_once_for_all_rates(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[tuple[int, ...]] = []

    def count(network: Network, start: Ints, **more: Any) -> Lattice:
        listed.append(tuple(start.tolist()))
        return explore(network, start, **more)

    monkeypatch.setattr(prepared_network, "explore", count)
    over_rates(workspace, 3, [(1.0, a, b) for a in (0.3, 0.7) for b in (0.3, 0.7)], "encounter", "")
    assert len(listed) == len(set(listed)) == 2  # (3,3,3) and (2,3,4)


def test_readings() -> None:
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    with np.errstate(divide="ignore"):
        found = dict(zip(COLUMNS, readings(np.log(p), np.log(q)), strict=True))
    assert found["leakage"] == np.inf
    assert found["tv"] == pytest.approx(0.5)
    assert found["leakage_nu_0.001"] == pytest.approx(np.log(501))


def test_kept_tables_are_not_computed_again(workspace: Workspace, tmp_path: Path) -> None:
    made = []

    def make() -> dict[str, list[object]]:
        made.append(1)
        return {"x": [0.1, np.inf], "y": ["a,b", "c"]}

    first = workspace.table("t", {"grid": (1, 2)}, make)
    assert first["x"].tolist() == [0.1, np.inf]
    assert first["y"].tolist() == ["a,b", "c"]
    workspace.table("t", {"grid": (1, 2)}, make)
    assert len(made) == 1
    workspace.table("t", {"grid": (1, 3)}, make)  # other settings
    assert len(made) == 2
    (tmp_path / "t.csv").write_text("x\n1\n")  # not what was written
    workspace.table("t", {"grid": (1, 3)}, make)
    assert len(made) == 3
    (tmp_path / "t.json").write_text("{")
    workspace.table("t", {"grid": (1, 3)}, make)
    assert len(made) == 4
    assert json.loads((tmp_path / "t.json").read_text())["settings"]["grid"] == [1, 3]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.csv", "t.json"]


def test_a_claim_has_no_empty_cell() -> None:
    with pytest.raises(ValueError, match="story"):
        judge("p", "here", "says", "finds", Criterion([]), " ")
    claim = judge("p", "here", "a | b", "finds", Criterion([("it is so", False)]), "why")
    assert from_csv(as_csv([claim])) == [claim]
    assert from_csv("a,b\n1,2\n") == []
    assert "a \\| b" in as_markdown([claim], "note")


def test_a_verdict_follows_from_its_criterion() -> None:
    one, other = ("one", True), ("other", False)
    mended: Verdict = "confirmed with a correction"
    assert Criterion([one, one]).verdict == "confirmed"
    assert Criterion([one, other]).verdict == "false as stated"
    assert Criterion([other], [one], mended).verdict == mended
    assert Criterion([other], [one, other], mended).verdict == "false as stated"
    assert Criterion([other], failing="underdetermined").verdict == "underdetermined"
    assert Criterion([one], [other], "misprint").verdict == "confirmed"
    claim = judge("p", "here", "says", "finds", Criterion([other], [one], "misprint"), "why")
    assert claim.criterion == "other (fails). With the correction: one (holds)"
    text = as_markdown([claim, claim], "note")
    assert "2 claims: 0 confirmed, 0 confirmed with a correction, 2 misprint" in text
    assert f"at most {TOLERANCE:.0%}" in text
    assert text.index("](claims.png)") < text.index("| verdict |")
    for number in (1, 2):  # a row leads to its story
        assert f"[more](#p-{number})" in text
        assert f"\n### p {number}\n" in text
    assert claim.words == 4


def test_one_tolerance() -> None:
    assert agrees(0.722, 0.74)
    assert not agrees(0.70, 0.74)
    assert not agrees(0.7, np.inf)
    assert not agrees(np.inf, 0.7)
    assert mostly(19, 20)
    assert not mostly(18, 20)
    assert above(1.06, 1.0)
    assert not above(1.04, 1.0)


def test_an_interrupted_map_goes_on_where_it_was(workspace: Workspace, tmp_path: Path) -> None:
    done: list[int] = []
    broken = [3]

    def work(job: int) -> list[int]:
        if job in broken:
            raise RuntimeError("the power is out")
        done.append(job)
        return [job * job]

    workspace.map_kept(work, [1, 2], "", "squares")
    with pytest.raises(RuntimeError):
        workspace.map_kept(work, [1, 2, 3], "", "squares")
    with (tmp_path / "squares.jsonl").open("a") as stream:
        stream.write('{"job": "[1, 3')  # torn
    broken.clear()
    assert workspace.map_kept(work, [1, 2, 3], "", "squares") == [[1], [4], [9]]
    assert done == [1, 2, 3]
    assert workspace.map_kept(work, [2, 3], "", "squares") == [[4], [9]]
    assert done == [1, 2, 3]
    workspace.forget("squares")
    assert not list(tmp_path.iterdir())
