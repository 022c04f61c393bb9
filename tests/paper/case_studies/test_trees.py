"""Trees: how many, their automorphisms, and their leakage against the general closed form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from covey import InputError
from covey.dynamics.product_form.product_form import ProductForm
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_family, tree_readings
from covey.paper.case_studies.tree_shapes import Tree, all_trees, symmetric_tree

WEDDERBURN_ETHERINGTON = [1, 1, 1, 2, 3, 6, 11, 23, 46, 98, 207, 451, 983, 2179, 4850, 10905]


@pytest.mark.slow
def test_there_are_as_many_as_wedderburn_and_etherington_say() -> None:
    trees = all_trees(16)
    assert len(set(map(str, trees))) == len(trees) == 10905
    assert [len(all_trees(n)) for n in range(1, 15)] == WEDDERBURN_ETHERINGTON[:14]
    assert {tree.depth for tree in trees} == set(range(4, 16))


def marked(tree: Tree, marks: dict[int, str], first: int = 0) -> str:
    """A canonical text of the tree with some leaves marked: equal for images of each other."""
    if not tree.parts:
        return marks.get(first, "o")
    left, right = tree.parts
    return "(" + "".join(sorted([marked(left, marks, first), marked(right, marks, first + left.leaves)])) + ")"  # fmt: skip


@pytest.mark.parametrize("leaves", [2, 3, 5, 7, 8])
def test_orbits_are_those_of_marked_trees(leaves: int) -> None:
    for tree in all_trees(leaves):
        single = {i: marked(tree, {i: "a"}) for i in range(leaves)}
        for orbit in tree.orbits:
            assert len({single[leaf] for leaf in orbit}) == 1
        assert len(tree.orbits) == len(set(single.values()))
        assert sorted(itertools.chain(*tree.orbits)) == list(range(leaves))
        pairs = {
            (i, j): marked(tree, {i: "a", j: "b"})
            for i, j in itertools.permutations(range(leaves), 2)
        }
        assert sorted(pairs[pair] for pair in tree.pairs) == sorted(set(pairs.values()))


def test_equal_trees_are_equal_values() -> None:
    cherry = Tree(Tree(), Tree())
    assert Tree(cherry, Tree()) == Tree(Tree(), cherry)
    assert symmetric_tree(3).leaves == 8
    assert symmetric_tree(3).depth == 3
    with pytest.raises(InputError, match="one part is missing"):
        Tree(cherry, None)


def test_the_network_builds_every_compound_once() -> None:
    tree = Tree(Tree(Tree(), Tree()), Tree())
    network = tree.network([(2.0, 1.0), (3.0, 0.5)])
    assert str(network) == "{0} + {1} <-> {0,1} @ 2, 1\n{2} + {0,1} <-> {0,1,2} @ 3, 0.5"
    assert str(tree.sizes()) == "size1 = {0} + {1} + {2}; size2 = {0,1}; size3 = {0,1,2}"
    with pytest.raises(InputError, match="2 are expected"):
        tree.network([(1.0, 1.0)])
    with pytest.raises(InputError, match="no reactions"):
        Tree().network()
    with pytest.raises(InputError, match="from 1 to 20"):
        all_trees(21)


def brute_leakage(tree: Tree, robots: int, nu: float, rates: list[tuple[float, float]]) -> float:
    """By the general elimination, over every neighbour."""
    form, query = ProductForm(tree.network(rates)), tree.sizes()
    start = np.array([robots] * tree.leaves + [0] * (tree.leaves - 1))

    def distribution(state: np.ndarray) -> dict[tuple[int, ...], float]:
        found = form.observe(state, query)
        return dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))

    ours, worst = distribution(start), 0.0
    for i, j in itertools.permutations(range(tree.leaves), 2):
        moved = start.copy()
        moved[i] -= 1
        moved[j] += 1
        theirs = distribution(moved)
        for y in ours.keys() | theirs.keys():
            worst = max(worst, abs(math.log((ours.get(y, 0) + nu) / (theirs.get(y, 0) + nu))))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize(("leaves", "robots"), [(2, 3), (3, 2), (4, 3), (5, 2)])
def test_the_fast_leakage_is_that_of_the_closed_form(leaves: int, robots: int) -> None:
    for tree in all_trees(leaves):
        ones = [(1.0, 1.0)] * (leaves - 1)
        team = TreeTeam(tree, robots)
        assert tree_readings(team, [1e-5])[0] == pytest.approx(
            brute_leakage(tree, robots, 1e-5, ones), rel=1e-10
        )
        rates = [(0.5 + k, 1.5) for k in range(leaves - 1)]
        assert tree_readings(team, [1e-3], rates)[0] == pytest.approx(
            brute_leakage(tree, robots, 1e-3, rates), rel=1e-10
        )


def test_the_symmetric_tree_of_sixteen_types() -> None:
    tree = symmetric_tree(4)
    family = tree_family(tree, 2)
    distribution = ProductForm(tree.network()).observe([2] * 16 + [0] * 15, tree.sizes())
    assert distribution.states == len(family.states) == 49_961
    outcomes = family.outcomes.copy()
    outcomes[:, 0] += 32
    order = np.lexsort(outcomes.T[::-1])
    assert (outcomes[order] == distribution.outcomes).all()
    assert (
        np.abs(family.log_distribution([2] * 16)[order] - distribution.log_probabilities).max()
        <= 1e-12
    )
    assert len(tree.pairs) == 4


def test_the_symmetric_tree_leaks_less_than_the_caterpillar() -> None:
    caterpillar = Tree()
    for _ in range(7):
        caterpillar = Tree(caterpillar, Tree())
    assert caterpillar.depth == 7
    least, most = (
        tree_readings(TreeTeam(t, 2), [1e-5])[0] for t in (symmetric_tree(3), caterpillar)
    )
    assert least < most


def test_what_is_no_team() -> None:
    with pytest.raises(InputError, match="at least one robot"):
        TreeTeam(Tree(), 2)
    with pytest.raises(InputError, match="at least one robot"):
        TreeTeam(symmetric_tree(3), 0)
