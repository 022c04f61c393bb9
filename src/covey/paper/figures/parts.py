"""The figures of the paper, from the data of its parts: one look for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from matplotlib.figure import Figure

from covey.model.scenario import Scenario
from covey.paper.case_studies.groups import PAPER as GROUPS_SAID
from covey.paper.case_studies.trees import PAPER as TREES_SAID
from covey.paper.figures.chains import draw_chains
from covey.paper.figures.charts import draw_group_sizes, draw_pair, draw_task_marginals, draw_trees
from covey.paper.figures.maps import Map, draw_maps
from covey.paper.figures.search import draw_settings
from covey.paper.readings import NU, RATES_NU
from covey.paper.scenarios import collaboration_dag, shared_resource, task_network, three_types
from covey.paper.workspace import Part, Table
from covey.report.topology import draw_network

Tables = Mapping[str, Table]

_EXACT, _SMOOTHED, _TV = "exact leakage", "leakage, ν = 1e-5", "total variation"


def figures_of(part: Part) -> dict[str, Figure]:
    """Every figure of one part, by the name of its file."""
    return {name: draw(part.tables) for name, draw in FIGURES[part.name].items()}


def _populations(tables: Tables) -> Figure:
    rows = ("n1_n2", ("n1", "n2"), "N⁽³⁾ = 200"), ("n2_n3", ("n2", "n3"), "N⁽¹⁾ = 220")
    return _two_maps_each(tables, rows)


def _rates(tables: Tables) -> Figure:
    rows = ("initiate", ("k1", "k3"), "κ₂ = κ₄ = 1"), ("terminate", ("k2", "k4"), "κ₁ = κ₃ = 1")
    return _two_maps_each(tables, rows)


def _two_maps_each(tables: Tables, rows: Iterable[tuple[str, tuple[str, str], str]]) -> Figure:
    return draw_maps([
        [Map(tables[name], keys, column, (_AXES[keys[0]], _AXES[keys[1]]), label, fixed)
         for column, label in ((NU, _SMOOTHED), ("tv", _TV))]
        for name, keys, fixed in rows
    ])  # fmt: skip


def _task_maps(tables: Tables) -> Figure:
    robots = int(tables["encounter"]["robots"][0])
    teams, types = ("n2", "n3"), ("type2", "type3")
    each = f"{robots} robots of each type"
    over_rates = (RATES_NU, "leakage, ν = 1e-3")  # each with the authors' ν
    panels = []
    for name, keys, axes, title, smoothed in (
        ("populations", teams, (_AXES["n2"], _AXES["n3"]), "N⁽¹⁾ = 10", (NU, _SMOOTHED)),
        ("encounter", types, ("κ₃, κ₁₃, κ₂₀", "κ₅, κ₁₅, κ₂₁"), each, over_rates),
        ("abandon", types, ("κ₄, κ₁₂, κ₁₄", "κ₆, κ₁₆, κ₁₈"), each, over_rates),
    ):
        readings = (smoothed, ("leakage", _EXACT), ("tv", _TV))
        panels.append([Map(tables[name], keys, column, axes, label, title)
                       for column, label in readings])  # fmt: skip
    return draw_maps(panels)


def _topology(scenario: Scenario) -> Callable[[Tables], Figure]:
    """The paper's picture of a network; it needs no data."""
    resources = tuple(scenario.team.resources)
    return lambda _: draw_network(scenario.network, resources=resources)


_AXES = {f"n{i}": f"N⁽{sign}⁾" for i, sign in enumerate("¹²³", 1)}
_AXES |= {f"k{i}": f"κ{sign}" for i, sign in enumerate("₁₂₃₄", 1)}
FIGURES: dict[str, dict[str, Callable[[Tables], Figure]]] = {
    "theory": {
        "theory-dag": lambda _: draw_network(collaboration_dag()),
    },
    "motivating": {
        "motivating-topology": _topology(shared_resource()),
        "motivating-chains": lambda tables: draw_chains(tables["chains"]),
        "motivating-laws": lambda tables: draw_pair(tables["distributions"]),
    },
    "collaboration": {
        "collaboration-topology": _topology(three_types()),
        "collaboration-populations": _populations,
        "collaboration-rates": _rates,
    },
    "trees": {
        "tree-depth": lambda tables: draw_trees({n: tables[f"depth{n}"] for n in (1, 2, 3)}),
        "tree-settings": lambda tables: draw_settings(
            {"depth of tree": tables["settings"]}, TREES_SAID
        ),
    },
    "groups": {
        "group-sizes": lambda tables: draw_group_sizes(tables["sizes2"]),
        "group-settings": lambda tables: draw_settings(
            {
                "by size: 1, 2, 4, 8": tables["settings"].where(measure="group_size"),
                "by class of size: 1, 2, 3, 4": tables["settings"].where(measure="size_class"),
            },
            GROUPS_SAID,
        ),
    },
    "tasks": {
        "task-topology": _topology(task_network()),
        "task-marginals": lambda tables: draw_task_marginals(tables["marginals"]),
        "task-maps": _task_maps,
    },
    "rules": {},
}
