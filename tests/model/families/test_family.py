"""Families of reactions: what they become, how they print, and what is wrong with them."""

import pickle
import re

import pytest

from covey import (
    CoveyWarning,
    InputError,
    Network,
    Query,
    Reaction,
    Scenario,
    Team,
    dumps,
    load,
    loads,
)
from covey.model.families.family import MAX_REACTIONS
from covey.model.io.prism import to_prism
from covey.model.io.sbml.writer import to_sbml
from covey.study.sensitivity.changes import changes_of
from tests.conftest import EXAMPLES

TYPES = {"types": ["1", "2", "3"]}


def expanded(text: str, **sets: list[str]) -> list[str]:
    return Network(text, sets=TYPES | sets).expanded().lines


def test_one_name() -> None:
    assert expanded("{$i} <-> w{$i} @ 1, 2 for i in types") == [
        "{1} <-> w{1} @ 1, 2",
        "{2} <-> w{2} @ 1, 2",
        "{3} <-> w{3} @ 1, 2",
    ]


def test_pairs_either_way_and_in_order() -> None:
    assert expanded("{$i} + {$j} -> {$i,$j} @ 1 for i < j in types") == [
        "{1} + {2} -> {1,2} @ 1",
        "{1} + {3} -> {1,3} @ 1",
        "{2} + {3} -> {2,3} @ 1",
    ]
    both = expanded("{$i} + w{$j} -> w{$i,$j} @ 1 for i != j in types")
    assert len(both) == 6
    assert both[2] == "{2} + w{1} -> w{1,2} @ 1"


def test_names_bound_together_are_different() -> None:
    """The last robot of the paper's tasks: each type, and each two of the others."""
    lines = expanded("e{$i} + w{$j,$k} -> e{$i} + e{$j} + e{$k} @ 1 for i != j < k in types")
    assert [line.partition(" ->")[0] for line in lines] == [
        "e{1} + w{2,3}",
        "e{2} + w{1,3}",
        "e{3} + w{1,2}",
    ]


def test_the_order_of_the_set_is_the_order() -> None:
    lines = expanded("a_$i -> b_$j @ 1 for i < j in words", words=["z", "a"])
    assert lines == ["a_z -> b_a @ 1"]


def test_routes_words_that_go_together_and_several_bindings() -> None:
    assert expanded(
        "move_$i_$s: $s{$i} -> $t{$i} @ 1 for i in types, s -> t in roads",
        types=["A", "B"],
        roads=["dock -> aisle", "aisle->dock"],
    ) == [
        "move_A_dock: dock{A} -> aisle{A} @ 1",
        "move_A_aisle: aisle{A} -> dock{A} @ 1",
        "move_B_dock: dock{B} -> aisle{B} @ 1",
        "move_B_aisle: aisle{B} -> dock{B} @ 1",
    ]
    tree = Network(
        "k1 = 3\nk2 = 5\n{$x} + {$y} <-> {$x,$y} @ $k, 1 for x -> y -> k in tree",
        sets={"tree": ["1 -> 2 -> k1", "1, 2 -> 3 -> k2"]},
    )
    assert tree == Network("k1 = 3\nk2 = 5\n{1}+{2} <-> {1,2} @ k1,1\n{1,2}+{3} <-> {1,2,3} @ k2,1")


def test_where_a_name_ends() -> None:
    line = "$s_$t + ${s}2 -> 2 $s @ 1 for s in one, t in two"
    assert expanded(line, one=["a"], two=["b"]) == ["a2 + a_b -> 2 a @ 1"]


