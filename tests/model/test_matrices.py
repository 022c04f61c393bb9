"""Networks from matrices of coefficients."""

import pytest

import covey
from covey import InputError, Network

SPECIES = ["{A}", "{R}", "{A,R}", "w{A}"]
TAKES = [[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
GIVES = [[0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]


def test_a_network_from_matrices() -> None:
    found = Network.from_matrices(TAKES, GIVES, [3, 1, "[2 * {A}]"], species=SPECIES)
    assert found == Network("{A} + {R} <-> {A,R} @ 3, 1\n{A} -> w{A} @ [2 * {A}]")
    order = [found.index[covey.Species.parse(name)] for name in SPECIES]
    assert found.reactants[:, order].tolist() == TAKES
    again = Network.from_matrices(
        found.reactants, found.reactants + found.changes, [3, 1, "[2 * {A}]"], species=found.species
    )
    assert again == found


@pytest.mark.parametrize(
    ("takes", "gives", "species", "message"),
    [
        (TAKES[:2], GIVES, SPECIES, r"reactants has the shape \(2, 4\): \(reactions, species\) = "),
        (TAKES, [[0.5, 0, 1, 0], *GIVES[1:]], SPECIES, r"products\[0, 0\] is 0.5: a whole number"),
        (TAKES, [[-1, 0, 1, 0], *GIVES[1:]], SPECIES, r"products\[0, 0\] is -1: a whole number"),
        (TAKES, "x", SPECIES, "products is .*: a matrix of numbers is expected"),
        (TAKES, GIVES, [*SPECIES[:3], "{A}"], "the species {A} is there twice"),
        (TAKES, [[0, 1, 1, 0], *GIVES[1:]], SPECIES, "row 1: .* does not conserve R"),
        (
            [[1, 0, 0, 0]] * 3,
            [[0, 0, 0, 1]] * 3,
            SPECIES,
            "{R} is in no reaction: leave its column",
        ),
    ],
)
def test_what_is_no_network(
    takes: list[list[int]], gives: object, species: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Network.from_matrices(takes, gives, [1, 1, 1], species=species)  # type: ignore[arg-type]
