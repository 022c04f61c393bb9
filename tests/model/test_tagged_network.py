"""What a tagged robot does, reaction by reaction; brute force holds the whole of it to its word."""

import pytest

from covey import Network
from covey.model.tagged_network import tag

RATES = {"meet": 1.0, "part": 2.0}


def _tagged(reaction: str, kinetics: str = "falling") -> list[str]:
    """The reactions with the tagged robot."""
    network = Network(reaction, rates=RATES, kinetics=kinetics)  # type: ignore[arg-type]
    found = tag(network, ["A"]).network
    return [str(one) for one in found.reactions if "followed" in one.arrow]


@pytest.mark.parametrize(
    ("reaction", "tagged"),
    [
        ("0 -> {A} @ 1", []),
        ("{A} -> 0 @ 0.5", ["{followed_A} -> 0 @ 0.5"]),
        (
            "go: {A} + {B} -> w{A,B} @ meet",
            ["go: {B} + {followed_A} -> w{B,followed_A} @ meet"],
        ),
        ("2 {A} -> w{A,A} @ 3", ["{A} + {followed_A} -> w{A,followed_A} @ 6"]),
        ("2 {A} -> w{A,A} @ meet", 2 * ["{A} + {followed_A} -> w{A,followed_A} @ meet"]),
        (
            "w{A,A} -> {A} + v{A} @ 4",
            [
                "w{A,followed_A} -> {followed_A} + v{A} @ 2",
                "w{A,followed_A} -> {A} + v{followed_A} @ 2",
            ],
        ),
        (  # what stands on both sides stays
            "{A} + w{A} -> v{A} + w{A} @ 4",
            [
                "{followed_A} + w{A} -> v{followed_A} + w{A} @ 4",
                "{A} + w{followed_A} -> v{A} + w{followed_A} @ 4",
            ],
        ),
        (
            "{A} -> w{A} @ [min({A}, 2)]",
            [
                "{followed_A} -> w{followed_A} @ "
                "[min({A} + {followed_A}, 2) * ({followed_A} / max({A} + {followed_A}, 1))]"
            ],
        ),
    ],
)
def test_what_a_tagged_robot_does(reaction: str, tagged: list[str]) -> None:
    assert _tagged(reaction) == tagged


def test_a_named_rate_that_is_shared_stays_a_named_rate() -> None:
    (first, _) = _tagged("w{A,A} -> {A} + v{A} @ part")
    assert first.endswith("@ [0.5 * part * w{A,followed_A}]")


def test_a_type_that_is_called_so_already_gets_another_name() -> None:
    network = Network("{A} <-> w{A} @ 1, 1\n{followed_A} <-> w{followed_A} @ 1, 1")
    assert tag(network, ["A"]).names == {"A": "followed_A_"}
