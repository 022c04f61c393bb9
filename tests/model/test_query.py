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
        ({"a": "{A} + {B}", "b": "{B}"}, "{B} is seen in a and b: sums must be disjoint"),
        ({"a": "{A,R} + {R,A}"}, "{A,R} is seen twice in a: sums must be disjoint"),
        ({"a": "2 {A}"}, "a counts {A} 2 times: leave the factor out"),
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
