"""Who comes and goes, by the wiring."""

from __future__ import annotations

import pytest

from covey import Network, UnsupportedError
from covey.model.structure.arrivals import comes, goes, sources


def test_robots_come_by_reactions_from_nothing_and_go_by_reactions_to_nothing() -> None:
    network = Network("0 -> {A} @ 2\n0 -> w{A} @ 1\n0 -> {A} @ 3\nw{A} -> {A} @ 1\n{B} -> 0 @ 1")
    index = {str(species): i for species, i in network.index.items()}
    assert sources(network, "A") == {index["{A}"]: 5.0, index["w{A}"]: 1.0}
    assert sources(network, "B") == {}
    assert (comes(network, "A"), goes(network, "A")) == (True, False)
    assert (comes(network, "B"), goes(network, "B")) == (False, True)


@pytest.mark.parametrize("products", ["{A} + {B}", "2 {A}", "{A,B}", "{A} + battery"])
def test_a_robot_that_comes_in_company_is_no_question_about_one(products: str) -> None:
    network = Network(f"0 -> {products} @ 1\n{{A}} -> 0 @ 1\n{{B}} -> 0 @ 1")
    assert comes(network, "A")
    with pytest.raises(UnsupportedError, match="with company"):
        sources(network, "A")
