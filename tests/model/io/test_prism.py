"""PRISM programs, letter by letter; what they compute is compared with storm in reference/."""

from __future__ import annotations

import pytest

from covey import Network, Query, Scenario, Team, UnsupportedError, load, to_prism
from covey.model.structure.count_bounds import largest_counts
from tests.conftest import EXAMPLES

BY_NAME = {path.stem: path for path in EXAMPLES}


def test_the_motivating_example() -> None:
    assert (
        to_prism(load(BY_NAME["shared-resource"]))
        == """\
// Two types share a resource
ctmc

const double k_take = 3.0;  // take

module team
  n_A : [0..2] init 2;  // {A}
  n_B : [0..1] init 1;  // {B}
  n_R : [0..2] init 2;  // {R}
  n_A_R : [0..2] init 0;  // {A,R}
  n_B_R : [0..1] init 0;  // {B,R}

  // {A} + {R} -> {A,R} @ take
  [] n_A >= 1 & n_R >= 1 -> k_take * n_A * n_R : (n_A_R' = n_A_R + 1) & (n_A' = n_A - 1) & (n_R' = n_R - 1);

  // {A,R} -> {A} + {R} @ 1
  [] n_A_R >= 1 -> 1.0 * n_A_R : (n_A' = n_A + 1) & (n_R' = n_R + 1) & (n_A_R' = n_A_R - 1);

  // {B} + {R} -> {B,R} @ 1
  [] n_B >= 1 & n_R >= 1 -> 1.0 * n_B * n_R : (n_B_R' = n_B_R + 1) & (n_B' = n_B - 1) & (n_R' = n_R - 1);

  // {B,R} -> {B} + {R} @ 1
  [] n_B_R >= 1 -> 1.0 * n_B_R : (n_B' = n_B + 1) & (n_R' = n_R + 1) & (n_B_R' = n_B_R - 1);
endmodule

formula y_free = n_A + n_B;  // free
rewards "y_free"
  true : y_free;
endrewards

formula y_busy = n_A_R + n_B_R;  // busy
rewards "y_busy"
  true : y_busy;
endrewards
"""
    )


def test_repeated_reactants() -> None:
    text = to_prism(Scenario(Network("3 A + B -> A + B + C @ 2"), initial={"A": 5, "B": 1}))
    assert "[] n_A >= 3 & n_B >= 1 -> 2.0 * n_A * (n_A - 1) * (n_A - 2) * n_B : " in text
    assert "(n_A' = n_A - 2) & (n_C' = n_C + 1);" in text
    text = to_prism(Scenario(Network("kinetics = power\n3 A -> B @ 2"), initial={"A": 5}))
    assert "[] n_A >= 3 -> 2.0 * n_A * n_A * n_A : " in text


def test_what_changes_nothing_is_left_out() -> None:
    text = to_prism(Scenario(Network("A + B -> B + A @ 1\nA -> B @ 2"), initial={"A": 1}))
    assert text.count("[]") == 1


def test_names_are_made_valid_and_differ() -> None:
    team = Team({}, {"A": 1, "é": 1, "b": 1})
    network = Network(
        "a_b = 1\na__b = 2\n{A} + {b} -> {A,b} @ a_b\n{A} + {b} -> A_b{A,b} @ a__b\n{é} -> ü{é} @ 3"
    )
    query = Query({"free\nctmc": "{A}", "free ctmc": "{b}", "1": "{é}"})
    text = to_prism(Scenario(network, team, query, title="a\nmodule b\r\nendmodule"))
    assert text.startswith("// a module b  endmodule\nctmc\n")
    assert "const double k_a_b = 1.0;  // a_b\nconst double k_a_b_2 = 2.0;  // a__b\n" in text
    assert "n_A_b : [0..1] init 0;  // {A,b}\n  n_A_b_A_b : [0..1] init 0;  // A_b{A,b}" in text
    assert "n : [0..1] init 1;  // {é}\n  n_2 : [0..1] init 0;  // ü{é}" in text or "n_2" in text
    assert "formula y_free_ctmc = n_A;  // free ctmc\n" in text
    assert "formula y_free_ctmc_2 = n_b;  // free ctmc\n" in text
    assert 'rewards "y_1"' in text


def test_what_has_no_end_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="nothing bounds the number of {sedan}, and a PRISM"):
        to_prism(load(BY_NAME["ride-sharing"]))


@pytest.mark.parametrize(
    ("network", "start", "most"),
    [
        ("A + B <-> C @ 1, 1", (5, 3, 0), (5, 3, 3)),
        ("2 A <-> B @ 1, 1", (5, 0), (5, 2)),
        ("A -> 0 @ 1", (4,), (4,)),
        ("A -> 2 B @ 1\nB -> 0 @ 1", (4, 1), (4, 9)),
        ("A -> A + B @ 1\nC -> D @ 1", (0, 0, 2, 0), (0, 0, 2, 2)),  # without A no B ever
        ("0 <-> A @ 1, 1\nC -> D @ 1", (0, 2, 0), (None, 2, 2)),
        ("A -> B @ 1", (10**9, 0), (10**9 + 1, 10**9 + 1)),  # never below, whatever the rounding
    ],
)
def test_bounds(network: str, start: tuple[int, ...], most: tuple[int | None, ...]) -> None:
    assert tuple(largest_counts(Network(network), start).values()) == most


@pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")
def test_laws_of_their_own() -> None:
    network = Network(
        "{A} <-> w{A} @ [k * min({A}, 3 - w{A}) * (w{A} == 1)], [w{A}^2 / -(0 - 2)]",
        rates={"k": 2.0},
    )
    text = to_prism(
        Scenario(network, Team({"A": 5}), Query(all="{A} + w{A}"), initial={"A": "{A}"})
    )
    there = "(k_k * min(n_A, (3.0 + (-n_w_A))) * (n_w_A = 1.0 ? 1 : 0))"
    assert f"[] n_A >= 1 & {there} > 0 -> {there} : " in text
    back = "(pow(n_w_A, 2.0) / (-(0.0 + (-2.0))))"
    assert f"[] n_w_A >= 1 & {back} > 0 -> {back} : " in text