def test_names_of_reactions() -> None:
    network = Network("pick: a <-> b @ 1, 2\nc -> d @ 1\ngo_$i: $i -> c @ 1 for i in abc",
                      sets={"abc": ["x", "y"]})  # fmt: skip
    assert [reaction.name for reaction in network.reactions] == [
        "pick",
        "pick'",
        "",
        "go_x",
        "go_y",
    ]
    assert network.expanded().lines[0] == "pick: a <-> b @ 1, 2"
    apart = Network("pick': b -> a @ 1\npick: a -> b @ 2")
    assert Network(str(apart)) == apart
    assert str(apart) == "pick': b -> a @ 1\npick: a -> b @ 2"
    assert Network("pick: a -> b @ 1") != Network("a -> b @ 1")


def test_it_prints_as_it_was_written() -> None:
    text = 'k = 2\nsites = ["a", "b"]\n$s -> done @ k   for s in sites\ndone -> a @ 1'
    network = Network(text)
    assert str(network) == text
    assert eval(repr(network)) == network
    assert pickle.loads(pickle.dumps(network)).lines == network.lines
    for other in (network.with_rates({"k": 3}), network.with_kinetics("power")):
        assert "$s -> done @ k   for s in sites" in other.lines


def test_a_family_may_be_an_item_of_a_list() -> None:
    network = Network(
        ["$s -> x @ 1 for s in sites", Reaction("x", "y", 1.0)], sets={"sites": ["a"]}
    )
    assert network == Network("a -> x @ 1\nx -> y @ 1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{$i} -> w{$j} @ 1 for i in types", 'line 2: nothing after "for" says what $j stands for'),
        ("{$i} -> w{$i} @ 1", "line 2: nothing says what $i stands for: end the line with: for i"),
        ("{$i} -> w{$i2} @ 1 for i in types", "what $i2 stands for. Did you mean"),
        ("{$i} -> w{$ i} @ 1 for i in types", "a $ without a name"),
        ("{$i} -> w{$i} @ 1 for i, j in types", "after \"for\" there is 'i': i in types, i < j"),
        ("{$i} -> w{$i} @ 1 for i types", "after \"for\" there is 'i types'"),
        ("{$i} -> w{$i} @ 1 for i in typs", 'there is no set typs. Did you mean "types"?'),
        ("{$i} -> w{$i} @ 1 for i in types, j in types", "$j is nowhere in the reaction: use it"),
        ("{1} -> w{1} @ 1 for i in types", "$i is nowhere in the reaction"),
        ("{$i} -> w{$i} @ 1 for i in types, i in types", "i is bound twice"),
        ("{$a_b} -> w @ 1 for a_b in types", "'a_b' after \"for\" is no name"),
        ("{$i} -> w{$i} @ 1 for i in none", "none is empty: this family has no reaction"),
        ("{$i} -> w{$j} @ 1 for i < j in one", "one has 1, and i, j are 2 different words"),
        ("$s -> b @ 1 for s in roads", "roads has routes of 2 words, as 'a -> b': for s -> t in"),
        ("$s -> $t @ 1 for s -> t in types", "types has single words, as '1': for i in types"),
        ("$s -> $t @ $u for s -> t < u in roads", "mixes -> with other signs"),
        ("{$i} -> w{1} @ 1 for i in types", "line 2, for i = 2: {2} -> w{1} does not conserve 1"),
        ("{$i} -> w{$i} @ a_$i for i in types", "line 2, for i = 1: {1} -> w{1} has the rate a_1"),
        ("{$i} -> w{$i} @ $i, $i for i in types", "line 2, for i = 1: {1} -> w{1} has 2 after"),
        ("{$i} + {$j} <-> {$i,$j} @ 1, 2 for i in types, j in types",
         "line 2, for i = 2, j = 1: {1} + {2} -> {1,2} is there for i = 1, j = 2 already, at the "
         "same rate: together they would happen twice as often. i < j in a set takes every two"),
        ("m_$i_$j: {$i} + {$j} -> {$i,$j} @ 1 for i != j in types", "for i = 2, j = 1: {1} + {2}"),
        ("$s{$i} <-> $t{$i} @ 3, 3 for i in types, s != t in sites",
         "line 2, for i = 1, s = q, t = p: q{1} -> p{1} is there for i = 1, s = p, t = q already"),
        ("a b: a -> b @ 1", "line 2: 'a b' cannot be the name of a reaction: a word is expected"),
        ("y': a <-> b @ 1, 1", "line 2: y' is the way back of y: call the line y"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(line: str, message: str) -> None:
    sets = TYPES | {"none": [], "one": ["a"], "roads": ["a -> b"], "sites": ["p", "q"]}
    with pytest.raises(InputError, match=re.escape(message)):
        Network(f"x: 0 -> a @ 1\n{line}", sets=sets)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dock", "sets.s is 'dock': a list is expected"),
        (["a", "b", "a"], "sets.s has 'a' twice"),
        (["a", 1], "sets.s has 1: a word is expected"),
        (["a", "b -> c"], "sets.s has 'a' and 'b -> c': words alone, or routes of the same length"),
        (["a b"], "sets.s has 'a b': a word is expected"),
        (["a -> "], "sets.s has 'a -> ': a word is expected"),
    ],
)
def test_what_is_no_set(words: object, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Network("a -> b @ 1", sets={"s": words})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("$a + $b + $c -> x @ 1 for a in w, b in w, c in w", "1,000,000"),
        ("$a + $b -> x @ 1 for a != b in v", "899,970,000"),
        ("$a + $b <-> x @ 1, 1 for a < b in w, c in w", "$c is nowhere"),
        (" + ".join(f"$n{i}" for i in range(26)) + " -> x @ 1 for "
         + ", ".join(f"n{i} in v" for i in range(26)), "e+"),
        ("x @ for i in w", "is nowhere"),
    ],
)  # fmt: skip
def test_what_explodes_is_counted_before_it_is_written_out(line: str, number: str) -> None:
    # Were it written out first, this test would end by running out of memory.
    sets = {"w": [f"w{i}" for i in range(100)], "v": [f"v{i}" for i in range(30_000)]}
    with pytest.raises(InputError, match=re.escape(number)):
        Network(line, sets=sets)


