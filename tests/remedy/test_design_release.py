"""What is published, as a choice of a design; and what a whole stream gives away, as its aim."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.cli.design_files import save_setting
from covey.cli.options.arguments import Request
from covey.dynamics.solver import Solver
from covey.errors import CoveyWarning, InputError, UnsupportedError
from covey.model.io.mechanism_file import save_mechanism
from covey.model.io.scenario_edit import rewritten
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.remedy.design import evaluation
from covey.remedy.design.design import design
from covey.remedy.design.evaluation import Evaluator
from covey.remedy.design.publishing import Coarsening, every_coarsening, loss_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "throttled-warehouse.toml"
TWO = """
[types]
A = 2
B = 1
[network]
reactions = '''
{A} <-> w{A} @ 1, 2
{B} <-> w{B} @ 3, 1
'''
[observe]
free = "{A} + {B}"
busy = "w{A} + w{B}"
"""


@pytest.fixture(scope="module")
def team() -> Scenario:
    return covey.load(EXAMPLE)


def by_hand(outcomes: Ints, chances: Floats, published: list[list[float]]) -> float:
    """The best reader tries everything: for each z and count, every number that there could be."""
    total = 0.0
    for z in range(len(published[0])):
        joint = [p * row[z] for p, row in zip(chances, published, strict=True)]
        for counts in outcomes.T.tolist():
            total += min(
                sum(w * abs(n - v) for w, n in zip(joint, counts, strict=True))
                for v in range(max(counts) + 1)
            )
    return total


@pytest.mark.parametrize("text", [None, "driving, charging", "driving + charging", "picking"])
def test_the_loss_is_that_of_the_best_reader(team: Scenario, text: str | None) -> None:
    (distribution,) = Solver(team.network).distributions(team.start, ["steady"], team.query)
    coarsening = None if text is None else Coarsening.parse(text, team)
    seen = (
        distribution.outcomes
        if coarsening is None
        else coarsening.of(distribution.names, distribution.outcomes)
    )
    rows = sorted(set(map(tuple, seen.tolist())))
    random = np.random.default_rng(3).dirichlet(np.ones(4), len(rows))
    names = distribution.names if coarsening is None else coarsening.names
    table = ReleaseTable(names, np.array(rows), np.arange(4)[:, None], random, 1.0, 0.0, 9.0)
    shown = [random[rows.index(tuple(row))].tolist() for row in seen.tolist()]
    found = loss_of(team, distribution, coarsening, table)
    assert found.value == pytest.approx(
        by_hand(distribution.outcomes, distribution.probabilities, shown), rel=1e-12
    )
    assert found.lower <= found.value <= found.upper <= found.value * (1 + 1e-6)
    plain = [[float(rows[z] == tuple(row)) for z in range(len(rows))] for row in seen.tolist()]
    told = loss_of(team, distribution, coarsening, None)
    hand = by_hand(distribution.outcomes, distribution.probabilities, plain)
    assert told.value == pytest.approx(hand, rel=1e-12, abs=1e-15)
    assert told.value <= found.value + 1e-12  # a mechanism only hides more
    lost = loss_of(team, replace(distribution, truncated_mass=1e-3), coarsening, None)
    assert lost.upper >= told.upper + 1e-3 * 4  # five robots, who may be anywhere


def test_every_way_to_publish_less(team: Scenario) -> None:
    """Subsets of three counts, in groups: 15 - 1 ways; nothing less than all gives away more."""
    assert str(Coarsening.parse("charging,picking +driving", team)) == "driving + picking, charging"
    ways = every_coarsening(team)
    assert len(ways) == len(set(ways)) == 14
    assert ways[0] == "driving, picking, charging"
    evaluate = Evaluator(team, Solver(team.network), 0.0, ["loss"])
    points = {text: evaluate({"observe": text}) for text in ways}
    whole = points[ways[0]]
    assert whole.privacy("loss") == 0
    for text, point in points.items():
        assert point.privacy("guess") <= whole.privacy("guess") + 1e-12, text
    for one, two in itertools.product(("driving", "picking", "charging"), repeat=2):
        if one < two:
            apart = next(p for t, p in points.items() if set(t.split(", ")) == {one, two})
            added = next(p for t, p in points.items() if set(t.split(" + ")) == {one, two})
            assert added.privacy("loss") >= apart.privacy("loss")
            assert added.privacy("guess") <= apart.privacy("guess") + 1e-12


def test_counts_that_are_called_as_sums_would_be_stay_apart(team: Scenario) -> None:
    sums = {"a": "{carrier}", "b": "{picker}", "a_and_b": "pick{carrier,picker}"}
    seen = team.with_(query=covey.Query(sums), warn=False)
    coarser = Coarsening.parse("a + b, a_and_b", seen)
    assert coarser.names == ("a_and_b_", "a_and_b")
    assert len(coarser.query(seen).sums) == 2


def test_a_front_of_what_publishing_less_costs_is_drawn(team: Scenario) -> None:
    listed = ["observe=driving, picking|picking|charging"]
    found = design(team, listed, minimise="loss", front=2, workers=1)
    (axes,) = found.plot().axes
    assert axes.get_ylabel() == "what a reader is off by"


def test_counts_that_follow_from_others_cost_nothing_to_leave_out() -> None:
    scenario = covey.loads(TWO)
    found = design(scenario, ["observe=free|free + busy"], target={"loss": 0.0}, workers=1)
    assert found.met
    assert found.published == {"observe": "free"}
    assert found.after.privacy("guess") == pytest.approx(found.before.privacy("guess"))
    assert found.values == {}
    assert found.starts == 0


def test_rates_and_a_mechanism_are_traded(team: Scenario, tmp_path: Path) -> None:
    """At the same ε a throttled team has to hide less; its file means what the design says."""
    vary = ["release.epsilon=0.3"]
    alone = design(team, vary, minimise="loss", workers=1)
    found = design(
        team, [*vary, "rates.meet=0.2:1", "control.pick.threshold=3:4"], minimise="loss",
        keep={"picks": 1}, starts=1, workers=1,
    )  # fmt: skip
    assert alone.met
    assert found.met
    assert alone.published == {"release.epsilon": 0.3}
    assert alone.after.privacy("leakage") <= 0.3
    assert alone.after.privacy("loss") > 0.2
    assert found.after.privacy("loss") < 0.01
    fresh = covey.leakage(alone.scenario)
    assert fresh.interval == alone.after.leakage.interval
    mechanism = covey.protect(team, 0.3, teams="this")
    assert alone.after.privacy("loss") <= mechanism.loss + 1e-9  # read as it is, or better


def test_the_written_file_means_the_design(tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace('pick = "0 if driving < 1" ', "")
    path = tmp_path / "team.toml"
    path.write_text(re.sub(r"\[control\]\n.*\n", "", text))
    found = design(covey.load(path), ["observe=driving + charging"], workers=1)
    written = rewritten(str(path), found.scenario, found.values)
    assert '# not published: picking  = "pick{carrier,picker}"' in written
    assert "# Five robots" in written
    assert covey.loads(written) == found.scenario
    assert covey.leakage(covey.loads(written)).interval == found.after.leakage.interval


def test_a_mechanism_goes_with_the_file(team: Scenario, tmp_path: Path) -> None:
    """It is read from beside the file that names it, wherever that is written."""
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    save_mechanism(covey.protect(team, epsilon=0.5, teams="this").release, home / "mechanism.json")
    text = EXAMPLE.read_text(encoding="utf-8") + '\n[release]\nmechanism = "mechanism.json"\n'
    (home / "team.toml").write_text(text, encoding="utf-8")
    published = covey.load(home / "team.toml")
    point = Evaluator(published, Solver(published.network), 0.0)({"rates.meet": 0.3})
    request = Request(published, False, True, str(home / "team.toml"))
    for folder, beside in ((home, "mechanism.json"), (away, "better.mechanism.json")):
        save_setting(request, point, folder / "better.toml")
        assert (folder / beside).exists()
        with pytest.warns(CoveyWarning, match="made for another scenario"):
            found = covey.leakage(covey.load(folder / "better.toml"))
        assert found.interval[1] == point.privacy("leakage")
    assert [path.name for path in home.glob("*.json")] == ["mechanism.json"]


def test_the_guess_of_a_stream(team: Scenario) -> None:
    """Bounds and all are those of `stream`; two snapshots are summed over, and certain."""
    scenario = team.with_({"release.every": 10.0, "release.until": 20.0})
    found = design(scenario, ["control.pick.threshold=3:4"], minimise="stream_guess", workers=1)
    told = covey.stream(found.scenario)
    assert found.after.stream_guess == told.bayes_success[-1]
    assert found.after.measures["stream_guess"] == told.bayes_success[-1].upper
    assert found.after.privacy("stream_guess") < found.before.privacy("stream_guess")
    missed = design(
        scenario, ["rates.meet=0.19:0.21"], target={"stream_guess": 0.55}, starts=1, workers=1
    )
    assert not missed.met


def test_a_stream_that_is_drawn_is_judged_by_other_paths(team: Scenario) -> None:
    scenario = team.with_({"release.every": 10.0, "release.until": 80.0})
    evaluate = [
        Evaluator(scenario, Solver(scenario.network), 0.0, ["stream_guess"], seed)({})
        for seed in (0, 1)
    ]
    one, two = (point.stream_guess for point in evaluate)
    assert one is not None
    assert two is not None
    assert one != two
    assert one.lower <= two.upper
    assert two.lower <= one.upper


def test_no_approximation_stands_for_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "stream_by", None)  # it is said before any path is drawn
    large = covey.loads(
        TWO.replace("A = 2", "A = 40").replace("B = 1", "B = 40")
        + "[release]\nevery = 1.0\nuntil = 30.0\n"
    )
    limits = covey.Limits(max_states=500)
    evaluate = Evaluator(large, Solver(large.network, limits), 0.0, ["stream_guess"])
    with pytest.raises(UnsupportedError, match="an approximation is no target"):
        evaluate.more_of({})


@pytest.mark.parametrize(
    ("vary", "options", "message"),
    [
        (["observe=driven"], {}, "'driven' in 'driven' is not seen"),
        (["observe=driving, driving"], {}, "driving is published twice"),
        (["observe=driving|driving"], {}, "each once"),
        (["observe=picking + driving|driving + picking"], {}, "each once"),
        (["types.carrier=1:999999999"], {}, "narrow their ranges below a million"),
        (["release.epsilon=0|1"], {}, "numbers above 0 are expected"),
        (["release.epsilon=0.1:1"], {}, "numbers above 0 are expected"),
        (["rates.meet=0.1:1"], {"minimise": "stream_guess"}, "how often somebody looks"),
        (["rates.meet=0.1:1"], {"target": {"guess": 0.4}}, "it is never below 0.5: whoever tosses"),
        (["rates.meet=0.1:1"], {"target": {"stream_guess": 0.4}}, "never below 0.5"),
        (["rates.meet=0.1:1"], {"target": {"leakage": -1}}, "it is never below 0"),
    ],
)
def test_what_is_wrong(
    team: Scenario, vary: list[str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        design(team, vary, workers=1, **options)  # type: ignore[arg-type]


def test_names_that_are_taken(team: Scenario) -> None:
    own = team.with_({"performance.loss": "mean(driving)"})
    assert design(own, ["rates.meet=0.1:1"], starts=1, workers=1).met
    with pytest.raises(InputError, match="has its own loss"):
        design(own, ["observe=*"], minimise="loss", workers=1)
    fixed = team.with_({"release.mechanism": covey.protect(team, 0.5, teams="this").release})
    with pytest.raises(UnsupportedError, match="let release.epsilon vary as well"):
        design(fixed, ["observe=driving"], workers=1)
    again = design(fixed, ["observe=driving", "release.epsilon=0.2"], workers=1)
    assert again.after.privacy("leakage") <= 0.2


def test_where_there_is_a_stream_the_stream_is_the_aim(team: Scenario) -> None:
    """By default; and whoever asks for one snapshot is told what becomes of the stream."""
    scenario = team.with_({"release.every": 10.0, "release.until": 20.0})
    rules = ["control.pick.threshold=3:4", "rates.meet=0.2:0.3"]
    found = design(scenario, rules, starts=1, workers=1)
    assert found.minimise == "stream_guess"
    assert found.after.stream_guess == covey.stream(found.scenario).bayes_success[-1]
    one = design(scenario, rules, minimise="guess", starts=1, workers=1)
    assert one.minimise == "guess"
    assert one.after.stream_guess == covey.stream(one.scenario).bayes_success[-1]
    assert found.after.privacy("stream_guess") <= one.after.privacy("stream_guess")
    assert "the whole stream of [release]: whoever sees all of it is right at most" in str(one)
    assert design(team, rules, starts=1, workers=1).minimise == "guess"  # as there is none


def test_a_design_that_raises_the_stream_says_so() -> None:
    """A flips as often on as off: slower is no matter to one snapshot, and to many it is."""
    scenario = covey.loads("""
