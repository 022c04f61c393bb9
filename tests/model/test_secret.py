"""What is secret: read, checked, written back; sets of teams, and which of them are adjacent."""

import pytest

from covey import CoveyError, Secret, Team, TeamSet, TooLargeError, dumps, loads
from tests.model.io.test_scenario_file import GOOD

SECRET = (
    GOOD
    + """
[secret]
protect = ["start", "type"]

[[secret.against]]
name = "slow"
set = { "rates.take" = 0.1 }

[[secret.against]]
set = { "types.A" = 3, "adversary.at" = 5 }

[secret.teams]
A = [1, 3]
B = 1
"""
)


def test_reads_and_writes_back() -> None:
    scenario = loads(SECRET)
    assert scenario.secret.kinds == ("type", "start")
    assert [str(one) for one in scenario.secret.against] == ["slow", "3 A, seen at 5"]
    assert str(scenario.secret.teams) == "A=1:3,B=1:1"
    assert loads(dumps(scenario)) == scenario
    assert "name" not in scenario.to_document()["secret"]["against"][1]


def test_default() -> None:
    plain = loads(GOOD)
    assert plain.secret.is_default
    assert "secret" not in plain.to_document()
    other = plain.keeping(against=[{"rates.take": 1}], teams="A=1:2")
    assert (other.secret.kinds, other.secret.is_default) == ((), False)
    assert other.keeping() is other
    assert loads(dumps(other)) == other


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"start", ', '"strt", ', "f.toml:24: secret.protect has 'strt'. Did you mean \"start\"?"),
        ('["start", "type"]', '"type"', "f.toml:24: secret.protect is 'type': a list such as"),
        ("rates.take", "rates.tak", 'f.toml:28: slow: there is no rate tak to set. Did you mean "take"?'),
        ("rates.take", "observe.busy", "f.toml:28: observe.busy cannot differ between hypotheses"),
        ('take" = 0.1', 'take" = [1]', "f.toml:28: rates.take is [1]: a number or a text is expected"),
        ('"slow"', "3", "f.toml:27: its name is 3: a text is expected"),
        ('"types.A" = 3', '"types.A" = -3', "f.toml:31: -3 A, seen at 5: types.A is -3: it must not be negative"),
        ('set = { "types.A" = 3, "adversary.at" = 5 }', "", "f.toml:30: secret.against has {}"),
        ('set = { "types.A" = 3, "adversary.at" = 5 }', 'name = "x"', "f.toml:30: [[secret.against]] has set = None"),
        ("[1, 3]", "[3, 1]", "f.toml:34: secret.teams.A is [3, 1]: the least comes first"),
        ("[1, 3]", "[1, 2, 3]", "f.toml:34: secret.teams.A is [1, 2, 3]: the least and the most"),
        ("[1, 3]", "[1, 2.5]", "f.toml:34: secret.teams.A is 2.5: a whole number"),
        ("B = 1\n", "C = 1\n", "f.toml:35: secret.teams has C, which is not in [types]."),
        ("[secret]", "[secret]\nteam = 1", 'f.toml:24: [secret] has no team. Did you mean "teams"?'),
    ],
)  # fmt: skip
def test_bad_files(old: str, new: str, message: str) -> None:
    at = SECRET.index("[secret]")
    with pytest.raises(CoveyError) as error:
        loads(SECRET[:at] + SECRET[at:].replace(old, new, 1), "f.toml")
    assert str(error.value).startswith(message)


def test_nothing_is_secret() -> None:
    with pytest.raises(CoveyError, match="nothing is secret"):
        Secret(protect=())


def test_team_sets() -> None:
    teams = TeamSet({"A": (5, 7), "B": (3, 5)})
    assert TeamSet.parse("A=5:7, B=3:5") == teams == TeamSet.parse(str(teams))
    assert TeamSet(teams.table()) == teams
    assert TeamSet.parse("A=5") == TeamSet({"A": 5}) == TeamSet({"A": (5, 5)})
    own = Team({"A": 6, "B": 4, "C": 2}, {"R": 1})
    listed = teams.teams(own)
    assert len(listed) == teams.size == 9
    assert all(team in teams and team.types["C"] == 2 for team in listed)
    assert listed[0].resources == own.resources
    assert own in teams
    assert Team({"A": 8, "B": 4}) not in teams
    teams.check_has(own)
    with pytest.raises(CoveyError, match="5 to 7 A, and .types. 8: the set must have the team"):
        teams.check_has(Team({"A": 8, "B": 4}))


def test_adjacent_pairs_once_each() -> None:
    teams, own = TeamSet({"A": (5, 7), "B": (3, 5)}), Team({"A": 6, "B": 4, "C": 2})
    found = teams.adjacent(own)
    both = {frozenset((team, other.team)) for team, other in found}
    everything = {
        frozenset((team, other.team))
        for team in teams.teams(own)
        for other in team.neighbours()
        if other.team.types["C"] == 2 and other.team in teams
    }
    assert len(both) == len(found) == 4
    assert both == everything
    assert teams.adjacent(own, ["A", "C"]) == []


@pytest.mark.parametrize(
    "text", ["", "A", "A=", "A=1:2:3", "A=-1", "A=1:x", "=1", "A=1,A=2", "A=²"]
)
def test_bad_sets(text: str) -> None:
    with pytest.raises(CoveyError):
        TeamSet.parse(text)


def test_too_many_teams() -> None:
    with pytest.raises(TooLargeError, match="1,000,001 teams"):
        TeamSet({"A": (0, 1_000_000)}).teams(Team({"A": 1}))
