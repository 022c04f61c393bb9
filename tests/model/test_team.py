from pathlib import Path

import pytest

from covey import InputError, Team


def test_neighbours_are_ordered_pairs_of_types() -> None:
    team = Team({"A": 2, "B": 1, "C": 0}, resources={"R": 2})
    pairs = [(n.from_type, n.to_type) for n in team.neighbours()]
    assert pairs == [("A", "B"), ("A", "C"), ("B", "A"), ("B", "C")]  # none from C: it has none
    assert team.neighbours()[1].team == Team({"A": 1, "B": 1, "C": 1}, resources={"R": 2})
    assert str(team.neighbours()[0]) == "one A turned B"


def test_protect_limits_neighbours() -> None:
    team = Team({"A": 2, "B": 1, "C": 5})
    assert [(n.from_type, n.to_type) for n in team.neighbours(["A", "C"])] == [
        ("A", "C"),
        ("C", "A"),
    ]


def test_teams_are_values() -> None:
    assert Team({"A": 1, "B": 2}) == Team({"B": 2, "A": 1})
    assert len({Team({"A": 1}), Team({"A": 1}), Team({"A": 2})}) == 2
    assert Team({"A": 2, "B": 1}).robots == 3


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (-2, "types.A is -2: it must not be negative"),
        (2.5, "types.A is 2.5: a whole number is expected"),
        (True, "types.A is True: a whole number is expected"),
        ("3", "types.A is '3': a whole number is expected"),
        (10**12, "types.A is 1000000000000: it must be at most 1,000,000,000"),
        (float("nan"), "types.A is nan: a whole number is expected"),
    ],
)
def test_what_is_no_count(count: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Team({"A": count})  # type: ignore[dict-item]
    assert str(caught.value) == message


def test_a_type_is_no_resource() -> None:
    with pytest.raises(InputError, match="A is both a type and a resource"):
        Team({"A": 1}, resources={"A": 1})


def test_fleet_file(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text("robot,type,site\nr1,A,north\nr2, B ,south\n\nr3,A,north\n")
    assert Team.from_fleet(fleet, ["A", "B", "C"], {"R": 1}) == Team(
        {"A": 2, "B": 1, "C": 0}, resources={"R": 1}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "robot,type\nr1,A\nr2,Bee\n",
            ':3: "Bee" is not a type of this network, which has A, Beet.',
        ),
        ("robot,type\nr1,A\nr1,A\n", ':3: robot "r1" is listed already, on line 2'),
        ("robot,type\nr1\n", ":2: 1 columns, where the header has 2"),
        ("id,kind\nr1,A\n", ':1: the first line must name the columns "robot" and "type"'),
        ("robot;type\nr1;A\n", "once each; separate columns by commas"),
        (
            "robot,type,type\nr1,A,B\n",
            ':1: the first line must name the columns "robot" and "type"',
        ),
        ("robot,type\n", ": no robot is listed: a line for each is expected"),
        ("robot,type\n,A\n", ":2: the robot has no name"),
        ("", ':1: the first line must name the columns "robot" and "type"'),
    ],
)
def test_what_is_no_fleet(tmp_path: Path, text: str, message: str) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text(text)
    with pytest.raises(InputError) as caught:
        Team.from_fleet(fleet, ["A", "Beet"])
    assert str(caught.value).startswith(str(fleet))
    assert message in str(caught.value)


def test_a_fleet_that_is_no_text(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_bytes(b"robot,type\n\xff\xfe,A\n")
    with pytest.raises(InputError, match="fleet.csv:2: byte 0xff is not UTF-8: save the file"):
        Team.from_fleet(fleet, ["A"])


def test_a_missing_fleet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none.csv: there is no such file"):
        Team.from_fleet(tmp_path / "none.csv", ["A"])


def test_a_fleet_without_an_end_is_refused() -> None:
    with pytest.raises(InputError, match="more than 100 MB: this is too large for a fleet file"):
        Team.from_fleet("/dev/zero", ["A"])


def test_moves_are_between_types_of_the_team() -> None:
    with pytest.raises(InputError, match="'C' is not a type of this team"):
        Team({"A": 1, "B": 1}).move("A", "C")


def test_names_are_texts() -> None:
    with pytest.raises(InputError, match="1 in types is not a name"):
        Team({1: 2})  # type: ignore[dict-item]
