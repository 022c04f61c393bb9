import pytest

from covey import InputError, Species
from covey.model.species import species_order


def test_members_are_a_multiset() -> None:
    assert (
        Species.parse("w{2,1,1}") == Species.parse("w{ 1, 1, 2 }") == Species("w", ("1", "2", "1"))
    )
    assert hash(Species.parse("{A,R}")) == hash(Species.parse("{R,A}"))
    assert Species.parse("{1,1,2}") != Species.parse("{1,2}")


@pytest.mark.parametrize("text", ["w{1,2}", "{A}", "{A,A,R}", "battery", "w", "é{ß}", "{10,2}"])
def test_print_and_parse(text: str) -> None:
    assert Species.parse(str(Species.parse(text))) == Species.parse(text)


def test_kinds() -> None:
    assert Species.parse("battery").is_plain
    assert not Species.parse("{A}").is_plain
    assert not Species.parse("e{A}").is_compound
    assert Species.parse("{A,A}").is_compound


def test_order_is_the_papers() -> None:
    names = ["w{2,3}", "battery", "w{1,2}", "e{2}", "w{1}", "w{10}", "e{1}", "w{2}"]
    ordered = sorted(map(Species.parse, names), key=species_order)
    assert [str(s) for s in ordered] == [
        "e{1}", "e{2}", "w{1}", "w{2}", "w{10}", "w{1,2}", "w{2,3}", "battery",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a species"),
        ("2x", "'2x' is not a species"),
        ("{}", "a type is missing in '{}'"),
        ("{A,,B}", "a type is missing in '{A,,B}'"),
        ("{A B}", "'A B' is not a type in '{A B}'"),
        ("w{A", "'w{A' is not a species"),
        ("{A}}", "is not a species"),
    ],
)
def test_what_is_no_species(text: str, message: str) -> None:
    with pytest.raises(InputError, match="write w{1,2}") as caught:
        Species.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "made", [("1x", ()), ("", ()), ("a b", ("A",)), ("", ("A-B",)), ("", ("",))]
)
def test_species_made_by_hand_are_checked(made: tuple[str, tuple[str, ...]]) -> None:
    with pytest.raises(InputError, match="is not"):
        Species(*made)