def test_the_limit_is_on_all_reactions_together() -> None:
    words = [f"w{i}" for i in range(142)]  # 142 · 141 is above the limit, half of it is not
    assert 142 * 141 > MAX_REACTIONS > 142 * 141 / 2
    line = "$a -> $b @ 1 for a < b in w"
    with pytest.raises(InputError, match="line 2: there would be 20,022 reactions"):
        Network(f"{line}\n{line}", sets={"w": words})


def test_plain_lines_count_as_well() -> None:
    lines = "\n".join(f"a{i} -> b{i} @ 1" for i in range(MAX_REACTIONS + 1))
    with pytest.raises(InputError, match=f"line {MAX_REACTIONS + 1}: there would be 20,001"):
        Network(lines)


def test_few_cases_of_many_names_are_found_at_once() -> None:
    """12! / 2! orders of ten words of twelve, but 66 choices."""
    names = [f"n{i}" for i in range(10)]
    line = f"{' + '.join('$' + n for n in names)} -> x @ 1 for {' < '.join(names)} in w"
    assert len(Network(line, sets={"w": [f"w{i}" for i in range(12)]}).reactions) == 66


SCENARIO = """
[types]
A = 1
B = 1

[rates]
go_A = 1.0
go_B = 2.0

[sets]
roads = ["dock -> aisle", "aisle -> dock"]

[network]
reactions = \"\"\"
move_$i_$s_$t: $s{$i} -> $t{$i} @ go_$i   for i in types, s -> t in roads
\"\"\"

[initial]
A = "dock{A}"
B = "dock{B}"

[observe]
dock = "dock{A} + dock{B}"
aisle = "aisle{A} + aisle{B}"
"""