[types]
A = 1
B = 1

[rates]
off = 1.2

[network]
reactions = \"\"\"
up: {A} -> on{A} @ 1
down: on{A} -> {A} @ off
{B} <-> on{B} @ 4, 4
\"\"\"

[observe]
on = "on{A} + on{B}"

[release]
every = 0.1
until = 0.6
""")
    found = design(scenario, ["rates.off=0.9:1.3"], minimise="guess", starts=1, workers=1)
    assert found.after.privacy("guess") < found.before.privacy("guess")
    told = [
        covey.stream(one.scenario).bayes_success[-1].upper for one in (found.before, found.after)
    ]
    assert found.raises_stream == (told[1] > told[0])
    assert found.raises_stream
    assert "It raises the whole stream of [release]" in str(found)
    aimed = design(scenario, ["rates.off=0.9:1.3"], starts=1, workers=1)
    assert not aimed.raises_stream
    assert "stream of [release]" not in str(aimed)


def test_a_stream_that_cannot_be_judged_is_said_to_be_unknown() -> None:
    large = covey.loads(
        TWO.replace("A = 2", "A = 40").replace("B = 1", "B = 40").replace("@ 1, 2", "@ go, 2")
        + "[rates]\ngo = 1.0\n[release]\nevery = 1.0\nuntil = 30.0\n"
    )
    limits = covey.Limits(max_states=500)
    found = design(large, ["rates.go=x0.9:x1.1"], starts=1, workers=1, limits=limits)
    assert found.minimise == "guess"
    assert "What all of [release] gives away is not known: the team is too large" in str(found)


def test_the_scenario_says_what_may_change(team: Scenario) -> None:
    vary = {"rates.meet": (0.2, 0.3)}
    scenario = team.with_({"design.vary": vary})
    found = design(scenario, starts=1, workers=1)
    assert found.values == design(team, vary, starts=1, workers=1).values
    assert set(found.values) == {"rates.meet"}
    other = design(scenario, ["control.pick.threshold=3:4"], workers=1)  # what is asked goes first
    assert set(other.values) == {"control.pick.threshold"}
    with pytest.raises(InputError, match=r"\[design\] vary"):
        design(team, workers=1)
