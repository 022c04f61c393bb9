"""What an SBML model means, and everything that is refused because it means something else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from covey import CoveyError, InputError, Network, SbmlModel, from_sbml
from covey.model.io.sbml import formula
from tests.model.io.sbml.sbml_models import math, model, reaction, species


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(text: str, **options: Any) -> SbmlModel:
        path = tmp_path / "m.xml"
        path.write_text(text, encoding="utf-8")
        return from_sbml(path, **options)

    return read


@pytest.mark.parametrize(
    ("arrow", "law", "network"),
    [
        # one way, however it is written
        ("A + B -> C", "k * A * B", "k = 3\nA + B -> C @ k"),
        ("A + B -> C", "B * (A * k)", "k = 3\nA + B -> C @ k"),
        ("A + B -> C", "k * A * B / c * c", "k = 3\nA + B -> C @ k"),
        ("A -> B", "2 * k * A", "A -> B @ 6"),
        ("A -> B", "k / kr * A", "A -> B @ 1.5"),
        ("A -> B", "k^-1 * A * 1.5e2 * (1/2)", "A -> B @ 25"),
        ("A -> B", "k^2 * A / (k + 1 * 3)", "A -> B @ 1.5"),
        ("A -> B", "0.1 * A + 0.2 * A", "A -> B @ 0.30000000000000004"),
        ("-> A", "k", "k = 3\n0 -> A @ k"),
        ("A ->", "k * A", "k = 3\nA -> 0 @ k"),
        # powers, to the letter
        ("2 A -> B", "k * A * A", "kinetics = power\nk = 3\n2 A -> B @ k"),
        ("2 A -> B", "k * A^2", "kinetics = power\nk = 3\n2 A -> B @ k"),
        ("3 A -> B", "k * A^2 * A / 6", "kinetics = power\n3 A -> B @ 0.5"),
        # falling powers
        ("2 A -> B", "k * A * (A - 1)", "k = 3\n2 A -> B @ k"),
        ("2 A -> B", "k * A * (A - 1) / 2", "2 A -> B @ 1.5"),
        ("2 A -> B", "k * (A^2 - A)", "k = 3\n2 A -> B @ k"),
        ("3 A + 2 B -> C", "k*A*(A-1)*(A-2)*B*(B-1)", "k = 3\n3 A + 2 B -> C @ k"),
        # both ways
        ("A + B <=> C", "k * A * B - kr * C", "k = 3\nkr = 2\nA + B <-> C @ k, kr"),
        ("A + B <=> C", "c * (k * A * B - kr * C)", "k = 3\nkr = 2\nA + B <-> C @ k, kr"),
        ("A <=> B", "k * (A - B / 4)", "A <-> B @ 3, 0.75"),
        ("2 A <=> B", "k * A^2 - kr * B", "kinetics = power\nk = 3\nkr = 2\n2 A <-> B @ k, kr"),
        ("2 A <=> B", "k * A * (A-1) - kr * B", "k = 3\nkr = 2\n2 A <-> B @ k, kr"),
        ("2 A <=> A", "k * A^2 - kr * A", "kinetics = power\nk = 3\nkr = 2\n2 A <-> A @ k, kr"),
        ("2 A <=> A", "k * A * (A-1) - kr * A", "k = 3\nkr = 2\n2 A <-> A @ k, kr"),
        ("A <=> B", "k * A", "k = 3\nA -> B @ k"),
        ("A <=> B", "-k * B", "k = 3\nB -> A @ k"),
        # catalysts stand on both sides
        ("A -> B", "k * A * C", "k = 3\nA + C -> B + C @ k"),
        ("A -> B", "k * A * B", "k = 3\nA + B -> 2 B @ k"),
        ("A -> 2 A", "k * A", "k = 3\nA -> 2 A @ k"),
    ],
)
def test_laws(read: Any, arrow: str, law: str, network: str) -> None:
    assert read(model(reaction(arrow, law, modifiers="A B C"))).network == Network(network)


def test_what_never_happens_is_left_out(read: Any) -> None:
    text = model(reaction("A -> B", "k * A"), reaction("B -> C", "0 * k * B", id="never"))
    assert read(text).network == Network("k = 3\nA -> B @ k")


@pytest.mark.parametrize(
    ("arrow", "law", "reason"),
    [
        ("A -> B", "k * A / A", "it takes 1 A, but its law has the power 0 of it"),
        ("2 A -> B", "k * A", "it takes 2 A, but its law has the power 1 of it"),
        ("A -> B", "k * A^101", "its formula has the power 101"),
        ("2 A <=> A", "2 * A^2 - 3 * A", "its law can be read in powers and in falling powers"),
        ("A -> B", "k * exp(A)", 'its formula has "exp": + - * / and powers, min, max'),
        ("A -> B", "k * A * time", "its formula has the time"),
        ("A -> B", "delay(k * A, 1)", 'its formula has "delay"'),
        ("A -> B", "k * A / 0", "its formula divides by 0"),
        ("A -> B", "k * A / (k - 3)", "its formula divides by 0"),
        ("A -> B", "k * A / zero", "it divides by zero, which is 0"),
        ("A -> B", "k * A^(1e300 * 1e300)", "its formula has the power more than 1e308"),
        ("A -> B", "A * inf", "its formula has the number inf"),
        ("A -> B", "A * 1e300 * 1e300", "its rate constant is too large"),
        ("A -> B", "A * 1e-300 * 1e-300", "its rate constant is 0: a rate must be positive and finite"),
        ("A -> B", "who * A", "who in its formula is nothing that has a finite value"),
        ("A -> B", "unset * A", "unset in its formula is nothing that has a finite value"),
        ("A -> B", "r * A", "r in its formula is nothing that has a finite value"),
        ("A -> B", "f(A)", "its formula calls f, which is no function of so many values"),
        ("1.5 A -> B", "k * A", "the stoichiometry of A is not a whole number, 1 or more"),
        ("0 A -> B", "k * A", "the stoichiometry of A is not a whole number, 1 or more"),
        ("101 A -> B", "k * A^100 * A", "a power is above 100"),
        ("Z -> B", "k * A", "Z is no species of the model"),
    ],
)  # fmt: skip
def test_what_is_no_mass_action(read: Any, arrow: str, law: str, reason: str) -> None:
    text = model(reaction(arrow, law), parameters={"k": 3.0, "kr": 2.0, "zero": 0.0, "unset": None})
    with pytest.raises(InputError) as caught:
        read(text)
    assert f"m.xml:{_line(text, '<reaction ')}: reaction r: {reason}" in str(caught.value)


@pytest.mark.parametrize(
    ("arrow", "law", "network"),
    [
        ("A -> B", "k * A / (kr + A)", "A -> B @ [k * A / (kr + A)]"),
        ("A -> B", "k / A", "A -> B @ [k / A]"),
        ("A -> B", "k * A^1.5", "A -> B @ [k * A^1.5]"),
        ("A -> B", "k * kr^A", "A -> B @ [k * kr^A]"),
        ("A -> B", "k * A + kr", "A -> B @ [k * A + kr]"),
        ("A -> B", "k * A - kr * B", "A -> B @ [k * A - kr * B]"),
        ("A -> B", "-k * A", "A -> B @ [-k * A]"),
        ("2 A -> B", "k * A * (A - 2)", "2 A -> B @ [k * A * (A - 2)]"),
        ("2 A <=> B", "k * A^2 - kr * B * (B - 1)", "2 A <-> B @ [k * A^2], [kr * B * (B - 1)]"),
        ("A -> B", "piecewise(k * A, A > 3, kr)",
         "A -> B @ [(A > 3) * k * A + (1 - (A > 3)) * kr]"),
    ],
)  # fmt: skip
def test_laws_of_their_own(read: Any, arrow: str, law: str, network: str) -> None:
    found = read(model(reaction(arrow, law))).network
    rates = {name: value for name, value in {"k": 3.0, "kr": 2.0}.items() if name in found.rates}
    assert found == Network(network, rates)
    assert Network(str(found)) == found


def _line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_kinetics(read: Any) -> None:
    squared, falling = reaction("2 A -> B", "k * A^2"), reaction("2 B -> C", "B * (B - 1)", id="s")
    assert read(model(squared)).network.kinetics == "power"
    assert read(model(falling)).network.kinetics == "falling"
    assert read(model(reaction("A -> B", "k * A"))).network.kinetics == "falling"
    assert read(model(reaction("A -> B", "k * A")), kinetics="power").network.kinetics == "power"
    both = "k = 3\n2 A -> B @ k\n2 B -> C @ 1"
    assert read(model(squared, falling), kinetics="falling").network == Network(both)
    with pytest.raises(
        CoveyError, match=r"reaction r: its law is of the form k \* A\^2, but that of s is of"
    ):
        read(model(squared, falling))
    with pytest.raises(CoveyError, match='reaction s: .* the scenario says kinetics = "power"'):
        read(model(falling), kinetics="power")
    tie = reaction("2 A <=> A", "2 * A^2 - 3 * A")
    assert read(model(tie), kinetics="power").network == Network("kinetics=power\n2 A <-> A @ 2, 3")
    assert read(model(tie), kinetics="falling").network == Network("2 A <-> A @ 2, 1")
    with pytest.raises(CoveyError, match="kinetics is 'mass'"):
        read(model(squared), kinetics="mass")


@pytest.mark.parametrize(
    ("size", "arrow", "law", "network"),
    [
        # with [A] = A / V the law k V [A] [B] means k/V A B, and k V [A] means k A
        ("0.5", "A + B -> C", "k * c * A * B", "A + B -> C @ 6"),
        ("0.5", "A -> B", "k * c * A", "k = 3\nA -> B @ k"),
        ("0.5", "A -> B", "k * A", "A -> B @ 6"),
        ("4", "2 A -> B", "k * c * A * (A - 1 / c)", "2 A -> B @ 0.75"),
    ],
)
def test_concentrations(read: Any, size: str, arrow: str, law: str, network: str) -> None:
    listed = "".join(species(id_, hasOnlySubstanceUnits="false") for id_ in "ABC")
    text = model(reaction(arrow, law), plain="", more_species=listed, size=size)
    assert read(text).network == Network(network)


def test_held_species_are_numbers(read: Any) -> None:
    held = species("X", 5, boundaryCondition="true") + species("Y", 2, constant="true")
    text = model(
        reaction("X -> A", "k * X"), reaction("A + Y -> Y", "A * Y", id="s"), more_species=held
    )
    assert read(text).network == Network("0 -> A @ 15\nA -> 0 @ 2")


def test_the_names_of_species(read: Any) -> None:
    listed = (
        species("s1", name="idle{A}")
        + species("s2", name="w{B,A}")
        + species("s3", 7, name="battery")
        + species("s4", name="not a word")
        + species("s5", name="twin")
        + species("s6", name="twin")
        + species("s7", name="s5")
    )
    text = model(
        reaction("s2 + s3 -> s2", "s2 * s3"),
        reaction("s4 + s5 -> s6 + s7", "s4 * s5", id="t"),
        plain="",
        more_species=listed,
    )
    assert read(text).network == Network("w{A,B} + battery -> w{A,B} @ 1\ns4 + s5 -> s6 + s7 @ 1")
    assert read(text).initial == {"battery": 7, "s4": 0, "s5": 0, "s6": 0, "s7": 0}
    given = {"s3": "charge", "s4": "four", "s2": "w{C}"}
    network = read(text, species=given).network
    assert network == Network("w{C} + charge -> w{C} @ 1\nfour + s5 -> s6 + s7 @ 1")


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("w{A", {}, "m.xml:6: the name of species S is no name in covey ('w{A' is not a species"),
        ("w{}", {}, 'say under [species] which one it is, as S = "w{A,B}"'),
        (
            "w{A}",
            {"A": "w{A}"},
            "m.xml:6: the species A and S of the SBML model are both w{A}: give",
        ),
        (
            "",
            {"S": "A"},
            "the species A and S of the SBML model are both A: give one of them another",
        ),
        ("", {"T": "w{A}"}, "species.T: the SBML model has no species with this id"),
        ("", {"S": 3}, "species.S is 3: a species is expected"),
        ("", {"S": "w{"}, "'w{' is not a species"),
    ],
)
def test_wrong_names(read: Any, name: str, given: dict[str, object], message: str) -> None:
    text = model(reaction("A -> S", "k * A"), more_species=species("S", name=name))
    with pytest.raises(CoveyError) as caught:
        read(text, species=given)
    assert message in str(caught.value)


def test_parameters_of_one_reaction(read: Any) -> None:
    text = model(
        reaction("A -> B", "k * A", local={"k": 5.0}),
        reaction("B -> C", "k * B", id="s"),
        reaction("C -> A", "k * C", id="t", local={"k": 7.0}),
        parameters={"k": 3.0, "r_k": 4.0},
    )
    # r_k is taken, and a parameter of the reaction goes before one of the model
    assert read(text).network == Network("r_k_ = 5\nk = 3\nt_k = 7\nA->B@r_k_\nB->C@k\nC->A@t_k")


def test_what_is_given_twice_in_one_reaction(read: Any) -> None:
    text = model(reaction("A -> B", "k * A", local={"k": 5.0}))
    own = '<localParameter id="k" value="5.0"/>'
    with pytest.raises(CoveyError, match=r"k is given twice \(parameter of one law, "):
        read(text.replace(own, own + own.replace("5.0", "6.0")))
    with pytest.raises(CoveyError, match=r"k is given twice \(parameter, species ref"):
        read(text.replace('<speciesReference species="A"', '<speciesReference id="k" species="A"'))


def test_a_parameter_in_two_places_stays_one(read: Any) -> None:
    text = model(reaction("A -> B", "k * A"), reaction("B -> A", "k / 2 * B", id="s"))
    assert read(text).network == Network("A <-> B @ 3, 1.5")
    assert read(text, rates={"k": 8}).network == Network("A <-> B @ 8, 4")
    with pytest.raises(CoveyError, match="rates.q: the SBML model has no parameter of this name"):
        read(text, rates={"q": 8})
    with pytest.raises(CoveyError, match="rates.k is -8: a rate must be positive"):
        read(text, rates={"k": -8})


def test_parameters_go_by_their_names(read: Any) -> None:
    named = '<parameter id="p1" name="β" value="2" constant="true"/><parameter id="p2" name="a b" value="5" constant="true"/>'
    text = model(reaction("A <=> B", "p1 * A - p2 * B"), more_parameters=named)
    assert read(text).network == Network("β = 2\np2 = 5\nA <-> B @ β, p2")


def test_no_rate_is_called_kinetics(read: Any) -> None:
    text = model(reaction("A -> B", "kinetics * A"), parameters={"kinetics": 2.0})
    assert read(text).network == Network("A -> B @ 2")


def test_formulas_of_parameters(read: Any) -> None:
    seen = '<parameter id="seen" constant="false"/><parameter id="mean" constant="false"/>'
    rules = (
        f'<assignmentRule variable="mean">{math("kr * 2")}</assignmentRule>'
        f'<assignmentRule variable="seen">{math("exp(A) + B")}</assignmentRule>'
    )
    text = model(
        reaction("A -> B", "mean * A"),
        reaction("B -> C", "k * B", id="s"),
        more_parameters=seen,
        rules=rules,
        assigned={"k": "kr + 1", "A": "k * 2"},
    )
    assert read(text).network == Network("A -> B @ 4\nB -> C @ 3")  # exp is only looked at
    assert read(text).initial == {"A": 6, "B": 0, "C": 0}
    assert read(text, rates={"kr": 4}).initial["A"] == 10
    assert read(text, rates={"k": 4}).network == Network("A -> B @ 4\nB -> C @ 4")


def _function(id_: str, body: str) -> str:
    return f'<functionDefinition id="{id_}">{math(body)}</functionDefinition>'


def test_functions_are_written_out(read: Any) -> None:
    function = _function("f", "lambda(x, B, x * B)")  # its own B goes before the species
    text = model(reaction("A + B -> C", "k * f(A, f(B, 2))"), functions=function)
    assert read(text).network == Network("A + B -> C @ 6")


def test_functions_that_never_end(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    circle = _function("f", "lambda(x, f(x))")
    with pytest.raises(CoveyError, match="call each other too deeply, or in a circle"):
        read(model(reaction("A -> B", "f(A)"), functions=circle))
    doubling = [_function(f"f{i}", f"lambda(x, f{i - 1}(x) + f{i - 1}(x))") for i in range(1, 40)]
    monkeypatch.setattr(formula, "_MAX_WORK", 20_000)  # no need to wait for all that is allowed
    bomb = _function("f0", "lambda(x, 1 * x)") + "".join(doubling)
    with pytest.raises(CoveyError, match="the formulas are too long when they are multiplied out"):
        read(model(reaction("A -> B", "f39(A)"), functions=bomb))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "reason"),
    [
        ("(A + B + C + k + kr)^50", "too many terms when it is multiplied out"),
        ("A * ((((7^99)^99)^99)^99)", "its numbers are too large or too small to calculate with"),
        ("A * 7^-99^99", "its formula has the power"),
        ("A" + "*(A - B + C)" * 99, "too many terms|too long"),
    ],
)
def test_formulas_that_grow(read: Any, law: str, reason: str) -> None:
    with pytest.raises(CoveyError, match=reason):
        read(model(reaction("A -> B", law)))


def test_a_long_product(read: Any) -> None:
    law = "k * " + " * ".join(["A", *(f"(A - {n})" for n in range(1, 30))])
    assert read(model(reaction("30 A -> B", law))).network == Network("k = 3\n30 A -> B @ k")
    assert read(model(reaction("A -> B", "A" + " * 1" * 5000))).network == Network("A -> B @ 1")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"rules": f'<rateRule variable="k">{math("1")}</rateRule>'}, "the model has a rate rule: only"),
        ({"rules": f"<algebraicRule>{math('A - 1')}</algebraicRule>"}, "the model has an algebraic rule: only"),
        ({"rules": f'<assignmentRule variable="A">{math("1")}</assignmentRule>'}, "an assignment rule for A: only parameters"),
        ({"events": f'<event useValuesFromTriggerTime="true"><trigger initialValue="true" persistent="true">{math("A > 2")}</trigger></event>'}, "the model has an event: only reactions may change the team"),
        ({"rules": f'<assignmentRule variable="k">{math("1")}</assignmentRule>' * 2}, "k is given twice (rule, rule)"),
        ({"functions": f'<functionDefinition id="k">{math("lambda(x, x)")}</functionDefinition>'}, "k is given twice (parameter, function)"),
        ({"assigned": {"r": "2"}}, "there is an initial assignment for r: only species, parameters"),
        ({"assigned": {"k": "A"}}, "reaction r: the initial assignment of k has species in it"),
        ({"assigned": {"k": "kr", "kr": "k"}}, "call each other too deeply, or in a circle"),
        ({"more_species": species("A")}, "A is given twice (species, species): leave one of them out"),
        ({"more_species": species("k")}, "k is given twice (species, parameter)"),
        ({"more_species": species("X", conversionFactor="k")}, "the model has a conversion factor"),
        ({"more_species": species("X", compartment="none", boundaryCondition="true")}, None),
        ({"plain": "B", "more_species": species("A", compartment="d")}, "the species A is in no compartment"),
        ({"plain": "B", "more_species": species("A", 1.5)}, "m.xml:6: there are 1.5 of A: a whole number from 0 to 1,000,000,000 is expected; give its number under [initial]"),
        ({"plain": "B", "more_species": species("A", -1)}, "there are -1 of A: a whole number"),
        ({"plain": "B", "more_species": species("A", 1e10)}, "there are 1e+10 of A: a whole number"),
        ({"assigned": {"A": "-1e300 * 1e300"}}, "there are less than -1e308 of A: a whole number"),
        ({"plain": "B", "more_species": species("A", None)}, "the species A has no initial amount; give its number under [initial]"),
        ({"plain": "B", "more_species": species("A", None, initialConcentration="NaN")}, "the initial concentration of A is nan: a finite number"),
        ({"plain": "B", "more_species": species("A", hasOnlySubstanceUnits="false"), "size": "NaN"}, "reaction r: the size of c is nan: a finite number"),
        ({"plain": "B", "more_species": species("A", hasOnlySubstanceUnits="false"), "size": "0"}, "reaction r: its formula divides by 0"),
    ],
)  # fmt: skip
def test_what_a_model_may_not_have(read: Any, part: dict[str, Any], message: str | None) -> None:
    text = model(reaction("A -> B", "k * A"), **part)
    if message is None:  # nothing depends on it
        assert read(text).network == Network("k = 3\nA -> B @ k")
        return
    with pytest.raises(CoveyError) as caught:
        read(text)
    assert message in str(caught.value)
    assert "m.xml:" in str(caught.value)


def test_an_amount_that_the_scenario_knows(read: Any) -> None:
    text = model(reaction("A -> B", "k * A"), plain="B", more_species=species("A", 1.5))
    assert read(text, known=["A"]).initial == {"B": 0}
    concentration = species("A", None, initialConcentration="1.5", hasOnlySubstanceUnits="false")
    text = model(reaction("A -> B", "k * A"), plain="B", more_species=concentration, size="4")
    assert read(text).initial == {"A": 6, "B": 0}


def test_without_libsbml(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libsbml", None)
    with pytest.raises(CoveyError, match=r'not installed: pip install "covey\[sbml\]"'):
        read(model(reaction("A -> B", "k * A")))
