"""The paper's design rules as cases: of two systems one follows the rule, and should leak less.

Every rule is tried on all cases of a small range, named in `tried`, so that its counterexample of
the fewest robots is the smallest one there is in that range.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from covey.paper.case_studies.tree_shapes import all_trees, symmetric_tree
from covey.paper.rules.rule_systems import System, tasks, three, tree

Case = tuple[System, System]  # the one that follows the rule, and the other

_RATES = (0.2, 0.5, 1.0, 2.0)
_FEW_RATES = (0.1, 1.0, 2.0)
_TREES = "Sec. Impact of Topology and Parameters, end"
_TASKS = "Sec. General Mechanisms, Evaluation"
_THREE = "Sec. Complex-Balanced Systems, Evaluation"


@dataclass(frozen=True)
class Rule:
    """A design rule, where the paper gives it, and on which cases it is tried."""

    name: str
    says: str
    place: str
    tried: str
    cases: tuple[Case, ...]


def every_rule() -> tuple[Rule, ...]:
    """All of them, with their cases."""
    return (
        Rule(
            "balanced-tasks", "as many robots of each type, where types are exchangeable", _TASKS,
            "task network, rates 1, 4 to 9 robots: every two teams of which one has more equal "
            "counts (is majorised by the other)",
            tuple(_balanced_tasks()),
        ),
        Rule(
            "balanced-pairs", "as many robots of types 1 and 2, which are exchangeable", _THREE,
            "three types, rates 1, up to 4 of type 3 and 8 of types 1 and 2 together: one robot "
            "more of the one and fewer of the other",
            tuple(_balanced_pairs()),
        ),
        Rule(
            "equal-rates", "the same rates for all types", _TASKS,
            "task network, 1 to 3 of each type, rates 1 against every other of 0.2, 0.5, 1 and 2 "
            "for types 2 and 3, to encounter or to abandon tasks",
            tuple(_equal_rates()),
        ),
        Rule(
            "equal-pairs", "more equal rates of two types, of the same sum", _TASKS,
            "the same network, types 2 and 3 at rates of 0.5, 1, 1.5 and 2: every two cells of the "
            "same sum",
            tuple(_equal_pairs()),
        ),
        Rule(
            "symmetric-trees", "symmetric trees", _TREES,
            "the symmetric trees of 4 leaves (1 to 4 robots of each type) and of 8 (1 to 3) "
            "against every other tree with as many leaves and robots",
            tuple(_symmetric()),
        ),
        Rule(
            "shallow-trees", "trees of smaller depth", _TREES,
            "every two trees of different depth with as many leaves, 4 to 8, and 1 or 2 robots of "
            "each type",
            tuple(_shallow()),
        ),
        Rule(
            "throttle-three", "form groups more slowly, or end them faster", _THREE,
            "three types, (n,n,n), n from 1 to 3, and (6,6,5): a step of κ1 or κ3 down, or of κ2 "
            "or κ4 up, through 0.2, 0.5, 1 and 2",
            tuple(_throttle_three()),
        ),
        Rule(
            "throttle-tree", "form groups more slowly", _TREES,
            "the symmetric tree of 4 leaves, 1 or 2 robots of each type: a step of one forming "
            "rate down, through 0.1, 1 and 2",
            tuple(_throttle_tree()),
        ),
        Rule(
            "more-robots", "more robots, of all types together", _TASKS,
            "task network, rates 1: from (n,n,n) to (n+1,n+1,n+1), n from 1 to 5",
            tuple((tasks((n + 1,) * 3), tasks((n,) * 3)) for n in range(1, 6)),
        ),
        Rule(
            "more-of-two", "more robots, of two types out of three", _TASKS,
            "task network, rates 1: from (m,n,n) to (m,n+1,n+1), m and n from 1 to 4",
            tuple(_more_of_two()),
        ),
        Rule(
            "more-of-pairs", "more robots, of the types 1 and 2", _THREE,
            "three types, rates 1: from (n,n,m) to (n+1,n+1,m), m from 1 to 4, n from 1 to 6",
            tuple(_more_of_pairs()),
        ),
    )  # fmt: skip


def _balanced_tasks() -> Iterator[Case]:
    for robots in range(4, 10):
        teams = [
            (a, b, robots - a - b)
            for a in range(robots, 0, -1)
            for b in range(a, 0, -1)
            if 1 <= robots - a - b <= b
        ]
        for one, other in itertools.permutations(teams, 2):
            if one[0] <= other[0] and one[0] + one[1] <= other[0] + other[1]:  # majorised by it
                yield tasks(one), tasks(other)


def _balanced_pairs() -> Iterator[Case]:
    for third, together in itertools.product(range(1, 5), range(2, 9)):
        for first in range((together + 1) // 2, together - 1):
            second = together - first
            yield three((first, second, third)), three((first + 1, second - 1, third))


def _with_rates(robots: int, varied: str, second: float, third: float) -> System:
    return tasks((robots,) * 3, **{varied: (1.0, second, third)})


def _equal_rates() -> Iterator[Case]:
    for robots, varied in itertools.product((1, 2, 3), ("encounter", "abandon")):
        for pair in itertools.combinations_with_replacement(_RATES, 2):
            if pair != (1.0, 1.0):
                yield _with_rates(robots, varied, 1.0, 1.0), _with_rates(robots, varied, *pair)


def _equal_pairs() -> Iterator[Case]:
    pairs = list(itertools.combinations_with_replacement((0.5, 1.0, 1.5, 2.0), 2))
    for robots, varied in itertools.product((1, 2, 3), ("encounter", "abandon")):
        for one, other in itertools.permutations(pairs, 2):
            if sum(one) == sum(other) and one[1] - one[0] < other[1] - other[0]:
                yield _with_rates(robots, varied, *one), _with_rates(robots, varied, *other)


def _symmetric() -> Iterator[Case]:
    for depth, most in ((2, 4), (3, 3)):
        best = symmetric_tree(depth)
        others = [one for one in all_trees(best.leaves) if one != best]
        for robots, other in itertools.product(range(1, most + 1), others):
            yield tree(str(best), robots), tree(str(other), robots)


def _shallow() -> Iterator[Case]:
    for leaves, robots in itertools.product(range(4, 9), (1, 2)):
        for one, other in itertools.permutations(all_trees(leaves), 2):
            if one.depth < other.depth:
                yield tree(str(one), robots), tree(str(other), robots)


def _throttle_three() -> Iterator[Case]:
    for team in (*((n,) * 3 for n in range(1, 4)), (6, 6, 5)):
        for slow, fast in itertools.pairwise(_RATES):
            for beside in _RATES:
                yield three(team, (slow, 1.0, beside, 1.0)), three(team, (fast, 1.0, beside, 1.0))
                yield three(team, (beside, 1.0, slow, 1.0)), three(team, (beside, 1.0, fast, 1.0))
                yield three(team, (1.0, fast, 1.0, beside)), three(team, (1.0, slow, 1.0, beside))
                yield three(team, (1.0, beside, 1.0, fast)), three(team, (1.0, beside, 1.0, slow))


def _throttle_tree() -> Iterator[Case]:
    shape = str(symmetric_tree(2))
    for robots, which in itertools.product((1, 2), range(3)):
        for slow, fast in itertools.pairwise(_FEW_RATES):
            for beside in itertools.product(_FEW_RATES, repeat=2):
                one, other = ((*beside[:which], rate, *beside[which:]) for rate in (slow, fast))
                yield tree(shape, robots, one), tree(shape, robots, other)  # fmt: skip


def _more_of_two() -> Iterator[Case]:
    for m, n in itertools.product(range(1, 5), repeat=2):
        yield tasks((m, n + 1, n + 1)), tasks((m, n, n))


def _more_of_pairs() -> Iterator[Case]:
    for m, n in itertools.product(range(1, 5), range(1, 7)):
        yield three((n + 1, n + 1, m)), three((n, n, m))