def test_a_scenario_keeps_its_families() -> None:
    scenario = loads(SCENARIO)
    again = loads(dumps(scenario))
    assert again == scenario
    assert "for i in types, s -> t in roads" in dumps(again)
    assert 'roads = ["dock -> aisle", "aisle -> dock"]' in dumps(again)
    faster = scenario.with_({"rates.go_A": 9.0, "types.B": 3})
    assert faster.network.lines == scenario.network.lines
    assert faster.network.rate_constants.tolist() == [9, 9, 2, 2]


def test_another_set_or_type_is_another_network() -> None:
    scenario = loads(SCENARIO)
    longer = [*scenario.network.sets["roads"], "aisle -> gate", "gate -> aisle"]
    assert len(scenario.with_({"sets.roads": longer}).network.reactions) == 8
    with pytest.raises(InputError, match="for i = C, s = dock, t = aisle: .* has the rate go_C"):
        scenario.with_({"types.C": 1})


def test_families_about_other_types_than_the_teams_are_written_out() -> None:
    network = Network("{$i} <-> w{$i} @ 1, 1 for i in types", sets={"types": ["A", "B"]})
    seen = Query(all="{A} + {B}")
    swapped = Scenario(network, Team({"B": 1, "A": 1}), seen)
    assert "for i in types" not in dumps(swapped)
    assert loads(dumps(swapped)) == swapped
    same = Scenario(network, Team({"A": 1, "B": 1}), seen)
    assert "for i in types" in dumps(same)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@ go_$i", "@ goo_$i", "f.toml:15, for i = A, s = dock, t = aisle: dock{A} -> aisle{A} has"),
        ("in roads", "in road", "f.toml:15: there is no set road. Did you mean \"roads\"?"),
        ("[sets]\n", "[sets]\ntypes = [\"A\"]\n", "f.toml:11: sets.types is what [types] has"),
        ('["dock -> aisle", ', '["dock > aisle", ', "f.toml:11: sets.roads has 'dock > aisle'"),
        ("$s{$i} ->", "$s{$i,C} ->", "f.toml:15, for i = A, s = dock, t = aisle: dock{A,C} -> aisle{A} does not"),
        ('"""\n\n[initial]', 'x{C} -> y{C} @ 1\n"""\n\n[initial]', "f.toml:16: x{C} -> y{C} has C, which is neither"),
        ("move_$i_$s_$t: $s{$i} -> $t{$i}", "$s{$i,C} -> $t{$i,C}", "f.toml:15, for i = A, s = dock, t = aisle: dock{A,C} -> aisle{A,C} has C, which is neither"),
        ("for i in types", "for i in resources", "f.toml:15: resources is empty"),
        ('"""\nmove', '"""\nroads = ["a"]\nmove', "f.toml:15: roads = [\"a\"] is no reaction: rates go under [rates], sets under [sets]"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_and_where(old: str, new: str, message: str) -> None:
    assert old in SCENARIO
    with pytest.raises(InputError) as caught:
        loads(SCENARIO.replace(old, new, 1), file="f.toml")
    assert message in str(caught.value)


def seeing(*sums: str) -> str:
    return SCENARIO.partition("[observe]")[0] + "\n".join(["[observe]", *sums])


def test_sums_over_sets() -> None:
    scenario = loads(seeing('"at_$s" = "$s{$i}  for s in sites, i in types"').replace(
        "[sets]", '[sets]\nsites = ["dock", "aisle"]'))  # fmt: skip
    assert scenario.query.texts() == {
        "at_dock": "dock{A} + dock{B}",
        "at_aisle": "aisle{A} + aisle{B}",
    }
    assert "for s in sites, i in types" in dumps(scenario)
    assert loads(dumps(scenario)) == scenario
    everywhere = loads(seeing('robots = "dock{$i} + aisle{$i} for i in types"'))
    assert everywhere.query.texts() == {"robots": "aisle{A} + aisle{B} + dock{A} + dock{B}"}
    both = scenario.with_({"observe.at_$s": "$s{$i} for s in sites, i in types"})
    assert both == scenario
    fewer = scenario.with_({"sets.sites": ["dock"]})
    assert fewer.query.texts() == {"at_dock": "dock{A} + dock{B}"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('x = "dock{$i} for i in typs"', "f.toml:23: there is no set typs. Did you mean"),
        ('x = "dock{$i}"', "f.toml:23: nothing says what $i stands for"),
        ('"$i" = "dock{$i} {$i} for i in types"', "f.toml:23, for i = A: 'dock{A} {A}' is not a"),
        ('"$i" = "$t{$i} for i in types, s -> t in roads"', "f.toml:23: $s is nowhere"),
        ('x = "dock{$i} + dock{A} for i in types"', "f.toml:23: dock{A} is 3 times in x"),
        ('A = "aisle{A}"\n"$i" = "dock{$i} for i in types"', "f.toml:24: A is given twice"),
        ('x = "gate{$i} for i in types"', "f.toml:23: x sees gate{A}, which is in no reaction."),
    ],
)
def test_what_is_wrong_with_a_sum_over_a_set(line: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        loads(seeing(line), file="f.toml")


def example(name: str) -> Scenario:
    return load(next(path for path in EXAMPLES if path.stem == name))


def test_the_papers_tasks_in_families() -> None:
    families, plain = example("task-families"), example("task-network")
    assert len(families.network.lines) == 3
    arrows = [sorted(r.arrow for r in one.network.reactions) for one in (families, plain)]
    assert arrows[0] == arrows[1]
    assert families.query == plain.query


def test_the_binary_tree_in_one_line() -> None:
    families, plain = example("tree-families"), example("binary-tree")
    assert len(families.network.lines) == 1
    rates = dict(families.network.rates)
    assert families.network == plain.network.with_rates(rates)
    assert families.query == plain.query


def test_six_sites_in_eleven_lines() -> None:
    path = next(path for path in EXAMPLES if path.stem == "six-sites")
    assert len(path.read_text().splitlines()) == 11
    scenario = load(path)
    assert len(scenario.network.species) == 18
    assert len(scenario.network.reactions) == 30
    assert len(scenario.query.sums) == 6


def test_names_are_for_people_and_do_not_change_what_it_is() -> None:
    plain, named = Network("a <-> b @ 1, 2"), Network("swap: a <-> b @ 1, 2")
    seen = Query(a="a")
    one, two = (Scenario(network, query=seen, initial={"a": 2}) for network in (plain, named))
    assert one.fingerprint([one.team], [1.0]) == two.fingerprint([two.team], [1.0])
    assert [change.knob for change in changes_of(two)][::2][:2] == ["swap: a -> b", "swap': b -> a"]
    assert 'id="swap" reversible="false" fast="false" name="swap"' in to_sbml(two)
    assert '''id="swap_back" reversible="false" fast="false" name="swap'"''' in to_sbml(two)
    assert "// swap': b -> a @ 2" in to_prism(two)


def test_one_name_for_several_reactions() -> None:
    """As `move_$s` of a family in i and s: what is said of it is meant of all of them."""
    network = Network("go: {$i} <-> w{$i} @ 1, 1 for i in types", sets=TYPES)
    assert [reaction.name for reaction in network.reactions] == ["go", "go'"] * len(TYPES["types"])
    assert Network("\n".join(network.expanded().lines)) == network


def test_a_family_that_lists_a_reaction_twice_at_other_rates_is_said_to() -> None:
    network = Network("{$i} + {$j} -> {$i,$j} @ $i for i in types, j in types",
                      {"A": 1, "B": 2}, sets={"types": ["A", "B"]})  # fmt: skip
    with pytest.warns(CoveyWarning, match=r"line 1 has \{A\} \+ \{B\} -> \{A,B\} 2 times"):
        Scenario(network, Team({"A": 1, "B": 1}), Query(all="{A} + {B}"))
