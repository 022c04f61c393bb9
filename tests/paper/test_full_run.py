"""Today's code against the values of a full run that are kept in `full_run`: see `compact`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from covey.executors import InThisProcess
from covey.paper import PARTS, open_workspace, run_part
from covey.paper.authors import PROJECTED, UNPROJECTED
from covey.paper.case_studies import (
    collaboration,
    collaboration_claims,
    groups,
    task_claims,
    task_distributions,
    tree_leakage,
    trees,
)
from covey.paper.case_studies.settings import LEAKAGES, SEARCHED
from covey.paper.case_studies.tree_shapes import all_trees
from covey.paper.case_studies.trees import LEAVES
from covey.paper.claims import VERDICTS, Claim, counts
from covey.paper.readings import NU, pearson
from covey.paper.rules import rules
from covey.paper.rules.rule_cases import every_rule
from covey.paper.rules.rule_systems import READINGS, read_off
from covey.paper.scenarios import task_network
from covey.paper.theory import foundation_claims, motivating, theory, theory_claims
from covey.paper.workspace import Table, Workspace, read_table
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import team_distributions
from tests.paper.compact import COLUMNS, HOME, compact, kept, whole

NEAR = 1.1e-5  # six digits are kept


def of(*names: str) -> pytest.MarkDecorator:
    """For a test of tables, which some full run must have written."""
    missing = [name for name in names if not (HOME / f"{name}.csv").is_file()]
    return pytest.mark.skipif(bool(missing), reason=f"a full run has to write {missing}")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, full=False, executor=InThisProcess())


def some(name: str, count: int, **most: float) -> Table:
    """A few rows of a table, the same in every run; where columns have an upper limit, below it."""
    table = kept(name)
    below = np.logical_and.reduce([np.ones(len(table), dtype=np.bool_), *(table[c] <= m for c, m in most.items())])  # fmt: skip
    rows = np.random.default_rng(len(name)).permutation(np.flatnonzero(below))[:count]
    assert len(rows) == count
    return Table({column: values[rows] for column, values in table.columns.items()})


def check(found: object, table: Table, column: str) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), table[column], rtol=NEAR, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "up", "right"),
    [
        pytest.param("collaboration-n1-n2", "n1", "n2", marks=of("collaboration-n1-n2")),
        pytest.param("collaboration-n2-n3", "n2", "n3", marks=of("collaboration-n2-n3")),
    ],
)
def test_teams_of_the_first_case_study(
    workspace: Workspace, name: str, up: str, right: str
) -> None:
    rows = some(name, 3)
    pairs = zip(rows[up].astype(int).tolist(), rows[right].astype(int).tolist(), strict=True)
    teams = [(a, b, 200) if up == "n1" else (220, a, b) for a, b in pairs]
    found = collaboration.over_teams(workspace, teams)
    for column in (NU, "tv"):
        check(found[column], rows, column)


@of("collaboration-k1-k3", "collaboration-k2-k4")
def test_rates_of_the_first_case_study(workspace: Workspace) -> None:
    rows = some("collaboration-k1-k3", 3)
    found = collaboration.over_rates(
        workspace, [(a, 1.0, b, 1.0) for a, b in zip(rows["k1"], rows["k3"], strict=True)]
    )
    check(found[NU], rows, NU)
    rows = some("collaboration-k2-k4", 3)
    found = collaboration.over_rates(
        workspace, [(1.0, a, 1.0, b) for a, b in zip(rows["k2"], rows["k4"], strict=True)]
    )
    check(found["tv"], rows, "tv")


@pytest.mark.parametrize(
    ("robots", "count"),
    [
        pytest.param(1, 12, marks=of("tree-depth-1-per-type")),
        pytest.param(2, 6, marks=of("tree-depth-2-per-type")),
    ],
)
def test_trees(robots: int, count: int) -> None:
    every = all_trees(LEAVES)
    rows = some(f"tree-depth-{robots}-per-type", count)
    some_ = [every[int(number)] for number in rows["number"]]
    assert [tree.depth for tree in some_] == rows["depth"].tolist()
    found = [
        tree_leakage.tree_readings(tree_leakage.TreeTeam(tree, robots), [1e-5]) for tree in some_
    ]
    check([row[0] for row in found], rows, NU)
    check([row[1] for row in found], rows, "tv")


def test_group_sizes() -> None:
    table, count = kept("group-sizes-2-per-type"), 20
    rates = groups.random_rates(len(table))[:count]
    found = np.array(groups._measure(groups._Job(tuple(map(tuple, rates.tolist())), 2)))
    columns = (*groups.MEASURES, *LEAKAGES, "tv")
    for column in (*groups.MEASURES, NU, "tv"):
        np.testing.assert_allclose(
            found[:, columns.index(column)], table[column][:count], rtol=NEAR
        )


SEARCHES = [("tree-settings", "depth", n, f"tree-depth-{n}-per-type") for n in (1, 2, 3)]
SEARCHES += [("group-settings", m, 2, "group-sizes-2-per-type") for m in groups.MEASURES]


@pytest.mark.parametrize(
    ("search", "measure", "robots", "name"),
    [pytest.param(*case, marks=of(case[0], case[3])) for case in SEARCHES],
)
def test_the_search_agrees_with_its_tables(
    search: str, measure: str, robots: int, name: str
) -> None:
    """At ν = 1e-5 its correlations are those of tables that are kept as well."""
    assert 1e-5 in SEARCHED
    row, table = kept(search).where(measure=measure, robots=robots, nu=1e-5), kept(name)
    assert row["cases"].tolist() == [len(table)]
    assert row["pearson"][0] == pytest.approx(pearson(table[measure], table[NU]), abs=1e-4)


@of("task-populations")
def test_teams_of_the_second_case_study(workspace: Workspace) -> None:
    rows = some("task-populations", 2, n2=2, n3=3)
    teams = [(10, int(a), int(b)) for a, b in zip(rows["n2"], rows["n3"], strict=True)]
    found = task_distributions.over_teams(workspace, teams, "")
    for column in ("leakage", NU, "tv"):
        check(found[column], rows, column)


@of("task-balanced")
def test_balanced_teams_of_the_second_case_study(workspace: Workspace) -> None:
    few = kept("task-balanced")
    found = task_distributions.over_teams(workspace, [(n, n, n) for n in (1, 2, 3)], "")
    for column in ("leakage", NU, "tv"):
        np.testing.assert_allclose(np.asarray(found[column]), few[column][:3], rtol=NEAR)


def test_systems_of_the_rules() -> None:
    by_name = {str(s): s for rule in every_rule() for case in rule.cases for s in case}
    table = kept("rule-systems")
    assert list(by_name) == table["system"].tolist()
    for name in ("tasks, (2,1,1)", "three types, (2,2,2)", "tree (((()())())()), 1 a type"):
        row = table.where(system=name)
        found = read_off(by_name[name])
        for reading, values in zip(READINGS, found, strict=True):
            ends = [row[f"{reading}{end}"][0] for end in ("", "_low", "_high")]
            np.testing.assert_allclose(values, ends, rtol=NEAR)


def full_claims() -> list[Claim]:
    """The kept values, judged by today's criteria. Times and the rates of groups are not kept."""
    times = Table({"robots": np.array([128.0]), "ratio": np.array([20.0])})
    teams = {"n1_n2": "n1-n2", "n2_n3": "n2-n3", "diagonal": "diagonal", "initiate": "k1-k3", "terminate": "k2-k4"}  # fmt: skip
    maps = ("marginals", "populations", "balanced", "encounter", "abandon")
    depths = {f"depth{n}": kept(f"tree-depth-{n}-per-type") for n in (1, 2, 3)}
    sizes = {"sizes2": kept("group-sizes-2-per-type"), "settings": kept("group-settings")}
    table, tried = kept("rule-systems"), every_rule()
    systems = dict.fromkeys(s for rule in tried for case in rule.cases for s in case)
    ends = [[table[f"{name}{end}"] for end in ("", "_low", "_high")] for name in READINGS]
    values = dict(zip(systems, np.array(ends).transpose(2, 0, 1).tolist(), strict=True))
    trials = [rules.trial(rule, reading, values) for rule in tried for reading in READINGS]
    return [
        *theory_claims.claims({"numbers": kept("theory-numbers"), "times": times}, theory.DRAWS),
        *foundation_claims.claims(kept("theory-foundations"), theory.DRAWS),
        *motivating._claims(
            {
                "chains": kept("motivating-chains"),
                "distributions": kept("motivating-laws"),
                "numbers": kept("motivating-numbers"),
            }
        ),
        *collaboration_claims.claims(
            {name: whole(f"collaboration-{file}") for name, file in teams.items()},
            collaboration.RATES,
        ),
        *trees._claims(depths | {"settings": kept("tree-settings")}, all_trees(LEAVES)),
        groups._correlation(sizes),
        *task_claims.claims({name: whole(f"task-{name}") for name in maps}, 10),
        *rules._claims(tried, trials),
    ]


