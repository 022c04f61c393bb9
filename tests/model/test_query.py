import numpy as np
import pytest

from covey import InputError, Network, Query

NETWORK = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1\n{A} <-> rest{A} @ 1, 1")


def test_matrix() -> None:
    query = Query(free="{A} + {B}", busy="{R,A} + {B,R}")
    assert [str(s) for s in NETWORK.species] == ["{A}", "{B}", "{R}", "rest{A}", "{A,R}", "{B,R}"]
    assert query.matrix(NETWORK).tolist() == [[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]]


def test_identity_sees_everything() -> None:
    assert Query().is_identity
    assert Query().matrix(NETWORK).tolist() == [[int(i == j) for j in range(6)] for i in range(6)]
    assert list(Query().groups(NETWORK)) == [str(species) for species in NETWORK.species]


@pytest.mark.parametrize(
    ("sums", "message"),
    [
        ({"a": "{A,R} + {R,A}"}, "{A,R} is 2 times in a: write it once, as 2 {A,R} where it"),
        ({"a": "101 {A}"}, "the coefficient of {A} is 101: a whole number from 1 to 100"),
        (
            {"a": "{A} <= x"},
            "'{A} <= x' is no threshold: a sum, one of <= < >= > == != and a whole",
        ),
        ({"a": "{A} <= 0 <= {B}"}, "is no threshold"),
        ({"a": "{A} = 0"}, "is no threshold"),
        ({"a": "<= 3"}, "a species is missing"),
        ({"a": ""}, "a species is missing"),
        ({"a": 3}, 'a is 3: a sum such as "{A} + {B}" is expected'),
    ],
)
def test_what_is_no_query(sums: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Query(sums)
    assert message in str(caught.value)


def test_an_unknown_species_is_named() -> None:
    with pytest.raises(InputError) as caught:
        Query(a="{A} + {A,Q}").check(NETWORK)
    assert str(caught.value) == 'a sees {A,Q}, which is in no reaction. Did you mean "{A,R}"?'


@pytest.mark.parametrize(
    ("sums", "breaches"),
    [
        ({"a": "{A}"}, [("a", "A")]),
        ({"a": "{A} + rest{A}"}, [("a", "A")]),
        ({"a": "{A} + {B}", "b": "{A,R}"}, []),
        ({"r": "{R}"}, []),  # a resource is not private
        ({"a": "{A} + {A,R}"}, []),
        ({}, [("{A}", "A"), ("{B}", "B"), ("rest{A}", "A")]),
    ],
)
def test_direct_breaches(sums: dict[str, str], breaches: list[tuple[str, str]]) -> None:
    assert Query(sums).breaches(NETWORK, ["A", "B"]) == breaches


def test_weights_thresholds_and_overlaps() -> None:
    query = Query(bodies="2 {A,R} + {A}", full="{R} <= 0", free="{B} + {A}")
    assert query.texts() == {"bodies": "{A} + 2 {A,R}", "full": "{R} <= 0", "free": "{A} + {B}"}
    assert Query(query.texts()) == query
    assert query.matrix(NETWORK).tolist()[0] == [1, 0, 0, 0, 2, 0]
    states = np.array([[1, 2, 0, 0, 3, 1], [0, 1, 2, 1, 0, 0]])
    assert query.shown(states, NETWORK.index).tolist() == [[7, 1, 3], [0, 0, 1]]
    plain, weights = query.classes
    assert plain.is_plain
    assert not query.is_plain
    counts = plain.shown(states, NETWORK.index) @ weights
    assert query.compared(counts).tolist() == [[7, 1, 3], [0, 0, 1]]
    assert str(query).endswith(" (counts overlap: {A} is in bodies and free)")
    assert query.linear.texts()["full"] == "{R}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 {$i,R} for i in types", "2 {A,R} + 2 {B,R}"),
        ("{$i} <= 1 for i in types", "{A} + {B} <= 1"),
        ("3 {$i} + {$i,R} != 4 for i in types", None),
    ],
)
def test_families_with_weights(text: str, expected: str | None) -> None:
    sets = {"types": ("A", "B")}
    query = Query.of_table({"seen": text}, sets)
    assert query.table(sets) == {"seen": text}
    assert query.texts()["seen"] == (expected or "3 {A} + 3 {B} + {A,R} + {B,R} != 4")
    each = Query.of_table({"at_$i": "{$i} >= 2 for i in types"}, sets)
    assert each.texts() == {"at_A": "{A} >= 2", "at_B": "{B} >= 2"}


def test_rate_laws_may_name_thresholds() -> None:
    text = "{A} <-> w{A} @ [2 * few * {A}], 1"
    named = Network(text, sums={"few": "{A} + 2 w{A} <= 3"})
    assert named == Network("{A} <-> w{A} @ [2 * ({A} + w{A} + w{A} <= 3) * {A}], 1")
