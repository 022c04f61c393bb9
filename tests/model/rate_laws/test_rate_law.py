"""Rate laws: how they are written, read back and refused, and what their words mean."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import InputError, Network, Reaction, Scenario, Species, dumps, load, loads
from covey.model.rate_laws.program import compile_rate_law
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import COMPARISONS, Applied, Term, applied, number

LEAVES = st.one_of(
    st.floats(0, 1e300, allow_subnormal=False).map(abs),
    st.sampled_from(["a", "b_2", "min", "größe"]),
    st.sampled_from([Species("", ("A",)), Species("w", ("A", "27"))]),
)


def _applied(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    many = st.tuples(
        st.sampled_from(["+", "*", "min", "max"]), st.lists(inner, min_size=2, max_size=4)
    )
    two = st.tuples(
        st.sampled_from(["/", "^", *COMPARISONS]), st.lists(inner, min_size=2, max_size=2)
    )
    one = st.tuples(st.just("-"), st.lists(inner, min_size=1, max_size=1))
    return st.one_of(many, two, one).map(lambda pair: applied(pair[0], *pair[1]))


terms = st.recursive(LEAVES, _applied, max_leaves=25)


@given(terms)
def test_what_is_printed_reads_back_as_the_same(term: Term) -> None:
    law = RateLaw(term)
    assert RateLaw.parse(str(law)[1:-1]) == law


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plug*min({A},3-c{A})", "[plug * min({A}, 3 - c{A})]"),
        ("-x^2", "[-x^2]"),
        ("(-x)**2", "[(-x)^2]"),
        ("a-(b-c)", "[a - (b - c)]"),
        ("a - b - c", "[a - b - c]"),
        ("a/b/c", "[a / b / c]"),
        ("a/(b*c)", "[a / (b * c)]"),
        ("a*(b/c)", "[a * (b / c)]"),
        ("2^-x^2", "[2^-x^2]"),
        ("a × b ÷ c − d", "[a * b / c - d]"),
        ("({A} ≥ 3) * a", "[({A} >= 3) * a]"),
        ("((a))", "[a]"),
        ("a + (b + c)", "[a + b + c]"),
        ("--a", "[a]"),
        ("a - -b", "[a + b]"),
        ("1e-7 + .5 + 3.", "[1e-07 + 0.5 + 3]"),
        ("w{2,1}", "[w{1,2}]"),
    ],
)
def test_how_laws_are_printed(text: str, printed: str) -> None:
    assert str(RateLaw.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the end at character 1 of the rate law []"),
        ("2 {A}", "'{A}' at character 3 of the rate law [2 {A}]: numbers, rates"),
        ("a +", "the end at character 4"),
        ("a < b < c", "'<' at character 7"),
        ("a = b", "'=' at character 3"),
        ("(a", "the end at character 3"),
        ("a)", "')' at character 2"),
        ("min(a)", "min of a single value: at least two"),
        ("min(a,)", "')' at character 7"),
        ("sin(a)", "'(' at character 4"),
        ("a; b", "';' at character 2"),
        ("__import__('os')", "'(' at character 11"),
        ("{A", "'{' at character 1"),
        ("{}", "a type is missing"),
        ("(" * 60 + "a" + ")" * 60, "nested more than 40 deep"),
        ("a" + "^2" * 60, "nested more than 40 deep"),
        ("a" + "/2" * 60, "nested more than 40 deep"),
        ("1e999", "a rate law has the number inf"),
        ("a + " * 3000 + "a", "a rate law of 12,001 characters"),
        ("a+" * 3000 + "a", "a rate law of 3,001 parts: at most 2,000"),
    ],
)
def test_what_is_no_law(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        RateLaw.parse(text)
    assert message in str(caught.value)


def test_reactions_with_laws() -> None:
    network = Network(
        "{A} <-> w{A} @ [a * min({A}, 3)], 2\nb{A} <-> {A} @ 1, [w{A} / 2 + b{A}]\na = 3"
    )
    laws = [reaction.rate_law for reaction in network.reactions]
    assert [law is not None for law in laws] == [True, False, False, True]
    assert Network(str(network)) == network
    assert network.rate_names == {"a"}
    assert Reaction("{A}", "w{A}", "[a * min({A}, 3)]") == network.reactions[0]
    assert np.isnan(network.rate_constants).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{A} -> w{A} @ [plug", "line 1: the rate law \"[plug\" has no end: a ] is expected"),
        ("{A} -> w{A} @ [plg * {A}]", "has plg, which is no rate, no species and no observed sum."
         ' Did you mean "plug"?'),
        ("{A} -> w{A} @ [plug * {B}]", "the rate law of {A} -> w{A} counts {B}, which is in no reaction"),
        ("{A} -> w{A} @ [plug], [plug]", "has 2 after the @: -> takes one rate"),
        ("{A} <-> w{A} @ [min(plug, 2)]", "has 1 after the @: <-> takes two rates"),
        ("plug + {A} -> plug + w{A} @ [plug]", "has plug, which is a rate and a species"),
        ("{A} -> w{A} @ [plug * ({A} +)]", "line 1: ')' at character 14"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_law(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Network(line, rates={"plug": 2.0})
    assert message in str(caught.value)


def test_observed_sums_in_laws(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("""
[types]
A = 2
B = 2
[rates]
plug = 2
[network]
reactions = \"\"\"
{A} <-> w{A} @ [plug * ({A} > 0) * (busy < 3)], 1
{B} <-> w{B} @ [plug * ({B} > 0) * (busy < 3)], 1
\"\"\"
[observe]
busy = "w{A} + w{B}"
""")
    scenario = load(path)
    law = scenario.network.reactions[0].rate_law
    assert str(law) == "[plug * ({A} > 0) * (w{A} + w{B} < 3)]"
    assert Scenario.from_document(scenario.to_document()) == scenario
    assert scenario.with_({"rates.plug": 3.0}).network.rates["plug"] == 3.0
    path.write_text(path.read_text().replace("w{A} + w{B}", "w{A} + w{C}"))
    with pytest.raises(InputError, match=r"counts w\{C\}, which is in no reaction"):
        load(path)


def test_plain_species_in_laws() -> None:
    network = Network("0 <-> battery @ [2 * (battery < 4)], 1")
    assert [str(s) for s in network.species] == ["battery"]
    assert network.programs[0].run(np.arange(6)[None]).tolist() == [2, 2, 2, 2, 0, 0]


def _exact(term: Term, counts: dict[Species, int], rates: dict[str, float]) -> Fraction:
    """The value of a term in fractions, by another way of walking it."""
    if isinstance(term, Species):
        return Fraction(counts[term])
    if not isinstance(term, Applied):
        return Fraction(rates[term] if isinstance(term, str) else term)
    parts = [_exact(part, counts, rates) for part in term.parts]
    meaning: dict[str, Callable[[], Fraction | int]] = {
        "+": lambda: sum(parts), "-": lambda: -parts[0], "*": lambda: prod(parts),
        "/": lambda: parts[0] / parts[1], "min": lambda: min(parts), "max": lambda: max(parts),
        "<": lambda: parts[0] < parts[1], "<=": lambda: parts[0] <= parts[1],
        ">": lambda: parts[0] > parts[1], ">=": lambda: parts[0] >= parts[1],
        "==": lambda: parts[0] == parts[1], "!=": lambda: parts[0] != parts[1],
    }  # fmt: skip
    return Fraction(meaning[term.function]())


whole = st.recursive(
    st.one_of(
        st.integers(0, 9).map(float),
        st.sampled_from(["a", "b"]),
        st.sampled_from([Species("", ("A",)), Species("w", ("A",))]),
    ),
    lambda inner: st.tuples(
        st.sampled_from(["+", "*", "-", "/", "min", "max", *COMPARISONS]),
        st.tuples(inner, inner),
    ).map(lambda pair: applied(pair[0], *pair[1][: 1 if pair[0] == "-" else 2])),
    max_leaves=12,
)


@given(whole, st.integers(0, 5), st.integers(0, 5))
def test_programs_do_what_laws_say(term: Term, one: int, other: int) -> None:
    species = [Species("", ("A",)), Species("w", ("A",))]
    rates = {"a": 2.0, "b": 0.5}
    program = compile_rate_law(RateLaw(term), {s: i for i, s in enumerate(species)}, rates)
    found = float(program.run(np.array([[one], [other]]))[0])
    try:
        expected = _exact(term, dict(zip(species, (one, other), strict=True)), rates)
    except ZeroDivisionError:
        assert np.isnan(found)
        return
    # Comparisons of rounded quotients may go either way: only rate laws without rounding are compared.
    if "/" not in str(RateLaw(term)):
        assert found == float(expected)
        assert program.fires((one, other)) == (expected > 0)


def test_a_division_by_zero_is_never_hidden() -> None:
    for text in (
        "min(1, 1 / {A})",
        "({A} > 0) * (1 / {A})",
        "(1 / {A} > 2)",
        "(1 / {A})^0",
        "0^(0 - 1)",
    ):
        program = compile_rate_law(RateLaw.parse(text), {Species("", ("A",)): 0}, {})
        assert np.isnan(program.run(np.array([[0]]))[0]), text


def test_numbers() -> None:
    assert str(RateLaw(applied("*", number(-2.0), "a"))) == "[-2 * a]"
    with pytest.raises(InputError, match="number nan"):
        number(float("nan"))


FAMILY = """
[types]
A = 2
B = 2
[network]
reactions = "plug_$i: {$i} <-> w{$i} @ [min({$i}, 3 - LIMIT)], 1  for i in types"
[observe]
busy = "w{$i} for i in types"
"""


def test_laws_in_families() -> None:
    own = loads(FAMILY.replace("LIMIT", "w{$i}"))
    assert [str(r.rate_law) for r in own.network.reactions[::2]] == [
        "[min({A}, 3 - w{A})]", "[min({B}, 3 - w{B})]",
    ]  # fmt: skip
    assert [r.name for r in own.network.reactions] == ["plug_A", "plug_A'", "plug_B", "plug_B'"]
    assert len(own.network.lines) == 1
    summed = loads(FAMILY.replace("LIMIT", "busy"))
    assert str(summed.network.reactions[2].rate_law) == "[min({B}, 3 - (w{A} + w{B}))]"
    assert len(summed.network.lines) == 2  # what the sum means is written out, case by case
    for scenario in (own, summed):
        assert Network(str(scenario.network)) == scenario.network
        assert loads(dumps(scenario)) == scenario
    with pytest.raises(InputError, match="for i = A: the rate law of {A} -> w{A} has bsy"):
        loads(FAMILY.replace("LIMIT", "bsy"))
