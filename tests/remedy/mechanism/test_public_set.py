"""Tables for a public set of teams: what they cost, what they promise, and that they name nobody."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.errors import InputError
from covey.model.frozen import FrozenMap
from covey.model.io.mechanism_file import mechanism_text, read_mechanism
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.protect import Tables, protect
from covey.remedy.publisher import Publisher
from tests.privacy.small_teams import turned

EXAMPLES = Path(__file__).parents[3] / "examples"
NINE = {"carrier": (5, 7), "picker": (3, 5)}


@pytest.fixture(scope="module")
def warehouse() -> Scenario:
    return covey.load(EXAMPLES / "warehouse.toml")


@pytest.fixture(scope="module")
def half(warehouse: Scenario) -> Mechanism:
    return protect(warehouse, 0.5, teams=NINE)


def of_team(scenario: Scenario, carriers: int, pickers: int) -> Scenario:
    return scenario.with_({"types.carrier": carriers, "types.picker": pickers}, warn=False)


def published(scenario: Scenario, found: Mechanism) -> dict[tuple[int, ...], float]:
    """What is published of a team, by plain sums over the stored table."""
    (seen,) = team_distributions(scenario)
    table = found.release.for_team(scenario.team.types)
    place = {tuple(row): i for i, row in enumerate(table.seen.tolist())}
    rows = [place[tuple(row)] for row in seen.team.outcomes.tolist()]
    total: Floats = seen.team.probabilities @ table.table[rows]
    return {tuple(z): p for z, p in zip(table.published.tolist(), total.tolist(), strict=True)}


# Another program's figures for the set (7,3), (6,4), (5,5); the other six cost no more.
@pytest.mark.parametrize(
    ("epsilon", "loss"), [(1, 0.016), (0.5, 0.031), (0.1, 0.227), (1e-6, 0.422)]
)
def test_one_table_a_team(warehouse: Scenario, epsilon: float, loss: float) -> None:
    found = protect(warehouse, epsilon, teams=NINE)
    assert found.loss == pytest.approx(loss, abs=5e-4)
    assert found.loss == max(found.losses)
    assert found.leakage.interval[1] <= epsilon
    assert found.gap < 1e-4
    blind = protect(warehouse, epsilon, teams=NINE, tables=Tables(blind=True))
    assert blind.leakage.interval[1] <= epsilon
    assert blind.loss > found.loss
    assert not blind.release.teams


def test_the_mean_is_less_and_its_worst_is_more(warehouse: Scenario, half: Mechanism) -> None:
    mean = protect(warehouse, 0.5, teams=NINE, tables=Tables(weigh="mean"))
    assert mean.loss == pytest.approx(sum(mean.losses) / 9)
    assert mean.loss <= sum(half.losses) / 9 + 1e-9
    assert max(mean.losses) >= half.loss - 1e-9


def test_every_adjacent_pair_is_protected_both_ways(warehouse: Scenario, half: Mechanism) -> None:
    teams = list(itertools.product((5, 6, 7), (3, 4, 5)))
    seen = {team: published(of_team(warehouse, *team), half) for team in teams}
    pairs = 0
    for (a, b), (c, d) in itertools.permutations(teams, 2):
        if abs(a - c) == 1 and a + b == c + d:
            pairs += 1
            for z, p in seen[a, b].items():
                assert p <= math.exp(0.5) * seen[c, d][z] * (1 + 1e-9)
    assert pairs == 8


def test_the_file_names_nobody(warehouse: Scenario, half: Mechanism) -> None:
    texts = {
        mechanism_text(protect(of_team(warehouse, *team), 0.5, teams=NINE).release)
        for team in ((6, 4), (7, 3), (5, 5))
    }
    assert texts == {mechanism_text(half.release)}
    document = json.loads(texts.pop())
    assert document["covey_mechanism"] == 2
    assert document["kind"] == "table"
    assert document["made_for"]["teams"] == {"carrier": [5, 7], "picker": [3, 5]}
    assert len(document["tables"]) == 9
    assert "table" not in document


def test_own_tables_name_their_team(warehouse: Scenario) -> None:
    """Each team with a table of its own tells more than the plain truth: 61 % against 54.8 %."""
    teams = [of_team(warehouse, 6, 4), of_team(warehouse, 7, 3)]
    plain = [team_distributions(team)[0].team for team in teams]
    truth = [
        dict(zip(map(tuple, one.outcomes.tolist()), one.probabilities, strict=True))
        for one in plain
    ]
    own = [published(team, protect(team, 0.5, teams="this")) for team in teams]

    def right(pair: list[dict[tuple[int, ...], float]]) -> float:
        every = set(pair[0]) | set(pair[1])
        return 0.5 + sum(abs(pair[0].get(y, 0) - pair[1].get(y, 0)) for y in every) / 4

    assert right(truth) == pytest.approx(0.548, abs=5e-4)
    assert right(own) == pytest.approx(0.61, abs=5e-3)
    assert any(p > 1e-12 and own[1].get(z, 0.0) == 0 for z, p in own[0].items())  # leakage ∞


def test_a_scenario_published_through_tables(warehouse: Scenario, half: Mechanism) -> None:
    for team in ((6, 4), (7, 3), (5, 4)):
        shown = of_team(warehouse, *team).with_({"release.mechanism": half.release})
        found = covey.leakage(shown)
        assert found.interval[1] <= 0.5
        assert covey.profile(shown).total_variation < 0.1
    corner = of_team(warehouse, 7, 3).with_({"release.mechanism": half.release})
    assert [str(turned(n).team) for n, _ in team_distributions(corner)[0].neighbours] == [
        "6 carriers, 4 pickers, 3 docks"
    ]
    outside = of_team(warehouse, 8, 3).with_({"release.mechanism": half.release}, warn=False)
    with pytest.raises(InputError, match="no table for carrier=8,picker=3"):
        covey.leakage(outside)


def test_streams_and_beliefs_through_tables(warehouse: Scenario, half: Mechanism) -> None:
    shown = warehouse.with_({"release.mechanism": half.release})
    stream = covey.stream(shown, 5.0, 10.0, accuracy=0.1)
    (one,) = team_distributions(shown)
    apart = [
        0.5 * sum(abs(a.get(z, 0) - b.get(z, 0)) for z in set(a) | set(b))
        for a in [published(warehouse, half)]
        for b in (published(of_team(warehouse, *t), half) for t in ((5, 5), (7, 3)))
    ]
    assert stream.bayes_success[0].value == pytest.approx(0.5 + max(apart) / 2, abs=1e-9)
    assert stream.bayes_success[1].lower <= 0.6
    z = dict(zip(one.team.names, one.team.outcomes[5].tolist(), strict=True))
    belief = covey.infer(shown, z)
    ours, theirs = (published(of_team(warehouse, *t), half) for t in ((6, 4), (5, 5)))
    odds = theirs[tuple(z.values())] / ours[tuple(z.values())]
    posterior = belief.posterior
    assert posterior["carrier->picker"] / posterior["team"] == pytest.approx(odds, rel=1e-9)
    watched = covey.watch(shown).see(0.0, z).posterior
    assert watched["carrier->picker"] / watched["team"] == pytest.approx(odds, rel=1e-6)


def test_the_publisher_says_its_team(half: Mechanism) -> None:
    table = read_mechanism(mechanism_text(half.release))
    assert table == half.release
    with pytest.raises(InputError, match="does not say which is real"):
        Publisher(table)
    with pytest.raises(InputError, match="no table for carrier=9"):
        Publisher(table, team={"carrier": 9, "picker": 4})
    team = {"picker": 4, "carrier": 6}
    publisher = Publisher(table, team=team, each_is_a_mission=True)
    own = table.for_team(team)
    row = int(np.argmax((own.table > 0.01).sum(axis=1)))
    drawn = [publisher.draw(own.seen[row].tolist()) for _ in range(4000)]
    for chance, outcome in zip(own.table[row], own.published.tolist(), strict=True):
        assert drawn.count(tuple(outcome)) == pytest.approx(4000 * chance, abs=200)
    with pytest.raises(InputError, match="one table for all"):
        Publisher(own, team=team)


def test_what_is_wrong_with_tables_in_a_file(half: Mechanism) -> None:
    document = json.loads(mechanism_text(half.release))
    document["made_for"] = {}
    tables = document["tables"]
    for wrong, said in (
        ([], "no list of tables"),
        ([{"team": {}, "table": tables[0]["table"]}], "team 1 of tables"),
        ([{"team": {"carrier": 7}}], "team 1 of tables: table is not a list"),
        ([tables[0], tables[0]], "a team twice"),
    ):
        with pytest.raises(InputError, match=said):
            read_mechanism(json.dumps({**document, "tables": wrong}))
    with pytest.raises(InputError, match="was it cut off|in place of table"):
        read_mechanism(json.dumps({**document, "table": []}))
    with pytest.raises(InputError, match="kind is"):
        read_mechanism(json.dumps({**document, "kind": "other"}))


def test_version_one_is_read(warehouse: Scenario) -> None:
    made = protect(warehouse, 0.5, teams="this").release
    document = json.loads(mechanism_text(made))
    old = {key: value for key, value in document.items() if key != "kind"}
    assert read_mechanism(json.dumps({**old, "covey_mechanism": 1})) == made
    assert made.unlike(warehouse.fingerprint([warehouse.team], ["steady"])) == []


def test_a_table_for_a_set_knows_its_teams(warehouse: Scenario, half: Mechanism) -> None:
    release, inside = half.release, of_team(warehouse, 7, 5)
    assert release.unlike(inside.fingerprint([inside.team], ["steady"])) == []
    outside = of_team(warehouse, 8, 5)
    assert release.unlike(outside.fingerprint([outside.team], ["steady"])) == ["team"]
    assert release.teams[0] == FrozenMap({"carrier": 5, "picker": 3})