def test_its_verdicts() -> None:
    claims = full_claims()
    assert list(counts(claims).values()) == [34, 13, 2, 8, 2]
    assert max(claim.words for claim in claims) <= 40
    says = {claim.says: claim for claim in claims}
    valley = says["a clear valley of least leakage where N1 = N2"]
    assert valley.finds.endswith("29 of 29 sums, 105 of 105 steps")
    for rates, here, theirs in (("encounter", 36, 35), ("abandon", 30, 30)):
        claim = next(one for text, one in says.items() if text.startswith(f"off-diagonal {rates}"))
        assert "17 of 17 sums, 36 of 36 steps" in claim.finds
        assert (
            f"{here} of 45 off-diagonal cells here, {theirs} of 45 in the authors'" in claim.story
        )
    shapes = [kept(f"tree-depth-{n}-per-type") for n in (3, 2)]
    value, low, high = trees.assisted(shapes[0], shapes[1])
    assert 0.72 < low < value < high < 0.77


def test_the_list_of_what_fails() -> None:
    """The documentation has a row for every claim that is not simply confirmed, and no other."""
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
    begin, end = "| verdict | the paper says | covey finds |\n| --- | --- | --- |\n", "\n\n"
    failing = sorted(
        (claim for claim in full_claims() if claim.verdict != "confirmed"),
        key=lambda claim: VERDICTS[::-1].index(claim.verdict),
    )
    rows = [f"| {claim.verdict} | {claim.says} | {claim.finds} |" for claim in failing]
    assert page.split(begin)[1].split(end)[0].splitlines() == rows


@pytest.mark.study
def test_what_is_quoted_beside_the_authors_numbers() -> None:
    (distributions,) = team_distributions(task_network((10, 10, 10), abandon=(1.0, 0.2, 2.0)))
    for nu, (_, ours) in PROJECTED.items():
        assert leakage_of(distributions, nu).value == pytest.approx(ours, rel=NEAR)
    assert leakage_of(distributions).value == pytest.approx(UNPROJECTED, rel=NEAR)


@pytest.mark.study
@pytest.mark.parametrize("part", PARTS)
def test_the_whole(part: str, tmp_path: Path) -> None:
    """Everything again. The times of the theory are of the machine, and are not kept."""
    with open_workspace(tmp_path, full=True) as workspace:
        run_part(part, workspace)
    files = {path.stem for path in tmp_path.glob("*.csv")} & set(COLUMNS)
    assert files
    for name in sorted(files):
        found, table = compact(name, read_table(tmp_path / f"{name}.csv")), kept(name)
        for column, values in table.columns.items():
            if values.dtype.kind == "f":
                np.testing.assert_allclose(
                    found[column], values, rtol=NEAR, atol=1e-9, err_msg=f"{name}, {column}"
                )
            else:
                assert found[column].tolist() == values.tolist(), (name, column)
