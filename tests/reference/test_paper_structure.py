"""The structure of every system of the paper, counted by hand."""

from pathlib import Path

import pytest

from covey import Scenario, Structure, load

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def _scenario(name: str) -> Scenario:
    return load(EXAMPLES / f"{name}.toml")


@pytest.mark.parametrize(
    ("name", "species", "reactions", "complexes", "linkage_classes", "rank", "deficiency"),
    [
        ("shared-resource", 5, 4, 4, 2, 2, 0),
        ("three-types", 5, 4, 4, 2, 2, 0),
        # the paper, Fig. agg_graph: eight complexes, four linkage classes, rank four
        ("collaboration-dag", 9, 8, 8, 4, 4, 0),
        # seven compounds, each with one forming reaction
        ("binary-tree", 15, 14, 14, 7, 7, 0),
        # By hand. Complexes: e_i and w_i (6); e_i + w_j (6); w_ij (3); e_i + w_jk (3);
        # e1 + e2 + e3 (1): 19. Linkage classes: e_i – w_i (3); e_i + w_j – w_ij – e_j + w_i (3);
        # e_i + w_jk – e1 + e2 + e3 (1): 7. Nine species and three conserved types: rank 6.
        ("task-network", 9, 21, 19, 7, 6, 6),
        ("warehouse", 6, 6, 6, 3, 3, 0),
        # 0, {sedan}, {van}, trip{sedan}, trip{van}: all connected, nothing conserved
        ("ride-sharing", 4, 8, 5, 1, 4, 0),
    ],
)
def test_counts(
    name: str,
    species: int,
    reactions: int,
    complexes: int,
    linkage_classes: int,
    rank: int,
    deficiency: int,
) -> None:
    structure = Structure(_scenario(name).network)
    assert len(structure.network.species) == species
    assert len(structure.network.reactions) == reactions
    assert len(structure.network.complexes) == complexes
    assert len(structure.linkage_classes) == linkage_classes
    assert structure.rank == rank
    assert structure.deficiency == deficiency


@pytest.mark.parametrize(
    ("name", "balanced", "dag"),
    [
        ("shared-resource", True, True),
        ("three-types", True, True),
        ("collaboration-dag", True, True),
        ("binary-tree", True, True),
        ("task-network", False, False),
        ("warehouse", True, True),
        ("ride-sharing", True, False),
    ],
)
def test_findings(name: str, balanced: bool, dag: bool) -> None:
    structure = Structure(_scenario(name).network)
    assert bool(structure.complex_balanced) == balanced
    assert bool(structure.collaboration_dag) == dag


def test_why_the_task_network_has_no_closed_form() -> None:
    structure = Structure(_scenario("task-network").network)
    # every e_i + w_jk stands alone, and so does e1 + e2 + e3: 3 + 3 + 4 strong classes
    assert len(structure.strong_linkage_classes) == 10
    assert structure.weakly_reversible.why == (
        "nothing leads back from e{1} + e{2} + e{3} to e{1} + w{2,3}"
    )
    assert [str(law) for law in structure.conservation_laws] == [
        "e{1} + w{1} + w{1,2} + w{1,3}",
        "e{2} + w{2} + w{1,2} + w{2,3}",
        "e{3} + w{3} + w{1,3} + w{2,3}",
    ]


def test_the_dag_counts_two_robots_of_type_one() -> None:
    laws = Structure(_scenario("collaboration-dag").network).conservation_laws
    assert str(laws[0]) == "{1} + {1,2} + 2 {1,1,2} + {1,2,3,4,5}"
    assert [law.member for law in laws] == ["1", "2", "3", "4", "5"]


def test_the_papers_state_order() -> None:
    """The vectors x of the motivating example and of both case studies."""
    for name, order in {
        "shared-resource": "{A} {B} {R} {A,R} {B,R}",
        "three-types": "{1} {2} {3} {1,2} {1,2,3}",
        "task-network": "e{1} e{2} e{3} w{1} w{2} w{3} w{1,2} w{1,3} w{2,3}",
    }.items():
        assert " ".join(map(str, _scenario(name).network.species)) == order
